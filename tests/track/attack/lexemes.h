// Lexemes: what a walk may try to write next. Every word, sign and literal of the language, and the names of one
// catalogue in every spelling, by class, so that rare things come up as often as common ones.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "schema/catalog.h"
#include "syntax/grammar.h"
#include "track/tracker.h"

namespace pccsql::attack {

using namespace track;

class LexemeSource {
 public:
  enum class Class {
    Keyword,
    Punctuation,
    Operator,
    Integer,
    Float,
    String,
    Blob,
    Table,
    Column,
    Qualified,  // alias.column and table.column
    Function,   // with its parenthesis, now and then with the whole call
    Seen,       // a name that the text already has
    FreshAlias,
    FreshName,
    RowId,
    Phrase,  // several lexemes that seldom come together by chance
    Count
  };

  LexemeSource(const Catalog& catalog, Style style, uint64_t seed);

  // Something of this class; `text` is what was written so far.
  std::string any(Class cls, std::string_view text);
  Class any_class();
  // Something that the lexer would read as `terminal`, a name as `slot` wants it.
  std::string of(Terminal terminal, Slot slot, std::string_view text);
  std::string blank();

 private:
  std::string pick(const std::vector<std::string>& from);
  std::string spelled(const std::string& name);  // quoted or not
  std::string cased(std::string word);
  std::string table();
  std::string column();
  std::string seen(std::string_view text);
  std::string integer();
  std::string string_literal();
  std::string call();
  std::string columns();
  std::string phrase(std::string_view text);

  Style style_;
  std::mt19937_64 random_;
  std::vector<std::string> tables_;
  std::vector<std::string> columns_;
  std::vector<std::string> functions_;
  std::vector<std::string> keywords_;
  std::vector<std::string> punctuation_;
  std::vector<std::string> operators_;
};

bool is_word_byte(char c);

}  // namespace pccsql::attack
