// Small text helpers that every module needs: ASCII case folding (the dialect folds nothing else), UTF-8, edit
// distance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

constexpr char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
std::string folded(std::string_view text);
bool equal_folded(std::string_view a, std::string_view b);

// Offset of the first byte that is not part of well-formed UTF-8, or npos.
size_t find_invalid_utf8(std::string_view text);

// Insertions, deletions and substitutions that make `b` of `a`; case is no difference. Quadratic: keep it to short
// names.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate most like `wanted`, or "" when none is close enough to be worth suggesting.
std::string closest_match(std::string_view wanted, const std::vector<std::string>& candidates);

// 12345 as "12,345".
std::string grouped(uint64_t number);

// `0.5`, `-3e7`: a finite number, and nothing else beside it. Not by std::from_chars, which libc++ has for whole numbers alone.
std::optional<double> decimal(std::string_view text);

std::string trimmed(std::string_view text);

// `text` as a double-quoted identifier of SQL, quotes doubled.
std::string quoted_identifier(std::string_view text);

}  // namespace pccsql
