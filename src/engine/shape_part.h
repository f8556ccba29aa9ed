// ShapePart: what two states that differ in names alone have in common of their masks, and where the names of each come in.
//
// Made once for a vocabulary and a shape (track/shape.cc), for all schemas. It is found by walking one state: tokens of the
// language's words, signs and literals are the same for every state of the shape. Where a word may begin or a quote opens, the
// walk leaves a place for the names; and a spot where it had to ask the schema: there each state is walked by itself.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/stored_mask.h"
#include "engine/vocabulary_index.h"
#include "track/tracker.h"

namespace pccsql {

// Off: every mask is walked by itself, for whoever compares the two.
inline std::atomic<bool> masks_by_shape = true;

struct ShapePart {
  using Part = VocabularyIndex::Impl::Part;
  // Siblings of a part's trie.
  struct Place {
    const Part* part = nullptr;
    uint32_t first = 0, last = 0;
  };
  // Bytes that lead from where the mask is made to a place; the first path is the empty one.
  struct Path {
    uint32_t above = 0;
    uint8_t byte = 0;
  };
  // Places at which names may begin. Many shapes have the same ones.
  struct Places {
    uint32_t number = 0;  // for what is kept of them
    std::vector<Place> all;
    std::unique_ptr<const Part> small;  // the small ones together, which then is one of all
  };
  // What each state is walked for by itself.
  struct Spot {
    enum Kind : uint8_t { Heads, Mixed, Tails, Signs, OtherSigns, Numbers, NumberSigns } kind = Heads;
    uint32_t path = 0;
    Place place;
    std::bitset<kTerminals> asked;  // of OtherSigns
  };
  // Places after an opening quote. Many shapes have the same ones.
  struct Quotes {
    uint32_t number = 0;
    // What tokens have from the quote on, of those that do not close it; by quote_index().
    std::array<std::unique_ptr<const Part>, 3> inside;
    std::array<std::vector<TokenId>, 3> openers;  // tokens that end with the quote
    // A token that closes it: after `lead`, the quote included, it has `text` and then `rest`, from the closing quote on. Or one that
    // is too long for the others: without `rest`.
    struct Closer {
      TokenId token;
      std::string lead, text, rest;
      Quote quote;
    };
    std::vector<Closer> closers;
    std::unordered_map<std::string, std::vector<uint32_t>> by_text;  // folded
    static size_t quote_index(Quote quote) { return quote == Quote::Double ? 0 : quote == Quote::Backtick ? 1 : 2; }
  };
  // The same names may begin at all of these places, and the first path tells which.
  struct Names {
    uint32_t path = 0;
    std::bitset<kTerminals> asked;
    std::shared_ptr<const Places> places;
    bool new_asked = false;  // any new name may be one of them: each state is asked
    std::shared_ptr<const Quotes> quotes;  // nullptr: none
    std::vector<Spot> quote_spots;         // the same, to be walked
    // Where what stands in double quotes may be a string, which the shape tells: the closers that are admitted where it is one, and
    // those that each state is asked about. Their numbers in `quotes`.
    bool is_string = false;
    std::vector<uint32_t> string_closers, asked_closers;
  };

  StoredMask tokens;
  bool kept = false;  // as long as the vocabulary
  std::vector<Path> paths{Path{}};
  std::vector<Names> names;
  std::vector<Spot> spots;

  size_t made_beside = 0;  // bytes of places and quotes that no shape had before

  size_t bytes() const {
    size_t sum = made_beside + sizeof *this + tokens.bytes() + paths.capacity() * sizeof(Path) + spots.capacity() * sizeof(Spot);
    for (const Names& each : names) {
      sum += sizeof each + each.quote_spots.capacity() * sizeof(Spot);
      sum += (each.string_closers.capacity() + each.asked_closers.capacity()) * sizeof(uint32_t);
    }
    return sum;
  }
};

}  // namespace pccsql
