// Expressions: where one begins and ends, its operands, its operators by their precedence, and the names, literals and
// parentheses in it.
#pragma once

#include "track/terms.h"

namespace pccsql::track {

class Expressions : public Terms {
 public:
  using Terms::Terms;

 protected:
  bool open_expr();
  bool open_range();
  bool open_pattern();
  bool close_expr();
  bool begin_operand(const Word& word);
  bool read_operand(const Word& word);
  bool operand_done();
  bool read_operator(Terminal op, bool postfix);
  bool read_infix(const Word& word);
  bool open_set();
  bool read_set(const Word& word);
  bool close_set();

 private:
  bool read_name(const Word& word);
  bool read_literal(const Word& word);
  void reduce(int precedence);
  bool push_operator(Terminal op, int precedence, int weight, bool compares = false);
};

}  // namespace pccsql::track
