// Detectors of what is about names: columns, aliases, and strings and numbers that look like them.
#include <algorithm>

#include "verify/bounds_detect.h"

namespace pccsql::verify::detect {
namespace {

using Meaning = QueryTree::Meaning;

bool is_rowid(const std::string& name) { return name == "rowid" || name == "oid" || name == "_rowid_"; }

bool is_boolean(const std::string& name) { return name == "true" || name == "false"; }

bool tables_have(const QueryTree& tree, const std::string& name) {
  const NameId id = tree.catalog.names().find(name);
  return id != kNoName && std::ranges::any_of(tree.catalog.tables(),
                                              [id](const Table& each) { return each.find_column(id).has_value(); });
}

// Whether a table, or something in the text that has outputs, has a column of that name: it may then be read as one.
bool some_column_is_called(const QueryTree& tree, const std::string& name) {
  if (tables_have(tree, name)) return true;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if ((tree.is(i, "alias") || tree.is(i, "cte_name")) && tree.name(tree.nodes[i].last - 1) == name) return true;
    const auto use = tree.name_use(i);  // one that a derived table introduces
    if (!use || tree.name(use->lexeme) != name) continue;
    const auto meaning = tree.meaning(i);
    if (meaning && meaning->item && std::ranges::count(meaning->item->columns, name) > 0) return true;
  }
  return false;
}

bool inside_cte(const QueryTree& tree, uint32_t node) { return tree.up(node, {"cte"}) != kNoNode; }

// Whether some FROM that a name here could still need has not closed, or LIMIT hides them all.
bool before_some_from_closes(const QueryTree& tree, uint32_t node) {
  for (uint32_t at = node; at != kNoNode;) {
    const uint32_t select = tree.select_of(at);
    if (select == kNoNode) return false;
    const Part part = tree.part_of(select, at);
    if (part == Part::Items || part == Part::On || part == Part::From || part == Part::Limit) return true;
    at = tree.outward(select);
  }
  return false;
}

bool reaches_outside(const QueryTree& tree, uint32_t node, uint32_t select) {
  for (uint32_t i = node; i < tree.nodes[node].next; ++i) {
    const auto meaning = tree.meaning(i);
    if (meaning && tree.nodes[meaning->select].first < tree.nodes[select].first) return true;
  }
  return false;
}

}  // namespace

void select_aliases_without_as(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "alias") || !tree.is(tree.parent(node), "select_item")) return;
  if (tree.first(node) != Terminal::kw_AS) finder.at(tree.of(node));
}

void keywords_as_new_names(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "alias") && !tree.is(node, "cte_name")) return;
  const uint32_t name = tree.nodes[node].last - 1;
  if (tree.is_bare_keyword(name)) finder.at(tree.at(name));
}

void booleans_as_new_names(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "alias") && !tree.is(node, "cte_name")) return;
  const uint32_t name = tree.nodes[node].last - 1;
  if (is_boolean(tree.name(name))) finder.at(tree.at(name));
}

void qualifiers_of_other_items(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto use = tree.name_use(node);
  if (!use || !use->qualifier) return;
  const std::string qualifier = tree.name(*use->qualifier);
  const auto table = tree.catalog.find_table(qualifier);
  const bool cte = tree.cte(qualifier, *use->qualifier) != kNoNode;
  const auto meaning = tree.meaning(node);
  if ((!table && !cte) || !meaning || meaning->part != Part::Items || !meaning->item) return;
  const uint32_t source = meaning->item->node + 1;
  const bool own = tree.is(source, "table_name") && tree.name(tree.nodes[source].first) == qualifier;
  if (!own) finder.at_or_later(tree.of(node));
}

void rowids_before_from(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto use = tree.name_use(node);
  if (!use || use->qualifier || !is_rowid(tree.name(use->lexeme))) return;
  const auto meaning = tree.meaning(node);
  if (!meaning || !meaning->item || !meaning->before) return;
  const std::string name = tree.name(use->lexeme);
  // As the name of an output it is not written either.
  if (meaning->item->table && std::ranges::count(meaning->item->columns, name) > 0) return;
  if (some_column_is_called(tree, name)) {
    finder.at_or_later(tree.of(node));
  } else {
    finder.at(tree.of(node));
  }
}

void quoted_strings(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto use = tree.name_use(node);
  if (!use || use->qualifier || tree.lexemes[use->lexeme].quote != Quote::Double || tree.meaning(node)) return;
  if (!inside_cte(tree, node) && !before_some_from_closes(tree, node)) return;
  if (tree.up(node, {"frame_start", "frame_end"}) != kNoNode) return;  // another bound
  if (some_column_is_called(tree, tree.name(use->lexeme))) {
    finder.at_or_later(tree.of(node));
  } else {
    finder.at(tree.up_to_next(tree.of(node)));  // where a dot would have made it an alias
  }
}

void booleans(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto use = tree.name_use(node);
  if (!use || use->qualifier || !is_boolean(tree.name(use->lexeme)) || tree.meaning(node)) return;
  const bool open = tables_have(tree, tree.name(use->lexeme)) && before_some_from_closes(tree, node);
  if (inside_cte(tree, node) || open) finder.at(tree.of(node));
}

void aliases_in_on(Finder& finder, uint32_t node) {
  const auto meaning = finder.tree.meaning(node);
  if (meaning && meaning->alias_of != kNoNode && meaning->part == Part::On) finder.at_or_later(finder.tree.of(node));
}

void aggregate_aliases_in_subqueries(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto meaning = tree.meaning(node);
  if (!meaning || meaning->alias_of == kNoNode || tree.select_of(node) == meaning->select) return;
  bool summed = tree.aggregates(meaning->alias_of, meaning->select);
  for (uint32_t i = meaning->alias_of; i < tree.nodes[meaning->alias_of].next; ++i) {
    summed = summed || (tree.is(i, "over") && tree.select_of(i) == meaning->select);
  }
  if (summed) finder.at_or_later(tree.of(node));
}

// Grouped or sorted by, such an alias is a place in the output; elsewhere it would be its expression written again.
void aliases_of_outer_columns(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto meaning = tree.meaning(node);
  if (!meaning || meaning->alias_of == kNoNode || !reaches_outside(tree, meaning->alias_of, meaning->select)) return;
  const bool sorts = meaning->part == Part::Group || meaning->part == Part::Order;
  const bool nested = tree.select_of(node) != meaning->select || tree.up(node, {"call", "query"}) == kNoNode ||
                      tree.is(tree.up(node, {"call", "query"}), "call");
  if (!sorts || nested) finder.at_or_later(tree.of(node));
}

void outer_items_grouped_beside_windows(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "group_by")) return;
  const uint32_t select = tree.select_of(node);
  const uint32_t query = tree.up(node, {"query"});
  bool windowed = false;
  for (uint32_t i = query; i < tree.nodes[query].next; ++i) {
    windowed |= tree.is(i, "over") && tree.up(i, {"query"}) == query;
  }
  if (!windowed) return;
  const std::vector<QueryTree::Output> outputs = tree.outputs(select);
  for (const uint32_t term : tree.children(node, "expr")) {
    uint32_t item = kNoNode;
    for (uint32_t i = term; i < tree.nodes[term].next; ++i) {
      const auto meaning = tree.is(i, "operand") ? tree.meaning(i) : std::nullopt;
      if (meaning && meaning->alias_of != kNoNode && meaning->select == select) item = meaning->alias_of;
      if (!tree.is(i, "operand") || !tree.leaf(i) || tree.first(i) != Terminal::Integer) continue;
      const size_t place = std::strtoull(tree.name(tree.nodes[i].first).c_str(), nullptr, 10);
      if (place >= 1 && place <= outputs.size()) item = outputs[place - 1].item;
    }
    if (item != kNoNode && reaches_outside(tree, item, select)) return finder.at_or_later(tree.of(term));
  }
}

void outer_names_in_aggregates(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto meaning = tree.meaning(node);
  if (!meaning) return;
  uint32_t inner = node;
  for (uint32_t at = tree.parent(node); at != kNoNode; inner = at, at = tree.parent(at)) {
    if (!tree.is(at, "call")) continue;
    const uint32_t select = tree.select_of(at);
    // Bound by the SELECT that counts, or by one inside the argument.
    if (select == kNoNode || tree.nodes[meaning->select].first >= tree.nodes[select].first) continue;
    const auto arguments = tree.children(at, "expr");
    const std::string name = tree.function(at);
    const bool extreme = name == "min" || name == "max";
    const bool filter = tree.is(inner, "filter");
    const bool first_of_several = extreme && arguments.size() > 1 && inner == arguments[0];
    const bool counted = tree.is_aggregate(at) && (filter || tree.is(inner, "expr"));
    if (!counted && !first_of_several) continue;
    finder.at_or_later(tree.of(node));
    return;
  }
}

void names_in_frames(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  const auto use = tree.name_use(node);
  if (!use || is_boolean(tree.name(use->lexeme))) return;
  const uint32_t around = tree.up(node, {"frame_start", "frame_end", "query"});
  if (!tree.is(around, "query") && around != kNoNode) finder.at(tree.of(node));
}

}  // namespace pccsql::verify::detect
