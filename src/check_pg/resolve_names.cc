// Where a name leads: `q.c` to the innermost item q and there to its column c or nowhere; a bare name to the innermost level
// that has it. A bare name that is an item's and no column's would be a whole row to the server: outside the language.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "check_pg/letters.h"
#include "check_pg/resolver.h"

namespace pccsql::check_pg {
namespace {

bool is_system_column(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames{"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

// From where the parser saw the name, over its parts and the dots between them.
Span Resolver::name_span(PgNode ref, size_t parts) const {
  const std::string_view sql = ast_.sql;
  const auto begin =
      static_cast<uint32_t>(std::clamp<int64_t>(ref["location"].number(), 0, static_cast<int64_t>(sql.size())));
  size_t at = begin;
  for (size_t part = 0; part < parts; ++part) {
    if (part > 0) {
      while (at < sql.size() && sql[at] != '.') ++at;
      ++at;
      while (at < sql.size() && (sql[at] == ' ' || (sql[at] >= '\t' && sql[at] <= '\r'))) ++at;
    }
    if (at + 2 < sql.size() && fold(sql[at]) == 'u' && sql[at + 1] == '&' && sql[at + 2] == '"') at += 2;
    if (at < sql.size() && sql[at] == '"') {
      ++at;
      while (at < sql.size() && (sql[at] != '"' || (at + 1 < sql.size() && sql[at + 1] == '"')))
        at += sql[at] == '"' ? 2 : 1;
      ++at;
    } else if (at < sql.size() && sql[at] == '*') {
      ++at;
    } else {
      while (at < sql.size() && is_word(sql[at])) ++at;
    }
  }
  return {begin, static_cast<uint32_t>(std::min(at, sql.size()))};
}

bool Resolver::names_an_item(std::string_view name, const Scope* scope) const {
  for (; scope != nullptr; scope = scope->outer) {
    for (const FromItem& item : ast_.queries[scope->query].from) {
      if (item.name == name) return true;
    }
  }
  return false;
}

const Resolver::Visible* Resolver::find_bare(std::string_view name, const std::vector<Element>& elements, Span where,
                                             bool& ambiguous) {
  const Visible* found = nullptr;
  for (const Element& element : elements) {
    for (const Visible& visible : element.columns) {
      if (visible.name != name) continue;
      if (found != nullptr) {
        error(where, "column reference " + quoted(name) + " is ambiguous; put the table's name or alias before it");
        ambiguous = true;
        return nullptr;
      }
      found = &visible;
    }
  }
  return found;
}

ExprId Resolver::bind(const Visible& visible, QueryId owner, Span where) {
  const uint32_t depth = ast_.queries[owner].depth;
  for (OpenAggregate& open : aggregates_) {
    if (depth > open.depth) continue;
    open.deepest = open.any ? std::max(open.deepest, depth) : depth;
    open.any = true;
  }
  Expr made;
  made.op = Op::Column;
  made.type = visible.type;
  made.span = where;
  made.query = owner;
  made.sources = visible.sources;
  made.source_count = visible.source_count;
  made.identity = visible.identity;
  return add(made);
}

ExprId Resolver::column(PgNode ref, const Place& place) {
  std::vector<std::string_view> parts;
  for (const PgNode field : ref["fields"].items()) {
    if (field["A_Star"] || field.kind() == "A_Star") {
      return outside(name_span(ref, parts.size() + 1), "`*` as a value is a whole row, which is outside the language");
    }
    parts.push_back(field["String"]["sval"].text());
  }
  const Span where = name_span(ref, parts.size());
  if (parts.empty() || parts.size() > 2) {
    return outside(where, "names with a schema are outside the language; write the table's name or alias alone");
  }
  const std::string_view name = parts.back();
  bool beyond = false;  // past the body of a CTE
  for (const Scope* scope = place.scope; scope != nullptr; scope = scope->outer) {
    if (scope->closed) beyond = true;
    if (scope->elements == nullptr) {
      if (parts.size() == 2 && scope->passed != nullptr) scope->passed->push_back(parts[0]);
      continue;
    }
    const Visible* found = nullptr;
    Visible own;
    if (parts.size() == 1) {
      bool ambiguous = false;
      found = find_bare(name, *scope->elements, where, ambiguous);
      if (ambiguous) return broken(where);
    } else {
      const Query& query = ast_.queries[scope->query];
      const FromItem* item = nullptr;
      uint32_t index = 0;
      for (const Element& element : *scope->elements) {
        for (uint32_t i = element.first; i < element.end; ++i) {
          if (query.from[i].name == parts[0]) {
            item = &query.from[i];
            index = i;
          }
        }
      }
      if (item == nullptr) continue;
      const auto take = [&](uint32_t c, std::string_view column_name, const Type& type) {
        if (column_name != name) return;
        if (found != nullptr) {
          error(where, "column reference " + quoted(parts[0]) + "." + quoted(name) + " is ambiguous");
          beyond = true;
          return;
        }
        own.name = name;
        own.type = type;
        own.sources = static_cast<uint32_t>(ast_.sources.size());
        own.source_count = 1;
        own.identity = uint64_t{index} << 32 | c;
        ast_.sources.push_back({index, c});
        found = &own;
      };
      if (item->query == 0) {
        const Table& table = catalog_.table(item->table);
        for (uint32_t c = 0; c < table.columns.size(); ++c) {
          Type type;
          static_cast<ValueType&>(type) = table.columns[c].value;
          take(c, table.columns[c].name, type);
        }
      } else {
        const std::vector<OutputType>& columns = ast_.queries[item->query].columns;
        for (uint32_t c = 0; c < columns.size(); ++c) take(c, columns[c].name, columns[c].type);
      }
      if (found == nullptr) {
        if (is_system_column(name))
          return outside(where, quoted(name) + " is a system column, which is outside the language");
        return error(where, quoted(parts[0]) + " has no column " + quoted(name));
      }
    }
    if (found == nullptr) continue;
    if (beyond) {
      return outside(where,
                     "the body of a WITH table sees no name of the query around it; " + quoted(name) + " is one");
    }
    return bind(*found, scope->query, where);
  }
  if (parts.size() == 2) return error(where, "there is no table or alias " + quoted(parts[0]) + " here");
  if (is_system_column(name))
    return outside(where, quoted(name) + " is a system column, which is outside the language");
  if (names_an_item(name, place.scope)) {
    return outside(where,
                   quoted(name) + " alone stands for a whole row, which is outside the language; name its columns");
  }
  return error(where, "there is no column " + quoted(name) + " here");
}

// The name that the server gives to an item without one, which references may use. 2: a name that holds; 1: one that an
// enclosing form replaces; 0: none.
std::string_view Resolver::figure_name(PgNode node, ExprId expr, int& strength) {
  const std::string_view kind = node.kind();
  const PgNode inner = node.inner();
  const auto named = [&strength](std::string_view name, int how = 2) {
    strength = how;
    return name;
  };
  if (kind == "ColumnRef") {
    std::string_view last;
    for (const PgNode field : inner["fields"].items()) {
      if (field["String"]) last = field["String"]["sval"].text();
    }
    return named(last);
  }
  if (kind == "FuncCall") {
    std::string_view last;
    for (const PgNode part : inner["funcname"].items()) last = part["String"]["sval"].text();
    return named(last);
  }
  if (kind == "A_Expr" && inner["kind"].text() == "AEXPR_NULLIF") return named("nullif");
  if (kind == "CollateClause") return figure_name(inner["arg"], 0, strength);
  if (kind == "TypeCast") {
    const std::string_view name =
        figure_name(inner["arg"], expr != 0 && at(expr).count == 1 ? ast_.kid(expr, 0) : 0, strength);
    if (strength > 1) return name;
    std::string_view last;
    for (const PgNode part : inner["typeName"]["names"].items()) last = part["String"]["sval"].text();
    return named(last, 1);
  }
  if (kind == "CaseExpr") {
    ExprId last = 0;
    if (expr != 0 && at(expr).op == Op::Case && at(expr).has_else) last = ast_.kid(expr, at(expr).count - 1);
    strength = 0;
    const std::string_view name =
        inner["defresult"] ? figure_name(inner["defresult"], last, strength) : std::string_view();
    return strength > 1 ? name : named("case", 1);
  }
  if (kind == "CoalesceExpr") return named("coalesce");
  if (kind == "MinMaxExpr") return named(inner["op"].text() == "IS_LEAST" ? "least" : "greatest");
  if (kind == "SQLValueFunction") {
    const std::string_view op = inner["op"].text();
    if (op == "SVFOP_CURRENT_DATE") return named("current_date");
    if (op == "SVFOP_CURRENT_TIMESTAMP") return named("current_timestamp");
    return named(op == "SVFOP_LOCALTIMESTAMP" ? "localtimestamp" : "?value?");
  }
  if (kind == "SubLink") {
    const std::string_view type = inner["subLinkType"].text();
    if (type == "EXISTS_SUBLINK") return named("exists");
    if (type == "EXPR_SUBLINK" && expr != 0 && at(expr).op == Op::Scalar) {
      const Query& query = ast_.queries[at(expr).query];
      if (!query.columns.empty()) return named(query.columns.front().name);
    }
  }
  strength = 0;
  return {};
}

}  // namespace pccsql::check_pg
