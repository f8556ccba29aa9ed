// Gold queries in canonical style, as models are made to write: where one of them is admitted, there is a completion, and
// the tracker admits it byte by byte. Schemas that people made have columns called From, No and Match.
#include <algorithm>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "base/text.h"
#include "benchmark_data.h"
#include "suite/column_policies.h"
#include "suite/gold.h"
#include "syntax/lexer.h"
#include "track/attack/ground.h"
#include "track/sql_tracker.h"
#include "track/world.h"

namespace pccsql::attack {
namespace {

std::string capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// As it is declared; a name that is none of the schema's, in small letters or as it stands.
std::map<std::string, std::string> spellings(const Catalog& catalog) {
  std::map<std::string, std::string> declared;
  for (const Table& table : catalog.tables()) {
    declared.emplace(folded(table.name), table.name);
    for (const Column& column : table.columns) declared.emplace(folded(column.name), column.name);
  }
  return declared;
}

// Keywords and functions in capitals, names as they are declared, single blanks.
std::string canonical(std::string_view sql, const std::map<std::string, std::string>& declared) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  std::string out;
  for (size_t i = 0; i + 1 < lexemes.size(); ++i) {
    const std::string_view text = sql.substr(lexemes[i].span.begin, lexemes[i].span.end - lexemes[i].span.begin);
    std::string written(text);
    const bool call = lexemes[i + 1].terminal == Terminal::LeftParen;
    if (lexemes[i].terminal == Terminal::Name && lexemes[i].quote == Quote::None && !call) {
      const auto known = declared.find(folded(text));
      if (known != declared.end()) written = known->second;
    } else if (lexemes[i].terminal == Terminal::Name ? call : terminal_of(text) != Terminal::Illegal) {
      written = capitals(text);
    }
    const bool glued = written == "." || written == "," || written == ")" || written == "(" || out.ends_with('.') ||
                       out.ends_with('(') || out.empty();
    out += (glued ? "" : " ") + written;
  }
  return out;
}

struct Found {
  size_t queries = 0, whole = 0, prefixes = 0;
  std::vector<std::string> bad;
};

void complete(SqlTracker& tracker, const std::string& text, Found& found) {
  PrefixId at = tracker.start();
  ++found.queries;
  for (size_t i = 0; i < text.size(); ++i) {
    at = tracker.push(at, static_cast<uint8_t>(text[i]));
    if (at == kDead) return;
    if (i % 5 != 0 && text[i] != ' ' && text[i] != '.') continue;
    ++found.prefixes;
    const uint32_t mark = tracker.mark();
    const std::optional<std::string> rest = tracker.completion(at);
    PrefixId end = rest ? at : kDead;
    for (size_t k = 0; rest && k < rest->size() && end != kDead; ++k) {
      end = tracker.push(end, static_cast<uint8_t>((*rest)[k]));
    }
    const bool ends = end != kDead && tracker.may_end(end);
    tracker.release(mark);
    if (ends) continue;
    found.bad.push_back(text.substr(0, i + 1) + " + " + rest.value_or("(no completion)"));
    return;
  }
  ++found.whole;
}

void complete_gold(const GoldData& data, Split split, bool all_public) {
  const std::vector<Policy> policies = column_policies(data);
  std::map<std::string, std::vector<std::string>> by_database;
  for (const GoldQuery& query : data.queries(split)) by_database[query.db_id].push_back(query.sql);
  Found found;
  for (const auto& [db_id, texts] : by_database) {
    const size_t index = data.find_catalog(db_id).value();
    const Catalog& catalog = data.catalogs[index];
    TrackSettings settings;
    settings.style = Style::Canonical;
    const Policy policy = all_public ? Policy(catalog, ColumnPolicy::Public) : policies[index];
    const auto world = World::make(catalog, policy, settings);
    const auto declared = spellings(catalog);
    SqlTracker tracker(*world);
    for (const std::string& text : texts) complete(tracker, canonical(text, declared), found);
  }
  std::cout << data.name << (split == Split::Dev ? " dev" : " train") << ": " << found.queries << " queries, "
            << found.whole << " admitted to their end, " << found.prefixes << " prefixes completed\n";
  EXPECT_GT(found.whole, found.queries / (all_public ? 2 : 4));
  EXPECT_EQ(found.bad.size(), 0u);
  for (size_t i = 0; i < std::min<size_t>(found.bad.size(), 10); ++i) ADD_FAILURE() << found.bad[i];
}

TEST(CanonicalGold, Spider) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_spider(*folder + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  for (const bool all_public : {true, false}) {
    complete_gold(*data, Split::Dev, all_public);
    complete_gold(*data, Split::Train, all_public);
  }
}

TEST(CanonicalGold, Bird) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_bird(*folder + "/bird");
  ASSERT_TRUE(data) << data.error().to_string();
  for (const bool all_public : {true, false}) complete_gold(*data, Split::Dev, all_public);
}

}  // namespace
}  // namespace pccsql::attack
