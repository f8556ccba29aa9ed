#include "track/terms.h"

#include <algorithm>

namespace pccsql::track {

bool Terms::open_term() {
  const bool in_window = in_frame() && frame_.kind == Frame::Window;
  Frame term = frame_of(Frame::Term, in_window ? frame_.place : base_place());
  term.term.pure = !in_window;
  term.term.compound = !in_window && level_.branches > 1;
  term.depth = static_cast<uint16_t>(in_window ? frame_.depth + parser_stack::kWindowOrder
                                               : level_.depth + parser_stack::kOrderTerm);
  if (in_window) {
    frame_.window.order_terms = static_cast<uint8_t>(std::min(frame_.window.order_terms + 1, 2));
    frame_.window.terms = static_cast<uint16_t>(frame_.window.terms + 1);
    frame_dirty_ = true;
  }
  push_frame(term);  // its expression asks for the depth
  return true;
}

bool Terms::read_comma_of_terms(const Word& word) {
  if (word.terminal != Terminal::Comma) return true;
  if (in_frame() && frame_.kind == Frame::Window) return frame_.window.terms < kMostTerms;
  level_.terms = static_cast<uint16_t>(level_.terms + 1);
  level_dirty_ = true;
  return level_.terms < kMostTerms;
}

bool Terms::close_term() {
  if (frame_.term.pure && frame_.term.number) {
    level_.window_free = true;
    level_dirty_ = true;
  }
  if (frame_.term.pure && frame_.term.ordinal != 0 && !sort_by_item(item_at(frame_.term.ordinal))) return false;
  if (frame_.name.readings != 0 && !decide_name()) return false;
  pop_frame();
  return true;
}

bool Terms::number_in_term(const Literal& literal) {
  const Term* const order = term();
  if (order == nullptr || !order->pure) return true;
  if (!literal.integer) {  // a larger number is a constant, no place
    return leave_term();
  }
  store_.asked = true;  // whether there is such a place hangs on what was selected, which is no part of a shape
  const int width = level_.branches > 1 ? level_.width : width_now(level_);
  bool place = !order->negative && literal.value >= 1 && static_cast<int>(literal.value) <= width;
  if (place && level_.list.id != 0) {
    const auto ordinal = static_cast<uint16_t>(literal.value);
    place = on_copy(*this, [&](Terms& copy) { return copy.sort_by_item(copy.item_at(ordinal)); });
    if (place) change_term([&](Term& term) { term.ordinal = ordinal; });
  }
  if (place && level_.clause == Clause::Group) {
    const SelectItem item = item_at(static_cast<int>(literal.value));
    place = !item.aggregate && !item.window;
    if (place) {
      change_term([&](Term& term) { term.owes_operator = false; });
      note_number(item);
      return true;
    }
  }
  if (!place && order->compound) return false;
  change_term([&](Term& term) { term.owes_operator = !place; });
  return true;
}

bool Terms::decide_name() {
  const uint8_t readings = frame_.name.readings;
  const NameId name = frame_.name.name;
  frame_.name.readings = 0;
  frame_.name.name = kNoName;
  frame_dirty_ = true;
  if (frame_.kind == Frame::Term && (readings & AsAlias) != 0) return sort_by_output(name);
  if ((readings & AsColumn) != 0) return use_column(kNoName, name, true);
  return (readings & (AsString | AsBoolean)) != 0 && test_argument();
}

}  // namespace pccsql::track
