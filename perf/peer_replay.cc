// Our engine as a further one in a benchmark of mask engines: replays queries token by token and says what each mask took.
//
//   peer_replay SPIDER-FOLDER VOCABULARY.gguf
//
// Reads a query a line, `database TAB token ids, the end of the text last TAB SQL`, and answers each at once with a line of
// JSON: `ns`, one for each mask; `refused`, how many tokens the masks do not hold; `accepted`, whether the query ended well;
// at a database's first query `compile_ms`. Each database gets an engine of its own, under a policy that permits
// everything, since the others know none. All that engines may share was made before the first line is read.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/engine_impl.h"
#include "model/llama/gguf_vocabulary.h"
#include "perf/perf.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

using perf::stop;
using perf::value;

using Clock = std::chrono::steady_clock;

int64_t nanoseconds(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

struct Line {
  std::string database;
  std::vector<TokenId> tokens;
};

Line parse(const std::string& text) {
  Line line;
  const size_t first = text.find('\t');
  const size_t second = text.find('\t', first + 1);
  if (first == std::string::npos || second == std::string::npos) stop("not `database TAB ids TAB SQL`: " + text);
  line.database = text.substr(0, first);
  std::istringstream ids(text.substr(first + 1, second - first - 1));
  for (TokenId id = 0; ids >> id;) line.tokens.push_back(id);
  return line;
}

nlohmann::json replay(const Engine& engine, const std::vector<TokenId>& tokens) {
  const size_t width = engine.vocabulary().size();
  std::vector<uint32_t> words(bitmask_words(width));
  std::vector<int64_t> times;
  int refused = 0;
  bool whole = true;
  Matcher matcher = engine.new_matcher();
  for (const TokenId id : tokens) {
    const auto begin = Clock::now();
    if (!matcher.fill_next_token_bitmask(words.data(), width)) stop("a mask could not be filled");
    times.push_back(nanoseconds(begin));
    if ((words[id / 32] >> (id % 32) & 1) == 0) ++refused, whole = false;
    if (!matcher.accept_token(id)) {
      whole = false;
      break;
    }
  }
  return {{"ns", times}, {"refused", refused}, {"accepted", whole && matcher.is_terminated() && !matcher.is_refused()}};
}

int run(const std::string& folder, const std::string& vocabulary) {
  const LlamaVocabulary llama = value(LlamaVocabulary::load(vocabulary));
  const VocabularyIndex index(value(mask_vocabulary(llama)));
  index.prepare();
  const std::vector<Catalog> catalogs = value(read_tables_json(folder + "/tables.json"));
  std::map<std::string, Engine> engines;
  for (std::string text; std::getline(std::cin, text);) {
    const Line line = parse(text);
    std::optional<double> compile_ms;
    auto found = engines.find(line.database);
    if (found == engines.end()) {
      const auto catalog = std::ranges::find(catalogs, line.database, &Catalog::name);
      if (catalog == catalogs.end()) stop("tables.json has no database " + line.database);
      const auto begin = Clock::now();
      Engine engine = value(make_engine(*catalog, Policy(*catalog, ColumnPolicy::Public), index));
      compile_ms = static_cast<double>(nanoseconds(begin)) / 1e6;
      found = engines.emplace(line.database, std::move(engine)).first;
    }
    nlohmann::json answer = replay(found->second, line.tokens);
    if (compile_ms) answer["compile_ms"] = *compile_ms;
    answer["name"] = "pccsql";
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace pccsql

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: peer_replay SPIDER-FOLDER VOCABULARY.gguf\n");
    return 2;
  }
  return pccsql::run(argv[1], argv[2]);
}
