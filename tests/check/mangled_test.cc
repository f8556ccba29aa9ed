// Golden queries, mangled: words dropped, doubled, swapped, replaced by words of other queries. Nobody wrote down what
// these use, but SQLite is there to ask: what the checker says runs is prepared, and every column that SQLite's
// authorizer sees it read is among the uses that strict counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <set>

#include "base/text.h"
#include "check/golden_file.h"
#include "exec/database.h"

namespace pccsql::golden {
namespace {

using Words = std::vector<std::string>;

bool is_name_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Names and numbers, quoted things, blanks dropped, every other byte on its own. Good enough to cut queries at.
Words words_of(const std::string& sql) {
  Words words;
  for (size_t i = 0; i < sql.size();) {
    const size_t begin = i;
    if (std::isspace(static_cast<unsigned char>(sql[i])) != 0) {
      ++i;
      continue;
    }
    const char close = sql[i] == '[' ? ']' : sql[i] == '\'' || sql[i] == '"' || sql[i] == '`' ? sql[i] : '\0';
    if (close != '\0') {
      i = std::min(sql.find(close, i + 1), sql.size() - 1) + 1;
    } else if (is_name_byte(sql[i])) {
      while (i < sql.size() && is_name_byte(sql[i])) ++i;
    } else {
      ++i;
    }
    words.push_back(sql.substr(begin, i - begin));
  }
  return words;
}

std::string joined(const Words& words) {
  std::string sql;
  for (const std::string& word : words) {
    if (!sql.empty()) sql += ' ';
    sql += word;
  }
  return sql;
}

class Mangler {
 public:
  // Queries are those of the file; words and stretches come from all files about the same tables.
  Mangler(const File& file, uint32_t seed) : random_(seed) {
    for (const File& other : all_files()) {
      if (other.schema != file.schema) continue;
      for (const Case& one : other.cases) {
        others_.push_back(words_of(one.sql));
        if (&other == &file) queries_.push_back(others_.back());
      }
    }
  }

  std::string next() {
    Words words = pick(queries_);
    const size_t changes = 1 + below(3);
    for (size_t i = 0; i < changes && !words.empty(); ++i) change(words);
    return joined(words);
  }

 private:
  size_t below(size_t n) { return random_() % n; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

  void change(Words& words) {
    const auto at = [&] { return words.begin() + static_cast<std::ptrdiff_t>(below(words.size())); };
    const Words& other = pick(others_);
    switch (below(6)) {
      case 0:
        words.erase(at());
        break;
      case 1:
        words.insert(at(), *at());
        break;
      case 2:
        std::iter_swap(at(), at());
        break;
      case 3:
        *at() = pick(other);
        break;
      case 4:
        words.insert(at(), pick(other));
        break;
      default: {  // a stretch of another query in place of one word
        const size_t begin = below(other.size());
        const size_t length = std::min(1 + below(8), other.size() - begin);
        const auto from = other.begin() + static_cast<std::ptrdiff_t>(begin);
        const Words stretch(from, from + static_cast<std::ptrdiff_t>(length));
        const auto place = words.erase(at());
        words.insert(place, stretch.begin(), stretch.end());
      }
    }
  }

  std::mt19937 random_;
  std::vector<Words> queries_;
  std::vector<Words> others_;
};

bool has_views(const Catalog& catalog) {
  return std::ranges::any_of(catalog.tables(), [](const Table& table) { return table.kind == TableKind::View; });
}

// For ORDER BY of a set operation SQLite tries the term on the tables of each branch before it settles for an output
// column, and reports what it tried.
bool tries_in_vain(const std::string& sql) {
  const std::string text = folded(sql);
  const auto holds = [&](const char* word) { return text.find(word) != std::string::npos; };
  return holds("order by") && (holds("union") || holds("intersect") || holds("except"));
}

// Set PCCSQL_MANGLED to try more than the usual number of queries a file.
size_t rounds() {
  const char* wanted = std::getenv("PCCSQL_MANGLED");
  return wanted == nullptr ? 1500 : std::strtoul(wanted, nullptr, 10);
}

class Mangled : public testing::TestWithParam<const File*> {};

TEST_P(Mangled, WhatRunsIsPreparedAndReadsNoMoreThanIsCounted) {
  const File& file = *GetParam();
  const Result<std::unique_ptr<World>> made = make_world(file);
  ASSERT_TRUE(made) << made.error().to_string();
  World& world = **made;
  Result<Database> db = Database::in_memory(file.schema);
  ASSERT_TRUE(db) << db.error().to_string();
  const bool compare_reads = !has_views(world.catalog);  // under a view SQLite reports the view's own tables as well
  Mangler mangler(file, 20240611);
  size_t running = 0;
  for (size_t i = 0; i < rounds(); ++i) {
    const std::string sql = mangler.next();
    const Judgement judgement = world.strict.check(sql, world.policy);
    if (judgement.verdict != Verdict::Safe && judgement.verdict != Verdict::Unsafe) continue;
    ++running;
    const Prepared prepared = db->prepare(sql);
    EXPECT_TRUE(prepared.ok) << sql << "\n  judged " << to_string(judgement.verdict) << ", SQLite says "
                             << prepared.message;
    if (!compare_reads || tries_in_vain(sql)) continue;
    std::set<std::pair<std::string, std::string>> counted;
    for (const Occurrence& use : judgement.uses) {
      counted.emplace(folded(world.catalog.table(use.column.table).name),
                      folded(world.catalog.column(use.column).name));
    }
    for (const auto& read : prepared.reads) {
      if (read.second.empty() || counted.contains(read)) continue;
      ADD_FAILURE() << sql << "\n  SQLite reads " << read.first << "." << read.second << ", which is not counted";
    }
  }
  EXPECT_GT(running, 0u) << "no mangled query runs: nothing was compared";
}

std::vector<const File*> files() {
  std::vector<const File*> found;
  for (const File& file : all_files()) found.push_back(&file);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Files, Mangled, testing::ValuesIn(files()), [](const auto& each) { return each.param->name; });

}  // namespace
}  // namespace pccsql::golden
