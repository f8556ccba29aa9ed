// What a mask costs that nobody has asked for before, and where in a query it stands that costs most.
//
//   perf_cold [--vocab VOCABULARY.gguf] [--queries N] [--rounds N] [--slowest N] [--places N] [--unprepared 1]
//
// Spider's dev queries, N of them evenly spread (default: 200), are replayed token by token with an engine for each database
// that permits everything, as beside other mask engines (peer_replay). Each mask counts with its fastest of some rounds (default:
// 3), each with new engines.
#include <map>

#include "engine/engine_impl.h"
#include "perf/perf.h"
#include "suite/gold.h"
#include "verify/tokens.h"

namespace pccsql::perf {
namespace {

int run(const std::string& folder, std::map<std::string, std::string>& options) {
  const auto number = [&](const char* name) { return std::strtoull(options.at(name).c_str(), nullptr, 10); };
  const Tokens tokens = value(Tokens::load(options["--vocab"]));
  const double begin = cpu_microseconds();
  if (number("--unprepared") == 0) tokens.index().prepare();
  std::printf("prepare %.2f s\n", (cpu_microseconds() - begin) / 1e6);
  const GoldData gold = value(read_spider(folder + "/spider"));
  const size_t count = std::min<size_t>(number("--queries"), gold.dev.size());
  const size_t width = tokens.vocabulary().size();
  std::vector<uint32_t> words(bitmask_words(width));
  std::vector<Filled> filled;
  for (uint64_t round = 0; round < number("--rounds"); ++round) {
    std::map<size_t, Engine> engines;
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      const GoldQuery& query = gold.dev[i * gold.dev.size() / count];
      const auto catalog = gold.find_catalog(query.db_id);
      const auto cut = tokens.canonical(query.sql);
      if (!catalog || !cut) stop("cannot be written: " + query.sql);
      const Catalog& schema = gold.catalogs[*catalog];
      auto engine = engines.find(*catalog);
      if (engine == engines.end()) {
        Engine made = value(make_engine(schema, Policy(schema, ColumnPolicy::Public), tokens.index()));
        engine = engines.emplace(*catalog, std::move(made)).first;
      }
      Matcher matcher = engine->second.new_matcher();
      for (size_t k = 0; k <= cut->tokens.size(); ++k, ++at) {
        const double before = cpu_microseconds();
        if (!matcher.fill_next_token_bitmask(words.data(), width)) stop("a mask could not be filled");
        const double us = cpu_microseconds() - before;
        if (round == 0) {
          filled.push_back({us, query.db_id, std::string(matcher.text())});
        } else {
          filled[at].us = std::min(filled[at].us, us);
        }
        if (k < cut->tokens.size() && !matcher.accept_token(cut->tokens[k])) stop("not admitted: " + query.sql);
      }
    }
  }
  print_places(filled, number("--places"));
  print_times("cold", std::move(filled), number("--slowest"));
  return 0;
}

}  // namespace
}  // namespace pccsql::perf

int main(int argc, char** argv) {
  const std::string folder = pccsql::perf::data_folder();
  std::map<std::string, std::string> options{{"--vocab", folder + "/vocab/ggml-vocab-qwen2.gguf"},
                                             {"--queries", "200"},
                                             {"--rounds", "3"},
                                             {"--slowest", "5"},
                                             {"--places", "40"},
                                             {"--unprepared", "0"}};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!options.contains(argv[i])) pccsql::perf::stop("unknown option " + std::string(argv[i]));
    options[argv[i]] = argv[i + 1];
  }
  if (argc % 2 == 0) pccsql::perf::stop("an option without its value: " + std::string(argv[argc - 1]));
  return pccsql::perf::run(folder, options);
}
