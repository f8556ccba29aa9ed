// Queries: WITH, the branches of a set operation, the clauses of each in SQLite's order, LIMIT, output names.
#include <algorithm>

#include "base/text.h"
#include "check/resolver.h"

namespace pccsql::check {
namespace {

constexpr Index kMostBranches = 500;  // SQLite's limit on terms of a compound SELECT
constexpr int kDeepestSelect = 62;    // depths are bits of a word; the parser's stack ends long before

}  // namespace

void Resolver::run() {
  references_ = aggregate_owners_ = 0;
  window_seen_ = false;
  free_names_.clear();
  query(1, nullptr, nullptr, 0);
  merged_joins();
  pushed_conditions();
}

// SQLite pushes a condition from around a derived table into it, as HAVING where it aggregates. If all its aggregates stand
// inside OVER it then finds a HAVING on a query that does not aggregate. It pushes past windows only where they have
// PARTITION BY; which conditions it pushes hangs on many things, so any WHERE or ON counts.
void Resolver::pushed_conditions() {
  std::vector<bool> under_condition(ast_.cores.size(), false);
  std::vector<CoreId> open;
  for (CoreId id = 1; id < ast_.cores.size(); ++id) {
    const Core& core = ast_.cores[id];
    bool condition = core.where != 0;
    for (Index i = core.from.first; i < core.from.end(); ++i) condition |= ast_.froms[i].on != 0;
    if (condition) open.push_back(id);
  }
  while (!open.empty()) {
    const Core& core = ast_.cores[open.back()];
    open.pop_back();
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      const Query& body = ast_.queries[ast_.froms[i].body];
      if (body.cores.count != 1 || under_condition[body.cores.first]) continue;
      under_condition[body.cores.first] = true;
      open.push_back(body.cores.first);
    }
  }
  for (CoreId id = 1; id < ast_.cores.size(); ++id) {
    const Core& core = ast_.cores[id];
    if (!under_condition[id] || !core.window_aggregate || !core.partitioned) continue;
    if (core.grouped || core.has_aggregate) continue;
    issues_.error(ast_.span_at(core.lexeme),
                  "aggregates only inside OVER, with PARTITION BY, in a derived table with a WHERE or ON around it: the "
                  "database may take the condition for a HAVING; add GROUP BY, or show the aggregate as well");
  }
}

// SQLite merges a UNION ALL of FROM into the query around it by copying that query once per branch, and the copies lose
// which join a condition belongs to. Next to RIGHT or FULL, which may come from anywhere else that is merged, it then
// takes the condition for one that looks to its right. What is merged hangs on details of every SELECT involved, so the
// three are refused together wherever they stand.
void Resolver::merged_joins() {
  bool union_all = false;
  Index outer = 0;
  bool condition = false;
  for (QueryId id = 2; id < ast_.queries.size(); ++id) {  // the statement itself is merged into nothing
    const Range cores = ast_.queries[id].cores;
    for (Index i = cores.first + 1; i < cores.end(); ++i) {
      union_all |= ast_.lexemes[ast_.cores[i].lexeme - 1].terminal == Terminal::kw_ALL;
    }
  }
  for (Index i = 1; i < ast_.froms.size(); ++i) {
    const FromItem& item = ast_.froms[i];
    const bool view = item.kind == SourceKind::Table && catalog_.table(item.table).kind == TableKind::View;
    union_all |= view && catalog_.view_bodies().union_all;
    if (item.join == JoinKind::Right || item.join == JoinKind::Full || (view && catalog_.view_bodies().outer_join)) {
      outer = i;
    } else {
      condition |= item.natural || item.has_using || item.on != 0;
    }
    condition |= view;
  }
  if (!union_all || outer == 0 || !condition) return;
  const FromItem& item = ast_.froms[outer];
  issues_.error(
      ast_.span_at(item.join == JoinKind::First ? item.lexeme : item.join_lexeme),
      "RIGHT or FULL JOIN together with a nested UNION ALL and the condition of another join: SQLite may take "
      "the condition for one on a table to its right; write UNION, or LEFT JOIN");
}

void Resolver::query(QueryId id, const Scope* outer, const WithFrame* with, Index cte, bool derived) {
  Query& query = ast_.queries[id];
  if (query.cores.count == 0 || !work_.spend(8)) return;  // nested too deeply to have been built
  const bool outer_window = window_seen_;  // a nested query's windows are its own
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
  for (Index i = query.cores.first; i < query.cores.end(); ++i) {
    unused_windows(i, scope);
    rewritten_for_windows(ast_.cores[i]);
  }
  Scope nothing;  // LIMIT sees no column at all
  nothing.with = with;
  nothing.depth = scope.depth;
  list(query.limit, nothing);
  output_names(query);
  window_seen_ = outer_window;
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
      for (Index k = outer->ctes.first; k < outer->ctes.end() && work_.spend(1); ++k) {
        if (ast_.ctes[k].name == cte.name) {
          issues_.outside(where, "the WITH table `" + text + "` has the name of an enclosing one; give it another");
        }
      }
    }
    // A body sees nothing of what is around it, and what it names is no reference of the SELECT it stands in.
    const uint64_t references = references_;
    const uint64_t owners = aggregate_owners_;
    this->query(cte.query, nullptr, &frame, i);
    references_ = references;
    aggregate_owners_ = owners;
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
  Core& core = ast_.cores[id];  // may be resolved again, inside a named window
  core.has_aggregate = core.window_aggregate = core.has_window = core.partitioned = false;
  core.outer_aggregate = core.width = 0;
  core.passes_aggregate = false;
  core.width_known = true;
  for (Index w = core.windows.first; w < core.windows.end(); ++w) ast_.windows[w].in_items = ast_.windows[w].in_order = false;
  from(id, scope);

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
    const uint32_t nested_before = std::exchange(core.outer_aggregate, 0);
    const uint64_t outer_owners = std::exchange(aggregate_owners_, 0);
    expr(item.expr, scope);
    item.outer_aggregate = (aggregate_owners_ & ((uint64_t{1} << scope.depth) - 1)) != 0;
    aggregate_owners_ |= outer_owners;
    item.nested_aggregate = core.outer_aggregate != 0;
    if (core.outer_aggregate == 0) core.outer_aggregate = nested_before;
    item.references = references_ & ((uint64_t{2} << scope.depth) - 1);  // those of SELECTs nested in it are its own
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
      issues_.error(ast_.span(ast_.exprs[core.having]),
                    "HAVING clause on a query that does not aggregate; use WHERE, or add GROUP BY");
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
    const Item* item = ast_.exprs[term].bind == Bind::Alias ? &ast_.items[ast_.exprs[term].bound] : nullptr;
    if (item != nullptr && (item->has_aggregate || item->outer_aggregate)) {
      issues_.error(ast_.span(ast_.exprs[term]), "aggregate functions are not allowed in the GROUP BY clause");
    }
    if (item != nullptr && item->has_window) {
      issues_.error(ast_.span(ast_.exprs[term]), "window functions are not allowed in the GROUP BY clause");
    }
  }
  scope.aliases = scope.aggregates = false;
}

// What no OVER refers to the database does not look at; the definition does.
void Resolver::unused_windows(CoreId id, Scope scope) {
  const Core& core = ast_.cores[id];
  scope.core = id;
  scope.aggregates = true;
  for (Index w = core.windows.first; w < core.windows.end(); ++w) {
    if (!ast_.windows[w].resolved) unseen(scope, [&] { window(w, scope, id); });
  }
}

NameId Resolver::item_name(const Item& item) const {
  if (item.alias != kNoName) return item.alias;
  ExprId id = item.expr;
  while (ast_.exprs[id].kind == ExprKind::Collate) id = ast_.exprs[id].child;
  if (ast_.exprs[id].kind != ExprKind::Column) return kNoName;
  std::string buffer;
  return names_.intern(name_text(ast_.lexemes[ast_.exprs[id].name], ast_.sql, buffer));
}

// Output names of one query are told apart: a repeated `x` becomes `x:1`, then `x:2`; after four of them SQLite draws
// lots, and the name is none that anything may use.
void Resolver::push_output(NameId name, Index first) {
  const auto taken = [&](NameId candidate) {
    work_.spend(ast_.output_names.size() - first);
    return std::find(ast_.output_names.begin() + first, ast_.output_names.end(), candidate) != ast_.output_names.end();
  };
  // An output called TRUE or FALSE gets a name of the database's own.
  if (name != kNoName && (names_.text(name) == "true" || names_.text(name) == "false")) name = kNoName;
  if (name != kNoName && taken(name)) {
    std::string stem(names_.text(name));
    const size_t colon = stem.find_last_not_of("0123456789");
    if (colon != std::string::npos && stem[colon] == ':' && colon + 1 < stem.size()) stem.resize(colon);
    for (int n = 1; name != kNoName && taken(name); ++n) {
      name = n <= 4 ? names_.intern(stem + ":" + std::to_string(n)) : kNoName;
    }
  }
  ast_.output_names.push_back(name);
}

void Resolver::output_names(Query& query) {
  const Core& core = ast_.cores[query.cores.first];
  const auto first = static_cast<Index>(ast_.output_names.size());
  query.outputs = {first, 0};
  query.outputs_known = core.width_known;
  if (core.width > kMostColumns) return;
  each_output(core, [&](const Output& output) {
    push_output(output.from == 0 ? item_name(ast_.items[output.item]) : output.name, first);
    return false;
  });
  query.outputs.count = static_cast<Index>(ast_.output_names.size()) - first;
}

}  // namespace pccsql::check
