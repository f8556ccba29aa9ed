// World: what one schema and one policy make of the language, compiled once and shared by every tracker.
//
// Tables and columns with the roles each permits, the functions, and the dictionary: every word that has a meaning before
// a text brings names of its own. Words are sorted, so that "some admitted word begins with these letters" is a range.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "syntax/grammar.h"
#include "track/rank_set.h"
#include "track/supply.h"
#include "track/tracker.h"
#include "track/word_trie.h"

namespace pccsql::track {

// The bounds on what is generated, besides those that the settings lift. Each is far above what people write.
inline constexpr uint32_t kLongestLiteral = 256;  // bytes of a string
inline constexpr uint32_t kLongestNumber = 40;
inline constexpr uint32_t kLongestNewName = 64;
inline constexpr uint32_t kLongestBlank = 32;
inline constexpr int kTallest = 900;     // operators in one expression; the database takes a tree of 1,000
inline constexpr int kDeepestCanonical = 40;
inline constexpr uint16_t kMostTablesCanonical = 8;
inline constexpr int kMostOutputs = 2000;  // as many as the database takes
inline constexpr int kMostTerms = 2000;    // of GROUP BY, of ORDER BY, of a window's PARTITION BY and ORDER BY; likewise
inline constexpr int kMostBranches = 480;  // of the database's 500
inline constexpr int kMostArguments = 100;

struct Callable {
  std::string_view name;
  uint16_t least = 0, most = 0;  // arguments, over all its forms
  enum Mode : uint8_t {
    Scalar,
    Aggregate,  // takes the role of its clause: TOTAL, GROUP_CONCAT …
    Sums,       // COUNT, SUM, AVG
    MinMax,    // MIN and MAX: an aggregate with one argument, a scalar with more
    Window,
  } mode = Scalar;
  enum Hands : uint8_t { None, All, NotFirst } hands = None;  // arguments that may stay plain
  bool star = false;                                                 // COUNT(*)
  bool usual = false;                                                // queries are commonly written with it
};

class World {
 public:
  // Keeps references to both: they must outlive it.
  static std::shared_ptr<const World> make(const Catalog& catalog, const Policy& policy, TrackSettings settings = {});

  const Catalog& catalog() const { return catalog_; }
  const Policy& policy() const { return policy_; }
  const TrackSettings& settings() const { return settings_; }
  const Sources& sources() const { return sources_; }
  const Names& names() const { return names_; }
  bool strict() const { return settings_.profile == Profile::Strict; }
  // Whether any table can be named at all.
  bool anything_to_ask() const { return anything_to_ask_; }

  // The dictionary. Every NameId of names() has a rank.
  size_t words() const { return by_rank_.size(); }
  NameId word(Rank rank) const { return by_rank_[rank]; }
  Rank rank(NameId name) const { return name < rank_.size() ? rank_[name] : kNoRank; }
  // The words that begin with `prefix` (folded): [first, last).
  std::pair<Rank, Rank> range(std::string_view prefix) const;
  const WordTrie& trie() const { return trie_; }
  // The words that are the language's and no name of the schema, and for each a number that is the same in every schema.
  const RankSet& language_words() const { return language_words_; }
  bool tells_language() const { return tells_language_; }  // whether those are all words of the language
  uint64_t language_number(Rank rank) const { return language_number_[rank]; }
  // Most letters of an alias that is used before its FROM. In canonical style one: two would begin many a name that may
  // not be written, and a model that wanted such a name would take them for its beginning.
  size_t alias_letters() const { return settings_.style == Style::Canonical ? 1 : 2; }
  int deepest() const {
    return settings_.style == Style::Canonical ? std::min(settings_.deepest, kDeepestCanonical) : settings_.deepest;
  }
  // Of a SELECT. A model that may not have its table under the name it wants would else join it again and again.
  uint16_t most_tables() const {
    return settings_.style == Style::Canonical ? std::min(settings_.most_tables, kMostTablesCanonical)
                                               : settings_.most_tables;
  }
  // As it is written in canonical style: keywords and functions in capitals, names as declared.
  std::string_view canonical(NameId name) const { return canonical_[name]; }
  // All that it can be: a name that is a function's too, or a keyword that can be a name, is written in two ways; one that is
  // a keyword and nothing else, only in quotes as a name. The second may be empty.
  std::array<std::string_view, 2> spellings(NameId name, bool quoted) const {
    if (quoted || capitals_[name].empty()) return {canonical_[name], {}};
    const KeywordKind kind = keyword_kind(keyword_[name]);
    const bool word = keyword_[name] != Terminal::Illegal;
    if (word && (kind == KeywordKind::Reserved || kind == KeywordKind::Window)) return {capitals_[name], {}};
    return {canonical_[name], capitals_[name]};
  }
  // Whether it can be written without quotes, keywords aside.
  bool is_bare(NameId name) const { return bare_[name]; }
  Terminal keyword(NameId name) const { return keyword_[name]; }  // Illegal: none

  // Functions that may be generated, by their name.
  const Callable* function(NameId name) const {
    return name < function_of_.size() && function_of_[name] != 0 ? &functions_[function_of_[name]] : nullptr;
  }
  // Functions that are all alike as to where a call of one may begin.
  struct FunctionGroup {
    const Callable* like = nullptr;
    RankSet words;                 // of those that are no keyword
    std::vector<NameId> keywords;  // of the others
  };
  // In canonical style the usual ones alone.
  std::span<const FunctionGroup> function_groups() const { return function_groups_; }
  // Of a keyword, as it is written; kNoRank for any other.
  Rank rank(Terminal keyword) const { return keyword_rank_[static_cast<size_t>(keyword)]; }
  std::span<const NameId> column_names() const { return column_names_; }  // of tables that can be named; each once
  std::span<const NameId> type_names() const { return type_names_; }
  std::span<const NameId> collations() const { return collations_; }
  // Whether CAST to it keeps an argument of SUM plain.
  bool is_real_type(NameId name) const {
    return name != kNoName && (name == real_types_[0] || name == real_types_[1] || name == real_types_[2]);
  }
  // Which families of tables (policy/held_families.h) hold a column of this name, or stand behind this column, whose sums are
  // held to a minimum group: a bit each, the last one shared by all that have none of their own. 0 everywhere: the policy
  // sets no minimum.
  uint64_t grouped_families(NameId name) const { return name < grouped_families_.size() ? grouped_families_[name] : 0; }
  uint64_t grouped_family(const ColumnRef& column) const;
  bool sets_minimum() const { return !grouped_families_.empty(); }
  // Whether a FROM that has both of these names, of one family and without a qualifier, has them of one item: what holds the
  // one holds the other.
  bool are_of_one_item(NameId a, NameId b) const;
  // The views that show what may be made of the values of these families, a bit each (Source::view_bit).
  uint64_t views_of(uint64_t families) const;
  // Likewise a table itself; and the tables that these names, where they are counted in one SELECT, can only be of: of each
  // family the one that has all of them.
  uint64_t own_view(TableId table) const;
  uint64_t own_views(std::span<const NameId> names) const;
  bool has_views_beside() const { return !family_views_.empty(); }
  bool is_column_name(NameId name) const { return name < is_column_.size() && is_column_[name]; }
  bool is_rowid(NameId name) const {
    return name != kNoName && (name == rowid_[0] || name == rowid_[1] || name == rowid_[2]);
  }
  std::span<const NameId> rowid_names() const { return rowid_; }
  NameId true_name() const { return true_; }
  NameId false_name() const { return false_; }

 private:
  World(const Catalog& catalog, const Policy& policy, TrackSettings settings);
  void add_word(std::string_view text, std::string_view canonical);
  void add_functions();
  void add_minimums();
  std::span<const std::pair<NameId, TableId>> grouped_holders(NameId name) const;
  void group_functions();

  const Catalog& catalog_;
  const Policy& policy_;
  const TrackSettings settings_;
  Names names_;
  Sources sources_;
  bool anything_to_ask_ = false;
  bool tells_language_ = false;
  std::vector<NameId> by_rank_;
  WordTrie trie_;
  RankSet language_words_;
  std::vector<uint64_t> language_number_;  // by rank
  std::vector<Rank> rank_;
  std::vector<std::string> canonical_;  // by NameId
  std::vector<std::string> capitals_;   // of those that are the language's as well as the schema's
  std::vector<char> bare_, is_column_;
  std::vector<Terminal> keyword_;
  std::vector<Callable> functions_;
  std::vector<uint16_t> function_of_;
  std::vector<FunctionGroup> function_groups_;
  std::array<Rank, kTerminals> keyword_rank_{};
  std::vector<NameId> function_names_, column_names_, type_names_, collations_;
  std::vector<uint64_t> grouped_families_;  // by NameId; empty where the policy sets no minimum
  std::vector<uint64_t> family_bit_;        // by TableId; of those without a bit 0
  std::vector<std::pair<NameId, TableId>> grouped_holders_;  // sorted: which tables a name is held to a minimum in
  std::vector<std::pair<uint64_t, uint64_t>> family_views_;  // a family's bit, and a view's; empty where no view is of one
  NameId rowid_[3] = {};
  NameId real_types_[3] = {};
  NameId true_ = kNoName, false_ = kNoName;
};

}  // namespace pccsql::track
