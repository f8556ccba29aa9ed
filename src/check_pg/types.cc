#include "check_pg/types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "check_pg/letters.h"

namespace pccsql::check_pg {
namespace {

bool all_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

// `count` digits as a number; -1: they are none.
int digits(std::string_view text, size_t at, size_t count) {
  if (text.size() < at + count) return -1;
  int value = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool is_date_text(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31) return false;
  if (month == 2) return day <= 28;
  return day <= 30 || (month != 4 && month != 6 && month != 9 && month != 11);
}

bool is_time_text(std::string_view text, bool fraction) {
  if (text.size() < 5 || text[2] != ':') return false;
  const int hour = digits(text, 0, 2), minute = digits(text, 3, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return false;
  if (text.size() == 5) return true;
  const int second = digits(text, 6, 2);
  if (text[5] != ':' || second < 0 || second > 59) return false;
  if (text.size() == 8) return true;
  return fraction && text[8] == '.' && text.size() <= 15 && all_digits(text.substr(9));
}

bool is_timestamp_text(std::string_view text) {
  if (!is_date_text(text.substr(0, 10))) return false;
  return text.size() == 10 || (text[10] == ' ' && is_time_text(text.substr(11), true));
}

// A sign, digits, and for what is no integer a fraction.
bool is_number_text(std::string_view text, bool fraction, int64_t most) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  if (!all_digits(whole)) return false;
  if (dot != std::string_view::npos) return fraction && text.size() < 100 && all_digits(text.substr(dot + 1));
  if (fraction) return text.size() < 100;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  return error == std::errc() && end == whole.data() + whole.size() && value <= most;
}

bool is_boolean_text(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kWords{"t", "f",   "true", "false", "y",
                                                           "n", "yes", "no",   "on",    "off"};
  return text == "1" || text == "0" || std::ranges::find(kWords, text) != kWords.end();
}

bool is_uuid_text(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = fold(text[i]);
    if (dash ? c != '-' : !is_digit(c) && (c < 'a' || c > 'f')) return false;
  }
  return true;
}

}  // namespace

bool is_comparison(std::string_view op) {
  static constexpr std::array<std::string_view, 6> kOperators{"=", "<>", "<", "<=", ">", ">="};
  return std::ranges::find(kOperators, op) != kOperators.end();
}

bool is_number(PgKind kind) { return kind >= PgKind::Integer && kind <= PgKind::Float; }
bool is_date(PgKind kind) { return kind == PgKind::Date || kind == PgKind::Timestamp; }

bool one_group(const Type& a, const Type& b) {
  if (!a.known() || !b.known() || a.kind == PgKind::Opaque || b.kind == PgKind::Opaque) return false;
  if (is_number(a.kind)) return is_number(b.kind);
  if (is_date(a.kind)) return is_date(b.kind);
  return a.kind == b.kind && (a.kind != PgKind::Enum || a.enumeration == b.enumeration);
}

Type later(const Type& a, const Type& b) {
  Type result = a.kind < b.kind ? b : a;
  result.small = a.small && b.small;
  return result;
}

std::optional<Type> arithmetic(std::string_view op, const Type& left, const Type& right) {
  const PgKind l = left.kind, r = right.kind;
  if (is_number(l) && is_number(r)) {
    if (op == "%" && (l == PgKind::Float || r == PgKind::Float)) return std::nullopt;
    return later(left, right);
  }
  if (op == "-") {
    if (l == PgKind::Date && r == PgKind::Date) return Type::of(PgKind::Integer);
    if (is_date(l) && is_date(r)) return Type::of(PgKind::Interval);
  }
  if (op == "+" || op == "-") {
    if (l == PgKind::Date && r == PgKind::Integer) return Type::of(PgKind::Date);
    if (is_date(l) && r == PgKind::Interval) return Type::of(PgKind::Timestamp);
    if (l == PgKind::Interval && r == PgKind::Interval) return Type::of(PgKind::Interval);
  }
  return std::nullopt;
}

bool is_interval(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kUnits{"year", "month", "week", "day", "hour", "minute", "second"};
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos || !is_number_text(text.substr(0, blank), false, 100'000)) return false;
  std::string unit = folded(text.substr(blank + 1));
  if (unit.ends_with('s')) unit.pop_back();
  return std::ranges::find(kUnits, unit) != kUnits.end();
}

bool is_value(std::string_view text, const Type& type, const Catalog& catalog) {
  switch (type.kind) {
    case PgKind::Integer:
      return is_number_text(text, false, type.small ? 32767 : 2147483647);
    case PgKind::Bigint:
      return is_number_text(text, false, std::numeric_limits<int64_t>::max());
    case PgKind::Numeric:
    case PgKind::Float:
      return is_number_text(text, true, 0) && text.size() < 30;
    case PgKind::Text:
      return true;
    case PgKind::Date:
      return is_date_text(text);
    case PgKind::Timestamp:
      return is_timestamp_text(text);
    case PgKind::Time:
      return is_time_text(text, false);
    case PgKind::Interval:
      return is_interval(text);
    case PgKind::Boolean:
      return is_boolean_text(text);
    case PgKind::Uuid:
      return is_uuid_text(text);
    case PgKind::Enum: {
      const std::vector<std::string>& labels = catalog.enumerations()[type.enumeration].labels;
      return std::ranges::find(labels, text) != labels.end();
    }
    case PgKind::Opaque:
      return false;
  }
  return false;
}

Type number_type(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return Type::of(PgKind::Numeric);
  const bool fits = value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
  return Type::of(fits ? PgKind::Integer : PgKind::Bigint);
}

}  // namespace pccsql::check_pg
