// Detectors of what is about queries: CTEs, joins, `*`, grouping and sorting.
#include <algorithm>

#include "verify/bounds_detect.h"

namespace pccsql::verify::detect {
namespace {

bool has_select_list_star(const QueryTree& tree, uint32_t item, bool& plain) {
  const uint32_t last = tree.nodes[item].last - 1;
  plain = tree.first(item) == Terminal::Star;
  return plain || (tree.terminal(last) == Terminal::Star && tree.terminal(last - 1) == Terminal::Dot);
}

// Whether the number of outputs is given before the SELECT begins.
bool width_fixed(const QueryTree& tree, uint32_t select) {
  if (tree.is(tree.parent(select), "compound")) return true;
  const uint32_t around = tree.parent(tree.parent(select));
  if (tree.is(around, "cte")) return tree.child(around, "cte_columns") != kNoNode;
  if (!tree.is(around, "derived")) return false;
  const uint32_t outer = tree.up(around, {"select"});
  return tree.has_star(outer, true) && width_fixed(tree, outer);
}

// The number that a term of ORDER BY or GROUP BY stands for, out of signs, parentheses and COLLATE; 0 if it is none.
size_t place_of(const QueryTree& tree, uint32_t expr) {
  uint64_t value = 0;
  for (uint32_t i = tree.nodes[expr].first; i < tree.nodes[expr].last; ++i) {
    const Terminal t = tree.terminal(i);
    if (t == Terminal::kw_COLLATE) break;
    if (t == Terminal::LeftParen || t == Terminal::RightParen || t == Terminal::Plus) continue;
    if (t != Terminal::Integer || value != 0) return 0;
    const std::string_view text = tree.at(i).of(tree.sql);
    for (const char c : text) {
      if (c < '0' || c > '9' || value > 100000) return 0;
      value = value * 10 + static_cast<uint64_t>(c - '0');
    }
  }
  return value;
}

}  // namespace

void repeated_ctes(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "cte")) return;
  const std::string name = tree.name(tree.nodes[node].first);
  for (uint32_t i = 0; i < node; ++i) {
    if (tree.is(i, "cte") && tree.name(tree.nodes[i].first) == name) return finder.at(tree.at(tree.nodes[node].first));
  }
}

void repeated_cte_columns(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "cte_name") || !tree.is(tree.parent(node), "cte_columns")) return;
  for (const uint32_t other : tree.children(tree.parent(node), "cte_name")) {
    const bool same = tree.name(tree.nodes[other].first) == tree.name(tree.nodes[node].first);
    if (same && other < node) return finder.at(tree.of(node));
  }
}

void stars_joined_naturally(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  bool plain = false;
  if (!tree.is(node, "select_item") || !has_select_list_star(tree, node, plain)) return;
  const uint32_t derived = tree.parent(tree.parent(tree.parent(node)));
  if (!tree.is(tree.parent(tree.parent(node)), "query") || !tree.is(derived, "derived")) return;
  const uint32_t from = tree.parent(tree.parent(derived));
  for (const uint32_t join : tree.children(from, "join")) {
    if (tree.nodes[join].next == tree.parent(derived) && tree.holds(join, Terminal::kw_NATURAL))
      finder.at(tree.of(node));
  }
}

// With RIGHT and FULL the database expands a merged column by its bare name, which may be ambiguous.
void stars_over_outer_merges(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "from") || !tree.has_star(tree.parent(node), false)) return;
  std::optional<Span> merge;
  std::optional<Span> outer;
  Span whole;  // a join with its item: one that is joined naturally merges with its name
  for (uint32_t part = node + 1; part < tree.nodes[node].next; part = tree.nodes[part].next) {
    if (tree.is(part, "join_condition") && tree.first(part) == Terminal::kw_USING && !merge) {
      merge = {whole.begin, tree.of(part).end};
    }
    if (!tree.is(part, "join")) continue;
    whole = {tree.of(part).begin, tree.of(tree.nodes[part].next).end};
    for (uint32_t i = tree.nodes[part].first; i < tree.nodes[part].last; ++i) {
      const Terminal word = tree.terminal(i);
      if (word == Terminal::kw_NATURAL && !merge) merge = whole;
      if ((word == Terminal::kw_RIGHT || word == Terminal::kw_FULL) && !outer) outer = whole;
    }
  }
  if (merge && outer) finder.at(merge->begin >= outer->begin ? *merge : *outer);
}

void outer_joins_beside_union_all(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (node != 0) return;
  const ViewBodies& views = tree.catalog.view_bodies();
  bool outer = views.outer_join;
  bool union_all = views.union_all;
  for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
    if (tree.is(i, "table_name") && views.outer_join && views.union_all) {
      const std::optional<TableId> table = tree.catalog.find_table(tree.name(tree.nodes[i].first));
      if (table && tree.catalog.table(*table).kind == TableKind::View) return finder.at(tree.of(i));
    }
    if (tree.is(i, "join")) {
      for (uint32_t k = tree.nodes[i].first; k < tree.nodes[i].last; ++k) {
        if (tree.terminal(k) != Terminal::kw_RIGHT && tree.terminal(k) != Terminal::kw_FULL) continue;
        outer = true;
        if (union_all) return finder.at(tree.at(k));
      }
    }
    // A branch's parent is the compound rule, whose parent is the query; the statement's own query is not nested.
    if (tree.is(i, "compound") && tree.up(tree.parent(i), {"cte", "derived", "operand", "in_set"}) != kNoNode) {
      if (tree.terminal(tree.nodes[i].first + 1) != Terminal::kw_ALL) continue;
      union_all = true;
      if (outer) return finder.at(tree.at(tree.nodes[i].first + 1));
    }
  }
}

// In a derived table or CTE, with a window that is partitioned.
void aggregates_in_windows_alone(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "select") || tree.child(node, "group_by") != kNoNode) return;
  const uint32_t query = tree.up(node, {"query"});
  if (query == kNoNode || !(tree.is(tree.parent(query), "derived") || tree.is(tree.parent(query), "cte"))) return;
  bool inside = false;
  bool partitioned = false;
  for (uint32_t i = query; i < tree.nodes[query].next; ++i) {
    if (tree.select_of(i) != node) continue;
    partitioned |= tree.is(i, "partition");
    if (!tree.is(i, "call") || tree.has_over(i) || !tree.is_aggregate(i)) continue;
    uint32_t around = tree.up(i, {"call", "select_item", "query"});
    while (tree.is(around, "call") && !tree.has_over(around)) {
      around = tree.up(around, {"call", "select_item", "query"});
    }
    if (!tree.is(around, "call")) return;
    inside = true;
  }
  if (!inside || !partitioned) return;
  finder.at(tree.through_next({tree.of(node).begin, tree.of(query).end}));
}

void stars_as_values(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  bool plain = false;
  if (!tree.is(node, "select_item") || !has_select_list_star(tree, node, plain)) return;
  const uint32_t query = tree.up(node, {"query"});
  const uint32_t around = tree.parent(query);
  const bool scalar = tree.is(around, "operand") && tree.terminal(tree.nodes[query].first - 2) != Terminal::kw_EXISTS;
  if (scalar || tree.is(around, "in_set")) finder.at(tree.of(node));
}

void stars_of_fixed_width(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  bool plain = false;
  if (tree.is(node, "join") || tree.is(node, "derived")) {
    const uint32_t around = tree.up(node, {"select"});
    if (!width_fixed(tree, around) || !tree.has_star(around, true)) return;
    bool names = false;  // beside the `*`, which the item would have to put out
    for (uint32_t i = around; i < node && !names; ++i) {
      const auto meaning = tree.meaning(i);
      names = meaning && meaning->select == around && meaning->part == Part::Items;
    }
    bool merges = tree.is(node, "derived");
    for (const QueryTree::FromItem& item : tree.from(around)) {
      if (item.node != tree.nodes[node].next) continue;
      if (item.merged.size() >= item.columns.size()) finder.at(tree.of(node));  // it would add nothing
      merges = !item.merged.empty();
    }
    const Span items{tree.of(tree.child(around, "select_item")).begin, tree.of(node).begin};
    if (names && merges) finder.at_or_later(items);
    return;
  }
  if (!tree.is(node, "select_item") || !has_select_list_star(tree, node, plain)) return;
  const uint32_t select = tree.parent(node);
  if (!width_fixed(tree, select)) return;
  bool second = false;
  for (const uint32_t item : tree.children(select, "select_item")) {
    second = second || (item < node && tree.first(item) == Terminal::Star);
  }
  if (!plain || second) finder.at(tree.of(node));
}

void order_by_expressions_of_sets(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "order_term")) return;
  const uint32_t query = tree.parent(tree.parent(node));
  if (!tree.is(query, "query") || tree.child(query, "compound") == kNoNode) return;
  const uint32_t expr = node + 1;
  if (place_of(tree, expr) != 0) return;
  // A name, perhaps in parentheses or collated, that a branch puts out.
  std::vector<uint32_t> branches{tree.child(query, "select")};
  for (const uint32_t compound : tree.children(query, "compound")) branches.push_back(tree.child(compound, "select"));
  std::optional<QueryTree::NameUse> use;
  for (uint32_t i = expr; i < tree.nodes[expr].next && !use; ++i) use = tree.name_use(i);
  bool plain = use && !use->qualifier;
  for (uint32_t i = tree.nodes[expr].first; i < tree.nodes[expr].last && plain; ++i) {
    if (tree.terminal(i) == Terminal::kw_COLLATE) break;
    plain = i == use->lexeme || tree.terminal(i) == Terminal::LeftParen || tree.terminal(i) == Terminal::RightParen;
  }
  // With a collation the database may apply the last SELECT's GROUP BY to the whole.
  bool collated = false;
  for (uint32_t i = tree.nodes[expr].first; i < tree.nodes[expr].last; ++i) {
    collated = collated || tree.terminal(i) == Terminal::kw_COLLATE;
  }
  const uint32_t last = branches.back();
  if (collated && (tree.child(last, "group_by") != kNoNode || tree.child(last, "having") != kNoNode)) plain = false;
  for (const uint32_t select : plain ? branches : std::vector<uint32_t>{}) {
    const std::string name = tree.name(use->lexeme);
    const auto items = tree.from(select);
    for (const QueryTree::Output& output : tree.outputs(select)) {
      if (output.name != name) continue;
      // A column that is an item is found by its bare name only if no other item has one like it.
      const bool named = tree.child(output.item, "alias") != kNoNode || tree.first(output.item) == Terminal::Star;
      const auto holders = std::ranges::count_if(items, [&](const QueryTree::FromItem& item) {
        return std::ranges::count(item.columns, name) > 0 && std::ranges::count(item.merged, name) == 0;
      });
      if (named || holders <= 1) return;
    }
  }
  finder.at(tree.through_next(tree.of(expr)));
}

}  // namespace pccsql::verify::detect
