// The reviewed lists of what columns are (first_policy/*.txt, whose first lines say what the kinds mean).
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schema/catalog.h"

namespace pccsql {

enum class ColumnKind { Key, Personal, Person, Measure, Harmless, Unclear };
inline constexpr std::array<std::string_view, 6> kColumnKinds{"key", "personal", "person", "measure", "harmless", "unclear"};

struct ListedDatabase {
  std::string name;
  bool held = false;                                           // never used to adjust a word list
  std::map<std::string, std::map<std::string, ColumnKind>> tables;  // by folded names
};

// What cannot be read is a failure of the test that asks.
std::vector<ListedDatabase> read_column_kinds(const std::string& path);

// The kinds by table and column; a column that the list lacks, or that the catalogue lacks, is a failure.
std::vector<std::vector<ColumnKind>> kinds_for(const Catalog& catalog, const ListedDatabase& listed);

}  // namespace pccsql
