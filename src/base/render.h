// Rendering: a query shown to a person, with places underlined and a note under each.
//
// Queries come from anywhere, so nothing of them reaches a terminal unseen: control characters, what turns the direction
// of text, what takes no room, and bytes that are not UTF-8 are shown as U+FFFD. Underlines count display columns (tabs, wide and combining
// characters), not bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace pccsql {

// Terminal colours, or nothing at all.
struct Style {
  bool color = false;

  std::string red(std::string_view text) const { return painted("31", text); }
  std::string green(std::string_view text) const { return painted("32", text); }
  std::string yellow(std::string_view text) const { return painted("33", text); }
  std::string dim(std::string_view text) const { return painted("2", text); }

 private:
  std::string painted(std::string_view code, std::string_view text) const;
};

// Text that is safe to print on one line: tabs and line ends become spaces, the unprintable becomes U+FFFD.
std::string printable(std::string_view text);

// Text that is safe to print on several lines: line ends and tabs stay, the unprintable becomes U+FFFD.
std::string printable_lines(std::string_view text);

// JSON in which all that is unprintable is written as `\u…`, which reads back as the same: strings are the only place
// where it can stand. PRE: `json` is UTF-8.
std::string printable_json(std::string_view json);

// Columns that printable(text) takes on a terminal; East Asian wide characters and emoji count two, approximately.
size_t display_width(std::string_view text);

// printable(text), filled up with blanks to `width` columns.
std::string padded(std::string_view text, size_t width);

struct Mark {
  Span span;  // empty: one caret at its place; over several lines: its part of the first line is underlined
  std::vector<std::string> notes;
};

// The query, indented by two; under each line that has marks the underlines, and then one line per note. Lines over 160
// columns are cut around their marks, and of a long query only the lines near marks are shown; `…` stands for the rest.
std::string underlined(std::string_view sql, std::vector<Mark> marks, const Style& style);

}  // namespace pccsql
