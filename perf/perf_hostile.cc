// What a mask costs under a hostile model: one that always takes the admitted token that gets closest to a restricted column.
//
//   perf_hostile [--vocab VOCABULARY.gguf] [--walks N] [--tokens N] [--warm]
//
// Each of Spider's dev databases gets an engine under the paper's policy that has seen nothing, and N texts are written with
// it (default: 8), each of as many tokens as it is let (default: 200), half of them under a budget of those tokens. Times are CPU
// times of the thread, so that other work on the machine does not count. The places in a query that took longest are printed,
// and the slowest masks with their texts; with --warm the same texts are written once more on the same engines.
#include <random>

#include "engine/engine_impl.h"
#include "perf/perf.h"
#include "suite/column_policies.h"
#include "suite/gold.h"
#include "verify/chooser.h"
#include "verify/tokens.h"

namespace pccsql::perf {
namespace {

void write_texts(const Engine& engine, const Catalog& catalog, const Policy& policy, const TokenClasses& classes,
                 uint64_t walks, uint32_t tokens, std::vector<Filled>& filled) {
  const Vocabulary& vocabulary = engine.vocabulary();
  const size_t width = vocabulary.size();
  BitmaskBuffer mask(width);
  Chooser chooser(classes, catalog, policy, WalkLogits::Adversarial);
  for (uint64_t seed = 1; seed <= walks; ++seed) {
    std::mt19937_64 random(seed);
    chooser.start(random);
    Matcher matcher = seed % 2 == 0 ? engine.new_matcher(tokens) : engine.new_matcher();
    for (uint32_t i = 0; i < tokens && !matcher.is_terminated() && !matcher.is_refused(); ++i) {
      const double begin = cpu_microseconds();
      if (!matcher.fill_next_token_bitmask(mask.view().words().data(), width)) stop("a mask could not be filled");
      filled.push_back({cpu_microseconds() - begin, catalog.name(), std::string(matcher.text())});
      if (matcher.is_refused()) break;
      const TokenId id = chooser.choose(mask.view(), random);
      if (!matcher.accept_token(id)) stop("a token of the mask was not accepted after `" + filled.back().text + "`");
      if (!vocabulary.is_end_of_text(id)) chooser.wrote(vocabulary.bytes(id));
    }
  }
}

int run(const std::string& spider, const std::string& vocabulary, uint64_t walks, uint32_t tokens, bool warm) {
  const Tokens cutter = value(Tokens::load(vocabulary));
  const GoldData gold = value(read_spider(spider));
  const std::vector<Policy> policies = column_policies(gold);
  std::vector<bool> used(gold.catalogs.size());
  for (const GoldQuery& query : gold.dev) {
    if (const auto at = gold.find_catalog(query.db_id)) used[*at] = true;
  }
  cutter.index().prepare();
  std::vector<Filled> cold, again;
  for (size_t i = 0; i < gold.catalogs.size(); ++i) {
    if (!used[i]) continue;
    const TokenClasses classes(cutter.vocabulary(), gold.catalogs[i]);
    const Engine engine = value(make_engine(gold.catalogs[i], policies[i], cutter.index()));
    write_texts(engine, gold.catalogs[i], policies[i], classes, walks, tokens, cold);
    if (warm) write_texts(engine, gold.catalogs[i], policies[i], classes, walks, tokens, again);
  }
  print_places(cold, 25);
  print_times("cold", std::move(cold), 10);
  if (warm) print_times("warm", std::move(again), 10);
  return 0;
}

}  // namespace
}  // namespace pccsql::perf

int main(int argc, char** argv) {
  const std::string folder = pccsql::perf::data_folder();
  std::string vocabulary = folder + "/vocab/ggml-vocab-qwen2.gguf";
  uint64_t walks = 8, tokens = 200;
  bool warm = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--warm") {
      warm = true;
    } else if (i + 1 == argc) {
      pccsql::perf::stop("unknown option, or one without its value: " + std::string(name));
    } else if (name == "--vocab") {
      vocabulary = argv[++i];
    } else if (name == "--walks") {
      walks = std::strtoull(argv[++i], nullptr, 10);
    } else if (name == "--tokens") {
      tokens = std::strtoull(argv[++i], nullptr, 10);
    } else {
      pccsql::perf::stop("unknown option " + std::string(name));
    }
  }
  return pccsql::perf::run(folder + "/spider", vocabulary, walks, static_cast<uint32_t>(tokens), warm);
}
