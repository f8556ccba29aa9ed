// What the mask costs a generation: tokens a second with and without it, same model, same prompts, on this machine.
//
//   perf_decode [MODEL] [rounds]      a model of `pccsql model list` or a GGUF file; the default model, 3 rounds
//
// Questions about the demo database. `pcc` answers each; then the tokens that it wrote are written again, token for token,
// in two ways that take turns: as plain greedy decoding writes them (logits, the highest, append) and as decoding under
// the mask does (logits, mask, the highest that it admits, the highest of all, accept, append). Tokens that the mask
// forces cost a pass here as any other, so the difference is the mask's alone. In the end what `pcc` and `direct` took as they
// are, forced tokens and all.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.h"
#include "decode/choice.h"
#include "decode/common.h"
#include "decode/decoder.h"
#include "mask/bitmask.h"
#include "model/known_models.h"
#include "model/llama/llama_model.h"
#include "perf/perf.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

using perf::stop;
using perf::value;

using Clock = std::chrono::steady_clock;

constexpr const char* kQuestions[] = {
    "What is the average salary in each department?",
    "Who works in Research, and since when?",
    "List the job titles with their salaries.",
    "Which projects have more than three people on them, and how many hours did they work?",
    "How many employees does each office have?",
};

struct Timed {
  double seconds = 0;
  size_t tokens = 0;
  double rate() const { return static_cast<double>(tokens) / seconds; }
};

// The tokens after the prompt once more, one pass each; with a matcher, under its mask.
Timed written_again(Model& model, Sequence& sequence, std::span<const TokenId> tokens, Matcher* matcher) {
  std::vector<uint32_t> words(bitmask_words(model.logits_width()));
  const size_t known = model.vocabulary().size();
  size_t sink = 0;
  const auto begun = Clock::now();
  for (const TokenId token : tokens) {
    const auto logits = value(sequence.logits());
    if (matcher != nullptr) {
      if (!matcher->fill_next_token_bitmask(words.data(), model.logits_width())) stop("no mask");
      sink += masked_choice(logits, words).value_or(0);
    }
    sink += free_choice(logits.first(known));
    if (matcher != nullptr && !matcher->accept_token(token)) stop("a token of its own was not accepted");
    value(sequence.append(token));
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (sink == 0) stop("no choices");
  return {seconds, tokens.size()};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void run(const std::string& name, int rounds) {
  LlamaOptions options;
  options.sequences = 3;  // one for each decoder, and one of our own
  const auto model = value(load_llama_model(value(find_model(name)), options));
  const Catalog catalog = value(read_sqlite_catalog(PCCSQL_DEMO_DATABASE));
  const Policy policy = value(parse_policy_yaml(value(read_file(PCCSQL_DEMO_POLICY)), catalog));
  Subject subject(catalog, policy);
  const VocabularyIndex vocabulary(model->vocabulary());
  Settings settings;
  settings.style = Settings::Style::Canonical;
  const Engine& engine = *value(subject.engine(vocabulary, settings));

  std::vector<double> ratios;
  Timed plain, masked, pcc, direct;
  const auto pcc_decoder = make_decoder(Method::Pcc, *model);
  const auto direct_decoder = make_decoder(Method::Direct, *model);
  const auto add = [](Timed& to, const Timed& more) { to = {to.seconds + more.seconds, to.tokens + more.tokens}; };
  for (const char* text : kQuestions) {
    // Once for the prompt's beginning, which is kept; then as it is.
    for (const bool counted : {false, true}) {
      for (const auto& [decoder, timed] : {std::pair{pcc_decoder.get(), &pcc}, {direct_decoder.get(), &direct}}) {
        const Answer answer = decoder->answer(subject, {text, {}});
        if (counted)
          add(*timed, {static_cast<double>(answer.counts.total_ns) / 1e9, answer.counts.work.generated_tokens});
      }
    }
    const Answer answer = pcc_decoder->answer(subject, {text, {}});
    if (!answer.sql) stop("no query for: " + std::string(text));
    const std::vector<TokenId> tokens = value(model->tokenize(*answer.sql, false));
    std::unique_ptr<Sequence> sequence;
    const PromptText prompt = subject.prompts().question(subject.schema(), text, {});
    for (int round = 0; round < 2 * rounds; ++round) {
      const auto once = [&](bool with_mask) {
        value(begin_question(*model, sequence, prompt));
        value(sequence->logits());  // the prompt is not what is measured
        Matcher matcher = engine.new_matcher(512);
        return written_again(*model, *sequence, tokens, with_mask ? &matcher : nullptr);
      };
      const bool mask_first = round % 2 != 0;
      const Timed first = once(mask_first);
      const Timed second = once(!mask_first);
      add(mask_first ? masked : plain, first);
      add(mask_first ? plain : masked, second);
      ratios.push_back(mask_first ? first.seconds / second.seconds : second.seconds / first.seconds);
    }
  }
  std::printf("plain greedy                 %6.2f tokens/s, %zu tokens\n", plain.rate(), plain.tokens);
  std::printf("the same tokens, masked      %6.2f tokens/s\n", masked.rate());
  std::printf("overhead of the mask         %6.2f %% (of sums), %.2f %% (median of %zu pairs)\n",
              (masked.seconds / plain.seconds - 1) * 100, (median(ratios) - 1) * 100, ratios.size());
  std::printf("`pcc` as it is               %6.2f tokens/s with the question's prompt, %zu tokens\n", pcc.rate(),
              pcc.tokens);
  std::printf("`direct` as it is            %6.2f tokens/s with the question's prompt, %zu tokens\n", direct.rate(),
              direct.tokens);
}

}  // namespace
}  // namespace pccsql

int main(int argc, char** argv) {
  pccsql::run(argc > 1 ? argv[1] : std::string(pccsql::kDefaultModel), argc > 2 ? std::atoi(argv[2]) : 3);
}
