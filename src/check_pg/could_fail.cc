// Conditions are looked at strictly: what is not known never to fail could. Select lists, groups and order of the outermost
// SELECT are computed for rows that have passed all conditions; there, as everywhere, a cast of text and a division are
// refused all the same, because their errors are those that tell most.
#include "check_pg/could_fail.h"

#include <algorithm>
#include <array>

#include "check_pg/types.h"

namespace pccsql::check_pg {
namespace {

// For every value of the kinds that they take in the language.
bool never_fails(std::string_view function) {
  static constexpr std::array<std::string_view, 26> kNames{
      "lower", "upper", "initcap", "reverse", "btrim", "ltrim", "rtrim", "left", "right", "replace", "concat", "length", "char_length",
      "strpos", "position", "starts_with", "round", "trunc", "ceil", "ceiling", "floor", "sign", "extract", "date_part", "date", "now"};
  return std::ranges::find(kNames, function) != kNames.end();
}

class FailureFinder {
 public:
  explicit FailureFinder(const Ast& ast) : ast_(ast) {}

  std::optional<Span> find() {
    for (QueryId id = 1; id < ast_.queries.size() && !found_; ++id) query(id);
    return found_;
  }

 private:
  void query(QueryId id) {
    const Query& query = ast_.queries[id];
    strict_ = true;
    for (const ExprId condition : query.conditions) walk(condition);
    walk(query.where);
    walk(query.having);
    strict_ = id != ast_.root;  // an outer query's condition may be a condition on what is listed here
    for (const Output& output : query.outputs) walk(output.expr);
    for (const Term& term : query.group_by) walk(term.expr);
    for (const Term& term : query.order_by) walk(term.expr);
    for (const uint32_t window : query.windows) walk_window(window);
  }

  void walk_window(uint32_t index) {
    for (const ExprId term : ast_.windows[index].partition) walk(term);
    for (const ExprId term : ast_.windows[index].order) walk(term);
  }

  // SELECTs in it are queries of their own.
  void walk(ExprId id) {
    if (id == 0 || found_) return;
    const Expr& expr = ast_.exprs[id];
    if (tells_most(expr) || (strict_ && could(id))) {
      found_ = expr.span;
      return;
    }
    // An aggregate is of rows that have passed.
    const bool outside = strict_;
    strict_ = strict_ && !is_aggregate(expr);
    for (uint32_t i = 0; i < expr.count; ++i) walk(ast_.kid(id, i));
    walk(expr.filter);
    if (expr.window != kNone) walk_window(expr.window);
    strict_ = outside;
  }

  static bool is_aggregate(const Expr& expr) { return expr.op == Op::Call && expr.call == CallKind::Aggregate && !expr.over; }

  static bool tells_most(const Expr& expr) {
    if (expr.op == Op::Arithmetic) return expr.text == "/" || expr.text == "%";
    return expr.prints || (expr.op == Op::Call && expr.text == "mod");
  }

  bool could(ExprId id) const {
    const Expr& expr = ast_.exprs[id];
    switch (expr.op) {
      case Op::Arithmetic:
      case Op::Sign:
        return !expr.type.is(PgKind::Numeric);  // else it overflows, or leaves what dates there are
      case Op::Cast: {
        const Expr& value = ast_.exprs[ast_.kid(id, 0)];
        return !expr.always && value.op != Op::Constant;
      }
      case Op::Like: {  // a pattern may not end with the sign that takes the next one as it is
        const Expr& pattern = ast_.exprs[ast_.kid(id, 1)];
        return !pattern.quoted || pattern.text.ends_with('\\');
      }
      case Op::Call:
        return !is_aggregate(expr) && !never_fails(expr.text);
      case Op::Scalar: {  // which may bring two rows
        const Query& inner = ast_.queries[expr.query];
        return !inner.aggregated || inner.grouped_by;
      }
      default:
        return false;
    }
  }

  const Ast& ast_;
  bool strict_ = false;
  std::optional<Span> found_;
};

}  // namespace

std::optional<Span> could_fail(const Ast& ast) { return FailureFinder(ast).find(); }

}  // namespace pccsql::check_pg
