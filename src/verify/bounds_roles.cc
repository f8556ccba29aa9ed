// Detectors of what is left out because a role would hang on what comes later: in arguments of aggregates, and in SELECTs that
// are compared.
#include <algorithm>

#include "verify/bounds_detect.h"
#include "track/precedence.h"

namespace pccsql::verify::detect {

using namespace track;
namespace {

// The call of COUNT, SUM or AVG that the node is an argument of, in the same SELECT; kNoNode: none.
uint32_t counting_call(const QueryTree& tree, uint32_t node) {
  const auto around = [&](uint32_t at) { return tree.up(at, {"call", "filter", "over", "query"}); };
  for (uint32_t at = around(node); tree.is(at, "call"); at = around(at)) {
    const std::string name = tree.function(at);
    if (name == "count" || name == "sum" || name == "avg") return at;
  }
  return kNoNode;
}

// Whether it stands in a WHERE, HAVING or ON.
bool in_condition(const QueryTree& tree, uint32_t node) {
  const uint32_t select = tree.select_of(node);
  if (select == kNoNode) return false;
  const Part part = tree.part_of(select, node);
  return part == Part::Where || part == Part::Having || part == Part::On;
}

bool holds_select(const QueryTree& tree, uint32_t node) {
  for (uint32_t i = node; i < tree.nodes[node].next; ++i) {
    if (tree.is(i, "query")) return true;
  }
  return false;
}

// Whether a query is a value, or what IN and EXISTS ask, in a condition.
bool may_be_compared(const QueryTree& tree, uint32_t query) {
  const uint32_t around = tree.parent(query);
  return around != kNoNode && (tree.is(around, "operand") || tree.is(around, "in_set")) && in_condition(tree, around);
}

// Whether some branch lists a column outside COUNT, SUM and AVG.
bool lists_columns(const QueryTree& tree, uint32_t query) {
  for (uint32_t i = query; i < tree.nodes[query].next; ++i) {
    const uint32_t item = tree.up(i, {"select_item", "query"});
    const bool listed = tree.is(item, "select_item") && tree.up(item, {"query"}) == query;
    if (listed && tree.name_use(i) && counting_call(tree, i) == kNoNode) return true;
  }
  return false;
}

bool compares(Terminal word) { return word == Terminal::kw_NOT || is_comparison(word); }

}  // namespace

void aliases_of_expressions_in_aggregates(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto meaning = tree.meaning(node);
  if (!meaning || meaning->alias_of == kNoNode || counting_call(tree, node) == kNoNode) return;
  const uint32_t operand = tree.only_operand(meaning->alias_of + 1);
  const auto use = operand == kNoNode ? std::nullopt : tree.name_use(operand);
  const bool column = use && tree.nodes[operand].first == (use->qualifier ? *use->qualifier : use->lexeme);
  if (!column) finder.at(tree.through_next(tree.of(node)));
}

void aliases_of_selects_in_conditions(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto meaning = tree.meaning(node);
  if (!meaning || meaning->alias_of == kNoNode || !holds_select(tree, meaning->alias_of)) return;
  if (in_condition(tree, node)) finder.at(tree.through_next(tree.of(node)));
}

// Which tables names before FROM are taken from is asked of one choice of tables.
void names_that_from_decides_in_aggregates(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto use = tree.name_use(node);
  const uint32_t call = use ? counting_call(tree, node) : kNoNode;
  if (call == kNoNode) return;
  const auto meaning = tree.meaning(node);
  if (!meaning || meaning->part != Part::Items || !meaning->item) return;
  const bool derived = !meaning->item->table;
  const uint32_t argument = tree.child(call, "expr");
  for (uint32_t i = argument; i < tree.nodes[argument].next; ++i) {
    const auto other = i == node ? std::nullopt : tree.name_use(i);
    if (!other) continue;
    const bool same = tree.name(other->lexeme) == tree.name(use->lexeme);
    const bool qualified_alike =
        other->qualifier.has_value() == use->qualifier.has_value() &&
        (!use->qualifier || tree.name(*other->qualifier) == tree.name(*use->qualifier));
    if (derived || (same && !qualified_alike && i < node)) return finder.at_or_later(tree.of(call));
  }
}

void qualifiers_beside_in_aggregates(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto use = tree.name_use(node);
  if (!use || counting_call(tree, node) == kNoNode) return;
  const uint32_t select = tree.select_of(node);
  const auto qualifier = [&](const QueryTree::NameUse& name) {
    return name.qualifier ? tree.name(*name.qualifier) : std::string();
  };
  if (select == kNoNode || tree.part_of(select, node) != Part::Items) return;
  for (uint32_t i = select; i < node; ++i) {
    const auto other = tree.name_use(i);
    if (!other || qualifier(*other) == qualifier(*use)) continue;
    if (counting_call(tree, i) == kNoNode || tree.select_of(i) != select) continue;
    // Where it is not refused itself, no FROM can supply it.
    return finder.at_or_later(tree.of(node));
  }
}

void counted_views_named_again(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "table_name")) return;
  const std::optional<TableId> view = tree.catalog.find_table(tree.name(tree.nodes[node].first));
  if (!view || tree.catalog.table(*view).kind != TableKind::View) return;
  const uint32_t select = tree.up(node, {"select"});
  for (uint32_t i = 0; i < node; ++i) {
    if (!tree.name_use(i) || counting_call(tree, i) == kNoNode) continue;
    const uint32_t other = tree.select_of(i);
    if (other == select || other == kNoNode) continue;
    for (const QueryTree::FromItem& item : tree.from(other)) {
      if (item.table == view) return finder.at_or_later(tree.of(node));
    }
  }
}

void names_of_several_tables_in_aggregates(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto use = tree.name_use(node);
  if (!use || counting_call(tree, node) == kNoNode) return;
  const uint32_t select = tree.select_of(node);
  if (select == kNoNode || tree.part_of(select, node) != Part::Items) return;
  const NameId name = tree.catalog.names().find(tree.name(use->lexeme));
  const auto holds = [&](const Table& table) { return table.find_column(name).has_value(); };
  if (std::ranges::count_if(tree.catalog.tables(), holds) > 1) finder.at_or_later(tree.of(node));
}

void selects_before_their_comparison(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "query") || !tree.is(tree.parent(node), "operand") || !may_be_compared(tree, node)) return;
  if (!lists_columns(tree, node)) return;
  uint32_t operand = tree.parent(node);
  if (tree.terminal(tree.nodes[node].first - 2) == Terminal::kw_EXISTS) return;
  for (uint32_t expr = tree.parent(operand);
       tree.is(tree.parent(expr), "operand") && tree.nodes[operand].next == tree.nodes[expr].next;
       expr = tree.parent(operand)) {
    operand = tree.parent(expr);
  }
  const uint32_t after = tree.nodes[operand].last;
  if (after < tree.lexemes.size() && compares(tree.terminal(after))) finder.at_or_later(tree.of(node));
}

void sorted_selects_in_comparisons(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "order_by") && !tree.is(node, "group_by")) return;
  const uint32_t query = tree.up(node, {"query", "window"});
  if (!tree.is(query, "query") || !may_be_compared(tree, query)) return;
  const uint32_t select = tree.child(query, "select");
  const bool set = tree.child(query, "compound") != kNoNode;
  bool outward = false;
  for (uint32_t i = select; i < tree.nodes[select].next && !outward; ++i) {
    const auto meaning = tree.meaning(i);
    outward = meaning && meaning->part != Part::None && tree.nodes[meaning->select].first < tree.nodes[select].first;
  }
  if (set ? tree.is(node, "order_by") : outward || tree.has_star(select, false))
    finder.at(tree.through_next(tree.of(node)));
}

void outer_names_in_compared_selects(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto meaning = tree.meaning(node);
  if (!meaning || meaning->part != Part::Items || counting_call(tree, node) != kNoNode) return;
  const uint32_t select = tree.select_of(node);
  if (select == meaning->select || select == kNoNode || tree.part_of(select, node) != Part::Items) return;
  const uint32_t query = tree.up(select, {"query"});
  if (may_be_compared(tree, query)) finder.at_or_later(tree.of(tree.parent(query)));
}

}  // namespace pccsql::verify::detect
