// Masks put together by shape against masks walked by themselves, bit by bit: gold queries, random and hostile texts, over many
// schemas with one vocabulary, so that what was learned from one schema is used for the others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "benchmark_data.h"
#include "engine/engine_impl.h"
#include "engine/shape_part.h"
#include "suite/column_policies.h"
#include "suite/gold.h"
#include "verify/chooser.h"
#include "verify/tokens.h"

namespace pccsql {
namespace {

struct ShapesOff {
  ShapesOff() { masks_by_shape = false; }
  ~ShapesOff() { masks_by_shape = true; }
};

struct Compared {
  size_t masks = 0;
  size_t different = 0;
};

// Two engines over one schema, one of which knows no shapes.
class Beside {
 public:
  Beside(const Catalog& catalog, const Policy& policy, const Tokens& tokens, const Settings& settings, Compared& compared)
      : tokens_(tokens),
        shaped_(*make_engine(catalog, policy, tokens.index(), settings)),
        walked_(*make_engine(catalog, policy, tokens.index(), settings)),
        mask_(tokens.vocabulary().size()),
        other_(tokens.vocabulary().size()),
        compared_(compared) {}

  // `choose`: the next token, by the mask; nothing at the end.
  template <typename Choose>
  void write(size_t most, const Choose& choose) {
    Matcher a = shaped_.new_matcher(), b = walked_.new_matcher();
    for (size_t i = 0; i < most && !a.is_terminated(); ++i) {
      const size_t width = tokens_.vocabulary().size();
      ASSERT_TRUE(a.fill_next_token_bitmask(mask_.view().words().data(), width));
      {
        const ShapesOff off;
        ASSERT_TRUE(b.fill_next_token_bitmask(other_.view().words().data(), width));
      }
      ++compared_.masks;
      compare(a.text());
      const std::optional<TokenId> next = choose(mask_.view());
      if (!next || !a.accept_token(*next) || !b.accept_token(*next)) return;
    }
  }

 private:
  void compare(std::string_view text) {
    size_t shown = 0;
    for (TokenId id = 0; id < tokens_.vocabulary().size() && shown < 5; ++id) {
      if (mask_.view().test(id) == other_.view().test(id)) continue;
      if (shown++ == 0) ++compared_.different;
      ADD_FAILURE() << "after `" << text << "` the shape " << (mask_.view().test(id) ? "admits" : "lacks") << " `"
                    << tokens_.vocabulary().bytes(id) << "`";
    }
  }

  const Tokens& tokens_;
  const Engine shaped_, walked_;
  BitmaskBuffer mask_, other_;
  Compared& compared_;
};

TEST(ShapeMasks, AreTheMasksThatAreWalked) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const bool lengthy = std::getenv("PCCSQL_LONG") != nullptr;
  const auto tokens = Tokens::load("builtin");
  ASSERT_TRUE(tokens);
  tokens->index().prepare();
  const auto gold = read_spider(*folder + "/spider");
  ASSERT_TRUE(gold);
  const std::vector<Policy> policies = column_policies(*gold);
  std::vector<std::vector<const GoldQuery*>> queries(gold->catalogs.size());
  for (const auto* split : {&gold->dev, &gold->train}) {
    for (const GoldQuery& query : *split) {
      if (const auto at = gold->find_catalog(query.db_id)) queries[*at].push_back(&query);
    }
  }
  Compared compared;
  const size_t each = lengthy ? 1 : 6;
  for (size_t i = 0; i < gold->catalogs.size(); i += each) {
    Settings settings;
    settings.profile = i % 2 == 0 ? Settings::Profile::Strict : Settings::Profile::Paper;
    const Catalog& catalog = gold->catalogs[i];
    Beside beside(catalog, policies[i], *tokens, settings, compared);
    const size_t step = std::max<size_t>(queries[i].size() / (lengthy ? 40 : 4), 1);
    for (size_t q = 0; q < queries[i].size(); q += step) {
      const auto cut = tokens->canonical(queries[i][q]->sql);
      ASSERT_TRUE(cut);
      size_t at = 0;
      beside.write(cut->tokens.size() + 1, [&](ConstBitmask) {
        return at < cut->tokens.size() ? std::optional(cut->tokens[at++]) : std::nullopt;
      });
    }
    const TokenClasses classes(tokens->vocabulary(), catalog);
    for (const WalkLogits logits : {WalkLogits::Uniform, WalkLogits::Adversarial}) {
      Chooser chooser(classes, catalog, policies[i], logits);
      for (uint64_t seed = 1; seed <= (lengthy ? 8 : 1); ++seed) {
        std::mt19937_64 random(seed);
        chooser.start(random);
        beside.write(150, [&](ConstBitmask mask) {
          const TokenId id = chooser.choose(mask, random);
          if (!tokens->vocabulary().is_end_of_text(id)) chooser.wrote(tokens->vocabulary().bytes(id));
          return std::optional(id);
        });
      }
    }
  }
  std::printf("%zu masks compared, %zu differ\n", compared.masks, compared.different);
  EXPECT_GT(compared.masks, 5000U);
}

}  // namespace
}  // namespace pccsql
