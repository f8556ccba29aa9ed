// The notation of grammar/sql.gram read into rules and expressions: what grammar.cc compiles.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "syntax/grammar.h"

namespace pccsql {

// A regular expression over lexemes, slots, literals and rules.
struct GrammarItem {
  enum Kind { Lexeme, Call, Sequence, Choice, Optional, Star, Plus } kind = Sequence;
  Terminal terminal = Terminal::Illegal;  // Lexeme
  Slot slot = Slot::None;                 // Lexeme that is a name
  std::string rule;                       // Call
  std::vector<GrammarItem> parts;         // the rest
  uint32_t at = 0;                        // byte in the text
};

struct GrammarRule {
  Rule rule;
  GrammarItem body;
  uint32_t at = 0;
};

struct GrammarText {
  std::vector<GrammarRule> rules;
  std::vector<Function> functions;
};

Result<GrammarText> read_grammar(std::string_view text, const std::string& file);

}  // namespace pccsql
