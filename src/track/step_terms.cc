// Terms of ORDER BY and GROUP BY, which are not always what they look like: places, output names, or expressions after all.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {

// The ORDER BY or GROUP BY term that the expression at hand could be the whole of.
const Frame* Step::term() const {
  if (!in_frame()) return nullptr;
  const Frame* at = &frame_;
  for (int open = state_.open; open > 0; --open) {
    if (at->kind == Frame::Term) return at;
    if (at->kind != Frame::Expr && at->kind != Frame::Paren) return nullptr;
    at = &store_.frames[at->below];
  }
  return nullptr;
}

// The Term is deeper in the stack than the frame at hand.
void Step::change_term(const std::function<void(Frame&)>& change) {
  store_frame();
  int above = 0;
  Index at = state_.frame;
  for (; at != 0 && store_.frames[at].kind != Frame::Term; at = store_.frames[at].below) ++above;
  if (at == 0) return;
  change_frames(above + 1, [&](Frame& frame, int on_it) {
    if (on_it == above) change(frame);
  });
}

bool Step::output_name(NameId name) const {
  for (Index i = level_.order_names; i != 0; i = store_.name_lists[i].below) {
    const NameNode& node = store_.name_lists[i];
    // Before a set operation a column that is an item is found as a column.
    if (node.name == name && (node.qualifier != kNoName || level_.branches > 1)) return true;
  }
  return false;
}

// A comma after a term of GROUP BY or ORDER BY, or of a window's PARTITION BY or ORDER BY, which the database counts together.
bool Step::read_comma_of_terms() {
  if (in_frame() && frame_.kind == Frame::Window) return frame_.arguments < kMostTerms;
  level_.terms = static_cast<uint16_t>(level_.terms + 1);
  level_dirty_ = true;
  return level_.terms < kMostTerms;
}

bool Step::close_term() {
  if (frame_.pure && frame_.number) {
    level_.window_free = true;
    level_dirty_ = true;
  }
  if (frame_.pure && frame_.ordinal != 0 && !sort_by_item(item_at(frame_.ordinal))) return false;
  if (frame_.readings == 0) return true;
  return decide_name();
}

// Where there are windows the database reads GROUP BY twice, and the second time a number in an item's stead as a place. By
// then a column of an enclosing SELECT may have become a number too.
void Step::note_number(const SelectItem& item) {
  const Frame* const group = term();
  if ((!item.number && !item.outward) || level_.clause != Clause::Group || group == nullptr || !group->pure) return;
  const bool windowed = level_.windowed;
  change_term([&](Frame& term) {
    term.number = true;
    term.owes_operator = windowed;
  });
}

// A name whose reading had to wait: it is what stands alone, or what an operator made of it.
bool Step::decide_name() {
  const uint8_t readings = frame_.readings;
  const NameId name = frame_.name;
  frame_.readings = 0;
  frame_.name = kNoName;
  frame_dirty_ = true;
  if (frame_.kind == Frame::Term && (readings & AsAlias) != 0) return sort_by_output(name);
  if ((readings & AsColumn) != 0) return use_column(kNoName, name);
  return (readings & (AsString | AsBoolean)) != 0 && test_argument();
}

bool Step::number_in_term(const Literal& literal) {
  const Frame* const order = term();
  if (order == nullptr || !order->pure) return true;
  if (!literal.integer) {  // a larger number is a constant, no place
    if (order->compound) return false;
    change_term([](Frame& term) { term.pure = false; });
    return true;
  }
  const int width = level_.branches > 1 ? level_.width : width_now(level_);
  bool place = !order->negative && literal.value >= 1 && static_cast<int>(literal.value) <= width;
  if (place && level_.list.id != 0) {
    const auto ordinal = static_cast<uint16_t>(literal.value);
    place = on_copy([&](Step& copy) { return copy.sort_by_item(copy.item_at(ordinal)); });
    if (place) change_term([&](Frame& term) { term.ordinal = ordinal; });
  }
  if (place && level_.clause == Clause::Group) {
    const SelectItem item = item_at(static_cast<int>(literal.value));
    place = !item.aggregate && !item.window;
    if (place) {
      change_term([&](Frame& term) { term.owes_operator = false; });
      note_number(item);
      return true;
    }
  }
  if (!place && order->compound) return false;
  change_term([&](Frame& term) { term.owes_operator = !place; });
  return true;
}

// The item that puts out the column at this place, counted from 1.
SelectItem Step::item_at(int place) const {
  for (const SelectItem& item : items(level_)) {
    int width = 1;
    if (item.star != SelectItem::No) {
      width = 0;
      for_each_output(item, from_items(level_), [&](const Source::Column&) { ++width; });
    }
    if (place <= width) return item;
    place -= width;
  }
  return {};
}

}  // namespace pccsql::track
