// What docs/policy.md shows of first policies, of acceptances and of the record: each block is held against the program.
#include <gtest/gtest.h>

#include "base/file.h"
#include "lint/accepted.h"
#include "lint/first_policy.h"
#include "lint/opened.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

std::string page_text(const std::string& path) {
  const Result<std::string> text = read_file(std::string(PCCSQL_ROOT "/") + path);
  EXPECT_TRUE(text) << text.error().to_string();
  return text ? *text : "";
}

// The block that begins with ```yaml and the word.
std::string block(const std::string& word) {
  const std::string page = page_text("docs/policy.md");
  const std::string open = "```yaml " + word + "\n";
  const size_t begin = page.find(open);
  EXPECT_NE(begin, std::string::npos) << word;
  if (begin == std::string::npos) return {};
  return page.substr(begin + open.size(), page.find("```", begin + open.size()) - begin - open.size());
}

Catalog demo_catalog() { return *read_ddl_catalog(page_text("examples/hr/schema.sql")); }

TEST(PolicyPage, TheFirstPolicyShownIsTheProgram) {
  const std::string page = page_text("docs/policy.md");
  const std::string before = "For `";
  const size_t begin = page.find(before + "CREATE TABLE payment");
  ASSERT_NE(begin, std::string::npos);
  const size_t first = begin + before.size();
  const std::string ddl = page.substr(first, page.find('`', first) - first);
  const auto catalog = read_ddl_catalog(ddl);
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const FirstPolicySettings settings;
  const std::string yaml = to_yaml(*catalog, first_policy(*catalog, {}, settings), settings, {});
  EXPECT_NE(yaml.find(block("init")), std::string::npos) << yaml;
}

TEST(PolicyPage, TheAcceptancesShownHold) {
  const Catalog catalog = demo_catalog();
  PolicyNotes notes;
  const auto policy = parse_policy_yaml(block("lint"), catalog, {}, &notes);
  ASSERT_TRUE(policy) << policy.error().to_string();
  std::string accepted;
  for (const auto& [warning, reason] : settle(catalog, lint(catalog, *policy), notes, false).accepted) {
    accepted += std::string(to_string(warning.kind)) + " " + warning.table + "." + warning.column + "\n";
  }
  EXPECT_EQ(accepted, "rowid employee.id\nindex employee.department_id\n");
}

TEST(PolicyPage, TheRecordShownIsOne) {
  const Catalog catalog = demo_catalog();
  PolicyNotes notes;
  const std::string text = block("diff");
  const auto policy = parse_policy_yaml(text, catalog, {}, &notes);
  ASSERT_TRUE(policy) << policy.error().to_string();
  EXPECT_TRUE(lint_opened(catalog, *policy, notes).empty());
  EXPECT_EQ(*with_record(text, catalog, "policy.yaml"), text);
}

TEST(PolicyPage, EveryFindingHasItsLine) {
  const std::string page = page_text("docs/policy.md");
  for (const Finding finding : kFindings) {
    EXPECT_NE(page.find(" | `" + std::string(to_string(finding)) + "` |\n"), std::string::npos) << to_string(finding);
  }
}

}  // namespace
}  // namespace pccsql
