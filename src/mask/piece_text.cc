#include "mask/piece_text.h"

#include <array>

namespace pccsql {
namespace {

// Bytes that are visible characters of Latin-1 stand for themselves; the others, in order, for U+0100 and following.
constexpr bool is_visible(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr auto kCharacters = [] {
  std::array<uint16_t, 256> characters{};
  uint16_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    characters[byte] = is_visible(byte) ? static_cast<uint16_t>(byte) : next++;
  }
  return characters;
}();

constexpr int16_t kNoByte = -1;
constexpr auto kBytes = [] {
  std::array<int16_t, 0x144> bytes{};
  bytes.fill(kNoByte);
  for (unsigned byte = 0; byte < 256; ++byte) bytes[kCharacters[byte]] = static_cast<int16_t>(byte);
  return bytes;
}();

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> undo_byte_level(std::string_view spelling) {
  std::string bytes;
  for (size_t i = 0; i < spelling.size(); ++i) {
    unsigned character = static_cast<uint8_t>(spelling[i]);
    if (character >= 0x80) {
      // The alphabet ends below U+0144: longer forms than two bytes are not of it.
      if (character < 0xC2 || character > 0xDF || i + 1 == spelling.size()) return std::nullopt;
      const unsigned second = static_cast<uint8_t>(spelling[++i]);
      if ((second & 0xC0U) != 0x80) return std::nullopt;
      character = (character & 0x1FU) << 6 | (second & 0x3FU);
    }
    if (character >= kBytes.size() || kBytes[character] == kNoByte) return std::nullopt;
    bytes += static_cast<char>(kBytes[character]);
  }
  return bytes;
}

std::string write_byte_level(std::string_view bytes) {
  std::string spelling;
  for (const char byte : bytes) {
    const unsigned character = kCharacters[static_cast<uint8_t>(byte)];
    if (character < 0x80) {
      spelling += static_cast<char>(character);
    } else {
      spelling += static_cast<char>(0xC0U | character >> 6);
      spelling += static_cast<char>(0x80U | (character & 0x3FU));
    }
  }
  return spelling;
}

std::string undo_blank_mark(std::string_view text, std::string_view mark) {
  std::string out;
  for (size_t from = 0; from <= text.size();) {
    const size_t found = mark.empty() ? std::string_view::npos : text.find(mark, from);
    out += text.substr(from, found == std::string_view::npos ? found : found - from);
    if (found == std::string_view::npos) break;
    out += ' ';
    from = found + mark.size();
  }
  return out;
}

std::optional<uint8_t> undo_byte_token(std::string_view spelling) {
  if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>') return std::nullopt;
  const int high = hex_digit(spelling[3]);
  const int low = hex_digit(spelling[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<uint8_t>(high * 16 + low);
}

}  // namespace pccsql
