// What is read from a model's free text.
#include "prompt/output.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

TEST(Output, BlanksAndOneFenceComeOff) {
  for (const char* output : {
           "SELECT 1",
           "  SELECT 1 \n",
           "```sql\nSELECT 1\n```",
           "```\nSELECT 1\n```\n",
           "```SQL\r\nSELECT 1\r\n```",
           "```sqlite\nSELECT 1",
           "```sql SELECT 1```",
           "```SELECT 1```",
           "Here is the query:\n```sql\nSELECT 1\n```\nIt selects one.",
           "SELECT 1\n```",
           "```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```",
       }) {
    EXPECT_EQ(sql_of_output(output), "SELECT 1") << output;
  }
  EXPECT_EQ(sql_of_output(""), "");
  EXPECT_EQ(sql_of_output("```"), "");
  EXPECT_EQ(sql_of_output("SELECT '`` `'"), "SELECT '`` `'");
}

TEST(Output, RefuseIsTheWordAlone) {
  for (const char* output : {"REFUSE", " REFUSE\n", "```\nREFUSE\n```"}) {
    EXPECT_TRUE(is_refusal(sql_of_output(output))) << output;
  }
  for (const char* output : {"", "refuse", "REFUSE.", "REFUSE because", "I REFUSE", "REFUSED"}) {
    EXPECT_FALSE(is_refusal(sql_of_output(output))) << output;
  }
}

TEST(Output, TheLastDecisionCountsAndNoneIsADenial) {
  EXPECT_TRUE(permits("DECISION: PERMIT"));
  EXPECT_TRUE(permits("salary stands inside AVG.\n**DECISION: PERMIT**\n"));
  EXPECT_TRUE(permits("DECISION: DENY\nNo, wait.\nDecision: permit.\r\n"));
  EXPECT_FALSE(permits("DECISION: PERMIT\nDECISION: DENY"));
  EXPECT_FALSE(permits(""));
  EXPECT_FALSE(permits("PERMIT"));
  EXPECT_FALSE(permits("The line would be DECISION: PERMIT if it were so."));
  EXPECT_FALSE(permits("DECISION: PERMIT or DENY"));
}

}  // namespace
}  // namespace pccsql
