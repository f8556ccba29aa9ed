// One name: innermost scope first; in each the FROM, then rowid, then the select aliases; last a string, TRUE or FALSE.
#include <algorithm>
#include <bit>

#include "base/text.h"
#include "check/resolver.h"

namespace pccsql::check {

bool is_rowid(std::string_view folded_name) {
  return folded_name == "rowid" || folded_name == "oid" || folded_name == "_rowid_";
}

NameId Resolver::name_of(uint32_t lexeme) { return names_.find(name_text(ast_.lexemes[lexeme], ast_.sql, buffer_)); }

std::string Resolver::text_of(uint32_t lexeme) {
  return std::string(name_text(ast_.lexemes[lexeme], ast_.sql, buffer_));
}

// A named window that both the select list and ORDER BY use is resolved for each, and a name in it may mean a column of an
// enclosing SELECT for the one and a string, or an alias, for the other. Both are read; what is kept is the column.
void Resolver::column(ExprId id, const Scope& scope) {
  const Expr before = ast_.exprs[id];
  bind_column(id, scope);
  Expr& expr = ast_.exprs[id];
  if (!window_again_ || (before.bind != Bind::Source && before.bind != Bind::Alias)) return;
  if (expr.bind == Bind::String || expr.bind == Bind::Boolean) {
    expr.bind = before.bind;
    expr.core = before.core;
    expr.bound = before.bound;
    expr.bound_count = before.bound_count;
    return;
  }
  bool same = expr.bind == before.bind && expr.core == before.core;
  if (same && expr.bind == Bind::Alias) same = expr.bound == before.bound;
  if (same && expr.bind == Bind::Source) {
    same = expr.bound_count == before.bound_count &&
           std::equal(&ast_.sources[expr.bound], &ast_.sources[expr.bound] + expr.bound_count,
                      &ast_.sources[before.bound]);
  }
  if (same || expr.bind == Bind::None) return;
  issues_.outside(ast_.span(expr), "`" + text_of(expr.name) +
                                       "` in a named window means one thing in the select list and another in ORDER BY; "
                                       "write the window out after OVER");
}

void Resolver::bind_column(ExprId id, const Scope& scope) {
  Expr& expr = ast_.exprs[id];
  const NameId name = name_of(expr.name);
  const NameId qualifier = expr.qualified ? name_of(expr.qualifier) : kNoName;
  if (!expr.qualified || qualifier != kNoName) {
    if (look_up(expr, qualifier, name, scope) != Found::No) return;
  }
  work_.spend(256);  // for what is said of it
  const std::string text = text_of(expr.name);
  const Scope* last = &scope;
  while (last->outer != nullptr && !last->hides_outer) last = last->outer;
  const bool in_cte = last->cte != 0 && !last->hides_outer;
  if (!expr.qualified && ast_.lexemes[expr.name].quote == Quote::Double) {
    expr.bind = Bind::String;
    if (in_cte) {
      issues_.outside(ast_.span(expr), "`\"" + text +
                                           "\"` in the body of a WITH table names no column of that body's FROM;"
                                           " write a string in single quotes");
    }
    return;
  }
  const bool boolean = !expr.qualified && ast_.lexemes[expr.name].quote == Quote::None &&
                       (equal_folded(text, "true") || equal_folded(text, "false"));
  if (boolean) {
    expr.bind = Bind::Boolean;
    if (in_cte && name != kNoName)
      issues_.outside(ast_.span(expr), "`" + text + "` could be a column where the WITH table is used");
    return;
  }
  if (any_unknown_source(scope)) return;
  const std::string shown = expr.qualified ? text_of(expr.qualifier) + "." + text : text;
  if (in_cte) {
    free_names_.push_back({last->cte, id, qualifier, name});
    issues_.outside(
        ast_.span(expr),
        "`" + shown + "` is not bound by the FROM of the WITH table's own body; a body sees no enclosing column");
    return;
  }
  issues_.error(ast_.span(expr), "no such column: `" + shown + "`" + suggestion(text, scope));
}

Resolver::Found Resolver::look_up(Expr& expr, NameId qualifier, NameId name, const Scope& scope) {
  for (const Scope* at = &scope; at != nullptr; at = at->hides_outer ? nullptr : at->outer) {
    if (at->core == 0) continue;
    Found found = look_in_from(expr, qualifier, name, *at);
    if (found == Found::No && is_rowid(names_.text(name))) found = look_for_rowid(expr, qualifier, *at);
    if (found == Found::No && qualifier == kNoName && at->aliases) found = look_in_aliases(expr, name, *at, scope);
    if (found != Found::No) return found;
  }
  return Found::No;
}

Resolver::Found Resolver::look_in_from(Expr& expr, NameId qualifier, NameId name, const Scope& scope) {
  if (name == kNoName) return Found::No;
  const Core& core = ast_.cores[scope.core];
  const auto first = static_cast<Index>(ast_.sources.size());
  int groups = 0;  // columns merged by USING count as one
  for (Index i = core.from.first; i < core.from.end(); ++i) {
    const FromItem& item = ast_.froms[i];
    if (qualifier != kNoName && item.name != qualifier) continue;
    ColumnIndex column = 0;
    if (!find_column(item, name, column)) continue;
    if (groups == 0 || qualifier != kNoName || !is_merged(item, name)) ++groups;
    ast_.sources.push_back({i, column});
  }
  if (groups == 0) return Found::No;
  if (groups > 1) {
    ast_.sources.resize(first);
    issues_.error(ast_.span(expr), "ambiguous column name: `" + std::string(ast_.span(expr).of(ast_.sql)) +
                                       "`; put the table's name or alias before it");
    return Found::Failed;
  }
  expr.bind = Bind::Source;
  expr.core = scope.core;
  expr.bound = first;
  expr.bound_count = static_cast<uint16_t>(ast_.sources.size() - first);
  references_ |= uint64_t{1} << scope.depth;
  // With RIGHT and FULL a merged column is made of both sides, with the other joins it is the left one.
  bool to_the_right = false;
  for (Index s = first; s < ast_.sources.size() && scope.on_item != 0; ++s) {
    const FromItem& item = ast_.froms[ast_.sources[s].from];
    const bool both = item.join == JoinKind::Right || item.join == JoinKind::Full;
    to_the_right |= ast_.sources[s].from > scope.on_item && (s == first || both);
  }
  if (to_the_right) {
    issues_.error(ast_.span(expr), "ON refers to `" + std::string(ast_.span(expr).of(ast_.sql)) +
                                       "` of a table to its right; name only tables that stand before it");
  }
  return Found::Yes;
}

// rowid is never passed outward: a SELECT with a table that could have one settles it.
Resolver::Found Resolver::look_for_rowid(Expr& expr, NameId qualifier, const Scope& scope) {
  const Core& core = ast_.cores[scope.core];
  Index candidates = 0;
  Index match = 0;
  for (Index i = core.from.first; i < core.from.end(); ++i) {
    if (qualifier != kNoName && ast_.froms[i].name != qualifier) continue;
    ++candidates;
    match = i;
  }
  if (candidates == 0) return Found::No;
  const std::string shown(ast_.span(expr).of(ast_.sql));
  const FromItem& item = ast_.froms[match];
  if (candidates > 1) {
    issues_.error(ast_.span(expr), "`" + shown + "` could belong to several tables; name the column itself");
  } else if (item.kind == SourceKind::Unknown) {
    return Found::Failed;
  } else if (item.kind == SourceKind::Derived || catalog_.table(item.table).kind == TableKind::View ||
             catalog_.table(item.table).without_rowid) {
    issues_.error(ast_.span(expr), "no such column: `" + shown + "`; what it is asked of has no rowid");
  } else if (!catalog_.table(item.table).integer_primary_key) {
    if (!is_added(ast_.span(expr))) {
      issues_.outside(
          ast_.span(expr),
          "`" + shown + "` of a table without an INTEGER PRIMARY KEY stands for no column that has a policy");
    }
  } else {
    expr.bind = Bind::Source;
    expr.core = scope.core;
    expr.bound = static_cast<Index>(ast_.sources.size());
    expr.bound_count = 1;
    ast_.sources.push_back({match, *catalog_.table(item.table).integer_primary_key});
    references_ |= uint64_t{1} << scope.depth;
    if (scope.on_item != 0 && match > scope.on_item) {
      issues_.error(ast_.span(expr), "ON refers to `" + shown + "` of a table to its right");
    }
    return Found::Yes;
  }
  return Found::Failed;
}

Resolver::Found Resolver::look_in_aliases(Expr& expr, NameId name, const Scope& at, const Scope& scope) {
  if (name == kNoName) return Found::No;
  const Core& core = ast_.cores[at.core];
  work_.spend(core.items.count);
  for (Index i = core.items.first; i < core.items.end(); ++i) {
    const Item& item = ast_.items[i];
    if (item.alias != name) continue;
    const std::string shown(ast_.span(expr).of(ast_.sql));
    if ((item.has_aggregate || item.outer_aggregate) && !at.aggregates) {
      issues_.error(ast_.span(expr),
                    "misuse of aliased aggregate `" + shown + "`: it may stand in HAVING and ORDER BY");
      return Found::Failed;
    }
    if (item.has_aggregate && aggregate_is_out_of_reach(item, at, scope)) {
      issues_.error(ast_.span(expr), "misuse of aggregate: `" + shown +
                                         "` stands for one, and the database does not find its rows from here");
      return Found::Failed;
    }
    if (item.has_window && (!at.windows || &at != &scope)) {
      issues_.error(ast_.span(expr), "misuse of aliased window function `" + shown + "`: it may stand in ORDER BY");
      return Found::Failed;
    }
    if (width(item.expr) > 1) {
      issues_.error(ast_.span(expr), "row value misused: `" + shown + "` stands for several values");
      return Found::Failed;
    }
    if (at.on_item != 0 && reaches_right_of(item.expr, at.core, at.on_item)) {
      issues_.error(ast_.span(expr), "ON refers through `" + shown + "` to a table to its right");
    }
    expr.bind = Bind::Alias;
    expr.core = at.core;
    expr.bound = i;
    references_ |= item.references;
    if (item.has_aggregate) aggregate_owners_ |= uint64_t{1} << at.depth;
    if (item.has_aggregate && &at != &scope) ast_.cores[at.core].outer_aggregate = expr.name;
    if (item.has_aggregate || item.outer_aggregate) {
      for (const Scope* inner = &scope; inner != &at; inner = inner->outer) ast_.cores[inner->core].passes_aggregate = true;
    }
    window_seen_ |= item.has_window;
    return Found::Yes;
  }
  return Found::No;
}

// The alias of an aggregate is copied to where it is used. In a derived table the copy no longer belongs to the SELECT
// whose alias it is; nor does an aggregate that stands in a SELECT nested in the item, if the alias is used in another.
bool Resolver::aggregate_is_out_of_reach(const Item& item, const Scope& at, const Scope& scope) const {
  if (item.nested_aggregate && &at != &scope) return true;
  for (const Scope* inner = &scope; inner != &at; inner = inner->outer) {
    if (inner->derived) return true;
  }
  return false;
}

// Whether an expression names a column of `core`'s FROM that stands to the right of `item`.
bool Resolver::reaches_right_of(ExprId id, CoreId core, Index item) const {
  const Expr& expr = ast_.exprs[id];
  if (!work_.spend(1)) return false;
  if (expr.bind == Bind::Source && expr.core == core && ast_.sources[expr.bound].from > item) return true;
  for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) {
    if (reaches_right_of(child, core, item)) return true;
  }
  return false;
}

// After a table that could not be resolved, names that may be its columns are not called unknown.
bool Resolver::any_unknown_source(const Scope& scope) const {
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    if (at->core == 0) continue;
    const Core& core = ast_.cores[at->core];
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      if (ast_.froms[i].kind == SourceKind::Unknown || ast_.froms[i].unknown_outputs) return true;
    }
  }
  return false;
}

bool Resolver::may_suggest(const FromItem& item, Index column) const {
  if (suggested_ == nullptr) return true;
  if (item.kind == SourceKind::Table) return suggested_->of({item.table, column}) != ColumnPolicy::Hidden;
  // What a derived table calls its column may have come from a `*`.
  const std::string_view name = names_.text(column_name(item, column));
  for (TableId t = 0; t < catalog_.tables().size(); ++t) {
    for (ColumnIndex c = 0; c < catalog_.table(t).columns.size(); ++c) {
      if (suggested_->of({t, c}) == ColumnPolicy::Hidden && equal_folded(catalog_.table(t).columns[c].name, name)) return false;
    }
  }
  return true;
}

std::string Resolver::suggestion(std::string_view name, const Scope& scope) const {
  if (issues_.has_error()) return {};  // only the first error is told
  std::vector<std::string> candidates;
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    if (at->core == 0) continue;
    const Core& core = ast_.cores[at->core];
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      const FromItem& item = ast_.froms[i];
      for (Index c = 0; c < column_count(item); ++c) {
        if (!may_suggest(item, c)) continue;
        candidates.emplace_back(item.kind == SourceKind::Table ? catalog_.table(item.table).columns[c].name
                                                               : std::string(names_.text(column_name(item, c))));
      }
    }
  }
  const std::string best = closest_match(name, candidates);
  return best.empty() || equal_folded(best, name) ? "" : "; did you mean `" + best + "`?";
}

}  // namespace pccsql::check
