// Detectors of what is about lexemes, lengths and counts.
#include <algorithm>
#include <set>

#include "verify/bounds_detect.h"
#include "track/world.h"

namespace pccsql::verify::detect {

using namespace track;
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Calls visit(span) for what stands between lexemes; once for a text, at its first node.
template <typename Visit>
void for_each_gap(const QueryTree& tree, uint32_t node, Visit&& visit) {
  uint32_t from = tree.leading == 0 ? 0 : tree.at(0).begin;
  for (const Lexeme& lexeme : tree.lexemes) {
    if (node != 0) return;
    const bool end = lexeme.terminal == Terminal::End;
    const uint32_t to = end ? static_cast<uint32_t>(tree.sql.size()) : lexeme.span.begin;
    if (to > from) visit(Span{from, to});
    from = lexeme.span.end;
  }
}

template <typename Visit>
void for_each_lexeme(const QueryTree& tree, uint32_t node, Visit&& visit) {
  for (const Lexeme& lexeme : tree.lexemes) {
    if (node == 0) visit(lexeme, lexeme.span.end - lexeme.span.begin);
  }
}

// From the first of the children that is one too many.
void one_too_many(Finder& finder, uint32_t node, std::string_view rule, int most) {
  const auto children = finder.tree.children(node, rule);
  if (children.size() <= static_cast<size_t>(most)) return;
  const uint32_t before = finder.tree.nodes[children[static_cast<size_t>(most) - 1]].last;
  finder.at({finder.tree.at(before).begin, finder.tree.of(children[static_cast<size_t>(most)]).end});
}

// The tables that a FROM item counts for: those inside a derived table or CTE, and at least itself.
int tables_of(const QueryTree& tree, uint32_t item) {
  const uint32_t source = item + 1;
  uint32_t body = tree.is(source, "derived") ? source : kNoNode;
  if (tree.is(source, "table_name")) {
    body = tree.cte(tree.name(tree.nodes[source].first), tree.nodes[source].first);
  }
  const uint32_t query = body == kNoNode ? kNoNode : tree.child(body, "query");
  if (query == kNoNode && tree.is(source, "table_name")) {
    const auto table = tree.catalog.find_table(tree.name(tree.nodes[source].first));
    return table ? tree.catalog.table(*table).merged_tables : 1;
  }
  int sum = 0;
  for (uint32_t i = query; query != kNoNode && i < tree.nodes[query].next; ++i) {
    if (tree.is(i, "from_item") && tree.up(i, {"query"}) == query) sum += tables_of(tree, i);
  }
  return std::max(sum, 1);
}

// With subqueries in it, each operator counts once more for every one that it stands in.
void tall_around_subqueries(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "expr") || tree.up(node, {"operand"}) != kNoNode) return;
  int height = 0;
  bool nested = false;
  for (uint32_t i = node + 1; i < tree.nodes[node].next; ++i) {
    nested |= tree.is(i, "select");
    if (!tree.is(i, "infix") && !tree.is(i, "tighter") && !tree.is(i, "negatable") && !tree.is(i, "operand")) continue;
    ++height;
    for (uint32_t at = tree.up(i, {"select"}); at != kNoNode && at > node; at = tree.up(at, {"select"})) ++height;
    if (nested && height > kTallest) return finder.at({tree.of(i).begin, tree.of(node).end});
  }
}

}  // namespace

void comments(Finder& finder, uint32_t node) {
  for_each_gap(finder.tree, node, [&](Span gap) {
    while (gap.begin < gap.end && is_blank(finder.tree.sql[gap.begin])) ++gap.begin;
    if (!gap.empty()) finder.at(gap);
  });
}

void long_blanks(Finder& finder, uint32_t node) {
  for_each_gap(finder.tree, node, [&](Span gap) {
    if (gap.end - gap.begin > kLongestBlank) finder.at(gap);
  });
}

void semicolons(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (node == 0 && tree.leading > 0) finder.at({0, tree.at(0).begin});
  for (uint32_t i = 1; i < tree.lexemes.size() && node == 0; ++i) {
    if (tree.terminal(i) == Terminal::Semicolon && tree.terminal(i - 1) == Terminal::Semicolon) finder.at(tree.at(i));
  }
}

void long_strings(Finder& finder, uint32_t node) {
  for_each_lexeme(finder.tree, node, [&](const Lexeme& lexeme, uint32_t length) {
    const bool literal = lexeme.terminal == Terminal::String || lexeme.terminal == Terminal::Blob;
    if (literal && length > kLongestLiteral) finder.at(lexeme.span);
  });
  // `"x"` has the length of a name, whether or not it is a string; of names that exist no length is asked.
  const auto use = finder.tree.name_use(node);
  if (!use || finder.tree.lexemes[use->lexeme].quote != Quote::Double || finder.tree.meaning(node)) return;
  const Span span = finder.tree.at(use->lexeme);
  if (span.end - span.begin + 5 > kLongestNewName) finder.at(span);
}

void long_numbers(Finder& finder, uint32_t node) {
  for_each_lexeme(finder.tree, node, [&](const Lexeme& lexeme, uint32_t length) {
    const bool number = lexeme.terminal == Terminal::Integer || lexeme.terminal == Terminal::Float;
    // An exponent's mark is taken only if there is room for a sign and a digit.
    const bool marked = lexeme.span.of(finder.tree.sql).find_first_of("eE") != std::string_view::npos;
    if (number && length + (marked ? 1 : 0) > kLongestNumber) finder.at(lexeme.span);
  });
}

void long_new_names(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "alias") && !tree.is(node, "cte_name")) return;
  const Lexeme& name = tree.lexemes[tree.nodes[node].last - 1];
  const uint32_t room = name.quote == Quote::None ? 2 : 5;  // what a name that goes on must be able to end with
  if (name.span.end - name.span.begin + room > kLongestNewName) finder.at(name.span);
}

void tall_expressions(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  tall_around_subqueries(finder, node);
  if (!tree.is(node, "expr") && !tree.is(node, "range") && !tree.is(node, "pattern")) return;
  int height = 0;
  for (uint32_t i = node + 1; i < tree.nodes[node].next;) {
    const bool own = tree.is(i, "infix") || tree.is(i, "tighter") || tree.is(i, "negatable");
    if (tree.is(i, "operand")) {
      const Terminal first = tree.first(i);
      height += i != node + 1 && tree.parent(i) == node;  // joined by AND or OR
      const bool holds = first == Terminal::LeftParen || first == Terminal::kw_EXISTS;
      height += holds || tree.child(i, "call") != kNoNode;
      for (uint32_t k = tree.nodes[i].first; k < tree.nodes[i].last && tree.terminal(k) >= Terminal::Plus; ++k) {
        const Terminal t = tree.terminal(k);
        if (t != Terminal::kw_NOT && t != Terminal::Minus && t != Terminal::Plus && t != Terminal::Tilde) break;
        ++height;
      }
    }
    height += own && tree.parent(i) == node;
    if (height > kTallest) {
      const uint32_t first = tree.nodes[i].first;
      return finder.at({tree.at(tree.is(i, "operand") ? first - 1 : first).begin, tree.of(i).end});
    }
    i = own ? i + 1 : tree.nodes[i].next;
  }
}

// The database joins ON, USING and WHERE to one expression.
void many_conditions(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "select")) return;
  const auto operators_in = [&](uint32_t part) {
    size_t count = 0;
    for (uint32_t i = part + 1; i < tree.nodes[part].next; ++i) {
      count += tree.is(i, "infix") || tree.is(i, "tighter") || tree.is(i, "negatable") || tree.is(i, "operand");
    }
    return count;
  };
  size_t conditions = 0;
  const auto add = [&](uint32_t part, size_t more) {
    const bool over = conditions <= kTallest && conditions + more > kTallest;
    if (over) finder.at({tree.of(part).begin, tree.of(node).end});
    conditions += more;
  };
  const uint32_t from = tree.child(node, "from");
  for (const QueryTree::FromItem& item : tree.from(node)) {
    add(item.node, item.merged.size());
    const uint32_t condition = tree.nodes[item.node].next;
    if (condition >= tree.nodes[from].next || !tree.is(condition, "join_condition")) continue;
    if (tree.first(condition) == Terminal::kw_ON) add(condition, operators_in(condition));
  }
  if (const uint32_t where = tree.child(node, "where"); where != kNoNode && conditions > 0) {
    add(where, operators_in(where));
  }
}

// Before its FROM, that is, those of subqueries there counted.
void many_names(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "select")) return;
  std::set<std::string> names;
  for (const uint32_t item : tree.children(node, "select_item")) {
    for (uint32_t i = item + 1; i < tree.nodes[item].next; ++i) {
      const auto use = tree.is(i, "operand") ? tree.name_use(i) : std::nullopt;
      if (!use) continue;
      names.insert((use->qualifier ? tree.name(*use->qualifier) : "") + "." + tree.name(use->lexeme));
      if (names.size() > kMostOwed) return finder.at(tree.of(i));
    }
  }
}

void many_tables(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "query")) return;
  int tables = 0;
  for (uint32_t i = node, join = kNoNode; i < tree.nodes[node].next; ++i) {
    if (tree.up(i, {"query"}) != node) continue;
    if (tree.is(i, "join")) join = i;
    if (!tree.is(i, "from_item") || (tables += tables_of(tree, i)) <= kMostTables) continue;
    const bool first = tree.is(tree.parent(i), "from") && i == tree.parent(i) + 1;
    return finder.at({tree.of(first ? i : join).begin, tree.of(i).end});
  }
}

void many_outputs(Finder& finder, uint32_t node) {
  if (finder.tree.is(node, "select")) one_too_many(finder, node, "select_item", kMostOutputs);
}

void many_branches(Finder& finder, uint32_t node) {
  if (finder.tree.is(node, "query")) one_too_many(finder, node, "compound", kMostBranches - 1);
}

void many_arguments(Finder& finder, uint32_t node) {
  if (finder.tree.is(node, "call")) one_too_many(finder, node, "expr", kMostArguments);
  if (finder.tree.is(node, "cte_columns")) one_too_many(finder, node, "cte_name", 100);
}

}  // namespace pccsql::verify::detect
