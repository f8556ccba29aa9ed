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

// Where two texts look alike and part a few lexemes on, a token that holds those lexemes must tell them apart at once.
TEST(Equality, KeysKnowWhatIsDecidedLater) {
  const SchemaPtr schema = schema_of("later", "CREATE TABLE t(a INT, b INT, c INT, d INT);");
  Policy policy(schema->catalog, ColumnPolicy::Public);
  policy.set({0, 0}, ColumnPolicy::ConditionOnly);
  policy.set({0, 2}, ColumnPolicy::AggregateOnly);
  policy.set({0, 3}, ColumnPolicy::AggregateOnly);
  Ground ground("later", schema, policy, {});
  const auto tracker = sql_trackers(ground)();
  struct Pair {
    std::string one, other, goes_on;  // the second does not go on so
  };
  for (const Pair& pair : std::vector<Pair>{
           {"SELECT b FROM t WHERE b IN (SELECT b + 1 FROM t WHERE 1 ",
            "SELECT b FROM t WHERE b IN (SELECT a + 1 FROM t WHERE 1 ", ") = 1"},
           {"SELECT b FROM t WHERE b IN (SELECT b + 1 AS n FROM t WHERE 1 ",
            "SELECT b FROM t WHERE b IN (SELECT a + 1 AS n FROM t WHERE 1 ", "ORDER BY n)"},
           {"SELECT b FROM t WHERE (b = (SELECT b FROM t)) ", "SELECT b FROM t WHERE (b = (SELECT a FROM t)) ", "+ 1"},
           {"SELECT COUNT(*) FROM t HAVING SUM(c + b ", "SELECT COUNT(*) FROM t HAVING SUM(d + b ", "- d) > 1"},
           {"SELECT SUM(c * b ", "SELECT SUM(c * b * 2 ", "* NULL) FROM t"},
           {"SELECT SUM(c + 12345 ", "SELECT SUM(c + 123456 ", "+ 1) FROM t"},
           {"SELECT SUM(c ", "SELECT SUM(DISTINCT c ", "+ 1) FROM t"},
       }) {
    const PrefixId one = push_all(*tracker, tracker->start(), pair.one);
    const PrefixId other = push_all(*tracker, tracker->start(), pair.other);
    ASSERT_NE(one, kDead) << pair.one;
    ASSERT_NE(other, kDead) << pair.other;
    const bool first = push_all(*tracker, one, pair.goes_on) != kDead;
    const bool second = push_all(*tracker, other, pair.goes_on) != kDead;
    EXPECT_NE(first, second) << pair.one << "| " << pair.goes_on;
    EXPECT_FALSE(tracker->key(one) == tracker->key(other)) << pair.one << "\n" << pair.other;
  }
}

// Which output a term names counts once the term has ended, so it is told apart before.
TEST(Equality, KeysKnowWhichOutputATermNames) {
  const SchemaPtr schema = schema_of("terms", "CREATE TABLE t(a INT);");
  Ground ground("terms", schema, Policy(schema->catalog, ColumnPolicy::Public), {});
  const auto tracker = sql_trackers(ground)();
  const std::string query = "SELECT 1 AS n INTERSECT SELECT 2 AS m ORDER BY ";
  const PrefixId one = push_all(*tracker, tracker->start(), query + "m ASC");
  const PrefixId other = push_all(*tracker, tracker->start(), query + "m ASC, n ASC");
  ASSERT_NE(one, kDead);
  ASSERT_NE(other, kDead);
  const bool later = tracker->key(push_all(*tracker, one, " ")) == tracker->key(push_all(*tracker, other, " "));
  EXPECT_EQ(tracker->key(one) == tracker->key(other), later);
}

}  // namespace
}  // namespace pccsql::attack
