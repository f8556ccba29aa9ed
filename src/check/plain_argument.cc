#include "check/plain_argument.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace pccsql::check {
namespace {

constexpr int kMostDigits = 6;
constexpr int kMostProducts = 2;

void add_all(std::vector<uint64_t>& to, const std::vector<uint64_t>& more) {
  const auto middle = static_cast<std::ptrdiff_t>(to.size());
  to.insert(to.end(), more.begin(), more.end());
  std::inplace_merge(to.begin(), to.begin() + middle, to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

bool share_one(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  const std::vector<uint64_t>& few = a.size() < b.size() ? a : b;
  const std::vector<uint64_t>& many = a.size() < b.size() ? b : a;
  return std::any_of(few.begin(), few.end(),
                     [&](uint64_t column) { return std::binary_search(many.begin(), many.end(), column); });
}

}  // namespace

bool PlainArgument::value(ExprId argument, bool distinct) {
  chooses_ = multiplies_ = false;
  ExprId bare = named(argument);
  while (ast_.exprs[bare].kind == ExprKind::Collate) bare = named(ast_.exprs[bare].child);
  if (ast_.exprs[bare].bind == Bind::Source) return true;
  if (distinct) return false;
  digits_ = products_ = 0;
  Columns columns;
  return plain(argument, columns);
}

ExprId PlainArgument::named(ExprId id) const {
  while (ast_.exprs[id].bind == Bind::Alias) id = ast_.items[ast_.exprs[id].bound].expr;
  return id;
}

bool PlainArgument::plain(ExprId id, Columns& columns) {
  if (!work_.spend(32 + columns.size())) return false;
  const Expr& expr = ast_.exprs[named(id)];
  switch (expr.kind) {
    case ExprKind::Literal:
      return plain_literal(expr);
    case ExprKind::Column:
      return plain_column(expr, columns);
    case ExprKind::Collate:
      return plain(expr.child, columns);
    case ExprKind::Cast:
      return is_real_type(expr) && plain(expr.child, columns);
    case ExprKind::Unary:
      return is_sign(expr.op) && plain(expr.child, columns);
    case ExprKind::Binary:
      return plain_binary(expr, columns);
    case ExprKind::Case:
      return plain_case(expr, columns);
    case ExprKind::Call: {
      const Call& call = ast_.calls[expr.data];
      if (call.function == nullptr || call.window != 0) return false;
      const std::string_view name = call.function->name;
      if (name == "coalesce" || name == "ifnull") return plain_list(expr.child, columns);
      return name == "iif" && plain_list(ast_.exprs[expr.child].next, columns);  // its condition may be anything
    }
    default:
      return false;
  }
}

bool PlainArgument::plain_list(ExprId first, Columns& columns) {
  chooses_ = true;
  for (ExprId id = first; id != 0; id = ast_.exprs[id].next) {
    Columns own;
    if (!plain(id, own)) return false;
    add_all(columns, own);
  }
  return true;
}

// Columns of tables and views. What a derived table or WITH table gives may be anything.
bool PlainArgument::plain_column(const Expr& expr, Columns& columns) const {
  if (expr.bind != Bind::Source) return false;
  for (Index i = expr.bound; i < expr.bound + expr.bound_count; ++i) {
    const SourceColumn& source = ast_.sources[i];
    const FromItem& from = ast_.froms[source.from];
    if (from.kind != SourceKind::Table) return false;
    columns.push_back(uint64_t{from.table} << 32 | source.column);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return true;
}

bool PlainArgument::plain_literal(const Expr& expr) {
  if (expr.op == Terminal::kw_NULL) return true;
  if (expr.op != Terminal::Integer && expr.op != Terminal::Float) return false;
  const std::string_view text = ast_.span(expr).of(ast_.sql);
  for (const char c : text) {
    if (c == '.') continue;
    if (c < '0' || c > '9') return false;  // hexadecimal, or with an exponent
    ++digits_;
  }
  return digits_ <= kMostDigits;
}

bool PlainArgument::plain_binary(const Expr& expr, Columns& columns) {
  const ExprId right = ast_.exprs[expr.child].next;
  if (expr.op == Terminal::Slash) {
    const Expr& divisor = ast_.exprs[right];
    return divisor.kind == ExprKind::Literal && divisor.op == Terminal::Float && !divisor.parenthesised &&
           ast_.span(divisor).of(ast_.sql).find('.') != std::string_view::npos && plain_literal(divisor) &&
           plain(expr.child, columns);
  }
  if (expr.op != Terminal::Plus && expr.op != Terminal::Minus && expr.op != Terminal::Star) return false;
  if (expr.op == Terminal::Star && ++products_ > kMostProducts) return false;
  Columns other;
  if (!plain(expr.child, columns) || !plain(right, other) || share_one(columns, other)) return false;
  multiplies_ |= expr.op == Terminal::Star && !columns.empty() && !other.empty();
  add_all(columns, other);
  return true;
}

bool PlainArgument::plain_case(const Expr& expr, Columns& columns) {
  chooses_ = true;
  ExprId child = expr.has_operand ? ast_.exprs[expr.child].next : expr.child;
  for (bool when = true; child != 0; child = ast_.exprs[child].next, when = !when) {
    const bool result = !when || (expr.has_else && ast_.exprs[child].next == 0);
    Columns own;
    if (result && !plain(child, own)) return false;
    add_all(columns, own);
  }
  return true;
}

// CAST(x AS REAL), FLOAT or DOUBLE, the word alone and without quotes: `… AS type )`.
bool PlainArgument::is_real_type(const Expr& cast) const {
  const Lexeme& type = ast_.lexemes[cast.last - 2];
  if (ast_.lexemes[cast.last - 3].terminal != Terminal::kw_AS || type.quote != Quote::None) return false;
  const std::string_view word = type.span.of(ast_.sql);
  return equal_folded(word, "real") || equal_folded(word, "float") || equal_folded(word, "double");
}

}  // namespace pccsql::check
