// Detectors of what is about lexemes, lengths and counts.
#include <algorithm>

#include "track/bounds_detect.h"
#include "track/world.h"

namespace pccsql::track::detect {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Calls visit(span) for what stands between lexemes; once for a text, at its first node.
template <typename Visit>
void for_each_gap(const QueryTree& tree, uint32_t node, Visit&& visit) {
  uint32_t from = 0;
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

// What a construct weighs at most on the database's parser stack while something inside it is read.
int weight(const QueryTree& tree, uint32_t node) {
  if (tree.is(node, "call") || tree.is(node, "cast")) return 5;
  if (tree.is(node, "case")) return 6;
  if (tree.is(node, "window") || tree.is(node, "filter")) return 12;
  if (tree.is(node, "cte")) return 11;
  if (tree.is(node, "derived") || tree.is(node, "in_set")) return 8;
  for (const char* rule : {"infix", "tighter", "negatable", "pattern"}) {
    if (tree.is(node, rule)) return 2;
  }
  if (tree.is(node, "query")) return 11;
  if (!tree.is(node, "operand")) return 0;
  int sum = 0;
  for (uint32_t i = tree.nodes[node].first; i < tree.nodes[node].last; ++i) {
    const Terminal t = tree.terminal(i);
    const bool prefix = t == Terminal::kw_NOT || t == Terminal::Minus || t == Terminal::Plus || t == Terminal::Tilde;
    if (!prefix) return t == Terminal::LeftParen || t == Terminal::kw_EXISTS ? sum + 2 : sum;
    ++sum;
  }
  return sum;
}

// What must be left above a construct for it to begin.
int headroom(const QueryTree& tree, uint32_t node) {
  if (tree.is(node, "query")) return kSelectDepth;
  if (!tree.is(node, "call")) return 0;
  return tree.has_over(node) ? 18 : 9;
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
    if (number && length + 1 > kLongestNumber) finder.at(lexeme.span);
  });
}

void long_new_names(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "alias") && !tree.is(node, "cte_name")) return;
  const Lexeme& name = tree.lexemes[tree.nodes[node].last - 1];
  const uint32_t room = name.quote == Quote::None ? 2 : 5;  // what a name that goes on must be able to end with
  if (name.span.end - name.span.begin + room > kLongestNewName) finder.at(name.span);
}

void deep_nesting(Finder& finder, uint32_t node) {
  int sum = headroom(finder.tree, node);
  for (uint32_t at = node; at != kNoNode; at = finder.tree.parent(at)) sum += weight(finder.tree, at);
  if (sum <= kDeepest) return;
  const Span span = finder.tree.of(node);
  // A call is judged with its function's name.
  const uint32_t first = finder.tree.nodes[node].first;
  finder.at({finder.tree.is(node, "call") ? finder.tree.at(first - 1).begin : span.begin, span.end});
}

void tall_expressions(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (!tree.is(node, "expr") || tree.nodes[node].last - tree.nodes[node].first <= static_cast<uint32_t>(kTallest))
    return;
  finder.at({tree.at(tree.nodes[node].first + static_cast<uint32_t>(kTallest)).begin, tree.of(node).end});
}

void many_tables(Finder& finder, uint32_t node) {
  const QueryTree& tree = finder.tree;
  if (node != 0) return;
  int tables = 0;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.is(i, "from_item") && ++tables > kMostTables) return finder.at_or_later(tree.of(i));
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

}  // namespace pccsql::track::detect
