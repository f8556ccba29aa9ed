// The line editor, key by key.
#include "apps/line_editor.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

using End = LineEditor::End;

// The End that the keys lead to, if they do.
std::optional<End> type(LineEditor& editor, std::string_view keys) {
  for (const char c : keys) {
    if (const auto end = editor.key(static_cast<uint8_t>(c))) return end;
  }
  return std::nullopt;
}

constexpr const char* kUp = "\033[A";
constexpr const char* kDown = "\033[B";
constexpr const char* kRight = "\033[C";
constexpr const char* kLeft = "\033[D";

TEST(LineEditor, TextIsTypedAndMended) {
  LineEditor editor;
  editor.begin();
  EXPECT_EQ(type(editor, "Whö\x7f\x7fy"), std::nullopt);
  EXPECT_EQ(editor.line(), "Wy");
  type(editor, std::string(kLeft) + "h");
  EXPECT_EQ(editor.line(), "Why");
  type(editor, "\x01>\x05?");
  EXPECT_EQ(editor.line(), ">Why?");
  type(editor, "\x01\033[3~");
  EXPECT_EQ(editor.line(), "Why?");
  type(editor, std::string(kRight) + "\x0b");
  EXPECT_EQ(editor.line(), "W");
  type(editor, "\x15");
  EXPECT_EQ(editor.line(), "");
  type(editor, "\033[1;5Zx\033Qy\t");
  EXPECT_EQ(editor.line(), "xy") << "keys without a meaning do nothing";
}

TEST(LineEditor, AWholeCharacterAtATime) {
  LineEditor editor;
  editor.begin();
  type(editor, std::string("ä€") + kLeft + kLeft + "x");
  EXPECT_EQ(editor.line(), "xä€");
  EXPECT_EQ(editor.cursor(), 1U);
}

TEST(LineEditor, LinesEnd) {
  LineEditor editor;
  editor.begin();
  EXPECT_EQ(type(editor, "a\r"), End::Line);
  editor.begin();
  EXPECT_EQ(type(editor, "a\x03"), End::Interrupted);
  editor.begin();
  EXPECT_EQ(type(editor, "a\x04"), std::nullopt) << "Ctrl-D ends only where nothing was typed";
  editor.begin();
  EXPECT_EQ(type(editor, "\x04"), End::EndOfInput);
}

TEST(LineEditor, TheHistoryIsWalkedAndComesBackToWhatWasTyped) {
  LineEditor editor;
  editor.remember("one");
  editor.remember("two");
  editor.remember("two");
  editor.remember("  ");
  editor.begin();
  type(editor, std::string("three") + kUp);
  EXPECT_EQ(editor.line(), "two");
  type(editor, kUp);
  EXPECT_EQ(editor.line(), "one");
  type(editor, kUp);
  EXPECT_EQ(editor.line(), "one");
  type(editor, std::string(kDown) + kDown);
  EXPECT_EQ(editor.line(), "three");
  type(editor, kDown);
  EXPECT_EQ(editor.line(), "three");
}

}  // namespace
}  // namespace pccsql
