// Calls: what a function makes of its arguments, and what FILTER and OVER make of them afterwards; CASE; windows.
#include "track/step.h"

namespace pccsql::track {

bool Step::open_call() {
  const NameId name = frame_.name;
  if (frame_.readings == 0 || frame_.quote != Quote::None || !function_fits_here(name)) return false;
  frame_.name = kNoName;
  frame_.readings = 0;
  frame_dirty_ = true;
  if (!leave_term()) return false;
  Frame call;
  call.kind = Frame::Call;
  call.function = world_.function(name);
  call.place = operand_place();
  call.depth = static_cast<uint16_t>(operand_depth());
  call.scalar_only = call.function->mode == Callable::Extreme && !call.place.aggregates;
  call.pairs = 0;
  call.bound = Terminal::End;
  if (call.depth + 9 > kDeepest || frame_.height >= kTallest) return false;
  frame_.height = static_cast<uint16_t>(frame_.height + 1);
  push_frame(call);
  frame_.operand = level_.aggregates;  // how many aggregates there were before
  return true;
}

// What stands in an operand that is no bare number or name makes the term an expression.
bool Step::leave_term() {
  const Frame* const order = term();
  if (order == nullptr || !order->pure) return true;
  if (order->compound) return false;
  change_term([](Frame& term) { term.pure = false; });
  return true;
}

Place Step::argument_place() const {
  Place place = frame_.place;
  const Callable& function = *frame_.function;
  const bool first = frame_.arguments == 1;
  switch (function.mode) {
    case Callable::Sums:
      if (place.inside != Place::Window) place.inside = Place::Argument;
      place.asked = false;
      place.aggregates = place.windows = false;
      place.local = true;
      break;
    case Callable::Aggregate:
      place.asked = true;
      place.aggregates = place.windows = false;
      place.local = true;
      break;
    case Callable::Extreme:
      place.asked = true;
      if (first && !frame_.scalar_only) {  // an aggregate, if it stays alone
        place.windows = false;
        place.local = true;
        place.aggregates &= !frame_.distinct;  // it will stay alone
      }
      break;
    case Callable::Window:
      place.inside = Place::Window;
      place.windows = false;
      break;
    case Callable::Scalar:
      place.asked |= !(function.hands == Callable::All || (function.hands == Callable::First && first) ||
                       (function.hands == Callable::NotFirst && !first));
      break;
  }
  return place;
}

bool Step::read_call(const Word& word) {
  const Callable& function = *frame_.function;
  const bool aggregate = function.mode == Callable::Sums || function.mode == Callable::Aggregate ||
                         (function.mode == Callable::Extreme && !frame_.scalar_only);
  frame_dirty_ = true;
  switch (word.terminal) {
    case Terminal::LeftParen:
      return true;
    case Terminal::Star:
      frame_.star = true;
      return function.star;
    case Terminal::kw_DISTINCT:
      frame_.distinct = true;
      return aggregate && function.least <= 1;
    case Terminal::kw_ALL:
      return aggregate;
    case Terminal::Comma:
      if (frame_.distinct || frame_.arguments >= function.most || frame_.arguments >= kMostArguments) return false;
      if (function.mode == Callable::Extreme) frame_.scalar_only = true;
      return true;
    case Terminal::RightParen: {
      if (frame_.star) {
        frame_.closed = true;
        return true;
      }
      frame_.closed = true;
      if (frame_.arguments < function.least) return false;
      if (frame_.distinct && frame_.arguments != 1) return false;
      if (function.mode != Callable::Extreme) return true;
      if (frame_.arguments >= 2) return true;
      // One argument: an aggregate after all.
      if (frame_.scalar_only || level_.aggregates != frame_.operand) return false;
      return rewrite_refs(frame_.refs, [&](Ref& ref) {
        if (ref.place.inside != Place::Plain) return false;
        ref.minmax = true;
        ref.roles = roles_at(ref.place, true);
        return true;
      });
    }
    default:
      return false;
  }
}

bool Step::open_over() {
  const Callable& function = *frame_.function;
  if (frame_.depth + 17 > kDeepest) return false;  // the window would have no room
  if (!frame_.place.windows || frame_.distinct || frame_.scalar_only || function.mode == Callable::Scalar) return false;
  frame_.part = 1;  // it is a window function
  frame_dirty_ = true;
  return rewrite_refs(frame_.refs, [&](Ref& ref) {
    if (ref.place.inside == Place::Window) return false;
    ref.place.inside = Place::Window;
    ref.roles = roles_at(ref.place);
    return true;
  });
}

bool Step::close_call() {
  const Frame call = frame_;
  const Callable& function = *call.function;
  const bool windowed = call.part == 1;
  if (function.mode == Callable::Window && !windowed) return false;
  const bool aggregate =
      !windowed && !call.scalar_only &&
      (function.mode == Callable::Sums || function.mode == Callable::Aggregate || function.mode == Callable::Extreme);
  if (aggregate) {
    if (!call.place.aggregates) return false;
    ++level_.aggregates;
    if (level_.clause == Clause::Items && call.place.inside != Place::Window) {
      level_.aggregating = level_.item_aggregate = true;
    }
    level_dirty_ = true;
  }
  if (windowed) {
    level_.windowed = true;
    if (level_.clause == Clause::Items) level_.item_window = true;
    level_dirty_ = true;
  }
  pop_frame();
  frame_.after = true;
  frame_.zero = false;
  frame_dirty_ = true;
  sem_.bare = kNoName;
  sem_.zero = false;
  return true;
}

bool Step::read_case(Terminal word) {
  frame_dirty_ = true;
  switch (word) {
    case Terminal::kw_CASE:
      return true;
    case Terminal::kw_WHEN:
      frame_.part = 1;
      return true;
    case Terminal::kw_THEN:
      frame_.part = 2;
      return true;
    case Terminal::kw_ELSE:
      frame_.part = 3;
      return true;
    default:
      return true;  // END
  }
}

// Bounds of a window's frame: none may end before it starts.
bool Step::read_bound(RuleId rule, const Word& word) {
  frame_dirty_ = true;
  const R where = rule_of(rule);
  if (where == R::frame) {
    switch (word.terminal) {
      case Terminal::kw_ROWS:
      case Terminal::kw_RANGE:
      case Terminal::kw_GROUPS:
        frame_.unit = word.terminal;
        frame_.in_bound = true;
        return true;
      case Terminal::kw_BETWEEN:
        frame_.between = true;
        return true;
      default:
        return true;  // AND
    }
  }
  const Terminal start = frame_.bound;
  switch (word.terminal) {
    case Terminal::kw_UNBOUNDED:
      if (where == R::frame_start) frame_.bound = Terminal::kw_UNBOUNDED;
      frame_.in_end = true;  // the word after it is fixed
      return true;
    case Terminal::kw_CURRENT:
      if (where == R::frame_end) return start != Terminal::kw_FOLLOWING;
      frame_.bound = Terminal::kw_CURRENT;
      return true;
    case Terminal::kw_PRECEDING:
    case Terminal::kw_FOLLOWING:
      if (frame_.in_end) {
        frame_.in_end = false;
        return true;
      }
      if (where == R::frame_start) {
        frame_.bound = word.terminal;
        return frame_.between || word.terminal == Terminal::kw_PRECEDING;
      }
      return word.terminal == Terminal::kw_FOLLOWING ||
             (start != Terminal::kw_CURRENT && start != Terminal::kw_FOLLOWING);
    default:
      return true;  // ROW
  }
}

}  // namespace pccsql::track
