#include "track/attack/bounds.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "syntax/grammar.h"
#include "syntax/parser.h"
#include "track/world.h"

namespace pccsql::attack {
namespace {

constexpr uint32_t kNoNode = UINT32_MAX;

// A parsed text, with the way up from each node.
struct Tree {
  std::string_view sql;
  const Catalog& catalog;
  std::vector<Lexeme> lexemes;
  std::vector<Node> nodes;
  std::vector<uint32_t> parents;

  Tree(const Catalog& catalog_in, std::string_view sql_in) : sql(sql_in), catalog(catalog_in) {
    lex(sql, lexemes);
    Parser parser(sql_grammar());
    if (!parser.parse(lexemes)) return;
    nodes = parser.nodes();
    parents.assign(nodes.size(), kNoNode);
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      for (uint32_t child = i + 1; child < nodes[i].next; child = nodes[child].next) parents[child] = i;
    }
  }
  bool is(uint32_t node, std::string_view rule) const { return sql_grammar().rules()[nodes[node].rule].name == rule; }
  uint32_t up(uint32_t node, std::initializer_list<std::string_view> rules) const {
    for (uint32_t at = parents[node]; at != kNoNode; at = parents[at]) {
      for (const std::string_view rule : rules) {
        if (is(at, rule)) return at;
      }
    }
    return kNoNode;
  }
  // Where a lexeme, or a node, stands: what goes over a bound there is stopped there, or by the byte after it.
  Span at(uint32_t lexeme) const { return lexemes[lexeme].span; }
  Span of(uint32_t node) const { return {at(nodes[node].first).begin, at(nodes[node].last - 1).end}; }
  // From a lexeme on: what goes over the bound may be stopped much later, by the FROM that settles a name.
  Span from(uint32_t lexeme) const { return {at(lexeme).begin, UINT32_MAX - 1}; }
  std::string name(uint32_t lexeme) const {
    std::string buffer;
    return folded(name_text(lexemes[lexeme], sql, buffer));
  }
  bool is_bare_keyword(uint32_t lexeme) const {
    return lexemes[lexeme].quote == Quote::None && terminal_of(lexemes[lexeme].span.of(sql)) != Terminal::Illegal;
  }
  // An operand's last lexeme, where it is a name without a qualifier.
  std::optional<uint32_t> lone_name(uint32_t node) const {
    if (!is(node, "operand") || nodes[node].next != node + 1) return std::nullopt;
    const uint32_t last = nodes[node].last - 1;
    const bool word = lexemes[last].terminal == Terminal::Name || lexemes[last].terminal >= Terminal::kw_ABORT;
    if (!word || lexemes[last].terminal == Terminal::kw_NULL) return std::nullopt;
    if (last > nodes[node].first && lexemes[last - 1].terminal == Terminal::Dot) return std::nullopt;
    return last;
  }
};

using Detector = std::optional<Span> (*)(const Tree&, uint32_t node);

std::optional<Span> select_alias_without_as(const Tree& tree, uint32_t node) {
  if (!tree.is(node, "alias") || !tree.is(tree.parents[node], "select_item")) return std::nullopt;
  if (tree.lexemes[tree.nodes[node].first].terminal == Terminal::kw_AS) return std::nullopt;
  return tree.of(node);
}

std::optional<Span> keyword_as_new_name(const Tree& tree, uint32_t node) {
  const bool names = tree.is(node, "alias") || tree.is(node, "cte_name");
  if (!names) return std::nullopt;
  const uint32_t last = tree.nodes[node].last - 1;
  return tree.is_bare_keyword(last) ? std::optional(tree.at(last)) : std::nullopt;
}

std::optional<Span> window_by_name(const Tree& tree, uint32_t node) {
  const uint32_t first = tree.nodes[node].first;
  if (tree.is(node, "windows")) return tree.of(node);
  if (tree.is(node, "over") && tree.lexemes[first + 1].terminal != Terminal::LeftParen) return tree.of(node);
  const bool based = tree.is(node, "window") && tree.lexemes[first + 1].terminal == Terminal::Name;
  return based ? std::optional(tree.of(node)) : std::nullopt;
}

std::optional<Span> row_value(const Tree& tree, uint32_t node) {
  if (!tree.is(node, "operand")) return std::nullopt;
  size_t expressions = 0;
  for (uint32_t child = node + 1; child < tree.nodes[node].next; child = tree.nodes[child].next) {
    expressions += tree.is(child, "expr");
  }
  // A scalar SELECT of several columns is one too.
  const uint32_t inner = node + 1;
  const bool query = inner < tree.nodes[node].next && tree.is(inner, "query");
  if (query) {
    size_t items = 0;
    uint32_t select = inner + 1;
    while (select < tree.nodes[inner].next && !tree.is(select, "select")) select = tree.nodes[select].next;
    for (uint32_t c = select + 1; c < tree.nodes[select].next; c = tree.nodes[c].next)
      items += tree.is(c, "select_item");
    const bool exists = tree.lexemes[tree.nodes[inner].first - 2].terminal == Terminal::kw_EXISTS;
    if (items > 1 && !exists) return tree.of(node);
  }
  return expressions > 1 ? std::optional(tree.of(node)) : std::nullopt;
}

std::optional<Span> rowid_before_from(const Tree& tree, uint32_t node) {
  const auto name = tree.lone_name(node);
  if (!name) return std::nullopt;
  const std::string text = tree.name(*name);
  if (text != "rowid" && text != "oid" && text != "_rowid_") return std::nullopt;
  const uint32_t place = tree.up(node, {"select_item", "select"});
  return place != kNoNode && tree.is(place, "select_item") ? std::optional(tree.at(*name)) : std::nullopt;
}

std::optional<Span> star_of_one_value(const Tree& tree, uint32_t node) {
  if (!tree.is(node, "select_item")) return std::nullopt;
  const uint32_t last = tree.nodes[node].last - 1;
  const uint32_t first = tree.nodes[node].first;
  const bool star = tree.lexemes[last].terminal == Terminal::Star &&
                    (last == first || tree.lexemes[last - 1].terminal == Terminal::Dot);
  if (!star) return std::nullopt;
  uint32_t query = tree.up(node, {"query"});
  const uint32_t around = tree.parents[query];
  const bool exists =
      tree.nodes[query].first >= 2 && tree.lexemes[tree.nodes[query].first - 2].terminal == Terminal::kw_EXISTS;
  const bool one = around != kNoNode && (tree.is(around, "operand") || tree.is(around, "in_set")) && !exists;
  return one ? std::optional(tree.from(first)) : std::nullopt;
}

// What a SELECT's own FROM can bind, as far as it is plain.
struct OwnFrom {
  std::set<std::string> names;
  std::vector<TableId> tables;
  bool plain = true;
};

OwnFrom own_from(const Tree& tree, uint32_t select) {
  OwnFrom own;
  for (uint32_t child = select + 1; child < tree.nodes[select].next; child = tree.nodes[child].next) {
    if (!tree.is(child, "from")) continue;
    for (uint32_t item = child + 1; item < tree.nodes[child].next; item = tree.nodes[item].next) {
      if (!tree.is(item, "from_item")) continue;
      const uint32_t first = item + 1;
      std::string name = tree.is(first, "table_name") ? tree.name(tree.nodes[first].first) : "";
      const auto table = tree.catalog.find_table(name);
      if (table) own.tables.push_back(*table);
      own.plain &= table.has_value();
      for (uint32_t part = first; part < tree.nodes[item].next; part = tree.nodes[part].next) {
        if (tree.is(part, "alias")) name = tree.name(tree.nodes[part].last - 1);
      }
      own.names.insert(name);
    }
  }
  return own;
}

bool binds_here(const Tree& tree, const OwnFrom& own, uint32_t operand) {
  const uint32_t last = tree.nodes[operand].last - 1;
  if (last > tree.nodes[operand].first && tree.lexemes[last - 1].terminal == Terminal::Dot) {
    return own.names.contains(tree.name(last - 2));
  }
  const std::string name = tree.name(last);
  return std::ranges::any_of(own.tables, [&](TableId table) {
    return tree.catalog.table(table).find_column(tree.catalog.names().find(name)).has_value();
  });
}

// As far as can be seen: no plain table of its own SELECT, or of one around it, has such a column.
std::optional<Span> quoted_string_before_from_closes(const Tree& tree, uint32_t node) {
  const auto name = tree.lone_name(node);
  if (!name || tree.lexemes[*name].quote != Quote::Double) return std::nullopt;
  const uint32_t place = tree.up(node, {"select_item", "join_condition", "select"});
  if (place == kNoNode || tree.is(place, "select")) return std::nullopt;
  for (uint32_t select = tree.up(node, {"select"}); select != kNoNode; select = tree.up(select, {"select"})) {
    if (binds_here(tree, own_from(tree, select), node)) return std::nullopt;
  }
  return tree.from(*name);
}

// An argument or FILTER of an aggregate in a nested SELECT that names a column of an enclosing one.
std::optional<Span> outer_name_in_aggregate(const Tree& tree, uint32_t node) {
  if (!tree.is(node, "call")) return std::nullopt;
  const uint32_t select = tree.up(node, {"select"});
  if (select == kNoNode || tree.up(select, {"select"}) == kNoNode) return std::nullopt;
  const std::string function = tree.name(tree.nodes[node].first - 1);
  const auto& functions = sql_grammar().functions();
  const bool aggregate = std::ranges::any_of(
      functions, [&](const Function& f) { return f.name == function && f.kind == FunctionKind::Aggregate; });
  if (!aggregate) return std::nullopt;
  const OwnFrom own = own_from(tree, select);
  if (!own.plain) return std::nullopt;
  for (uint32_t i = node + 1; i < tree.nodes[node].next; ++i) {
    const uint32_t last = tree.nodes[i].last - 1;
    const bool name =
        tree.is(i, "operand") && tree.nodes[i].next == i + 1 && tree.lexemes[last].terminal == Terminal::Name;
    if (name && !binds_here(tree, own, i)) return tree.from(tree.nodes[node].first - 1);
  }
  return std::nullopt;
}

std::optional<Span> comment(const Tree& tree) {
  uint32_t from = 0;
  for (const Lexeme& lexeme : tree.lexemes) {
    const std::string_view gap = tree.sql.substr(from, lexeme.span.begin - from);
    const size_t mark = std::min(gap.find("--"), gap.find("/*"));
    if (mark != std::string_view::npos) return Span{from, lexeme.span.begin};
    from = lexeme.span.end;
  }
  return std::nullopt;
}

std::optional<Span> second_semicolon(const Tree& tree) {
  for (uint32_t i = 1; i < tree.lexemes.size(); ++i) {
    const bool both =
        tree.lexemes[i].terminal == Terminal::Semicolon && tree.lexemes[i - 1].terminal == Terminal::Semicolon;
    if (both) return tree.at(i);
  }
  return std::nullopt;
}

std::optional<Span> long_lexeme_or_blank(const Tree& tree) {
  uint32_t from = 0;
  for (const Lexeme& lexeme : tree.lexemes) {
    if (lexeme.span.begin - from > track::kLongestBlank) return Span{from, lexeme.span.begin};
    const uint32_t length = lexeme.span.end - lexeme.span.begin;
    const bool number = lexeme.terminal == Terminal::Integer || lexeme.terminal == Terminal::Float;
    const uint32_t most = number                              ? track::kLongestNumber
                          : lexeme.terminal == Terminal::Name ? track::kLongestNewName
                                                              : track::kLongestLiteral;
    if (length > most) return lexeme.span;
    from = lexeme.span.end;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Bound> bounds_of(const Catalog& catalog, std::string_view sql) {
  static constexpr std::pair<const char*, Detector> kOfNodes[] = {
      {"select alias without AS", select_alias_without_as},
      {"keyword as a new name", keyword_as_new_name},
      {"window by name", window_by_name},
      {"row value", row_value},
      {"unqualified rowid before FROM", rowid_before_from},
      {"\"x\" as a string before FROM closes", quoted_string_before_from_closes},
      {"* as one value", star_of_one_value},
      {"outer name in an aggregate", outer_name_in_aggregate},
  };
  static constexpr std::pair<const char*, std::optional<Span> (*)(const Tree&)> kOfTexts[] = {
      {"comment", comment}, {"second semicolon", second_semicolon}, {"long lexeme or blank", long_lexeme_or_blank}};
  const Tree tree(catalog, sql);
  std::vector<Bound> found;
  for (const auto& [name, detect] : kOfTexts) {
    if (const auto at = detect(tree)) found.push_back({name, *at});
  }
  for (uint32_t node = 0; node < tree.nodes.size(); ++node) {
    for (const auto& [name, detect] : kOfNodes) {
      if (const auto at = detect(tree, node)) found.push_back({name, *at});
    }
  }
  return found;
}

const char* excuse(const std::vector<Bound>& bounds, size_t at) {
  for (const Bound& bound : bounds) {
    if (bound.where.begin <= at && at <= bound.where.end) return bound.name;
  }
  return nullptr;
}

}  // namespace pccsql::attack
