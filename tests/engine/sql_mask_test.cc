// Masks of real queries: random generations over the demo's schema, and over Spider's with the vocabularies of real models.
// At each state compared, every token of the vocabulary is tried by accept, and every bit must agree.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "benchmark_data.h"
#include "engine/demo.h"
#include "engine/engine_impl.h"
#include "engine/oracle.h"
#include "engine/toy.h"
#include "model/llama/gguf_vocabulary.h"

namespace pccsql {
namespace {

bool is_long() {
  const char* value = std::getenv("PCCSQL_LONG");
  return value != nullptr && *value != '\0';
}

struct Walks {
  size_t compared = 0;
  size_t queries = 0;
  size_t refusals = 0;
  size_t steps = 0;
};

// Random generations until `wanted` states were compared, one in `one_in` of those that come up.
Walks compare(const Engine& engine, size_t wanted, unsigned one_in, unsigned seed, bool budgets) {
  std::mt19937 random(seed);
  const size_t width = engine.vocabulary().size();
  Walks walks;
  while (walks.compared < wanted && !testing::Test::HasFailure()) {
    Matcher matcher = engine.new_matcher(budgets ? static_cast<uint32_t>(8 + random() % 60) : 0);
    std::string before;
    for (int step = 0; step < 120 && !matcher.is_terminated(); ++step) {
      before = matcher.text();
      const auto admitted = mask_of(matcher, width);
      if (random() % one_in == 0) {
        ++walks.compared;
        const std::string text(matcher.text());
        const bool refused = matcher.is_refused();
        const auto taken = tried(matcher, width);
        for (TokenId id = 0; id < width; ++id) {
          const bool in_mask = std::ranges::binary_search(admitted, id);
          if (in_mask == std::ranges::binary_search(taken, id)) continue;
          ADD_FAILURE() << "after `" << text << "` token " << id << " `" << engine.vocabulary().bytes(id) << "` is "
                        << (in_mask ? "in the mask and not accepted" : "accepted and not in the mask") << ", seed "
                        << seed;
          return walks;
        }
        EXPECT_EQ(matcher.text(), text);
        EXPECT_EQ(matcher.is_refused(), refused);
        EXPECT_EQ(mask_of(matcher, width), admitted) << text;
      }
      const TokenId end = engine.vocabulary().end_of_text()[0];
      const bool ends = random() % 4 == 0 && std::ranges::binary_search(admitted, end);
      EXPECT_TRUE(matcher.accept_token(ends ? end : choose(admitted, engine.vocabulary(), random))) << matcher.text();
      ++walks.steps;
      if (random() % 10 == 0 && !matcher.is_terminated()) matcher.rollback(1 + random() % matcher.steps());
    }
    if (matcher.sql()) ++walks.queries;
    if (matcher.is_refused()) {
      ++walks.refusals;
      const Refusal& refusal = *matcher.refusal();
      EXPECT_NE(refusal.cause, RefusalCause::Fault) << refusal.reason << " after `" << before << "`";
      const bool expected = refusal.cause == RefusalCause::ByChoice || budgets || !engine.impl().looks_ahead();
      EXPECT_TRUE(expected) << refusal.reason;
    }
  }
  return walks;
}

struct Variant {
  const char* name;
  void (*change)(Settings&);
  bool budgets = false;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class SqlMask : public testing::TestWithParam<Variant> {};

TEST_P(SqlMask, IsWhatAcceptTakes) {
  Settings settings;
  GetParam().change(settings);
  const Engine engine = demo_engine(builtin_index(), settings);
  const size_t states = GetParam().budgets ? 60 : 600;  // a budget has every token's completion computed
  const Walks walks = compare(engine, is_long() ? 20 * states : states, 6, 1, GetParam().budgets);
  EXPECT_GT(walks.queries + walks.refusals, 2u);
  RecordProperty("queries", static_cast<int>(walks.queries));
}

INSTANTIATE_TEST_SUITE_P(
    Settings, SqlMask,
    testing::Values(Variant{"plain", [](Settings&) {}},  //
                    Variant{"budget", [](Settings&) {}, true},
                    Variant{"refusal", [](Settings& s) { s.refusal = true; }, true},
                    Variant{"fragment", [](Settings& s) { s.language = Settings::Language::Fragment; }},
                    Variant{"paper_profile", [](Settings& s) { s.profile = Settings::Profile::Paper; }},
                    Variant{"any_alias", [](Settings& s) { s.aliases = Settings::Aliases::Any; }},
                    Variant{"derived_names", [](Settings& s) { s.derived_names = true; }},
                    Variant{"canonical", [](Settings& s) { s.style = Settings::Style::Canonical; }},
                    Variant{"no_lookahead", [](Settings& s) { s.lookahead = false; }},
                    Variant{"no_lookahead_budget", [](Settings& s) { s.lookahead = false; }, true},
                    Variant{"paper", [](Settings& s) { s.algorithm = Settings::Algorithm::Paper; }},
                    Variant{"uncached", [](Settings& s) { s.memory_bytes = 0; }}),
    [](const auto& variant) { return std::string(variant.param.name); });

class RealMask : public testing::TestWithParam<const char*> {};

TEST_P(RealMask, IsWhatAcceptTakes) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << kNoData;
  const std::string path = *data + "/vocab/ggml-vocab-" + GetParam() + ".gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no vocabularies in the benchmark data: " << path;
  auto vocabulary = read_gguf_vocabulary(path);
  // Only a build without llama.cpp excuses a vocabulary that is there and cannot be read.
  if (!vocabulary && vocabulary.error().message.find("built without llama.cpp") != std::string::npos) {
    GTEST_SKIP() << vocabulary.error().to_string();
  }
  ASSERT_TRUE(vocabulary) << vocabulary.error().to_string();
  const VocabularyIndex index(std::move(*vocabulary));
  compare(demo_engine(index, {}), is_long() ? 2000 : 6, 8, 5, false);
  // Under a budget each token that is tried has its completion computed: minutes for a few states.
  if (is_long()) compare(demo_engine(index, {}), 20, 8, 6, true);
}

INSTANTIATE_TEST_SUITE_P(Models, RealMask, testing::Values("qwen2", "deepseek-coder", "llama-bpe"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

TEST(SqlEngine, APolicyThatLeavesNothing) {
  auto engine = Engine::compile(DdlText{"CREATE TABLE t (a INT, b INT)"}, PolicyText{"version: 1\ntables: {}\n"},
                                builtin_index());
  ASSERT_TRUE(engine) << engine.error().to_string();
  Matcher matcher = engine->new_matcher();
  ASSERT_TRUE(matcher.is_refused());
  EXPECT_EQ(matcher.refusal()->cause, RefusalCause::NothingToAsk);
  EXPECT_EQ(mask_of(matcher, engine->vocabulary().size()), std::vector<TokenId>{end_token()});
  EXPECT_FALSE(matcher.accept_text("SELECT 1"));
}

TEST(SqlEngine, SourcesThatCannotBeRead) {
  const auto complaint = [](const SchemaSource& schema, const PolicySource& policy) {
    const auto engine = Engine::compile(schema, policy, builtin_index());
    return engine ? "" : engine.error().to_string();
  };
  const DdlText good{"CREATE TABLE t (a INT)", "schema.sql"};
  const PolicyText open{"version: 1\ntables: {t: {a: Public}}\n"};
  EXPECT_EQ(complaint(good, open), "");
  EXPECT_NE(complaint(SqliteFile{"missing.sqlite"}, open).find("missing.sqlite"), std::string::npos);
  EXPECT_NE(complaint(DdlText{"DROP TABLE t", "schema.sql"}, open).find("schema.sql"), std::string::npos);
  EXPECT_NE(complaint(TablesJson{"missing.json", "x"}, open).find("missing.json"), std::string::npos);
  EXPECT_NE(complaint(good, PolicyFile{"missing.yaml"}).find("missing.yaml"), std::string::npos);
  EXPECT_NE(complaint(good, PolicyText{"version: 1\ntables: {u: {a: Public}}\n", "p.yaml"}).find("p.yaml:2"),
            std::string::npos);
  EXPECT_FALSE(read_vocabulary("missing.gguf"));
}

// Where only the plan fits, a token that ends a string as the plan does, but after other characters, is none of it.
TEST(SqlEngine, ThePlanOfAStringIsTakenAsItStands) {
  std::vector<Piece> pieces;
  for (int byte = 0; byte < 256; ++byte) {
    pieces.push_back({std::string(1, static_cast<char>(byte)), TokenKind::Normal});
  }
  for (const char* piece : {"',", "_',", "','", ",1"}) pieces.push_back({piece, TokenKind::Normal});
  pieces.push_back({"<end>", TokenKind::Special});
  const std::vector<TokenId> ends{static_cast<TokenId>(pieces.size() - 1)};
  const VocabularyIndex index(*Vocabulary::make(pieces, ends));
  const Engine engine = demo_engine(index, {});
  const std::string text = "WITH c(a,b,c,d,e,f,g,h,i,j) AS (SELECT 'We";
  size_t refused = 0;
  for (uint32_t budget = static_cast<uint32_t>(text.size()) + 20; budget < text.size() + 400; budget += 10) {
    Matcher matcher = engine.new_matcher(budget);
    if (!matcher.accept_text(text)) continue;
    const auto mask = mask_of(matcher, pieces.size());
    EXPECT_EQ(mask, tried(matcher, pieces.size())) << budget;
    refused += std::ranges::find(mask, TokenId{257}) == mask.end();
  }
  EXPECT_GT(refused, 0u) << "no budget was tight";
}

// A set operation asks for as many outputs again as there are. Near the end of a budget it comes only with room for them.
TEST(SqlEngine, ASetOperationLeavesRoomForItsOutputs) {
  const Engine engine = demo_engine(builtin_index(), {});
  std::string items = "SELECT 1";
  for (int i = 1; i < 100; ++i) items += ",1";
  size_t taken = 0, refused = 0;
  for (uint32_t left = 60; left < 1200; left += 20) {
    Matcher matcher = engine.new_matcher(static_cast<uint32_t>(items.size()) + left);
    for (const char c : items) ASSERT_TRUE(matcher.accept_token(token(std::string(1, c)))) << matcher.text();
    bool written = true;
    for (const char c : std::string(" UNION SELECT 1")) {
      written = written && matcher.accept_token(token(std::string(1, c)));
      if (!written) break;
      EXPECT_GT(mask_of(matcher, builtin_index().vocabulary().size()).size(), 0u);
      ASSERT_FALSE(matcher.is_refused()) << left << " tokens left, then `" << c << "`";
    }
    ++(written ? taken : refused);
  }
  EXPECT_GT(taken, 0u);
  EXPECT_GT(refused, 0u);
}

TEST(SqlEngine, UsesAndExplanation) {
  Matcher matcher = demo_engine(builtin_index(), {}).new_matcher();
  ASSERT_TRUE(matcher.accept_text("SELECT name, AVG(salary) FROM employee GROUP BY name"));
  const std::vector<ColumnUse> expected{{"employee", "name", "Sel"}, {"employee", "salary", "Agg"}};
  EXPECT_EQ(matcher.uses(), expected);
  EXPECT_TRUE(matcher.explain().may_end);
  ASSERT_TRUE(matcher.accept_token(end_token()));
  EXPECT_EQ(matcher.uses(), expected);
  ASSERT_TRUE(matcher.rollback(2));
  EXPECT_FALSE(matcher.accept_text("SELECT ssn FROM employee"));
  EXPECT_TRUE(matcher.uses().empty());
}

// What FROM cannot have is said with the names that it must have.
TEST(SqlEngine, ExplanationsNameWhatFromMustHave) {
  const auto engine = Engine::compile(DdlText{"CREATE TABLE a (x INT, y INT); CREATE TABLE b (x INT, z INT)"},
                                      PolicyText{"version: 1\ndefault: Public\ntables: {b: {x: Hidden}}\n"}, builtin_index());
  ASSERT_TRUE(engine) << engine.error().to_string();
  const auto why = [&](std::string_view text, const std::string& name) -> std::string {
    Matcher matcher = engine->new_matcher();
    EXPECT_TRUE(matcher.accept_text(text)) << text;
    for (const Explanation::Name& blocked : matcher.explain().blocked) {
      if (blocked.text == name) return blocked.detail;
    }
    return "not blocked";
  };
  EXPECT_EQ(why("SELECT x FROM ", "b"), "beside it no tables of this database have `x` in a way that this policy permits");
  EXPECT_EQ(why("SELECT x, ", "b.z"), "no tables of this database have it beside `x` in a way that this policy permits");
}

}  // namespace
}  // namespace pccsql
