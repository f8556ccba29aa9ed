// Random sentences of the grammar, filled with names of small schemas: those that the checker calls safe are admitted, but
// for the decoder's bounds, and nothing else is.
#include <iostream>

#include <gtest/gtest.h>

#include "check/small_grammar.h"
#include "syntax/sentence.h"
#include "track/attack/lexemes.h"
#include "track/attack/replay.h"

namespace pccsql::attack {
namespace {

constexpr std::string_view kSchema =
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT);"
    "CREATE TABLE u(a INT, d INT, e TEXT);"
    "CREATE TABLE v(b INT PRIMARY KEY, f INT) WITHOUT ROWID;"
    "CREATE VIEW w AS SELECT a, d FROM u;";

// For the small grammar, whose slots take phrases.
std::string fill_phrases(Terminal terminal, Slot slot, std::mt19937_64& random) {
  if (terminal == Terminal::Integer) return pick(random, {"1", "2", "3", "5"});
  switch (slot) {
    case Slot::Table:
      return pick(random, {"t AS x", "t", "u", "t x", "v", "w", "n", "t x JOIN u y", "t x LEFT JOIN u y ON x.a = y.a",
                           "t AS x , v z", "t x JOIN u y USING (a)", "t NATURAL JOIN u", "(SELECT a, b FROM t) AS x"});
    case Slot::Index:
      return pick(random, {"u y", "u", "v", "v z", "n m", "u AS y", "(SELECT d, e FROM u) y"});
    case Slot::Column:
      return pick(random, {"a", "b"});
    case Slot::Alias:
      return pick(random, {"x", "n", "a", "m", "d"});
    case Slot::NewName:
      return pick(random, {"n", "m"});
    case Slot::Type:
      return pick(random, {"count", "sum", "max", "abs", "min", "avg", "total"});
    case Slot::Collation:
      return pick(random, {"count", "sum", "max", "lag", "first_value"});
    default:
      return pick(random, {"a",   "b",   "c",   "d",     "x.a",    "x.b", "x.c", "b", "c",   "t.b", "t.c",    "t.a",
                           "y.d", "u.d", "u.a", "\"b\"", "\"zz\"", "n",   "m",   "x", "n.a", "z.f", "x.rowid"});
  }
}

// For the whole grammar.
std::string fill_words(Terminal terminal, Slot slot, std::mt19937_64& random) {
  switch (terminal) {
    case Terminal::String:
      return pick(random, {"'x'", "''"});
    case Terminal::Integer:
      return pick(random, {"1", "2", "3", "0", "0x1F"});
    case Terminal::Float:
      return pick(random, {"1.5", "1e3"});
    case Terminal::Blob:
      return "x'00'";
    default:
      break;
  }
  switch (slot) {
    case Slot::Table:
      return pick(random, {"t", "u", "v", "w", "t", "u", "n"});
    case Slot::Column:
      return pick(random, {"a", "b", "c", "d", "e", "f", "rowid"});
    case Slot::Alias:
    case Slot::NewName:
    case Slot::Window:
      return pick(random, {"x", "y", "n", "m", "a", "T1"});
    case Slot::Collation:
      return pick(random, {"nocase", "binary"});
    case Slot::Type:
      return "INT";
    default:
      if (random() % 6 == 0) {
        return pick(random,
                    {"count", "sum", "max", "min", "abs", "avg", "row_number", "group_concat", "coalesce", "iif"});
      }
      return pick(random, {"a", "b", "c", "d", "e", "f", "t", "u", "x", "y", "rowid", "\"a\"", "\"zz\"", "true", "n"});
  }
}

std::vector<GroundPtr> grounds() {
  static const SchemaPtr schema = schema_of("sentences", kSchema);
  std::vector<GroundPtr> made;
  std::mt19937_64 random(9);
  TrackSettings paper;
  paper.profile = Profile::Paper;
  made.push_back(
      std::make_unique<Ground>("all Public", schema, Policy(schema->catalog, ColumnPolicy::Public), TrackSettings{}));
  made.push_back(
      std::make_unique<Ground>("mixed", schema, random_policy(schema->catalog, random, {4, 2, 2, 1}), TrackSettings{}));
  made.push_back(
      std::make_unique<Ground>("mixed paper", schema, random_policy(schema->catalog, random, {4, 2, 2, 1}), paper));
  return made;
}

void replay_sentences(const Grammar& grammar, SentenceGenerator::Fill fill, uint64_t seed, int sentences, int length) {
  Replay::Count count;
  for (const GroundPtr& ground : grounds()) {
    Replay replay(*ground, sql_trackers(*ground), true);
    SentenceGenerator generator(grammar, fill, seed++);
    for (int i = 0; i < (long_run() ? sentences * 30 : sentences); ++i) replay.text(generator.next(length));
    count.add(replay.count());
  }
  std::cout << "length " << length << ": " << report(count, 6);
  EXPECT_GT(count.admitted, 100u);
  EXPECT_GT(count.stopped, 100u);
  EXPECT_TRUE(count.wrongly_refused.empty()) << count.wrongly_refused.size();
  EXPECT_TRUE(count.wrongly_admitted.empty()) << count.wrongly_admitted.size();
}

TEST(SentenceReplay, ThoseThatMostlyResolve) {
  const Result<Grammar> grammar = Grammar::compile(kSmallGrammar);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  replay_sentences(*grammar, fill_phrases, 21, 8'000, 14);
  replay_sentences(*grammar, fill_phrases, 31, 8'000, 30);
}

TEST(SentenceReplay, OfTheWholeGrammar) {
  replay_sentences(sql_grammar(), fill_words, 41, 15'000, 18);
  replay_sentences(sql_grammar(), fill_words, 51, 5'000, 40);
}

}  // namespace
}  // namespace pccsql::attack
