// GRANT texts: what one user gets, and which texts would mislead if they were read.
#include <gtest/gtest.h>

#include "policy/sample.h"

namespace pccsql {
namespace {

// The columns that `user` may use, or the error.
std::string granted(std::string_view sql, std::string_view user = "ann") {
  const Catalog catalog = sample_catalog();
  const auto policy = parse_policy_grants(sql, catalog, user, "g.sql");
  if (!policy) return policy.error().to_string();
  std::string out;
  for (size_t t = 0; t < catalog.tables().size(); ++t) {
    for (size_t c = 0; c < catalog.tables()[t].columns.size(); ++c) {
      const ColumnRef column{static_cast<TableId>(t), static_cast<ColumnIndex>(c)};
      if (policy->of(column) == ColumnPolicy::Hidden) continue;
      EXPECT_EQ(policy->of(column), ColumnPolicy::Public);
      out += (out.empty() ? "" : " ") + catalog.tables()[t].name + "." + catalog.tables()[t].columns[c].name;
    }
  }
  return out;
}

TEST(Grants, GrantedIsPublicTheRestHidden) {
  EXPECT_EQ(granted("GRANT SELECT (id, NAME) ON public.employee TO ann;"), "employee.id employee.name");
  EXPECT_EQ(granted("grant select on table department to ann"), "department.id department.name");
  EXPECT_EQ(granted("GRANT SELECT (\"id\"), SELECT (salary) ON employee, department TO bob, ann WITH GRANT OPTION;"),
            "g.sql:1:30: table `department` has no column `salary`");
  EXPECT_EQ(granted("GRANT SELECT (id) ON employee, MAIN.department TO bob, ann WITH GRANT OPTION;"),
            "employee.id department.id");
}

TEST(Grants, ATableOfAnotherSchemaIsAnotherTable) {
  const auto catalog = read_ddl_catalog("CREATE TABLE t (a, b)", "shop.sql");
  ASSERT_TRUE(catalog);
  EXPECT_EQ(listing(*catalog, parse_policy_grants("GRANT SELECT (a) ON shop.t TO ann", *catalog, "ann", "g.sql")),
            "t.a Public\nt.b Hidden\n");
  EXPECT_EQ(listing(*catalog, parse_policy_grants("GRANT SELECT (a) ON audit.t TO ann", *catalog, "ann", "g.sql")),
            "g.sql:1:21: the schema `audit` is not this database's: `main`, `public`, `shop` or no schema at all was "
            "expected");
}

TEST(Grants, EachGrantAdds) {
  EXPECT_EQ(granted("GRANT SELECT (id) ON employee TO ann; GRANT SELECT (name) ON employee TO ann;"),
            "employee.id employee.name");
}

TEST(Grants, OnlyTheNamedUsersGrantsCount) {
  const char* two =
      "GRANT SELECT (id) ON employee TO ann; GRANT SELECT ON employee TO bob; GRANT USAGE ON SCHEMA hr TO carl;";
  EXPECT_EQ(granted(two), "employee.id");
  EXPECT_EQ(granted(two, "carl"), "");
  EXPECT_EQ(granted(two, "nobody"), "");
  EXPECT_EQ(granted("GRANT SELECT (id) ON employee TO PUBLIC", "anyone"), "employee.id");
  EXPECT_EQ(granted("GRANT SELECT (id) ON employee TO \"PUBLIC\"", "anyone"), "");
}

TEST(Grants, BareUsersMatchInAnyCaseQuotedOnesExactly) {
  EXPECT_EQ(granted("GRANT SELECT (id) ON employee TO Ann", "aNN"), "employee.id");
  EXPECT_EQ(granted("GRANT SELECT (id) ON employee TO \"Ann\"", "ann"), "");
  EXPECT_EQ(granted("GRANT SELECT (id) ON employee TO \"Ann\"", "Ann"), "employee.id");
}

TEST(Grants, MistakesAreErrorsWithTheirPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "g.sql:1:1: there is no GRANT here; `GRANT SELECT (a, b) ON t TO user;` was expected"},
      {"-- nothing\n;", "g.sql:2:2: there is no GRANT here; `GRANT SELECT (a, b) ON t TO user;` was expected"},
      {"GRANT SELECT ON employee TO ann;\nREVOKE SELECT ON employee FROM ann;",
       "g.sql:2:1: REVOKE is not read; leave out the grant that it takes back"},
      {"GRANT INSERT ON employee TO ann", "g.sql:1:7: only SELECT can be granted here, not `INSERT`"},
      {"GRANT SELECT, UPDATE ON employee TO ann", "g.sql:1:15: only SELECT can be granted here, not `UPDATE`"},
      {"GRANT ALL ON employee TO ann", "g.sql:1:7: only SELECT can be granted here, not `ALL`"},
      {"GRANT USAGE ON SEQUENCE s TO ann", "g.sql:1:16: USAGE can be granted here `ON SCHEMA` alone"},
      {"GRANT SELECT ON ALL TABLES IN SCHEMA hr TO ann", "g.sql:1:17: ALL TABLES is not read; name the tables"},
      {"GRANT SELECT ON main.employee TO ann; GRANT SELECT ON public.employee TO ann",
       "g.sql:1:62: grants in two schemas, `main` and `public`; a policy is about one database"},
      {"GRANT SELECT ON employee TO ann;\nGRANT SELECT ON department, other.employee TO bob",
       "g.sql:2:29: the schema `other` is not this database's: `main`, `public` or no schema at all was expected"},
      {"GRANT SELECT ON other.public.employee TO ann",
       "g.sql:1:17: the schema `other` is not this database's: `main`, `public` or no schema at all was expected"},
      {"DROP TABLE employee", "g.sql:1:1: only GRANT SELECT is read here, not `DROP`"},
      {"GRANT SELECT (nme) ON employee TO bob",
       "g.sql:1:15: table `employee` has no column `nme`; did you mean `name`?"},
      {"GRANT SELECT ON emplyee TO ann", "g.sql:1:17: unknown table `emplyee`; did you mean `employee`?"},
      {"GRANT SELECT () ON employee TO ann", "g.sql:1:15: the name of a column was expected before `)`"},
      {"GRANT SELECT (*) ON employee TO ann", "g.sql:1:15: the name of a column was expected before `*`"},
      {"GRANT SELECT (id ON employee TO ann", "g.sql:1:18: `)` was expected before `ON`"},
      {"GRANT SELECT (id) employee TO ann", "g.sql:1:19: `ON` was expected before `employee`"},
      {"GRANT SELECT (id) ON employee", "g.sql:1:30: `TO` was expected"},
      {"GRANT SELECT (id) ON employee TO", "g.sql:1:33: the name of a user was expected"},
      {"GRANT SELECT (id) ON employee TO ann bob", "g.sql:1:38: `;` was expected before `bob`"},
      {"GRANT SELECT (id) ON main. TO ann", "g.sql:1:28: unknown table `TO`"},
  };
  for (const auto& [sql, message] : cases) EXPECT_EQ(granted(sql), message) << sql;
}

TEST(Grants, BadBytesAndEnormousTextsEnd) {
  using namespace std::literals;
  EXPECT_EQ(granted("GRANT\0 SELECT"sv), "g.sql:1:6: a NUL byte");
  EXPECT_EQ(granted("GRANT SELECT (\"\xff\") ON employee TO ann"), "g.sql:1:16: the text must be valid UTF-8");
  EXPECT_LT(granted("GRANT SELECT (" + std::string(1 << 20, '(')).size(), 200u);
  EXPECT_LT(granted("GRANT SELECT (" + std::string(1 << 20, 'x') + ") ON employee TO ann").size(), 400u);
}

}  // namespace
}  // namespace pccsql
