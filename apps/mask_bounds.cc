#include "apps/mask_bounds.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "syntax/grammar.h"
#include "syntax/parser.h"
#include "track/world.h"

namespace pccsql {
namespace {

// The tree of a query, with the way upwards that the parser's own does not have.
class Tree {
 public:
  Tree(std::string_view text, const Catalog& its_catalog) : sql(text), catalog(its_catalog), grammar_(sql_grammar()) {
    lex(sql, lexemes);
    Parser parser(grammar_);
    if (!parser.parse(lexemes)) return;
    nodes = parser.nodes();
    parents_.assign(nodes.size(), kNoNode);
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      for (uint32_t child = i + 1; child < nodes[i].next; child = nodes[child].next) parents_[child] = i;
    }
  }

  static constexpr uint32_t kNoNode = ~0U;
  std::string_view rule(uint32_t node) const { return grammar_.rules()[nodes[node].rule].name; }
  uint32_t parent(uint32_t node) const { return parents_[node]; }
  Terminal terminal(uint32_t lexeme) const { return lexemes[lexeme].terminal; }
  Span span(uint32_t first, uint32_t last) const { return {lexemes[first].span.begin, lexemes[last - 1].span.end}; }
  Span span(uint32_t node) const { return span(nodes[node].first, nodes[node].last); }

  // The nearest of these rules around the node.
  std::string_view around(uint32_t node, std::initializer_list<std::string_view> rules) const {
    for (uint32_t at = parent(node); at != kNoNode; at = parent(at)) {
      if (std::ranges::count(rules, rule(at)) > 0) return rule(at);
    }
    return {};
  }

  size_t children(uint32_t node, std::string_view of_rule) const {
    size_t count = 0;
    for (uint32_t child = node + 1; child < nodes[node].next; child = nodes[child].next)
      count += rule(child) == of_rule;
    return count;
  }

  std::string name(uint32_t lexeme) const {
    std::string buffer;
    return folded(name_text(lexemes[lexeme], sql, buffer));
  }

  // The lexeme of an operand that is one name and nothing else.
  std::optional<uint32_t> lone_name(uint32_t node) const {
    if (rule(node) != "operand" || nodes[node].next != node + 1) return std::nullopt;
    const uint32_t last = nodes[node].last - 1;
    if (terminal(last) != Terminal::Name) return std::nullopt;
    if (last > nodes[node].first && terminal(last - 1) == Terminal::Dot) return std::nullopt;
    return last;
  }

  std::string_view sql;
  const Catalog& catalog;
  std::vector<Lexeme> lexemes;
  std::vector<Node> nodes;

 private:
  const Grammar& grammar_;
  std::vector<uint32_t> parents_;
};

using Found = std::vector<BoundFound>;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Calls visit(span) for what stands between lexemes.
template <typename Visit>
void for_each_gap(const Tree& tree, Visit&& visit) {
  uint32_t from = 0;
  for (const Lexeme& lexeme : tree.lexemes) {
    const bool end = lexeme.terminal == Terminal::End;
    const uint32_t to = end ? static_cast<uint32_t>(tree.sql.size()) : lexeme.span.begin;
    if (to > from) visit(Span{from, to});
    from = lexeme.span.end;
  }
}

// Between two lexemes there is nothing but blanks, unless somebody wrote a comment.
void comments(const Tree& tree, Found& found) {
  for_each_gap(tree, [&](Span gap) {
    while (gap.begin < gap.end && is_blank(tree.sql[gap.begin])) ++gap.begin;
    if (!gap.empty()) found.push_back({"comment", gap});
  });
}

void long_blanks(const Tree& tree, Found& found) {
  for_each_gap(tree, [&](Span gap) {
    if (gap.end - gap.begin > track::kLongestBlank) found.push_back({"long run of blanks", gap});
  });
}

void long_literals(const Tree& tree, Found& found) {
  for (const Lexeme& lexeme : tree.lexemes) {
    const uint32_t length = lexeme.span.end - lexeme.span.begin;
    const bool text = lexeme.terminal == Terminal::String || lexeme.terminal == Terminal::Blob ||
                      (lexeme.terminal == Terminal::Name && lexeme.quote == Quote::Double);
    const bool number = lexeme.terminal == Terminal::Integer || lexeme.terminal == Terminal::Float;
    if (text && length > track::kLongestLiteral + 2) found.push_back({"long string", lexeme.span});
    if (number && length > track::kLongestNumber) found.push_back({"long number", lexeme.span});
  }
}

void long_new_names(const Tree& tree, Found& found) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.rule(i) != "alias" && tree.rule(i) != "cte_name") continue;
    const uint32_t name = tree.nodes[i].last - 1;
    if (tree.name(name).size() > track::kLongestNewName) found.push_back({"long new name", tree.span(i)});
  }
}

void select_aliases_without_as(const Tree& tree, Found& found) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.rule(i) != "alias" || tree.rule(tree.parent(i)) != "select_item") continue;
    if (tree.terminal(tree.nodes[i].first) == Terminal::kw_AS) continue;
    found.push_back({"select alias without AS", tree.span(i)});
  }
}

void aliases_that_are_keywords(const Tree& tree, Found& found) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.rule(i) != "alias") continue;
    const uint32_t name = tree.nodes[i].last - 1;
    const std::string_view word = tree.lexemes[name].span.of(tree.sql);
    if (tree.lexemes[name].quote != Quote::None || terminal_of(word) == Terminal::Illegal) continue;
    found.push_back({"keyword as an alias", tree.span(name, name + 1)});
  }
}

void windows_by_name(const Tree& tree, Found& found) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    const bool clause = tree.rule(i) == "windows";
    const bool over = tree.rule(i) == "over" && tree.terminal(node.first + 1) != Terminal::LeftParen;
    const bool base =
        tree.rule(i) == "window" && node.last > node.first + 2 && tree.terminal(node.first + 1) == Terminal::Name;
    if (clause || over || base) found.push_back({"window by name", tree.span(i)});
  }
}

void row_values(const Tree& tree, Found& found) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.rule(i) == "operand" && tree.children(i, "expr") > 1) found.push_back({"row value", tree.span(i)});
  }
}

void rowids_before_from(const Tree& tree, Found& found) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const auto name = tree.lone_name(i);
    if (!name || tree.around(i, {"select_item", "select"}) != "select_item") continue;
    const std::string text = tree.name(*name);
    if (text != "rowid" && text != "oid" && text != "_rowid_") continue;
    found.push_back({"unqualified rowid before FROM", tree.span(*name, *name + 1)});
  }
}

// Before its FROM closes, `"x"` is an identifier to the decoder; it is a string where no column could be meant.
void double_quoted_strings(const Tree& tree, Found& found) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const auto name = tree.lone_name(i);
    if (!name || tree.lexemes[*name].quote != Quote::Double) continue;
    const std::string_view place = tree.around(i, {"select_item", "join_condition", "select"});
    if (place != "select_item" && place != "join_condition") continue;
    const NameId id = tree.catalog.names().find(tree.name(*name));
    const bool column = std::ranges::any_of(
        tree.catalog.tables(), [id](const Table& table) { return id != kNoName && table.find_column(id).has_value(); });
    if (!column) found.push_back({"double-quoted string before FROM closes", tree.span(*name, *name + 1), true});
  }
}

// The tables of the FROM that belongs to a SELECT, as names are qualified; nothing if a derived table is among them.
std::optional<std::vector<std::pair<std::string, const Table*>>> tables_of(const Tree& tree, uint32_t select) {
  std::vector<std::pair<std::string, const Table*>> tables;
  for (uint32_t i = select + 1; i < tree.nodes[select].next; i = tree.nodes[i].next) {
    if (tree.rule(i) != "from") continue;
    for (uint32_t item = i + 1; item < tree.nodes[i].next; item = tree.nodes[item].next) {
      if (tree.rule(item) != "from_item") continue;
      if (tree.rule(item + 1) != "table_name") return std::nullopt;
      const auto table = tree.catalog.find_table(tree.name(tree.nodes[item].first));
      if (!table) return std::nullopt;
      tables.emplace_back(tree.name(tree.nodes[item].last - 1), &tree.catalog.table(*table));
    }
  }
  return tables;
}

// Names inside an aggregate bind to its own SELECT; one that only an enclosing SELECT has is not written there.
void outer_aggregates(const Tree& tree, Found& found) {
  for (uint32_t call = 0; call < tree.nodes.size(); ++call) {
    if (tree.rule(call) != "call" || tree.nodes[call].first == 0) continue;
    const std::string function = tree.name(tree.nodes[call].first - 1);
    const bool aggregate = std::ranges::any_of(sql_grammar().functions(), [&](const Function& f) {
      return f.kind == FunctionKind::Aggregate && f.name == function;
    });
    if (!aggregate) continue;
    uint32_t select = call;
    while (select != Tree::kNoNode && tree.rule(select) != "select") select = tree.parent(select);
    if (select == Tree::kNoNode || tree.around(select, {"select"}).empty()) continue;
    const auto tables = tables_of(tree, select);
    if (!tables) continue;
    for (uint32_t i = call + 1; i < tree.nodes[call].next; ++i) {
      if (tree.rule(i) != "operand" || tree.nodes[i].next != i + 1) continue;
      const uint32_t last = tree.nodes[i].last - 1;
      if (tree.terminal(last) != Terminal::Name) continue;
      const bool qualified = last >= tree.nodes[i].first + 2 && tree.terminal(last - 1) == Terminal::Dot;
      const NameId id = tree.catalog.names().find(tree.name(last));
      const bool own = std::ranges::any_of(*tables, [&](const auto& item) {
        return id != kNoName && item.second->find_column(id) && (!qualified || item.first == tree.name(last - 2));
      });
      if (!own) found.push_back({"outer column inside an aggregate", tree.span(i), true});
    }
  }
}

void semicolons(const Tree& tree, Found& found) {
  for (uint32_t i = 1; i < tree.lexemes.size(); ++i) {
    if (tree.terminal(i) != Terminal::Semicolon || tree.terminal(i - 1) != Terminal::Semicolon) continue;
    found.push_back({"second semicolon", tree.span(i, i + 1)});
  }
}

// What a construct weighs at most on the database's parser stack while something inside it is read.
int weight(const Tree& tree, uint32_t node) {
  const std::string_view rule = tree.rule(node);
  if (rule == "call" || rule == "cast") return 5;
  if (rule == "case") return 6;
  if (rule == "window") return 12;
  if (rule == "derived" || rule == "in_set" || rule == "cte") return 10;
  if (rule == "infix" || rule == "tighter" || rule == "negatable" || rule == "pattern") return 2;
  if (rule != "operand") return 0;
  int sum = 0;
  for (uint32_t i = tree.nodes[node].first; i < tree.nodes[node].last; ++i) {
    const Terminal t = tree.terminal(i);
    if (t == Terminal::LeftParen) return sum + (tree.children(node, "query") > 0 ? 10 : 1);
    if (t != Terminal::kw_NOT && t != Terminal::Minus && t != Terminal::Plus && t != Terminal::Tilde) break;
    ++sum;
  }
  return tree.children(node, "query") > 0 ? sum + 10 : sum;
}

void deep_nesting(const Tree& tree, Found& found) {
  std::vector<int> sum(tree.nodes.size(), 0);
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const uint32_t parent = tree.parent(i);
    sum[i] = weight(tree, i) + (parent == Tree::kNoNode ? 0 : sum[parent]);
    if (sum[i] > track::kDeepest) found.push_back({"deep nesting", tree.span(i)});
  }
}

// More branches, arguments or operators in a row than are generated; `later`, because the last of them is one too many.
void long_lists(const Tree& tree, Found& found) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const auto over = [&](std::string_view rule, int most) {
      return tree.children(i, rule) > static_cast<size_t>(most);
    };
    if (tree.rule(i) == "query" && over("compound", track::kMostBranches - 1))
      found.push_back({"many set operations", tree.span(i)});
    if (tree.rule(i) == "call" && over("expr", track::kMostArguments))
      found.push_back({"many arguments", tree.span(i)});
    if (tree.rule(i) == "expr" && over("operand", track::kTallest)) found.push_back({"tall expression", tree.span(i)});
    if (tree.rule(i) == "select" && over("select_item", track::kMostOutputs))
      found.push_back({"many select items", tree.span(i)});
  }
  const auto tables = std::ranges::count_if(tree.nodes, [&](const Node& node) {
    return tree.rule(static_cast<uint32_t>(&node - tree.nodes.data())) == "from_item";
  });
  if (tables > track::kMostTables) found.push_back({"many tables", {0, static_cast<uint32_t>(tree.sql.size())}});
}

}  // namespace

std::vector<BoundFound> find_decoder_bounds(std::string_view sql, const Catalog& catalog) {
  Found found;
  const Tree tree(sql, catalog);
  if (tree.nodes.empty()) return found;
  for (const auto detect : {comments, long_blanks, long_literals, long_new_names, select_aliases_without_as,
                            aliases_that_are_keywords, windows_by_name, row_values, rowids_before_from,
                            double_quoted_strings, outer_aggregates, semicolons, deep_nesting, long_lists}) {
    detect(tree, found);
  }
  return found;
}

std::string_view bound_that_stopped(const std::vector<BoundFound>& found, Span token, bool later) {
  for (const BoundFound& bound : found) {
    // A name is judged by the byte after it, hence `<=`.
    const bool after = token.begin > bound.at.end;
    if (token.end <= bound.at.begin || (after && !(later && bound.later))) continue;
    return bound.bound;
  }
  return {};
}

}  // namespace pccsql
