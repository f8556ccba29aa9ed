// HiddenNames: keeps the names of Hidden columns out of what a caller is told.
//
// Names come into a reply by many ways: a `*` that expands, a suggestion for a name that was misspelt, what a model wanted
// to write, the message of a database. So what is about to be sent is looked through as a whole, word by word, and each name
// that the caller may not use and did not write himself is covered. Cells of rows are values, not names, and stay.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

inline constexpr std::string_view kCoveredColumn = "a column that you may not use";
inline constexpr std::string_view kCoveredTable = "a table that you may not use";

// What a caller wrote: names in it are no news to him.
class Spoken {
 public:
  explicit Spoken(std::string_view text);
  bool has(std::string_view folded_name) const;

 private:
  std::set<std::string, std::less<>> words_;
  std::string text_;  // folded
};

class HiddenNames {
 public:
  // Keeps no reference. A Hidden column whose name some other column or table has that may be named is covered only where it
  // stands behind its table's name.
  HiddenNames(const Catalog& catalog, const Policy& policy);

  bool none() const { return columns_.empty() && tables_.empty() && dotted_.empty() && phrases_.empty(); }
  // Some of the names hold blanks or signs: whether such a name is being written is seen only at the end of a text.
  bool has_phrases() const { return !phrases_.empty(); }

  std::string cover(std::string_view text, const Spoken& spoken) const;
  // The same for all texts of a reply. Words of the interface itself (`verdict`, `role` and their like) are none.
  std::string cover_json(const std::string& json, const Spoken& spoken) const;

 private:
  bool covers_pair(std::string_view table, std::string_view column, const Spoken& spoken) const;

  std::set<std::string, std::less<>> columns_;  // folded, single words
  std::set<std::string, std::less<>> tables_;   // closed ones
  std::set<std::pair<std::string, std::string>> dotted_;
  std::vector<std::pair<std::string, std::string_view>> phrases_;  // names that are no single word, and what covers them
};

// A text that comes piece by piece, covered: what might still become a name waits.
class CoveredStream {
 public:
  CoveredStream(const HiddenNames* names, const Spoken& spoken) : names_(names), spoken_(&spoken) {}
  // What can be told now.
  std::string add(std::string_view piece);
  std::string end();

 private:
  const HiddenNames* names_;  // nullptr: nothing is covered
  const Spoken* spoken_;
  std::string waiting_;
};

}  // namespace pccsql
