// FROM: what each item is, what its joins merge, what `*` stands for.
#include <algorithm>

#include "base/text.h"
#include "check/resolver.h"

namespace pccsql::check {
namespace {

constexpr Index kMostTables = 64;  // SQLite's limit on a join

bool is_eponymous(std::string_view name) {
  for (const std::string_view known : {"json_each", "json_tree", "dbstat", "fts3tokenize", "bytecode", "tables_used"}) {
    if (equal_folded(name, known)) return true;
  }
  return equal_folded(name.substr(0, 7), "pragma_") || equal_folded(name.substr(0, 7), "sqlite_");
}

}  // namespace

Index Resolver::column_count(const FromItem& item) const {
  if (item.kind == SourceKind::Table) return static_cast<Index>(catalog_.table(item.table).columns.size());
  return item.kind == SourceKind::Derived ? item.outputs.count : 0;
}

NameId Resolver::column_name(const FromItem& item, Index column) const {
  if (item.kind == SourceKind::Table) return catalog_.table(item.table).columns[column].id;
  return ast_.output_names[item.outputs.first + column];
}

bool Resolver::column_hidden(const FromItem& item, Index column) const {
  return item.kind == SourceKind::Table && catalog_.table(item.table).columns[column].hidden;
}

bool Resolver::is_merged(const FromItem& item, NameId name) const {
  work_.spend(item.using_names.count);
  for (Index i = item.using_names.first; i < item.using_names.end(); ++i) {
    if (ast_.using_names[i] == name) return true;
  }
  return false;
}

bool Resolver::find_column(const FromItem& item, NameId name, ColumnIndex& column) const {
  if (!work_.spend(1 + column_count(item))) return false;
  if (item.kind == SourceKind::Table) {
    const auto found = catalog_.table(item.table).find_column(name);
    if (found) column = *found;
    return found.has_value();
  }
  if (item.kind != SourceKind::Derived) return false;
  for (Index i = 0; i < item.outputs.count; ++i) {
    if (ast_.output_names[item.outputs.first + i] == name) {
      column = i;
      return true;
    }
  }
  return false;
}

void Resolver::from(CoreId id, const Scope& scope) {
  const Range range = ast_.cores[id].from;
  if (range.count > kMostTables) {
    return issues_.error(ast_.span_at(ast_.froms[range.first].lexeme), "at most 64 tables in a join");
  }
  for (Index i = range.first; i < range.end(); ++i) {
    FromItem& item = ast_.froms[i];
    if (item.query != 0) {
      query(item.query, scope.outer, scope.with, scope.cte, true);
      const Query& derived = ast_.queries[item.query];
      item.kind = SourceKind::Derived;
      item.body = item.query;
      item.outputs = derived.outputs;
      item.unknown_outputs = !derived.outputs_known;
    } else if (item.named) {
      bind_table(item, scope);
    }
    for (Index k = range.first; k < i && item.name != kNoName; ++k) {
      if (ast_.froms[k].name != item.name) continue;
      issues_.error(
          ast_.span_at(item.alias_lexeme),
          "two tables of one FROM are called `" + text_of(item.alias_lexeme) + "`; give one of them another alias");
      break;
    }
    join(id, i);
  }
  joined_tables(id);
}

// A derived table or view may be merged into the query around it, and its tables count there. Whether it is hangs on many
// things, so they are counted in any case.
void Resolver::joined_tables(CoreId id) {
  Core& core = ast_.cores[id];
  core.joined = 0;
  for (Index i = core.from.first; i < core.from.end(); ++i) {
    Index most = ast_.froms[i].kind == SourceKind::Table ? catalog_.table(ast_.froms[i].table).merged_tables : 1;
    const Range branches = ast_.queries[ast_.froms[i].body].cores;
    for (Index k = branches.first; k < branches.end() && work_.spend(1); ++k) {
      most = std::max(most, ast_.cores[k].joined);
    }
    core.joined += most;
  }
  if (core.joined > kMostTables) {
    issues_.error(ast_.span_at(ast_.froms[core.from.first].lexeme),
                  "at most 64 tables in a join, those of derived tables in it included");
    core.joined = kMostTables;
  }
}

void Resolver::bind_table(FromItem& item, const Scope& scope) {
  if (item.function) return;  // table-valued: noted as outside from the grammar
  const Span where = ast_.span_at(item.lexeme);
  const NameId name = name_of(item.lexeme);
  if (item.qualified && !equal_folded(text_of(item.lexeme - 2), "main")) {
    return issues_.error(where, "no such table: `" + text_of(item.lexeme - 2) + "." + text_of(item.lexeme) + "`");
  }
  if (!item.qualified && bind_cte(item, name, scope)) return;
  if (const auto table = catalog_.find_table(name)) {
    item.kind = SourceKind::Table;
    item.table = *table;
    if (catalog_.table(*table).kind == TableKind::Virtual) {
      issues_.outside(where, "`" + text_of(item.lexeme) + "` is a virtual table, and those are outside the language");
    }
    return;
  }
  no_such_table(where, text_of(item.lexeme));
}

void Resolver::no_such_table(Span where, const std::string& name) {
  for (const std::string& view : catalog_.unusable_views()) {
    if (!equal_folded(view, name)) continue;
    return issues_.error(
        where, "the view `" + name + "` cannot be used: a name in its body is not bound by the body's own FROM");
  }
  if (is_eponymous(name)) {
    return issues_.outside(where,
                           "`" + name + "` is part of the database's own catalogue, which is outside the language");
  }
  std::vector<std::string> known;
  for (TableId table = 0; table < catalog_.tables().size(); ++table) {
    if (issues_.has_error()) break;  // only the first error is told
    if (suggested_ == nullptr || !suggested_->all_hidden(table)) known.push_back(catalog_.table(table).name);
  }
  const std::string best = closest_match(name, known);
  issues_.error(where, "no such table: `" + name + "`" + (best.empty() ? "" : "; did you mean `" + best + "`?"));
}

bool Resolver::bind_cte(FromItem& item, NameId name, const Scope& scope) {
  if (name == kNoName) return false;
  const Span where = ast_.span_at(item.lexeme);
  for (const WithFrame* frame = scope.with; frame != nullptr; frame = frame->outer) {
    for (Index i = frame->ctes.first; i < frame->ctes.end(); ++i) {
      if (ast_.ctes[i].name != name) continue;
      if (i < frame->visible_end) {
        use_cte(item, i, scope);
      } else if (i == frame->visible_end) {
        // The database takes a reference to itself only in a later branch of a UNION.
        const Query& body = ast_.queries[ast_.ctes[i].query];
        const bool recursive = scope.core > body.cores.first && scope.core < body.cores.end() &&
                               ast_.cores[scope.core].set_operator == Terminal::kw_UNION;
        if (!recursive) ast_.ctes[i].circular = true;
        issues_.outside(where,
                        "`" + text_of(item.lexeme) + "` refers to itself: recursive WITH is outside the language");
      } else {
        issues_.outside(where,
                        "`" + text_of(item.lexeme) + "` is defined later in the same WITH; put its definition first");
      }
      return true;
    }
  }
  return false;
}

void Resolver::use_cte(FromItem& item, Index id, const Scope& scope) {
  const Cte& cte = ast_.ctes[id];
  if (cte.circular) issues_.error(ast_.span_at(item.lexeme), "circular reference: `" + text_of(item.lexeme) + "`");
  item.kind = SourceKind::Derived;
  item.body = cte.query;
  item.outputs = cte.outputs;
  item.unknown_outputs = !cte.outputs_known;
  // Where a free name of the body binds to nothing out here either, the database refuses the query.
  for (const FreeName& free : free_names_) {
    if (free.cte != id || !work_.spend(8)) continue;
    Expr probe = ast_.exprs[free.expr];
    const size_t before = issues_.size();
    const bool findable = scope.outer != nullptr && (!probe.qualified || free.qualifier != kNoName);
    const Found found = findable ? look_up(probe, free.qualifier, free.name, *scope.outer) : Found::No;
    issues_.truncate(before);
    if (found != Found::Yes) {
      issues_.error(ast_.span(probe), "no such column: `" + std::string(ast_.span(probe).of(ast_.sql)) + "`");
    }
  }
}

void Resolver::join(CoreId core, Index id) {
  const FromItem& item = ast_.froms[id];
  if (!item.natural) {
    for (Index i = item.using_names.first; i < item.using_names.end(); ++i) {
      merge(core, id, ast_.using_names[i], ast_.span_at(ast_.using_lexemes[i]));
    }
    return;
  }
  const Span where = ast_.span_at(item.join_lexeme);
  if (item.on != 0 || item.has_using) {
    issues_.error(where, "a NATURAL join may not have an ON or USING clause");
    return;
  }
  Range merged{static_cast<Index>(ast_.using_names.size()), 0};
  const Core& select = ast_.cores[core];
  for (Index k = select.from.first; k <= id; ++k) {
    if (ast_.froms[k].kind == SourceKind::Unknown) continue;
    for (Index c = 0; c < column_count(ast_.froms[k]) && work_.spend(1); ++c) {
      if (column_name(ast_.froms[k], c) == kNoName) {
        issues_.error(where, "NATURAL join over a column without a name; give the expression an alias");
        return;
      }
    }
  }
  for (Index c = 0; c < column_count(item); ++c) {
    const NameId name = column_name(item, c);
    if (column_hidden(item, c)) continue;
    for (Index k = select.from.first; k < id; ++k) {
      ColumnIndex left = 0;
      if (!find_column(ast_.froms[k], name, left) || column_hidden(ast_.froms[k], left)) continue;
      ast_.using_names.push_back(name);
      ast_.using_lexemes.push_back(item.join_lexeme);
      ++merged.count;
      break;
    }
  }
  for (Index i = merged.first; i < merged.end(); ++i) merge(core, id, ast_.using_names[i], where);
  ast_.froms[id].using_names = merged;
}

// USING (name): exactly one column of that name, or one already merged, on the left, and one on the right.
void Resolver::merge(CoreId core, Index id, NameId name, Span where) {
  const Core& select = ast_.cores[core];
  int groups = 0;
  bool unknown = ast_.froms[id].kind == SourceKind::Unknown || ast_.froms[id].unknown_outputs;
  for (Index k = select.from.first; k < id; ++k) {
    const FromItem& left = ast_.froms[k];
    unknown |= left.kind == SourceKind::Unknown || left.unknown_outputs;
    ColumnIndex column = 0;
    if (find_column(left, name, column) && (groups == 0 || !is_merged(left, name))) ++groups;
  }
  ColumnIndex right = 0;
  if ((groups == 0 || !find_column(ast_.froms[id], name, right)) && !unknown) {
    issues_.error(
        where, "cannot join using column `" + std::string(names_.text(name)) + "`: it is not present in both tables");
  } else if (groups > 1) {
    issues_.error(where, "ambiguous reference to `" + std::string(names_.text(name)) +
                             "` in USING: several tables to the left have it");
  }
}

bool Resolver::outer_join_right_of(const Core& core, Index item) const {
  for (Index i = item + 1; i < core.from.end(); ++i) {
    if (ast_.froms[i].join == JoinKind::Right || ast_.froms[i].join == JoinKind::Full) return true;
  }
  return false;
}

// With RIGHT and FULL joins SQLite expands a merged column by its bare name, which must then not be ambiguous.
bool Resolver::is_ambiguous_merge(const Core& core, Index item, NameId name) const {
  bool merged = false;
  for (Index i = item + 1; i < core.from.end(); ++i) merged |= is_merged(ast_.froms[i], name);
  if (!merged) return false;
  int groups = 0;
  for (Index i = core.from.first; i < core.from.end(); ++i) {
    ColumnIndex column = 0;
    if (find_column(ast_.froms[i], name, column) && (groups == 0 || !is_merged(ast_.froms[i], name))) ++groups;
  }
  return groups > 1;
}

// `*` and `t.*`: the width they add. Columns merged by USING come once in `*`.
void Resolver::star(CoreId core_id, Index item_id) {
  Core& core = ast_.cores[core_id];
  Item& item = ast_.items[item_id];
  const Span where = item.expr == 0 ? ast_.span_at(item.lexeme) : ast_.span(ast_.exprs[item.expr]);
  const NameId qualifier = item.expr == 0 ? kNoName : name_of(ast_.exprs[item.expr].qualifier);
  if (core.from.count == 0) {
    issues_.error(where, item.expr == 0 ? "no tables specified: `*` needs a FROM"
                                        : "no such table: `" + text_of(ast_.exprs[item.expr].qualifier) + "`");
    core.width_known = false;
    return;
  }
  bool matched = item.expr == 0;
  for (Index i = core.from.first; i < core.from.end(); ++i) {
    const FromItem& from = ast_.froms[i];
    if (from.kind == SourceKind::Unknown) {  // it may be what is meant
      matched = true;
      core.width_known = false;
    }
    if (item.expr != 0 && (qualifier == kNoName || from.name != qualifier)) continue;
    matched = true;
    if (from.kind == SourceKind::Unknown || from.unknown_outputs) core.width_known = false;
    for (Index c = 0; c < column_count(from) && core.width <= kMostColumns && !work_.spent(); ++c) {
      if (column_hidden(from, c)) continue;
      const NameId name = column_name(from, c);
      if (item.expr == 0 && is_merged(from, name)) continue;
      if (outer_join_right_of(core, i) && is_ambiguous_merge(core, i, name)) {
        issues_.error(where, "ambiguous column name: `" + std::string(names_.text(name)) +
                                 "` in `*`: it is merged by USING or NATURAL,"
                                 " and another table has it too");
      }
      ++core.width;
    }
  }
  if (!matched) {
    issues_.error(where, "no such table: `" + text_of(ast_.exprs[item.expr].qualifier) + "`");
    core.width_known = false;
  }
}

}  // namespace pccsql::check
