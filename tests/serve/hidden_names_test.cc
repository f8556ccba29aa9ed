// Names of Hidden columns are covered in whatever is told, unless the caller wrote them.
#include "serve/hidden_names.h"

#include <gtest/gtest.h>

#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

struct Clinic {
  Clinic()
      : catalog(*read_ddl_catalog("CREATE TABLE patient (id INTEGER PRIMARY KEY, name TEXT, ssn TEXT, \"blood type\" TEXT, \xC3\xA4rztin TEXT);"
                                  "CREATE TABLE visit (id INTEGER PRIMARY KEY, name TEXT, cost REAL);"
                                  "CREATE TABLE secret (code TEXT);")),
        policy(*parse_policy_yaml("version: 1\ntables:\n  patient: {id: Public, name: Public}\n  visit: {id: Public, cost: Public}\n", catalog)),
        names(catalog, policy) {}

  std::string told(std::string_view text, std::string_view written = "") const { return names.cover(text, Spoken(written)); }

  Catalog catalog;
  Policy policy;
  HiddenNames names;
};

TEST(HiddenNames, CoversWordsWithTheirQualifiersAndQuotes) {
  const Clinic clinic;
  EXPECT_EQ(clinic.told("did you mean `ssn`?"), "did you mean a column that you may not use?");
  EXPECT_EQ(clinic.told("`patient.ssn` is Hidden"), "a column that you may not use is Hidden");
  EXPECT_EQ(clinic.told("T1.SSN, x"), "a column that you may not use, x");
  EXPECT_EQ(clinic.told("\"patient\".\"ssn\""), "a column that you may not use");
  EXPECT_EQ(clinic.told("ssns assn ssn_2"), "ssns assn ssn_2");
  EXPECT_EQ(clinic.told("use \"blood type\" now"), "use a column that you may not use now");
  EXPECT_EQ(clinic.told("\xC3\xA4rztin!"), "a column that you may not use!");
  EXPECT_EQ(clinic.told("no such table: secret"), "no such table: a table that you may not use");
  EXPECT_EQ(clinic.told("ssn"), "a column that you may not use");
  EXPECT_EQ(clinic.told("\xE2\x80\x9Cssn\xE2\x80\x9D \xE2\x80\xA6ssn\xE2\x80\xA6 \xC2\xABssn\xC2\xBB"),
            "\xE2\x80\x9C" "a column that you may not use\xE2\x80\x9D \xE2\x80\xA6" "a column that you may not use\xE2\x80\xA6 \xC2\xAB" "a column that you may not use\xC2\xBB");
  EXPECT_EQ(clinic.told(""), "");
}

TEST(HiddenNames, ANameThatIsShownElsewhereIsCoveredBehindItsTableAlone) {
  const Clinic clinic;
  EXPECT_EQ(clinic.told("name of patient.name"), "name of patient.name");
  EXPECT_EQ(clinic.told("visit.name and `visit`.`name`"), "a column that you may not use and a column that you may not use");
}

TEST(HiddenNames, WhatTheCallerWroteIsNoNews) {
  const Clinic clinic;
  EXPECT_EQ(clinic.told("`ssn` is Hidden", "SELECT Ssn FROM patient"), "`ssn` is Hidden");
  EXPECT_EQ(clinic.told("`ssn` is Hidden", "SELECT ssns FROM patient"), "a column that you may not use is Hidden");
  EXPECT_EQ(clinic.told("blood type", "what Blood Type"), "blood type");
}

TEST(HiddenNames, LooksThroughAReplyButNotItsRowsAndWordsOfTheInterface) {
  const Clinic clinic;
  const Spoken nothing("");
  EXPECT_EQ(clinic.names.cover_json(R"({"verdict":"ssn","reason":"ssn","rows":[["ssn"]],"columns":["ssn"],"uses":[{"table":"visit","column":"name"}]})", nothing),
            R"({"verdict":"ssn","reason":"a column that you may not use","rows":[["ssn"]],"columns":["a column that you may not use"],)"
            R"("uses":[{"table":"visit","column":"a column that you may not use"}]})");
}

TEST(HiddenNames, WhatAQueryComputesIsSaidInPlainWords) {
  const Catalog catalog = *read_ddl_catalog("CREATE TABLE badge (number TEXT, level INTEGER);");
  const Policy policy = *parse_policy_yaml("version: 1\ntables: {badge: {level: Public}}\n", catalog);
  const HiddenNames names(catalog, policy);
  const std::string plain = R"({"computed":"the number of rows of badge","sql":"SELECT COUNT(*) FROM badge"})";
  EXPECT_EQ(names.cover_json(plain, Spoken("")), plain);
  EXPECT_EQ(names.cover_json(R"({"computed":"level as number","sql":"SELECT level AS number FROM badge"})", Spoken("")),
            R"({"computed":"level as a column that you may not use","sql":"SELECT level AS a column that you may not use FROM badge"})");
}

TEST(CoveredStream, HoldsBackWhatMayBecomeAName) {
  Catalog catalog = *read_ddl_catalog("CREATE TABLE patient (name TEXT, ssn TEXT);");
  const Policy policy = *parse_policy_yaml("version: 1\ntables: {patient: {name: Public}}\n", catalog);
  const HiddenNames names(catalog, policy);
  const Spoken nothing("");
  CoveredStream stream(&names, nothing);
  std::string told = stream.add("SELECT 1 AS s");
  EXPECT_EQ(told, "SELECT 1 AS ");
  told += stream.add("s");
  told += stream.add("n FROM");
  told += stream.end();
  EXPECT_EQ(told, "SELECT 1 AS a column that you may not use FROM");
  CoveredStream open(nullptr, nothing);
  EXPECT_EQ(open.add("AS ssn ") + open.end(), "AS ssn ");
}

}  // namespace
}  // namespace pccsql
