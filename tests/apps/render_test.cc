// Underlines stand under what they mean, whatever characters come before; nothing harmful reaches the terminal.
#include "base/render.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pccsql {
namespace {

Mark mark(uint32_t begin, uint32_t end, std::vector<std::string> notes = {}) {
  return {{begin, end}, std::move(notes)};
}

std::string plain(std::string_view sql, std::vector<Mark> marks) { return underlined(sql, std::move(marks), Style{}); }

// The mark of the first occurrence of `word`.
Mark at(std::string_view sql, std::string_view word) {
  const auto begin = static_cast<uint32_t>(sql.find(word));
  return mark(begin, begin + static_cast<uint32_t>(word.size()));
}

TEST(Render, UnderlinesSeveralNamesOfOneLine) {
  const std::string_view sql = "SELECT a, bcd FROM t WHERE ef";
  EXPECT_EQ(plain(sql, {mark(27, 29, {"two"}), mark(10, 13, {"one"})}),
            "  SELECT a, bcd FROM t WHERE ef\n"
            "            ^^^              ^^\n"
            "  one\n"
            "  two\n");
}

TEST(Render, PutsEachUnderlineBelowItsLine) {
  const std::string_view sql = "SELECT a,\r\n\tb\nFROM t\n";
  EXPECT_EQ(plain(sql, {mark(7, 8, {"first"}), mark(12, 13, {"second"})}),
            "  SELECT a,\n"
            "         ^\n"
            "  first\n"
            "      b\n"
            "      ^\n"
            "  second\n"
            "  FROM t\n");
}

TEST(Render, CountsDisplayColumns) {
  EXPECT_EQ(plain("'é' x", {at("'é' x", "x")}), "  'é' x\n      ^\n");
  EXPECT_EQ(plain("'名前' x", {at("'名前' x", "x")}), "  '名前' x\n         ^\n");
  EXPECT_EQ(plain("名前 x", {at("名前 x", "名前")}), "  名前 x\n  ^^^^\n");
  EXPECT_EQ(plain("e\xCC\x81 x", {mark(4, 5)}), "  e\xCC\x81 x\n    ^\n");  // e and a combining accent
  EXPECT_EQ(plain("'😀' x", {at("'😀' x", "x")}), "  '😀' x\n       ^\n");
  EXPECT_EQ(plain("a\tx", {mark(2, 3)}), "  a   x\n      ^\n");
  EXPECT_EQ(plain("\xFF\xC3 x", {mark(3, 4)}), "  \xEF\xBF\xBD\xEF\xBF\xBD x\n     ^\n");
}

TEST(Render, EndOfTextGetsACaret) {
  EXPECT_EQ(plain("SELECT", {mark(6, 6, {"more expected"})}), "  SELECT\n        ^\n  more expected\n");
  EXPECT_EQ(plain("SELECT\n", {mark(7, 7)}), "  SELECT\n        ^\n");
  EXPECT_EQ(plain("SELECT", {mark(900, 1000)}), "  SELECT\n        ^\n");
}

TEST(Render, LongMarkStopsAtTheEndOfItsLine) {
  EXPECT_EQ(plain("a (b\nc) d", {mark(2, 7)}), "  a (b\n    ^^\n  c) d\n");
}

TEST(Render, OverlappingMarksMerge) { EXPECT_EQ(plain("abcdef", {mark(1, 4), mark(2, 6)}), "  abcdef\n   ^^^^^\n"); }

TEST(Render, CutsLongLinesAroundTheMark) {
  const std::string sql = std::string(300, 'a') + " needle " + std::string(300, 'b');
  const std::string shown = plain(sql, {at(sql, "needle")});
  const size_t line_end = shown.find('\n');
  EXPECT_EQ(display_width(shown.substr(0, line_end)), 2u + 1 + 160 + 1);
  EXPECT_TRUE(shown.starts_with("  …a"));
  EXPECT_EQ(shown.substr(line_end - 3, 3), "…");
  const std::string carets = shown.substr(line_end + 1);
  const std::string before = shown.substr(0, shown.find("needle"));
  EXPECT_EQ(carets.find("^^^^^^"), display_width(before));
  EXPECT_EQ(carets.find_first_not_of(" ^"), carets.size() - 1);
}

TEST(Render, MarksFarApartAreShownApart) {
  const std::string sql = "first " + std::string(400, ' ') + " last";
  const std::string shown = plain(sql, {at(sql, "first"), at(sql, "last")});
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 4);
  EXPECT_TRUE(shown.starts_with("  first "));
  EXPECT_NE(shown.find("  ^^^^^\n  …"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with("^^^^\n"));
}

TEST(Render, EndOfALongLineGetsACaret) {
  const std::string sql(1000, '(');
  const std::string shown = plain(sql, {mark(1000, 1000)});
  EXPECT_TRUE(shown.ends_with(std::string(2 + 1 + 160, ' ') + "^\n")) << shown;
}

TEST(Render, OfManyLinesThoseNearMarks) {
  std::string sql;
  for (int i = 0; i < 30; ++i) sql += "line" + std::to_string(i) + "\n";
  EXPECT_EQ(plain(sql, {at(sql, "line15")}), "  …\n  line14\n  line15\n  ^^^^^^\n  line16\n  …\n");
}

TEST(Render, NothingHarmfulIsPrinted) {
  EXPECT_EQ(printable("a\033[31m\x01\x7F"
                      "b\nc\td"),
            "a\xEF\xBF\xBD[31m\xEF\xBF\xBD\xEF\xBF\xBD"
            "b c d");
  EXPECT_EQ(printable("x\xE2\x80\xAEy"), "x\xEF\xBF\xBDy");  // right-to-left override
  EXPECT_EQ(printable("\xC2\x9B"), "\xEF\xBF\xBD");          // C1: begins an escape sequence on some terminals
  EXPECT_EQ(printable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(plain(std::string_view("a\0b", 3), {mark(2, 3, {"n\033"})}),
            "  a\xEF\xBF\xBD"
            "b\n    ^\n  n\xEF\xBF\xBD\n");
  EXPECT_EQ(printable("Größe 名前"), "Größe 名前");
}

TEST(Render, PadsByWidth) {
  EXPECT_EQ(padded("名", 4) + "|", "名  |");
  EXPECT_EQ(padded("long", 2), "long");
}

TEST(Render, ColoursOnlyWhenTold) {
  EXPECT_EQ(underlined("ab c", {mark(3, 4)}, Style{true}), "  ab c\n     \033[31m^\033[0m\n");
  EXPECT_EQ(Style{}.red("x"), "x");
}

}  // namespace
}  // namespace pccsql
