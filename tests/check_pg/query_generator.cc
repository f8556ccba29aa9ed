#include "check_pg/query_generator.h"

#include "base/text.h"

namespace pccsql {
namespace {

// Always between quotes, because a bare name may be one of PostgreSQL's keywords.
std::string written(const std::string& name) { return quoted_identifier(name); }

}  // namespace

PgKind PgQueryGenerator::some_kind() {
  static constexpr PgKind kKinds[] = {PgKind::Integer, PgKind::Integer, PgKind::Integer,  PgKind::Text, PgKind::Text,
                                    PgKind::Text,    PgKind::Numeric, PgKind::Float,    PgKind::Date, PgKind::Timestamp,
                                    PgKind::Boolean, PgKind::Bigint,  PgKind::Interval, PgKind::Enum, PgKind::Text};
  return kKinds[below(std::size(kKinds))];
}

std::string PgQueryGenerator::literal(PgKind kind) {
  const auto pick = [&](std::initializer_list<const char*> list) {
    return std::string(*(list.begin() + below(list.size())));
  };
  switch (kind) {
    case PgKind::Integer:
      return pick({"1", "2", "0", "-1", "100000", "'7'", "12", "3"});
    case PgKind::Bigint:
      return pick({"3000000000", "-3000000000"});
    case PgKind::Numeric:
      return pick({"1.5", ".5", "2.", "1e3", "99999999999999999999"});
    case PgKind::Float:
      return pick({"1.5", "CAST(2 AS double precision)", "1::real"});
    case PgKind::Text:
      return pick({"'a'", "'Ann'", "''", "E'x\\n'", "$$y$$", "'lab'", "'b'"});
    case PgKind::Date:
      return pick({"'2020-01-01'", "DATE '2021-02-03'", "CURRENT_DATE", "DATE '2022-12-31'", "DATE '1999-01-01'", "'2020-02-30'"});
    case PgKind::Timestamp:
      return pick(
          {"'2020-01-01 10:00'", "TIMESTAMP '2021-02-03 04:05:06'", "now()", "CURRENT_TIMESTAMP", "'2020-01-01'"});
    case PgKind::Interval:
      return pick({"INTERVAL '1 day'", "INTERVAL '3 months'"});
    case PgKind::Boolean:
      return pick({"TRUE", "FALSE"});
    case PgKind::Enum:
      return pick({"'A'", "'B'", "'C'"});
    default:
      return pick({"'x'", "NULL", "1"});
  }
}

std::string PgQueryGenerator::column(PgKind kind) {
  // Mostly of this SELECT, at times of one around it.
  size_t level = scopes_.size();
  while (level > 1 && chance(8)) --level;
  if (level == 0 || scopes_[level - 1].empty()) return literal(kind);
  const Scope& scope = scopes_[level - 1];
  const Source& source = scope[below(scope.size())];
  std::vector<const Name*> fitting;
  if (chance(1)) kind = some_kind();
  for (const Name& name : source.columns) {
    if (name.kind == kind) fitting.push_back(&name);
  }
  if (fitting.empty()) return literal(kind);
  const Name& name = *fitting[below(fitting.size())];
  return chance(94) || scope.size() > 1 ? source.alias + "." + name.text : name.text;
}

std::string PgQueryGenerator::scalar_query(PgKind kind, int depth) {
  return "(" + select(depth - 1, {kind}, false) + ")";
}

std::string PgQueryGenerator::aggregate(PgKind kind, int depth) {
  const bool grouped = grouped_;
  grouped_ = false;
  std::string text;
  const std::string distinct = chance(15) ? "DISTINCT " : "";
  switch (kind) {
    case PgKind::Bigint:
      text = chance(50)   ? "COUNT(*)"
             : chance(50) ? "COUNT(" + distinct + value(some_kind(), depth - 1) + ")"
                          : "SUM(" + distinct + value(PgKind::Integer, depth - 1) + ")";
      break;
    case PgKind::Numeric:
      text = (chance(50) ? "AVG(" + value(PgKind::Integer, depth - 1) : "SUM(" + value(PgKind::Numeric, depth - 1)) + ")";
      break;
    case PgKind::Float:
      text = (chance(50) ? "AVG(" : "STDDEV(") + value(PgKind::Float, depth - 1) + ")";
      break;
    case PgKind::Boolean:
      text = "BOOL_AND(" + condition(depth - 1) + ")";
      break;
    case PgKind::Text:
      text = chance(50) ? "STRING_AGG(" + value(PgKind::Text, depth - 1) + ", ',')"
                        : "MAX(" + value(PgKind::Text, depth - 1) + ")";
      break;
    default:
      text = (chance(50) ? "MIN(" : "MAX(") + value(kind, depth - 1) + ")";
  }
  if (chance(10)) text += " FILTER (WHERE " + condition(depth - 1) + ")";
  grouped_ = grouped;
  return text;
}

std::string PgQueryGenerator::window(int depth) {
  std::string text = "(";
  if (chance(60)) text += "PARTITION BY " + value(some_kind(), depth - 1) + " ";
  if (chance(60)) text += "ORDER BY " + value(some_kind(), depth - 1) + (chance(30) ? " DESC" : "") + " ";
  if (chance(20)) text += "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW";
  return text + ")";
}

std::string PgQueryGenerator::value(PgKind kind, int depth) {
  if (depth <= 0) return chance(75) ? column(kind) : literal(kind);
  if (chance(1)) kind = some_kind();
  const auto v = [&](PgKind of) { return value(of, depth - 1); };
  const size_t what = below(100);
  if (what < 40) return column(kind);
  if (what < 50) return literal(kind);
  if (what < 54)
    return "CASE WHEN " + condition(depth - 1) + " THEN " + v(kind) + (chance(60) ? " ELSE " + v(kind) : "") + " END";
  if (what < 56) return "CASE " + v(PgKind::Integer) + " WHEN " + v(PgKind::Integer) + " THEN " + v(kind) + " END";
  if (what < 59) return "COALESCE(" + v(kind) + ", " + v(kind) + ")";
  if (what < 61) return "NULLIF(" + v(kind) + ", " + v(kind) + ")";
  if (what < 63) return (chance(50) ? "GREATEST(" : "LEAST(") + v(kind) + ", " + v(kind) + ")";
  if (what < 67 && depth > 1) return scalar_query(kind, depth);
  if (what < 69 && depth > 1)
    return (chance(50) ? "COUNT(*)" : "SUM(" + v(PgKind::Integer) + ")") + " OVER " + window(depth);
  if (what < 71 && depth > 1)
    return (chance(50) ? "LAG(" + v(kind) + ")" : std::string("RANK()")) + " OVER " + window(depth);
  if (what < 72) return "(" + v(kind) + ")";
  const auto pick = [&](std::vector<std::string> list) { return list[below(list.size())]; };
  switch (kind) {
    case PgKind::Integer:
      return pick({v(kind) + " + " + v(kind), v(kind) + " * " + v(kind), v(kind) + " / " + v(kind),
                   v(kind) + " % " + v(kind), "- " + v(kind), "LENGTH(" + v(PgKind::Text) + ")",
                   v(PgKind::Date) + " - " + v(PgKind::Date), "CAST(" + v(PgKind::Text) + " AS integer)",
                   "STRPOS(" + v(PgKind::Text) + ", 'a')", "ABS(" + v(kind) + ")",
                   "MOD(" + v(kind) + ", " + v(kind) + ")", "CAST(" + v(PgKind::Boolean) + " AS integer)",
                   "POSITION('a' IN " + v(PgKind::Text) + ")", "CAST(" + v(kind) + " AS smallint)"});
    case PgKind::Bigint:
      return pick(
          {"CAST(" + v(PgKind::Integer) + " AS bigint)", v(kind) + " + " + v(PgKind::Integer), aggregate(kind, depth)});
    case PgKind::Numeric:
      return pick({v(kind) + " * " + v(PgKind::Integer), "ROUND(" + v(kind) + ", 2)",
                   "CAST(" + v(PgKind::Integer) + " AS numeric)", v(kind) + " / 2.0",
                   "EXTRACT(YEAR FROM " + v(PgKind::Date) + ")", "CAST(" + v(kind) + " AS numeric(6, 2))",
                   "FLOOR(" + v(kind) + ")", "POWER(" + v(kind) + ", 2)"});
    case PgKind::Float:
      return pick({"SQRT(" + v(PgKind::Integer) + ")", "ROUND(" + v(kind) + ")", v(kind) + " - " + v(PgKind::Numeric),
                   "DATE_PART('month', " + v(PgKind::Timestamp) + ")", "CAST(" + v(PgKind::Integer) + " AS real)"});
    case PgKind::Text:
      return pick({"UPPER(" + v(kind) + ")", v(kind) + " || " + v(kind), v(kind) + " || " + v(PgKind::Integer),
                   "SUBSTR(" + v(kind) + ", 1, 2)", "CAST(" + v(some_kind()) + " AS text)", "TRIM(" + v(kind) + ")",
                   "TO_CHAR(" + v(PgKind::Date) + ", 'YYYY')", "REPLACE(" + v(kind) + ", 'a', 'b')",
                   "CONCAT(" + v(kind) + ", " + v(some_kind()) + ")", "LEFT(" + v(kind) + ", 2)",
                   "SUBSTRING(" + v(kind) + " FROM 2)", v(some_kind()) + "::varchar(5)", "LPAD(" + v(kind) + ", 5)"});
    case PgKind::Date:
      return pick({v(kind) + " + " + v(PgKind::Integer), "CAST(" + v(PgKind::Timestamp) + " AS date)",
                   "DATE(" + v(PgKind::Timestamp) + ")", "TO_DATE(" + v(PgKind::Text) + ", 'YYYY')",
                   "CAST(" + v(PgKind::Text) + " AS date)", "MAKE_DATE(" + v(PgKind::Integer) + ", 1, 1)"});
    case PgKind::Timestamp:
      return pick({v(PgKind::Date) + " + " + v(PgKind::Interval), "DATE_TRUNC('month', " + v(kind) + ")",
                   v(kind) + " - " + v(PgKind::Interval), "CAST(" + v(PgKind::Date) + " AS timestamp)"});
    case PgKind::Interval:
      return pick({"AGE(" + v(PgKind::Timestamp) + ", " + v(PgKind::Date) + ")", v(PgKind::Timestamp) + " - " + v(PgKind::Date),
                   v(kind) + " + " + v(kind)});
    case PgKind::Boolean:
      return condition(depth - 1);
    default:
      return column(kind);
  }
}

std::string PgQueryGenerator::condition(int depth) {
  const auto v = [&](PgKind of) { return value(of, depth - 1); };
  static constexpr const char* kCompare[] = {" = ", " <> ", " < ", " <= ", " > ", " >= ", " != "};
  const size_t what = below(100);
  const PgKind kind = some_kind();
  if (depth <= 0 || what < 35) return v(kind) + kCompare[below(std::size(kCompare))] + v(kind);
  if (what < 42) return condition(depth - 1) + " AND " + condition(depth - 1);
  if (what < 48) return "(" + condition(depth - 1) + " OR " + condition(depth - 1) + ")";
  if (what < 52) return "NOT (" + condition(depth - 1) + ")";
  if (what < 58) return v(kind) + (chance(50) ? " IS NULL" : " IS NOT NULL");
  if (what < 63) return v(kind) + (chance(20) ? " NOT" : "") + " BETWEEN " + v(kind) + " AND " + v(kind);
  if (what < 69) return v(kind) + (chance(20) ? " NOT" : "") + " IN (" + v(kind) + ", " + literal(kind) + ")";
  if (what < 73) return v(PgKind::Text) + (chance(50) ? " LIKE " : " ILIKE ") + (chance(80) ? "'a%'" : v(PgKind::Text));
  if (what < 76) return v(kind) + " IS DISTINCT FROM " + v(kind);
  if (what < 79) return column(PgKind::Boolean) + (chance(50) ? "" : " IS TRUE");
  if (what < 86 && depth > 1)
    return v(kind) + (chance(30) ? " NOT" : "") + " IN (" + select(depth - 2, {kind}, false) + ")";
  if (what < 91 && depth > 1)
    return std::string(chance(30) ? "NOT " : "") + "EXISTS (" + select(depth - 2, {some_kind()}, false) + ")";
  if (what < 94 && depth > 1) {
    return v(kind) + kCompare[below(6)] + (chance(50) ? "ANY (" : "ALL (") + select(depth - 2, {kind}, false) + ")";
  }
  if (what < 97 && depth > 1) return v(kind) + kCompare[below(6)] + scalar_query(kind, depth - 1);
  return "STARTS_WITH(" + v(PgKind::Text) + ", 'a')";
}

std::string PgQueryGenerator::from_item(Scope& scope, int depth) {
  Source source;
  source.alias = "t" + std::to_string(++aliases_);
  if (depth > 1 && chance(12)) {
    std::vector<Name> outputs;
    const std::vector<Scope> kept = scopes_;
    if (!scopes_.empty()) scopes_.pop_back();
    std::vector<PgKind> kinds(1 + below(3));
    for (PgKind& kind : kinds) kind = some_kind();
    const std::string body = select(depth - 2, kinds, false, &outputs);
    scopes_ = kept;
    source.columns = outputs;
    scope.push_back(source);
    return "(" + body + ") AS " + source.alias;
  }
  if (!ctes_.empty() && chance(25)) {
    const Source& cte = ctes_[below(ctes_.size())];
    source.columns = cte.columns;
    scope.push_back(source);
    return cte.alias + " AS " + source.alias;
  }
  const Table& table = catalog_.tables()[below(catalog_.tables().size())];
  for (const Column& column : table.columns) source.columns.push_back({written(column.name), column.value.kind});
  const std::string name = written(table.name);
  const bool alias = chance(80);
  if (!alias) source.alias = name;
  scope.push_back(source);
  return alias ? name + (chance(50) ? " AS " : " ") + source.alias : name;
}

std::string PgQueryGenerator::from(Scope& scope, int depth) {
  std::string text = from_item(scope, depth);
  while (chance(30) && scope.size() < 4) {
    if (chance(20)) {
      text += ", " + from_item(scope, depth);
      continue;
    }
    static constexpr const char* kJoins[] = {" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", " INNER JOIN "};
    const size_t how = below(100);
    if (how < 8) {
      text += " CROSS JOIN " + from_item(scope, depth);
    } else if (how < 16) {
      text += " NATURAL " + std::string(kJoins[below(3)] + 1) + from_item(scope, depth);
    } else {
      text += kJoins[below(std::size(kJoins))] + from_item(scope, depth);
      const Source& right = scope.back();
      std::string shared;
      for (const Name& name : right.columns) {
        for (size_t i = 0; i + 1 < scope.size(); ++i) {
          for (const Name& other : scope[i].columns) {
            if (other.text == name.text && chance(50)) shared = name.text;
          }
        }
      }
      if (!shared.empty() && chance(50)) {
        text += " USING (" + shared + ")";
      } else {
        scopes_.push_back(scope);
        text += " ON " + condition(depth > 1 ? 1 : 0);
        scopes_.pop_back();
      }
    }
  }
  return text;
}

std::string PgQueryGenerator::select(int depth, std::vector<PgKind> wanted, bool in_set, std::vector<Name>* outputs) {
  Scope scope;
  std::string from_text = from(scope, depth);
  scopes_.push_back(scope);
  const bool outer_grouped = grouped_;
  std::string text = "SELECT " + std::string(chance(8) ? "DISTINCT " : "");
  std::vector<std::string> terms;
  std::vector<std::string> names;
  const bool groups = chance(25);
  std::vector<std::string> group_by;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const PgKind kind = wanted[i];
    std::string item;
    if (groups && chance(50)) {
      item = aggregate(kind == PgKind::Opaque ? PgKind::Bigint : kind, depth);
    } else {
      item = groups ? column(kind) : value(kind, depth);
      if (groups && item.find('.') != std::string::npos) group_by.push_back(chance(70) ? item : std::to_string(i + 1));
    }
    std::string name;
    if (outputs != nullptr || chance(25)) {
      name = "c" + std::to_string(++aliases_);
      item += (chance(80) ? " AS " : " ") + name;
    }
    if (outputs != nullptr) outputs->push_back({name, kind});
    names.push_back(name);
    terms.push_back(item);
  }
  if (!in_set && outputs == nullptr && wanted.size() > 1 && chance(5))
    terms = {chance(50) ? "*" : scope[0].alias + ".*"};
  for (size_t i = 0; i < terms.size(); ++i) text += (i == 0 ? "" : ", ") + terms[i];
  text += " FROM " + from_text;
  if (chance(45)) text += " WHERE " + condition(depth);
  if (groups) {
    if (!group_by.empty()) {
      text += " GROUP BY ";
      for (size_t i = 0; i < group_by.size(); ++i) text += (i == 0 ? "" : ", ") + group_by[i];
    }
    if (chance(30)) text += " HAVING " + aggregate(PgKind::Bigint, depth) + " > 1";
  }
  if (!in_set && chance(30)) {
    const std::string& name = names[below(names.size())];
    text += " ORDER BY " + (chance(30)                    ? std::to_string(1 + below(wanted.size()))
                            : chance(40) && !name.empty() ? name
                            : groups                      ? aggregate(PgKind::Bigint, 1)
                                                          : value(some_kind(), 1));
    if (chance(30)) text += " DESC NULLS LAST";
  }
  if (!in_set && chance(15)) text += " LIMIT " + std::to_string(below(5)) + (chance(30) ? " OFFSET 1" : "");
  grouped_ = outer_grouped;
  scopes_.pop_back();
  return text;
}

std::string PgQueryGenerator::query() {
  scopes_.clear();
  ctes_.clear();
  aliases_ = 0;
  grouped_ = false;
  const int depth = static_cast<int>(chance(60) ? 1 : 1 + below(3));
  std::string text;
  if (chance(12)) {
    Source cte;
    cte.alias = "w" + std::to_string(++aliases_);
    text = "WITH " + cte.alias + " AS (" + select(depth - 1, {some_kind(), some_kind()}, false, &cte.columns) + ") ";
    ctes_.push_back(cte);
  }
  std::vector<PgKind> kinds(1 + below(3));
  for (PgKind& kind : kinds) kind = some_kind();
  if (chance(88)) return text + select(depth, kinds, false);
  static constexpr const char* kSets[] = {" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT "};
  text += select(depth, kinds, true);
  while (chance(40)) text += kSets[below(4)] + select(depth, kinds, true);
  text += kSets[below(4)] + select(depth, kinds, true);
  if (chance(40)) text += " ORDER BY " + std::to_string(1 + below(kinds.size()));
  return text;
}

}  // namespace pccsql
