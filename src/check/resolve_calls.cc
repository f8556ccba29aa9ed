// Calls: functions and their arguments, aggregates and whose rows they aggregate, windows.
#include <bit>
#include <utility>

#include "base/text.h"
#include "check/resolver.h"

namespace pccsql::check {

FunctionTable::FunctionTable(const Grammar& grammar) {
  for (const Function& function : grammar.functions()) {
    const NameId id = names_.intern(function.name);
    if (by_name_.size() <= id) by_name_.resize(id + 1);
    by_name_[id].push_back(&function);
  }
}

const std::vector<const Function*>* FunctionTable::find(std::string_view name) const {
  const NameId id = names_.find(name);
  return id == kNoName ? nullptr : &by_name_[id];
}

void Resolver::call(ExprId id, Scope& scope) {
  const Expr& expr = ast_.exprs[id];
  Call& call = ast_.calls[expr.data];
  const Span where = ast_.span_at(call.name);
  const auto* functions = functions_.find(name_text(ast_.lexemes[call.name], ast_.sql, buffer_));
  if (functions == nullptr) {
    issues_.error(where, "no such function: `" + text_of(call.name) + "`");
    return list(expr.child, scope);
  }
  for (const Function* function : *functions) {
    if (function->takes(call.arguments)) call.function = function;
  }
  if (call.function == nullptr) {
    issues_.error(where, "wrong number of arguments to function `" + text_of(call.name) + "`()");
    return list(expr.child, scope);
  }
  const std::string& name = call.function->name;
  constexpr size_t kMostArguments = 127;
  if (call.arguments > kMostArguments) issues_.error(where, "too many arguments on function `" + name + "`");
  const FunctionKind kind = call.function->kind;
  if (kind == FunctionKind::Outside) issues_.outside(where, "the function `" + name + "` is outside the language");
  if (call.window != 0) return window_call(id, call, scope);
  if (kind == FunctionKind::Window) {
    issues_.error(where, "misuse of window function `" + name + "`(): it needs OVER");
    list(expr.child, scope);
    return;
  }
  if (kind == FunctionKind::Aggregate) return aggregate(id, call, scope);
  if (call.filter != 0) {
    issues_.error(where, "FILTER may not be used with `" + name + "`(), which is no aggregate");
    this->expr(call.filter, scope);
  }
  list(expr.child, scope);
}

// An aggregate belongs to the innermost SELECT that its arguments name a column of; with none, to the one it stands in.
void Resolver::aggregate(ExprId id, Call& call, Scope& scope) {
  const Expr& expr = ast_.exprs[id];
  const Span where = ast_.span_at(call.name);
  const std::string& name = call.function->name;
  if (!scope.aggregates) issues_.error(where, "misuse of aggregate: `" + name + "`() may not stand here");
  if (call.distinct && call.arguments != 1) {
    issues_.error(where, "DISTINCT aggregates must have exactly one argument");
  }
  const bool aggregates = std::exchange(scope.aggregates, false);
  const bool windows = std::exchange(scope.windows, false);
  const uint64_t outer_references = std::exchange(references_, 0);
  const uint64_t outer_owners = std::exchange(aggregate_owners_, 0);
  list(expr.child, scope);
  if (call.filter != 0) this->expr(call.filter, scope);
  const uint64_t visible = references_ & ((uint64_t{2} << scope.depth) - 1);
  references_ |= outer_references;
  scope.aggregates = aggregates;
  scope.windows = windows;

  const int owner_depth = visible == 0 ? scope.depth : 63 - std::countl_zero(visible);
  const Scope* owner = &scope;
  bool cut_off = false;  // a derived table, and ORDER BY, which an alias has led out of, keep an aggregate in
  while (owner->depth > owner_depth && owner->outer != nullptr) {
    cut_off |= owner->derived || owner->hides_outer;
    owner = owner->outer;
  }
  call.owner = owner->core;
  const uint64_t owner_bit = uint64_t{1} << owner->depth;
  if ((aggregate_owners_ & owner_bit) != 0) {
    issues_.error(where, "misuse of aggregate: another aggregate of the same SELECT stands inside `" + name + "`()");
  }
  aggregate_owners_ |= outer_owners | owner_bit;
  if (owner != &scope) ast_.cores[owner->core].outer_aggregate = call.name;
  for (const Scope* at = &scope; at != owner; at = at->outer) ast_.cores[at->core].passes_aggregate = true;
  if (owner != &scope && (!owner->aggregates || cut_off)) {
    issues_.error(where,
                  "misuse of aggregate: `" + name + "`() aggregates an enclosing SELECT, in a place where it may not");
  }
  if (owner->select_list && owner->core != 0) ast_.cores[owner->core].has_aggregate = true;
}

void Resolver::window_call(ExprId id, Call& call, Scope& scope) {
  const Expr& expr = ast_.exprs[id];
  const Span where = ast_.span_at(call.name);
  const std::string& name = call.function->name;
  const FunctionKind kind = call.function->kind;
  if (kind != FunctionKind::Window && kind != FunctionKind::Aggregate) {
    issues_.error(where, "`" + name + "`() may not be used as a window function");
  }
  if (call.distinct) issues_.error(where, "DISTINCT is not supported for window functions");
  if (call.filter != 0 && kind == FunctionKind::Window) {
    issues_.error(where, "FILTER clause may only be used with aggregate window functions");
  }
  if (!scope.windows)
    issues_.error(where, "misuse of window function `" + name + "`(): it may stand in the select list and ORDER BY");
  // An aggregate inside makes the query an aggregating one only after SQLite has looked for HAVING's.
  const bool aggregating = std::exchange(ast_.cores[scope.core].has_aggregate, false);
  const bool windows = std::exchange(scope.windows, false);
  list(expr.child, scope);
  if (call.filter != 0) this->expr(call.filter, scope);
  window(call.window, scope, scope.core);
  scope.windows = windows;
  ast_.cores[scope.core].window_aggregate |= ast_.cores[scope.core].has_aggregate;
  ast_.cores[scope.core].has_aggregate = aggregating;
  window_seen_ = true;
  ast_.cores[scope.core].has_window = true;
}

void Resolver::window(Index id, Scope& scope, CoreId core) {
  Window& window = ast_.windows[id];
  // A named one is looked at where it is used: ORDER BY sees aliases, and aggregates may not be for it.
  bool& done = scope.select_list ? window.in_items : window.in_order;
  if (done && window.name != kNoName) return;
  const bool again = std::exchange(window_again_, window_again_ || window.resolved);
  done = window.resolved = true;
  window_base(window, scope, core);
  if (window.partition != 0 && core != 0) ast_.cores[core].partitioned = true;
  list(window.partition, scope);
  list(window.order, scope);
  unseen(scope, [&] { list(window.bounds, scope); });  // they are constants to it, and no place to look for aggregates
  window_frame(window);
  window_again_ = again;
}

// `w` in OVER w, OVER (w …) and WINDOW v AS (w …). SQLite's rules for what may be added to it.
void Resolver::window_base(Window& window, Scope& scope, CoreId core) {
  if (window.base == kNoName) return;
  const Range named = core == 0 ? Range{} : ast_.cores[core].windows;
  const Span where = ast_.span_at(window.base_lexeme);
  Index found = 0;  // of several with one name the last counts; a definition sees those before it
  work_.spend(named.count);
  for (Index i = named.first; i < named.end() && &ast_.windows[i] != &window; ++i) {
    if (ast_.windows[i].name == window.base) found = i;
  }
  const std::string text = text_of(window.base_lexeme);
  if (found == 0) return issues_.error(where, "no such window: `" + text + "`");
  this->window(found, scope, core);
  if (window.only_reference) return;
  const Window& base = ast_.windows[found];
  if (window.partition != 0) issues_.error(where, "cannot override PARTITION clause of window: `" + text + "`");
  if (base.order_count > 0 && window.order_count > 0) {
    issues_.error(where, "cannot override ORDER BY clause of window: `" + text + "`");
  }
  if (base.has_frame) issues_.error(where, "cannot override frame specification of window: `" + text + "`");
  if (window.order_count == 0) window.order_count = base.order_count;
}

void Resolver::window_frame(const Window& window) {
  if (!window.has_frame) return;
  const Span where = ast_.span_at(window.lexeme);
  const auto is_offset = [](Terminal bound) {
    return bound == Terminal::kw_PRECEDING || bound == Terminal::kw_FOLLOWING;
  };
  const bool offsets = is_offset(window.start) || is_offset(window.finish);
  if (window.frame_unit == Terminal::kw_RANGE && offsets && window.order_count != 1) {
    issues_.error(where, "RANGE with offset PRECEDING/FOLLOWING requires one ORDER BY expression");
  }
}

}  // namespace pccsql::check
