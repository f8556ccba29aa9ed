// Queries: WITH, the branches of a set operation, the clauses of each in SQLite's order, ORDER BY, LIMIT, output names.
#include <algorithm>

#include "base/text.h"
#include "check/resolver.h"

namespace pccsql::check {
namespace {

constexpr Index kMostBranches = 500;  // SQLite's limit on terms of a compound SELECT
constexpr Index kMostColumns = 2000;  // and on columns of a result
constexpr int kDeepestSelect = 62;    // depths are bits of a word; the parser's stack ends long before

}  // namespace

void Resolver::run() {
  references_ = aggregate_owners_ = 0;
  window_seen_ = false;
  free_names_.clear();
  query(1, nullptr, nullptr, 0);
}

void Resolver::query(QueryId id, const Scope* outer, const WithFrame* with, Index cte, bool derived) {
  Query& query = ast_.queries[id];
  if (query.cores.count == 0) return;  // nested too deeply to have been built
  WithFrame frame{with, query.ctes, query.ctes.first};
  if (query.ctes.count > 0) {
    ctes(query, frame);
    with = &frame;
  }
  Scope scope;
  scope.outer = outer;
  scope.with = with;
  scope.depth = outer == nullptr ? 0 : std::min(outer->depth + 1, kDeepestSelect);
  scope.cte = cte;
  scope.derived = derived;
  for (Index i = query.cores.first; i < query.cores.end(); ++i) {
    scope.core = i;
    core(i, scope);
    const Core& first = ast_.cores[query.cores.first];
    const Core& branch = ast_.cores[i];
    if (branch.width_known && first.width_known && branch.width != first.width) {
      issues_.error(ast_.span_at(branch.lexeme), "the branches of " + std::string(spelling(branch.set_operator)) +
                                                     " have " + std::to_string(first.width) + " and " +
                                                     std::to_string(branch.width) + " columns; they must be equal");
    }
  }
  if (query.cores.count > kMostBranches) {
    issues_.error(ast_.span_at(query.lexeme), "more than 500 branches in a set operation");
  }
  scope.core = query.cores.first;
  count_terms(query.order_by, "ORDER BY");
  if (query.order_by != 0) {
    if (query.cores.count == 1) {
      order_by_single(query, scope);
    } else {
      order_by_compound(query, scope);
    }
  }
  for (Index i = query.cores.first; i < query.cores.end(); ++i) rewritten_for_windows(ast_.cores[i]);
  Scope nothing;  // LIMIT sees no column at all
  nothing.with = with;
  nothing.depth = scope.depth;
  list(query.limit, nothing);
  output_names(query);
}

void Resolver::ctes(Query& query, WithFrame& frame) {
  for (Index i = query.ctes.first; i < query.ctes.end(); ++i) {
    frame.visible_end = i;
    Cte& cte = ast_.ctes[i];
    const Span where = ast_.span_at(cte.lexeme);
    const std::string text = text_of(cte.lexeme);
    if (catalog_.find_table(cte.name)) {
      issues_.outside(where, "the WITH table `" + text + "` has the name of a table; give it another");
    }
    for (const WithFrame* outer = frame.outer; outer != nullptr; outer = outer->outer) {
      for (Index k = outer->ctes.first; k < outer->ctes.end(); ++k) {
        if (ast_.ctes[k].name == cte.name) {
          issues_.outside(where, "the WITH table `" + text + "` has the name of an enclosing one; give it another");
        }
      }
    }
    this->query(cte.query, nullptr, &frame, i);
    const Query& body = ast_.queries[cte.query];
    cte.outputs = body.outputs;
    cte.outputs_known = body.outputs_known;
    if (cte.has_columns) {
      if (body.outputs_known && cte.columns.count != body.outputs.count) {
        issues_.error(where, "table `" + text + "` has " + std::to_string(body.outputs.count) + " values for " +
                                 std::to_string(cte.columns.count) + " columns");
      }
      const auto first = static_cast<Index>(ast_.output_names.size());
      for (Index c = cte.columns.first; c < cte.columns.end(); ++c) push_output(ast_.cte_columns[c], first);
      cte.outputs = {first, cte.columns.count};
    }
  }
  frame.visible_end = query.ctes.end();
}

void Resolver::core(CoreId id, Scope& scope) {
  if (ast_.cores[id].values) return;
  from(id, scope);
  Core& core = ast_.cores[id];

  scope.aggregates = scope.windows = scope.select_list = true;
  for (Index i = core.items.first; i < core.items.end(); ++i) {
    Item& item = ast_.items[i];
    if (item.star) {
      star(id, i);
      continue;
    }
    const uint64_t outer_references = std::exchange(references_, 0);
    const bool outer_window = std::exchange(window_seen_, false);
    const bool before = std::exchange(core.has_aggregate, false);
    expr(item.expr, scope);
    item.references = references_;
    item.has_window = window_seen_;
    item.has_aggregate = core.has_aggregate;
    core.has_aggregate |= before;
    references_ |= outer_references;
    window_seen_ = outer_window;
    ++core.width;
  }
  scope.select_list = scope.windows = false;
  if (core.width > kMostColumns) {
    issues_.error(ast_.span_at(core.lexeme), "too many columns in the result: the database takes 2000");
    core.width_known = false;
  }
  const bool aggregating = core.grouped || core.has_aggregate;

  scope.aliases = true;
  if (core.having != 0) {
    if (!aggregating) {
      issues_.error(ast_.span(ast_.exprs[core.having]), "HAVING clause on a query that does not aggregate; use WHERE, or add GROUP BY");
    }
    scope.aggregates = true;
    expr(core.having, scope);
  }
  scope.aggregates = false;
  for (Index i = core.from.first; i < core.from.end(); ++i) {
    if (ast_.froms[i].on == 0) continue;
    scope.on_item = i;
    expr(ast_.froms[i].on, scope);
  }
  scope.on_item = 0;
  if (core.where != 0) expr(core.where, scope);

  count_terms(core.group_by, "GROUP BY");
  Scope group = scope;
  group.hides_outer = true;
  for (ExprId term = core.group_by; term != 0; term = ast_.exprs[term].next) {
    if (!ordinal(term, core, group, "GROUP BY")) {
      expr(term, group);
      continue;
    }
    if (ast_.exprs[term].bind == Bind::Alias && ast_.items[ast_.exprs[term].bound].has_aggregate) {
      issues_.error(ast_.span(ast_.exprs[term]), "aggregate functions are not allowed in the GROUP BY clause");
    }
    if (ast_.exprs[term].bind == Bind::Alias && ast_.items[ast_.exprs[term].bound].has_window) {
      issues_.error(ast_.span(ast_.exprs[term]), "window functions are not allowed in the GROUP BY clause");
    }
  }
  // What no OVER refers to the database does not look at; the definition does.
  for (Index w = core.windows.first; w < core.windows.end(); ++w) {
    if (ast_.windows[w].resolved) continue;
    Scope unused = scope;
    unused.aliases = false;
    unused.aggregates = true;
    window(w, unused, id);
  }
  scope.aliases = scope.aggregates = false;
}

// To compute windows SQLite moves FROM … HAVING into a query of its own. There a GROUP BY term that stands for the number
// 3 is read again as the third column, and an aggregate in a nested SELECT no longer finds the rows it aggregates.
void Resolver::rewritten_for_windows(const Core& core) {
  if (!core.has_window) return;
  if (core.outer_aggregate != 0) {
    issues_.error(ast_.span_at(core.outer_aggregate), "misuse of aggregate: `" + text_of(core.outer_aggregate) +
                                                          "`() of a SELECT with window functions, inside a nested SELECT");
  }
  for (ExprId term = core.group_by; term != 0; term = ast_.exprs[term].next) {
    const Expr& expr = ast_.exprs[term];
    if (expr.bind != Bind::Alias) continue;
    ExprId item = ast_.items[expr.bound].expr;
    while (ast_.exprs[item].kind == ExprKind::Collate || ast_.exprs[item].kind == ExprKind::Unary) item = ast_.exprs[item].child;
    if (integer_value(item) || folded_constant(item)) {
      issues_.error(ast_.span(expr), "GROUP BY over a number in a query with window functions; leave the term out");
    }
  }
}

void Resolver::count_terms(ExprId first, std::string_view clause) {
  Index terms = 0;
  for (ExprId term = first; term != 0; term = ast_.exprs[term].next) ++terms;
  if (terms > kMostColumns) issues_.error(ast_.span(ast_.exprs[first]), "too many terms in " + std::string(clause) + ": the database takes 2000");
}

void Resolver::order_by_single(const Query& query, Scope scope) {
  const Core& core = ast_.cores[scope.core];
  scope.aliases = scope.windows = scope.hides_outer = true;
  scope.aggregates = core.grouped || core.has_aggregate;
  for (ExprId term = query.order_by; term != 0; term = ast_.exprs[term].next) {
    if (ordinal(term, core, scope, "ORDER BY")) continue;
    ExprId bare = term;  // parentheses leave no trace; COLLATE does
    while (ast_.exprs[bare].kind == ExprKind::Collate) bare = ast_.exprs[bare].child;
    const Expr& name = ast_.exprs[bare];
    if (name.kind == ExprKind::Column && !name.qualified && bind_to_output_name(bare, core, name_of(name.name))) {
      for (ExprId outer = term; outer != bare; outer = ast_.exprs[outer].child) collation(ast_.exprs[outer]);
      continue;
    }
    expr(term, scope);
  }
}

// A whole ORDER BY term that is a name: first an alias, or a column that `*` put into the output.
bool Resolver::bind_to_output_name(ExprId id, const Core& core, NameId name) {
  if (name == kNoName) return false;
  Index position = 0;
  for (Index i = core.items.first; i < core.items.end(); ++i) {
    const Item& item = ast_.items[i];
    if (!item.star) {
      if (item.alias == name) {
        bind_to_output(id, core, position);
        return true;
      }
      ++position;
      continue;
    }
    const NameId qualifier = item.expr == 0 ? kNoName : name_of(ast_.exprs[item.expr].qualifier);
    for (Index k = core.from.first; k < core.from.end(); ++k) {
      const FromItem& from = ast_.froms[k];
      if (item.expr != 0 && from.name != qualifier) continue;
      for (Index c = 0; c < column_count(from); ++c) {
        if (column_hidden(from, c)) continue;
        if (item.expr == 0 && is_merged(from, column_name(from, c))) continue;
        if (column_name(from, c) == name) {
          bind_to_output(id, core, position);
          return true;
        }
        ++position;
      }
    }
  }
  return false;
}

// Binds a term to the output column at `position` (from 0): a select item, or one column of a `*`.
void Resolver::bind_to_output(ExprId id, const Core& core, Index position) {
  Expr& term = ast_.exprs[id];
  for (Index i = core.items.first; i < core.items.end(); ++i) {
    const Item& item = ast_.items[i];
    if (!item.star) {
      if (position-- > 0) continue;
      term.bind = Bind::Alias;
      term.bound = i;
      window_seen_ |= item.has_window;
      return;
    }
    const NameId qualifier = item.expr == 0 ? kNoName : name_of(ast_.exprs[item.expr].qualifier);
    for (Index k = core.from.first; k < core.from.end(); ++k) {
      const FromItem& from = ast_.froms[k];
      if (item.expr != 0 && from.name != qualifier) continue;
      for (Index c = 0; c < column_count(from); ++c) {
        const NameId name = column_name(from, c);
        if (column_hidden(from, c) || (item.expr == 0 && is_merged(from, name))) continue;
        if (position-- > 0) continue;
        term.bind = Bind::Source;
        term.bound = static_cast<Index>(ast_.sources.size());
        ast_.sources.push_back({k, c});
        for (Index later = k + 1; later < core.from.end() && item.expr == 0; ++later) {
          ColumnIndex column = 0;
          if (is_merged(ast_.froms[later], name) && find_column(ast_.froms[later], name, column)) {
            ast_.sources.push_back({later, column});
          }
        }
        term.bound_count = static_cast<uint16_t>(ast_.sources.size() - term.bound);
        return;
      }
    }
  }
}

// A whole term that is an integer, however signed, parenthesised or collated, names an output column by its place.
bool Resolver::ordinal(ExprId id, const Core& core, const Scope& scope, std::string_view clause) {
  ExprId bare = id;
  while (ast_.exprs[bare].kind == ExprKind::Collate) bare = ast_.exprs[bare].child;
  bool negative = false;
  while (ast_.exprs[bare].kind == ExprKind::Unary &&
         (ast_.exprs[bare].op == Terminal::Minus || ast_.exprs[bare].op == Terminal::Plus)) {
    negative ^= ast_.exprs[bare].op == Terminal::Minus;
    bare = ast_.exprs[bare].child;
  }
  std::optional<int32_t> value = integer_value(bare);
  if (!value && ast_.exprs[bare].kind == ExprKind::Binary && (value = folded_constant(bare))) {
    Scope own = scope;
    dead(ast_.exprs[bare].child, own);
  }
  if (!value) return false;  // a larger number is a constant, no place
  for (ExprId outer = id; outer != bare; outer = ast_.exprs[outer].child) {
    if (ast_.exprs[outer].kind == ExprKind::Collate) collation(ast_.exprs[outer]);
  }
  if (negative || *value < 1 || (core.width_known && static_cast<Index>(*value) > core.width)) {
    issues_.error(ast_.span(ast_.exprs[id]), std::string(clause) + " term out of range: there are " +
                                                 std::to_string(core.width) + " output columns");
    return true;
  }
  bind_to_output(id, core, static_cast<Index>(*value) - 1);
  return true;
}

void Resolver::order_by_compound(const Query& query, const Scope& scope) {
  for (ExprId term = query.order_by; term != 0; term = ast_.exprs[term].next) {
    if (ordinal(term, ast_.cores[query.cores.first], scope, "ORDER BY")) {
      ast_.exprs[term].bind = Bind::None;  // an output column of the whole: its branches have answered for it
      continue;
    }
    for (ExprId outer = term; ast_.exprs[outer].kind == ExprKind::Collate; outer = ast_.exprs[outer].child) {
      collation(ast_.exprs[outer]);
    }
    bool found = false;
    for (Index i = query.cores.first; i < query.cores.end() && !found; ++i) found = matches_output(i, term, scope);
    if (!found) {
      issues_.error(ast_.span(ast_.exprs[term]),
                    "an ORDER BY term after a set operation must be an output column: its name, its alias or its number");
    }
  }
}

bool Resolver::has_query(ExprId id) const {
  const Expr& expr = ast_.exprs[id];
  if (expr.kind == ExprKind::Subquery || expr.kind == ExprKind::Exists || expr.kind == ExprKind::InQuery) return true;
  for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) {
    if (has_query(child)) return true;
  }
  return false;
}

// Whether a term names an output column of this branch, or repeats one of its items word for word.
bool Resolver::matches_output(CoreId id, ExprId term, const Scope& outer) {
  const Core& core = ast_.cores[id];
  ExprId bare = term;
  while (ast_.exprs[bare].kind == ExprKind::Collate) bare = ast_.exprs[bare].child;
  Expr& name = ast_.exprs[bare];
  if (!core.width_known) return true;
  if (name.kind == ExprKind::Column && !name.qualified && bind_to_output_name(bare, core, name_of(name.name))) {
    name.bind = Bind::None;
    return true;
  }
  if (has_query(bare)) return false;
  Scope scope = outer;
  scope.core = id;
  scope.outer = nullptr;
  scope.aliases = scope.aggregates = true;
  const size_t before = issues_.size();
  expr(bare, scope);
  const bool resolved = issues_.size() == before;
  issues_.truncate(before);
  bool found = false;
  for (Index i = core.items.first; i < core.items.end() && resolved && !found; ++i) {
    const Item& item = ast_.items[i];
    if (item.star) {
      // A column that `*` put into the output is there under its own name only; qualified it is looked for here.
      found = name.kind == ExprKind::Column && name.bind == Bind::Source;
    } else {
      ExprId plain = item.expr;
      while (ast_.exprs[plain].kind == ExprKind::Collate) plain = ast_.exprs[plain].child;
      found = same(bare, plain);
    }
  }
  name.bind = Bind::None;
  return found;
}

NameId Resolver::item_name(const Item& item) const {
  if (item.alias != kNoName) return item.alias;
  ExprId id = item.expr;
  while (ast_.exprs[id].kind == ExprKind::Collate) id = ast_.exprs[id].child;
  if (ast_.exprs[id].kind != ExprKind::Column) return kNoName;
  std::string buffer;
  return names_.intern(name_text(ast_.lexemes[ast_.exprs[id].name], ast_.sql, buffer));
}

// Output names of one query are told apart: a repeated `x` becomes `x:1`, then `x:2`.
void Resolver::push_output(NameId name, Index first) {
  const auto taken = [&](NameId candidate) {
    return std::find(ast_.output_names.begin() + first, ast_.output_names.end(), candidate) != ast_.output_names.end();
  };
  if (name != kNoName && taken(name)) {
    std::string stem(names_.text(name));
    const size_t colon = stem.find_last_not_of("0123456789");
    if (colon != std::string::npos && stem[colon] == ':' && colon + 1 < stem.size()) stem.resize(colon);
    for (int n = 1; taken(name); ++n) name = names_.intern(stem + ":" + std::to_string(n));
  }
  ast_.output_names.push_back(name);
}

void Resolver::output_names(Query& query) {
  const Core& core = ast_.cores[query.cores.first];
  const auto first = static_cast<Index>(ast_.output_names.size());
  query.outputs = {first, 0};
  query.outputs_known = core.width_known;
  if (core.width > kMostColumns) return;
  for (Index i = core.items.first; i < core.items.end(); ++i) {
    const Item& item = ast_.items[i];
    if (!item.star) {
      push_output(item_name(item), first);
      continue;
    }
    const NameId qualifier = item.expr == 0 ? kNoName : name_of(ast_.exprs[item.expr].qualifier);
    for (Index k = core.from.first; k < core.from.end(); ++k) {
      const FromItem& from = ast_.froms[k];
      if (item.expr != 0 && from.name != qualifier) continue;
      for (Index c = 0; c < column_count(from); ++c) {
        const NameId name = column_name(from, c);
        if (column_hidden(from, c) || (item.expr == 0 && is_merged(from, name))) continue;
        push_output(name, first);
      }
    }
  }
  query.outputs.count = static_cast<Index>(ast_.output_names.size()) - first;
}

}  // namespace pccsql::check
