#include "check_pg/functions.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "check_pg/types.h"

namespace pccsql::check_pg {
namespace {

constexpr CallKind kScalar = CallKind::Scalar;
constexpr CallKind kAggregate = CallKind::Aggregate;
constexpr CallKind kWindow = CallKind::Window;

const std::vector<Function> kFunctions{
    {"lower", kScalar, "T", Gives::Text},
    {"upper", kScalar, "T", Gives::Text},
    {"initcap", kScalar, "T", Gives::Text},
    {"reverse", kScalar, "T", Gives::Text},
    {"btrim", kScalar, "T|T", Gives::Text},
    {"ltrim", kScalar, "T|T", Gives::Text},
    {"rtrim", kScalar, "T|T", Gives::Text},
    {"substr", kScalar, "TI|I", Gives::Text},
    {"substring", kScalar, "TI|I", Gives::Text},
    {"left", kScalar, "TI", Gives::Text},
    {"right", kScalar, "TI", Gives::Text},
    {"replace", kScalar, "TTT", Gives::Text},
    {"split_part", kScalar, "TTI", Gives::Text},
    {"lpad", kScalar, "TI|T", Gives::Text},
    {"rpad", kScalar, "TI|T", Gives::Text},
    {"concat", kScalar, "X|*", Gives::Text},
    {"to_char", kScalar, "DT", Gives::Text},
    {"to_char", kScalar, "NT", Gives::Text},
    {"length", kScalar, "T", Gives::Integer},
    {"char_length", kScalar, "T", Gives::Integer},
    {"strpos", kScalar, "TT", Gives::Integer},
    {"position", kScalar, "TT", Gives::Integer},
    {"starts_with", kScalar, "TT", Gives::Boolean},
    {"abs", kScalar, "N", Gives::First},
    {"round", kScalar, "N", Gives::Rounded},
    {"round", kScalar, "MI", Gives::Numeric},
    {"trunc", kScalar, "N", Gives::Rounded},
    {"trunc", kScalar, "MI", Gives::Numeric},
    {"ceil", kScalar, "N", Gives::Rounded},
    {"ceiling", kScalar, "N", Gives::Rounded},
    {"floor", kScalar, "N", Gives::Rounded},
    {"sign", kScalar, "N", Gives::Rounded},
    {"sqrt", kScalar, "N", Gives::Rounded},
    {"exp", kScalar, "N", Gives::Rounded},
    {"ln", kScalar, "N", Gives::Rounded},
    {"log", kScalar, "N", Gives::Rounded},
    {"power", kScalar, "NN", Gives::Powered},
    {"mod", kScalar, "MM", Gives::Modulo},
    {"extract", kScalar, "UD", Gives::Numeric},
    {"date_part", kScalar, "UD", Gives::Float},
    {"date_trunc", kScalar, "UD", Gives::Timestamp},
    {"age", kScalar, "D|D", Gives::Interval},
    {"date", kScalar, "D", Gives::Date},
    {"make_date", kScalar, "III", Gives::Date, true},
    {"to_date", kScalar, "TT", Gives::Date, true},
    {"now", kScalar, "", Gives::Timestamp},
    {"count", kAggregate, "A", Gives::Bigint},
    {"sum", kAggregate, "S", Gives::Sum},
    {"avg", kAggregate, "S", Gives::Average},
    {"min", kAggregate, "L", Gives::First},
    {"max", kAggregate, "L", Gives::First},
    {"string_agg", kAggregate, "TT", Gives::Text},
    {"bool_and", kAggregate, "B", Gives::Boolean},
    {"bool_or", kAggregate, "B", Gives::Boolean},
    {"every", kAggregate, "B", Gives::Boolean},
    {"stddev", kAggregate, "N", Gives::Deviation},
    {"stddev_pop", kAggregate, "N", Gives::Deviation},
    {"stddev_samp", kAggregate, "N", Gives::Deviation},
    {"variance", kAggregate, "N", Gives::Deviation},
    {"var_pop", kAggregate, "N", Gives::Deviation},
    {"var_samp", kAggregate, "N", Gives::Deviation},
    {"row_number", kWindow, "", Gives::Bigint},
    {"rank", kWindow, "", Gives::Bigint},
    {"dense_rank", kWindow, "", Gives::Bigint},
    {"percent_rank", kWindow, "", Gives::Float},
    {"cume_dist", kWindow, "", Gives::Float},
    {"ntile", kWindow, "I", Gives::Integer},
    {"lag", kWindow, "X|I", Gives::First},
    {"lead", kWindow, "X|I", Gives::First},
    {"first_value", kWindow, "X", Gives::First},
    {"last_value", kWindow, "X", Gives::First},
    {"nth_value", kWindow, "XI", Gives::First},
};

bool is_exact(PgKind kind) { return kind == PgKind::Integer || kind == PgKind::Bigint || kind == PgKind::Numeric; }

}  // namespace

const std::vector<Function>& all_functions() { return kFunctions; }

std::vector<const Function*> find_functions(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, std::vector<const Function*>> map;
    for (const Function& function : kFunctions) map[function.name].push_back(&function);
    return map;
  }();
  const auto found = index.find(name);
  return found == index.end() ? std::vector<const Function*>() : found->second;
}

std::optional<std::string> letters_for(const Function& function, size_t count) {
  const std::string_view all = function.parameters;
  const size_t bar = all.find('|');
  std::string letters(all.substr(0, bar));
  if (count < letters.size()) return std::nullopt;
  if (bar != std::string_view::npos) {
    for (const char letter : all.substr(bar + 1)) {
      while (letter == '*' && letters.size() < count) letters += letters.back();
      if (letters.size() < count) letters += letter;
    }
  }
  if (count != letters.size()) return std::nullopt;
  return letters;
}

Type result_of(const Function& function, const std::vector<Type>& arguments) {
  const auto first = [&] { return arguments.front(); };
  switch (function.gives) {
    case Gives::Text:
      return Type::of(PgKind::Text);
    case Gives::Integer:
      return Type::of(PgKind::Integer);
    case Gives::Bigint:
      return Type::of(PgKind::Bigint);
    case Gives::Numeric:
      return Type::of(PgKind::Numeric);
    case Gives::Float:
      return Type::of(PgKind::Float);
    case Gives::Boolean:
      return Type::of(PgKind::Boolean);
    case Gives::Date:
      return Type::of(PgKind::Date);
    case Gives::Timestamp:
      return Type::of(PgKind::Timestamp);
    case Gives::Interval:
      return Type::of(PgKind::Interval);
    case Gives::First:
      return first();
    case Gives::Rounded:
      return Type::of(first().kind == PgKind::Numeric ? PgKind::Numeric : PgKind::Float);
    case Gives::Powered: {
      const PgKind a = arguments[0].kind, b = arguments[1].kind;
      const bool numeric = (a == PgKind::Numeric || b == PgKind::Numeric) && a != PgKind::Float && b != PgKind::Float;
      return Type::of(numeric ? PgKind::Numeric : PgKind::Float);
    }
    case Gives::Modulo:
      return later(arguments[0], arguments[1]);
    case Gives::Sum:
      if (first().kind == PgKind::Integer) return Type::of(PgKind::Bigint);
      return first().kind == PgKind::Bigint ? Type::of(PgKind::Numeric) : first();
    case Gives::Average:
      return is_exact(first().kind) ? Type::of(PgKind::Numeric) : first();
    case Gives::Deviation:
      return Type::of(is_exact(first().kind) ? PgKind::Numeric : PgKind::Float);
  }
  return {};
}

bool is_unit(std::string_view unit, std::string_view function, PgKind of) {
  static constexpr std::array<std::string_view, 8> kOfDates{"year", "quarter", "month",   "week",
                                                            "day",  "decade",  "century", "millennium"};
  static constexpr std::array<std::string_view, 3> kOfTimes{"hour", "minute", "second"};
  static constexpr std::array<std::string_view, 5> kPartsOfDates{"dow", "doy", "isodow", "isoyear", "epoch"};
  const auto among = [&](const auto& units) { return std::ranges::find(units, unit) != units.end(); };
  if (among(kOfDates)) return true;
  if (function == "date_trunc") return among(kOfTimes);
  if (among(kPartsOfDates)) return true;
  return among(kOfTimes) && (function == "date_part" || of == PgKind::Timestamp);
}

}  // namespace pccsql::check_pg
