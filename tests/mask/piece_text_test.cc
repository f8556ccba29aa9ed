// The spellings of bytes in vocabulary files, there and back.
#include <gtest/gtest.h>

#include "base/text.h"
#include "mask/piece_text.h"
#include "mask/random_vocabulary.h"

namespace pccsql {
namespace {

TEST(ByteLevel, UndoesTheAlphabet) {
  EXPECT_EQ(undo_byte_level("ĠSELECT"), " SELECT");
  EXPECT_EQ(undo_byte_level("ĊĊ"), "\n\n");
  EXPECT_EQ(undo_byte_level("ĉ"), "\t");
  EXPECT_EQ(undo_byte_level("Ã©"), "é");
  EXPECT_EQ(undo_byte_level("Ā"), std::string(1, '\0'));
  EXPECT_EQ(undo_byte_level("ł"), "\xA0");
  EXPECT_EQ(undo_byte_level("Ń"), "\xAD");  // the last of the alphabet
  EXPECT_EQ(undo_byte_level("ÿ"), "\xFF");
  EXPECT_EQ(undo_byte_level(""), "");
}

TEST(ByteLevel, RefusesWhatIsNotOfTheAlphabet) {
  for (const std::string_view spelling : {" ", "a b", "\n", "\x7F", "ń", "名", "▁x", "😀", "\xC4", "\xC4x", "\xA0"}) {
    EXPECT_EQ(undo_byte_level(spelling), std::nullopt) << spelling;
  }
  EXPECT_EQ(undo_byte_level("\xC2\xAD"), std::nullopt);  // U+00AD: a byte that is spelled otherwise
}

TEST(ByteLevel, GoesThereAndBack) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = random_bytes(random, below(random, 30));
    const std::string spelling = write_byte_level(bytes);
    EXPECT_EQ(undo_byte_level(spelling), bytes);
    EXPECT_EQ(find_invalid_utf8(spelling), std::string_view::npos);
  }
}

TEST(BlankMark, BecomesABlank) {
  EXPECT_EQ(undo_blank_mark("▁SELECT", "▁"), " SELECT");
  EXPECT_EQ(undo_blank_mark("▁▁", "▁"), "  ");
  EXPECT_EQ(undo_blank_mark("a▁b▁", "▁"), "a b ");
  EXPECT_EQ(undo_blank_mark("plain", "▁"), "plain");
  EXPECT_EQ(undo_blank_mark("", "▁"), "");
  EXPECT_EQ(undo_blank_mark("x_y", "_"), "x y");
}

TEST(ByteToken, IsOneByte) {
  EXPECT_EQ(undo_byte_token("<0x0A>"), 0x0A);
  EXPECT_EQ(undo_byte_token("<0xff>"), 0xFF);
  EXPECT_EQ(undo_byte_token("<0x00>"), 0x00);
  for (const char* other : {"", "<0x>", "<0x0>", "<0x0A", "<0x0A>x", "<0xGG>", "0x0A", "<0X0A>", "<0x 1>"}) {
    EXPECT_EQ(undo_byte_token(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace pccsql
