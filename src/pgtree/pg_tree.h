// PgTree: SQL text as PostgreSQL's own parser reads it.
//
// libpg_query is the server's parser, compiled as a library; it prints a tree as JSON. Here that becomes nodes in one
// array, without a copy of their text. A tree is a value of the parser's, not yet of the language: it may hold anything
// that PostgreSQL can parse, and who reads it must refuse what it does not know.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pccsql {

// What is built without libpg_query has trees of nothing: every parse fails with this.
inline constexpr std::string_view kNoPostgres =
    "this program was built without PostgreSQL; it needs libpq (on Debian libpq-dev) and libpg_query, which "
    "`scripts/pg_query.sh` makes, and then to be built again";
bool has_postgres();

class PgTree;

// A place in a tree. One that is not there is false, has no children and an empty text, so that optional fields need no
// care.
class PgNode {
 public:
  PgNode() = default;
  PgNode(const PgTree& tree, uint32_t index) : tree_(&tree), index_(index) {}

  explicit operator bool() const { return tree_ != nullptr; }
  std::string_view key() const;   // of the field that it is
  std::string_view text() const;  // of a string, a number, `true`
  bool is_true() const { return text() == "true"; }
  int64_t number(int64_t otherwise = 0) const;

  PgNode operator[](std::string_view field) const;
  // The parser prints a node of any kind as `{"ColumnRef": {…}}`: its kind, and what is in it.
  std::string_view kind() const { return first().key(); }
  PgNode inner() const { return first(); }

  PgNode first() const;  // child of an object or a list
  PgNode next() const;
  size_t size() const;

  // for (PgNode item : node.items())
  struct Iterator;
  struct Items;
  Items items() const;

 private:
  const PgTree* tree_ = nullptr;
  uint32_t index_ = 0;
};

// Refilled for each text; nodes are good until then. Not for use by two threads at once.
class PgTree {
 public:
  PgTree();
  ~PgTree();
  PgTree(PgTree&&) noexcept;
  PgTree& operator=(PgTree&&) noexcept;

  enum class Outcome { Parsed, SyntaxError, TooLarge, Unavailable };
  // Texts of more words and signs are TooLarge: the parser prints its tree by recursion, a level for each operator of a
  // chain such as `1+1+1`. As many as the default fit on any thread's stack; a query that somebody asks has some hundreds.
  static constexpr size_t kMostLexemes = 20'000;
  Outcome parse(std::string_view sql, size_t most_lexemes = kMostLexemes);

  const std::string& message() const { return message_; }  // of what is not Parsed
  uint32_t error_at() const { return error_at_; }          // byte of a SyntaxError
  // The statements, each a node `{"stmt": …, "stmt_location": …, "stmt_len": …}`.
  PgNode statements() const;

 private:
  friend class PgNode;
  friend class JsonReader;
  struct Node {
    std::string_view key;
    std::string_view text;
    uint32_t first = 0;  // 0: none
    uint32_t next = 0;
  };

  std::string json_;  // strings are unescaped in place
  std::vector<Node> nodes_;
  std::string message_;
  uint32_t error_at_ = 0;
};

struct PgNode::Iterator {
  PgNode node;
  PgNode operator*() const { return node; }
  Iterator& operator++() {
    node = node.next();
    return *this;
  }
  bool operator!=(const Iterator& other) const { return bool(node) != bool(other.node); }
};
struct PgNode::Items {
  PgNode head;
  Iterator begin() const { return {head}; }
  static Iterator end() { return {}; }
};
inline PgNode::Items PgNode::items() const { return {first()}; }

}  // namespace pccsql
