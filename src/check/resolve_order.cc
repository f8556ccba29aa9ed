// ORDER BY and GROUP BY terms that are not what they look like: ordinals, output names, terms after a set operation.
#include "base/text.h"
#include "check/resolver.h"

namespace pccsql::check {

// To compute windows SQLite moves FROM … HAVING into a query of its own. There a GROUP BY term that stands for the number
// 3 is read again as the third column, and an aggregate in a nested SELECT no longer finds the rows it aggregates.
void Resolver::rewritten_for_windows(const Core& core) {
  if (!core.has_window) return;
  if (core.outer_aggregate != 0) {
    issues_.error(ast_.span_at(core.outer_aggregate),
                  "misuse of aggregate: `" + text_of(core.outer_aggregate) +
                      "`() of a SELECT with window functions, inside a nested SELECT");
  }
  for (ExprId term = core.group_by; term != 0; term = ast_.exprs[term].next) {
    if (comes_to_integer(term, core, false)) {
      issues_.error(ast_.span(ast_.exprs[term]),
                    "GROUP BY over a number in a query with window functions; leave the term out");
    }
  }
}

// Whether a GROUP BY term is an integer once names are replaced by what they stand for. Signs and COLLATE
// do not change that. `named`: an alias or ordinal led here, perhaps from one SELECT to the next; a
// column of an enclosing SELECT's derived table, WITH table or view may by then have been replaced by a number as well.
bool Resolver::comes_to_integer(ExprId id, const Core& core, bool named) const {
  while (true) {
    const Expr& expr = ast_.exprs[id];
    if (expr.bind == Bind::Alias) {
      id = ast_.items[expr.bound].expr;
      named = true;
    } else if (expr.kind == ExprKind::Collate || (expr.kind == ExprKind::Unary && is_sign(expr.op))) {
      id = expr.child;
    } else if (expr.bind == Bind::Source) {
      const SourceColumn& source = ast_.sources[expr.bound];
      const FromItem& from = ast_.froms[source.from];
      const bool enclosing = source.from < core.from.first || source.from >= core.from.end();
      return named && enclosing &&
             (from.kind == SourceKind::Derived || catalog_.table(from.table).kind == TableKind::View);
    } else {
      return named && (integer_value(id) || folded_constant(id));
    }
  }
}

void Resolver::count_terms(ExprId first, std::string_view clause) {
  Index terms = 0;
  for (ExprId term = first; term != 0; term = ast_.exprs[term].next) ++terms;
  if (terms > kMostColumns)
    issues_.error(ast_.span(ast_.exprs[first]),
                  "too many terms in " + std::string(clause) + ": the database takes 2000");
}

void Resolver::order_by_single(const Query& query, Scope scope) {
  const Core& core = ast_.cores[scope.core];
  scope.aliases = scope.windows = scope.hides_outer = true;
  scope.aggregates = core.grouped || core.has_aggregate || core.window_aggregate;
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
  bool found = false;
  each_output(core, [&](const Output& output) {
    found = name != kNoName && output.name == name;
    if (found) bind_to_output(ast_.exprs[id], core, output);
    return found;
  });
  return found;
}

// The place, from 1, of the first output column with this name; 0: none.
Index Resolver::place_of_output_name(const Core& core, NameId name) const {
  Index place = 0;
  bool found = false;
  if (name == kNoName) return 0;
  each_output(core, [&](const Output& output) {
    ++place;
    return found = output.name == name;
  });
  return found ? place : 0;
}

void Resolver::bind_to_output(Expr& term, const Core& core, const Output& output) {
  if (output.from == 0) {
    term.bind = Bind::Alias;
    term.bound = output.item;
    window_seen_ |= ast_.items[output.item].has_window;
    return;
  }
  term.bind = Bind::Source;
  term.bound = static_cast<Index>(ast_.sources.size());
  ast_.sources.push_back({output.from, output.column});
  // A merged column reaches every column it is merged with, on either side, in `t.*` as well.
  bool merged = false;
  for (Index i = output.from; i < core.from.end(); ++i) merged |= is_merged(ast_.froms[i], output.name);
  for (Index i = core.from.first; i < core.from.end() && merged; ++i) {
    ColumnIndex column = 0;
    if (i != output.from && find_column(ast_.froms[i], output.name, column)) ast_.sources.push_back({i, column});
  }
  term.bound_count = static_cast<uint16_t>(ast_.sources.size() - term.bound);
}

// A whole term that is an integer, however signed, parenthesised or collated, names an output column by its place. Gives
// the place, 0 for one that there is not, and nothing for other terms.
std::optional<Index> Resolver::ordinal_place(ExprId id, const Core& core, const Scope& scope, std::string_view clause) {
  ExprId bare = id;
  while (ast_.exprs[bare].kind == ExprKind::Collate) bare = ast_.exprs[bare].child;
  bool negative = false;
  while (ast_.exprs[bare].kind == ExprKind::Unary && is_sign(ast_.exprs[bare].op)) {
    negative ^= ast_.exprs[bare].op == Terminal::Minus;
    bare = ast_.exprs[bare].child;
  }
  std::optional<int32_t> value = integer_value(bare);
  if (!value && ast_.exprs[bare].kind == ExprKind::Binary && (value = folded_constant(bare))) {
    Scope own = scope;
    dead(ast_.exprs[bare].child, own);
  }
  if (!value) return std::nullopt;  // a larger number is a constant, no place
  for (ExprId outer = id; outer != bare; outer = ast_.exprs[outer].child) {
    if (ast_.exprs[outer].kind == ExprKind::Collate) collation(ast_.exprs[outer]);
  }
  if (negative || *value < 1 || (core.width_known && static_cast<Index>(*value) > core.width)) {
    issues_.error(ast_.span(ast_.exprs[id]), std::string(clause) + " term out of range: there are " +
                                                 std::to_string(core.width) + " output columns");
    return 0;
  }
  return static_cast<Index>(*value);
}

bool Resolver::ordinal(ExprId id, const Core& core, const Scope& scope, std::string_view clause) {
  const auto place = ordinal_place(id, core, scope, clause);
  if (!place) return false;
  Index at = 0;
  each_output(core, [&](const Output& output) {
    if (++at < *place || *place == 0) return false;
    bind_to_output(ast_.exprs[id], core, output);
    return true;
  });
  return true;
}

void Resolver::order_by_compound(Query& query, const Scope& scope) {
  std::vector<BranchTerm> terms;
  for (ExprId term = query.order_by; term != 0; term = ast_.exprs[term].next) {
    if (const auto place = ordinal_place(term, ast_.cores[query.cores.first], scope, "ORDER BY")) {
      collated_compound(query, term);
      terms.push_back({term, *place});
      continue;
    }
    for (ExprId outer = term; ast_.exprs[outer].kind == ExprKind::Collate; outer = ast_.exprs[outer].child) {
      collation(ast_.exprs[outer]);
    }
    collated_compound(query, term);
    std::optional<Index> place;
    for (Index i = query.cores.first; i < query.cores.end() && !place; ++i) place = matching_output(i, term, scope);
    if (!place) {
      issues_.error(
          ast_.span(ast_.exprs[term]),
          "an ORDER BY term after a set operation must be an output column: its name, its alias or its number");
    }
    terms.push_back({term, place.value_or(0)});
  }
  order_branches(query, terms);
}

// What a term orders by is an item of every branch.
void Resolver::order_branches(Query& query, const std::vector<BranchTerm>& terms) {
  query.branch_order = {static_cast<Index>(ast_.branch_terms.size()), 0};
  for (Index i = query.cores.first; i < query.cores.end(); ++i) {
    const Core& core = ast_.cores[i];
    std::vector<Output> outputs;
    each_output(core, [&](const Output& output) {
      outputs.push_back(output);
      return outputs.size() >= kMostColumns;
    });
    for (const BranchTerm& term : terms) {
      if (term.place == 0 || term.place > outputs.size() || !work_.spend(64)) continue;
      Expr item;
      item.kind = ExprKind::Column;
      item.first = ast_.exprs[term.expr].first;
      item.last = ast_.exprs[term.expr].last;
      item.core = i;
      bind_to_output(item, core, outputs[term.place - 1]);
      ast_.branch_terms.push_back(item);
      ++query.branch_order.count;
    }
  }
}

// If a term has COLLATE, and not all is UNION ALL, the database wraps the set operation in a SELECT of its own, to which
// it applies GROUP BY and HAVING of the last branch.
void Resolver::collated_compound(const Query& query, ExprId term) {
  const Core& last = ast_.cores[query.cores.end() - 1];
  bool wrapped = false;
  for (Index i = query.cores.first + 1; i < query.cores.end(); ++i) {
    wrapped |= ast_.lexemes[ast_.cores[i].lexeme - 1].terminal != Terminal::kw_ALL;
  }
  if (!wrapped || !has_collate(term)) return;
  for (Index i = query.cores.first; i < query.cores.end() && work_.spend(1); ++i) {
    const Core& branch = ast_.cores[i];
    bool passes = branch.passes_aggregate;
    for (Index k = branch.items.first; k < branch.items.end(); ++k) passes |= ast_.items[k].outer_aggregate;
    if (!passes) continue;
    return issues_.error(ast_.span(ast_.exprs[term]),
                         "COLLATE in ORDER BY after a set operation, a branch of which holds an aggregate of an enclosing "
                         "SELECT: the database no longer finds its rows; leave COLLATE out");
  }
  if (last.group_by == 0 && last.having == 0) return;
  issues_.error(
      ast_.span(ast_.exprs[term]),
      "COLLATE in ORDER BY after a set operation whose last SELECT has GROUP BY or HAVING: the database misreads "
      "it; leave COLLATE out");
}

bool Resolver::has_collate(ExprId id) const {
  const Expr& expr = ast_.exprs[id];
  if (!work_.spend(1)) return false;
  if (expr.kind == ExprKind::Collate) return true;
  for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) {
    if (has_collate(child)) return true;
  }
  return false;
}

bool Resolver::has_query(ExprId id) const {
  const Expr& expr = ast_.exprs[id];
  if (!work_.spend(1)) return false;
  if (expr.kind == ExprKind::Subquery || expr.kind == ExprKind::Exists || expr.kind == ExprKind::InQuery) return true;
  for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) {
    if (has_query(child)) return true;
  }
  return false;
}

// The output column of this branch that a term names, or whose item it repeats word for word; from 1, 0 where the branch's
// columns are not known.
std::optional<Index> Resolver::matching_output(CoreId id, ExprId term, const Scope& outer) {
  const Core& core = ast_.cores[id];
  if (!core.width_known || !work_.spend(128)) return 0;
  ExprId bare = term;
  while (ast_.exprs[bare].kind == ExprKind::Collate) bare = ast_.exprs[bare].child;
  const Expr name = ast_.exprs[bare];
  if (name.kind == ExprKind::Column && !name.qualified) {
    if (const Index place = place_of_output_name(core, name_of(name.name)); place != 0) return place;
  }
  // rowid is no output's name, and what it would be of each branch is not for ORDER BY to find out.
  if (name.kind == ExprKind::Column && is_rowid(names_.text(name_of(name.name)))) return std::nullopt;
  if (has_query(bare)) return std::nullopt;
  Scope scope = outer;
  scope.core = id;
  scope.outer = nullptr;
  scope.aliases = scope.aggregates = true;
  const size_t before = issues_.size();
  const size_t free_before = free_names_.size();  // of a WITH body: what is only tried here is no name that it uses
  expr(bare, scope);
  const bool resolved = issues_.size() == before && free_names_.size() == free_before;
  issues_.truncate(before);
  free_names_.resize(free_before);
  Index place = 0;
  bool found = false;
  if (resolved) {
    each_output(core, [&](const Output& output) {
      ++place;
      if (output.from == 0) {
        ExprId plain = ast_.items[output.item].expr;
        while (ast_.exprs[plain].kind == ExprKind::Collate) plain = ast_.exprs[plain].child;
        return found = same(bare, plain);
      }
      const Expr& column = ast_.exprs[bare];
      if (column.kind != ExprKind::Column || column.bind != Bind::Source) return false;
      return found = value_of(column) == value_of(core, output);
    });
  }
  ast_.exprs[bare].bind = Bind::None;
  return found ? std::optional<Index>(place) : std::nullopt;
}

// What a column's name stands for: itself, or of the columns that USING or NATURAL merges into an unqualified name the left
// one; a RIGHT join makes it the right one, and FULL the first of them that is not NULL.
std::vector<SourceColumn> Resolver::value_of(const Expr& column) const {
  std::vector<SourceColumn> value;
  for (Index i = column.bound; i < column.bound + column.bound_count; ++i) {
    const SourceColumn& source = ast_.sources[i];
    const JoinKind join = ast_.froms[source.from].join;
    if (!value.empty() && join != JoinKind::Right && join != JoinKind::Full) continue;
    if (join == JoinKind::Right) value.clear();
    value.push_back(source);
  }
  return value;
}

// The same for a column of `*` and `t.*`: to the left of a RIGHT or FULL join the database writes the bare name there.
std::vector<SourceColumn> Resolver::value_of(const Core& core, const Output& output) const {
  bool merged_right = false;
  for (Index i = output.from + 1; i < core.from.end(); ++i) merged_right |= is_merged(ast_.froms[i], output.name);
  if (!merged_right || !outer_join_right_of(core, output.from)) return {{output.from, output.column}};
  std::vector<SourceColumn> value;
  for (Index i = core.from.first; i < core.from.end(); ++i) {
    ColumnIndex found = 0;
    if (!find_column(ast_.froms[i], output.name, found)) continue;
    const JoinKind join = ast_.froms[i].join;
    if (!value.empty() && join != JoinKind::Right && join != JoinKind::Full) continue;
    if (join == JoinKind::Right) value.clear();
    value.push_back({i, found});
  }
  return value;
}

// Whether two resolved expressions are the same, as the database compares an ORDER BY term with an output column. Keywords
// apart it compares what is written letter by letter; what it may find equal beyond that does not matter here.
bool Resolver::same(ExprId a, ExprId b) const {
  if (!work_.spend(4)) return false;
  const Expr& x = ast_.exprs[a];
  const Expr& y = ast_.exprs[b];
  if (x.kind != y.kind || x.op != y.op || x.bind != y.bind || x.negated != y.negated) return false;
  if (x.has_operand != y.has_operand || x.has_else != y.has_else) return false;
  switch (x.kind) {
    case ExprKind::Subquery:
    case ExprKind::Exists:
    case ExprKind::InQuery:
    case ExprKind::Outside:
      return false;
    case ExprKind::Column:
      if (x.bind == Bind::Source) return x.core == y.core && value_of(x) == value_of(y);
      if (x.bind == Bind::Alias) return x.bound == y.bound;
      return ast_.span(x).of(ast_.sql) == ast_.span(y).of(ast_.sql);
    case ExprKind::Literal:
      return x.op == Terminal::kw_NULL || ast_.span(x).of(ast_.sql) == ast_.span(y).of(ast_.sql);
    case ExprKind::Cast:
      if (type_of(x) != type_of(y)) return false;
      break;
    case ExprKind::Call: {
      const Call& f = ast_.calls[x.data];
      const Call& g = ast_.calls[y.data];
      if (f.function != g.function || f.distinct != g.distinct || f.star != g.star) return false;
      if (f.window != 0 || g.window != 0 || (f.filter != 0) != (g.filter != 0)) return false;
      if (f.filter != 0 && !same(f.filter, g.filter)) return false;
      break;
    }
    default:
      break;
  }
  ExprId c = x.child;
  ExprId d = y.child;
  for (; c != 0 && d != 0; c = ast_.exprs[c].next, d = ast_.exprs[d].next) {
    if (!same(c, d)) return false;
  }
  return c == 0 && d == 0;
}

// The type that a CAST names, as written: what follows its operand and AS.
std::string_view Resolver::type_of(const Expr& cast) const {
  uint32_t as = cast.last - 1;
  while (ast_.lexemes[as].terminal != Terminal::kw_AS) --as;
  return ast_.span(as + 1, cast.last - 1).of(ast_.sql);
}

}  // namespace pccsql::check
