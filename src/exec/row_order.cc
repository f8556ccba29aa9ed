#include "exec/row_order.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <string>

#include "syntax/lexer.h"

namespace pccsql {
namespace {

int rank(const Value& value) {
  switch (value.index()) {
    case 0:
      return 0;
    case 1:
    case 2:
      return 1;
    case 3:
      return 2;
    default:
      return 3;
  }
}

// Exact, where a conversion of the integer to a real would round. SQLite has no NaN.
std::weak_ordering compare(int64_t integer, double real) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (real >= kLimit) return std::weak_ordering::less;
  if (real < -kLimit) return std::weak_ordering::greater;
  const auto whole = static_cast<int64_t>(real);
  if (integer != whole) return integer <=> whole;
  const double rest = real - static_cast<double>(whole);
  return rest > 0 ? std::weak_ordering::less : rest < 0 ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

std::weak_ordering compare(const std::string& a, const std::string& b) {
  // std::string compares as unsigned bytes, as memcmp does.
  return a.compare(b) <=> 0;
}

std::weak_ordering compare(const Value& a, const Value& b) {
  if (const int x = rank(a), y = rank(b); x != y) return x <=> y;
  if (const auto* text = std::get_if<std::string>(&a)) return compare(*text, std::get<std::string>(b));
  if (const auto* blob = std::get_if<Blob>(&a)) return compare(blob->bytes, std::get<Blob>(b).bytes);
  const auto* left = std::get_if<int64_t>(&a);
  const auto* right = std::get_if<int64_t>(&b);
  if (left != nullptr && right != nullptr) return *left <=> *right;
  if (left != nullptr) return compare(*left, std::get<double>(b));
  if (right != nullptr) return 0 <=> compare(*right, std::get<double>(a));
  if (std::holds_alternative<Null>(a)) return std::weak_ordering::equivalent;
  const double x = std::get<double>(a);
  const double y = std::get<double>(b);
  return x < y ? std::weak_ordering::less : y < x ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

// Values that compare equal may still look different: 1 and 1.0. The integer comes first, so that no two orders are
// possible for rows that differ.
std::weak_ordering compare_rows(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (const auto order = compare(a[i], b[i]); order != 0) return order;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].index() != b[i].index()) return a[i].index() <=> b[i].index();
  }
  return std::weak_ordering::equivalent;
}

}  // namespace

bool orders_result(std::string_view sql) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  int depth = 0;
  for (size_t i = 0; i + 1 < lexemes.size(); ++i) {
    if (lexemes[i].terminal == Terminal::LeftParen) ++depth;
    if (lexemes[i].terminal == Terminal::RightParen) --depth;
    if (depth == 0 && lexemes[i].terminal == Terminal::kw_ORDER && lexemes[i + 1].terminal == Terminal::kw_BY) {
      return true;
    }
  }
  return false;
}

void sort_by_values(std::vector<std::vector<Value>>& rows) {
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return compare_rows(a, b) < 0; });
}

}  // namespace pccsql
