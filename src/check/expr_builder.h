// ExprBuilder: the grammar's flat expressions -> trees, by precedence climbing over SQLite's table of operators.
#pragma once

#include "check/ast.h"
#include "check/issues.h"
#include "check/tree_cursor.h"

namespace pccsql::check {

class Builder;
QueryId build_query(Builder& builder, uint32_t node, int depth);  // a nested SELECT

class ExprBuilder {
 public:
  ExprBuilder(const RuleIds& rules, const std::vector<Node>& nodes, Ast& ast, Names& names, Issues& issues,
              Builder& queries)
      : rules_(rules), nodes_(nodes), ast_(ast), names_(names), issues_(issues), queries_(queries) {}

  struct List {
    ExprId first = 0;
    ExprId last = 0;
    Index count = 0;
  };

  // `depth` is how many symbols stand on the database's parser stack below what is being built.
  ExprId expr(uint32_t node, int depth);       // an expr, range or pattern node
  List list(uint32_t node, int depth);         // the expressions among a node's children, linked
  List order_terms(uint32_t node, int depth);  // the expressions of an order_by node, linked
  Window window(uint32_t node, int depth);
  NameId new_name(uint32_t lexeme);
  void reject_stray_stars();  // once all is built: `t.*` may only be a select item

  bool too_tall() const { return tall_; }
  // Notes, once, that the database's parser stack would overflow; whoever gets true stops descending.
  bool too_deep(int depth, uint32_t node);

 private:
  ExprId add(ExprKind kind, uint32_t first, uint32_t last);
  ExprId climb(TreeCursor& cursor, ExprId left, int least, int depth);
  ExprId infix(TreeCursor& cursor, uint32_t node, ExprId left, int precedence, int depth);
  ExprId negatable(TreeCursor& cursor, uint32_t node, ExprId left, int precedence, int depth);
  ExprId operand(TreeCursor& outer, uint32_t node, int depth);
  ExprId prefixed(TreeCursor& outer, TreeCursor& cursor, int depth);
  ExprId primary(TreeCursor& cursor, int depth);
  void parameter(uint32_t lexeme);
  ExprId parenthesis(TreeCursor& cursor, int depth);
  ExprId reference(TreeCursor& cursor, int depth);
  ExprId call(uint32_t name, uint32_t node, int depth);
  ExprId cast(uint32_t node, int depth);
  ExprId case_expr(uint32_t node, int depth);
  ExprId binary(Terminal op, ExprId left, ExprId right);
  void set_children(ExprId parent, const List& list);
  void append(List& list, ExprId expr);
  void raise_height(ExprId parent, ExprId child);

  const RuleIds& rules_;
  const std::vector<Node>& nodes_;
  Ast& ast_;
  Names& names_;
  Issues& issues_;
  Builder& queries_;
  std::vector<ExprId> stars_;
  bool reported_ = false;
  bool tall_ = false;
  std::string buffer_;
};

}  // namespace pccsql::check
