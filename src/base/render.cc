#include "base/render.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace pccsql {
namespace {

constexpr size_t kTabStop = 4;
constexpr size_t kWidest = 160;      // columns of a line that is shown whole
constexpr size_t kGroupWidth = 120;  // marks this close together share one cut-out of a longer line
constexpr size_t kShownWhole = 12;   // lines of a query that is shown whole
constexpr size_t kContext = 1;       // lines around a marked one otherwise
constexpr std::string_view kIndent = "  ";
constexpr std::string_view kCut = "…";
constexpr std::string_view kUnprintable = "\xEF\xBF\xBD";  // U+FFFD

using Range = std::pair<uint32_t, uint32_t>;

constexpr std::array kZeroWidth{Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                                Range{0x0610, 0x061A}, Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF},
                                Range{0x1DC0, 0x1DFF}, Range{0x200C, 0x200D}, Range{0x20D0, 0x20FF},
                                Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xE0100, 0xE01EF}};
constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},
    Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1FAFF}, Range{0x20000, 0x3FFFD}};
// C0 and C1 controls, DEL, line separators, what turns the direction of text, and what is not seen at all: soft hyphens,
// blanks without width, tags. Joiners (U+200C, U+200D) stay: scripts and emoji are written with them.
constexpr std::array kHarmful{Range{0x0000, 0x001F}, Range{0x007F, 0x009F}, Range{0x00AD, 0x00AD},
                              Range{0x061C, 0x061C}, Range{0x180E, 0x180E}, Range{0x200B, 0x200B},
                              Range{0x200E, 0x200F}, Range{0x2028, 0x202E}, Range{0x2060, 0x206F},
                              Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE007F}};

template <size_t N>
bool within(const std::array<Range, N>& ranges, uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& range) { return code >= range.first && code <= range.second; });
}

// One character of a line as it is shown.
struct Glyph {
  uint32_t begin = 0;  // bytes of the line
  uint32_t length = 0;
  uint32_t column = 0;
  uint32_t width = 0;
  bool harmful = false;
};

// The code point at `text[i]`; length 0 where the bytes are not UTF-8.
std::pair<uint32_t, uint32_t> decode(std::string_view text, size_t i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  if (lead < 0x80) return {lead, 1};
  uint32_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length == 0 || i + length > text.size()) return {0, 0};
  uint32_t code = lead & (0xFFu >> (length + 1));
  for (uint32_t k = 1; k < length; ++k) {
    const auto byte = static_cast<unsigned char>(text[i + k]);
    if ((byte & 0xC0u) != 0x80u) return {0, 0};
    code = code << 6 | (byte & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {0, 0};
  return {code, length};
}

std::vector<Glyph> glyphs_of(std::string_view line) {
  std::vector<Glyph> glyphs;
  glyphs.reserve(line.size());
  uint32_t column = 0;
  for (size_t i = 0; i < line.size();) {
    const auto [code, length] = decode(line, i);
    Glyph glyph{static_cast<uint32_t>(i), std::max(length, 1u), column, 1, false};
    if (code == '\t' && length == 1) {
      glyph.width = static_cast<uint32_t>(kTabStop - column % kTabStop);
    } else if (length == 0 || within(kHarmful, code)) {
      glyph.harmful = true;
    } else if (code >= 0x300) {
      glyph.width = within(kZeroWidth, code) ? 0 : within(kWide, code) ? 2 : 1;
    }
    glyphs.push_back(glyph);
    column += glyph.width;
    i += glyph.length;
  }
  return glyphs;
}

void append_glyph(std::string& out, std::string_view line, const Glyph& glyph) {
  if (glyph.harmful) {
    out += kUnprintable;
  } else if (line[glyph.begin] == '\t') {
    out.append(glyph.width, ' ');
  } else {
    out += line.substr(glyph.begin, glyph.length);
  }
}

// A mark within its line, in columns.
struct Underline {
  size_t begin = 0;
  size_t end = 0;  // past begin
  const Mark* mark = nullptr;
};

size_t column_of(const std::vector<Glyph>& glyphs, size_t byte, size_t line_width) {
  const auto after = std::upper_bound(glyphs.begin(), glyphs.end(), byte,
                                      [](size_t b, const Glyph& glyph) { return b < glyph.begin + glyph.length; });
  return after == glyphs.end() ? line_width : after->column;
}

// One stretch of a line that is shown: columns [begin, end) and the underlines that fall into it.
void append_stretch(std::string& out, std::string_view line, const std::vector<Glyph>& glyphs, size_t begin, size_t end,
                    size_t line_width, const std::vector<Underline>& underlines, const Style& style) {
  out += kIndent;
  if (begin > 0) out += kCut;
  for (const Glyph& glyph : glyphs) {
    if (glyph.column >= begin && glyph.column + glyph.width <= end) append_glyph(out, line, glyph);
  }
  if (end < line_width) out += kCut;
  out += '\n';
  if (underlines.empty()) return;

  std::string carets;
  for (const Underline& underline : underlines) {
    const size_t from = std::max(underline.begin, begin) - begin;
    const size_t to = std::min(underline.end, end + 1) - begin;  // one past the end: a caret after the last character
    if (carets.size() < to) carets.resize(to, ' ');
    for (size_t i = from; i < to; ++i) carets[i] = '^';
  }
  out += kIndent;
  if (begin > 0) out += ' ';
  for (size_t i = 0; i < carets.size();) {
    const size_t run = std::min(carets.find_first_not_of(carets[i], i), carets.size());
    const std::string piece = carets.substr(i, run - i);
    out += piece[0] == '^' ? style.red(piece) : piece;
    i = run;
  }
  out += '\n';
  for (const Underline& underline : underlines) {
    for (const std::string& note : underline.mark->notes) {
      out += kIndent;
      out += printable(note) + "\n";
    }
  }
}

void append_line(std::string& out, std::string_view line, size_t line_begin, const std::vector<const Mark*>& marks,
                 const Style& style) {
  const std::vector<Glyph> glyphs = glyphs_of(line);
  const size_t width = glyphs.empty() ? 0 : glyphs.back().column + glyphs.back().width;
  std::vector<Underline> underlines;
  for (const Mark* mark : marks) {
    const size_t begin = column_of(glyphs, mark->span.begin - line_begin, width);
    const size_t end = column_of(glyphs, std::min<size_t>(mark->span.end - line_begin, line.size()), width);
    underlines.push_back({begin, std::max(end, begin + 1), mark});
  }
  if (width <= kWidest) return append_stretch(out, line, glyphs, 0, width, width, underlines, style);
  if (underlines.empty()) return append_stretch(out, line, glyphs, 0, kWidest, width, {}, style);
  for (size_t first = 0; first < underlines.size();) {
    size_t last = first + 1;
    while (last < underlines.size() && underlines[last].end <= underlines[first].begin + kGroupWidth) ++last;
    const std::vector<Underline> group(underlines.begin() + static_cast<std::ptrdiff_t>(first),
                                       underlines.begin() + static_cast<std::ptrdiff_t>(last));
    const size_t middle = (group.front().begin + std::min(group.back().end, group.front().begin + kGroupWidth)) / 2;
    const size_t begin = std::min(middle - std::min(middle, kWidest / 2), width - kWidest);
    append_stretch(out, line, glyphs, begin, begin + kWidest, width, group, style);
    first = last;
  }
}

}  // namespace

std::string Style::painted(std::string_view code, std::string_view text) const {
  if (!color) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const Glyph& glyph : glyphs_of(text)) {
    const char c = text[glyph.begin];
    if (c == '\t' || c == '\n' || c == '\r') {
      out += ' ';
    } else {
      append_glyph(out, text, glyph);
    }
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto [code, length] = decode(text, i);
    const bool line_end = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (line_end || text[i] == '\n' || text[i] == '\t') {
      out += text[i];
    } else if (length == 0 || within(kHarmful, code)) {
      out += kUnprintable;
    } else {
      out += text.substr(i, length);
    }
    i += std::max(length, 1u);
  }
  return out;
}

std::string printable_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  const auto escape = [&out](uint32_t unit) {
    char text[16];
    std::snprintf(text, sizeof text, "\\u%04x", unit & 0xFFFF);
    out += text;
  };
  for (size_t i = 0; i < json.size();) {
    const auto [code, length] = decode(json, i);
    if (code >= 0x10000 && within(kHarmful, code)) {
      escape(0xD800 + ((code - 0x10000) >> 10));
      escape(0xDC00 + ((code - 0x10000) & 0x3FF));
    } else if (code >= 0x20 && within(kHarmful, code)) {
      escape(code);
    } else {
      out += json.substr(i, std::max(length, 1u));
    }
    i += std::max(length, 1u);
  }
  return out;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (const Glyph& glyph : glyphs_of(text)) width += text[glyph.begin] == '\t' ? 1 : glyph.width;
  return width;
}

std::string padded(std::string_view text, size_t width) {
  const size_t own = display_width(text);
  return printable(text) + std::string(width > own ? width - own : 0, ' ');
}

std::string underlined(std::string_view sql, std::vector<Mark> marks, const Style& style) {
  while (!sql.empty() && (sql.back() == '\n' || sql.back() == '\r')) sql.remove_suffix(1);
  const auto size = static_cast<uint32_t>(sql.size());
  for (Mark& mark : marks) {
    mark.span.begin = std::min(mark.span.begin, size);
    mark.span.end = std::clamp(mark.span.end, mark.span.begin, size);
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.span.begin < b.span.begin; });

  std::vector<Span> lines;
  for (size_t begin = 0; begin <= sql.size();) {
    const size_t end = std::min(sql.find('\n', begin), sql.size());
    lines.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    begin = end + 1;
  }
  std::vector<std::vector<const Mark*>> marks_of(lines.size());
  size_t line = 0;
  for (const Mark& mark : marks) {
    while (line + 1 < lines.size() && mark.span.begin > lines[line].end) ++line;
    marks_of[line].push_back(&mark);
  }
  std::vector<bool> shown(lines.size(), lines.size() <= kShownWhole);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (marks_of[i].empty() && !(marks.empty() && i == 0)) continue;
    for (size_t k = i - std::min(i, kContext); k <= std::min(i + kContext, lines.size() - 1); ++k) shown[k] = true;
  }

  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (shown[i]) {
      std::string_view text = lines[i].of(sql);
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      append_line(out, text, lines[i].begin, marks_of[i], style);
    } else if (i == 0 || shown[i - 1]) {
      out += std::string(kIndent) + std::string(kCut) + "\n";
    }
  }
  return out;
}

}  // namespace pccsql
