// Detectors of what is about expressions: values, operators, calls and windows.
#include <algorithm>

#include "verify/bounds_detect.h"
#include "track/world.h"

namespace pccsql::verify::detect {

using namespace track;
namespace {

// A world without tables, for its lists of types and collations.
const World& empty_world() {
  static const Catalog catalog{std::vector<Table>{}};
  static const Policy policy(catalog, ColumnPolicy::Public);
  static const std::shared_ptr<const World> world = World::make(catalog, policy);
  return *world;
}

bool listed(std::span<const NameId> names, const std::string& name) {
  const NameId id = empty_world().names().find(name);
  return id != kNoName && std::ranges::count(names, id) > 0;
}

bool is_zero(const QueryTree& tree, uint32_t operand) {
  const uint32_t inner = tree.first(operand) == Terminal::LeftParen ? tree.child(operand, "expr") : kNoNode;
  const uint32_t number = inner == kNoNode ? operand : tree.only_operand(inner);
  if (number == kNoNode || tree.first(number) != Terminal::Integer) return false;
  const std::string_view digits = tree.at(tree.nodes[number].first).of(tree.sql);
  return digits.find_first_not_of("0xX") == std::string_view::npos;
}

}  // namespace

void row_values(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "operand") && !tree.is(node, "in_set")) return;
  const bool operand = tree.is(node, "operand");
  if (operand && tree.children(node, "expr").size() > 1) return finder.at(tree.of(node));
  const uint32_t query = tree.child(node, "query");
  if (query == kNoNode || (operand && tree.terminal(tree.nodes[query].first - 2) == Terminal::kw_EXISTS)) return;
  const auto items = tree.children(tree.child(query, "select"), "select_item");
  if (items.size() > 1) finder.at({tree.at(tree.nodes[items[0]].last).begin, tree.of(node).end});
}

void empty_in_lists(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (tree.is(node, "in_set") && tree.nodes[node].last - tree.nodes[node].first == 2) finder.at(tree.of(node));
}

void nots_in_patterns(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "pattern")) return;
  int inside = 0;
  for (uint32_t i = tree.nodes[node].first; i < tree.nodes[node].last; ++i) {
    const Terminal terminal = tree.terminal(i);
    inside += terminal == Terminal::LeftParen || terminal == Terminal::kw_CASE;
    inside -= terminal == Terminal::RightParen || terminal == Terminal::kw_END;
    if (inside == 0 && terminal == Terminal::kw_NOT) return finder.at(tree.at(i));
  }
}

void zeros_beside_and(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "operand") || !tree.is(tree.parent(node), "expr") || !is_zero(tree, node)) return;
  const Node& expr = tree.nodes[tree.parent(node)];
  const uint32_t next = tree.nodes[node].next;
  if (next < expr.next && tree.is(next, "infix")) return;  // part of something more
  const bool after =
      tree.nodes[node].first > expr.first && tree.terminal(tree.nodes[node].first - 1) == Terminal::kw_AND;
  const bool before = tree.nodes[node].last < expr.last && tree.terminal(tree.nodes[node].last) == Terminal::kw_AND;
  if (after || before) finder.at(tree.through_next(tree.of(node)));
}

void cast_types(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "type")) return;
  int words = 0;
  for (uint32_t i = tree.nodes[node].first; i < tree.nodes[node].last; ++i) {
    if (tree.terminal(i) == Terminal::LeftParen) return;
    const bool plain = tree.terminal(i) != Terminal::String && tree.lexemes[i].quote == Quote::None;
    if (++words > 3 || !plain || !listed(empty_world().type_names(), tree.name(i))) return finder.at(tree.at(i));
  }
}

void quoted_collations(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "tighter") || tree.first(node) != Terminal::kw_COLLATE) return;
  const uint32_t name = tree.nodes[node].last - 1;
  if (tree.lexemes[name].quote != Quote::None) finder.at(tree.at(name));
}

void quoted_functions(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "call")) return;
  const uint32_t open = tree.nodes[node].first;
  if (tree.lexemes[open - 1].quote != Quote::None) finder.at({tree.at(open - 1).begin, tree.at(open).end});
}

void stars_in_calls(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "call") || tree.function(node) == "count") return;
  const uint32_t star = tree.nodes[node].first + 1;
  if (tree.terminal(star) == Terminal::Star) finder.at(tree.at(star));
}

void distinct_in_scalars(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "call") || tree.is_aggregate(node)) return;
  const uint32_t word = tree.nodes[node].first + 1;
  if (tree.terminal(word) != Terminal::kw_DISTINCT && tree.terminal(word) != Terminal::kw_ALL) return;
  // MIN and MAX are aggregates until a comma follows.
  finder.at({tree.at(word).begin, tree.at(tree.nodes[tree.child(node, "expr")].last).end});
}

void windows_by_name(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const bool clause = tree.is(node, "windows");
  const uint32_t second = tree.nodes[node].first + 1;
  const bool over = tree.is(node, "over") && tree.terminal(second) != Terminal::LeftParen;
  const bool base = tree.is(node, "window") && tree.terminal(second) == Terminal::Name;
  if (clause || over || base) finder.at(tree.of(node));
}

}  // namespace pccsql::verify::detect
