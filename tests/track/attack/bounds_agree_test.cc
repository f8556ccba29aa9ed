// Lengths, counts and nesting, grown one by one: as long as no bound is found the tracker admits the text, and from where it
// stops the bound is the excuse.
#include <gtest/gtest.h>

#include "track/attack/oracle.h"
#include "verify/bounds.h"

namespace pccsql::attack {
namespace {

// `head`, then `open` n times, `middle`, `close` n times, and `tail`.
struct Family {
  const char* bound;
  int least, most;
  std::string head, open, middle, close, tail;

  std::string text(int n) const {
    std::string made = head;
    for (int i = 0; i < n; ++i) made += open;
    made += middle;
    for (int i = 0; i < n; ++i) made += close;
    return made + tail;
  }
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"long run of blanks", 1, 40, "SELECT a", " ", "", "", "FROM t"},
      {"long string", 240, 260, "SELECT a FROM t WHERE b = '", "x", "", "", "'"},
      {"long string", 50, 70, "SELECT a FROM t WHERE b = \"", "x", "", "", "\""},
      {"long number", 30, 50, "SELECT a FROM t WHERE b = ", "1", "", "", ""},
      {"long number", 30, 50, "SELECT a FROM t WHERE b = 1.", "1", "", "", ""},
      {"long new name", 50, 70, "SELECT a AS ", "x", "", "", " FROM t"},
      {"long new name", 50, 70, "SELECT a AS \"", "x", "", "", "\" FROM t"},
      {"deep nesting", 60, 80, "SELECT ", "(", "a", ")", " FROM t"},
      {"deep nesting", 60, 80, "SELECT a FROM t WHERE ", "(", "a", ")", ""},
      {"deep nesting", 60, 80, "SELECT a FROM t ORDER BY ", "(", "a + 1", ")", ""},
      {"deep nesting", 60, 80, "SELECT ", "NOT ", "a", "", " FROM t"},
      {"deep nesting", 20, 30, "SELECT ", "1 + (", "a", ")", " FROM t"},
      {"deep nesting", 2, 8, "SELECT ", "1 OR 1 AND 1 = 1 < 1 & 1 + 1 * 1 || (", "a", ")", " FROM t"},
      {"deep nesting", 10, 18, "SELECT ", "1 LIKE (", "a", ")", " FROM t"},
      {"deep nesting", 10, 18, "SELECT ", "1 IN (", "a", ")", " FROM t"},
      {"deep nesting", 15, 30, "SELECT ", "ABS(", "a", ")", " FROM t"},
      {"deep nesting", 10, 20, "SELECT ", "COALESCE(1, ", "a", ")", " FROM t"},
      {"deep nesting", 8, 16, "SELECT ", "CASE WHEN ", "a", " THEN 1 END", " FROM t"},
      {"deep nesting", 30, 40, "SELECT ", "CAST(", "a", " AS INT)", " FROM t"},
      {"deep nesting", 50, 70, "SELECT ", "(", "RANK() OVER (ORDER BY a)", ")", " FROM t"},
      {"deep nesting", 50, 70, "SELECT ", "(", "SUM(a) OVER (PARTITION BY a)", ")", " FROM t"},
      {"deep nesting", 50, 70, "SELECT ", "(", "SUM(a) FILTER (WHERE a)", ")", " FROM t"},
      {"deep nesting", 4, 10, "SELECT a FROM t", " WHERE a IN (SELECT a FROM t", "", ")", ""},
      {"deep nesting", 8, 14, "", "SELECT (", "SELECT 1", ")", ""},
      {"deep nesting", 8, 14, "", "SELECT EXISTS (", "SELECT 1", ")", ""},
      {"deep nesting", 8, 14, "", "SELECT a FROM (", "SELECT a FROM t", ")", ""},
      {"tall expression", 890, 910, "SELECT a", "+1", "", "", " FROM t"},
      {"tall expression", 445, 455, "SELECT a FROM t WHERE a", "+1", "", "+1", ""},
      {"many arguments", 95, 105, "SELECT MAX(1", ",1", "", "", ") FROM t"},
      {"many set operations", 475, 485, "SELECT 1", " UNION SELECT 1", "", "", ""},
  };
  return all;
}

TEST(BoundsAgree, WithTheTrackerAsTextsGrow) {
  const SchemaPtr schema = schema_of("grow", "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);");
  Ground ground("grow", schema, Policy(schema->catalog, ColumnPolicy::Public), {});
  const MakeTracker make = sql_trackers(ground);
  for (const Family& family : families()) {
    size_t admitted = 0;
    size_t stopped = 0;
    for (int n = family.least; n <= family.most; ++n) {
      const std::string text = family.text(n);
      if (ground.checker.check(text, ground.policy).verdict != Verdict::Safe) continue;
      const auto tracker = make();
      size_t at = 0;
      const PrefixId end = push_all(*tracker, tracker->start(), text, &at);
      const auto found = verify::find_bounds(ground.catalog(), ground.settings, text);
      if (end != kDead && tracker->may_end(end)) {
        ++admitted;
        EXPECT_TRUE(found.empty()) << "admitted, but over the bound `" << found[0].bound->name << "`: " << text;
        continue;
      }
      ++stopped;
      const auto byte = static_cast<uint32_t>(at);
      const verify::Bound* bound = verify::bound_that_stopped(found, {byte, byte + 1}, false);
      EXPECT_EQ(bound == nullptr ? "" : bound->name, family.bound) << text.substr(0, at) << " <<<HERE>>> ";
    }
    EXPECT_GT(admitted, 0u) << family.text(1);
    EXPECT_GT(stopped, 0u) << family.text(1);
  }
}

}  // namespace
}  // namespace pccsql::attack
