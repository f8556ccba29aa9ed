// docs/policy.md promises a verdict for each of its examples: they are judged here, against the demo database. An example
// is a row of a table whose last two cells are a query in backticks and its verdict, `unsafe / safe` where strict and
// paper differ. Those of the section on minimum groups are about the demo's policy as it is, the others about the demo
// without its minimum. `left out` there is a query that is safe, and shows nothing when it is run.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <set>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "check/check.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

struct Example {
  size_t line = 0;
  bool about_minimums = false;
  std::string sql;
  std::string strict;
  std::string paper;
};

// The cells of a table's row; `\|` is a bar inside a cell.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::string cell;
  for (size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|') {
      cell += row[++i];
    } else if (row[i] == '|') {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += row[i];
    }
  }
  return cells;
}

std::vector<Example> examples_of(const std::string& page) {
  std::vector<Example> examples;
  std::istringstream in(page);
  size_t number = 0;
  bool about_minimums = false;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("## ")) about_minimums = line == "## Minimum group size";
    if (!line.starts_with("|")) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 2) continue;
    const std::string& sql = cells[cells.size() - 2];
    const std::string& verdict = cells.back();
    if (sql.size() < 2 || !sql.starts_with('`') || !sql.ends_with('`')) continue;
    const size_t slash = verdict.find(" / ");
    examples.push_back({number, about_minimums, sql.substr(1, sql.size() - 2), verdict.substr(0, slash),
                        slash == std::string::npos ? verdict : verdict.substr(slash + 3)});
  }
  return examples;
}

std::string text_of(const std::string& path) {
  const Result<std::string> text = read_file(std::string(PCCSQL_ROOT "/") + path);
  EXPECT_TRUE(text) << text.error().to_string();
  return text ? *text : "";
}

// The demo's database, without the program that runs queries on it.
class Company {
 public:
  Company() {
    sqlite3_open(":memory:", &db_);
    for (const char* file : {"examples/hr/schema.sql", "examples/hr/data.sql"}) {
      EXPECT_EQ(sqlite3_exec(db_, text_of(file).c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
    }
  }
  ~Company() { sqlite3_close(db_); }
  Company(const Company&) = delete;
  Company& operator=(const Company&) = delete;

  // How many a query gives.
  int rows(const std::string& sql) {
    int count = 0;
    const auto one_more = [](void* counted, int, char**, char**) { return ++*static_cast<int*>(counted), 0; };
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), one_more, &count, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
    return count;
  }

  // The one value that a query gives.
  std::string value(const std::string& sql) {
    std::string text;
    const auto keep = [](void* kept, int, char** values, char**) {
      *static_cast<std::string*>(kept) = values[0] != nullptr ? values[0] : "NULL";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), keep, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
    return text;
  }

 private:
  sqlite3* db_ = nullptr;
};

TEST(PolicyPage, EveryExampleHasTheVerdictItStates) {
  const Result<Catalog> catalog = read_ddl_catalog(text_of("examples/hr/schema.sql"));
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const Result<Policy> demo = parse_policy_yaml(text_of("examples/hr/policy.yaml"), *catalog);
  ASSERT_TRUE(demo) << demo.error().to_string();
  Policy open = *demo;
  for (TableId table = 0; table < open.tables(); ++table) open.set_group(table, {});
  Company company;
  SqliteChecker strict(*catalog, {Profile::Strict, Language::Full});
  SqliteChecker paper(*catalog, {Profile::Paper, Language::Full});

  const std::vector<Example> examples = examples_of(text_of("docs/policy.md"));
  EXPECT_GE(examples.size(), 90u);
  std::set<std::string> stated;
  for (const Example& example : examples) {
    const Policy* const policy = example.about_minimums ? &*demo : &open;
    const bool left_out = example.strict == "left out";
    stated.insert(example.strict);
    const Judgement by_strict = strict.check(example.sql, *policy);
    if (example.about_minimums && by_strict.verdict == Verdict::Safe) {
      const auto run = strict.run_text(example.sql, *policy);
      ASSERT_TRUE(run) << run.error().to_string();
      EXPECT_EQ(company.rows(run->sql) == 0, left_out) << "docs/policy.md:" << example.line << " " << run->sql;
    }
    EXPECT_EQ(to_string(by_strict.verdict), left_out ? "safe" : example.strict)
        << "docs/policy.md:" << example.line << " strict: " << example.sql << "\n  " << by_strict.reason;
    const Judgement by_paper = paper.check(example.sql, *policy);
    EXPECT_EQ(to_string(by_paper.verdict), example.paper == "left out" ? "safe" : example.paper)
        << "docs/policy.md:" << example.line << " paper: " << example.sql << "\n  " << by_paper.reason;
  }
  EXPECT_EQ(stated, (std::set<std::string>{"error", "left out", "outside", "safe", "unsafe"}));
}

// Two permitted queries whose difference is one person's salary, and the one that asks for the difference, in this order.
TEST(PolicyPage, TheDifferenceBetweenTwoQueriesIsAsThePageSays) {
  const Result<Catalog> catalog = read_ddl_catalog(text_of("examples/hr/schema.sql"));
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const Result<Policy> demo = parse_policy_yaml(text_of("examples/hr/policy.yaml"), *catalog);
  ASSERT_TRUE(demo) << demo.error().to_string();
  SqliteChecker strict(*catalog, {Profile::Strict, Language::Full});
  Company company;

  const std::string page = text_of("docs/policy.md");
  std::istringstream in(page.substr(page.find("- **Differences between two queries.**")));
  std::vector<std::pair<std::string, std::string>> queries;  // and what the page says that comes out
  for (std::string line; std::getline(in, line) && queries.size() < 3;) {
    line = trimmed(line);
    if (!line.starts_with("SELECT")) continue;
    const size_t comment = line.find("-- ");
    const std::string said = comment == std::string::npos ? "" : line.substr(comment + 3);
    queries.emplace_back(trimmed(line.substr(0, comment)), said.substr(0, said.find(',')));
  }
  ASSERT_EQ(queries.size(), 3u);
  for (size_t i = 0; i < 2; ++i) {
    const auto run = strict.run_text(queries[i].first, *demo);
    ASSERT_TRUE(run) << run.error().to_string();
    EXPECT_TRUE(run->changed());
    EXPECT_EQ(company.value(run->sql), queries[i].second) << run->sql;
  }
  const std::string difference = company.value("SELECT (" + queries[0].first + ") - (" + queries[1].first + ")");
  EXPECT_EQ(difference, company.value("SELECT salary FROM employee WHERE name = 'Ada Greene'"));
  EXPECT_EQ(difference, company.value(queries[2].first));
  EXPECT_NE(page.find("The one less the other is " + difference + ","), std::string::npos);
  EXPECT_EQ(strict.check(queries[2].first, *demo).verdict, Verdict::Unsafe);
}

TEST(PolicyPage, ThePolicyFileShownIsOne) {
  const Result<Catalog> catalog = read_ddl_catalog(text_of("examples/hr/schema.sql"));
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const std::string page = text_of("docs/policy.md");
  const std::string open = "```yaml\n";
  const size_t begin = page.find(open);
  ASSERT_NE(begin, std::string::npos);
  const size_t end = page.find("```", begin + open.size());
  const Result<Policy> policy =
      parse_policy_yaml(page.substr(begin + open.size(), end - begin - open.size()), *catalog);
  ASSERT_TRUE(policy) << policy.error().to_string();
  const auto label = [&](const char* table, const char* column) {
    return policy->of(*catalog->find_column(table, column));
  };
  EXPECT_EQ(label("employee", "name"), ColumnPolicy::Public);
  EXPECT_EQ(label("employee", "salary"), ColumnPolicy::AggregateOnly);
  EXPECT_EQ(label("employee", "manager_id"), ColumnPolicy::ConditionOnly);
  EXPECT_EQ(label("department", "budget"), ColumnPolicy::Hidden);
  EXPECT_EQ(label("office", "city"), ColumnPolicy::Hidden);
}

// The page repeats the permission table for readers; it must be the program's.
TEST(PolicyPage, ThePermissionTableIsTheProgram) {
  std::istringstream in(text_of("docs/policy.md"));
  size_t rows = 0;
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> cells = line.starts_with("|") ? cells_of(line) : std::vector<std::string>{};
    if (cells.size() != 6) continue;
    const auto policy = parse_column_policy(cells[0]);
    if (!policy) continue;
    ++rows;
    for (size_t i = 0; i < kRoles.size(); ++i) {
      EXPECT_EQ(cells[i + 1], permitted(*policy, kRoles[i]) ? "yes" : "no") << line;
    }
  }
  EXPECT_EQ(rows, 4u);
}

}  // namespace
}  // namespace pccsql
