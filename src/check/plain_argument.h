// PlainArgument: whether an argument of COUNT, SUM or AVG only carries the values of its columns into the aggregate.
//
// Anything more can single rows out: a comparison, a division that cuts off, a number so large that a sum overflows or
// loses its last digits for some rows alone. So the list of what is plain is short and closed.
#pragma once

#include <vector>

#include "check/ast.h"
#include "check/work.h"

namespace pccsql::check {

class PlainArgument {
 public:
  PlainArgument(const Ast& ast, Work& work) : ast_(ast), work_(work) {}

  bool value(ExprId argument, bool distinct);
  // Of the argument that `value` was last true for: whether CASE, COALESCE, IFNULL or IIF stand in it; whether it
  // multiplies with columns on both sides.
  bool chooses() const { return chooses_; }
  bool multiplies() const { return multiplies_; }

 private:
  using Columns = std::vector<uint64_t>;  // sorted, each once: a table and its column, whatever the alias
  bool plain(ExprId id, Columns& columns);
  bool plain_list(ExprId first, Columns& columns);
  bool plain_column(const Expr& expr, Columns& columns) const;
  bool plain_literal(const Expr& expr);
  bool plain_binary(const Expr& expr, Columns& columns);
  bool plain_case(const Expr& expr, Columns& columns);
  bool is_real_type(const Expr& cast) const;
  ExprId named(ExprId id) const;  // what an alias stands for

  const Ast& ast_;
  Work& work_;
  int digits_ = 0;
  int products_ = 0;
  bool chooses_ = false;
  bool multiplies_ = false;
};

}  // namespace pccsql::check
