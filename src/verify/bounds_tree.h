// QueryTree: a parsed query as the bounds' detectors want it: with the way upwards, and with a plain reading of its names.
//
// Names are looked up by text, in FROM, among select aliases, then outward. It is the reading of a query that runs: what
// the database would refuse is not noticed.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/catalog.h"
#include "syntax/grammar.h"
#include "syntax/parser.h"

namespace pccsql::verify {

inline constexpr uint32_t kNoNode = UINT32_MAX;

enum class Part : uint8_t { None, Items, From, On, Where, Group, Having, Order, Limit };  // of a SELECT

class QueryTree {
 public:
  QueryTree(const Catalog& catalog, std::string_view text);

  const Catalog& catalog;
  std::string_view sql;
  uint32_t leading = 0;         // semicolons before the query
  std::vector<Lexeme> lexemes;  // without them
  std::vector<Node> nodes;      // none: the text does not parse

  bool is(uint32_t node, std::string_view rule) const {
    return node != kNoNode && sql_grammar().rules()[nodes[node].rule].name == rule;
  }
  uint32_t parent(uint32_t node) const { return parents_[node]; }
  // The nearest of these rules around the node, or kNoNode.
  uint32_t up(uint32_t node, std::initializer_list<std::string_view> rules) const;
  std::vector<uint32_t> children(uint32_t node, std::string_view rule) const;
  uint32_t child(uint32_t node, std::string_view rule) const;  // the first one
  bool leaf(uint32_t node) const { return nodes[node].next == node + 1; }

  Terminal terminal(uint32_t lexeme) const { return lexemes[lexeme].terminal; }
  Terminal first(uint32_t node) const { return terminal(nodes[node].first); }
  bool holds(uint32_t node, Terminal word) const;  // among its own lexemes and those of its children
  std::string name(uint32_t lexeme) const;  // folded, without quotes
  bool is_bare_keyword(uint32_t lexeme) const;
  Span at(uint32_t lexeme) const { return lexemes[lexeme].span; }
  Span of(uint32_t node) const { return {at(nodes[node].first).begin, at(nodes[node].last - 1).end}; }
  // With the lexeme after it: some words could go on as an operator, so that they are stopped inside it.
  Span through_next(Span span) const;
  // Up to the lexeme after it.
  Span up_to_next(Span span) const;

  // An operand that is one name, perhaps qualified and behind signs.
  struct NameUse {
    uint32_t lexeme = 0;
    std::optional<uint32_t> qualifier;
  };
  std::optional<NameUse> name_use(uint32_t operand) const;
  // The operand that an expression consists of, out of its parentheses; kNoNode if it is more than that.
  uint32_t only_operand(uint32_t expr) const;

  struct FromItem {
    std::string name;                  // "" for a derived table without an alias
    std::vector<std::string> columns;  // "": one that has no name
    std::vector<std::string> merged;   // by USING or NATURAL, with columns further left
    std::optional<TableId> table;
    uint32_t node = 0;
    bool derived = false;
  };
  std::vector<FromItem> from(uint32_t select) const;
  struct Output {
    std::string name;  // "": none that can be used
    uint32_t item = 0;
  };
  std::vector<Output> outputs(uint32_t select) const;
  bool has_star(uint32_t select, bool plain_only) const;
  // The CTE that a table's name at this lexeme means, or kNoNode.
  uint32_t cte(const std::string& name, uint32_t lexeme) const;

  // The SELECT whose names an expression sees first; kNoNode in the ORDER BY of a set operation.
  uint32_t select_of(uint32_t node) const;
  Part part_of(uint32_t select, uint32_t node) const;
  // The node of the next visible SELECT outward that this one hangs on: its `select_of` is that SELECT.
  uint32_t outward(uint32_t select) const;

  struct Meaning {
    uint32_t select = 0;
    uint32_t alias_of = kNoNode;  // the select item, if it is an alias
    std::optional<FromItem> item;
    Part part = Part::None;  // of that SELECT, where the name stands
    bool before = false;     // some FROM was still open on the way
  };
  std::optional<Meaning> meaning(uint32_t operand) const;

  // Calls.
  std::string function(uint32_t call) const { return name(nodes[call].first - 1); }
  bool is_aggregate(uint32_t call) const;  // by name and arguments, with or without OVER
  bool has_over(uint32_t call) const { return child(call, "over") != kNoNode; }
  // Whether a call of an aggregate, without OVER and of the same SELECT, stands in the node's subtree.
  bool aggregates(uint32_t node, uint32_t select) const;

 private:
  std::vector<uint32_t> parents_;
};

}  // namespace pccsql::verify
