#include "track/literal.h"

#include "base/text.h"

namespace pccsql::track {
namespace {

using Kind = LexState::Kind;

void note_digit(Literal& literal, uint8_t byte) {
  ++literal.digits;
  if (!literal.integer) return;
  const uint64_t value = uint64_t{literal.value} * 10 + (byte - '0');
  if (value > INT32_MAX) {
    literal.integer = false;
  } else {
    literal.value = static_cast<uint32_t>(value);
  }
}

}  // namespace

void note_literal(Literal& literal, const LexState& after, uint8_t byte) {
  switch (after.kind) {
    case Kind::Digits:
    case Kind::Zero:
      note_digit(literal, byte);
      break;
    case Kind::HexMark:
      literal.odd = true;
      break;
    case Kind::HexDigits: {
      const char c = fold(static_cast<char>(byte));
      const uint64_t value = uint64_t{literal.value} * 16 + static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      if (value > INT32_MAX) literal.integer = false;
      if (literal.integer) literal.value = static_cast<uint32_t>(value);
      ++literal.digits;
      break;
    }
    case Kind::Fraction:
      literal.integer = false;
      if (is_digit(byte)) note_digit(literal, byte);
      break;
    case Kind::ExponentMark:
    case Kind::ExponentSign:
    case Kind::Exponent:
      literal.integer = false;
      literal.odd = true;
      break;
    case Kind::String:
    case Kind::StringEnd:
      literal.integer = false;
      break;
    default:
      break;
  }
}

}  // namespace pccsql::track
