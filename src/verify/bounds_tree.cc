#include "verify/bounds_tree.h"

#include <algorithm>

#include "base/text.h"

namespace pccsql::verify {

QueryTree::QueryTree(const Catalog& catalog_in, std::string_view text) : catalog(catalog_in), sql(text) {
  lex(sql, lexemes);
  while (lexemes[leading].terminal == Terminal::Semicolon) ++leading;
  lexemes.erase(lexemes.begin(), lexemes.begin() + leading);
  Parser parser(sql_grammar());
  if (!parser.parse(lexemes)) return;
  nodes = parser.nodes();
  parents_.assign(nodes.size(), kNoNode);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    for (uint32_t child = i + 1; child < nodes[i].next; child = nodes[child].next) parents_[child] = i;
  }
}

uint32_t QueryTree::up(uint32_t node, std::initializer_list<std::string_view> rules) const {
  for (uint32_t at = parents_[node]; at != kNoNode; at = parents_[at]) {
    if (std::ranges::any_of(rules, [&](std::string_view rule) { return is(at, rule); })) return at;
  }
  return kNoNode;
}

std::vector<uint32_t> QueryTree::children(uint32_t node, std::string_view rule) const {
  std::vector<uint32_t> found;
  for (uint32_t child = node + 1; child < nodes[node].next; child = nodes[child].next) {
    if (is(child, rule)) found.push_back(child);
  }
  return found;
}

uint32_t QueryTree::child(uint32_t node, std::string_view rule) const {
  const auto found = children(node, rule);
  return found.empty() ? kNoNode : found[0];
}

std::string QueryTree::name(uint32_t lexeme) const {
  std::string buffer;
  return folded(name_text(lexemes[lexeme], sql, buffer));
}

bool QueryTree::is_bare_keyword(uint32_t lexeme) const {
  return lexemes[lexeme].quote == Quote::None && terminal_of(lexemes[lexeme].span.of(sql)) != Terminal::Illegal;
}

Span QueryTree::through_next(Span span) const {
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.span.begin >= span.end) return {span.begin, std::max(span.end, lexeme.span.end)};
  }
  return span;
}

Span QueryTree::up_to_next(Span span) const {
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.span.begin >= span.end) return {span.begin, lexeme.span.begin};
  }
  return span;
}

std::optional<QueryTree::NameUse> QueryTree::name_use(uint32_t operand) const {
  if (!is(operand, "operand") || !leaf(operand)) return std::nullopt;
  const uint32_t last = nodes[operand].last - 1;
  const Terminal word = terminal(last);
  const bool value = word == Terminal::kw_NULL || word == Terminal::kw_CURRENT_DATE ||
                     word == Terminal::kw_CURRENT_TIME || word == Terminal::kw_CURRENT_TIMESTAMP;
  if (value || (word != Terminal::Name && word < Terminal::kw_ABORT)) return std::nullopt;
  NameUse use{last, std::nullopt};
  if (last >= nodes[operand].first + 2 && terminal(last - 1) == Terminal::Dot) use.qualifier = last - 2;
  return use;
}

uint32_t QueryTree::only_operand(uint32_t expr) const {
  for (;;) {
    const uint32_t operand = expr + 1;
    if (!is(operand, "operand") || nodes[operand].next != nodes[expr].next) return kNoNode;
    const auto inner = children(operand, "expr");
    const bool paren = inner.size() == 1 && first(operand) == Terminal::LeftParen;
    if (!paren) return operand;
    expr = inner[0];
  }
}

uint32_t QueryTree::cte(const std::string& wanted, uint32_t lexeme) const {
  uint32_t found = kNoNode;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!is(i, "cte") || nodes[i].last > lexeme) continue;
    const Node& query = nodes[parents_[parents_[i]]];
    if (lexeme < query.last && name(nodes[i].first) == wanted) found = i;
  }
  return found;
}

bool QueryTree::holds(uint32_t node, Terminal word) const {
  for (uint32_t i = nodes[node].first; i < nodes[node].last; ++i) {
    if (terminal(i) == word) return true;
  }
  return false;
}

std::vector<QueryTree::FromItem> QueryTree::from(uint32_t select) const {
  std::vector<FromItem> items;
  const uint32_t clause = child(select, "from");
  if (clause == kNoNode) return items;
  bool natural = false;
  for (uint32_t part = clause + 1; part < nodes[clause].next; part = nodes[part].next) {
    if (is(part, "join")) natural = holds(part, Terminal::kw_NATURAL);
    if (is(part, "join_condition") && is(part + 1, "using")) {
      for (uint32_t i = nodes[part].first + 2; i < nodes[part].last - 1; i += 2) items.back().merged.push_back(name(i));
    }
    if (!is(part, "from_item")) continue;
    FromItem item;
    item.node = part;
    const uint32_t source = part + 1;
    uint32_t query = kNoNode;
    if (is(source, "table_name")) {
      item.name = name(nodes[source].first);
      const uint32_t body = cte(item.name, nodes[source].first);
      if (body == kNoNode) {
        item.table = catalog.find_table(item.name);
        if (item.table) {
          for (const Column& column : catalog.table(*item.table).columns) item.columns.push_back(folded(column.name));
        }
      } else if (const uint32_t list = child(body, "cte_columns"); list != kNoNode) {
        for (const uint32_t column : children(list, "cte_name")) item.columns.push_back(name(nodes[column].first));
      } else {
        query = child(body, "query");
      }
    } else {
      item.derived = true;
      query = child(source, "query");
    }
    if (query != kNoNode) {
      for (const Output& output : outputs(child(query, "select"))) item.columns.push_back(output.name);
    }
    if (const uint32_t alias = child(part, "alias"); alias != kNoNode) item.name = name(nodes[alias].last - 1);
    for (const FromItem& left : items) {
      for (const std::string& column : left.columns) {
        if (natural && !column.empty() && std::ranges::count(item.columns, column) > 0) item.merged.push_back(column);
      }
    }
    items.push_back(std::move(item));
    natural = false;
  }
  return items;
}

bool QueryTree::has_star(uint32_t select, bool plain_only) const {
  return std::ranges::any_of(children(select, "select_item"), [&](uint32_t item) {
    const bool plain = first(item) == Terminal::Star;
    const uint32_t last = nodes[item].last - 1;
    return plain || (!plain_only && terminal(last) == Terminal::Star && terminal(last - 1) == Terminal::Dot);
  });
}

std::vector<QueryTree::Output> QueryTree::outputs(uint32_t select) const {
  std::vector<Output> made;
  if (select == kNoNode) return made;
  const auto push = [&](std::string text, uint32_t item) {
    if (!text.empty() && std::ranges::count(made, text, &Output::name) > 0) text.clear();
    made.push_back({std::move(text), item});
  };
  for (const uint32_t item : children(select, "select_item")) {
    const uint32_t last = nodes[item].last - 1;
    const bool plain = first(item) == Terminal::Star;
    if (plain || (terminal(last) == Terminal::Star && terminal(last - 1) == Terminal::Dot)) {
      for (const FromItem& source : from(select)) {
        if (!plain && source.name != name(last - 2)) continue;
        for (const std::string& column : source.columns) {
          const bool hidden =
              source.table &&
              catalog.table(*source.table).columns[static_cast<size_t>(&column - source.columns.data())].hidden;
          if (!hidden && !(plain && std::ranges::count(source.merged, column) > 0)) push(column, item);
        }
      }
      continue;
    }
    const uint32_t alias = child(item, "alias");
    const uint32_t operand = only_operand(item + 1);
    const auto use = operand == kNoNode ? std::nullopt : name_use(operand);
    const bool column = use && nodes[operand].first == (use->qualifier ? *use->qualifier : use->lexeme);
    push(alias != kNoNode ? name(nodes[alias].last - 1) : column ? name(use->lexeme) : "", item);
  }
  return made;
}

uint32_t QueryTree::select_of(uint32_t node) const {
  for (uint32_t at = parents_[node]; at != kNoNode; at = parents_[at]) {
    if (is(at, "select")) return at;
    if (is(at, "query")) return child(at, "compound") == kNoNode ? child(at, "select") : kNoNode;
  }
  return kNoNode;
}

Part QueryTree::part_of(uint32_t select, uint32_t node) const {
  static constexpr std::pair<std::string_view, Part> kParts[] = {{"select_item", Part::Items}, {"where", Part::Where},
                                                                 {"group_by", Part::Group},    {"having", Part::Having},
                                                                 {"order_by", Part::Order},    {"limit", Part::Limit}};
  const uint32_t query = up(select, {"query"});
  bool on = false;
  for (uint32_t at = node; at != kNoNode; at = parents_[at]) {
    on = on || is(at, "join_condition");
    if (parents_[at] != select && parents_[at] != query) {
      if (is(at, "query")) on = false;
      continue;
    }
    if (is(at, "from")) return on ? Part::On : Part::From;
    for (const auto& [rule, part] : kParts) {
      if (is(at, rule)) return part;
    }
  }
  return Part::None;
}

uint32_t QueryTree::outward(uint32_t select) const {
  for (uint32_t query = up(select, {"query"}); query != kNoNode;) {
    const uint32_t around = parents_[query];
    if (is(around, "operand") || is(around, "in_set")) return around;
    if (!is(around, "derived")) return kNoNode;
    query = up(around, {"query"});  // its siblings are not visible, what is around them is
  }
  return kNoNode;
}

std::optional<QueryTree::Meaning> QueryTree::meaning(uint32_t operand) const {
  const auto use = name_use(operand);
  if (!use) return std::nullopt;
  const std::string text = name(use->lexeme);
  const std::string qualifier = use->qualifier ? name(*use->qualifier) : "";
  const bool rowid = text == "rowid" || text == "oid" || text == "_rowid_";
  Meaning found;
  for (uint32_t at = operand; at != kNoNode; at = outward(found.select)) {
    found.select = select_of(at);
    if (found.select == kNoNode) return std::nullopt;
    found.part = part_of(found.select, at);
    if (found.part == Part::Limit) return std::nullopt;
    found.before |= found.part == Part::Items || found.part == Part::On || found.part == Part::From;
    const auto items = from(found.select);
    const FromItem* named = nullptr;
    for (const FromItem& item : items) {
      if (use->qualifier && item.name != qualifier) continue;
      if (named == nullptr) named = &item;
      if (std::ranges::count(item.columns, text) == 0) continue;
      found.item = item;
      return found;
    }
    if (!use->qualifier && found.part != Part::Items && found.part != Part::From) {
      for (const uint32_t item : children(found.select, "select_item")) {
        const uint32_t alias = child(item, "alias");
        if (alias == kNoNode || name(nodes[alias].last - 1) != text) continue;
        found.alias_of = item;
        return found;
      }
    }
    if (rowid && named != nullptr) {
      found.item = *named;
      return found;
    }
    if (found.part == Part::Group || found.part == Part::Order) return std::nullopt;  // they see no further
  }
  return std::nullopt;
}

bool QueryTree::is_aggregate(uint32_t call) const {
  const std::string wanted = function(call);
  const size_t arguments = children(call, "expr").size();
  return std::ranges::any_of(sql_grammar().functions(), [&](const Function& function) {
    return function.kind == FunctionKind::Aggregate && function.name == wanted && function.takes(arguments);
  });
}

bool QueryTree::aggregates(uint32_t node, uint32_t select) const {
  for (uint32_t i = node; i < nodes[node].next; ++i) {
    if (is(i, "call") && is_aggregate(i) && !has_over(i) && select_of(i) == select) return true;
  }
  return false;
}

}  // namespace pccsql::verify
