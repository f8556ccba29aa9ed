// What masks need of a vocabulary, computed once: the trie over its pieces, and how many tokens a text takes at most.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pccsql/vocabulary.h>

#include "engine/free_text.h"
#include "engine/stored_mask.h"
#include "mask/trie.h"

namespace pccsql {

struct ShapePart;

struct VocabularyIndex::Impl {
  explicit Impl(Vocabulary given);

  Vocabulary vocabulary;
  Trie trie;
  TrieShape shape;
  FreeTexts free_texts;
  // Parts of the trie, by what their tokens are made of. A token that is not mixed has its letters and digits at its end.
  struct Part {
    Part(uint32_t its_number, Trie made);
    // Of the siblings from `first` to before `last`, the one with this byte; `last` if there is none.
    uint32_t find(uint32_t first, uint32_t last, uint8_t byte) const {
      if (const uint32_t table = table_of[first]; table != 0) {
        const uint32_t found = tables[table][byte];
        return found < last ? found : last;
      }
      while (first < last && trie.node(first).byte < byte) first = trie.node(first).after;
      return first < last && trie.node(first).byte == byte ? first : last;
    }
    size_t bytes() const {
      return sizeof *this + trie.bytes() + shape.bytes() + tables.capacity() * sizeof tables[0] + table_of.capacity() * sizeof(uint32_t);
    }
    uint32_t number;  // among the parts
    Trie trie;
    TrieShape shape;
    // For many siblings where each byte's node is; which table that is, by the first of them, 0 for few.
    std::vector<std::array<uint32_t, 256>> tables = std::vector<std::array<uint32_t, 256>>(1);
    std::vector<uint32_t> table_of;
  };
  Part words;        // letters and digits alone
  Part blank_words;  // the same after blanks, or blanks alone
  // The nodes of that which stand after blanks alone.
  struct Blanks {
    uint32_t node = 0;
    uint32_t count = 0;    // of blanks
    bool spaces = false;   // and nothing but spaces
    bool words = false;    // some of its tokens go on with a word
  };
  std::vector<Blanks> blanks;
  // Tokens that begin with more than so many blanks: those that cannot come where so many may. nullptr: they were not listed.
  const std::vector<TokenId>* with_more_blanks(uint32_t count) const {
    return count < kListedBlanks ? nullptr : count < blanks_over.size() ? &blanks_over[count] : &blanks_over.back();
  }
  static constexpr uint32_t kListedBlanks = 16;
  std::vector<std::vector<TokenId>> blanks_over;
  Part heads;        // other characters, then perhaps letters and digits
  Part mixed;        // something after letters or digits
  // Tokens that end a string after plain characters, by what they have from the quote on; those whose plain characters
  // change what the string means are not among them.
  Part closers;
  Part string_rest;  // tokens that are neither plain in a string nor closers
  // Tokens that go on an open text and then end it, by what they have from its end on.
  struct Endings {
    Endings(uint32_t number, const Vocabulary& vocabulary, bool quoted);
    std::unique_ptr<const Part> part;    // of a name the first sign and what follows; of a text in double quotes what follows the quote
    std::vector<TokenId> closing;        // with nothing after the quote
    std::vector<TokenId> others;         // that double a quote, end the text in the midst of something, or are long
    std::unordered_map<std::string, std::vector<TokenId>> by_text;  // by what they go on with before that, folded; `others` aside
  };
  Endings name_endings, quote_endings;
  // Tokens that stay in a text between double quotes, wherever in it they begin at a whole character; long ones by how many bytes they
  // need, those that the last character lacks included.
  StoredMask inside_quotes;
  std::vector<std::pair<size_t, TokenId>> long_inside_quotes;
  static constexpr size_t kLong = 32;
  // A part of masks that is the same for every schema.
  struct Shared {
    std::shared_ptr<const StoredMask> mask;
    bool kept = false;  // as long as the vocabulary
  };
  // Such parts; made on first use, by any thread.
  class GeneralParts {
   public:
    using Part = std::shared_ptr<const StoredMask>;
    // As it was made before, or by `make`.
    Shared find(const track::Key& key, const std::function<Part()>& make) const;

    struct Hash {
      size_t operator()(const track::Key& key) const { return static_cast<size_t>(key.low ^ key.high >> 7); }
    };

   private:
    static constexpr size_t kMost = 10000;
    mutable std::shared_mutex mutex_;
    mutable std::unordered_map<track::Key, Part, Hash> parts_;
  };
  GeneralParts general_parts;
  // Parts that states share which differ in names alone; made when such a state is met, by any thread. What does not fit is
  // made again each time.
  class ShapeParts {
   public:
    std::shared_ptr<const ShapePart> find(const track::Key& key) const;
    // If there is room for it. PRE: no other thread has it yet.
    void keep(const track::Key& key, const std::shared_ptr<ShapePart>& part) const;
    // The places with this key, as they were made before or by `make`.
    std::shared_ptr<const void> places(const track::Key& key,
                                       const std::function<std::shared_ptr<const void>()>& make) const;

   private:
    static constexpr size_t kMostBytes = 48u << 20;
    mutable std::shared_mutex mutex_;
    mutable std::unordered_map<track::Key, std::shared_ptr<const ShapePart>, GeneralParts::Hash> parts_;
    mutable std::unordered_map<track::Key, std::shared_ptr<const void>, GeneralParts::Hash> places_;
    mutable size_t bytes_ = 0;
  };
  ShapeParts shape_parts;
  mutable std::atomic<uint32_t> next_number = 100;  // of parts, and of places for names
  size_t longest_piece = 0;
  std::array<uint32_t, 256> first_nodes{};  // the trie's node for each first byte, or trie.size()
  // Every byte that occurs in UTF-8 is a token, so that any text has at most as many tokens as bytes.
  bool spells_any_text = false;

  // Tokens of the cut that takes the longest piece each time: an upper bound on what `text` needs. Nothing, where that
  // cut comes to a byte that no piece begins with. `cuts`: where each token ends is added, after what is there.
  std::optional<uint32_t> greedy_tokens(std::string_view text, std::vector<uint32_t>* cuts = nullptr) const;
  // PRE: the siblings are blanks or words.
  void add_blanks(uint32_t first, uint32_t last, bool spaces);
  // The tokens that write exactly this.
  std::span<const TokenId> tokens_of(std::string_view text) const;
};

}  // namespace pccsql
