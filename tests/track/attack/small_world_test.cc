// All texts up to a length, over two tables and five policies, one with minimum groups: the tracker admits a text to its end exactly when the
// checker calls it safe, but for the decoder's bounds. Several small alphabets instead of one large one, so that each can
// go deep where it has something to say.
#include <iostream>

#include <gtest/gtest.h>

#include "syntax/lexer.h"
#include "track/attack/coverage.h"
#include "track/attack/oracle.h"
#include "track/attack/replay.h"

namespace pccsql::attack {
namespace {

struct Alphabet {
  const char* name;
  std::vector<std::string> lexemes;  // a phrase counts as one
  int length;
  int long_length;
  bool any_name_anywhere = false;  // tables as columns, columns as tables, either as an alias
};

const std::vector<Alphabet>& alphabets() {
  static const std::vector<Alphabet> all{
      {"names", {"SELECT", "a", "b", "c", ",", "FROM", "t", "u", "*"}, 7, 8, true},
      {"qualified", {"SELECT", "t.a", "u.a", "x.a", "x.b", "FROM", "t", "u", "AS x", ",", "x.*"}, 9, 11},
      {"rowids",
       {"SELECT", "t.rowid", "u.rowid", "x.rowid", "x.b", "FROM", "t", "u", "AS x", "AS t", ",", "(", ")"},
       8,
       10},
      {"natural", {"SELECT", "a", "1", "FROM", "t", "NATURAL JOIN", "(", ")", "AS a", "AS n", "USING (a)"}, 11, 13},
      {"roles", {"SELECT", "a", "b", "FROM", "t", "WHERE", "=", "SUM", "COUNT", "(", ")", "*", "MIN"}, 8, 10},
      {"joins", {"SELECT", "a", "b", "c", "FROM", "t", "u", "JOIN", "NATURAL JOIN", "ON", "=", "USING (", ")"}, 10, 12},
      {"nested", {"SELECT", "a", "c", "FROM", "t", "u", "(", ")", "IN", "EXISTS", "WHERE"}, 11, 13},
      {"derived", {"SELECT", "a", "b", "FROM", "t", "(", ")", "AS x", "AS n", "x.a", "n"}, 11, 13},
      {"order",
       {"SELECT", "a", "b", "1", "FROM t", "GROUP BY", "ORDER BY", "HAVING", "COUNT(*)", "AS n", "n", "+"},
       8,
       10},
      {"sets", {"SELECT", "a", "b", ",", "FROM t", "FROM u", "UNION", "ORDER BY", "1", "2", "*"}, 9, 11},
      {"grouped",
       {"SELECT", "1", "2", "'x'", "AS n", "n", ",", "FROM t", "GROUP BY", "ORDER BY", "RANK() OVER ()", "||"},
       8,
       10},
      {"with", {"WITH n AS (", "SELECT", "a", "b", "m", "FROM", "t", "n", ")", ",", "AS m", "n.a"}, 9, 11},
      {"windows",
       {"SELECT", "a", "b", "FROM t", "SUM(", "RANK(", ")", "OVER (", "PARTITION BY", "ORDER BY", "COUNT(*)"},
       10,
       12},
      {"case", {"SELECT", "a", "b", "CASE", "WHEN", "THEN", "END", "SUM(", ")", "FROM t", "1"}, 11, 13},
      {"arguments",
       {"SELECT SUM(", "SELECT COUNT(DISTINCT", "a", "b", "+", "*", "/", "2.5", "12345", "'x'", "(", ")", "FROM t"},
       8,
       9},
      {"results",
       {"SELECT SUM(", "a", "b", "CASE WHEN", "THEN", "END", "COALESCE(", "CAST(", "AS REAL)", "AS INT)", ",", "-", ")",
        "FROM t"},
       8,
       10},
      {"twins",
       {"SELECT SUM(", "t.a", "x.a", "u.a", "a", "-", ")", "FROM", "t", "u", "AS x", ",", "USING (a)", "JOIN"},
       10,
       11},
      {"counted",
       {"SELECT", "a", "b", "a + 1", "AS n", ",", "FROM t", "GROUP BY", "HAVING SUM(", "n", "-", ")", "= 1"},
       9,
       10},
      {"compared",
       {"SELECT 1 FROM t WHERE", "a", "(", ")", "SELECT c FROM u", "SELECT a FROM t", "IN", "=", "+", "AND", "EXISTS",
        "NOT", "NOTNULL"},
       9,
       10},
      {"between",
       {"SELECT 1 FROM t WHERE", "a", "(", ")", "SELECT a FROM t", "BETWEEN", "AND", "-", "<", "NOT", "COLLATE nocase"},
       9,
       10},
      {"listed",
       {"SELECT 1 FROM t WHERE", "EXISTS (", "a IN (", "SELECT", "a", "*", "1", "MIN(", "SUM(", ")", "AS n", "n",
        "FROM t", "GROUP BY", "ORDER BY", "UNION", "= 1"},
       8,
       9},
      {"minimum",
       {"SELECT", "SUM(", "b", "t.b", "x.b", "a", ",", ")", "(", "FROM t", "FROM u", "AS x", "WHERE a = c", "UNION", "IN"},
       9,
       10},
      {"factors",
       {"SELECT SUM(", "COUNT(DISTINCT", "CASE WHEN 1 THEN", "END", "COALESCE(", "b", "c", "2", "*", "+", "(", ")",
        "FILTER (WHERE 1)", ",", "FROM t, u"},
       7,
       8},
      {"quoted",
       {"SELECT", "\"a\"", "\"zz\"", "'zz'", "[b]", "`c`", "FROM t", "FROM u", "WHERE", "=", "rowid", "ORDER BY"},
       7,
       9},
  };
  return all;
}

// One policy's share of the search.
struct Side {
  Side(Ground& ground_in)
      : ground(ground_in), tracker(sql_trackers(ground)()), replay(ground, sql_trackers(ground), true) {}

  Ground& ground;
  std::unique_ptr<Tracker> tracker;
  Replay replay;
};

class Exhaustive {
 public:
  Exhaustive(const std::vector<GroundPtr>& grounds, const Alphabet& alphabet)
      : alphabet_(alphabet), checker_(grounds[0]->catalog()) {
    for (const GroundPtr& ground : grounds) sides_.push_back(std::make_unique<Side>(*ground));
    for (const std::string& text : alphabet.lexemes) {
      lexemes_.emplace_back();
      lex(text, lexemes_.back());
      lexemes_.back().pop_back();  // End
      // OVER is a keyword only in company, which the lexer does not see here.
      for (Lexeme& lexeme : lexemes_.back()) {
        if (lexeme.span.of(text) == "OVER") lexeme.terminal = Terminal::kw_OVER;
      }
    }
  }

  void run() {
    std::vector<PrefixId> starts;
    for (const auto& side : sides_) starts.push_back(side->tracker->start());
    go(Trace(sql_grammar()), "", starts, long_run() ? alphabet_.long_length : alphabet_.length);
  }

  Replay::Count count() const {
    Replay::Count all;
    for (const auto& side : sides_) all.add(side->replay.count());
    return all;
  }
  uint64_t texts() const { return texts_; }
  uint64_t agreed() const { return agreed_; }

 private:
  // Whether to try a lexeme here: names where names of their kind belong, unless the alphabet is about that.
  bool fits(const Trace& trace, size_t index) const {
    const std::string& text = alphabet_.lexemes[index];
    if (alphabet_.any_name_anywhere || lexemes_[index][0].terminal != Terminal::Name) return true;
    const bool table = text == "t" || text == "u";
    const bool column = text == "a" || text == "b" || text == "c";
    switch (trace.name_slot()) {
      case Slot::Alias:
        return !table && !column;
      case Slot::Table:
        return !column;
      default:
        return !table;
    }
  }

  void go(const Trace& trace, const std::string& text, const std::vector<PrefixId>& prefixes, int left) {
    if (!text.empty() && trace.may_end()) judge(text, prefixes);
    if (left == 0) return;
    for (size_t i = 0; i < lexemes_.size(); ++i) {
      Trace next = trace;
      bool reads = fits(trace, i);
      for (const Lexeme& lexeme : lexemes_[i]) reads = reads && next.read(lexeme);
      if (!reads) continue;
      const std::string more = (text.empty() ? "" : " ") + alphabet_.lexemes[i];
      std::vector<PrefixId> after;
      std::vector<uint32_t> marks;
      for (size_t s = 0; s < sides_.size(); ++s) {
        marks.push_back(sides_[s]->tracker->mark());
        after.push_back(prefixes[s] == kDead ? kDead : push_all(*sides_[s]->tracker, prefixes[s], more));
      }
      go(next, text + more, after, left - 1);
      for (size_t s = 0; s < sides_.size(); ++s) sides_[s]->tracker->release(marks[s]);
    }
  }

  // Where both agree nothing more is asked; else the replay finds out what to make of it.
  void judge(const std::string& text, const std::vector<PrefixId>& prefixes) {
    const Analysis& analysis = checker_.analyze(text);
    for (size_t s = 0; s < sides_.size(); ++s) {
      Side& side = *sides_[s];
      ++texts_;
      const bool admitted = prefixes[s] != kDead && side.tracker->may_end(prefixes[s]);
      const bool safe =
          analysis.verdict == Verdict::Safe && checker_.judge(analysis, side.ground.policy).verdict == Verdict::Safe;
      agreed_ += admitted && safe;
      if (admitted != safe) side.replay.text(text);
    }
  }

  const Alphabet& alphabet_;
  SqliteChecker checker_;
  std::vector<std::unique_ptr<Side>> sides_;
  std::vector<std::vector<Lexeme>> lexemes_;
  uint64_t texts_ = 0;
  uint64_t agreed_ = 0;
};

std::vector<GroundPtr> some_policies() {
  static const SchemaPtr schema =
      schema_of("small world", "CREATE TABLE t(a INTEGER PRIMARY KEY, b INT); CREATE TABLE u(a INT, c INT);");
  using enum ColumnPolicy;
  struct Row {
    ColumnPolicy ta, tb, ua, uc;
    bool minimum = false;
  };
  const Row policies[] = {{Public, Public, Public, Public},
                          {ConditionOnly, Public, ConditionOnly, AggregateOnly},
                          {Public, AggregateOnly, Hidden, Public},
                          {Public, Hidden, Hidden, Hidden},
                          {Public, AggregateOnly, Public, AggregateOnly, true}};
  std::vector<GroundPtr> grounds;
  for (const auto& [ta, tb, ua, uc, minimum] : policies) {
    Policy policy(schema->catalog, Public);
    policy.set({0, 0}, ta);
    policy.set({0, 1}, tb);
    policy.set({1, 0}, ua);
    policy.set({1, 1}, uc);
    if (minimum) policy = with_minimums(policy, 2);
    const std::string name = (minimum ? "minimum groups, t.a " : "t.a ") + std::string(to_string(ta)) + ", t.b " + std::string(to_string(tb)) + ", u.a " +
                             std::string(to_string(ua)) + ", u.c " + std::string(to_string(uc));
    grounds.push_back(std::make_unique<Ground>(name, schema, policy, TrackSettings{}));
  }
  return grounds;
}

class SmallWorld : public ::testing::TestWithParam<size_t> {};

TEST_P(SmallWorld, TrackerAndCheckerAgree) {
  const Alphabet& alphabet = alphabets()[GetParam()];
  const auto grounds = some_policies();
  Exhaustive all(grounds, alphabet);
  all.run();
  const Replay::Count count = all.count();
  std::cout << alphabet.name << ": " << all.texts() << " texts, " << all.agreed()
            << " safe and admitted; not agreed: " << report(count, 5);
  EXPECT_GT(all.agreed(), 10u);
  EXPECT_TRUE(count.wrongly_refused.empty()) << count.wrongly_refused.size();
  EXPECT_TRUE(count.wrongly_admitted.empty()) << count.wrongly_admitted.size();
}

INSTANTIATE_TEST_SUITE_P(Alphabets, SmallWorld, ::testing::Range<size_t>(0, alphabets().size()),
                         [](const auto& each) { return std::string(alphabets()[each.param].name); });

}  // namespace
}  // namespace pccsql::attack
