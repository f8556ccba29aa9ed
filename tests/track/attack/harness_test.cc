// The oracles tried on trackers that are known: an honest one must pass, and each planted fault must be seen.
#include <algorithm>

#include <gtest/gtest.h>

#include "track/attack/coverage.h"
#include "track/attack/equality.h"
#include "track/attack/list_tracker.h"
#include "track/attack/oracle.h"
#include "track/attack/replay.h"
#include "track/attack/walker.h"

namespace pccsql::attack {
namespace {

const std::vector<std::string> kTexts{"SELECT a FROM t WHERE b = 1", "SELECT a FROM t", "SELECT a, b FROM t",
                                      "SELECT COUNT(*) FROM t", "SELECT b FROM t ORDER BY a"};

GroundPtr small_ground(ColumnPolicy of_b = ColumnPolicy::Public) {
  static const SchemaPtr schema = schema_of("harness", "CREATE TABLE t(a INT, b INT, c INT);");
  Policy policy(schema->catalog, ColumnPolicy::Public);
  policy.set({0, 1}, of_b);
  return std::make_unique<Ground>("harness", schema, policy, TrackSettings{});
}

// The first complaint of walks and of asking every prefix of the texts; "" if there is none.
std::string complaint_about(Ground& ground, const std::vector<std::string>& texts, Fault fault) {
  ListTracker tracker(ground, texts, fault);
  Coverage coverage(sql_grammar());
  LexemeWalker walker(ground, tracker, coverage, 5);
  for (int i = 0; i < 60; ++i) {
    if (const auto failures = walker.walk(8); !failures.empty()) return failures[0].what;
  }
  EXPECT_GT(coverage.texts(), 0u);
  EXPECT_GT(walker.steps(), 100u);
  return "";
}

TEST(Harness, AnHonestTrackerPasses) {
  const GroundPtr ground = small_ground();
  EXPECT_EQ(complaint_about(*ground, kTexts, Fault::None), "");
}

TEST(Harness, SeesWhatIsNotPermitted) {
  const GroundPtr ground = small_ground(ColumnPolicy::Hidden);
  const std::string said = complaint_about(*ground, kTexts, Fault::None);
  EXPECT_NE(said.find("finished, but unsafe"), std::string::npos) << said;
}

TEST(Harness, SeesWhatDoesNotRunOrIsOutside) {
  const GroundPtr ground = small_ground();
  EXPECT_NE(complaint_about(*ground, {"SELECT a FROM nowhere"}, Fault::None).find("finished, but error"),
            std::string::npos);
  EXPECT_NE(complaint_about(*ground, {"VALUES (1)"}, Fault::None).find("finished, but outside"), std::string::npos);
}

TEST(Harness, SeesEachFaultOfAPrefix) {
  const struct {
    Fault fault;
    const char* said;
  } faults[] = {{Fault::DeadEnd, "no completion"},        {Fault::RefusesOwn, "is refused"},
                {Fault::GrowingText, "completion"},       {Fault::LowBound, "bound"},
                {Fault::LowTokenBound, "tokens is less"}, {Fault::NoEnd, "may not end"},
                {Fault::MissingUse, "uses differ"},       {Fault::ExtraUse, "is told twice"}};
  const GroundPtr ground = small_ground();
  for (const auto& [fault, said] : faults) {
    // The other texts are shorter ways out; alone, the first must be walked through.
    const std::string complaint = complaint_about(*ground, {kTexts[0]}, fault);
    EXPECT_NE(complaint.find(said), std::string::npos) << static_cast<int>(fault) << ": " << complaint;
  }
}

TEST(Harness, SeesKeysThatLie) {
  const GroundPtr ground = small_ground();
  for (const Fault fault : {Fault::None, Fault::OneKey}) {
    ListTracker tracker(*ground, kTexts, fault);
    EqualKeys keys;
    std::string complaint;
    PrefixId at = tracker.start();
    complaint += keys.note(tracker, at, "");
    for (const char c : kTexts[0]) complaint += keys.note(tracker, at = tracker.push(at, static_cast<uint8_t>(c)), "x");
    EXPECT_EQ(complaint.empty(), fault == Fault::None) << complaint;
  }
  for (const Fault fault : {Fault::None, Fault::KeyOfHistory}) {
    ListTracker straight(*ground, kTexts, fault);
    ListTracker crooked(*ground, kTexts, fault);
    std::string complaint;
    for (int i = 0; i < 200 && complaint.empty(); ++i) complaint = ask_histories(straight, crooked, kTexts[0], i);
    EXPECT_EQ(complaint.empty(), fault == Fault::None) << complaint;
  }
}

TEST(Harness, SeesTwinsThatPart) {
  const GroundPtr ground = small_ground();
  ListTracker tracker(*ground, kTexts);
  EXPECT_EQ(ask_twins(tracker, "SELECT a", "SELECT a", " FROM t"), "");
  EXPECT_NE(ask_twins(tracker, "SELECT a", "SELECT b", " FROM t"), "");
}

TEST(Harness, SeesRollbackThatForgets) {
  const GroundPtr ground = small_ground();
  ListTracker honest(*ground, kTexts);
  ListTracker forgetful(*ground, kTexts, Fault::ForgetsOldOnes);
  EXPECT_EQ(ask_rollback(honest, kTexts[0], kTexts[2]), "");
  EXPECT_NE(ask_rollback(forgetful, kTexts[0], kTexts[2]), "");
}

Replay::Count replay_of(Ground& ground, const std::vector<std::string>& list, Fault fault, const std::string& text) {
  Replay replay(
      ground, [&] { return std::make_unique<ListTracker>(ground, list, fault); }, false);
  replay.text(text);
  return replay.count();
}

TEST(Harness, ReplayTellsWhatWasRefusedOrAdmittedWrongly) {
  const GroundPtr ground = small_ground(ColumnPolicy::Hidden);
  const std::string safe = "SELECT a FROM t WHERE c = 1";
  const std::string unsafe = "SELECT b FROM t";
  EXPECT_EQ(replay_of(*ground, {safe}, Fault::None, safe).admitted, 1u);
  EXPECT_EQ(replay_of(*ground, {safe}, Fault::StopsShort, safe).wrongly_refused.size(), 1u);
  EXPECT_EQ(replay_of(*ground, {safe}, Fault::NoEnd, safe).wrongly_refused.size(), 1u);
  EXPECT_EQ(replay_of(*ground, {safe}, Fault::MissingUse, safe).wrongly_admitted.size(), 1u);
  EXPECT_EQ(replay_of(*ground, {unsafe}, Fault::None, unsafe).wrongly_admitted.size(), 1u);
  EXPECT_EQ(replay_of(*ground, {safe}, Fault::None, unsafe).stopped, 1u);
  const auto excused = replay_of(*ground, {safe}, Fault::None, "SELECT (a, c) = (1, 2) FROM t");
  EXPECT_EQ(excused.excused.at("row value"), 1u);
  EXPECT_TRUE(excused.wrongly_refused.empty());
}

TEST(Harness, TheTraceGoesWhereTheGrammarGoes) {
  Trace trace(sql_grammar());
  EXPECT_TRUE(trace.read("SELECT a, count(*) FROM t WHERE b IN ("));
  EXPECT_FALSE(trace.may_end());
  EXPECT_EQ(trace.name_slot(), Slot::Name);
  EXPECT_NE(trace.place_of(Terminal::kw_SELECT).first, kNone);
  EXPECT_EQ(trace.place_of(Terminal::kw_FROM).first, kNone);
  EXPECT_TRUE(trace.read("1)"));
  EXPECT_TRUE(trace.may_end());
  EXPECT_FALSE(Trace(sql_grammar()).read("VALUES (1)")) << "outside the language";
}

TEST(Harness, CoverageNamesWhatWasNotSeen) {
  Coverage coverage(sql_grammar());
  coverage.add("SELECT a FROM t");
  const auto missed = coverage.missed_rules({"where"});
  const auto has = [&](const char* rule) { return std::count(missed.begin(), missed.end(), rule) > 0; };
  EXPECT_TRUE(has("group_by") && has("using") && has("window"));
  EXPECT_FALSE(has("from") || has("where") || has("values"));
  EXPECT_FALSE(coverage.missed_places({}).empty());
}

}  // namespace
}  // namespace pccsql::attack
