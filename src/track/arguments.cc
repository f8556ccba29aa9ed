#include "track/arguments.h"

#include <algorithm>
#include <utility>

namespace pccsql::track {

bool Arguments::in_plain_argument() const {
  return in_frame() && frame_.argument.plain && frame_.place.inside == Place::Argument && !frame_.place.tested;
}

bool Arguments::test_argument() {
  if (!in_plain_argument()) return true;
  frame_.argument.plain = false;
  frame_dirty_ = level_dirty_ = true;
  return rewrite_refs(level_, frame_.argument.refs, [&](Ref& ref) {
    if (ref.place.inside != Place::Argument || ref.place.tested) return false;
    ref.place.tested = true;
    ref.roles = roles_of(ref);
    return true;
  });
}

bool Arguments::extend_argument() {
  if (!in_plain_argument() || frame_.argument.extended) return true;
  frame_.argument.extended = true;
  frame_dirty_ = level_dirty_ = true;
  if (frame_.argument.distinct || frame_.argument.derived) return test_argument();
  return rewrite_refs(level_, frame_.argument.refs, [&](Ref& ref) {
    if (ref.place.inside != Place::Argument) return false;
    ref.place.extended = true;
    return true;
  });
}

bool Arguments::literal_in_argument(const Word& word) {
  if (!in_plain_argument()) return true;
  if (!extend_argument()) return false;
  if (word.terminal == Terminal::kw_NULL) return true;
  const bool number = word.terminal == Terminal::Integer || word.terminal == Terminal::Float;
  const int digits = frame_.argument.digits + word.literal.digits;
  if (!number || word.literal.odd || digits > Argument::kMostDigits) return test_argument();
  frame_.argument.digits = static_cast<uint8_t>(digits);
  frame_dirty_ = true;
  return true;
}

// COLLATE is none of them.
bool Arguments::operator_in_argument(Terminal op) {
  if (!in_plain_argument()) return true;
  if (!extend_argument()) return false;
  switch (op) {
    case Terminal::Plus:
    case Terminal::Minus:
      return true;
    case Terminal::Star:
      if (frame_.argument.products == Argument::kMostProducts) return test_argument();
      ++frame_.argument.products;
      frame_dirty_ = true;
      return true;
    case Terminal::Slash:  // what it divides by must be a number with a point
      return frame_.argument.digits < Argument::kMostDigits || test_argument();
    default:
      return test_argument();
  }
}

// The refs that stand left of an operator whose right side is being written, in the argument at hand.
std::vector<uint32_t> Arguments::refs_left() const {
  std::vector<uint32_t> counts;
  const Frame* at = &frame_;
  for (int open = state_.open; open > 0; --open, at = &store_.frames[at->below]) {
    if (at->kind == Frame::Call && at->call.function->mode == Callable::Sums) break;
    if (at->kind != Frame::Expr || at->expr.operators == 0) continue;
    Index first = at->expr.operators;
    while (store_.operators[first].below != 0) first = store_.operators[first].below;
    for (uint32_t count = store_.operators[first].left + 1; count <= at->expr.operand; ++count) counts.push_back(count);
  }
  return counts;
}

std::vector<NameId> Arguments::names_left() const {
  std::vector<NameId> names;
  if (!in_plain_argument()) return names;
  const std::vector<uint32_t> left = refs_left();
  for (Index i = level_.refs; i != 0 && !left.empty(); i = store_.refs[i].below) {
    const Ref& ref = store_.refs[i].ref;
    if (!ref.place.tested && holds(left, store_.refs[i].count)) names.push_back(ref.name);
  }
  return names;
}

// The newest ref of the level has come into the argument at hand.
bool Arguments::column_in_argument() {
  if (!in_plain_argument()) return true;
  if (has_factors_beside() && !leave_form()) return false;
  const RefNode added = store_.refs[level_.refs];
  const auto binding_of = [&](const Ref& ref) -> const Binding& { return store_.bindings[ref.binding]; };
  if (added.ref.binding != 0 && binding_of(added.ref).derived) {
    frame_.argument.derived = frame_dirty_ = true;
    if (frame_.argument.extended) return test_argument();
  }
  const std::vector<uint32_t> left = refs_left();
  if (left.empty()) return true;
  for (const RefNode& node : newest_first(store_.refs, added.below)) {
    const Ref& other = node.ref;
    if (other.place.tested || !holds(left, node.count)) continue;  // a condition's is not on any side
    if (other.binding != 0 && added.ref.binding != 0) {
      if (binding_of(other).meets(binding_of(added.ref))) return test_argument();
      continue;
    }
    if (other.name == added.ref.name && other.qualifier == added.ref.qualifier) return test_argument();
    const bool rowid = world_.is_rowid(other.name) || world_.is_rowid(added.ref.name);
    if (other.name != added.ref.name && !rowid) continue;
    const auto is_table = [&](NameId qualifier) {
      store_.asked |= qualifier != kNoName;
      return qualifier != kNoName && world_.sources().find(qualifier) != nullptr;
    };
    if (is_table(other.qualifier) && is_table(added.ref.qualifier) && other.qualifier != added.ref.qualifier) continue;
    store_.twins.push_back({level_.twins, node.count, added.count});
    level_.twins = static_cast<Index>(store_.twins.size() - 1);
    level_dirty_ = true;
  }
  return true;
}

// FROM has closed and bound these refs, all of the level. False: an argument that turns out not to be plain may not be so.
bool Arguments::settle_arguments(std::vector<Ref>& refs) const {
  std::vector<uint32_t> tested;
  for (const Ref& ref : refs) {
    if (ref.in_open_argument() && store_.bindings[ref.binding].derived) tested.push_back(ref.argument);
  }
  for (const TwinNode& node : newest_first(store_.twins, level_.twins)) {
    const Ref& left = refs[node.left - 1];
    const Ref& right = refs[node.right - 1];
    if (!left.in_open_argument() && !right.in_open_argument()) continue;
    if (store_.bindings[left.binding].meets(store_.bindings[right.binding])) {
      tested.push_back(left.argument);
    }
  }
  for (Ref& ref : refs) {
    if (!ref.in_open_argument() || !holds(tested, ref.argument)) continue;
    ref.place.tested = true;
    ref.roles = roles_of(ref);
    if ((store_.bindings[ref.binding].permitted & ref.roles) != ref.roles) return false;
  }
  return true;
}

// A name in an argument of this SELECT, not yet among its refs.
void Arguments::judge_form(Ref& ref) {
  if (ref.place.inside != Place::Argument) return;
  const uint64_t families = grouped_families(ref);
  if (families == 0) return;
  bool off = ref.place.off_form || level_.names_outside;
  uint64_t elsewhere = state_.counted;
  for (Index at = level_.parent; at != 0; at = store_.levels[at].parent) elsewhere |= store_.levels[at].counted;
  off |= (families & elsewhere) != 0;
  off |= (state_.viewed & world_.views_of(families) & ~own_views(ref)) != 0;
  for (Index i = (families & level_.counted) != 0 ? level_.refs : 0; i != 0 && !off; i = store_.refs[i].below) {
    const Ref& other = store_.refs[i].ref;
    if (other.place.inside != Place::Argument || other.place.off_form) continue;
    if ((grouped_families(other) & families) == 0) continue;
    const bool bound = other.binding != 0 && ref.binding != 0;
    off = bound ? store_.bindings[other.binding].item != store_.bindings[ref.binding].item
                : other.qualifier != ref.qualifier ||
                      (ref.qualifier == kNoName && !world_.are_of_one_item(other.name, ref.name));
  }
  if (!off) {
    const uint64_t before = std::exchange(level_.counted, level_.counted | families);
    if (level_.counted != before && !others_stay_viable()) {
      level_.counted = before;
      off = true;
    }
    level_dirty_ = true;
  }
  ref.place.off_form = off;
  ref.roles = roles_of(ref);
}

// The argument at hand holds what a minimum group forbids in it.
bool Arguments::leave_form() {
  if (!world_.sets_minimum() || !in_plain_argument() || frame_.argument.off_form) return true;
  frame_.argument.off_form = frame_dirty_ = true;
  return leave_form(frame_.argument.refs);
}

// Likewise, of the refs after `from`.
bool Arguments::leave_form(uint32_t from) {
  if (!world_.sets_minimum()) return true;
  level_dirty_ = true;
  return rewrite_refs(level_, from, [&](Ref& ref) {
    if (ref.place.inside != Place::Argument || ref.place.off_form) return false;
    ref.place.off_form = true;
    ref.roles = roles_of(ref);
    return true;
  });
}

// FROM has closed and bound these refs, all of the level: what it counts is known now.
bool Arguments::settle_form(std::vector<Ref>& refs) {
  if (!world_.sets_minimum()) return true;
  level_.counted = 0;
  std::vector<std::pair<uint64_t, uint32_t>> items;  // which item of FROM a family is counted of
  for (Ref& ref : refs) {
    if (ref.place.inside != Place::Argument || ref.binding == 0) continue;
    ref.roles = roles_of(ref);
    if (ref.place.off_form) continue;
    const Binding& binding = store_.bindings[ref.binding];
    for (const ColumnRef& column : binding.columns) {
      const uint64_t family = world_.grouped_family(column);
      if (family == 0) continue;
      level_.counted |= family;
      const auto known = std::find_if(items.begin(), items.end(), [&](const auto& i) { return i.first == family; });
      if (known == items.end()) {
        items.emplace_back(family, binding.item);
      } else if (known->second != binding.item) {
        return false;
      }
    }
  }
  return level_.counted == 0 || !level_.names_outside;
}

}  // namespace pccsql::track
