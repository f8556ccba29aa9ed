// Step: what one lexeme does to a state, and whether the text can still become a permitted query afterwards.
//
// The grammar says which rules end and begin; rules.def says what each of that does. What is done stands in the layers that a
// step is made of, from the lowest: cursor, scope, minimum_groups, open_from, column_uses, arguments, calls, references, candidates,
// compared_lists, terms, expressions, from_clause, queries. A step works on copies of the innermost level and frame, and leaves
// everything older alone. Whatever it cannot be sure of it refuses.
#pragma once

#include <atomic>

#include "track/queries.h"

namespace pccsql::track {

// Who wants to know which events of the grammar say no to a lexeme that the grammar takes; for the whole process.
inline std::atomic<void (*)(const Event&)> on_refusal = nullptr;

class Step : public Queries {
 public:
  using Queries::Queries;

  // False: the lexeme cannot follow; the step is then of no further use.
  bool read(const Word& word);
  // The text ends here.
  bool end();
  // Ends and begins the rules that a name read next would end and begin; false if none can follow.
  bool prepare_name();

 private:
  bool take(const Event& event, const Word& word);
};

}  // namespace pccsql::track
