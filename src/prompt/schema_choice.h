// SchemaChoice: which tables and columns of a large schema a question is about, so that a prompt holds those and not all.
//
// Nothing is learnt and no second model is asked: words of the question are held against the words of names, comments and
// example values. A word counts the more the fewer tables have it; a table that a key leads to from a likely one is
// likelier itself. What is left out of the prompt is left out of nothing else: the mask knows the whole schema.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "prompt/example_values.h"
#include "schema/catalog.h"

namespace pccsql {

struct SchemaChoice {
  std::vector<std::vector<bool>> columns;  // by table; a table without any is left out

  bool has(TableId table) const;
};

// All that is not Hidden. A model can be talked into writing whatever it has read, and a string in a query comes back as a row: who
// may not be told the names of Hidden columns is answered by a model that was not told them either.
SchemaChoice open_columns(const Catalog& catalog, const Policy& policy);

using TokenCount = std::function<size_t(std::string_view)>;

// Made once for a catalogue under a policy. Used by one thread at a time.
class SchemaChooser {
 public:
  // PRE: `catalog` outlives it.
  SchemaChooser(const Catalog& catalog, Policy policy, ExampleValues values);

  // What fits into so many tokens, likeliest first: never more, but one table at least. PRE: `count` counts as it did before.
  SchemaChoice choose(std::string_view question, size_t tokens, const TokenCount& count);

  // Of each table, how likely the question is about it, on a scale of its own.
  std::vector<double> scores(std::string_view question) const;

 private:
  struct Named {
    std::vector<std::string> words;
    std::string whole;  // without anything but letters and digits, folded
  };
  struct Described {
    Named name;
    std::vector<Named> columns;
    std::vector<std::vector<std::string>> values;  // by column: folded
    std::vector<std::vector<std::string>> comments;  // by column: words
    std::vector<TableId> neighbours;
    size_t tokens = 0;  // of all of it; 0: not counted yet
  };

  double column_match(const Described& table, size_t column, const std::string& word) const;
  size_t cost(TableId table, const std::vector<bool>& columns, const TokenCount& count);
  std::vector<bool> columns_of(TableId table, const std::vector<std::string>& words, size_t most) const;

  const Catalog& catalog_;
  Policy policy_;
  ExampleValues values_;
  std::vector<Described> tables_;
};

}  // namespace pccsql
