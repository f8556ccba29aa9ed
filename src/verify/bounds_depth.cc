// The detector of deep nesting: how much of the database's parser stack is taken where a node begins.
#include <algorithm>

#include "verify/bounds_detect.h"
#include "track/parser_stack.h"
#include "track/precedence.h"
#include "track/world.h"

namespace pccsql::verify::detect {

using namespace track;
using namespace track::parser_stack;
namespace {

bool is_prefix(Terminal t) {
  return t == Terminal::kw_NOT || t == Terminal::Minus || t == Terminal::Plus || t == Terminal::Tilde;
}

bool is_expression(const QueryTree& tree, uint32_t node) {
  return tree.is(node, "expr") || tree.is(node, "range") || tree.is(node, "pattern");
}

int depth(const QueryTree& tree, uint32_t node);

// The operators of a flat expression that still wait for their right side where `lexeme` stands.
int pending(const QueryTree& tree, uint32_t expression, uint32_t lexeme) {
  std::vector<std::pair<int, int>> open;  // precedence, weight
  int operands = 0;
  for (uint32_t i = expression + 1; i < tree.nodes[expression].next; i = tree.nodes[i].next) {
    const uint32_t first = tree.nodes[i].first;
    if (first > lexeme) break;
    const bool joined = tree.is(i, "operand") && operands++ > 0;  // by AND or OR
    const Terminal op = joined ? tree.terminal(first - 1) : tree.terminal(first);
    if (joined || !tree.is(i, "operand")) {
      while (!open.empty() && open.back().first >= precedence(op)) open.pop_back();
      const bool waits = joined || (op != Terminal::kw_COLLATE && op != Terminal::kw_NOT && op != Terminal::kw_IN &&
                                    op != Terminal::kw_LIKE && op != Terminal::kw_GLOB && op != Terminal::kw_BETWEEN &&
                                    op != Terminal::kw_ISNULL && op != Terminal::kw_NOTNULL);
      if (waits) open.push_back({precedence(op), op == Terminal::kw_IS ? kIs : kOperator});
      // After the AND of BETWEEN.
      for (uint32_t inner = i; inner < tree.nodes[i].next; ++inner) {
        const bool between = tree.is(inner, "negatable") && tree.first(inner) == Terminal::kw_BETWEEN;
        if (between && tree.nodes[inner + 1].last < lexeme && lexeme < tree.nodes[inner].last) open.push_back({kEquality, kBetweenAnd});
        if (tree.is(inner, "negatable")) break;
      }
    }
    // NOT binds loosely, signs tightly; both count where they stand before what is asked about.
    const uint32_t operand = tree.is(i, "operand") ? i : kNoNode;
    for (uint32_t k = first; operand != kNoNode && k < lexeme && k < tree.nodes[i].last && is_prefix(tree.terminal(k));
         ++k) {
      open.push_back({tree.terminal(k) == Terminal::kw_NOT ? kNot : track::kUnary, parser_stack::kUnary});
    }
  }
  int sum = 0;
  for (const auto& [binds, weight] : open) sum += weight;
  return sum;
}

// Where an operand, a call or an IN list stands: its expression, with the operators that wait.
int operand_depth(const QueryTree& tree, uint32_t node) {
  uint32_t at = tree.parent(node);
  while (at != kNoNode && !is_expression(tree, at)) at = tree.parent(at);
  if (at == kNoNode) return 0;
  int sum = depth(tree, at) + pending(tree, at, tree.nodes[node].first);
  // Signs of an operand behind an infix operator are not among the expression's own children.
  for (uint32_t up = tree.parent(node); up != at; up = tree.parent(up)) {
    if (!tree.is(up, "operand") || is_expression(tree, tree.parent(up))) continue;
    for (uint32_t k = tree.nodes[up].first; k < tree.nodes[node].first && is_prefix(tree.terminal(k)); ++k) ++sum;
  }
  return sum;
}

int query_depth(const QueryTree& tree, uint32_t query) {
  const uint32_t around = tree.parent(query);
  if (tree.is(around, "cte")) return query_depth(tree, tree.parent(tree.parent(around))) + kCteBody;
  if (tree.is(around, "in_set")) return operand_depth(tree, around) + kInQuery;
  if (tree.is(around, "operand")) {
    const bool exists = tree.terminal(tree.nodes[query].first - 2) == Terminal::kw_EXISTS;
    return operand_depth(tree, query) + (exists ? kExists : kParen);
  }
  if (!tree.is(around, "derived")) return 0;
  const uint32_t select = tree.up(around, {"select"});
  return depth(tree, select) + kDerivedTable;
}

// Of a query, a SELECT, or an expression.
int depth(const QueryTree& tree, uint32_t node) {
  const uint32_t around = tree.parent(node);
  if (tree.is(node, "query")) return query_depth(tree, node);
  if (tree.is(node, "select")) {
    const uint32_t query = tree.up(node, {"query"});
    return query_depth(tree, query) + (tree.child(query, "with") != kNoNode ? kWith : 0) +
           (tree.is(around, "compound") ? kBranch : 0);
  }
  static constexpr std::pair<std::string_view, int> kClauses[] = {
      {"select_item", kItem}, {"join_condition", kOn}, {"where", kWhere},
      {"group_by", kGroupTerm}, {"having", kHaving},   {"limit", kOrderTerm}};
  for (const auto& [rule, weight] : kClauses) {
    if (!tree.is(around, rule)) continue;
    const uint32_t clause = tree.up(node, {"select", "query"});
    return (tree.is(clause, "select") ? depth(tree, clause) : depth(tree, tree.child(clause, "select"))) + weight;
  }
  if (tree.is(around, "operand")) return operand_depth(tree, node) + kParen;
  if (tree.is(around, "call")) {
    return operand_depth(tree, around) + (tree.child(around, "expr") == node ? kFirstArgument : kFurtherArgument);
  }
  if (tree.is(around, "filter")) return operand_depth(tree, tree.parent(around)) + kFilter;
  if (tree.is(around, "cast")) return operand_depth(tree, around) + kCast;
  if (tree.is(around, "case")) {
    const bool base = node == around + 1 && tree.terminal(tree.nodes[around].first + 1) != Terminal::kw_WHEN;
    return operand_depth(tree, around) + (base ? kCaseOperand : kCaseBranch);
  }
  if (tree.is(around, "in_set")) return operand_depth(tree, around) + kInSet;
  const bool bound = tree.is(around, "frame_start") || tree.is(around, "frame_end");
  const uint32_t window = tree.up(node, {"window", "query"});
  if (tree.is(window, "window") && (bound || tree.is(around, "partition") || tree.is(around, "order_term"))) {
    const uint32_t call = tree.up(window, {"call", "windows"});
    if (!tree.is(call, "call")) return 0;  // of a WINDOW clause, which is not generated
    return operand_depth(tree, call) + kWindow +
           (bound ? kFrame : tree.is(around, "partition") ? kPartition : kWindowOrder);
  }
  if (tree.is(around, "order_term")) {
    return depth(tree, tree.child(tree.up(node, {"query"}), "select")) + kOrderTerm;
  }
  return operand_depth(tree, node) + kRange;  // BETWEEN or LIKE
}

// What must be left where a construct begins.
int needed(const QueryTree& tree, uint32_t node) {
  if (tree.is(node, "query")) return depth(tree, node) + kSelect;
  if (is_expression(tree, node)) return depth(tree, node);
  if (tree.is(node, "call")) {
    // Before its parenthesis a window function could still be another one.
    const bool window = tree.has_over(node) && !tree.is_aggregate(node);
    return operand_depth(tree, node) + (window ? kCall + kWindow : tree.has_over(node) ? kWindowed : kCall);
  }
  if (tree.is(node, "cast")) return operand_depth(tree, node) + kCast + kCastType;
  if (tree.is(node, "case")) return operand_depth(tree, node) + kCaseBranch;
  if (tree.is(node, "negatable")) return operand_depth(tree, node) + kNegatable;
  if (tree.is(node, "with")) return query_depth(tree, tree.parent(node)) + kCteBody + kSelect;
  if (!tree.is(node, "operand")) return 0;
  int sum = operand_depth(tree, node);
  for (uint32_t i = tree.nodes[node].first; is_prefix(tree.terminal(i)); ++i) ++sum;
  return sum;
}

bool joins(Terminal t) {
  return t == Terminal::Comma || t == Terminal::kw_JOIN || t == Terminal::kw_NATURAL || t == Terminal::kw_LEFT ||
         t == Terminal::kw_RIGHT || t == Terminal::kw_FULL || t == Terminal::kw_OUTER || t == Terminal::kw_INNER ||
         t == Terminal::kw_CROSS;
}

// Where what leads to the node begins: its function's name, its parenthesis, or the operator before it.
uint32_t beginning(const QueryTree& tree, uint32_t node) {
  const uint32_t first = tree.nodes[node].first;
  const uint32_t around = tree.parent(node);
  if (tree.is(node, "call") || (is_expression(tree, node) && tree.is(around, "operand"))) return first - 1;
  if (tree.is(node, "query") && tree.is(around, "derived")) {
    uint32_t at = first - 1;
    while (at > 0 && joins(tree.terminal(at - 1))) --at;  // no other item may be able to follow them
    return at;
  }
  if (tree.is(node, "query") && first > 0) return tree.is(around, "operand") ? tree.nodes[around].first : first - 1;
  if (!tree.is(node, "operand")) return first;
  if (!is_expression(tree, around)) return tree.nodes[around].first;
  return first > tree.nodes[around].first ? first - 1 : first;
}

}  // namespace

void deep_nesting(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (needed(tree, node) <= kDeepest) return;
  finder.at({tree.at(beginning(tree, node)).begin, tree.of(node).end});
}

}  // namespace pccsql::verify::detect
