// FROM: comma elements, joins, what USING and NATURAL merge, and what of it can be seen.
#include <algorithm>

#include "check_pg/resolver.h"
#include "check_pg/types.h"

namespace pccsql::check_pg {
void Resolver::from(QueryId id, PgNode list, const Scope* outer, const Ctes* ctes, std::vector<Element>& elements) {
  std::vector<std::string_view> passed;
  Place outside_place{outer, ctes, id, Clause::On};
  for (const PgNode node : list.items()) elements.push_back(from_node(id, node, outside_place, passed, false));
  for (const FromItem& item : ast_.queries[id].from) {
    if (std::ranges::find(passed, item.name) == passed.end()) continue;
    outside(item.span, quoted(item.name) +
                           " is named inside a derived table beside it, where PostgreSQL would look past it "
                           "for another one further out");
  }
}

// `outside_place`: what lies around this FROM.
Resolver::Element Resolver::from_node(QueryId id, PgNode node, const Place& outside_place,
                                      std::vector<std::string_view>& passed, bool nested) {
  const std::string_view kind = node.kind();
  if (kind == "RangeVar") return table_item(id, node.inner(), outside_place);
  if (kind == "RangeSubselect") return derived_item(id, node.inner(), outside_place, passed);
  if (kind == "JoinExpr") {
    if (nested)
      outside({}, "a join in parentheses right of another is outside the language; write the joins one after another");
    return join(id, node.inner(), outside_place, passed);
  }
  if (kind == "RangeFunction") {
    outside({}, "a function in FROM is outside the language");
  } else if (kind == "RangeTableSample") {
    outside({}, "TABLESAMPLE is outside the language");
  } else {
    outside({}, "this form of FROM is outside the language");
  }
  const auto place = static_cast<uint32_t>(ast_.queries[id].from.size());
  return {{}, place, place};
}

bool Resolver::check_alias(PgNode alias, Span where) {
  if (!alias["colnames"]) return true;
  outside(where, "new names for columns after an alias are outside the language");
  return false;
}

void Resolver::add_item(QueryId id, const FromItem& item) {
  for (const FromItem& other : ast_.queries[id].from) {
    if (other.name == item.name && !item.name.empty()) {
      error(item.span, "table name " + quoted(item.name) + " stands twice in this FROM; give one an alias");
      break;
    }
  }
  ast_.queries[id].from.push_back(item);
}

// One item's own columns, each by itself.
Resolver::Element Resolver::item_columns(QueryId id, FromItem item) {
  Element element;
  element.first = static_cast<uint32_t>(ast_.queries[id].from.size());
  add_item(id, item);
  element.end = element.first + 1;
  const auto take = [&](uint32_t c, std::string_view name, const Type& type) {
    element.columns.push_back(
        {name, static_cast<uint32_t>(ast_.sources.size()), 1, type, uint64_t{element.first} << 32 | c});
    ast_.sources.push_back({element.first, c});
  };
  if (item.query == 0) {
    const Table& table = catalog_.table(item.table);
    element.columns.reserve(table.columns.size());
    for (uint32_t c = 0; c < table.columns.size(); ++c) {
      Type type;
      static_cast<ValueType&>(type) = table.columns[c].value;
      take(c, table.columns[c].name, type);
    }
  } else {
    const std::vector<OutputType>& columns = ast_.queries[item.query].columns;
    for (uint32_t c = 0; c < columns.size(); ++c) take(c, columns[c].name, columns[c].type);
  }
  return element;
}

Resolver::Element Resolver::table_item(QueryId id, PgNode range, const Place& outside_place) {
  const std::string_view name = range["relname"].text();
  FromItem item;
  item.span = name_span(range, range["schemaname"] ? 2 : 1);
  const PgNode alias = range["alias"];
  item.name = alias ? alias["aliasname"].text() : name;
  const auto nothing = [&] {
    const auto place = static_cast<uint32_t>(ast_.queries[id].from.size());
    return Element{{}, place, place};
  };
  check_alias(alias, item.span);
  if (range["schemaname"] || range["catalogname"]) {
    outside(item.span, "names with a schema are outside the language");
    return nothing();
  }
  if (!range["inh"].is_true()) outside(item.span, "ONLY is outside the language");
  for (const Ctes* level = outside_place.ctes; level != nullptr; level = level->outer) {
    const auto found = std::ranges::find(level->entries, name, &std::pair<std::string_view, QueryId>::first);
    if (found == level->entries.end()) continue;
    item.query = found->second;
    return item_columns(id, item);
  }
  const std::optional<TableId> table = catalog_.find_table(name);
  if (!table) {
    const auto& unusable = catalog_.unusable_views();
    if (std::ranges::find(unusable, name) != unusable.end()) {
      outside(item.span,
              "the view " + quoted(name) + " is not known here: the types of its columns come from a server alone");
    } else if (name.starts_with("pg_")) {
      outside(item.span,
              quoted(name) + " is not among the tables of this schema; PostgreSQL's own are outside the language");
    } else {
      error(item.span, "there is no table " + quoted(name));
    }
    return nothing();
  }
  item.table = *table;
  leaky_ |= catalog_.table(*table).leaky_view;
  return item_columns(id, item);
}

Resolver::Element Resolver::derived_item(QueryId id, PgNode range, const Place& outside_place,
                                         std::vector<std::string_view>& passed) {
  if (range["lateral"].is_true()) outside({}, "LATERAL is outside the language");
  const PgNode alias = range["alias"];
  FromItem item;
  item.name = alias["aliasname"].text();
  if (!alias) error({}, "a derived table needs an alias: `FROM (SELECT …) AS name`");
  check_alias(alias, {});
  Scope around;
  around.outer = outside_place.scope;
  around.query = id;
  around.passed = &passed;
  item.query = query(range["subquery"]["SelectStmt"], &around, outside_place.ctes, false);
  return item_columns(id, item);
}

Resolver::Element Resolver::join(QueryId id, PgNode node, const Place& outside_place,
                                 std::vector<std::string_view>& passed) {
  if (++nesting_ > 400) {
    --nesting_;
    outside({}, "more joins than can be followed");
    const auto place = static_cast<uint32_t>(ast_.queries[id].from.size());
    return {{}, place, place};
  }
  Element left = from_node(id, node["larg"], outside_place, passed, false);
  Element right = from_node(id, node["rarg"], outside_place, passed, true);
  --nesting_;
  if (node["alias"] || node["join_using_alias"]) outside({}, "an alias for a join is outside the language");
  const std::string_view type = node["jointype"].text();
  const uint32_t middle = right.first;
  std::vector<std::string_view> names;
  if (node["isNatural"].is_true()) {
    for (const Visible& visible : left.columns) {
      const bool there = std::ranges::find(right.columns, visible.name, &Visible::name) != right.columns.end();
      if (there && std::ranges::find(names, visible.name) == names.end()) names.push_back(visible.name);
    }
  }
  for (const PgNode name : node["usingClause"].items()) {
    const std::string_view text = name["String"]["sval"].text();
    if (std::ranges::find(names, text) != names.end()) error({}, "column " + quoted(text) + " stands twice in USING");
    names.push_back(text);
  }
  Span where = left.end < middle + 1 && !ast_.queries[id].from.empty() ? ast_.queries[id].from.back().span : Span{};
  Element both;
  both.first = left.first;
  both.end = right.end;
  if (!names.empty()) {
    merge(id, left, right, names, type, where);
    both.columns = std::move(left.columns);
    return both;
  }
  both.columns = std::move(left.columns);
  both.columns.insert(both.columns.end(), right.columns.begin(), right.columns.end());
  const PgNode quals = node["quals"];
  if (quals) {
    std::vector<Element> visible{both};
    Scope scope;
    scope.outer = outside_place.scope;
    scope.query = id;
    scope.elements = &visible;
    const ExprId on = condition(quals, {&scope, outside_place.ctes, id, Clause::On}, "ON");
    ast_.queries[id].conditions.push_back(on);
    if (type == "JOIN_FULL") {
      const auto side = [&](ExprId kid) {
        const Expr& column = at(kid);
        if (column.op != Op::Column || column.query != id) return 0;
        bool from_left = true, from_right = true;
        for (uint32_t s = column.sources; s < column.sources + column.source_count; ++s) {
          (ast_.sources[s].item < middle ? from_right : from_left) = false;
        }
        return from_left ? 1 : from_right ? 2 : 0;
      };
      const Expr& equals = at(on);
      const bool plain = equals.op == Op::Compare && equals.text == "=" && equals.count == 2 &&
                         side(ast_.kid(on, 0)) + side(ast_.kid(on, 1)) == 3;
      if (!plain)
        error(equals.span, "a FULL JOIN takes USING, or one `=` between a column of its left and one of its right");
    }
  } else if (type == "JOIN_FULL" && !node["isNatural"].is_true()) {
    error({}, "a FULL JOIN needs a condition");
  } else if (type == "JOIN_FULL") {
    error({}, "a NATURAL FULL JOIN needs a column that both sides have");
  }
  return both;
}

// `left` becomes the whole: merged columns first, then what is left of either side.
void Resolver::merge(QueryId id, Element& left, Element& right, const std::vector<std::string_view>& names,
                     std::string_view type, Span where) {
  std::vector<Visible> merged;
  Query& query = ast_.queries[id];
  query.joined.emplace_back(static_cast<uint32_t>(query.joins.size()), where);
  const auto one = [&](const Element& side, std::string_view name, const char* which) -> const Visible* {
    const Visible* found = nullptr;
    for (const Visible& visible : side.columns) {
      if (visible.name != name) continue;
      if (found != nullptr) {
        error(where, "column " + quoted(name) + " stands more than once on the " + which + " side of the join");
        return nullptr;
      }
      found = &visible;
    }
    if (found == nullptr) error(where, "column " + quoted(name) + " is not on the " + which + " side of the join");
    return found;
  };
  // The declared type of a table's own column: two that differ in it, even in length alone, are cast when merged.
  const auto declared = [&](const Visible& visible) -> const std::string* {
    if (visible.source_count == 0 || (visible.identity >> 32) >= query.from.size()) return nullptr;
    const SourceColumn& source = ast_.sources[visible.sources];
    const FromItem& item = query.from[source.item];
    return item.query == 0 ? &catalog_.table(item.table).columns[source.column].type : nullptr;
  };
  for (const std::string_view name : names) {
    const Visible* const l = one(left, name, "left");
    const Visible* const r = one(right, name, "right");
    if (l == nullptr || r == nullptr) continue;
    if (!one_group(l->type, r->type)) {
      outside(where, "the columns " + quoted(name) + " of both sides are of types that are not compared here");
    }
    Visible both;
    both.name = name;
    both.sources = static_cast<uint32_t>(ast_.sources.size());
    both.source_count = l->source_count + r->source_count;
    for (const Visible* side : {l, r}) {
      for (uint32_t s = 0; s < side->source_count; ++s) {
        const SourceColumn source = ast_.sources[side->sources + s];
        ast_.sources.push_back(source);
        query.joins.push_back(source);
      }
    }
    both.type = later(l->type, r->type);
    const std::string* const a = declared(*l);
    const std::string* const b = declared(*r);
    const bool same = a != nullptr && b != nullptr && *a == *b;
    both.identity = same && type != "JOIN_FULL" ? (type == "JOIN_RIGHT" ? r->identity : l->identity)
                                                : uint64_t{0x80000000u + fresh_++} << 32;
    merged.push_back(both);
  }
  for (const Element* side : {&left, &right}) {
    for (const Visible& visible : side->columns) {
      if (std::ranges::find(names, visible.name) == names.end()) merged.push_back(visible);
    }
  }
  left.columns = std::move(merged);
  left.end = right.end;
}

}  // namespace pccsql::check_pg
