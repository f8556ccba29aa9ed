#include "track/calls.h"

#include <algorithm>
#include <utility>

namespace pccsql::track {

bool Calls::open_call() {
  const NameId name = frame_.name.name;
  if (frame_.name.readings == 0 || frame_.name.quote != Quote::None || !function_fits_here(name)) return false;
  frame_.name.name = kNoName;
  frame_.name.readings = 0;
  frame_dirty_ = true;
  if (!leave_term()) return false;
  Frame call;
  call.kind = Frame::Call;
  call.call.function = world_.function(name);
  const bool scalar = call.call.function->mode == Callable::Scalar || call.call.function->mode == Callable::MinMax;
  if (scalar && !call_in_argument(*call.call.function)) return false;
  call.place = operand_place();
  call.depth = static_cast<uint16_t>(operand_depth());
  const Callable::Mode mode = call.call.function->mode;
  if ((mode == Callable::Sums || mode == Callable::Aggregate) && !call.place.aggregates) {
    if (can_be_window(call)) {
      call.call.over = Call::Owed;
    } else {
      if (!make_window()) return false;
      call.place = operand_place();
    }
  }
  if (call.call.over == Call::Owed || mode == Callable::Window) make_scalars(0);
  call.call.scalar_only = mode == Callable::MinMax && !aggregate_fits();
  if (!has_depth(call.depth + parser_stack::kCall) || frame_.height >= kTallest) return false;
  frame_.height = static_cast<uint16_t>(frame_.height + operator_weight());
  call.call.aggregating = level_.aggregating;
  call.call.item_aggregate = level_.item.aggregate;
  call.call.aggregates_before = level_.aggregates;
  push_frame(call);
  return true;
}

bool Calls::function_fits(const Callable& function) {
  if (!has_depth(operand_depth() + parser_stack::kCall) || frame_.height >= kTallest) return false;
  const Place place = operand_place();
  switch (function.mode) {
    case Callable::Sums:
    case Callable::Aggregate:
      return aggregate_fits();
    case Callable::Window:
      return place.windows && has_depth(operand_depth() + parser_stack::kCall + parser_stack::kWindow);
    default:
      return !in_plain_argument() || on_copy(*this, [&](Calls& copy) { return copy.call_in_argument(function); });
  }
}

// Whether an aggregate may stand here: as such, as a window function that OVER must make of it, or inside an aggregate of
// which OVER must make one.
bool Calls::aggregate_fits() {
  if (!aggregate_fits_) {
    const bool before = std::exchange(store_.asked, false);
    Frame call;
    call.place = operand_place();
    call.depth = static_cast<uint16_t>(operand_depth());
    aggregate_fits_ = call.place.aggregates || can_be_window(call) ||
                      (window_around() != 0 && on_copy(*this, [](Calls& copy) { return copy.make_window(); }));
    aggregate_asked_ = std::exchange(store_.asked, before);
  }
  store_.asked |= aggregate_asked_;
  return *aggregate_fits_;
}

bool Calls::can_be_window(const Frame& call) const {
  return call.place.windows && !call.call.distinct && has_depth(call.depth + parser_stack::kWindowed);
}

// The call of an aggregate around this place that is not a window function yet and could be one: aggregates may stand in
// it then. MIN and MAX on the way can be scalars.
Index Calls::window_around() {
  store_frame();
  Index at = state_.frame;
  for (int open = state_.open; open > 0; --open, at = store_.frames[at].below) {
    const Frame& call = store_.frames[at];
    if (call.kind != Frame::Call || call.call.function->mode == Callable::Scalar || call.call.scalar_only) continue;
    if (call.call.function->mode == Callable::MinMax && !call.call.closed && !call.call.distinct) continue;
    const bool aggregate = call.call.function->mode != Callable::Window && call.call.over == Call::None;
    return aggregate && call.place.aggregates && can_be_window(call) ? at : 0;
  }
  return 0;
}

// It is decided that OVER follows: what was counted so far is put out.
bool Calls::make_window() {
  const Index call = window_around();
  if (call == 0) return false;
  int inside = 0;
  for (Index at = state_.frame; at != call; at = store_.frames[at].below) ++inside;
  make_scalars(inside + 1);
  Place place;
  uint32_t refs = 0;
  change_frames(inside + 1, [&](Frame& frame, int above) {
    if (above == inside) {
      frame.call.over = Call::Owed;
      place = frame.place;
      place.inside = Place::Window;
      place.windows = false;
      refs = frame.call.refs;
      return;
    }
    frame.place = place;
  });
  return put_out(refs);
}

void Calls::make_scalars(int skipped) {
  store_frame();
  int count = 0;
  int at = 0;
  for (Index i = state_.frame; at < state_.open; i = store_.frames[i].below, ++at) {
    const Frame& call = store_.frames[i];
    const bool undecided = call.kind == Frame::Call && call.call.function->mode == Callable::MinMax && !call.call.closed;
    if (at >= skipped && undecided && !call.call.scalar_only) count = at + 1;
  }
  change_frames(count, [&](Frame& frame, int above) {
    const bool undecided = frame.kind == Frame::Call && frame.call.function->mode == Callable::MinMax && !frame.call.closed;
    if (above >= skipped && undecided) frame.call.scalar_only = true;
  });
}

Place Calls::argument_place() const {
  Place place = frame_.place;
  const Callable& function = *frame_.call.function;
  const bool first = frame_.call.arguments == 1;
  if (frame_.call.over == Call::Owed) {
    place.inside = Place::Window;
    place.windows = false;
    return place;
  }
  switch (function.mode) {
    case Callable::Sums:
      if (place.inside != Place::Window) place.inside = Place::Argument;
      place.tested = false;
      place.aggregates = place.windows = false;
      place.local = true;
      break;
    case Callable::Aggregate:
      place.aggregates = place.windows = false;
      place.local = true;
      break;
    case Callable::MinMax:
      if (first && !frame_.call.scalar_only) {  // an aggregate, if it stays alone
        place.local = true;
        if (frame_.call.distinct) {  // it will
          place.aggregates = place.windows = false;
          place.minmax = true;
        }
      }
      break;
    case Callable::Window:
      place.inside = Place::Window;
      place.windows = false;
      break;
    case Callable::Scalar:
      place.tested |= place.inside == Place::Argument && function.hands == Callable::NotFirst && first;
      break;
  }
  return place;
}

bool Calls::read_call(const Word& word) {
  const Callable& function = *frame_.call.function;
  const bool aggregate = function.mode == Callable::Sums || function.mode == Callable::Aggregate ||
                         (function.mode == Callable::MinMax && !frame_.call.scalar_only);
  frame_dirty_ = true;
  switch (word.terminal) {
    case Terminal::LeftParen:
      return true;
    case Terminal::Star:
      frame_.call.star = true;
      return function.star;
    case Terminal::kw_DISTINCT:
      if (!aggregate || function.least > 1 || frame_.call.over == Call::Owed) return false;
      if (!frame_.place.aggregates && !make_window()) return false;
      frame_.call.distinct = frame_dirty_ = true;
      return true;
    case Terminal::kw_ALL:
      return aggregate;
    case Terminal::Comma:
      if (frame_.call.distinct || frame_.call.arguments >= function.most || frame_.call.arguments >= kMostArguments) return false;
      if (function.mode == Callable::MinMax) frame_.call.scalar_only = true;
      return true;
    case Terminal::RightParen: {
      if (frame_.call.star) {
        frame_.call.closed = true;
        return true;
      }
      frame_.call.closed = true;
      if (frame_.call.arguments < function.least) return false;
      if (frame_.call.distinct && frame_.call.arguments != 1) return false;
      if (function.mode != Callable::MinMax) return true;
      if (frame_.call.arguments >= 2) return true;
      // One argument: an aggregate after all, or a window function.
      if (frame_.call.scalar_only) return false;
      if (!frame_.place.aggregates || level_.aggregates != frame_.call.aggregates_before) {
        if (can_be_window(frame_)) {
          frame_.call.over = Call::Owed;
          // Aggregates inside a window function make no query an aggregating one.
          level_.aggregating = frame_.call.aggregating;
          level_.item.aggregate = frame_.call.item_aggregate;
          level_.window_aggregate |= level_.aggregates != frame_.call.aggregates_before;
          level_dirty_ = true;
          make_scalars(1);
          return put_out(frame_.call.refs);
        }
        frame_.call.closed = false;
        if (level_.aggregates != frame_.call.aggregates_before || !make_window()) return false;
        frame_.call.closed = frame_dirty_ = true;
      }
      level_dirty_ = true;
      return rewrite_refs(level_, frame_.call.refs, [&](Ref& ref) {
        if (ref.place.inside != Place::Plain) return false;
        ref.place.minmax = true;
        ref.roles = roles_at(ref.place);
        return true;
      });
    }
    default:
      return false;
  }
}

bool Calls::close_call() {
  const Frame call = frame_;
  const Callable& function = *call.call.function;
  const bool windowed = call.call.over == Call::Read;
  if ((function.mode == Callable::Window || call.call.over == Call::Owed) && !windowed) return false;
  const bool aggregate =
      !windowed && !call.call.scalar_only &&
      (function.mode == Callable::Sums || function.mode == Callable::Aggregate || function.mode == Callable::MinMax);
  if (aggregate) {
    if (!call.place.aggregates) return false;
    ++level_.aggregates;
    if (level_.clause == Clause::Items && call.place.inside != Place::Window) {
      level_.aggregating = level_.item.aggregate = true;
    }
    level_.window_aggregate |= call.place.inside == Place::Window;
    level_dirty_ = true;
  }
  if (windowed) {
    level_.windowed = true;
    if (level_.clause == Clause::Items) level_.item.window = true;
    level_dirty_ = true;
  }
  return close_construct();
}

bool Calls::open_over() {
  const Callable& function = *frame_.call.function;
  if (!has_depth(frame_.depth + parser_stack::kWindowed)) return false;  // the window would have no room
  if (!frame_.place.windows || frame_.call.distinct || frame_.call.scalar_only || function.mode == Callable::Scalar) return false;
  frame_.call.over = Call::Read;
  frame_dirty_ = true;
  make_scalars(1);
  return put_out(frame_.call.refs);
}

bool Calls::open_partition() {
  level_.window_partition = true;
  level_dirty_ = true;
  return level_.clause == Clause::Items || !owes_group(level_);
}

bool Calls::read_case(Terminal word) {
  frame_dirty_ = true;
  if (word == Terminal::kw_WHEN) frame_.case_part = Frame::When;
  if (word == Terminal::kw_THEN) frame_.case_part = Frame::Then;
  if (word == Terminal::kw_ELSE) frame_.case_part = Frame::Else;
  return true;
}

// A window's frame: ROWS, RANGE or GROUPS, and its bounds, of which none may end before the other starts.
bool Calls::read_frame(const Word& word) {
  frame_dirty_ = true;
  if (word.terminal == Terminal::kw_BETWEEN) {
    frame_.window.between = true;
  } else if (word.terminal != Terminal::kw_AND) {
    frame_.window.unit = word.terminal;
    frame_.window.in_bound = true;
  }
  return true;
}

bool Calls::read_frame_start(const Word& word) {
  frame_dirty_ = true;
  switch (word.terminal) {
    case Terminal::kw_UNBOUNDED:
      frame_.window.in_end = true;  // the word after it is fixed
      frame_.window.bound = word.terminal;
      return true;
    case Terminal::kw_CURRENT:
      frame_.window.bound = word.terminal;
      return true;
    case Terminal::kw_PRECEDING:
    case Terminal::kw_FOLLOWING:
      if (std::exchange(frame_.window.in_end, false)) return true;
      frame_.window.bound = word.terminal;
      return frame_.window.between || word.terminal == Terminal::kw_PRECEDING;
    default:
      return true;  // ROW
  }
}

bool Calls::read_frame_end(const Word& word) {
  frame_dirty_ = true;
  const Terminal start = frame_.window.bound;
  switch (word.terminal) {
    case Terminal::kw_UNBOUNDED:
      frame_.window.in_end = true;
      return true;
    case Terminal::kw_CURRENT:
      return start != Terminal::kw_FOLLOWING;
    case Terminal::kw_PRECEDING:
    case Terminal::kw_FOLLOWING:
      if (std::exchange(frame_.window.in_end, false)) return true;
      return word.terminal == Terminal::kw_FOLLOWING ||
             (start != Terminal::kw_CURRENT && start != Terminal::kw_FOLLOWING);
    default:
      return true;  // ROW
  }
}

bool Calls::open_cast() {
  if (!leave_term() || !extend_argument()) return false;
  note_leaf(ItemDraft::Other);
  return open_frame(frame_of(Frame::Cast, operand_place()), operand_depth() + parser_stack::kCast, parser_stack::kCastType);
}

bool Calls::read_cast(const Word& word) {
  return word.terminal != Terminal::RightParen || frame_.type_words > 0 || test_argument();
}

bool Calls::read_type(const Word& word) {
  if (word.terminal == Terminal::LeftParen) return test_argument();
  if (word.terminal != Terminal::Name) return word.terminal != Terminal::String;
  if ((frame_.type_words > 0 || !world_.is_real_type(word.name)) && !test_argument()) return false;
  frame_.type_words = static_cast<uint8_t>(frame_.type_words + 1);
  frame_dirty_ = true;
  return frame_.type_words <= 3 && word.quote == Quote::None &&
         std::ranges::find(world_.type_names(), word.name) != world_.type_names().end();
}

bool Calls::open_case() {
  if (!leave_term() || !extend_argument() || !leave_form()) return false;
  return open_frame(frame_of(Frame::Case, operand_place()), operand_depth(), parser_stack::kCaseBranch);
}

bool Calls::close_construct() {
  pop_frame();
  frame_.expr.after = true;
  frame_.expr.zero = false;
  frame_dirty_ = true;
  state_.bare = kNoName;
  state_.zero = false;
  return true;
}

bool Calls::open_filter() {
  const Callable::Mode mode = frame_.call.function->mode;
  if (frame_.call.filtered || frame_.call.scalar_only || mode == Callable::Scalar || mode == Callable::Window) return false;
  if (mode == Callable::Sums && !leave_form(frame_.call.refs)) return false;
  frame_.call.filtered = true;
  frame_dirty_ = true;
  Frame filter = frame_of(Frame::Filter, frame_.place);
  filter.place.windows = false;
  if (frame_.call.over == Call::Owed) {
    filter.place.inside = Place::Window;
  } else {
    filter.place.inside = frame_.place.inside == Place::Window ? Place::Window : Place::Filter;
    filter.place.aggregates = false;
    filter.place.local = true;
  }
  return open_frame(filter, frame_.depth + parser_stack::kFilter);
}

bool Calls::open_window() {
  Frame window = frame_of(Frame::Window, frame_.place);
  window.place.inside = Place::Window;
  window.place.windows = false;
  return open_frame(window, frame_.depth + parser_stack::kWindow, parser_stack::kFrame);
}

bool Calls::close_frame() {
  pop_frame();
  return true;
}

}  // namespace pccsql::track
