// What one pass of a model over several texts saves: tokens a second of so many generations in one batch beside one generation alone,
// on this machine's processor, with the weights as they lie in the file and in the order in which the processor multiplies them fastest.
//
//   perf_batch [MODEL] [threads] [generations]     a model of `pccsql model list` or a GGUF file; the default model, 2 threads, 8
//
// All texts have the same beginning, as questions about one schema have, and an end of their own; each writes what it holds most
// likely. A prompt's tokens go through the network hundreds at a time: what one of them takes is the least that a batch could come to. The
// processor's time is printed beside the time that went by, because a machine that others use as well shows the latter wrongly.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "model/known_models.h"
#include "model/llama/llama_model.h"

namespace pccsql {
namespace {

constexpr size_t kSteps = 16;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "perf_batch: %s\n", why.c_str());
  std::exit(1);
}

template <typename T>
T need(Result<T> result) {
  if (!result) stop(result.error().to_string());
  return *std::move(result);
}

struct Took {
  double seconds = 0;
  double processor = 0;
};

Took now() {
  timespec processor{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(wall).count(), static_cast<double>(processor.tv_sec) + static_cast<double>(processor.tv_nsec) * 1e-9};
}

std::vector<Sequence*> all_of(std::span<const std::unique_ptr<Sequence>> sequences) {
  std::vector<Sequence*> some;
  for (const auto& one : sequences) some.push_back(one.get());
  return some;
}

// What `some` generations take for a step of each. PRE: their prompts have been evaluated.
Took step_of(Model& model, std::span<Sequence* const> some) {
  const Took begin = now();
  for (size_t step = 0; step < kSteps; ++step) {
    for (Sequence* one : some) need(one->append(greedy_choice(need(one->logits()), model.vocabulary())));
    need(model.evaluate(some));
  }
  const Took end = now();
  return {(end.seconds - begin.seconds) / kSteps, (end.processor - begin.processor) / kSteps};
}

void measure(const std::string& file, uint32_t threads, uint32_t count, bool repack) {
  LlamaOptions options;
  options.threads = threads;
  options.sequences = count;
  options.repack = repack;
  options.keep_prefixes = false;
  const auto model = need(load_llama_model(file, options));
  std::string shared;
  for (int table = 0; table < 12; ++table) shared += "CREATE TABLE t" + std::to_string(table) + " (id INTEGER, name TEXT, price REAL);\n";
  const auto begin = need(model->tokenize(shared, false));
  std::vector<std::unique_ptr<Sequence>> all;
  Took alone;
  double prompt_ms = 0;
  for (uint32_t i = 0; i < count; ++i) {
    Prompt prompt{begin, begin.size()};
    for (const TokenId token : need(model->tokenize("-- Question " + std::to_string(i) + ": which name has the highest price?\nSELECT", false))) prompt.tokens.push_back(token);
    all.push_back(need(model->new_sequence()));
    need(all.back()->set_prompt(prompt));
    if (i > 0) continue;
    const Took before = now();
    need(model->evaluate(all_of(all)));
    prompt_ms = (now().processor - before.processor) * 1e3 / static_cast<double>(prompt.tokens.size());
    alone = step_of(*model, all_of(all));
  }
  need(model->evaluate(all_of(all)));
  const Took together = step_of(*model, all_of(all));
  std::printf("%s: a prompt takes %.1f ms of the processor for each token; alone %.1f tokens a second (processor %.1f ms each); %u at once %.1f (%.1f ms each): %.2f times, by the processor %.2f\n",
              repack ? "repacked" : "as in the file", prompt_ms, 1 / alone.seconds, alone.processor * 1e3, count, count / together.seconds, together.processor * 1e3 / count,
              count * alone.seconds / together.seconds, count * alone.processor / together.processor);
}

}  // namespace
}  // namespace pccsql

int main(int argc, char** argv) {
  using namespace pccsql;
  const std::string name = argc > 1 ? argv[1] : std::string(kDefaultModel);
  const auto threads = static_cast<uint32_t>(argc > 2 ? std::atoi(argv[2]) : 2), count = static_cast<uint32_t>(argc > 3 ? std::atoi(argv[3]) : 8);
  const auto known = known_model(name);
  const std::string file = known ? need(model_path(**known)) : name;
  std::printf("%s, %u threads\n", name.c_str(), threads);
  for (const bool repack : {false, true}) measure(file, threads, count, repack);
  return 0;
}
