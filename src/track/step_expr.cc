// Expressions: where one begins and ends, its operands, and the parentheses, names and literals in them.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {

Place Step::base_place() const {
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

Place Step::operand_place() const {
  if (!in_frame()) return base_place();
  Place place = frame_.place;
  if (place.inside == Place::Argument && world_.strict()) {
    place.tested |= !frame_.argument.plain;
    place.part = frame_.argument.part;
    place.off_form = frame_.argument.off_form;
  }
  return place;
}

int Step::operand_depth() const {
  if (!in_frame()) return level_.depth;
  return frame_.depth + (frame_.kind == Frame::Expr ? store_.operators[frame_.operators].weights : 0);
}

bool Step::open_expr() {
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

// The database counts what stands in a subquery once with it, and once more with each expression that the subquery is part of.
int Step::operator_weight() const {
  int weight = 1;
  for (const Level* at = &level_; at->parent != 0; at = &store_.levels[at->parent]) {
    weight += at->kind == Level::Scalar || at->kind == Level::In || at->kind == Level::Exists ? 1 : 0;
  }
  return weight;
}

int Step::room_for_conditions(const Level& level) const {
  return kTallest - level.conditions - store_.frames[level.outer_frame].height;
}

bool Step::close_expr() {
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
    if (!close_term()) return false;
    pop_frame();
  }
  return true;
}

bool Step::operand_done() {
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

bool Step::read_name(const Word& word) {
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

bool Step::read_literal(const Word& word) {
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

bool Step::read_operand(const Word& word) {
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

}  // namespace pccsql::track
