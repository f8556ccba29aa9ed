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

// Whatever is dropped, what is left is found again under its id, and nothing else is.
TEST(TextArena, ForgetsWhatIsNewer) {
  TextArena arena;
  std::vector<std::pair<std::string, TextId>> known;
  std::vector<size_t> sizes;
  for (int i = 0; i < 3000; ++i) {  // the table of slots grows on the way
    sizes.push_back(arena.size());
    const std::string text = "T" + std::to_string(i * 7919 % 100003) + (i % 3 == 0 ? "x" : "Y");
    known.emplace_back(text, arena.intern(text));
    if (i % 10 != 9) continue;
    for (int back = 0; back < 4; ++back) {
      arena.truncate(sizes.back());
      sizes.pop_back();
      known.pop_back();
    }
  }
  const size_t size = arena.size();
  for (const auto& [text, id] : known) EXPECT_EQ(arena.intern(text), id) << text;
  EXPECT_EQ(arena.size(), size);
  std::vector<char> held(arena.size());
  for (size_t i = 0; i < known.size(); i += 2) held[known[i].second] = 1;
  const std::vector<TextId> renamed = arena.keep_only(std::move(held));
  EXPECT_LT(arena.size(), size);
  for (size_t i = 0; i < known.size(); i += 2) {
    EXPECT_EQ(arena.str(renamed[known[i].second]), known[i].first);
    EXPECT_EQ(arena.intern(known[i].first), renamed[known[i].second]);
    EXPECT_EQ(arena.str(arena.folded(renamed[known[i].second])), folded(known[i].first));
  }
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
