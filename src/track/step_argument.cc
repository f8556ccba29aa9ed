// Arguments of COUNT, SUM and AVG. The columns of a plain one are counted and nothing else; in any other they are tested as
// well, all of them, those already written and those to come. So each lexeme either may stand in a plain argument or is taken
// only if every column of the argument permits being tested. What FROM alone decides, whether a column is one of a table
// and whether two names are one column, is looked at in what the search finds and again when FROM closes.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {
namespace {

bool meet(const std::vector<ColumnRef>& some, const std::vector<ColumnRef>& others) {
  return std::any_of(some.begin(), some.end(), [&](const ColumnRef& column) {
    return std::find(others.begin(), others.end(), column) != others.end();
  });
}

// Whether it hangs on FROM that the argument of the ref is plain.
bool is_open(const Ref& ref) { return ref.argument != 0 && ref.place.part && !ref.place.tested; }

}  // namespace

bool Step::in_plain_argument() const {
  return in_frame() && frame_.argument.plain && frame_.place.inside == Place::Argument && !frame_.place.tested;
}

bool Step::test_argument() {
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

bool Step::extend_argument() {
  if (!in_plain_argument() || frame_.argument.part) return true;
  frame_.argument.part = true;
  frame_dirty_ = level_dirty_ = true;
  if (frame_.argument.distinct || frame_.argument.derived) return test_argument();
  return rewrite_refs(level_, frame_.argument.refs, [&](Ref& ref) {
    if (ref.place.inside != Place::Argument) return false;
    ref.place.part = true;
    return true;
  });
}

bool Step::literal_in_argument(const Word& word) {
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
bool Step::operator_in_argument(Terminal op) {
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
std::vector<uint32_t> Step::refs_left() const {
  std::vector<uint32_t> counts;
  const Frame* at = &frame_;
  for (int open = state_.open; open > 0; --open, at = &store_.frames[at->below]) {
    if (at->kind == Frame::Call && at->function->mode == Callable::Sums) break;
    if (at->kind != Frame::Expr || at->operators == 0) continue;
    Index first = at->operators;
    while (store_.operators[first].below != 0) first = store_.operators[first].below;
    for (uint32_t count = store_.operators[first].left + 1; count <= at->operand; ++count) counts.push_back(count);
  }
  return counts;
}

std::vector<NameId> Step::names_left() const {
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
bool Step::column_in_argument() {
  if (!in_plain_argument()) return true;
  if (has_factors_beside() && !leave_form()) return false;
  const RefNode added = store_.refs[level_.refs];
  const auto binding_of = [&](const Ref& ref) -> const Binding& { return store_.bindings[ref.binding]; };
  if (added.ref.binding != 0 && binding_of(added.ref).derived) {
    frame_.argument.derived = frame_dirty_ = true;
    if (frame_.argument.part) return test_argument();
  }
  const std::vector<uint32_t> left = refs_left();
  if (left.empty()) return true;
  for (Index i = added.below; i != 0; i = store_.refs[i].below) {
    const Ref& other = store_.refs[i].ref;
    if (other.place.tested || !holds(left, store_.refs[i].count)) continue;  // a condition's is not on any side
    if (other.binding != 0 && added.ref.binding != 0) {
      if (meet(binding_of(other).columns, binding_of(added.ref).columns)) return test_argument();
      continue;
    }
    if (other.name == added.ref.name && other.qualifier == added.ref.qualifier) return test_argument();
    const bool rowid = world_.is_rowid(other.name) || world_.is_rowid(added.ref.name);
    if (other.name != added.ref.name && !rowid) continue;
    const auto is_table = [&](NameId qualifier) {
      return qualifier != kNoName && world_.sources().find(qualifier) != nullptr;
    };
    if (is_table(other.qualifier) && is_table(added.ref.qualifier) && other.qualifier != added.ref.qualifier) continue;
    store_.twins.push_back({level_.twins, store_.refs[i].count, added.count});
    level_.twins = static_cast<Index>(store_.twins.size() - 1);
    level_dirty_ = true;
  }
  return true;
}

// FROM has closed and bound these refs, all of the level. False: an argument that turns out not to be plain may not be so.
bool Step::settle_arguments(std::vector<Ref>& refs) const {
  std::vector<uint32_t> tested;
  for (const Ref& ref : refs) {
    if (is_open(ref) && store_.bindings[ref.binding].derived) tested.push_back(ref.argument);
  }
  for (Index i = level_.twins; i != 0; i = store_.twins[i].below) {
    const Ref& left = refs[store_.twins[i].left - 1];
    const Ref& right = refs[store_.twins[i].right - 1];
    if (!is_open(left) && !is_open(right)) continue;
    if (meet(store_.bindings[left.binding].columns, store_.bindings[right.binding].columns)) {
      tested.push_back(left.argument);
    }
  }
  for (Ref& ref : refs) {
    if (!is_open(ref) || !holds(tested, ref.argument)) continue;
    ref.place.tested = true;
    ref.roles = roles_of(ref);
    if ((store_.bindings[ref.binding].permitted & ref.roles) != ref.roles) return false;
  }
  return true;
}

// Likewise, by the FROM that the search has found.
bool Step::arguments_fit(const Level& level, const Witness& found) const {
  if (!world_.strict()) return true;
  std::vector<std::pair<uint32_t, const Ref*>> open;  // by count
  for (Index i = level.refs; i != 0; i = store_.refs[i].below) {
    const Ref& ref = store_.refs[i].ref;
    if (ref.binding == 0 && is_open(ref)) open.emplace_back(store_.refs[i].count, &ref);
  }
  if (open.empty()) return true;
  const std::vector<FromItem> present = from_items(level);
  const auto bound_by = [&](const Ref& ref) {
    Binding binding;
    const auto look = [&](const Source* source, NameId called, const std::vector<NameId>& outputs) {
      if (ref.qualifier != kNoName && ref.qualifier != called) return;
      if (source == nullptr) {
        binding.derived |= std::find(outputs.begin(), outputs.end(), ref.name) != outputs.end();
        return;
      }
      const Source::Column* column = source->find(ref.name);
      if (column == nullptr && ref.qualifier != kNoName && world_.is_rowid(ref.name)) column = source->rowid_column();
      if (column == nullptr) return;
      binding.permitted &= column->permitted;
      binding.derived |= !source->table;
      if (!source->table) return;
      binding.columns.push_back({*source->table, static_cast<ColumnIndex>(column - source->columns.data())});
    };
    for (const FromItem& item : present) {
      const bool renamed = item.name_open && found.open_name != kNoName;
      look(item.source, renamed ? found.open_name : item.name, {});
    }
    for (const FromChoice& choice : found.from) {
      const NameId own = choice.fresh || choice.source == nullptr ? kNoName : choice.source->name;
      look(choice.source, choice.alias != kNoName ? choice.alias : own, choice.outputs);
    }
    return binding;
  };
  std::vector<uint32_t> tested;
  for (const auto& [count, ref] : open) {
    if (bound_by(*ref).derived) tested.push_back(ref->argument);
  }
  for (Index i = level.twins; i != 0; i = store_.twins[i].below) {
    const auto find = [&](uint32_t count) -> const Ref* {
      for (const auto& [at, ref] : open) {
        if (at == count) return ref;
      }
      return nullptr;
    };
    const Ref* const left = find(store_.twins[i].left);
    const Ref* const right = find(store_.twins[i].right);
    if (left == nullptr || right == nullptr) continue;
    if (meet(bound_by(*left).columns, bound_by(*right).columns)) tested.push_back(left->argument);
  }
  if (tested.empty()) return true;
  const RoleSet needed = role_bit(Role::Agg) | role_bit(Role::Where);
  return std::all_of(open.begin(), open.end(), [&](const auto& each) {
    return !holds(tested, each.second->argument) || (bound_by(*each.second).permitted & needed) == needed;
  });
}

}  // namespace pccsql::track
