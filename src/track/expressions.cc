#include "track/expressions.h"

#include <algorithm>
#include <utility>

#include "track/precedence.h"

namespace pccsql::track {

bool Expressions::open_expr() {
  Frame expr;
  expr.kind = Frame::Expr;
  const int branch = branch_depth(level_);
  if (!in_frame()) {
    expr.place = base_place();
    const bool condition =
        level_.clause == Clause::On || level_.clause == Clause::Where || level_.clause == Clause::Having;
    if (condition && world_.strict()) expr.lists.standing = Standing::Condition;
    switch (level_.clause) {
      case Clause::Items:
        expr.depth = static_cast<uint16_t>(branch + parser_stack::kItem);
        break;
      case Clause::On:
        expr.depth = static_cast<uint16_t>(branch + parser_stack::kOn);
        break;
      case Clause::Where:
        expr.depth = static_cast<uint16_t>(branch + parser_stack::kWhere);
        break;
      case Clause::Group: {
        Frame term = frame_of(Frame::Term, base_place());
        term.term.pure = true;
        push_frame(term);
        expr.depth = static_cast<uint16_t>(branch + parser_stack::kGroupTerm);
        break;
      }
      case Clause::Having:
        expr.depth = static_cast<uint16_t>(branch + parser_stack::kHaving);
        break;
      default:
        expr.depth = static_cast<uint16_t>(level_.depth + parser_stack::kOrderTerm);
        break;
    }
  } else {
    switch (frame_.kind) {
      case Frame::Expr:  // the operand of BETWEEN or LIKE
        expr.place = operand_place();
        expr.depth = static_cast<uint16_t>(operand_depth() + parser_stack::kRange);
        break;
      case Frame::Call:
        if (frame_.call.arguments >= frame_.call.function->most) return false;
        frame_.call.arguments = static_cast<uint16_t>(frame_.call.arguments + 1);
        frame_dirty_ = true;
        expr.place = argument_place();
        expr.depth = static_cast<uint16_t>(frame_.depth +
                                           (frame_.call.arguments > 1 ? parser_stack::kFurtherArgument : parser_stack::kFirstArgument));
        break;
      case Frame::Case:
        expr.place = frame_.place;
        expr.place.tested |= expr.place.inside == Place::Argument && frame_.case_part < Frame::Then;
        expr.depth = static_cast<uint16_t>(frame_.depth + (frame_.case_part == Frame::Operand ? parser_stack::kCaseOperand : parser_stack::kCaseBranch));
        break;
      case Frame::InSet:
        frame_.paren.filled = frame_dirty_ = true;
        expr.place = frame_.place;
        expr.depth = frame_.depth;
        break;
      case Frame::Window:
        if (!frame_.window.in_bound) {
          frame_.window.terms = static_cast<uint16_t>(frame_.window.terms + 1);
          frame_dirty_ = true;
        }
        expr.place = frame_.place;
        expr.depth = static_cast<uint16_t>(frame_.depth + (frame_.window.in_bound ? parser_stack::kFrame : parser_stack::kPartition));
        if (frame_.window.in_bound) {  // how far a frame reaches is a number
          if (frame_.window.unit == Terminal::kw_RANGE && frame_.window.order_terms != 1) return false;
          expr.place.clause = Clause::Limit;
          expr.place.aggregates = false;
        }
        break;
      default:  // Paren, Filter, Cast, Term
        expr.place = frame_.place;
        expr.depth = frame_.depth;
        expr.and_operand = frame_.and_operand;
        expr.lists.standing = frame_.lists.standing;
        break;
    }
  }
  if (!has_depth(expr.depth)) return false;
  const bool counted = in_frame() && frame_.kind == Frame::Call && frame_.call.function->mode == Callable::Sums;
  const bool distinct = frame_.call.distinct;
  const bool condition = !in_frame() && (level_.clause == Clause::On || level_.clause == Clause::Where);
  if (condition && room_for_conditions(level_) < 1) return false;
  push_frame(expr);
  if (condition) {
    const int around = store_.frames[level_.outer_frame].height + level_.conditions;
    frame_.height = static_cast<uint16_t>(std::max<int>(frame_.height, around));
    level_.on_height = frame_.height;
    level_dirty_ = true;
  }
  frame_.expr.operand = ref_count();
  if (counted) {
    frame_.argument = {};
    frame_.argument.plain = world_.strict() && expr.place.inside == Place::Argument;
    frame_.argument.distinct = distinct;
    frame_.argument.off_form = distinct && world_.sets_minimum();
    frame_.argument.refs = ref_count();
  }
  return true;
}

bool Expressions::close_expr() {
  if (!frame_.expr.after) return false;
  const bool alone = frame_.expr.operators == 0;
  if (frame_.expr.zero && (store_.operators[frame_.expr.operators].and_ || (alone && frame_.and_operand))) return false;
  gather_lists();
  const Frame done = frame_;
  const Term* const order = term();
  const bool pure = order != nullptr && order->pure;
  pop_frame();
  if (!in_frame() && level_.clause == Clause::On) {  // one more, that joins it to the others
    level_.conditions = static_cast<uint16_t>(level_.conditions + done.height - level_.on_height + 1);
    level_dirty_ = true;
  }
  if (in_frame() && (frame_.kind == Frame::Expr || frame_.kind == Frame::Paren)) take_lists(done);
  state_.zero = alone && done.expr.zero && !done.expr.operated;
  if (!alone || done.expr.operated) state_.bare = kNoName;
  if (pure && done.name.readings != 0) {  // a name that ORDER BY has not decided about: its parenthesis keeps it
    frame_.name.name = done.name.name;
    frame_.name.quote = done.name.quote;
    frame_.name.readings = done.name.readings;
    frame_dirty_ = true;
  }
  if (in_frame() && frame_.kind == Frame::Term && frame_.term.owes_operator) return false;
  if (in_frame() && frame_.kind == Frame::Term && level_.clause == Clause::Group &&
      frame_.place.inside == Place::Plain) {
    return close_term();
  }
  return true;
}

bool Expressions::read_operand(const Word& word) {
  switch (word.terminal) {
    case Terminal::kw_NOT:
    case Terminal::Minus:
    case Terminal::Plus:
    case Terminal::Tilde: {
      // To the database's parser, what follows `x LIKE NOT y` belongs to the NOT: it would pile up on its stack.
      if (word.terminal == Terminal::kw_NOT && frame_.expr.pattern) return false;
      frame_.expr.word = Expr::Nothing;
      if (frame_.height >= kTallest) return false;
      frame_.height = static_cast<uint16_t>(frame_.height + operator_weight());
      frame_dirty_ = true;
      const bool sign = word.terminal == Terminal::Minus || word.terminal == Terminal::Plus;
      if (const Term* const order = term(); order != nullptr && order->pure) {
        if (order->compound && word.terminal != Terminal::Plus) return false;
        change_term([&](Term& term) {
          term.pure = sign;
          term.has_sign = true;
          term.negative ^= word.terminal == Terminal::Minus;
        });
      }
      if (!(sign ? extend_argument() : test_argument())) return false;
      const uint32_t operand = frame_.expr.operand;
      if (!push_operator(word.terminal, word.terminal == Terminal::kw_NOT ? kNot : kUnary, parser_stack::kUnary)) return false;
      frame_.expr.operand = operand;
      return true;
    }
    case Terminal::kw_EXISTS: {
      frame_.expr.word = Expr::Exists;
      frame_dirty_ = true;
      if (!has_depth(operand_depth() + parser_stack::kExists + parser_stack::kSelect) || frame_.height >= kTallest) return false;
      return leave_term() && test_argument();
    }
    case Terminal::LeftParen: {
      const bool exists = frame_.expr.word == Expr::Exists;
      Frame paren = frame_of(exists ? Frame::Exists : Frame::Paren, operand_place());
      paren.lists.standing = standing_in_paren();
      paren.and_operand = store_.operators[frame_.expr.operators].and_ || (frame_.expr.operators == 0 && frame_.and_operand);
      const int depth = operand_depth() + (exists ? parser_stack::kExists : parser_stack::kParen);
      frame_.expr.word = Expr::Nothing;
      frame_dirty_ = true;
      if (frame_.height >= kTallest) return false;
      frame_.height = static_cast<uint16_t>(frame_.height + operator_weight());
      return open_frame(paren, depth);
    }
    case Terminal::RightParen: {
      const Frame paren = frame_;
      pop_frame();
      take_lists(paren);
      frame_.expr.after = true;
      frame_dirty_ = true;
      if (paren.kind == Frame::Exists || paren.paren.select) {
        state_.bare = kNoName;
        frame_.expr.zero = false;
        return leave_term();
      }
      frame_.expr.zero = state_.zero && store_.operators[frame_.expr.operators].precedence != kUnary;
      frame_.name.name = paren.name.name;
      frame_.name.quote = paren.name.quote;
      frame_.name.readings = paren.name.readings;
      return true;
    }
    case Terminal::Comma:
      return false;  // a row value
    case Terminal::Dot:
      store_.asked |= (frame_.name.readings & AsQualifier) == 0;
      if ((frame_.name.readings & AsQualifier) == 0 && !qualifier_fits(frame_.name.name)) return false;
      frame_.name.qualifier = frame_.name.name;
      frame_.name.name = kNoName;
      frame_.name.readings = 0;
      frame_dirty_ = true;
      return leave_term();
    case Terminal::Star: {
      const NameId qualifier = frame_.name.qualifier;
      frame_.name.qualifier = kNoName;
      frame_.expr.after = true;
      frame_dirty_ = true;
      state_.bare = kNoName;
      return star_fits(qualifier);
    }
    case Terminal::Name:
      return read_name(word);
    default:
      return read_literal(word);
  }
}

bool Expressions::operand_done() {
  if (frame_.kind != Frame::Expr) return false;
  frame_.expr.after = true;
  frame_.expr.word = Expr::Nothing;
  frame_dirty_ = true;
  if (frame_.name.readings == 0) return true;
  const Term* const order = term();
  if (order != nullptr && order->pure && level_.clause == Clause::Order) {
    return (frame_.name.readings & ~AsFunction & ~AsQualifier) != 0;  // whether an operator follows decides
  }
  state_.bare = (frame_.name.readings & (AsColumn | AsString)) != 0 ? NameId{frame_.name.name} : kNoName;
  return decide_name();
}

bool Expressions::read_name(const Word& word) {
  note_leaf(ItemDraft::Other);
  if (frame_.name.qualifier != kNoName) {  // after a dot
    const NameId qualifier = frame_.name.qualifier;
    frame_.name.qualifier = kNoName;
    frame_dirty_ = true;
    state_.bare = word.name;
    return use_column(qualifier, word.name);
  }
  frame_.name.name = word.name;
  frame_.name.quote = word.quote;
  frame_.name.readings = readings(word.name, word.quote);
  // What else it could be is asked when a dot or a parenthesis follows, unless nothing else keeps it alive.
  if (frame_.name.readings == 0 && word.quote == Quote::None && function_fits_here(word.name)) frame_.name.readings = AsFunction;
  if ((frame_.name.readings & ~AsFunction) == 0 && qualifier_fits(word.name)) frame_.name.readings |= AsQualifier;
  frame_dirty_ = true;
  return frame_.name.readings != 0;
}

bool Expressions::read_literal(const Word& word) {
  frame_.expr.after = true;
  frame_dirty_ = true;
  state_.bare = kNoName;
  frame_.expr.zero = false;
  note_leaf(word.terminal == Terminal::Integer && word.literal.integer && level_.item.leaf == ItemDraft::Nothing ? ItemDraft::Integer
                                                                                                                     : ItemDraft::Other);
  if (word.terminal == Terminal::Integer) {
    if (!number_in_term(word.literal)) return false;
    const bool bare = store_.operators[frame_.expr.operators].precedence != kUnary;
    frame_.expr.zero = word.literal.integer && word.literal.value == 0 && bare;
    frame_dirty_ = true;
  } else if (!leave_term()) {
    return false;
  }
  return literal_in_argument(word);
}

bool Expressions::read_operator(Terminal op, bool postfix) {
  const int binds = precedence(op);
  if (level_.item.star && level_.clause == Clause::Items && state_.open == 1) return false;
  if (!frame_.expr.after || frame_.height >= kTallest) return false;
  if (const Term* const order = term(); order != nullptr) {
    // A collated place is one, a signed collated one is not.
    // With COLLATE here the database applies the last SELECT's GROUP BY and HAVING to the whole.
    if (order->compound && (op != Terminal::kw_COLLATE || order->has_sign || level_.grouped)) return false;
    if (op != Terminal::kw_COLLATE) {
      if (order->pure || order->owes_operator) {
        change_term([](Term& term) { term.pure = term.owes_operator = false; });
      }
    }
  }
  if (frame_.name.readings != 0 && op != Terminal::kw_COLLATE && !decide_name()) return false;
  state_.bare = op == Terminal::kw_COLLATE ? state_.bare : kNoName;
  frame_.height = static_cast<uint16_t>(frame_.height + operator_weight());
  frame_dirty_ = true;
  // The database's parser drops `x AND 0`, and with it what x makes of the query.
  if (frame_.expr.zero && binds <= kAnd) {
    if (store_.operators[frame_.expr.operators].and_) return false;
    if (op == Terminal::kw_AND && (frame_.expr.operators == 0 || store_.operators[frame_.expr.operators].precedence < kAnd))
      return false;
  }
  reduce(binds);
  if (!operate_on_lists(op)) return false;
  if (op == Terminal::kw_COLLATE) {
    frame_.expr.zero = false;
    return !store_.operators[frame_.expr.operators].divides || test_argument();
  }
  frame_.expr.operated = true;
  note_leaf(ItemDraft::Other);
  if (!operator_in_argument(op)) return false;
  if (postfix) {
    frame_.expr.zero = false;
    return true;
  }
  const int weight = op == Terminal::kw_IS ? parser_stack::kIs : parser_stack::kOperator;  // IS NOT DISTINCT FROM
  return push_operator(op, binds, weight, is_comparison(op));
}

void Expressions::reduce(int least) {
  while (frame_.expr.operators != 0 && store_.operators[frame_.expr.operators].precedence >= least) {
    const OperatorNode& op = store_.operators[frame_.expr.operators];
    frame_.expr.operand = op.precedence == kUnary || op.precedence == kNot ? std::min(frame_.expr.operand, op.left) : op.left;
    frame_.expr.zero = false;
    if (op.first_list != 0) frame_.lists.first = op.first_list;
    frame_.lists.unshown |= op.unshown;
    if (!op.sign) frame_.lists.subquery = 0;
    frame_.expr.operators = op.below;
    state_.bare = kNoName;  // also by a COLLATE: a signed column gives no name
  }
  frame_dirty_ = true;
}

bool Expressions::push_operator(Terminal op, int binds, int weight, bool compares) {
  const OperatorNode below = store_.operators[frame_.expr.operators];
  OperatorNode node;
  node.below = frame_.expr.operators;
  node.precedence = static_cast<uint8_t>(binds);
  node.and_ = op == Terminal::kw_AND && binds == kAnd;
  node.sign = binds == kUnary && op != Terminal::Tilde;
  node.compares = compares;
  node.first_list = std::exchange(frame_.lists.first, uint16_t{0});
  node.unshown = std::exchange(frame_.lists.unshown, false);
  frame_.lists.subquery = 0;
  node.divides = op == Terminal::Slash;
  node.weight = static_cast<uint8_t>(weight);
  node.weights = static_cast<uint16_t>(below.weights + weight);
  node.left = frame_.expr.operand;
  if (!has_depth(frame_.depth + node.weights)) return false;
  store_.operators.push_back(node);
  frame_.expr.operators = static_cast<Index>(store_.operators.size() - 1);
  frame_.expr.operand = ref_count();
  frame_.expr.after = false;
  frame_.expr.zero = false;
  frame_dirty_ = true;
  return true;
}

bool Expressions::read_infix(const Word& word) {
  switch (word.terminal) {
    case Terminal::Name:  // after COLLATE
      return word.quote == Quote::None &&
             std::find(world_.collations().begin(), world_.collations().end(), word.name) != world_.collations().end();
    case Terminal::kw_NOT:
      if (frame_.expr.word == Expr::Is) return true;  // IS NOT
      frame_.expr.word = Expr::Not;
      frame_dirty_ = true;
      return read_operator(word.terminal, true);
    case Terminal::kw_NULL:
      frame_.expr.word = Expr::Nothing;
      frame_.expr.after = true;
      frame_dirty_ = true;
      return operate_on_lists(Terminal::kw_NOTNULL);
    case Terminal::kw_ISNULL:
    case Terminal::kw_NOTNULL:
      return read_operator(word.terminal, true);
    case Terminal::kw_IS:
      frame_.expr.word = Expr::Is;
      frame_dirty_ = true;
      return read_operator(word.terminal, false);
    case Terminal::kw_DISTINCT:
    case Terminal::kw_FROM:
    case Terminal::kw_ESCAPE:
      return word.terminal != Terminal::kw_ESCAPE || !frame_.expr.escape_forbidden;
    case Terminal::kw_IN:
    case Terminal::kw_LIKE:
    case Terminal::kw_GLOB:
    case Terminal::kw_BETWEEN: {
      const bool negated = frame_.expr.word == Expr::Not;
      frame_.expr.word = Expr::Nothing;
      frame_.expr.escape_forbidden = word.terminal == Terminal::kw_GLOB;
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

bool Expressions::open_range() {
  if (!open_expr()) return false;
  // Of BETWEEN, unless it is a bound of a window's frame.
  if (below().kind == Frame::Expr && compares_here(below())) frame_.lists.standing = Standing::Operand;
  return true;
}

bool Expressions::open_pattern() {
  if (!open_expr()) return false;
  frame_.expr.pattern = frame_dirty_ = true;
  return true;
}

bool Expressions::open_set() {
  Frame set = frame_of(Frame::InSet, operand_place());
  if (compares_here(frame_)) set.lists.standing = Standing::Operand;
  return open_frame(set, operand_depth() + parser_stack::kInSet);
}

bool Expressions::read_set(const Word& word) {
  return word.terminal != Terminal::RightParen || frame_.paren.select || frame_.paren.filled;
}

bool Expressions::close_set() {
  const Frame set = frame_;
  pop_frame();
  take_lists(set);
  return true;
}

bool Expressions::begin_operand(const Word& word) {
  const bool divides = in_plain_argument() && !frame_.expr.after && store_.operators[frame_.expr.operators].divides;
  return !divides || word.terminal == Terminal::Float || test_argument();
}

}  // namespace pccsql::track
