// Whether an argument of COUNT, SUM or AVG only carries values, so that a total over it singles no row out.
//
// Plain is: columns of tables and views, NULL and numbers (six digits in all, no exponent), under a sign, `+ - *` (two `*` at
// most, no column on both sides of one operator), `/` by a literal with a decimal point, COALESCE, results of CASE, and a
// CAST of a number to numeric without precision or to double precision. Integers of 32 or 64 bits overflow, which tells of
// the largest, so arithmetic must give numeric or double precision.
#pragma once

#include <vector>

#include "check_pg/ast.h"

namespace pccsql::check_pg {

class PlainArgument {
 public:
  explicit PlainArgument(const Ast& ast) : ast_(ast) {}

  // `distinct`: of DISTINCT over it, where the column itself alone is plain.
  bool value(ExprId argument, bool distinct);

  // Of the argument that `value` was last true for: whether CASE or COALESCE stand in it; whether it multiplies with columns
  // on both sides.
  bool chooses() const { return chooses_; }
  bool multiplies() const { return multiplies_; }

 private:
  using Columns = std::vector<uint64_t>;  // (table, column), sorted
  bool plain(ExprId id, Columns& columns);
  bool plain_number(const Expr& literal);

  const Ast& ast_;
  int digits_ = 0;
  int products_ = 0;
  bool chooses_ = false;
  bool multiplies_ = false;
};

}  // namespace pccsql::check_pg
