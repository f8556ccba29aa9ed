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
    if (condition && world_.strict()) expr.standing = Standing::Condition;
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
        Frame term;
        term.kind = Frame::Term;
        term.place = base_place();
        term.pure = true;
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
        if (frame_.arguments >= frame_.function->most) return false;
        frame_.arguments = static_cast<uint16_t>(frame_.arguments + 1);
        frame_dirty_ = true;
        expr.place = argument_place();
        expr.depth = static_cast<uint16_t>(frame_.depth +
                                           (frame_.arguments > 1 ? parser_stack::kFurtherArgument : parser_stack::kFirstArgument));
        break;
      case Frame::Case:
        expr.place = frame_.place;
        expr.place.tested |= expr.place.inside == Place::Argument && frame_.part < 2;
        expr.depth = static_cast<uint16_t>(frame_.depth + (frame_.part == 0 ? parser_stack::kCaseOperand : parser_stack::kCaseBranch));
        break;
      case Frame::InSet:
        frame_.arguments = static_cast<uint16_t>(std::min(frame_.arguments + 1, 60000));
        frame_dirty_ = true;
        expr.place = frame_.place;
        expr.depth = frame_.depth;
        break;
      case Frame::Window:
        if (!frame_.in_bound) {
          frame_.arguments = static_cast<uint16_t>(frame_.arguments + 1);
          frame_dirty_ = true;
        }
        expr.place = frame_.place;
        expr.depth = static_cast<uint16_t>(frame_.depth + (frame_.in_bound ? parser_stack::kFrame : parser_stack::kPartition));
        if (frame_.in_bound) {  // how far a frame reaches is a number
          if (frame_.unit == Terminal::kw_RANGE && frame_.order_terms != 1) return false;
          expr.place.clause = Clause::Limit;
          expr.place.aggregates = false;
        }
        break;
      default:  // Paren, Filter, Cast, Term
        expr.place = frame_.place;
        expr.depth = frame_.depth;
        expr.and_operand = frame_.and_operand;
        expr.standing = frame_.standing;
        break;
    }
  }
  if (!has_depth(expr.depth)) return false;
  const bool counted = in_frame() && frame_.kind == Frame::Call && frame_.function->mode == Callable::Sums;
  const bool distinct = frame_.distinct;
  const bool condition = !in_frame() && (level_.clause == Clause::On || level_.clause == Clause::Where);
  if (condition && room_for_conditions(level_) < 1) return false;
  push_frame(expr);
  if (condition) {
    const int around = store_.frames[level_.outer_frame].height + level_.conditions;
    frame_.height = static_cast<uint16_t>(std::max<int>(frame_.height, around));
    level_.on_height = frame_.height;
    level_dirty_ = true;
  }
  frame_.operand = ref_count();
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
  if (!frame_.after) return false;
  const bool alone = frame_.operators == 0;
  if (frame_.zero && (store_.operators[frame_.operators].and_ || (alone && frame_.and_operand))) return false;
  gather_lists();
  const Frame done = frame_;
  const Frame* const order = term();
  const bool pure = order != nullptr && order->pure;
  pop_frame();
  if (!in_frame() && level_.clause == Clause::On) {  // one more, that joins it to the others
    level_.conditions = static_cast<uint16_t>(level_.conditions + done.height - level_.on_height + 1);
    level_dirty_ = true;
  }
  if (in_frame() && (frame_.kind == Frame::Expr || frame_.kind == Frame::Paren)) take_lists(done);
  state_.zero = alone && done.zero && !done.operated;
  if (!alone || done.operated) state_.bare = kNoName;
  if (pure && done.readings != 0) {  // a name that ORDER BY has not decided about: its parenthesis keeps it
    frame_.name = done.name;
    frame_.quote = done.quote;
    frame_.readings = done.readings;
    frame_dirty_ = true;
  }
  if (in_frame() && frame_.kind == Frame::Term && frame_.owes_operator) return false;
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
      if (word.terminal == Terminal::kw_NOT && frame_.pattern) return false;
      frame_.part = 0;
      if (frame_.height >= kTallest) return false;
      frame_.height = static_cast<uint16_t>(frame_.height + operator_weight());
      frame_dirty_ = true;
      const bool sign = word.terminal == Terminal::Minus || word.terminal == Terminal::Plus;
      if (const Frame* const order = term(); order != nullptr && order->pure) {
        if (order->compound && word.terminal != Terminal::Plus) return false;
        change_term([&](Frame& term) {
          term.pure = sign;
          term.signed_ = true;
          term.negative ^= word.terminal == Terminal::Minus;
        });
      }
      if (!(sign ? extend_argument() : test_argument())) return false;
      const uint32_t operand = frame_.operand;
      if (!push_operator(word.terminal, word.terminal == Terminal::kw_NOT ? kNot : kUnary, parser_stack::kUnary)) return false;
      frame_.operand = operand;
      return true;
    }
    case Terminal::kw_EXISTS: {
      frame_.part = 3;
      frame_dirty_ = true;
      if (!has_depth(operand_depth() + parser_stack::kExists + parser_stack::kSelect) || frame_.height >= kTallest) return false;
      if (const Frame* const order = term(); order != nullptr && order->pure) {
        if (order->compound) return false;
        change_term([](Frame& term) { term.pure = false; });
      }
      return test_argument();
    }
    case Terminal::LeftParen: {
      Frame paren;
      paren.kind = frame_.part == 3 ? Frame::Exists : Frame::Paren;
      paren.place = operand_place();
      paren.depth = static_cast<uint16_t>(operand_depth() + (frame_.part == 3 ? parser_stack::kExists : parser_stack::kParen));
      paren.standing = standing_in_paren();
      paren.and_operand = store_.operators[frame_.operators].and_ || (frame_.operators == 0 && frame_.and_operand);
      frame_.part = 0;
      frame_dirty_ = true;
      if (!has_depth(paren.depth) || frame_.height >= kTallest) return false;
      frame_.height = static_cast<uint16_t>(frame_.height + operator_weight());
      push_frame(paren);
      return true;
    }
    case Terminal::RightParen: {
      const Frame paren = frame_;
      pop_frame();
      take_lists(paren);
      frame_.after = true;
      frame_dirty_ = true;
      if (paren.kind == Frame::Exists || paren.part == 1) {
        state_.bare = kNoName;
        frame_.zero = false;
        if (const Frame* const order = term(); order != nullptr && order->pure) {
          if (order->compound) return false;
          change_term([](Frame& term) { term.pure = false; });
        }
        return true;
      }
      frame_.zero = state_.zero && store_.operators[frame_.operators].precedence != kUnary;
      frame_.name = paren.name;
      frame_.quote = paren.quote;
      frame_.readings = paren.readings;
      return true;
    }
    case Terminal::Comma:
      return false;  // a row value
    case Terminal::Dot:
      if ((frame_.readings & AsQualifier) == 0 && !qualifier_fits(frame_.name)) return false;
      frame_.qualifier = frame_.name;
      frame_.name = kNoName;
      frame_.readings = 0;
      frame_dirty_ = true;
      if (const Frame* const order = term(); order != nullptr && order->pure) {
        if (order->compound) return false;
        change_term([](Frame& term) { term.pure = false; });
      }
      return true;
    case Terminal::Star: {
      const NameId qualifier = frame_.qualifier;
      frame_.qualifier = kNoName;
      frame_.after = true;
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
  frame_.after = true;
  frame_.part = 0;
  frame_dirty_ = true;
  if (frame_.readings == 0) return true;
  const Frame* const order = term();
  if (order != nullptr && order->pure && level_.clause == Clause::Order) {
    return (frame_.readings & ~AsFunction & ~AsQualifier) != 0;  // whether an operator follows decides
  }
  state_.bare = (frame_.readings & (AsColumn | AsString)) != 0 ? frame_.name : kNoName;
  return decide_name();
}

bool Expressions::read_name(const Word& word) {
  note_leaf(2);
  if (frame_.qualifier != kNoName) {  // after a dot
    const NameId qualifier = frame_.qualifier;
    frame_.qualifier = kNoName;
    frame_dirty_ = true;
    state_.bare = word.name;
    return use_column(qualifier, word.name);
  }
  frame_.name = word.name;
  frame_.quote = word.quote;
  frame_.readings = readings(word.name, word.quote);
  // What else it could be is asked when a dot or a parenthesis follows, unless nothing else keeps it alive.
  if (frame_.readings == 0 && word.quote == Quote::None && function_fits_here(word.name)) frame_.readings = AsFunction;
  if ((frame_.readings & ~AsFunction) == 0 && qualifier_fits(word.name)) frame_.readings |= AsQualifier;
  frame_dirty_ = true;
  return frame_.readings != 0;
}

bool Expressions::read_literal(const Word& word) {
  frame_.after = true;
  frame_dirty_ = true;
  state_.bare = kNoName;
  frame_.zero = false;
  note_leaf(word.terminal == Terminal::Integer && word.literal.integer && level_.item_leaf == 0 ? 1 : 2);
  if (word.terminal == Terminal::Integer) {
    if (!number_in_term(word.literal)) return false;
    const bool bare = store_.operators[frame_.operators].precedence != kUnary;
    frame_.zero = word.literal.integer && word.literal.value == 0 && bare;
    frame_dirty_ = true;
  } else if (const Frame* const order = term(); order != nullptr && order->pure) {
    if (order->compound) return false;
    change_term([](Frame& term) { term.pure = false; });
  }
  return literal_in_argument(word);
}

bool Expressions::read_operator(Terminal op, bool postfix) {
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

void Expressions::reduce(int least) {
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

bool Expressions::push_operator(Terminal op, int binds, int weight, bool compares) {
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

bool Expressions::read_infix(const Word& word) {
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

bool Expressions::open_range() {
  if (!open_expr()) return false;
  // Of BETWEEN, unless it is a bound of a window's frame.
  if (below().kind == Frame::Expr && compares_here(below())) frame_.standing = Standing::Operand;
  return true;
}

bool Expressions::open_pattern() {
  if (!open_expr()) return false;
  frame_.pattern = frame_dirty_ = true;
  return true;
}

bool Expressions::open_set() {
  Frame set;
  set.kind = Frame::InSet;
  set.place = operand_place();
  if (compares_here(frame_)) set.standing = Standing::Operand;
  set.depth = static_cast<uint16_t>(operand_depth() + parser_stack::kInSet);
  if (!has_depth(set.depth)) return false;
  push_frame(set);
  return true;
}

bool Expressions::read_set(const Word& word) {
  return word.terminal != Terminal::RightParen || frame_.part != 0 || frame_.arguments > 0;
}

bool Expressions::close_set() {
  const Frame set = frame_;
  pop_frame();
  take_lists(set);
  return true;
}

bool Expressions::begin_operand(const Word& word) {
  const bool divides = in_plain_argument() && !frame_.after && store_.operators[frame_.operators].divides;
  return !divides || word.terminal == Terminal::Float || test_argument();
}

}  // namespace pccsql::track
