// Engines over the toy language, with the built-in vocabulary.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "engine/engine_impl.h"
#include "engine/toy_tracker.h"

namespace pccsql {

inline const VocabularyIndex& builtin_index() {
  static const VocabularyIndex index(builtin_vocabulary());
  return index;
}

// Logits of that vocabulary.
inline size_t width() { return builtin_index().vocabulary().size(); }

inline std::shared_ptr<const ToyTracker::Words> toy_words() {
  static const auto words = std::make_shared<const ToyTracker::Words>(ToyTracker::Words{
      {"SELECT name FROM employee", "SELECT name FROM employee;", "SELECT salary", "id", "x"}, {}, true});
  return words;
}

inline Engine toy_engine(const Settings& settings = {}, std::shared_ptr<const ToyTracker::Words> words = toy_words()) {
  return make_engine([words] { return std::make_unique<ToyTracker>(words); }, builtin_index(), settings);
}

// The id of the piece, which must be there.
inline TokenId token(std::string_view bytes) {
  const Vocabulary& vocabulary = builtin_index().vocabulary();
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.bytes(id) == bytes && (vocabulary.is_text(id) || vocabulary.is_end_of_text(id))) return id;
  }
  ADD_FAILURE() << "no token `" << bytes << "`";
  return 0;
}
inline TokenId end_token() { return builtin_index().vocabulary().end_of_text()[0]; }

}  // namespace pccsql
