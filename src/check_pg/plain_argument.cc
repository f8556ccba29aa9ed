#include "check_pg/plain_argument.h"

#include <algorithm>

#include "check_pg/types.h"

namespace pccsql::check_pg {
namespace {

constexpr int kMostDigits = 6;
constexpr int kMostProducts = 2;

bool exact_enough(const Type& type) { return type.is(PgKind::Numeric) || type.is(PgKind::Float); }

}  // namespace

bool PlainArgument::value(ExprId argument, bool distinct) {
  chooses_ = multiplies_ = false;
  if (ast_.exprs[argument].op == Op::Column) return true;
  if (distinct) return false;
  digits_ = products_ = 0;
  Columns columns;
  return plain(argument, columns);
}

bool PlainArgument::plain_number(const Expr& literal) {
  for (const char c : literal.text) {
    if (c == '.') continue;
    if (c < '0' || c > '9') return false;  // an exponent
    ++digits_;
  }
  return !literal.text.empty() && digits_ <= kMostDigits;
}

bool PlainArgument::plain(ExprId id, Columns& columns) {
  const Expr& expr = ast_.exprs[id];
  const auto all = [&](uint32_t first, uint32_t step, uint32_t end) {
    for (uint32_t i = first; i < end; i += step) {
      if (!plain(ast_.kid(id, i), columns)) return false;
    }
    return true;
  };
  switch (expr.op) {
    case Op::Constant: {
      // A string or a NULL was typed by what it stands beside; of the two, NULL has no text.
      if (expr.text.empty()) return true;
      const bool number = is_number(expr.type.kind) && expr.type.known();
      return number && !expr.quoted && plain_number(expr);
    }
    case Op::Column:
      for (uint32_t s = expr.sources; s < expr.sources + expr.source_count; ++s) {
        const SourceColumn& source = ast_.sources[s];
        const FromItem& item = ast_.queries[expr.query].from[source.item];
        if (item.query != 0) return false;  // what a derived table gives may be anything
        columns.push_back(uint64_t{item.table} << 32 | source.column);
      }
      return true;
    case Op::Cast:
      return expr.plain_cast && all(0, 1, expr.count);
    case Op::Sign:
      return exact_enough(expr.type) && all(0, 1, expr.count);
    case Op::Coalesce:
      chooses_ = true;
      return all(0, 1, expr.count);
    case Op::Case: {
      chooses_ = true;
      const uint32_t first = expr.has_operand ? 1 : 0;
      const uint32_t end = expr.has_else ? expr.count - 1 : expr.count;
      return all(first + 1, 2, end) && (!expr.has_else || plain(ast_.kid(id, expr.count - 1), columns));
    }
    case Op::Arithmetic: {
      if (!exact_enough(expr.type)) return false;
      const ExprId left = ast_.kid(id, 0), right = ast_.kid(id, 1);
      if (expr.text == "/") {
        const Expr& divisor = ast_.exprs[right];
        return divisor.op == Op::Constant && !divisor.quoted && divisor.text.find('.') != std::string_view::npos &&
               plain_number(divisor) && plain(left, columns);
      }
      if (expr.text != "+" && expr.text != "-" && expr.text != "*") return false;
      if (expr.text == "*" && ++products_ > kMostProducts) return false;
      Columns other;
      Columns own;
      if (!plain(left, own) || !plain(right, other)) return false;
      multiplies_ |= expr.text == "*" && !own.empty() && !other.empty();
      const bool shared =
          std::ranges::any_of(own, [&](uint64_t column) { return std::ranges::find(other, column) != other.end(); });
      columns.insert(columns.end(), own.begin(), own.end());
      columns.insert(columns.end(), other.begin(), other.end());
      return !shared;
    }
    default:
      return false;
  }
}

}  // namespace pccsql::check_pg
