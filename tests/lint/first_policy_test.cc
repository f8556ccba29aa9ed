// First policies, held against the reviewed lists: nothing personal comes out Public, and little that is harmless comes out Hidden.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "benchmark_data.h"
#include "check/check.h"
#include "lint/column_kinds.h"
#include "lint/first_policy.h"
#include "lint/lint.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

const std::string kLists = PCCSQL_ROOT "/tests/lint/first_policy/";

struct Figures {
  std::array<std::array<size_t, 4>, kColumnKinds.size()> count{};  // by kind and label
  std::vector<std::string> wrong;                                  // open though personal
  std::vector<std::string> shut;                                   // Hidden though harmless

  size_t of(ColumnKind kind) const {
    size_t sum = 0;
    for (const size_t n : count[static_cast<size_t>(kind)]) sum += n;
    return sum;
  }
  size_t of(ColumnKind kind, ColumnPolicy label) const {
    return count[static_cast<size_t>(kind)][static_cast<size_t>(label)];
  }

  void add(const Catalog& catalog, const FirstPolicy& first, const std::vector<std::vector<ColumnKind>>& kinds,
           PeopleNames people) {
    for (TableId t = 0; t < catalog.tables().size(); ++t) {
      for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
        if (catalog.table(t).kind == TableKind::Virtual) continue;
        const ColumnKind kind = kinds[t][c];
        const ColumnPolicy label = first.policy.of({t, c});
        ++count[static_cast<size_t>(kind)][static_cast<size_t>(label)];
        const std::string name = catalog.name() + " " + catalog.table(t).name + "." + catalog.table(t).columns[c].name +
                                 "  (" + first.reasons[t][c] + ")";
        const bool closed = kind == ColumnKind::Personal || (kind == ColumnKind::Person && people == PeopleNames::Hidden);
        if (closed && label == ColumnPolicy::Public) wrong.push_back(name);
        if (kind == ColumnKind::Harmless && label == ColumnPolicy::Hidden) shut.push_back(name);
      }
    }
  }

  void print(const char* what) const {
    std::printf("%s\n           ", what);
    for (const ColumnPolicy label : kColumnPolicies) std::printf("  %s", std::string(to_string(label)).c_str());
    for (size_t k = 0; k < kColumnKinds.size(); ++k) {
      std::printf("\n  %-9s", std::string(kColumnKinds[k]).c_str());
      for (size_t l = 0; l < 4; ++l) std::printf("%*zu", static_cast<int>(to_string(kColumnPolicies[l]).size() + 2), count[k][l]);
    }
    std::printf("\n");
    for (const std::string& name : shut) std::printf("  Hidden though harmless: %s\n", name.c_str());
  }
};

std::string listed(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

enum class Look { No, Yes };

// What any first policy must be: readable, itself again when it is read, without findings but for those that hang on the
// database alone.
void expect_sound(const Catalog& catalog, const FirstPolicy& first, const FirstPolicySettings& settings) {
  const std::string yaml = to_yaml(catalog, first, settings, {});
  const auto again = parse_policy_yaml(yaml, catalog, "policy.yaml");
  ASSERT_TRUE(again) << again.error().to_string() << "\n" << yaml;
  EXPECT_EQ(to_yaml(catalog, *again), to_yaml(catalog, first.policy));
  for (const Warning& warning : lint(catalog, *again)) {
    const bool expected = warning.kind == Finding::Rowid || warning.kind == Finding::Index;
    EXPECT_TRUE(expected) << warning.message << "\n" << yaml;
  }
}

FirstPolicy propose(const Catalog& catalog, const std::string& database, Look look, const FirstPolicySettings& settings) {
  std::vector<TableLook> looks;
  if (look == Look::Yes) {
    auto data = DataLook::open({database}, catalog, std::chrono::seconds(60));
    EXPECT_TRUE(data) << data.error().to_string();
    for (TableId id = 0; data && id < catalog.tables().size(); ++id) looks.push_back(data->sample(id));
  }
  return first_policy(catalog, looks, settings);
}

// The databases made from the texts beside the list.
Figures own_figures(Look look, PeopleNames people) {
  const Scratch scratch;
  Figures figures;
  for (const ListedDatabase& listed : read_column_kinds(kLists + "own.txt")) {
    const auto sql = read_file(kLists + listed.name + ".sql");
    EXPECT_TRUE(sql);
    const std::string path = scratch.database(listed.name + ".sqlite", *sql);
    const auto catalog = read_sqlite_catalog(path);
    EXPECT_TRUE(catalog) << catalog.error().to_string();
    const FirstPolicySettings settings{people, 5};
    const FirstPolicy first = propose(*catalog, path, look, settings);
    expect_sound(*catalog, first, settings);
    figures.add(*catalog, first, kinds_for(*catalog, listed), people);
  }
  return figures;
}

// Those of Spider; nothing where the data are missing.
std::optional<Figures> spider_figures(Look look, PeopleNames people, bool held) {
  const auto folder = data_folder();
  if (!folder) return std::nullopt;
  Figures figures;
  size_t databases = 0;
  for (const ListedDatabase& listed : read_column_kinds(kLists + "spider.txt")) {
    if (listed.held != held) continue;
    const std::string path = *folder + "/spider/database/" + listed.name + "/" + listed.name + ".sqlite";
    if (!std::filesystem::exists(path)) return std::nullopt;
    const auto catalog = read_sqlite_catalog(path);
    EXPECT_TRUE(catalog) << catalog.error().to_string();
    const FirstPolicySettings settings{people, 5};
    const FirstPolicy first = propose(*catalog, path, look, settings);
    expect_sound(*catalog, first, settings);
    figures.add(*catalog, first, kinds_for(*catalog, listed), people);
    ++databases;
  }
  EXPECT_EQ(databases, held ? 8u : 20u);
  return figures;
}

void expect_closed_and_useful(const Figures& figures) {
  EXPECT_EQ(listed(figures.wrong), "");
  EXPECT_GT(figures.of(ColumnKind::Personal), 0u);
  EXPECT_LE(figures.of(ColumnKind::Harmless, ColumnPolicy::Hidden) * 10, figures.of(ColumnKind::Harmless))
      << listed(figures.shut);
}

TEST(FirstPolicy, KeepsPersonalColumnsOfTheDatabasesMadeHere) {
  for (const PeopleNames people : {PeopleNames::Hidden, PeopleNames::Public}) {
    const Figures figures = own_figures(Look::Yes, people);
    expect_closed_and_useful(figures);
    EXPECT_GE(figures.of(ColumnKind::Personal), 60u);
    figures.print(people == PeopleNames::Hidden ? "made here, with values" : "made here, with values, --people public");
  }
}

TEST(FirstPolicy, KeepsPersonalColumnsOfTwentySpiderDatabases) {
  for (const Look look : {Look::No, Look::Yes}) {
    for (const PeopleNames people : {PeopleNames::Hidden, PeopleNames::Public}) {
      const auto figures = spider_figures(look, people, false);
      if (!figures) GTEST_SKIP() << kNoData;
      expect_closed_and_useful(*figures);
      if (people == PeopleNames::Hidden) figures->print(look == Look::Yes ? "spider, with values" : "spider, names alone");
    }
  }
}

TEST(FirstPolicy, KeepsPersonalColumnsOfSpiderDatabasesThatNoListWasFittedTo) {
  for (const Look look : {Look::No, Look::Yes}) {
    const auto figures = spider_figures(look, PeopleNames::Hidden, true);
    if (!figures) GTEST_SKIP() << kNoData;
    figures->print(look == Look::Yes ? "spider, held aside, with values" : "spider, held aside, names alone");
    EXPECT_EQ(listed(figures->wrong), "");
  }
}

// From tables.json alone: names, types, keys.
TEST(FirstPolicy, OfBirdDatabasesFullOfPeople) {
  const auto folder = data_folder();
  const std::string file = folder ? *folder + "/bird/train/train_tables.json" : "";
  if (!folder || !std::filesystem::exists(file)) GTEST_SKIP() << kNoData;
  const auto catalogs = read_tables_json(file);
  ASSERT_TRUE(catalogs) << catalogs.error().to_string();
  Figures figures;
  for (const ListedDatabase& listed : read_column_kinds(kLists + "bird.txt")) {
    const auto catalog = std::ranges::find(*catalogs, listed.name, &Catalog::name);
    ASSERT_NE(catalog, catalogs->end()) << listed.name;
    const FirstPolicySettings settings;
    const FirstPolicy first = first_policy(*catalog, {}, settings);
    expect_sound(*catalog, first, settings);
    figures.add(*catalog, first, kinds_for(*catalog, listed), settings.people);
  }
  figures.print("bird, full of people, names alone");
  EXPECT_EQ(listed(figures.wrong), "");
}

// --- properties

// A schema of random tables: names from a list that has everything a name can be, keys, foreign keys, views, generated columns.
std::string random_schema(std::mt19937& random) {
  const std::vector<std::string> words{
      "id", "name", "email", "salary", "key", "row", "min_group", "columns", "accept", "*", "a\"b", "x'y", "naïve", "Straße", "no", "null", "12",
      "user_id", "order", "status", "notes", "total", "birth_date", "city", "iban", "# x", "a: b", "tab\there", "line\nbreak", "customer", "patient",
      "employee", "product", "ref_type", "lat", "grade", "photo", "price", "is_male", "first_name", "код", "diagnosis", "date_of_notes"};
  const std::vector<std::string> types{"INTEGER", "TEXT", "REAL", "DECIMAL(8, 2)", "BLOB", "", "BOOLEAN", "DATE", "VARCHAR(20)"};
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  std::string ddl;
  std::vector<std::string> tables;
  for (size_t t = 0, count = 1 + below(5); t < count; ++t) {
    const std::string table = words[below(words.size())] + (below(2) == 0 ? "" : "_" + std::to_string(t));
    if (std::ranges::any_of(tables, [&](const std::string& other) { return equal_folded(other, table); })) continue;
    std::set<std::string> columns;
    for (size_t c = 0, wide = 1 + below(8); c < wide; ++c) columns.insert(words[below(words.size())]);
    std::string body, first;
    for (const std::string& column : columns) {
      body += (body.empty() ? "" : ", ") + quoted_identifier(column) + " " + types[below(types.size())];
      if (first.empty()) first = column;
      if (body.size() == 0 || below(6) != 0 || tables.empty()) continue;
      body += " REFERENCES " + quoted_identifier(tables[below(tables.size())]);
    }
    if (below(3) == 0) body += ", \"made\" AS (" + quoted_identifier(first) + ")";
    if (below(2) == 0) body += ", PRIMARY KEY (" + quoted_identifier(first) + ")";
    ddl += "CREATE TABLE " + quoted_identifier(table) + " (" + body + ");\n";
    if (below(3) == 0) {
      ddl += "CREATE VIEW " + quoted_identifier("view of " + std::to_string(t)) + " AS SELECT * FROM " + quoted_identifier(table) + ";\n";
    }
    tables.push_back(table);
  }
  return ddl;
}

TEST(FirstPolicy, IsSoundForWhateverSchema) {
  std::mt19937 random(5);
  size_t checked = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string ddl = random_schema(random);
    const auto catalog = read_ddl_catalog(ddl);
    if (!catalog) continue;  // a reference that SQLite does not take
    const FirstPolicySettings settings{round % 2 == 0 ? PeopleNames::Hidden : PeopleNames::Public, 5};
    const FirstPolicy first = first_policy(*catalog, {}, settings);
    SCOPED_TRACE(ddl);
    expect_sound(*catalog, first, settings);
    SqliteChecker checker(*catalog);
    for (TableId t = 0; t < catalog->tables().size(); ++t) {
      const Table& table = catalog->table(t);
      for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
        EXPECT_FALSE(first.reasons[t][c].empty());
        const Judgement judged = checker.check("SELECT " + quoted_identifier(table.columns[c].name) + " FROM " + quoted_identifier(table.name),
                                               first.policy);
        const bool open = first.policy.of({t, c}) == ColumnPolicy::Public;
        EXPECT_EQ(judged.verdict, open ? Verdict::Safe : Verdict::Unsafe) << judged.reason;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 2000u);
}

TEST(FirstPolicy, OfTenThousandColumnsTakesUnderASecond) {
  std::string ddl;
  const char* names[] = {"customer_name", "homeAddress", "order_total", "geburtsdatum", "status", "city_code", "fecha_pedido", "x17", "remark", "id_no"};
  for (int t = 0; t < 200; ++t) {
    ddl += "CREATE TABLE t" + std::to_string(t) + " (id INTEGER PRIMARY KEY";
    for (int c = 1; c < 50; ++c) ddl += ", " + std::string(names[c % 10]) + std::to_string(c) + " TEXT";
    ddl += ");\n";
  }
  const auto catalog = read_ddl_catalog(ddl);
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const std::clock_t begin = std::clock();  // of this process: the machine may be busy with others
  const FirstPolicySettings settings;
  const std::string yaml = to_yaml(*catalog, first_policy(*catalog, {}, settings), settings, {});
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("10,000 columns: %.3f s\n", took);
  EXPECT_LT(took, 1.0);
  EXPECT_TRUE(parse_policy_yaml(yaml, *catalog));
}

TEST(DataLook, EndsWhenItsTimeIsOver) {
  const Scratch scratch;
  // Every look at this view would take minutes.
  const std::string path = scratch.database(
      "slow.sqlite", "CREATE TABLE n (id INTEGER PRIMARY KEY, x TEXT);"
                     "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 3000) INSERT INTO n SELECT i, 'x' || i FROM c;"
                     "CREATE VIEW slow1 AS SELECT COUNT(*) AS a FROM n a, n b, n c; CREATE VIEW slow2 AS SELECT COUNT(*) AS a FROM n a, n b, n c;"
                     "CREATE VIEW slow3 AS SELECT COUNT(*) AS a FROM n a, n b, n c; CREATE TABLE z (y TEXT)");
  const auto catalog = read_sqlite_catalog(path);
  ASSERT_TRUE(catalog);
  auto data = DataLook::open({path}, *catalog, std::chrono::milliseconds(1200));
  ASSERT_TRUE(data) << data.error().to_string();
  const auto begin = std::chrono::steady_clock::now();
  std::vector<TableLook> looks;
  for (TableId t = 0; t < catalog->tables().size(); ++t) looks.push_back(data->sample(t));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 6.0);
  EXPECT_TRUE(data->is_incomplete());
  const auto look = [&](const char* table) -> const TableLook& { return looks[*catalog->find_table(table)]; };
  EXPECT_TRUE(look("n").looked);
  EXPECT_FALSE(look("slow3").looked);
  const FirstPolicySettings settings;
  const std::string yaml = to_yaml(*catalog, first_policy(*catalog, looks, settings), settings, looks);
  EXPECT_NE(yaml.find("# No values were seen, in the time that there was, of\n"), std::string::npos) << yaml;
}

TEST(DataLook, SamplesFromAllOverATable) {
  const Scratch scratch;
  const std::string path = scratch.database(
      "long.sqlite", "CREATE TABLE n (id INTEGER PRIMARY KEY, label TEXT);"
                     "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 40000)"
                     "INSERT INTO n SELECT i, CASE WHEN i < 20000 THEN 'plain' ELSE 'p' || i || '@example.org' END FROM c");
  const auto catalog = read_sqlite_catalog(path);
  ASSERT_TRUE(catalog);
  auto data = DataLook::open({path}, *catalog);
  ASSERT_TRUE(data);
  const TableLook look = data->sample(0);
  ASSERT_TRUE(look.looked);
  EXPECT_EQ(look.rows, 500u);
  EXPECT_GT(look.columns[1].of(ValueKind::Email), 200u);
  EXPECT_EQ(look.columns[0].distinct, 500u);
}

}  // namespace
}  // namespace pccsql
