// PartWalk: one mask, put together from parts that many masks share.
//
// What a token does is mostly decided by the one word in it. Which words may begin after a blank or a parenthesis depends
// on little, so those parts come from a cache for most states, also ones that were never met; where they are new, the few
// words that may come are looked up in the trie, instead of trying all that the trie has. Only punctuation is walked with
// the tracker itself.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/free_walk.h"
#include "engine/keyed_cache.h"
#include "engine/shape_part.h"
#include "engine/vocabulary_index.h"
#include "track/tracker.h"

namespace pccsql {

inline uint64_t mixed_key(uint64_t a, uint64_t b) {
  const uint64_t hash = (a ^ b) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 31;
}
inline char capital_of(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

// Says of a token whether the budget has room for it. Everything that has is admitted where there is no BudgetTest.
class BudgetTest {
 public:
  virtual ~BudgetTest() = default;
  // `written` leads to `prefix` from where the mask is made.
  virtual bool fits(track::PrefixId prefix, std::string_view written) = 0;
  // Whether all words, names and strings fit that begin at `start`, up to any place in them.
  virtual bool words_fit(track::PrefixId start) = 0;
  // Whether it is worth while to look at single words then.
  virtual bool some_may_fit(track::PrefixId start) = 0;
  // Whether a word fits of which `rest` is missing, and whose end is at `end`.
  virtual bool word_fits(track::PrefixId end, std::string_view rest) = 0;
};

// The tracker as the walk's recognizer. What a walk has left behind is released now and then, where it is back near its
// beginning: the prefixes of a whole vocabulary would take tens of megabytes.
class PrefixWalk {
 public:
  // `alike`: the judge has one answer for all that is written in a word.
  PrefixWalk(track::Tracker& tracker, track::PrefixId prefix, BudgetTest* judge = nullptr, std::string written = {},
             bool alike = true)
      : tracker_(tracker), path_{prefix}, budget_test_(judge), written_(std::move(written)), alike_(alike) {}

  bool push(uint8_t byte) {
    if (path_.size() <= marks_.size()) tidy();
    const track::PrefixId next = tracker_.push(path_.back(), byte);
    if (next == track::kDead) return false;
    ++made_;
    path_.push_back(next);
    if (budget_test_ != nullptr) written_ += static_cast<char>(byte);
    return true;
  }
  void pop(size_t count) {
    path_.resize(path_.size() - count);
    if (budget_test_ != nullptr) written_.resize(written_.size() - count);
  }
  bool accepts() { return budget_test_ == nullptr || budget_test_->fits(path_.back(), written_); }
  track::FreeText free_text() { return tracker_.free_text(path_.back()); }
  uint32_t room() { return tracker_.room(path_.back()); }
  bool admits_plain(track::FreeText) {
    if (budget_test_ == nullptr) return true;
    if (!alike_) return false;
    const track::PrefixId start = tracker_.word_start(path_.back());
    return start != track::kDead && budget_test_->words_fit(start);
  }
  // Whether all plain tokens are judged alike.
  bool judges_alike() { return budget_test_ != nullptr && alike_ && tracker_.word_start(path_.back()) != track::kDead; }

 private:
  // Whatever was made since a mark of this depth was set is on no path any more.
  void tidy() {
    constexpr size_t kMany = 4096;
    Mark& here = marks_[path_.size() - 1];
    if (here.set && made_ - here.made > kMany) {
      tracker_.release(here.mark);
      here.set = false;
    }
    if (!here.set) here = {tracker_.mark(), made_, true};
    for (size_t deeper = path_.size(); deeper < marks_.size(); ++deeper) marks_[deeper].set = false;
  }

  struct Mark {
    uint32_t mark = 0;
    size_t made = 0;
    bool set = false;
  };
  track::Tracker& tracker_;
  std::vector<track::PrefixId> path_;
  std::array<Mark, 2> marks_;  // before the first byte and before the second
  size_t made_ = 0;            // prefixes so far
  BudgetTest* budget_test_;
  std::string written_;
  bool alike_;
};

// Where tokens go that are admitted.
class Admitted {
 public:
  explicit Admitted(MaskDraft& draft) : draft_(&draft) {}
  // As a list, in any order: only set() may be called.
  explicit Admitted(std::vector<TokenId>& list) : list_(&list) {}

  void set(TokenId id) { list_ != nullptr ? list_->push_back(id) : draft_->set(id); }
  void set(std::span<const TokenId> tokens) {
    if (list_ != nullptr) {
      list_->insert(list_->end(), tokens.begin(), tokens.end());
      return;
    }
    for (const TokenId id : tokens) draft_->set(id);
  }
  // Of those that were set one by one.
  bool has(std::span<const TokenId> tokens) const {
    return std::ranges::all_of(tokens, [&](TokenId id) { return draft_->test(id); });
  }
  void add(const StoredMask& part) { draft_->copy(part); }
  void add(const VocabularyIndex::Impl::Shared& part) {
    add(*part.mask, part.kept);
  }
  // `kept`: it lives as long as the vocabulary.
  void add(const StoredMask& part, bool kept) { kept ? draft_->share(part) : draft_->copy(part); }

 private:
  MaskDraft* draft_ = nullptr;
  std::vector<TokenId>* list_ = nullptr;
};

class PartWalk {
 public:
  using Part = VocabularyIndex::Impl::Part;

  // `words` keeps the parts; they are of use only without a judge.
  PartWalk(track::Tracker& tracker, const VocabularyIndex::Impl& index, MaskCache& words, BudgetTest* judge = nullptr)
      : tracker_(tracker), index_(index), words_(words), budget_test_(judge) {}

  // Admits the tokens that may follow; `owed` bytes are lacking of the last character. `plain`: what is admitted anyway.
  void add(track::PrefixId prefix, uint8_t owed, const FreeTextParts* plain, Admitted& to);
  // Whether the budget has room for what the open word can become, or for words that begin here.
  bool words_fit(track::PrefixId prefix);

 private:
  // Siblings: the nodes from `first` to before `last`, without what is below them.
  struct Siblings {
    const Part& part;
    uint32_t first = 0, last = 0;
  };
  void add_blank_words(track::PrefixId after_lexeme, Admitted& to);
  // Characters that are no letters or digits, one by one; what comes after them by tails().
  void heads(const Siblings& place, track::PrefixId prefix, Admitted& to);
  // Tokens in which signs come after a word: those words that such tokens have are looked up.
  void words_and_signs(const Siblings& place, track::PrefixId prefix, Admitted& to);
  void signs_after_words(const Siblings& place, track::PrefixId prefix, Admitted& to);
  // `whole`: after the whole word alone, and not after what it begins with.
  void signs_after(const Siblings& place, std::string_view word, bool any_case, bool whole, std::string& text,
                   track::PrefixId at, Admitted& to);
  void signs_after_rest(const Siblings& place, const track::WordSet& set, std::string& text, track::PrefixId at,
                        Admitted& to);
  void signs_below(const Siblings& place, uint32_t node, std::string_view text, track::PrefixId at, Admitted& to);
  void tails(const Siblings& place, track::PrefixId prefix, Admitted& to);
  void begin_words(const Siblings& place, track::PrefixId after_lexeme, Admitted& to);
  void go_on(const Siblings& place, track::PrefixId prefix, Admitted& to);
  void push_numbers(const Siblings& place, track::PrefixId after_lexeme, Admitted& to);
  void push_each(const Siblings& place, track::PrefixId prefix, Admitted& to);
  void add_set(const Siblings& place, const track::WordSet& set, Admitted& to);
  void add_words(const Siblings& place, const track::WordTrie& words, const track::RankSet& allowed, uint32_t node,
                 Admitted& to);
  void signs_after_words_of(const Siblings& place, const track::WordSet& set, uint32_t node, std::string& text,
                            track::PrefixId at, Admitted& to);
  void add_word(const Siblings& place, std::string_view word, bool any_case, Admitted& to);
  // Word by word, where not all fit: the known ones after which there is room.
  void add_fitting(const Siblings& place, const track::WordSet& set, track::PrefixId at, Admitted& to);
  void fit_word(const Siblings& place, std::string_view word, bool any_case, track::PrefixId at, Admitted& to);
  bool some_may_fit(track::PrefixId prefix);
  struct Rest {  // of a WordSet, and what there is of the word so far
    uint64_t rest;
    uint32_t new_name;
    std::string begun;
  };
  void add_rest(const Siblings& place, Rest& rest, Admitted& to);
  // shape_mask.cc: by what states share that differ in names alone.
  bool add_by_shape(track::PrefixId prefix, const FreeTextParts* plain, Admitted& to);
  // Word: without what goes on the open word. The quotes: without what begins with one. The endings: those alone.
  enum class After : uint8_t { Lexeme, Word, Apostrophe, DoubleQuote, Backtick, NameEnding, QuoteEnding };
  std::shared_ptr<const ShapePart> shape_part(track::PrefixId prefix, After after, const track::Key& shape);
  // nullptr: it has no shape, or none that is known.
  std::shared_ptr<const ShapePart> shape_part(track::PrefixId prefix, After after);
  bool add_after_word(track::PrefixId prefix, Admitted& to);
  void walk_from_byte(const Part& part, char byte, track::PrefixId prefix, Admitted& to);
  bool add_after_quote(track::PrefixId prefix, Admitted& to);
  bool add_new_text(track::PrefixId prefix, const FreeTextParts& plain, Admitted& to);
  void add_part(const ShapePart& part, track::PrefixId prefix, Admitted& to);
  void add_names(const ShapePart::Names& names, track::PrefixId at, Admitted& to);
  bool add_quoted(const ShapePart::Names& names, track::PrefixId prefix, track::PrefixId at, Admitted& to);
  void add_closers(const ShapePart::Names& names, const track::QuotedNames& quoted, track::Key key, track::PrefixId prefix,
                   Admitted& to);
  void walk_spot(const ShapePart::Spot& spot, track::PrefixId at, Admitted& to);
  friend class ShapeWalk;
  // The part of this key, made by `make` where it is new.
  template <typename Make>
  std::shared_ptr<const StoredMask> made_part(const Make& make);
  template <typename Make>
  void add_kept(const track::Key& key, Admitted& to, const Make& make);

  track::Tracker& tracker_;
  const VocabularyIndex::Impl& index_;
  MaskCache& words_;
  BudgetTest* budget_test_;
  std::string written_;  // kept where there is a judge
  uint8_t owed_ = 0;     // before any token
  std::vector<track::PrefixId> ends_;  // of the paths of a ShapePart
};

template <typename Make>
std::shared_ptr<const StoredMask> PartWalk::made_part(const Make& make) {
  const DraftLease draft(index_.vocabulary.size());
  Admitted made(*draft);
  make(made);
  return std::make_shared<const StoredMask>(draft->take(nullptr));
}

template <typename Make>
void PartWalk::add_kept(const track::Key& key, Admitted& to, const Make& make) {
  std::shared_ptr<const StoredMask> known = words_.find(key);
  if (!known) {
    known = made_part(make);
    words_.insert(key, known);
  }
  to.add(*known);
}

}  // namespace pccsql
