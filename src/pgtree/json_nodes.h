// From the parser's JSON to nodes: the few forms that it prints, without recursion, strings unescaped where they stand.
#pragma once

#include "pgtree/pg_tree.h"

namespace pccsql {

class JsonReader {
 public:
  explicit JsonReader(PgTree& tree) : tree_(tree) {}
  // Fills the tree's nodes from its text. False: it is no such JSON.
  bool read();

 private:
  char peek() const { return at_ < tree_.json_.size() ? tree_.json_[at_] : '\0'; }
  bool read_string(std::string_view& out);
  bool read_value(std::string_view key, uint32_t parent);
  uint32_t add(std::string_view key, uint32_t parent);

  PgTree& tree_;
  size_t at_ = 0;
  std::vector<uint32_t> open_;        // objects and lists that are not closed yet
  std::vector<uint32_t> last_child_;  // parallel to it
};

}  // namespace pccsql
