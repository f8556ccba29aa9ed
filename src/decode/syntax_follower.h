// SyntaxFollower: a text followed byte by byte by the grammar alone, as a method without a schema's help would. Any name
// may stand where a name can stand; it tells where column and table names end.
//
// A state is a small value: to go back is to take an older one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/span.h"
#include "syntax/grammar.h"
#include "track/control.h"
#include "track/lexical.h"
#include "track/text_arena.h"

namespace pccsql {

// A column or table name that has ended: `T1.salary`, `employee`. Functions, aliases and `*` are none.
struct NameEnd {
  Span span;
  bool table = false;
};

class SyntaxFollower {
 public:
  explicit SyntaxFollower(Language language);

  struct State {
    track::LexState lexeme;
    track::StackId stack = track::kDeadStack;
    uint32_t length = 0;      // of the text
    uint32_t begun = 0;       // where the open lexeme begins
    bool pending = false;     // a name stands there of which it is not yet clear what it is
    bool after_dot = false;   // of that: its column comes next
    bool has_column = false;  // of that: it is qualified, column and all
    NameEnd name;
  };
  State start() const;

  // The text goes on with `bytes`. Nothing: that is no beginning of a query. Names that end on the way are added to
  // `names`.
  std::optional<State> follow(State state, std::string_view bytes, std::vector<NameEnd>& names);
  // Whether the text may end here; a name that ends with it is added.
  bool may_end(State state, std::vector<NameEnd>& names);

 private:
  bool read(State& state, const track::EndedLexeme& lexeme, uint32_t end, std::vector<NameEnd>& names);
  bool can_become(const State& state);

  track::TextArena texts_;
  track::Control control_;
};

}  // namespace pccsql
