#include "check/query_generator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace pccsql {
namespace {

using enum ColumnPolicy;

struct LabelledTable {
  const char* name;
  std::vector<std::pair<const char*, ColumnPolicy>> columns;
};

const std::vector<LabelledTable>& labelled_tables() {
  static const std::vector<LabelledTable> tables{
      {"t",
       {{"a", Public}, {"b", Public}, {"k", ConditionOnly}, {"c", AggregateOnly}, {"d", AggregateOnly}, {"h", Hidden}}},
      {"u", {{"a", Public}, {"k", ConditionOnly}, {"e", AggregateOnly}, {"s", Hidden}}},
      {"v", {{"b", Public}, {"f", Public}, {"a", Public}}},
      {"w", {{"k", ConditionOnly}, {"j", ConditionOnly}, {"g", AggregateOnly}}},
      {"z", {{"h", Hidden}, {"k", Hidden}}},
  };
  return tables;
}

// Terms of GROUP BY and ORDER BY that name no column, with the select item that they count to, if any.
struct ConstantTerm {
  const char* text;
  size_t ordinal;
};
constexpr ConstantTerm kConstantTerms[] = {
    {"1", 1},  {"2", 2},  {"3", 3},   {"+1", 1},    {"(1)", 1},  {"(+1)", 1}, {"- -1", 1}, {"1 COLLATE nocase", 1},
    {"+2", 2}, {"+3", 3}, {"'x'", 0}, {"1 + 0", 0}, {"NULL", 0}, {"1.5", 0},  {"TRUE", 0}};

}  // namespace

const std::string_view kGeneratorSchema =
    "CREATE TABLE t(a INT, b TEXT, k TEXT, c INT, d INT, h INT);"
    "CREATE TABLE u(a INT, k TEXT, e INT, s INT);"
    "CREATE TABLE v(b TEXT, f TEXT, a INT);"
    "CREATE TABLE w(k TEXT, j INT, g INT);"
    "CREATE TABLE z(h INT, k TEXT);";

Policy generator_policy(const Catalog& catalog) {
  Policy policy(catalog, Hidden);
  for (const LabelledTable& table : labelled_tables()) {
    for (const auto& [column, label] : table.columns) policy.set(*catalog.find_column(table.name, column), label);
  }
  return policy;
}

QueryGenerator::QueryGenerator(Emphasis emphasis, uint64_t seed) : emphasis_(emphasis), random_(seed) {}

GeneratedQuery QueryGenerator::next() {
  made_ = {};
  levels_.clear();
  ctes_.clear();
  named_ = 0;
  room_ = 3 + static_cast<int>(random_() % (chance(35) ? 28 : 10));
  constexpr std::array kTemptations{0, 0, 4, 15};
  temptation_ = kTemptations[random_() % kTemptations.size()];
  ordering_ = chance(30);
  std::string with;
  while (ctes_.size() < 2 && chance(8)) {
    Source cte{"q" + std::to_string(ctes_.size()), {}};
    std::vector<std::string> names;
    with += (with.empty() ? "WITH " : ", ") + cte.name + " AS (" + query(Kind::Derived, Role::Sel, 0, 2, &names) + ")";
    for (std::string& name : names) cte.columns.push_back({std::move(name), Public});
    ctes_.push_back(std::move(cte));
  }
  if (!with.empty()) with += ' ';
  made_.sql = with + query(Kind::Outermost, Role::Sel, 0, 4);
  return std::move(made_);
}

std::string QueryGenerator::new_name() {
  if (chance(12)) return one_of({"a", "c", "k", "x", "e", "b"});
  return "n" + std::to_string(++named_);
}

// `width` 0 leaves it open. `names` takes the names of the output columns that have one.
std::string QueryGenerator::query(Kind kind, Role role, size_t width, int depth, std::vector<std::string>* names) {
  if (width == 0) width = 1 + random_() % (kind == Kind::Exists ? 2 : 4);
  const bool compound = depth > 0 && emphasised(Emphasis::SetOperations, 55, 8);
  std::vector<std::string> items;
  std::vector<std::string> item_names;
  std::string text = select(kind, role, width, depth, compound, items, item_names);
  if (names != nullptr) {
    for (const std::string& name : item_names) {
      if (!name.empty()) names->push_back(name);
    }
  }
  if (!compound) return text;
  do {
    text += one_of({" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT "});
    text += select(kind, role, width, depth - 1, true, items, item_names);
  } while (chance(20));
  if (chance(60)) text += order_by(items, item_names, true, {}, depth);
  const bool limited = chance(8);
  if (limited) text += " LIMIT 2";
  // The rows of a set operation come sorted by their values.
  if (limited || kind == Kind::Scalar) made_.compares_order = true;
  return text;
}

// One SELECT. Items and their names are added to what is there, so that ORDER BY after a set operation can pick from
// every branch.
std::string QueryGenerator::select(Kind kind, Role role, size_t width, int depth, bool compound,
                                   std::vector<std::string>& items, std::vector<std::string>& names) {
  const size_t me = levels_.size();
  levels_.emplace_back();
  const std::string from_text = chance(96) ? " FROM " + from(depth) : "";
  enum class Grouping { None, Constants, Columns } grouping = Grouping::None;
  if (!from_text.empty() && emphasised(Emphasis::Windows, 50, 35)) {
    grouping = emphasised(Emphasis::Windows, 65, 30) ? Grouping::Constants : Grouping::Columns;
  }
  if (grouping == Grouping::Columns) {
    do {
      std::string term = column_of(levels_[me], {});
      if (!term.empty()) levels_[me].groups.push_back(std::move(term));
    } while (chance(25));
    if (levels_[me].groups.empty()) grouping = Grouping::Constants;
  }
  const bool aggregating = grouping != Grouping::None || emphasised(Emphasis::Aggregates, 60, 30);
  while (levels_[me].windows.size() < 2 && emphasised(Emphasis::Windows, 25, 2)) {
    levels_[me].windows.push_back("w" + std::to_string(levels_[me].windows.size() + 1));
  }
  levels_[me].grouped = grouping == Grouping::Columns;
  const Place selected{role, aggregating, true, false};

  std::string list;
  std::vector<std::string> own;
  std::vector<std::string> own_names;
  std::vector<bool> varies;  // by item: it holds a column
  for (size_t i = 0; i < width; ++i) {
    std::string text;
    std::string name;
    const int before = columns_;
    if (!compound && (kind == Kind::Outermost || kind == Kind::Exists) && !from_text.empty() && chance(3)) {
      text = chance(50) ? "*" : levels_[me].from.front().name + ".*";
      ++columns_;
      made_.hangs_on_order |= levels_[me].grouped;
    } else {
      // A number that GROUP BY counts to may be taken for an ordinal once more.
      const bool number = i == 0 && grouping == Grouping::Constants && emphasised(Emphasis::Windows, 40, 10);
      text = number ? one_of({"1", "2", "3"}) : item(selected, depth);
      if (kind == Kind::Derived ? chance(85) : emphasised(Emphasis::Aliases, 55, 15)) {
        name = new_name();
        levels_[me].aliases.push_back(name);
      }
    }
    varies.push_back(columns_ != before);
    list += (list.empty() ? "" : ", ") + text + (name.empty() ? "" : " AS " + name);
    own.push_back(std::move(text));
    own_names.push_back(std::move(name));
  }

  std::string rest;
  levels_[me].grouped = false;
  if (!from_text.empty() && chance(40)) rest += " WHERE " + predicate({Role::Where, false, false, false}, depth - 1);
  levels_[me].grouped = grouping == Grouping::Columns;
  if (grouping == Grouping::Columns) {
    rest += " GROUP BY ";
    for (size_t i = 0; i < levels_[me].groups.size(); ++i) rest += (i == 0 ? "" : ", ") + levels_[me].groups[i];
  } else if (grouping == Grouping::Constants) {
    rest += " GROUP BY " + group_term(own, own_names, varies);
    if (chance(25)) rest += ", " + group_term(own, own_names, varies);
  }
  if (aggregating && chance(15)) rest += " HAVING " + predicate({Role::Where, true, false, false}, depth - 1);
  for (size_t i = 0; i < levels_[me].windows.size(); ++i) {
    const std::vector<std::string> defined = levels_[me].windows;
    levels_[me].windows.resize(i);
    rest += (i == 0 ? " WINDOW " : ", ") + defined[i] + " AS " + window({Role::Sel, aggregating, false, false}, depth);
    levels_[me].windows = defined;
  }
  if (!compound) {
    if (chance(kind == Kind::Outermost ? 35 : 12)) {
      rest += order_by(own, own_names, false, {Role::Sel, aggregating, true, false}, depth);
    }
    if (chance(8)) rest += one_of({" LIMIT 2", " LIMIT 1", " LIMIT 1 OFFSET 1"});
  }
  items.insert(items.end(), own.begin(), own.end());
  names.insert(names.end(), own_names.begin(), own_names.end());
  levels_.pop_back();
  return std::string(chance(8) ? "SELECT DISTINCT " : "SELECT ") + list + from_text + rest;
}

// A term of GROUP BY that is no column by itself: a constant, which may count to a select item, an alias, or an item
// written again.
std::string QueryGenerator::group_term(const std::vector<std::string>& items, const std::vector<std::string>& names,
                                       const std::vector<bool>& varies) {
  const size_t which = random_() % items.size();
  if (chance(70)) {
    const ConstantTerm& term = kConstantTerms[random_() % std::size(kConstantTerms)];
    if (term.ordinal > 0 && term.ordinal <= varies.size()) made_.hangs_on_order |= varies[term.ordinal - 1];
    return term.text;
  }
  made_.hangs_on_order |= varies[which];
  return !names[which].empty() && chance(70) ? names[which] : recased(items[which]);
}

std::string QueryGenerator::order_by(const std::vector<std::string>& items, const std::vector<std::string>& names,
                                     bool compound, const Place& place, int depth) {
  std::string text;
  do {
    text += text.empty() ? " ORDER BY " : ", ";
    const size_t which = random_() % items.size();
    const int way = static_cast<int>(random_() % 100);
    if (way < 20) {
      text += kConstantTerms[random_() % std::size(kConstantTerms)].text;
    } else if (way < 40 && !names[which].empty()) {
      text += recased(names[which]);
    } else if (way < 65 || compound) {
      text += recased(requalified(items[which]));
    } else if (way < 85) {
      text += item(place, depth - 1);
    } else {
      text += value(place, depth - 1);
    }
    if (chance(12)) text += one_of({" COLLATE nocase", " COLLATE BINARY", " COLLATE NOCASE"});
    if (chance(15)) text += one_of({" DESC", " ASC", " DESC NULLS LAST"});
  } while (chance(20));
  return text;
}

std::string QueryGenerator::from(int depth) {
  const size_t me = levels_.size() - 1;
  Source source;
  std::string text = from_item(depth, source);
  levels_[me].from.push_back(std::move(source));
  while (levels_[me].from.size() < 3 && emphasised(Emphasis::SetOperations, 55, 35)) {
    Source right;
    const std::string item = from_item(depth, right);
    const bool natural = emphasised(Emphasis::SetOperations, 15, 4);
    const bool comma = !natural && chance(15);
    text += comma ? ", " : natural ? " NATURAL" : "";
    if (!comma) text += one_of({" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", " CROSS JOIN ", " JOIN "});
    text += item;
    std::vector<std::string> common;
    for (const Column& column : right.columns) {
      if (holders(levels_[me], column.name) == 1) common.push_back(column.name);
    }
    levels_[me].from.push_back(std::move(right));
    if (natural) {
      levels_[me].merged.insert(levels_[me].merged.end(), common.begin(), common.end());
    } else if (!common.empty() && chance(55)) {
      const std::string name = one_of(common);
      text += " USING (" + name + ")";
      levels_[me].merged.push_back(name);
    } else if (chance(80)) {
      text += " ON " + predicate({Role::Join, false, false, false}, depth - 1);
    }
  }
  return text;
}

// A FROM item that no sibling of it has the name of, mostly.
std::string QueryGenerator::from_item(int depth, Source& source) {
  std::string text;
  if (depth > 1 && room_ > 0 && chance(22)) {
    room_ -= 3;
    // A derived table does not see its siblings.
    Level mine = std::move(levels_.back());
    levels_.pop_back();
    std::vector<std::string> names;
    text = "(" + query(Kind::Derived, Role::Sel, 0, depth - 2, &names) + ")";
    levels_.push_back(std::move(mine));
    for (std::string& name : names) source.columns.push_back({std::move(name), Public});
  } else if (!ctes_.empty() && chance(35)) {
    source = ctes_[random_() % ctes_.size()];
    text = source.name;
  } else {
    constexpr std::array kTables{0, 0, 0, 1, 1, 2, 2, 3};
    const bool closed = chance(temptation_ / 3);
    const LabelledTable& table =
        labelled_tables()[closed ? 4 : static_cast<size_t>(kTables[random_() % kTables.size()])];
    text = source.name = table.name;
    for (const auto& [name, label] : table.columns) source.columns.push_back({name, label});
  }
  const auto taken = [&](const std::string& name) {
    return std::any_of(levels_.back().from.begin(), levels_.back().from.end(),
                       [&](const Source& sibling) { return sibling.name == name; });
  };
  if (source.name.empty() || taken(source.name) || chance(60)) {
    static const std::vector<std::string> kAliases{"x", "y", "o"};
    std::string alias = one_of(kAliases);
    while (taken(alias)) alias += "1";
    source.name = alias;
    text += (chance(30) ? " AS " : " ") + alias;
  }
  return text;
}

size_t QueryGenerator::holders(const Level& level, const std::string& name) const {
  if (std::find(level.merged.begin(), level.merged.end(), name) != level.merged.end()) return 1;
  return static_cast<size_t>(std::count_if(level.from.begin(), level.from.end(), [&](const Source& source) {
    return std::any_of(source.columns.begin(), source.columns.end(),
                       [&](const Column& column) { return column.name == name; });
  }));
}

// A select item: what the emphasis is on, or any value.
std::string QueryGenerator::item(const Place& place, int depth) {
  if (place.windows && emphasised(Emphasis::Windows, 35, 4)) return window_call(place, depth);
  if (place.aggregates && emphasised(Emphasis::Aggregates, 55, 20)) return aggregate(depth);
  if (emphasised(Emphasis::Windows, 30, 8)) return literal();
  if (emphasised(Emphasis::Windows, 20, 3)) return condition_of_outer_row();
  if (emphasised(Emphasis::SetOperations, 50, 10)) return column(place);
  return value(place, depth);
}

// A nested SELECT whose condition is about the row around it: its columns are part of the SELECT around it, in a clause
// where they would not be permitted by themselves.
std::string QueryGenerator::condition_of_outer_row() {
  const std::string name = column_of(levels_.back(), {Role::Where, false, false, false});
  if (name.empty()) return literal();
  const std::string condition = " FROM v WHERE " + name + one_of({" = 'x'", " IS NULL", " <> 'x'", " IN (NULL)"});
  return one_of({"EXISTS (SELECT 1", "(SELECT 2", "NOT EXISTS (SELECT b", "1 IN (SELECT 1", "(SELECT COUNT(*)"}) +
         condition + ")";
}

// A column in a place where its label mostly permits it; empty where the level has none.
std::string QueryGenerator::column_of(Level& level, const Place& place) {
  if (level.grouped && !level.groups.empty() && chance(85)) {
    ++columns_;
    return level.groups[random_() % level.groups.size()];
  }
  const bool tempted = chance(temptation_);
  std::vector<std::pair<const Source*, const Column*>> fitting;
  for (const Source& source : level.from) {
    for (const Column& one : source.columns) {
      bool fits = permitted(one.label, place.role);
      if (one.label == ConditionOnly && place.numbers && place.role != Role::Sel)
        fits = false;
      else if (tempted)
        fits = !fits;
      // A restricted column where it may stand is worth more than a Public one.
      for (int i = one.label == Public ? 1 : 2; fits && i > 0; --i) fitting.emplace_back(&source, &one);
    }
  }
  if (fitting.empty()) return "";
  ++columns_;
  made_.hangs_on_order |= level.grouped;
  const auto [source, one] = fitting[random_() % fitting.size()];
  const bool qualified = chance(holders(level, one->name) == 1 ? 50 : 95);
  std::string name = one->name;
  if (chance(4)) name = recased(name);
  if (chance(4)) name = "\"" + name + "\"";
  return qualified ? source->name + "." + name : name;
}

std::string QueryGenerator::column(const Place& place) {
  if (emphasised(Emphasis::Aliases, 22, 5)) {
    const Level& level = levels_[random_() % levels_.size()];
    if (!level.aliases.empty()) {
      ++columns_;
      return one_of(level.aliases);
    }
  }
  size_t level = levels_.size() - 1;
  while (level > 0 && chance(emphasis_ == Emphasis::Aliases ? 25 : 18)) --level;
  std::string text = column_of(levels_[level], place);
  return text.empty() ? literal() : text;
}

std::string QueryGenerator::literal() {
  if (emphasised(Emphasis::SetOperations, 35, 10)) {
    return one_of({"TRUE", "true", "\"abc\"", "\"ABC\"", "'abc'", "'ABC'", "x'0a'", "x'0A'", "0x1f", "1e1", "1E1",
                   "CAST(1 AS text)", "CAST(1 AS TEXT)", "1 COLLATE nocase", "NULL", "null"});
  }
  return one_of(
      {"1", "2", "3", "1", "2", "3", "0", "11", "20", "'x'", "'b1'", "NULL", "1.5", "TRUE", "\"zz\"", "+1", "10"});
}

std::string QueryGenerator::value(const Place& place, int depth) {
  if (--room_ <= 0 || depth <= 0) return chance(75) ? column(place) : literal();
  Place numbers = place;
  numbers.numbers = true;
  const int way = static_cast<int>(random_() % 100);
  if (way < 30) return column(place);
  if (way < 38) return literal();
  if (way < 46) {
    const std::string left = value(numbers, depth - 1);
    return left + one_of({" + ", " - ", " * ", " + ", " / ", " % "}) + value(numbers, depth - 1);
  }
  if (way < 50) {
    const std::string condition = predicate(place, depth - 1);
    return "CASE WHEN " + condition + " THEN " + value(place, depth - 1) + " ELSE " + value(place, depth - 1) + " END";
  }
  if (way < 54) {
    const std::string first = value(place, depth - 1);
    return one_of({"coalesce(", "ifnull(", "nullif("}) + first + ", " + value(place, depth - 1) + ")";
  }
  if (way < 57) return one_of({"abs(", "length(", "ABS(", "typeof("}) + value(numbers, depth - 1) + ")";
  if (way < 59 && ordering_) {
    made_.compares_order = true;
    const std::string first = value(place, depth - 1);
    return one_of({"max(", "min("}) + first + ", " + value(place, depth - 1) + ")";
  }
  if (way < 62) return "(" + value(place, depth - 1) + ")";
  if (way < 64) return "CAST(" + value(place, depth - 1) + one_of({" AS text)", " AS TEXT)", " AS INT)", " AS REAL)"});
  if (way < 66) return "(" + value(place, depth - 1) + ")" + one_of({" COLLATE nocase", " COLLATE NOCASE"});
  if (way < 68) return one_of({"- ", "+"}) + std::string("(") + value(place, depth - 1) + ")";
  if (way < 78 && place.aggregates) return aggregate(depth);
  if (way < 84 && place.windows) return window_call(place, depth);
  if (way < 90) return "(" + subquery(Kind::Scalar, {}, depth) + ")";
  if (way < 95) return "EXISTS (" + subquery(Kind::Exists, {}, depth) + ")";
  return "(" + predicate(place, depth - 1) + ")";
}

// One side of a comparison.
std::string QueryGenerator::operand(const Place& place, int depth) {
  if (--room_ <= 0 || depth <= 0 || chance(60)) return chance(80) ? column(place) : literal();
  if (place.aggregates && chance(40)) return aggregate(depth);
  if (chance(35)) return "(" + subquery(Kind::Scalar, place, depth) + ")";
  return value(place, depth - 1);
}

std::string QueryGenerator::predicate(const Place& place, int depth) {
  if (--room_ <= 0 || depth <= 0) {
    if (chance(20)) return one_of({"1", "TRUE", "NULL", "0"});
    const std::string left = operand(place, 0);
    return left + one_of({" = ", " <> ", " IS ", " = ", " IS NOT "}) + operand(place, 0);
  }
  const int way = static_cast<int>(random_() % 100);
  if (way < 30) {
    const std::string left = operand(place, depth);
    return left + one_of({" = ", " <> ", " IS ", " IS NOT ", " == ", " IS NOT DISTINCT FROM "}) + operand(place, depth);
  }
  if (way < 40 && ordering_) {
    made_.compares_order = true;
    const std::string left = operand(place, depth);
    if (chance(25)) return left + " BETWEEN " + operand(place, 0) + " AND " + operand(place, 0);
    return left + one_of({" < ", " <= ", " > ", " >= "}) + operand(place, depth);
  }
  if (way < 48) return operand(place, depth) + one_of({" IS NULL", " NOTNULL", " ISNULL", " NOT NULL"});
  if (way < 54)
    return operand(place, depth) + one_of({" IN (", " NOT IN ("}) + literal() + ", " + operand(place, 0) + ")";
  if (way < 68) return operand(place, depth) + one_of({" IN (", " NOT IN ("}) + subquery(Kind::In, place, depth) + ")";
  if (way < 78) return one_of({"EXISTS (", "NOT EXISTS ("}) + subquery(Kind::Exists, place, depth) + ")";
  if (way < 90) return predicate(place, depth - 1) + one_of({" AND ", " OR "}) + predicate(place, depth - 1);
  if (way < 93) return "NOT (" + predicate(place, depth - 1) + ")";
  if (way < 96) return value(place, depth - 1);
  return one_of({"1", "TRUE", "1 = 1", "0"});
}

// A nested SELECT without its parentheses. Where it is only compared, its select list decides and is not shown.
std::string QueryGenerator::subquery(Kind kind, const Place& place, int depth) {
  room_ -= 3;
  const bool compared = (place.role == Role::Where || place.role == Role::Join) && !place.numbers;
  return query(kind, compared ? Role::Where : Role::Sel, kind == Kind::Exists ? 0 : 1, depth - 1);
}

std::string QueryGenerator::aggregate(int depth) {
  room_ -= 2;
  if (chance(12)) return "COUNT(*)";
  const size_t me = levels_.size() - 1;
  const bool grouped = std::exchange(levels_[me].grouped, false);
  const Place shown{Role::Sel, emphasised(Emphasis::Aliases, 8, 2), false, false};
  const int way = static_cast<int>(random_() % 100);
  std::string text;
  if (way < 80) {
    text = one_of({"COUNT(", "SUM(", "AVG(", "sum("});
    const int argument = static_cast<int>(random_() % 100);
    if (argument < 12) {
      made_.counts_distinct = true;
      text += "DISTINCT " + (chance(80) ? column({Role::Agg, false, false, false}) : value(shown, depth - 1));
    } else if (argument < 70) {
      text += plain(depth);
    } else if (argument < 75 && temptation_ > 0) {
      text += nearly_plain();
    } else {
      text += value(shown, depth - 1);
    }
  } else if (way < 95) {
    text = one_of({"MIN(", "MAX(", "total("}) + value(shown, depth - 1);
  } else {
    made_.hangs_on_order = true;
    text = "group_concat(" + value(shown, depth - 1);
  }
  text += ")";
  if (chance(7)) text += " FILTER (WHERE " + predicate({}, depth - 1) + ")";
  levels_[me].grouped = grouped;
  return text;
}

// An argument that only carries values. Its numbers are sums of powers of two, so that no digit is lost.
std::string QueryGenerator::plain(int depth) {
  const Place carried{Role::Agg, false, false, false};
  const auto leaf = [&] {
    if (chance(8)) return column(carried);  // perhaps of an enclosing SELECT
    std::string text = column_of(levels_.back(), carried);
    return text.empty() ? std::string("1") : text;
  };
  const auto number = [&] { return one_of({"1", "2", "3", "0.5", "1.5", "12", "100", "NULL"}); };
  if (--room_ <= 0 || depth <= 0 || chance(45)) return leaf();
  const int way = static_cast<int>(random_() % 100);
  if (way < 20) return plain(depth - 1) + one_of({" + ", " - ", " * "}) + number();
  if (way < 30) return plain(depth - 1) + one_of({" + ", " - "}) + plain(depth - 1);
  if (way < 45) return leaf() + " * " + leaf();
  if (way < 50) return "(" + plain(depth - 1) + ") * " + leaf();
  if (way < 58) return "(" + plain(depth - 1) + ") / " + one_of({"2.0", "4.0", "1.", ".5"});
  if (way < 64) return "CAST(" + plain(depth - 1) + one_of({" AS REAL)", " AS FLOAT)", " AS double)"});
  if (way < 72) return one_of({"COALESCE(", "IFNULL("}) + plain(depth - 1) + ", " + plain(depth - 1) + ")";
  if (way < 80) {
    return "CASE WHEN " + predicate({}, depth - 1) + " THEN " + plain(depth - 1) + " ELSE " + plain(depth - 1) + " END";
  }
  if (way < 84) return "IIF(" + predicate({}, depth - 1) + ", " + plain(depth - 1) + ", " + number() + ")";
  if (way < 90) return "-(" + plain(depth - 1) + ")";
  if (way < 94) return "(" + plain(depth - 1) + ") COLLATE nocase";
  return "(" + plain(depth - 1) + ")";
}

// An argument that looks as if it carried a value, and asks something of it. `@` is a column.
std::string QueryGenerator::nearly_plain() {
  std::string text = one_of({"@ / 2",
                             "round(@)",
                             "round(@ / 2.0)",
                             "CAST(@ AS INT)",
                             "CAST(@ / 2.0 AS INTEGER)",
                             "CAST(@ AS text)",
                             "@ > 11",
                             "@ = 11 COLLATE nocase",
                             "@ % 2",
                             "abs(@ - 11)",
                             "@ * @",
                             "(@ + 1) * (@ - 1)",
                             "@ * 0.000001 + 999999999999999",
                             "@ * 9223372036854775807",
                             "(@ - 11) * exp(1000)",
                             "@ + 9223372036854775790",
                             "nullif(@, 11)",
                             "@ || ''",
                             "iif(@ > 11, 1, 0)",
                             "CASE @ WHEN 11 THEN 1 END",
                             "CASE WHEN @ > 11 THEN 1 ELSE 0 END",
                             "CASE 11 WHEN @ THEN 1 END",
                             "COALESCE(@ > 11, 0)",
                             "DISTINCT @ / 2",
                             "DISTINCT CASE WHEN 1 THEN @ ELSE 11 END",
                             "@ & 1",
                             "@ IN (11, 12)",
                             "@ BETWEEN 10 AND 12",
                             "@ IS 11",
                             "(@ - 11) IS NULL",
                             "@ - 11 AND 1",
                             "NOT (@ - 11)",
                             "~@",
                             "1 / (@ - 11)",
                             "1.0 / (@ - 11)",
                             "@ / 2.0 / 3",
                             "@ / (1.5)",
                             "@ + (SELECT 1)",
                             "@ * 1 * 2 * 3",
                             "@ << 62",
                             "max(@, 11)",
                             "(SELECT @ / 2)",
                             "(SELECT @)",
                             "(SELECT @ WHERE @ > 11)"});
  const std::string name = column_of(levels_.back(), {Role::Agg, false, false, false});
  if (name.empty()) return "1";
  if (text.starts_with("DISTINCT")) made_.counts_distinct = true;
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + name.size())) {
    text.replace(at, 1, name);
  }
  return text;
}

std::string QueryGenerator::window_call(const Place& place, int depth) {
  room_ -= 2;
  const Place inside{Role::Sel, place.aggregates, false, false};
  std::string text;
  if (chance(45)) {
    text = one_of({"ROW_NUMBER()", "RANK()", "dense_rank()", "COUNT(*)", "ntile(2)"});
  } else {
    text = one_of({"SUM(", "COUNT(", "MAX(", "lag(", "first_value(", "last_value(", "AVG("});
    const bool filters = std::isupper(static_cast<unsigned char>(text.front())) != 0;
    text += value(inside, depth - 1) + ")";
    if (filters && chance(15)) text += " FILTER (WHERE " + predicate(inside, depth - 1) + ")";
  }
  const std::vector<std::string>& windows = levels_.back().windows;
  if (!windows.empty() && chance(50)) return text + " OVER " + one_of(windows);
  return text + " OVER " + window(inside, depth);
}

std::string QueryGenerator::window(const Place& place, int depth) {
  if (chance(25)) return "()";
  const std::vector<std::string>& windows = levels_.back().windows;
  std::string text;
  const bool based = !windows.empty() && chance(15);
  if (based) text += one_of(windows) + " ";
  const auto term = [&] { return place.aggregates && chance(25) ? aggregate(depth - 1) : value(place, depth - 2); };
  if (!based && chance(45)) text += "PARTITION BY " + term() + (chance(15) ? ", " + term() : "") + " ";
  if (chance(55)) text += "ORDER BY " + term() + (chance(20) ? " DESC" : "") + (chance(15) ? ", " + term() : "") + " ";
  if (chance(30)) {
    text += one_of({"ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", "RANGE UNBOUNDED PRECEDING",
                    "GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING", "ROWS CURRENT ROW",
                    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", "RANGE 1 PRECEDING"});
    if (chance(40)) {
      text += one_of({" EXCLUDE TIES", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE NO OTHERS"});
    }
  }
  return "(" + text + ")";
}

// A column, sometimes without its qualifier or with one: beside USING these are not the same.
std::string QueryGenerator::requalified(const std::string& text) {
  const auto part_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.'; };
  if (!std::all_of(text.begin(), text.end(), part_of_name) || std::isalpha(static_cast<unsigned char>(text[0])) == 0) {
    return text;
  }
  if (!chance(40)) return text;
  const size_t dot = text.find('.');
  return dot != std::string::npos ? text.substr(dot + 1) : one_of({"x.", "y.", "o.", "t.", "u.", "v."}) + text;
}

// The same words, sometimes in another case, inside quotes as well.
std::string QueryGenerator::recased(std::string text) {
  if (!chance(45)) return text;
  const bool up = chance(50);
  const bool all = chance(50);
  bool changes = all;
  bool inside = false;
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = std::isalnum(byte) != 0 || c == '_';
    if (letter && !inside && !all) changes = chance(40);
    inside = letter;
    if (changes) c = static_cast<char>(up ? std::toupper(byte) : std::tolower(byte));
  }
  return text;
}

}  // namespace pccsql
