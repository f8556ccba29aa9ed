// Expressions: operands, operators by their precedence, and what an operator asks of the columns to its left after they were
// written. A column inside SUM is a value until `=`, `%` or a number that could overflow makes it a question.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {
namespace {

// The database's table, loosest first.
constexpr int kAnd = 2, kNot = 3, kEquality = 4, kCollate = 11, kUnary = 12;
int precedence(Terminal op) {
  switch (op) {
    case Terminal::kw_OR:
      return 1;
    case Terminal::kw_AND:
      return kAnd;
    case Terminal::Less:
    case Terminal::LessEqual:
    case Terminal::Greater:
    case Terminal::GreaterEqual:
      return 5;
    case Terminal::Ampersand:
    case Terminal::Bar:
    case Terminal::ShiftLeft:
    case Terminal::ShiftRight:
      return 7;
    case Terminal::Plus:
    case Terminal::Minus:
      return 8;
    case Terminal::Star:
    case Terminal::Slash:
    case Terminal::Percent:
      return 9;
    case Terminal::Concat:
    case Terminal::Arrow:
    case Terminal::LongArrow:
      return 10;
    case Terminal::kw_COLLATE:
      return kCollate;
    default:
      return kEquality;
  }
}

bool is_arithmetic(Terminal op) {
  return op == Terminal::Plus || op == Terminal::Minus || op == Terminal::Star || op == Terminal::Slash;
}

// Whether asking is told apart from handing on here: inside COUNT, SUM, AVG, and in items, which an alias can put there.
bool tells_asked(const Place& place) {
  return place.inside == Place::Argument || (place.inside == Place::Plain && place.clause == Clause::Items);
}

}  // namespace

Place Step::base_place() const {
  Place place;
  place.clause = level_.clause;
  switch (level_.clause) {
    case Clause::Items:
      place.aggregates = place.windows = true;
      break;
    case Clause::Having:
      place.aggregates = true;
      break;
    case Clause::Order:
      place.windows = true;
      place.aggregates = level_.grouped || level_.aggregating;
      break;
    default:
      break;
  }
  return place;
}

// The ORDER BY or GROUP BY term that the expression at hand could be the whole of.
const Frame* Step::term() const {
  if (!in_frame()) return nullptr;
  const Frame* at = &frame_;
  for (int open = sem_.open; open > 0; --open) {
    if (at->kind == Frame::Term) return at;
    if (at->kind != Frame::Expr && at->kind != Frame::Paren) return nullptr;
    at = &store_.frames[at->below];
  }
  return nullptr;
}

// The Term is deeper in the stack than the frame at hand: everything above it is made again.
void Step::change_term(const std::function<void(Frame&)>& change) {
  store_frame();
  std::vector<Frame> above;
  Index at = sem_.frame;
  while (at != 0 && store_.frames[at].kind != Frame::Term) {
    above.push_back(store_.frames[at]);
    at = store_.frames[at].below;
  }
  if (at == 0) return;
  Frame changed = store_.frames[at];
  change(changed);
  store_.frames.push_back(changed);
  for (size_t i = above.size(); i-- > 0;) {
    above[i].below = static_cast<Index>(store_.frames.size() - 1);
    store_.frames.push_back(above[i]);
  }
  sem_.frame = static_cast<Index>(store_.frames.size() - 1);
  frame_ = store_.frames[sem_.frame];
}

bool Step::output_name(NameId name) const {
  for (Index i = level_.order_names; i != 0; i = store_.name_lists[i].below) {
    const NameNode& node = store_.name_lists[i];
    // Before a set operation a column that is an item is found as a column.
    if (node.name == name && (node.qualifier != kNoName || level_.branches > 1)) return true;
  }
  return false;
}

Place Step::operand_place() const {
  if (!in_frame()) return base_place();
  if (frame_.kind != Frame::Expr) return frame_.place;
  Place place = frame_.place;
  place.asked |= store_.operators[frame_.operators].asks_right;
  return place;
}

int Step::operand_depth() const {
  if (!in_frame()) return level_.depth;
  return frame_.depth + (frame_.kind == Frame::Expr ? store_.operators[frame_.operators].weights : 0);
}

bool Step::open_expr() {
  Frame expr;
  expr.kind = Frame::Expr;
  const int branch = level_.depth + (level_.branches > 1 ? 2 : 0);
  if (!in_frame()) {
    expr.place = base_place();
    switch (level_.clause) {
      case Clause::Items:
        expr.depth = static_cast<uint16_t>(branch + 4);
        break;
      case Clause::On:
        expr.depth = static_cast<uint16_t>(branch + 9);
        break;
      case Clause::Where:
        expr.depth = static_cast<uint16_t>(branch + 5);
        break;
      case Clause::Group: {
        Frame term;
        term.kind = Frame::Term;
        term.place = base_place();
        term.pure = true;
        push_frame(term);
        expr.depth = static_cast<uint16_t>(branch + 9);
        break;
      }
      case Clause::Having:
        expr.depth = static_cast<uint16_t>(branch + 7);
        break;
      default:
        expr.depth = static_cast<uint16_t>(level_.depth + 11);
        break;
    }
  } else {
    switch (frame_.kind) {
      case Frame::Expr:  // the operand of BETWEEN or LIKE
        expr.place = operand_place();
        expr.place.asked = true;
        expr.depth = static_cast<uint16_t>(operand_depth() + 4);
        break;
      case Frame::Call:
        if (frame_.arguments >= frame_.function->most) return false;
        frame_.arguments = static_cast<uint16_t>(frame_.arguments + 1);
        frame_dirty_ = true;
        expr.place = argument_place();
        expr.depth = static_cast<uint16_t>(frame_.depth + (frame_.arguments > 1 ? 5 : 3));
        break;
      case Frame::Case:
        expr.place = frame_.place;
        expr.place.asked |= frame_.part < 2;
        expr.depth = static_cast<uint16_t>(frame_.depth + (frame_.part == 0 ? 1 : 6));
        break;
      case Frame::InSet:
        frame_.arguments = static_cast<uint16_t>(std::min(frame_.arguments + 1, 60000));
        frame_dirty_ = true;
        expr.place = frame_.place;
        expr.depth = frame_.depth;
        break;
      case Frame::Window:
        expr.place = frame_.place;
        expr.depth = static_cast<uint16_t>(frame_.depth + (frame_.in_bound ? 8 : 4));
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
        break;
    }
  }
  if (expr.depth > kDeepest) return false;
  push_frame(expr);
  frame_.operand = ref_count();
  return true;
}

bool Step::close_expr() {
  if (!frame_.after) return false;
  const bool alone = frame_.operators == 0;
  if (frame_.zero && (store_.operators[frame_.operators].and_ || (alone && frame_.and_operand))) return false;
  const Frame done = frame_;
  const Frame* const order = term();
  const bool pure = order != nullptr && order->pure;
  pop_frame();
  sem_.zero = alone && done.zero && !done.operated;
  if (!alone || done.operated) sem_.bare = kNoName;
  if (pure && done.readings != 0) {  // a name that ORDER BY has not decided about: its parenthesis keeps it
    frame_.name = done.name;
    frame_.quote = done.quote;
    frame_.readings = done.readings;
    frame_dirty_ = true;
  }
  if (in_frame() && frame_.kind == Frame::Term && frame_.owes_operator) return false;
  if (in_frame() && frame_.kind == Frame::Term && level_.clause == Clause::Group && frame_.place.inside == Place::Plain) {
    if (!close_term()) return false;
    pop_frame();
  }
  return true;
}

bool Step::close_term() {
  if (frame_.readings == 0) return true;
  return decide_name();
}

// A name whose reading had to wait: it is what stands alone, or what an operator made of it.
bool Step::decide_name() {
  const uint8_t readings = frame_.readings;
  const NameId name = frame_.name;
  frame_.readings = 0;
  frame_.name = kNoName;
  frame_dirty_ = true;
  if (frame_.kind == Frame::Term && (readings & AsAlias) != 0) return true;
  if ((readings & AsColumn) != 0) return use_column(kNoName, name);
  return (readings & (AsString | AsBoolean)) != 0;
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
  sem_.bare = (frame_.readings & (AsColumn | AsString)) != 0 ? frame_.name : kNoName;
  return decide_name();
}

bool Step::read_name(const Word& word) {
  if (frame_.qualifier != kNoName) {  // after a dot
    const NameId qualifier = frame_.qualifier;
    frame_.qualifier = kNoName;
    frame_dirty_ = true;
    sem_.bare = word.name;
    return use_column(qualifier, word.name);
  }
  frame_.name = word.name;
  frame_.quote = word.quote;
  frame_.readings = readings(word.name, word.quote);
  if (qualifier_fits(word.name)) frame_.readings |= AsQualifier;
  frame_dirty_ = true;
  return frame_.readings != 0;
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
  if (place && level_.clause == Clause::Group) {
    int at = 0;  // the item that stands at this place must be one to group by
    for (const SelectItem& item : items(level_)) {
      if (item.star != SelectItem::No) {  // `*` makes places of columns
        at = -1;
        break;
      }
      if (++at == static_cast<int>(literal.value) && (item.aggregate || item.window || item.constant)) place = false;
    }
    if (at < 0) {
      for (const SelectItem& item : items(level_)) place &= !item.aggregate && !item.window && !item.constant;
    }
  }
  if (!place && order->compound) return false;
  change_term([&](Frame& term) { term.owes_operator = !place; });
  return true;
}

bool Step::read_literal(const Word& word) {
  frame_.after = true;
  frame_dirty_ = true;
  sem_.bare = kNoName;
  frame_.zero = false;
  const bool number = word.terminal == Terminal::Integer || word.terminal == Terminal::Float;
  if (word.terminal == Terminal::Integer) {
    if (!number_in_term(word.literal)) return false;
    const bool bare = store_.operators[frame_.operators].precedence != kUnary;
    frame_.zero = word.literal.integer && word.literal.value == 0 && bare;
    frame_dirty_ = true;
  } else if (const Frame* const order = term(); order != nullptr && order->pure) {
    if (order->compound) return false;
    change_term([](Frame& term) { term.pure = false; });
  }
  if ((number || word.terminal == Terminal::String) && word.literal.extreme) return extreme_literal();
  return true;
}

// A number that arithmetic could overflow with: whatever it is computed with is asked.
bool Step::extreme_literal() {
  level_.extreme |= level_.clause == Clause::Items;
  level_dirty_ = true;
  if (!tells_asked(frame_.place) || !world_.strict()) return true;
  store_frame();
  std::vector<Frame> above;
  Index at = sem_.frame;
  uint32_t from = UINT32_MAX;
  for (int open = sem_.open; open > 0; --open) {
    Frame frame = store_.frames[at];
    above.push_back(frame);
    if (frame.kind == Frame::Call && frame.function->mode == Callable::Sums && frame.place.inside != Place::Argument) break;
    if (frame.kind == Frame::Expr) {
      for (Index op = frame.operators; op != 0; op = store_.operators[op].below) {
        if (store_.operators[op].arithmetic) from = std::min(from, store_.operators[op].left);
      }
    }
    at = frame.below;
  }
  for (size_t i = above.size(); i-- > 0;) {
    if (above[i].kind == Frame::Expr) above[i].extreme = true;
    if (i + 1 < above.size()) above[i].below = static_cast<Index>(store_.frames.size() - 1);
    store_.frames.push_back(above[i]);
  }
  sem_.frame = static_cast<Index>(store_.frames.size() - 1);
  frame_ = store_.frames[sem_.frame];
  return from == UINT32_MAX || ask(from);
}

bool Step::ask(uint32_t from) {
  // What an aggregate has counted is not asked by what is done with its result.
  const Place::Inside inside = frame_.place.inside;
  return rewrite_refs(from, [&](Ref& ref) {
    if (ref.place.inside != inside || !tells_asked(ref.place) || ref.place.asked) return false;
    ref.place.asked = true;
    ref.roles = roles_at(ref.place, ref.minmax);
    return true;
  });
}

void Step::reduce(int least) {
  while (frame_.operators != 0 && store_.operators[frame_.operators].precedence >= least) {
    const OperatorNode& op = store_.operators[frame_.operators];
    frame_.operand = op.precedence == kUnary || op.precedence == kNot ? std::min(frame_.operand, op.left) : op.left;
    frame_.extreme |= op.extreme;
    frame_.zero = false;
    frame_.operators = op.below;
  }
  frame_dirty_ = true;
}

bool Step::push_operator(Terminal op, int binds, bool asks, bool arithmetic, int weight) {
  const OperatorNode below = store_.operators[frame_.operators];
  OperatorNode node;
  node.below = frame_.operators;
  node.precedence = static_cast<uint8_t>(binds);
  node.asks_right = asks || below.asks_right;
  node.arithmetic = arithmetic;
  node.extreme = frame_.extreme;
  node.and_ = op == Terminal::kw_AND && binds == kAnd;
  node.weight = static_cast<uint8_t>(weight);
  node.weights = static_cast<uint16_t>(below.weights + weight);
  node.left = frame_.operand;
  if (frame_.depth + node.weights > kDeepest) return false;
  store_.operators.push_back(node);
  frame_.operators = static_cast<Index>(store_.operators.size() - 1);
  frame_.operand = ref_count();
  frame_.extreme = false;
  frame_.after = false;
  frame_.zero = false;
  frame_dirty_ = true;
  return true;
}

bool Step::read_operator(Terminal op, bool postfix) {
  const int binds = precedence(op);
  if (level_.item_star && level_.clause == Clause::Items && sem_.open == 1) return false;
  if (!frame_.after || frame_.height >= kTallest) return false;
  if (const Frame* const order = term(); order != nullptr) {
    // A collated place is one, a signed collated one is not.
    if (order->compound && (op != Terminal::kw_COLLATE || order->signed_)) return false;
    if (op != Terminal::kw_COLLATE) {
      if (order->pure || order->owes_operator) {
        change_term([](Frame& term) { term.pure = term.owes_operator = false; });
      }
    }
  }
  if (frame_.readings != 0 && op != Terminal::kw_COLLATE && !decide_name()) return false;
  sem_.bare = op == Terminal::kw_COLLATE ? sem_.bare : kNoName;
  frame_.height = static_cast<uint16_t>(frame_.height + 1);
  frame_dirty_ = true;
  // The database's parser drops `x AND 0`, and with it what x makes of the query.
  if (frame_.zero && binds <= kAnd) {
    if (store_.operators[frame_.operators].and_) return false;
    if (op == Terminal::kw_AND && (frame_.operators == 0 || store_.operators[frame_.operators].precedence < kAnd)) return false;
  }
  const bool zero = frame_.zero;
  reduce(binds);
  if (op == Terminal::kw_COLLATE) {
    frame_.zero = false;
    static_cast<void>(zero);
    return true;
  }
  frame_.operated = true;
  const bool arithmetic = is_arithmetic(op);
  const bool asks = !arithmetic || frame_.extreme;
  if (asks && !ask(frame_.operand)) return false;
  if (postfix) {
    frame_.zero = false;
    return true;
  }
  return push_operator(op, binds, asks || op == Terminal::Slash, arithmetic, 2);
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
      return true;
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
      return word.terminal != Terminal::kw_ESCAPE || !frame_.distinct;
    case Terminal::kw_IN:
    case Terminal::kw_LIKE:
    case Terminal::kw_GLOB:
    case Terminal::kw_BETWEEN: {
      const bool negated = frame_.part == 2;
      frame_.part = 0;
      frame_.distinct = word.terminal == Terminal::kw_GLOB;  // which takes no ESCAPE
      frame_dirty_ = true;
      if (operand_depth() + 6 > kDeepest) return false;
      return negated || read_operator(word.terminal, true);
    }
    case Terminal::kw_AND:  // of BETWEEN
      return push_operator(word.terminal, kEquality, true, false, 4);
    default:
      return read_operator(word.terminal, false);
  }
}

bool Step::read_operand(const Word& word) {
  switch (word.terminal) {
    case Terminal::kw_NOT:
    case Terminal::Minus:
    case Terminal::Plus:
    case Terminal::Tilde: {
      frame_.part = 0;
      if (frame_.height >= kTallest) return false;
      frame_.height = static_cast<uint16_t>(frame_.height + 1);
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
      const uint32_t operand = frame_.operand;
      const bool extreme = frame_.extreme;
      if (!push_operator(word.terminal, word.terminal == Terminal::kw_NOT ? kNot : kUnary, !sign, false, 1)) return false;
      frame_.operand = operand;
      frame_.extreme = extreme;
      return true;
    }
    case Terminal::kw_EXISTS: {
      frame_.part = 3;
      frame_dirty_ = true;
      if (operand_depth() + 2 + kSelectDepth > kDeepest) return false;
      if (const Frame* const order = term(); order != nullptr && order->pure) {
        if (order->compound) return false;
        change_term([](Frame& term) { term.pure = false; });
      }
      return true;
    }
    case Terminal::LeftParen: {
      Frame paren;
      paren.kind = frame_.part == 3 ? Frame::Exists : Frame::Paren;
      paren.place = operand_place();
      paren.depth = static_cast<uint16_t>(operand_depth() + (frame_.part == 3 ? 2 : 1));
      paren.and_operand = store_.operators[frame_.operators].and_ || (frame_.operators == 0 && frame_.and_operand);
      frame_.part = 0;
      frame_dirty_ = true;
      if (paren.depth > kDeepest || frame_.height >= kTallest) return false;
      frame_.height = static_cast<uint16_t>(frame_.height + 1);
      push_frame(paren);
      return true;
    }
    case Terminal::RightParen: {
      const Frame paren = frame_;
      pop_frame();
      frame_.after = true;
      frame_dirty_ = true;
      if (paren.kind == Frame::Exists || paren.part == 1) {
        sem_.bare = kNoName;
        frame_.zero = false;
        if (const Frame* const order = term(); order != nullptr && order->pure) {
          if (order->compound) return false;
          change_term([](Frame& term) { term.pure = false; });
        }
        return true;
      }
      frame_.zero = sem_.zero && store_.operators[frame_.operators].precedence != kUnary;
      frame_.name = paren.name;
      frame_.quote = paren.quote;
      frame_.readings = paren.readings;
      return true;
    }
    case Terminal::Comma:
      return false;  // a row value
    case Terminal::Dot:
      if ((frame_.readings & AsQualifier) == 0) return false;
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
      sem_.bare = kNoName;
      return star_fits(qualifier);
    }
    case Terminal::Name:
      return read_name(word);
    default:
      return read_literal(word);
  }
}

}  // namespace pccsql::track
