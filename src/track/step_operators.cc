// Operators by their precedence, with the operands to their left.
#include <algorithm>
#include <utility>

#include "track/precedence.h"
#include "track/step.h"

namespace pccsql::track {

void Step::reduce(int least) {
  while (frame_.operators != 0 && store_.operators[frame_.operators].precedence >= least) {
    const OperatorNode& op = store_.operators[frame_.operators];
    frame_.operand = op.precedence == kUnary || op.precedence == kNot ? std::min(frame_.operand, op.left) : op.left;
    frame_.zero = false;
    if (op.first_list != 0) frame_.first_list = op.first_list;
    frame_.unshown |= op.unshown;
    if (!op.sign) frame_.subquery = 0;
    frame_.operators = op.below;
    state_.bare = kNoName;  // also by a COLLATE: a signed column gives no name
  }
  frame_dirty_ = true;
}

bool Step::push_operator(Terminal op, int binds, int weight, bool compares) {
  const OperatorNode below = store_.operators[frame_.operators];
  OperatorNode node;
  node.below = frame_.operators;
  node.precedence = static_cast<uint8_t>(binds);
  node.and_ = op == Terminal::kw_AND && binds == kAnd;
  node.sign = binds == kUnary && op != Terminal::Tilde;
  node.compares = compares;
  node.first_list = std::exchange(frame_.first_list, uint16_t{0});
  node.unshown = std::exchange(frame_.unshown, false);
  frame_.subquery = 0;
  node.divides = op == Terminal::Slash;
  node.weight = static_cast<uint8_t>(weight);
  node.weights = static_cast<uint16_t>(below.weights + weight);
  node.left = frame_.operand;
  if (!has_depth(frame_.depth + node.weights)) return false;
  store_.operators.push_back(node);
  frame_.operators = static_cast<Index>(store_.operators.size() - 1);
  frame_.operand = ref_count();
  frame_.after = false;
  frame_.zero = false;
  frame_dirty_ = true;
  return true;
}

bool Step::read_operator(Terminal op, bool postfix) {
  const int binds = precedence(op);
  if (level_.item_star && level_.clause == Clause::Items && state_.open == 1) return false;
  if (!frame_.after || frame_.height >= kTallest) return false;
  if (const Frame* const order = term(); order != nullptr) {
    // A collated place is one, a signed collated one is not.
    // With COLLATE here the database applies the last SELECT's GROUP BY and HAVING to the whole.
    if (order->compound && (op != Terminal::kw_COLLATE || order->signed_ || level_.grouped)) return false;
    if (op != Terminal::kw_COLLATE) {
      if (order->pure || order->owes_operator) {
        change_term([](Frame& term) { term.pure = term.owes_operator = false; });
      }
    }
  }
  if (frame_.readings != 0 && op != Terminal::kw_COLLATE && !decide_name()) return false;
  state_.bare = op == Terminal::kw_COLLATE ? state_.bare : kNoName;
  frame_.height = static_cast<uint16_t>(frame_.height + operator_weight());
  frame_dirty_ = true;
  // The database's parser drops `x AND 0`, and with it what x makes of the query.
  if (frame_.zero && binds <= kAnd) {
    if (store_.operators[frame_.operators].and_) return false;
    if (op == Terminal::kw_AND && (frame_.operators == 0 || store_.operators[frame_.operators].precedence < kAnd))
      return false;
  }
  reduce(binds);
  if (!operate_on_lists(op)) return false;
  if (op == Terminal::kw_COLLATE) {
    frame_.zero = false;
    return !store_.operators[frame_.operators].divides || test_argument();
  }
  frame_.operated = true;
  note_leaf(2);
  if (!operator_in_argument(op)) return false;
  if (postfix) {
    frame_.zero = false;
    return true;
  }
  const int weight = op == Terminal::kw_IS ? parser_stack::kIs : parser_stack::kOperator;  // IS NOT DISTINCT FROM
  return push_operator(op, binds, weight, is_comparison(op));
}

bool Step::read_infix(const Word& word) {
  switch (word.terminal) {
    case Terminal::Name:  // after COLLATE
      return word.quote == Quote::None &&
             std::find(world_.collations().begin(), world_.collations().end(), word.name) != world_.collations().end();
    case Terminal::kw_NOT:
      if (frame_.part == 1) return true;  // IS NOT
      frame_.part = 2;
      frame_dirty_ = true;
      return read_operator(word.terminal, true);
    case Terminal::kw_NULL:
      frame_.part = 0;
      frame_.after = true;
      frame_dirty_ = true;
      return operate_on_lists(Terminal::kw_NOTNULL);
    case Terminal::kw_ISNULL:
    case Terminal::kw_NOTNULL:
      return read_operator(word.terminal, true);
    case Terminal::kw_IS:
      frame_.part = 1;
      frame_dirty_ = true;
      return read_operator(word.terminal, false);
    case Terminal::kw_DISTINCT:
    case Terminal::kw_FROM:
    case Terminal::kw_ESCAPE:
      return word.terminal != Terminal::kw_ESCAPE || !frame_.escape_forbidden;
    case Terminal::kw_IN:
    case Terminal::kw_LIKE:
    case Terminal::kw_GLOB:
    case Terminal::kw_BETWEEN: {
      const bool negated = frame_.part == 2;
      frame_.part = 0;
      frame_.escape_forbidden = word.terminal == Terminal::kw_GLOB;
      frame_dirty_ = true;
      if (!has_depth(operand_depth() + parser_stack::kNegatable)) return false;
      return negated ? operate_on_lists(word.terminal) : read_operator(word.terminal, true);
    }
    case Terminal::kw_AND:  // of BETWEEN
      return push_operator(word.terminal, kEquality, parser_stack::kBetweenAnd, true);
    default:
      return read_operator(word.terminal, false);
  }
}

}  // namespace pccsql::track
