// Equal keys mean equal futures, whatever text, tracker or history they come from; old prefixes stay what they were.
#include <iostream>

#include <gtest/gtest.h>

#include "track/attack/equality.h"
#include "track/attack/walker.h"

namespace pccsql::attack {
namespace {

// Walks over several trackers of one world: what each is asked, the others have not been.
void compare_keys(Ground& ground, int trackers, int walks, EqualKeys& keys, std::vector<std::string>& texts) {
  const MakeTracker make = sql_trackers(ground);
  Coverage coverage(sql_grammar());
  int complaints = 0;
  for (int t = 0; t < trackers; ++t) {
    const auto tracker = make();
    std::string last;
    for (int w = 0; w < walks; ++w) {
      LexemeWalker walker(ground, *tracker, coverage, 100 * static_cast<uint64_t>(t) + static_cast<uint64_t>(w));
      walker.on_prefix([&](PrefixId prefix, const std::string& text) {
        const std::string wrong = keys.note(*tracker, prefix, text);
        if (!wrong.empty() && ++complaints <= 3) ADD_FAILURE() << "[" << ground.name << "] " << wrong;
        last = text;
      });
      // A failing walk is another test's business; its prefixes count all the same.
      walker.walk(3 + w % 25);
      texts.push_back(last);
    }
  }
}

TEST(Equality, KeysHistoriesAndRollback) {
  size_t grounds = 0;
  size_t total_keys = 0;
  size_t met = 0;
  size_t twins = 0;
  int complaints = 0;
  const auto complain = [&](const Ground& ground, const std::string& wrong) {
    if (!wrong.empty() && ++complaints <= 10) ADD_FAILURE() << "[" << ground.name << "] " << wrong;
  };
  for (const GroundPtr& ground : standing_grounds()) {
    if (!long_run() && ++grounds % 6 != 1) continue;
    EqualKeys keys;
    std::vector<std::string> texts;
    compare_keys(*ground, 3, long_run() ? 60 : 8, keys, texts);
    total_keys += keys.keys();
    met += keys.met_again();
    twins += keys.other_texts();
    const MakeTracker make = sql_trackers(*ground);
    const auto straight = make();
    const auto crooked = make();
    for (size_t i = 0; i < texts.size(); ++i) {
      complain(*ground, ask_histories(*straight, *crooked, texts[i], i));
      const std::string other = texts[(i * 7 + 3) % texts.size()];
      if (i % 4 == 0) complain(*ground, ask_rollback(*straight, texts[i], other));
    }
    const auto tracker = make();
    size_t asked = 0;
    for (const auto& [a, b] : keys.twins()) {
      if (++asked > 300) break;
      // How any text goes on after the one, the other must go on too.
      for (const std::string& text : texts) {
        if (text.size() <= a.size() || !text.starts_with(a)) continue;
        complain(*ground, ask_twins(*tracker, a, b, text.substr(a.size())));
        break;
      }
    }
  }
  std::cout << total_keys << " keys, " << met << " met again, " << twins << " under another text\n";
  EXPECT_GT(met, 0u);
  EXPECT_GT(twins, 0u);
}

}  // namespace
}  // namespace pccsql::attack
