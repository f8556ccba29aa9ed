// Operators by their precedence, and what each asks of the columns to its left after they were written: a column inside SUM is
// a value until `=`, `%` or a number that could overflow makes it a question.
#include <algorithm>

#include "track/precedence.h"
#include "track/step.h"

namespace pccsql::track {
namespace {

bool is_arithmetic(Terminal op) {
  return op == Terminal::Plus || op == Terminal::Minus || op == Terminal::Star || op == Terminal::Slash;
}

// Whether asking is told apart from handing on here: inside COUNT, SUM, AVG, and in items, which an alias can put there.
bool tells_asked(const Place& place) {
  return place.inside == Place::Argument || (place.inside == Place::Plain && place.clause == Clause::Items);
}

}  // namespace

// A number that arithmetic could overflow with: whatever it is computed with is asked, also by what stands around the SELECT
// that it is in.
bool Step::extreme_literal() {
  level_.extreme |= level_.clause == Clause::Items;
  level_dirty_ = true;
  if (!world_.strict()) return true;
  store_frame();
  struct Asked {
    uint32_t from = UINT32_MAX;  // refs of the level
    Place::Inside inside = Place::Plain;
  };
  std::vector<Frame> above;
  std::vector<Asked> asked;  // by level, the innermost first
  Index at = sem_.frame;
  const Level* level = &level_;
  for (int open = sem_.open;; open = level->outer_open, level = &store_.levels[level->parent]) {
    Asked& here = asked.emplace_back();
    bool counted = false;  // by an aggregate: what is done with its result asks nothing
    for (; open > 0; --open) {
      Frame frame = store_.frames[at];
      at = frame.below;
      if (frame.kind == Frame::Expr && !counted && (asked.size() > 1 || tells_asked(frame_.place))) {
        frame.extreme = true;
        for (Index op = frame.operators; op != 0 && tells_asked(frame.place); op = store_.operators[op].below) {
          if (!store_.operators[op].arithmetic) continue;
          here = {std::min(here.from, store_.operators[op].left), frame.place.inside};
        }
      }
      counted |=
          frame.kind == Frame::Call && frame.function->mode == Callable::Sums && frame.place.inside != Place::Argument;
      above.push_back(frame);
    }
    if (level->parent == 0) break;
  }
  for (size_t i = above.size(); i-- > 0;) {
    if (i + 1 < above.size()) above[i].below = static_cast<Index>(store_.frames.size() - 1);
    store_.frames.push_back(above[i]);
  }
  if (!above.empty()) {
    sem_.frame = static_cast<Index>(store_.frames.size() - 1);
    frame_ = store_.frames[sem_.frame];
  }
  // From the outermost inwards: a level that changes gives those inside it new places.
  for (size_t depth = asked.size(); depth-- > 1;) {
    if (asked[depth].from == UINT32_MAX) continue;
    Index id = level_.parent;
    for (size_t i = 1; i < depth; ++i) id = store_.levels[id].parent;
    Level outer = store_.levels[id];
    if (!ask_in(outer, asked[depth].from, asked[depth].inside)) return false;
    if (outer.refs != store_.levels[id].refs) replace_level(id, outer);
  }
  return asked[0].from == UINT32_MAX || ask(asked[0].from);
}

bool Step::ask(uint32_t from) {
  const Index before = level_.refs;
  if (!ask_in(level_, from, frame_.place.inside)) return false;
  level_dirty_ |= level_.refs != before;
  return true;
}

bool Step::ask_in(Level& level, uint32_t from, Place::Inside inside) {
  // What an aggregate has counted is not asked by what is done with its result.
  return rewrite_refs(level, from, [&](Ref& ref) {
    if (ref.place.inside != inside || !tells_asked(ref.place) || ref.place.asked) return false;
    ref.place.asked = true;
    ref.roles = roles_at(ref.place);
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
    sem_.bare = kNoName;  // also by a COLLATE: a signed column gives no name
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
  if (frame_.depth + node.weights > world_.deepest()) return false;
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
    // With COLLATE here the database applies the last SELECT's GROUP BY and HAVING to the whole.
    if (order->compound && (op != Terminal::kw_COLLATE || order->signed_ || level_.grouped)) return false;
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
    if (op == Terminal::kw_AND && (frame_.operators == 0 || store_.operators[frame_.operators].precedence < kAnd))
      return false;
  }
  reduce(binds);
  if (op == Terminal::kw_COLLATE) {
    frame_.zero = false;
    return true;
  }
  frame_.operated = true;
  note_leaf(2);
  const bool arithmetic = is_arithmetic(op);
  const bool asks = !arithmetic || frame_.extreme;
  if (asks && !ask(frame_.operand)) return false;
  if (postfix) {
    frame_.zero = false;
    return true;
  }
  const int weight = op == Terminal::kw_IS ? 5 : 2;  // IS NOT DISTINCT FROM
  return push_operator(op, binds, asks || op == Terminal::Slash, arithmetic, weight);
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
      if (operand_depth() + 6 > world_.deepest()) return false;
      return negated || read_operator(word.terminal, true);
    }
    case Terminal::kw_AND:  // of BETWEEN
      return push_operator(word.terminal, kEquality, true, false, 4);
    default:
      return read_operator(word.terminal, false);
  }
}

}  // namespace pccsql::track
