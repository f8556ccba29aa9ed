// Grouping: in a SELECT that groups, every column outside its aggregates must be of what is grouped.
//
// That is: grouped itself; or of a table whose whole primary key is grouped; or, not inside a nested SELECT, part of an
// expression that is equal to one of GROUP BY.
#include <algorithm>
#include <set>

#include "check_pg/resolver.h"

namespace pccsql::check_pg {

struct Resolver::Grouped {
  QueryId query = 0;
  std::vector<ExprId> expressions;
  std::set<uint64_t> columns;
  std::set<uint32_t> items;  // all of whose columns are determined
};

bool Resolver::equal(ExprId a, ExprId b) const {
  if (a == b) return true;
  const Expr& l = ast_.exprs[a];
  const Expr& r = ast_.exprs[b];
  if (l.op != r.op || l.text != r.text || l.count != r.count || l.type.kind != r.type.kind ||
      l.distinct != r.distinct || l.type.state != r.type.state || l.type.small != r.type.small) {
    return false;
  }
  switch (l.op) {
    case Op::Column:
      return l.query == r.query && l.identity == r.identity;
    case Op::Scalar:
    case Op::Exists:
    case Op::InQuery:
    case Op::Quantified:
    case Op::Broken:
      return false;
    case Op::Cast:      // one kind has several types and lengths
    case Op::Constant:  // `-5` and `5` have the same digits
      if (l.identity != r.identity) return false;
      break;
    case Op::Call:
      if (l.over || r.over || (l.filter == 0) != (r.filter == 0)) return false;
      if (l.filter != 0 && !equal(l.filter, r.filter)) return false;
      break;
    default:
      break;
  }
  for (uint32_t i = 0; i < l.count; ++i) {
    if (!equal(ast_.kid(a, i), ast_.kid(b, i))) return false;
  }
  return true;
}

void Resolver::check_grouping(QueryId id) {
  const Query& query = ast_.queries[id];
  if (!query.is_grouped()) return;
  Grouped grouped;
  grouped.query = id;
  for (const Term& term : query.group_by) {
    const Expr& expr = at(term.expr);
    if (expr.op == Op::Column && expr.query == id) {
      grouped.columns.insert(expr.identity);
    } else {
      grouped.expressions.push_back(term.expr);
    }
  }
  for (uint32_t i = 0; i < query.from.size(); ++i) {
    if (query.from[i].query != 0) continue;
    const Table& table = catalog_.table(query.from[i].table);
    if (table.primary_key.empty() || table.deferrable_key || table.kind != TableKind::Table) continue;
    const bool whole = std::ranges::all_of(
        table.primary_key, [&](ColumnIndex column) { return grouped.columns.contains(uint64_t{i} << 32 | column); });
    if (whole) grouped.items.insert(i);
  }
  for (const Output& output : query.outputs) walk_grouped(grouped, output.expr, false);
  if (query.having != 0) walk_grouped(grouped, query.having, false);
  for (const Term& term : query.order_by) walk_grouped(grouped, term.expr, false);
  for (const uint32_t index : query.windows) {
    for (const ExprId term : ast_.windows[index].partition) walk_grouped(grouped, term, false);
    for (const ExprId term : ast_.windows[index].order) walk_grouped(grouped, term, false);
  }
}

void Resolver::walk_grouped(const Grouped& grouped, ExprId id, bool nested) {
  const Expr& expr = at(id);
  if (!nested && std::ranges::any_of(grouped.expressions, [&](ExprId known) { return equal(known, id); })) return;
  if (expr.op == Op::Column) {
    if (expr.query != grouped.query || grouped.columns.contains(expr.identity)) return;
    const auto item = static_cast<uint32_t>(expr.identity >> 32);
    if (grouped.items.contains(item)) return;
    error(expr.span, "column `" + std::string(expr.span.of(ast_.sql)) +
                         "` must stand in GROUP BY or inside an aggregate, because the query groups its rows");
    return;
  }
  const bool own_aggregate =
      expr.op == Op::Call && expr.call == CallKind::Aggregate && !expr.over && expr.query == grouped.query;
  if (own_aggregate) return;
  for (uint32_t i = 0; i < expr.count; ++i) walk_grouped(grouped, ast_.kid(id, i), nested);
  if (expr.filter != 0) walk_grouped(grouped, expr.filter, nested);
  if (expr.window != kNone) {
    for (const ExprId term : ast_.windows[expr.window].partition) walk_grouped(grouped, term, nested);
    for (const ExprId term : ast_.windows[expr.window].order) walk_grouped(grouped, term, nested);
  }
  if (expr.op == Op::Scalar || expr.op == Op::Exists || expr.op == Op::InQuery || expr.op == Op::Quantified) {
    walk_grouped_query(grouped, expr.query);
  }
}

void Resolver::walk_grouped_query(const Grouped& grouped, QueryId id) {
  const Query& query = ast_.queries[id];
  if (query.is_set_operation()) {
    walk_grouped_query(grouped, query.left);
    walk_grouped_query(grouped, query.right);
    return;
  }
  const auto walk = [&](ExprId expr) {
    if (expr != 0) walk_grouped(grouped, expr, true);
  };
  for (const FromItem& item : query.from) {
    if (item.query != 0 && item.query > id) walk_grouped_query(grouped, item.query);
  }
  for (const Output& output : query.outputs) walk(output.expr);
  for (const ExprId condition : query.conditions) walk(condition);
  walk(query.where);
  walk(query.having);
  for (const Term& term : query.group_by) walk(term.expr);
  for (const Term& term : query.order_by) walk(term.expr);
  for (const uint32_t index : query.windows) {
    for (const ExprId term : ast_.windows[index].partition) walk(term);
    for (const ExprId term : ast_.windows[index].order) walk(term);
  }
}

}  // namespace pccsql::check_pg
