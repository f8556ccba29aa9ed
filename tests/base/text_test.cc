// Text helpers: folding, UTF-8 to the letter of its definition, likeness of names.
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/span.h"

namespace pccsql {
namespace {

constexpr size_t npos = std::string_view::npos;

TEST(Text, FoldsAsciiAlone) {
  EXPECT_EQ(folded("AZaz09_\xC3\x84[`@{"), "azaz09_\xC3\x84[`@{");
  EXPECT_TRUE(equal_folded("Ab", "aB"));
  EXPECT_FALSE(equal_folded("Ab", "aBc"));
  EXPECT_FALSE(equal_folded("[", "{"));
}

TEST(Text, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(find_invalid_utf8(""), npos);
  EXPECT_EQ(find_invalid_utf8("plain \x7f"), npos);
  EXPECT_EQ(find_invalid_utf8("ä€𝄞\xF4\x8F\xBF\xBF"), npos);
  const std::pair<const char*, size_t> cases[] = {
      {"ab\x80", 2},            // a tail without a head
      {"a\xC3", 1},             // cut off
      {"\xE2\x82", 0},          // cut off
      {"\xC0\xAF", 0},          // overlong
      {"\xC1\xBF", 0},          // overlong
      {"\xE0\x9F\xBF", 0},      // overlong
      {"\xF0\x8F\xBF\xBF", 0},  // overlong
      {"\xED\xA0\x80", 0},      // a surrogate
      {"\xF4\x90\x80\x80", 0},  // beyond the last character
      {"\xF5\x80\x80\x80", 0},  // no such head
      {"\xFF", 0},
      {"x\xE2\x82\x41", 1},
  };
  for (const auto& [text, at] : cases) EXPECT_EQ(find_invalid_utf8(text), at) << text;
}

TEST(Text, AllTwoByteTextsAgreeWithTheDefinition) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const char text[] = {static_cast<char>(a), static_cast<char>(b)};
      const bool pair = a >= 0xC2 && a <= 0xDF && b >= 0x80 && b <= 0xBF;
      const size_t expected = pair ? npos : a >= 0x80 ? 0 : b >= 0x80 ? 1 : npos;
      ASSERT_EQ(find_invalid_utf8({text, 2}), expected) << a << " " << b;
    }
  }
}

TEST(Text, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("Name", "nme"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Text, SuggestsOnlyWhatIsClose) {
  const std::vector<std::string> names{"employee", "department", "name"};
  EXPECT_EQ(closest_match("emplyee", names), "employee");
  EXPECT_EQ(closest_match("NAME", names), "name");
  EXPECT_EQ(closest_match("invoice", names), "");
  EXPECT_EQ(closest_match("x", {}), "");
  EXPECT_EQ(closest_match(std::string(1 << 20, 'x'), names), "");
}

TEST(Text, TrimsAndQuotes) {
  EXPECT_EQ(trimmed(" \t\n a b \r\n"), "a b");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(quoted_identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quoted_identifier(""), "\"\"");
}

TEST(Text, PositionsCountFromOne) {
  EXPECT_EQ(position_of("ab\nc", 0).line, 1u);
  EXPECT_EQ(position_of("ab\nc", 0).column, 1u);
  EXPECT_EQ(position_of("ab\nc", 2).column, 3u);
  EXPECT_EQ(position_of("ab\nc", 3).line, 2u);
  EXPECT_EQ(position_of("ab\nc", 3).column, 1u);
  EXPECT_EQ(position_of("ab\nc", 99).column, 2u);  // past the end: at the end
}

TEST(Text, DecimalsAreReadWholeOrNotAtAll) {
  EXPECT_EQ(decimal("0.5"), 0.5);
  EXPECT_EQ(decimal("-12"), -12.0);
  EXPECT_EQ(decimal(".5"), 0.5);
  EXPECT_EQ(decimal("1e+20"), 1e20);
  for (const char* text : {"", ".", "-", "e5", " 1", "1 ", "+1", "0x10", "1e", "1,5", "nan", "inf", "Infinity", "1e999", "1.5.2"}) {
    EXPECT_EQ(decimal(text), std::nullopt) << text;
  }
}

TEST(Text, NumbersAreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(19624), "19,624");
  EXPECT_EQ(grouped(1234567890), "1,234,567,890");
}

}  // namespace
}  // namespace pccsql
