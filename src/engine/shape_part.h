// ShapePart: what two states that differ in names alone have in common of their masks, and where the names of each come in.
//
// Made once for a vocabulary and a shape (track/shape.cc), for all schemas. It is found by walking one state: tokens of the
// language's words, signs and literals are the same for every state of the shape. Where a word may begin, the walk leaves a
// place for the names; and a spot where it had to ask the schema, or a quoted name opens: there each state is walked by itself.
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
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
  // The same names may begin at all of these places, and the first path tells which.
  struct Names {
    uint32_t path = 0;
    std::bitset<kTerminals> asked;
    std::shared_ptr<const Places> places;
  };
  // What each state is walked for by itself.
  struct Spot {
    enum Kind : uint8_t { Heads, Mixed, Tails, Signs, OtherSigns, Numbers, NumberSigns } kind = Heads;
    uint32_t path = 0;
    Place place;
    std::bitset<kTerminals> asked;  // of OtherSigns
  };

  StoredMask tokens;
  bool kept = false;  // as long as the vocabulary
  std::vector<Path> paths{Path{}};
  std::vector<Names> names;
  std::vector<Spot> spots;

  size_t bytes() const {
    size_t sum = sizeof *this + tokens.bytes() + paths.capacity() * sizeof(Path) + spots.capacity() * sizeof(Spot);
    return sum + names.capacity() * sizeof(Names);
  }
};

}  // namespace pccsql
