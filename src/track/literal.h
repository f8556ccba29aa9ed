// Literal: what a number or string means, as far as anything depends on it, gathered byte by byte.
#pragma once

#include <cstdint>

#include "track/lexical.h"

namespace pccsql::track {

struct Literal {
  uint32_t value = 0;  // of an integer that fits 31 bits
  uint16_t digits = 0;
  bool integer = true;  // `value` is right
  bool odd = false;     // in hex or with an exponent
};

// What a byte adds to the number or string that is open after it.
void note_literal(Literal& literal, const LexState& after, uint8_t byte);

inline bool is_number(LexState::Kind kind) {
  return kind >= LexState::Kind::Digits && kind <= LexState::Kind::Exponent;
}

}  // namespace pccsql::track
