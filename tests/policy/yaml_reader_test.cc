// The policy file: what it means, and what is said, and where, when it is wrong.
#include <gtest/gtest.h>

#include "policy/sample.h"

namespace pccsql {
namespace {

std::string read_listing(std::string_view text) {
  const Catalog catalog = sample_catalog();
  return listing(catalog, parse_policy_yaml(text, catalog, "p.yaml"));
}

TEST(PolicyYaml, ColumnBeatsStarBeatsDefault) {
  EXPECT_EQ(read_listing("version: 1\ndefault: ConditionOnly\ntables:\n"
                 "  employee: {NAME: Public, salary: AggregateOnly, \"*\": Hidden}\n"),
            "employee.id Hidden\nemployee.name Public\nemployee.salary AggregateOnly\nemployee.email Hidden\n"
            "department.id ConditionOnly\ndepartment.name ConditionOnly\n");
  // The order of the lines does not matter.
  EXPECT_EQ(read_listing("tables: {Employee: {'*': Public, salary: Hidden}}\nversion: 1\n"),
            "employee.id Public\nemployee.name Public\nemployee.salary Hidden\nemployee.email Public\n"
            "department.id Hidden\ndepartment.name Hidden\n");
}

TEST(PolicyYaml, VersionAndDefaultAloneFitEveryDatabase) {
  const Catalog empty({});
  EXPECT_TRUE(parse_policy_yaml("version: 1\ndefault: Public\n", empty));
  EXPECT_EQ(read_listing("version: 1"), read_listing("version: 1\ndefault: Hidden\ntables:\n  employee:\n"));
  EXPECT_EQ(read_listing("version: 1\ndefault: Public").find("Hidden"), std::string::npos);
}

TEST(PolicyYaml, JsonIsReadToo) {
  EXPECT_EQ(read_listing(R"({"version": 1, "tables": {"department": {"*": "Public"}}})").substr(0, 18), "employee.id Hidden");
}

TEST(PolicyYaml, YamlsOwnWordsAreNames) {
  const Catalog catalog = catalog_from(R"(CREATE TABLE "no" ("null", "~", "12", true_, "yes", "", "a: b", "1.0"))");
  EXPECT_EQ(listing(catalog,
                    parse_policy_yaml("version: 1\ntables:\n  no: {null: Public, ~: Public, 12: Public, yes: Public, "
                                      "'': Public, 'a: b': Public, 1.0: Public}",
                                      catalog)),
            "no.null Public\nno.~ Public\nno.12 Public\nno.true_ Hidden\nno.yes Public\nno. Public\nno.a: b "
            "Public\nno.1.0 Public\n");
}

TEST(PolicyYaml, AByteOrderMarkAndWindowsLinesAreNoTrouble) {
  EXPECT_EQ(read_listing("\xEF\xBB\xBFversion: 1\r\ndefault: Public\r\ntables:\r\n  employee:\r\n    null: Public\r\n"),
            "p.yaml:5:5: table `employee` has no column `null`");
}

TEST(PolicyYaml, EveryMistakeHasItsPlaceAndItsRemedy) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "p.yaml:1:1: there is no policy here; `version: 1` was expected"},
      {"# nothing\n", "p.yaml:1:1: there is no policy here; `version: 1` was expected"},
      {"- version: 1\n", "p.yaml:1:1: a policy is a map with `version`, `default`, `min_group`, `accept`, `opened` and `tables`"},
      {"version\n", "p.yaml:1:1: a policy is a map with `version`, `default`, `min_group`, `accept`, `opened` and `tables`"},
      {"default: Public\n", "p.yaml:1:1: `version` is missing; write `version: 1`"},
      {"version: 2\n", "p.yaml:1:10: unsupported version `2`; this program reads `version: 1`"},
      {"version: [1]\n", "p.yaml:1:10: unsupported version; this program reads `version: 1`"},
      {"version: 1\ntable: {}\n", "p.yaml:2:1: unknown key `table`; a policy has `version`, `default`, `min_group`, `accept`, `opened` and `tables`"},
      {"version: 1\n? [a]\n: b\n", "p.yaml:2:3: a key was expected"},
      {"version: 1\nversion: 1\n", "p.yaml:2:1: duplicate key `version`; it is first given in line 1"},
      {"version: 1\ndefault: public\n",
       "p.yaml:2:10: unknown policy `public`; did you mean `Public`? (the policies are `Public`, `ConditionOnly`, "
       "`AggregateOnly` and `Hidden`)"},
      {"version: 1\ndefault:\n",
       "p.yaml:2:1: the policy of `default` must be `Public`, `ConditionOnly`, `AggregateOnly` or `Hidden`"},
      {"version: 1\ntables: [employee]\n", "p.yaml:2:9: `tables` must be a map from tables to their columns"},
      {"version: 1\ntables:\n  emplyee: {}\n", "p.yaml:3:3: unknown table `emplyee`; did you mean `employee`?"},
      {"version: 1\ntables:\n  employee: {nme: Public}\n",
       "p.yaml:3:14: table `employee` has no column `nme`; did you mean `name`?"},
      {"version: 1\ntables:\n  employee: Public\n",
       "p.yaml:3:13: table `employee` needs a map from columns to policies, such as `{\"*\": Public}`"},
      {"version: 1\ntables:\n  employee: {name: [Public]}\n",
       "p.yaml:3:20: the policy of column `name` must be `Public`, `ConditionOnly`, `AggregateOnly` or `Hidden`"},
      {"version: 1\ntables:\n  employee: {}\n  EMPLOYEE: {}\n",
       "p.yaml:4:3: duplicate table `EMPLOYEE`; it is first given in line 3"},
      {"version: 1\ntables:\n  employee:\n    name: Public\n    Name: Hidden\n",
       "p.yaml:5:5: duplicate column `Name`; it is first given in line 4"},
      {"version: 1\ntables:\n  employee: {\"*\": Public, '*': Hidden}\n",
       "p.yaml:3:27: duplicate column `*`; it is first given in line 3"},
      {"version: 1\n---\nversion: 1\n", "p.yaml:2:1: a second document; one file holds one policy"},
      {"version: &a 1\n", "p.yaml:1:10: an anchor (`&name`); write the value out where it is needed"},
      {"version: 1\ntables:\n  employee: {name: Public\n", nullptr},
      {"version: 1\ntables: {employee: {*: Public}}\n", nullptr},
      {"version: 1\n  default: Public\n", nullptr},
      {"version: 1\n\tdefault: Public\n", nullptr},
      {"version: '1\n", nullptr},
      {"%YAML 9.9\n---\nversion: 1\n", nullptr},
  };
  for (const auto& [text, message] : cases) {
    const std::string got = read_listing(text);
    if (message) {
      EXPECT_EQ(got, message) << text;
    } else {
      EXPECT_EQ(got.substr(0, 7), "p.yaml:") << text << got;
    }
  }
}

TEST(PolicyYaml, BytesThatAreNoTextAreErrors) {
  using namespace std::literals;
  EXPECT_EQ(read_listing("version: 1\n\0"sv), "p.yaml:2:1: a NUL byte; a policy is UTF-8 text");
  EXPECT_EQ(read_listing("version: 1\n\xff"), "p.yaml:2:1: a policy must be valid UTF-8");
  EXPECT_EQ(read_listing("\xff\xfev\0"sv), "p.yaml:1:4: a NUL byte; a policy is UTF-8 text");
}

TEST(PolicyYaml, EnormousTextsEndInAnError) {
  constexpr size_t kMegabyte = 1 << 20;
  std::string steps, question_marks, nested;
  for (size_t i = 0; i < kMegabyte / 2; ++i) steps += "- ";
  for (size_t i = 0; i < kMegabyte / 2; ++i) question_marks += "? ";
  for (size_t i = 0; i < 1000; ++i) nested += std::string(i, ' ') + "a:\n";
  for (const std::string& text :
       {std::string(kMegabyte, '['), std::string(kMegabyte, '{'), steps, question_marks, nested,
        "version: 1\ntables: " + std::string(kMegabyte, 'x'), "version: " + std::string(kMegabyte, '\xC3') + "\n"}) {
    const std::string got = read_listing(text);
    EXPECT_EQ(got.substr(0, 7), "p.yaml:") << got.substr(0, 200);
    EXPECT_LT(got.size(), 400u);
  }
  // Aliases that would unfold to more than any memory are never unfolded.
  std::string bomb = "a0: &a0 x\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + before + ", *a" + before + "]\n";
  }
  EXPECT_EQ(read_listing(bomb), "p.yaml:1:5: an anchor (`&name`); write the value out where it is needed");
}

TEST(PolicyYaml, EveryTruncationIsReadOrRefused) {
  const std::string whole =
      "version: 1\ndefault: Hidden\ntables:\n  \"employee\": {name: Public, 'salary': AggregateOnly}\n";
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::string got = read_listing(whole.substr(0, length));
    EXPECT_TRUE(got.starts_with("p.yaml:") || got.starts_with("employee.id Hidden")) << got;
  }
}

TEST(PolicyYaml, UnusableViewsAreNamedAsSuch) {
  const Catalog catalog = catalog_from("CREATE TABLE t (a); CREATE VIEW v AS SELECT \"loose\" AS x FROM t;");
  const auto policy = parse_policy_yaml("version: 1\ntables: {V: {x: Public}}", catalog);
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().message.find("view `V` cannot be used"), std::string::npos) << policy.error().message;
}

}  // namespace
}  // namespace pccsql
