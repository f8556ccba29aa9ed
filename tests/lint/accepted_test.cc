// Accepted findings: what an acceptance covers, and what it leaves open.
#include "lint/accepted.h"

#include <gtest/gtest.h>

#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

constexpr char kIndexedSchema[] =
    "CREATE TABLE e (id INTEGER PRIMARY KEY, mail TEXT, ssn TEXT, pay INT);"
    "CREATE TABLE f (id INTEGER PRIMARY KEY, x TEXT);"
    "CREATE INDEX by_mail ON e (mail); CREATE INDEX by_both ON e (mail, ssn);";
constexpr char kSomeLabels[] = "id: ConditionOnly, mail: Hidden, ssn: Hidden, pay: Public";

// The open findings as "kind table.column", then a line with a bar, then the accepted ones with their reasons.
std::string settled(const std::string& accept, const std::string& of_e, bool data_seen = true) {
  const auto catalog = read_ddl_catalog(kIndexedSchema);
  PolicyNotes notes;
  const auto policy = parse_policy_yaml("version: 1\n" + accept + "tables: {e: {" + of_e + kSomeLabels + "}, f: {id: Hidden, x: Public}}\n", *catalog,
                                        "p.yaml", &notes);
  if (!policy) return policy.error().to_string();
  const SettledFindings found = settle(*catalog, lint(*catalog, *policy), notes, data_seen);
  std::string text;
  for (const Warning& warning : found.open) {
    text += std::string(to_string(warning.kind)) + " " + warning.table + "." + warning.column + "\n";
  }
  text += "|\n";
  for (const auto& [warning, reason] : found.accepted) {
    text += std::string(to_string(warning.kind)) + " " + warning.table + "." + warning.column + ": " + reason + "\n";
  }
  return text;
}

TEST(Accepted, NothingIsAcceptedUnasked) {
  EXPECT_EQ(settled("", ""), "rowid e.id\nindex e.mail\nindex e.mail\nrowid f.id\n|\n");
}

TEST(Accepted, EverywhereOrInOneTable) {
  EXPECT_EQ(settled("accept: {rowid: alone}\n", ""), "index e.mail\nindex e.mail\n|\nrowid e.id: alone\nrowid f.id: alone\n");
  EXPECT_EQ(settled("", "accept: {rowid: alone}, "), "index e.mail\nindex e.mail\nrowid f.id\n|\nrowid e.id: alone\n");
}

TEST(Accepted, ForAColumnCoversNoOther) {
  EXPECT_EQ(settled("accept: {rowid: alone}\n", "accept: {index: {mail: small}}, "),
            "index e.mail\n|\nrowid e.id: alone\nindex e.mail: small\nrowid f.id: alone\n");
  EXPECT_EQ(settled("accept: {rowid: alone}\n", "accept: {index: {mail: small, ssn: short}}, "),
            "|\nrowid e.id: alone\nindex e.mail: small\nindex e.mail: small\nrowid f.id: alone\n");
}

TEST(Accepted, OfNothingIsAFinding) {
  EXPECT_EQ(settled("accept: {rowid: a, index: b, twin: c}\n", ""),
            "unused-acceptance .\n|\nrowid e.id: a\nindex e.mail: b\nindex e.mail: b\nrowid f.id: a\n");
  EXPECT_EQ(settled("accept: {rowid: a, index: b}\n", "accept: {rowid: {mail: c}}, ").substr(0, 25), "unused-acceptance e.mail\n");
  const std::string unseen = settled("accept: {rowid: a, index: b, small-table: c}\n", "", false);
  EXPECT_TRUE(unseen.starts_with("|\n")) << unseen;
  EXPECT_TRUE(settled("accept: {rowid: a, index: b, small-table: c}\n", "", true).starts_with("unused-acceptance .\n|\n"));
}

}  // namespace
}  // namespace pccsql
