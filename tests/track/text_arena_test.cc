// Byte strings as integers: equal strings, equal ids; every string knows its folded twin.
#include "track/text_arena.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace pccsql::track {
namespace {

TEST(TextArena, EqualStringsHaveEqualIds) {
  TextArena arena;
  const TextId a = arena.intern("salary");
  TextId b = kEmptyText;
  for (const char c : std::string("salary")) b = arena.append(b, static_cast<uint8_t>(c));
  EXPECT_EQ(a, b);
  EXPECT_NE(a, arena.intern("Salary"));
  EXPECT_EQ(arena.str(a), "salary");
  EXPECT_EQ(arena.length(a), 6u);
  EXPECT_EQ(arena.str(kEmptyText), "");
}

TEST(TextArena, KnowsTheFoldedTwin) {
  TextArena arena;
  for (const char* text : {"", "a", "A", "MiXeD", "lower", "ÄÖ", "T1", "x_Y9"}) {
    const TextId id = arena.intern(text);
    EXPECT_EQ(arena.str(arena.folded(id)), folded(text));
    EXPECT_EQ(arena.folded(arena.folded(id)), arena.folded(id));
  }
  EXPECT_EQ(arena.folded(arena.intern("NAME")), arena.folded(arena.intern("name")));
}

TEST(TextArena, GrowsOnlyByWhatIsNew) {
  TextArena arena;
  arena.intern("abc");
  const size_t size = arena.size();
  arena.intern("abc");
  arena.intern("ab");
  EXPECT_EQ(arena.size(), size);
}

}  // namespace
}  // namespace pccsql::track
