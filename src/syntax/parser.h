// Parser: lexemes -> a tree of rules, by walking the grammar's network. One pass, no backtracking, no recursion.
//
// The tree is flat: nodes stand in the order in which their rules were entered, and each knows where its subtree ends.
// Lexemes are not nodes; a node knows its range of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "syntax/grammar.h"
#include "syntax/lexer.h"

namespace pccsql {

struct Node {
  RuleId rule = 0;
  uint32_t first = 0;  // lexemes [first, last)
  uint32_t last = 0;
  uint32_t next = 0;  // the node after this one's subtree
};

class Parser {
 public:
  explicit Parser(const Grammar& grammar) : grammar_(grammar) {}

  // Parses lexemes that end with End from the grammar's first rule. On success nodes() holds the tree, the root first.
  bool parse(const std::vector<Lexeme>& lexemes);

  const std::vector<Node>& nodes() const { return nodes_; }
  // After a failure: the lexeme that could not follow, and what could have stood there.
  uint32_t error_lexeme() const { return error_; }
  std::string expected() const;

 private:
  struct Frame {
    StateId state;  // where the rule stands
    uint32_t node;
  };
  bool viable(Terminal terminal) const;
  Terminal read_as(const Lexeme& lexeme) const;
  Slot name_slot() const;
  void close(uint32_t lexeme);

  const Grammar& grammar_;
  std::vector<Frame> stack_;
  std::vector<Node> nodes_;
  uint32_t error_ = 0;
};

}  // namespace pccsql
