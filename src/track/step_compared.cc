// SELECTs that are only compared. Their select lists test columns and do not show them, as long as nothing but a comparison
// is done with the SELECT, and nothing but AND, OR and NOT with the comparison. To the right of an operator that compares,
// after IN and under EXISTS a list is taken for compared; where it holds what may not be shown, nothing may follow that
// would do more with it. To the left of a comparison it is taken for shown until the comparison comes.
#include <algorithm>

#include "track/precedence.h"
#include "track/step.h"

namespace pccsql::track {

std::array<std::pair<RoleSet, ListId>, 2> parted(const Ref& ref) {
  const bool apart = ref.place.minmax && ref.list.id != 0;
  const RoleSet shown = apart ? role_bit(Role::Sel) : RoleSet{0};
  const RoleSet rest = apart && (ref.roles & ~shown) != 0 ? static_cast<RoleSet>(ref.roles & ~shown) : ref.roles;
  return {{{shown, {}}, {rest, ref.list}}};
}

// Whether these operators, waiting for what comes, are AND, OR and NOT alone.
bool Step::stands_loosely(Index operators) const {
  for (Index i = operators; i != 0; i = store_.operators[i].below) {
    if (store_.operators[i].precedence > kNot) return false;
  }
  return true;
}

// Of what a parenthesis that begins the operand at hand holds, or EXISTS.
Standing Step::standing_in_paren() const {
  if (frame_.standing == Standing::None) return Standing::None;
  if (frame_.part == 3) {  // EXISTS
    return compares_here(frame_) ? Standing::Operand : Standing::None;
  }
  Index op = frame_.operators;
  while (store_.operators[op].sign) op = store_.operators[op].below;
  if (frame_.standing != Standing::Condition) return op == 0 ? frame_.standing : Standing::None;
  if (store_.operators[op].compares) {
    return stands_loosely(store_.operators[op].below) ? Standing::Operand : Standing::None;
  }
  if (!stands_loosely(op)) return Standing::None;
  return op == frame_.operators ? Standing::Condition : Standing::Candidate;
}

void Step::open_list(Level& inner, Standing standing) {
  if (standing == Standing::None || state_.lists == UINT16_MAX) return;
  inner.list = {++state_.lists, static_cast<uint16_t>(level_.nesting + 1)};
  inner.compared = standing == Standing::Operand;
}

// The SELECT has closed; the frame at hand is the parenthesis around it.
void Step::close_list(const Level& inner) {
  if (inner.list.id == 0) return;
  (inner.compared ? frame_.first_list : frame_.subquery) = inner.list.id;
  frame_.unshown = inner.unshown;
  frame_dirty_ = true;
}

// What a frame that has ended held is part of the operand at hand.
void Step::take_lists(const Frame& from) {
  if (from.first_list == 0 && from.subquery == 0) return;
  if (frame_.first_list == 0) frame_.first_list = from.first_list;
  frame_.subquery = from.subquery;
  frame_.unshown |= from.unshown;
  frame_dirty_ = true;
}

// The expression at hand ends: its last operand stands for the whole.
void Step::gather_lists() {
  for (Index i = frame_.operators; i != 0; i = store_.operators[i].below) {
    const OperatorNode& op = store_.operators[i];
    if (op.first_list != 0) frame_.first_list = op.first_list;
    frame_.unshown |= op.unshown;
    if (!op.sign) frame_.subquery = 0;
  }
}

void Step::decide_lists(uint16_t first, uint16_t last, bool compared) {
  UseNode node;
  node.below = state_.uses;
  node.list = {first, static_cast<uint16_t>(level_.nesting + 1)};
  node.last = last;
  node.compared = compared;
  store_.uses.push_back(node);
  state_.uses = static_cast<Index>(store_.uses.size() - 1);
}

// The operand at hand, complete, is the left one of an operator. False: it holds what may not be shown, and would be.
bool Step::operate_on_lists(Terminal op) {
  if (frame_.first_list == 0 && frame_.subquery == 0) return true;
  frame_dirty_ = true;
  const bool stands = compares_here(frame_);
  const uint16_t subquery = frame_.subquery;
  if (op != Terminal::kw_NOT) frame_.subquery = 0;  // NOT BETWEEN
  if (stands && (op == Terminal::kw_AND || op == Terminal::kw_OR)) return true;
  if (stands && subquery != 0 && is_comparison(op)) {
    frame_.first_list = subquery;
    decide_lists(subquery, subquery, true);
    return true;
  }
  if (frame_.first_list == 0) return true;
  if (frame_.unshown) return false;
  decide_lists(frame_.first_list, state_.lists, false);
  frame_.first_list = 0;
  return true;
}

// A name in the list of the innermost SELECT: what it is bound to permits this.
void Step::note_unshown(const Ref& ref, RoleSet permitted) {
  if (!level_.compared || level_.unshown || ref.list.id == 0 || ref.list.id != level_.list.id) return;
  if ((permitted & role_bit(Role::Sel)) != 0) return;
  level_.unshown = level_dirty_ = true;
}

// ORDER BY and GROUP BY show the order of an item, which is no more than was shown already, unless the item is compared.
bool Step::sort_by_item(const SelectItem& item) {
  if (level_.list.id == 0) return true;
  Place place;
  place.clause = level_.clause;
  return item.star == SelectItem::No && !item.outward && use_alias(level_, item, place, false);
}

bool Step::sort_by_output(NameId name) {
  if (level_.list.id == 0) return true;
  const SelectItem* const item = find_alias(level_, name);
  if (item == nullptr) return use_column(kNoName, name);
  Binding binding;
  if (level_.star && find_in_from(level_, kNoName, name, binding) != Found::No) return false;
  return sort_by_item(SelectItem(*item));
}

}  // namespace pccsql::track
