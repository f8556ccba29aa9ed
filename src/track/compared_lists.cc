#include "track/compared_lists.h"

#include "track/precedence.h"

namespace pccsql::track {

// Whether these operators, waiting for what comes, are AND, OR and NOT alone.
bool ComparedLists::stands_loosely(Index operators) const {
  for (const OperatorNode& node : newest_first(store_.operators, operators)) {
    if (node.precedence > kNot) return false;
  }
  return true;
}

Standing ComparedLists::standing_in_paren() const {
  if (frame_.lists.standing == Standing::None) return Standing::None;
  if (frame_.expr.word == Expr::Exists) {  // EXISTS
    return compares_here(frame_) ? Standing::Operand : Standing::None;
  }
  Index op = frame_.expr.operators;
  while (store_.operators[op].sign) op = store_.operators[op].below;
  if (frame_.lists.standing != Standing::Condition) return op == 0 ? frame_.lists.standing : Standing::None;
  if (store_.operators[op].compares) {
    return stands_loosely(store_.operators[op].below) ? Standing::Operand : Standing::None;
  }
  if (!stands_loosely(op)) return Standing::None;
  return op == frame_.expr.operators ? Standing::Condition : Standing::Candidate;
}

void ComparedLists::open_list(Level& inner, Standing standing) {
  if (standing == Standing::None || state_.lists == UINT16_MAX) return;
  inner.list = {++state_.lists, static_cast<uint16_t>(level_.nesting + 1)};
  inner.compared = standing == Standing::Operand;
}

// The SELECT has closed; the frame at hand is the parenthesis around it.
void ComparedLists::close_list(const Level& inner) {
  if (inner.list.id == 0) return;
  (inner.compared ? frame_.lists.first : frame_.lists.subquery) = inner.list.id;
  frame_.lists.unshown = inner.unshown;
  frame_dirty_ = true;
}

// What a frame that has ended held is part of the operand at hand.
void ComparedLists::take_lists(const Frame& from) {
  if (from.lists.first == 0 && from.lists.subquery == 0) return;
  if (frame_.lists.first == 0) frame_.lists.first = from.lists.first;
  frame_.lists.subquery = from.lists.subquery;
  frame_.lists.unshown |= from.lists.unshown;
  frame_dirty_ = true;
}

// The expression at hand ends: its last operand stands for the whole.
void ComparedLists::gather_lists() {
  for (const OperatorNode& op : newest_first(store_.operators, frame_.expr.operators)) {
    if (op.first_list != 0) frame_.lists.first = op.first_list;
    frame_.lists.unshown |= op.unshown;
    if (!op.sign) frame_.lists.subquery = 0;
  }
}

void ComparedLists::decide_lists(uint16_t first, uint16_t last, bool compared) {
  UseNode node;
  node.below = state_.uses;
  node.list = {first, static_cast<uint16_t>(level_.nesting + 1)};
  node.last = last;
  node.compared = compared;
  store_.uses.push_back(node);
  state_.uses = static_cast<Index>(store_.uses.size() - 1);
}

// The operand at hand, complete, is the left one of an operator. False: it holds what may not be shown, and would be.
bool ComparedLists::operate_on_lists(Terminal op) {
  if (frame_.lists.first == 0 && frame_.lists.subquery == 0) return true;
  frame_dirty_ = true;
  const bool stands = compares_here(frame_);
  const uint16_t subquery = frame_.lists.subquery;
  if (op != Terminal::kw_NOT) frame_.lists.subquery = 0;  // NOT BETWEEN
  if (stands && (op == Terminal::kw_AND || op == Terminal::kw_OR)) return true;
  if (stands && subquery != 0 && is_comparison(op)) {
    frame_.lists.first = subquery;
    decide_lists(subquery, subquery, true);
    return true;
  }
  if (frame_.lists.first == 0) return true;
  if (frame_.lists.unshown) return false;
  decide_lists(frame_.lists.first, state_.lists, false);
  frame_.lists.first = 0;
  return true;
}

}  // namespace pccsql::track
