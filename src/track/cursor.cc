#include "track/cursor.h"

namespace pccsql::track {

Cursor::Cursor(Store& store, const State& state)
    : store_(store), world_(store.world), state_(state), level_(store.levels[state.level]), frame_(store.frames[state.frame]) {}

void Cursor::store_frame() {
  if (!frame_dirty_) return;
  store_.frames.push_back(frame_);
  state_.frame = static_cast<Index>(store_.frames.size() - 1);
  frame_dirty_ = false;
}

bool Cursor::open_frame(Frame frame, int depth, int room) {
  frame.depth = static_cast<uint16_t>(depth);
  if (!has_depth(depth + room)) return false;
  push_frame(frame);
  return true;
}

void Cursor::push_frame(Frame frame) {
  store_frame();
  frame.below = state_.frame;
  frame.height = frame_.height;
  frame.call.refs = ref_count();
  frame.argument = frame_.argument;
  frame_ = frame;
  frame_dirty_ = true;
  ++state_.open;
}

// What was counted inside goes on being counted outside.
void Cursor::pop_frame() {
  const uint16_t height = frame_.height;
  const Argument argument = frame_.argument;
  --state_.open;
  state_.frame = frame_.below;
  frame_ = store_.frames[state_.frame];
  frame_dirty_ = false;
  if (state_.frame != 0 && frame_.height != height) {
    frame_.height = height;
    frame_dirty_ = true;
  }
  const bool counted = frame_.kind == Frame::Call && frame_.call.function->mode == Callable::Sums;
  if (state_.frame != 0 && !counted && frame_.argument != argument) {
    frame_.argument = argument;
    frame_dirty_ = true;
  }
}

State Cursor::commit() {
  store_frame();
  if (level_dirty_) {
    store_.levels.push_back(level_);
    state_.level = static_cast<Index>(store_.levels.size() - 1);
    level_dirty_ = false;
  }
  return state_;
}

void Cursor::change_frames(int count, const std::function<void(Frame&, int above)>& change) {
  if (count == 0) return;
  store_frame();
  std::vector<Frame> frames;
  Index at = state_.frame;
  for (int i = 0; i < count; ++i, at = store_.frames[at].below) frames.push_back(store_.frames[at]);
  for (int i = count; i-- > 0;) {
    Frame& frame = frames[static_cast<size_t>(i)];
    frame.below = at;
    change(frame, i);
    store_.frames.push_back(frame);
    at = static_cast<Index>(store_.frames.size() - 1);
  }
  state_.frame = at;
  frame_ = store_.frames[at];
}

const Term* Cursor::term() const {
  if (!in_frame()) return nullptr;
  const Frame* at = &frame_;
  for (int open = state_.open; open > 0; --open) {
    if (at->kind == Frame::Term) return &at->term;
    if (at->kind != Frame::Expr && at->kind != Frame::Paren) return nullptr;
    at = &store_.frames[at->below];
  }
  return nullptr;
}

// The Term is deeper in the stack than the frame at hand.
void Cursor::change_term(const std::function<void(Term&)>& change) {
  store_frame();
  int above = 0;
  Index at = state_.frame;
  for (; at != 0 && store_.frames[at].kind != Frame::Term; at = store_.frames[at].below) ++above;
  if (at == 0) return;
  change_frames(above + 1, [&](Frame& frame, int on_it) {
    if (on_it == above) change(frame.term);
  });
}

bool Cursor::leave_term() {
  const Term* const order = term();
  if (order == nullptr || !order->pure) return true;
  if (order->compound) return false;
  change_term([](Term& term) { term.pure = false; });
  return true;
}

// The levels from `from` outward, with `old` replaced: those inside it are made again to point at it.
Index Cursor::rebuilt(Index from, Index old, const Level& changed) {
  Level copy = from == old ? changed : store_.levels[from];
  if (from != old) copy.parent = rebuilt(copy.parent, old, changed);
  store_.levels.push_back(copy);
  return static_cast<Index>(store_.levels.size() - 1);
}

Place Cursor::base_place() const {
  const bool windows = world_.settings().language == Language::Full;
  Place place;
  place.clause = level_.clause;
  switch (level_.clause) {
    case Clause::Items:
      place.compared = level_.compared;
      place.aggregates = true;
      place.windows = windows;
      break;
    case Clause::Having:
      place.aggregates = true;
      break;
    case Clause::Order:
      place.windows = windows && !level_.window_free;
      place.aggregates = level_.grouped || level_.aggregating || level_.window_aggregate;
      break;
    default:
      break;
  }
  return place;
}

Place Cursor::operand_place() const {
  if (!in_frame()) return base_place();
  Place place = frame_.place;
  if (place.inside == Place::Argument && world_.strict()) {
    place.tested |= !frame_.argument.plain;
    place.extended = frame_.argument.extended;
    place.off_form = frame_.argument.off_form;
  }
  return place;
}

int Cursor::operand_depth() const {
  if (!in_frame()) return level_.depth;
  return frame_.depth + (frame_.kind == Frame::Expr ? store_.operators[frame_.expr.operators].weights : 0);
}

// The database counts what stands in a subquery once with it, and once more with each expression that the subquery is part of.
int Cursor::operator_weight() const {
  int weight = 1;
  for (const Level* at = &level_; at->parent != 0; at = &store_.levels[at->parent]) {
    weight += at->kind == Level::Scalar || at->kind == Level::In || at->kind == Level::Exists ? 1 : 0;
  }
  return weight;
}

}  // namespace pccsql::track
