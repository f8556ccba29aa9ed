#include "lint/name_parts.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace pccsql {
namespace {

enum class LetterKind : uint8_t { Gap, Digit, Lower, Upper };

struct Letter {
  LetterKind kind = LetterKind::Gap;
  std::string_view as;  // folded
};

// U+00C0 to U+00FF without their accents; empty where it is no letter.
constexpr std::array<std::string_view, 64> kLatin{
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",  // capitals
    "d", "n", "o", "o", "o", "o", "o",  "",  "o", "u", "u", "u", "u", "y", "th", "ss",
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",  // small letters
    "d", "n", "o", "o", "o", "o", "o",  "",  "o", "u", "u", "u", "u", "y", "th", "y"};

constexpr std::string_view kSmall = "abcdefghijklmnopqrstuvwxyz";

// The letter at `at`, and how many bytes it takes.
Letter letter_at(std::string_view text, size_t at, size_t& length) {
  const char c = text[at];
  const auto byte = static_cast<unsigned char>(c);
  length = 1;
  if (c >= 'a' && c <= 'z') return {LetterKind::Lower, kSmall.substr(static_cast<size_t>(c - 'a'), 1)};
  if (c >= 'A' && c <= 'Z') return {LetterKind::Upper, kSmall.substr(static_cast<size_t>(c - 'A'), 1)};
  if (c >= '0' && c <= '9') return {LetterKind::Digit, text.substr(at, 1)};
  if (byte < 0x80) return {};
  const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0u;
  if (byte == 0xC3 && next >= 0x80 && next < 0xC0) {
    length = 2;
    const std::string_view as = kLatin[next - 0x80];
    if (as.empty()) return {};
    const bool capital = next < 0x9F;
    return {capital ? LetterKind::Upper : LetterKind::Lower, as};
  }
  if (byte == 0xC5 && (next == 0x92 || next == 0x93)) {
    length = 2;
    return {next == 0x92 ? LetterKind::Upper : LetterKind::Lower, "oe"};
  }
  return {LetterKind::Lower, text.substr(at, 1)};  // of another script, as it is
}

}  // namespace

std::vector<std::string> name_parts(std::string_view identifier) {
  std::vector<std::string> parts;
  LetterKind before = LetterKind::Gap;
  size_t length = 0;
  for (size_t at = 0; at < identifier.size(); at += length) {
    const Letter letter = letter_at(identifier, at, length);
    if (letter.kind == LetterKind::Gap) {
      before = LetterKind::Gap;
      continue;
    }
    bool begins = before == LetterKind::Gap || (letter.kind == LetterKind::Digit) != (before == LetterKind::Digit);
    if (letter.kind == LetterKind::Upper && before == LetterKind::Lower) begins = true;
    if (letter.kind == LetterKind::Upper && before == LetterKind::Upper && at + length < identifier.size()) {
      // The last capital of a run begins the word that follows it: `SSNNumber`, `LName`. A plural's `s` does not follow
      // it: `IDs`.
      size_t ignored = 0;
      const Letter next = letter_at(identifier, at + length, ignored);
      const bool plural = next.as == "s" && at + length + 1 == identifier.size();
      begins = begins || (next.kind == LetterKind::Lower && !plural);
    }
    if (begins) parts.emplace_back();
    parts.back() += letter.as;
    before = letter.kind;
  }
  return parts;
}

std::string without_accents(std::string_view text) {
  std::string folded;
  size_t length = 0;
  for (size_t at = 0; at < text.size(); at += length) {
    const Letter letter = letter_at(text, at, length);
    folded += letter.kind == LetterKind::Gap ? text.substr(at, length) : letter.as;
  }
  return folded;
}

}  // namespace pccsql
