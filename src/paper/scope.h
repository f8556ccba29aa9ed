// What the paper's state tracker keeps beside the grammar: the SELECTs that are open, their clauses, the tables that each
// FROM has introduced, the references of a select list that no FROM has answered for yet; and, from these, which words
// may stand at a column slot.
//
// Everything is interned: an open SELECT is a small integer, and equal ones are equal integers.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "policy/policy.h"
#include "track/text_arena.h"
#include "track/tracker.h"

namespace pccsql::paper {

using namespace track;  // it stands behind the same interface, on the same lexer and parser

enum class PaperClause : uint8_t { SelectList, From, On, Using, Where, GroupBy, Having, OrderBy, Limit };

// What a column slot asks of a column.
enum class Need : uint8_t { Sel, Join, Where, Agg, Nothing, NoColumn };

struct PaperReference {
  TextId qualifier = kEmptyText;  // folded, as all texts here; kEmptyText: none
  TextId name = kEmptyText;       // kEmptyText: `*`
  Need need = Need::Sel;
  friend auto operator<=>(const PaperReference&, const PaperReference&) = default;
};

inline constexpr TableId kDerivedTable = UINT32_MAX;
struct PaperItem {
  TableId table = kDerivedTable;
  TextId name = kEmptyText;  // its alias, or the table's own name
  bool natural = false;
  friend auto operator<=>(const PaperItem&, const PaperItem&) = default;
};

using SelectId = uint32_t;
inline constexpr SelectId kNoSelect = 0;

struct PaperSelect {
  SelectId parent = kNoSelect;
  PaperClause clause = PaperClause::SelectList;
  uint8_t parens = 0;       // open in this SELECT, and not in a nested one
  uint8_t filter = 0;       // parens when FILTER (WHERE began; 0: not in one
  uint64_t aggregates = 0;  // a bit per open paren: whether COUNT, SUM or AVG opened it
  bool from_begun = false;
  bool from_closed = false;
  bool natural = false;  // the next item is joined by NATURAL
  std::vector<PaperItem> items;
  std::vector<PaperReference> references;  // sorted, until FROM closes
  // In an order of no meaning. A `<=>` by default would need that of std::vector, which libc++ 16 does not have.
  friend bool operator<(const PaperSelect& a, const PaperSelect& b) {
    const auto fields = [](const PaperSelect& of) {
      return std::tie(of.parent, of.clause, of.parens, of.filter, of.aggregates, of.from_begun, of.from_closed, of.natural,
                      of.items, of.references);
    };
    return fields(a) < fields(b);
  }
};

// Words that may stand at a column slot, sorted.
struct PaperWords {
  enum : uint8_t { Column = 1, Qualifier = 2, Function = 4, Bare = 8 };
  struct Word {
    std::string text;  // folded
    uint8_t flags = 0;
  };
  std::vector<Word> words;
  bool any_column = false;

  uint8_t find(std::string_view text) const;  // flags; 0: not there
  // The shortest word that begins with `prefix` and has all of `all` and one of `some`; nullptr: none.
  const Word* extension(std::string_view prefix, uint8_t all, uint8_t some) const;
};

class PaperScopes {
 public:
  PaperScopes(const Catalog& catalog, const Policy& policy, TrackSettings settings, TextArena& texts);

  const PaperSelect& at(SelectId id) const { return *selects_[id]; }
  SelectId intern(PaperSelect select);
  // Equal for SELECTs of equal content, also of different objects.
  Key hash(SelectId id) const { return hashes_[id]; }

  Need need(SelectId id) const;
  bool permits(ColumnRef column, Need need) const;
  // kDerivedTable: there is no such table.
  TableId find_table(TextId name) const;

  // The words at a column slot; with a qualifier, those after its dot.
  const PaperWords& words(SelectId id, Need need, TextId qualifier = kEmptyText);
  // Whether `text` may qualify a column here although no FROM has introduced it; whether what begins so could.
  bool may_introduce(SelectId id, std::string_view text) const;
  bool could_introduce(SelectId id, std::string_view prefix) const;
  // Whether a column of that name is in scope, permitted or not.
  bool in_scope(SelectId id, TextId name) const;

  // Whether the table's columns are in scope: before FROM all are.
  bool is_visible(SelectId id, TableId table) const;

  enum class Answer : uint8_t { Permitted, OutOfScope, Forbidden };
  // What a reference means where the SELECT's FROM is as it is now; adds what it uses.
  Answer resolve(const PaperSelect& select, const PaperReference& reference, std::vector<Use>* uses) const;
  // All references of the SELECT, its NATURAL joins too: OutOfScope before Forbidden.
  Answer close(const PaperSelect& select, std::vector<Use>* uses) const;

  size_t bytes() const { return bytes_ + word_bytes_; }
  // What words() has found out.
  void forget_words() {
    words_.clear();
    word_bytes_ = 0;
  }

  const Catalog& catalog() const { return catalog_; }
  const Policy& policy() const { return policy_; }
  const TextArena& texts() const { return texts_; }

 private:
  std::vector<ColumnRef> columns(const std::vector<PaperItem>& items, const PaperReference& reference) const;
  Answer star(const PaperSelect& select, const PaperReference& reference, std::vector<Use>* uses) const;
  Answer natural(const PaperSelect& select, std::vector<Use>* uses) const;
  PaperWords plain_words(SelectId id, Need need) const;
  PaperWords qualified_words(SelectId id, Need need, TextId qualifier) const;
  Key content_hash(const PaperSelect& select) const;

  const Catalog& catalog_;
  const Policy& policy_;
  const TrackSettings settings_;
  TextArena& texts_;
  std::vector<TableId> tables_;  // those that can be asked for
  std::vector<TextId> table_names_;
  std::vector<std::string> functions_;
  size_t bytes_ = 0;       // of SELECTs
  size_t word_bytes_ = 0;  // of words_
  std::map<PaperSelect, SelectId> ids_;
  std::vector<const PaperSelect*> selects_;
  std::vector<Key> hashes_;
  std::map<std::tuple<std::vector<std::vector<PaperItem>>, bool, Need, TextId>, PaperWords> words_;
};

}  // namespace pccsql::paper
