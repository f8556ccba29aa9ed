// The commands `mask replay` and `mask walk`: files and options in, a report and an exit status out.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/interrupts.h"
#include "apps/jsonl.h"
#include "apps/mask_report.h"
#include "apps/mask_worlds.h"
#include "apps/options.h"
#include "apps/output.h"
#include "apps/terminal.h"
#include "verify/replay.h"
#include "verify/tokens.h"
#include "verify/walk.h"

namespace pccsql {
namespace {

constexpr uint64_t kUsualSeed = 1;
constexpr uint64_t kUsualWalks = 100;
constexpr uint64_t kUsualWalkBudget = 120;

// A run that was cut short has not shown that all is fine.
int exit_status(bool fine, bool interrupted) {
  if (!fine) return kExitNotFine;
  return interrupted ? kExitInterrupted : kExitFine;
}

// What both commands need before they can begin.
struct Bench {
  Tokens tokens;
  size_t width = 0;
  Source source;
  Settings settings;
  std::optional<std::string> db;  // the database's file
};

Result<Bench> set_up(const Options& options) {
  const auto usage = [](std::string message) { return Error{std::move(message), {}, {0, 0}}; };
  if (!options.mask.vocab || options.mask.vocab->empty()) {
    return usage("no vocabulary given; add `--vocab V`: a GGUF file, a tokenizer.json, or `builtin`");
  }
  auto source = Source::load(options.inputs, true);
  if (!source) return source.error();
  auto tokens = Tokens::load(*options.mask.vocab);
  if (!tokens) return tokens.error();
  const uint64_t width = options.mask.logits_width.value_or(tokens->vocabulary().size());
  if (width > Vocabulary::kMostTokens) {
    return usage("`--logits-width` is at most " + std::to_string(Vocabulary::kMostTokens));
  }
  if (auto words = tokens->vocabulary().mask_words(width); !words) return words.error();
  std::optional<std::string> db = options.inputs.db;
  if (!db && !options.inputs.schema && !options.inputs.tables) db = demo_database_path();
  return Bench{std::move(*tokens), static_cast<size_t>(width), std::move(*source), mask_settings(options),
               std::move(db)};
}

MaskRun run_of(const Options& options, const Bench& bench) {
  MaskRun run;
  run.vocabulary = *options.mask.vocab;
  run.tokens = bench.tokens.vocabulary().size();
  run.seed = options.mask.seed.value_or(kUsualSeed);
  run.settings = settings_in_words(bench.settings);
  return run;
}

}  // namespace

int run_mask_replay(const Options& options) {
  const char* hint = "try `pccsql mask replay --help`";
  if (!options.jsonl) return fail("no queries given; add `--jsonl FILE` (`-` is standard input)", hint);
  if (options.mask.times && options.format != Format::Json) return fail("`--times` needs `--format json`", hint);
  const auto is_stdin = [](const std::optional<std::string>& option) { return option && *option == "-"; };
  if (int{is_stdin(options.jsonl)} + int{is_stdin(options.inputs.schema)} + int{is_stdin(options.inputs.policy)} > 1) {
    return fail("standard input (`-`) can be read for one purpose only", hint);
  }
  auto bench = set_up(options);
  if (!bench) return fail(bench.error());
  auto reader = LineReader::open(*options.jsonl);
  if (!reader) return fail(reader.error());

  const size_t random = options.mask.random_tokenisations.value_or(0);
  MaskRun run = run_of(options, *bench);
  run.tokenisation = bench->tokens.how();
  if (random > 0)
    run.tokenisation += "; and " + std::to_string(random) + " random each, seed " + std::to_string(run.seed);
  MaskWorlds worlds(bench->source, bench->tokens.index(), bench->settings, bench->db);
  Replayer replayer(bench->tokens, bench->width, random, run.seed);
  ReplayTotals totals;
  std::vector<Replayed> queries;
  const CatchInterrupts interrupts;  // so that a long run can say how far it came
  {
    Progress progress("queries", true);
    std::string_view line;
    while (!interrupts.flag() && reader->next(line)) {
      const Request request = parse_request(line);
      Replayed query;
      query.line = queries.size() + 1;
      query.id = request.id;
      query.reason = request.error;
      if (request.error.empty()) {
        auto world = worlds.get(request.db_id, request.policy);
        if (world) {
          replayer.run(**world, request.sql, query);
        } else {
          query.sql = request.sql;
          query.reason = world.error().to_string();
        }
      }
      totals.add(query);
      queries.push_back(std::move(query));
      progress.done(queries.size());
    }
  }
  const Vocabulary& vocabulary = bench->tokens.vocabulary();
  Output output;
  if (options.format == Format::Json) {
    output.write(replay_json(run, totals, queries, vocabulary, options.mask.times));
  } else {
    output.write(replay_text(run, totals, queries, vocabulary, style_for(options.color)));
    if (interrupts.flag()) output.write("interrupted after " + std::to_string(queries.size()) + " queries\n");
  }
  int status = exit_status(totals.fine(), interrupts.flag());
  if (status == kExitFine && totals.count(ReplayOutcome::Unread) > 0) status = kExitUsage;
  status = output.finish(status);
  return reader->failure() ? fail(*reader->failure()) : status;
}

int run_mask_walk(const Options& options) {
  auto bench = set_up(options);
  if (!bench) return fail(bench.error());
  const auto longest =
      static_cast<uint32_t>(std::min<uint64_t>(options.mask.budget.value_or(kUsualWalkBudget), 1 << 20));
  bench->settings.token_budget = longest;
  MaskRun run = run_of(options, *bench);

  struct Stage {
    MaskWorld* world;
    std::unique_ptr<TokenClasses> classes;
    std::unique_ptr<Walker> walker;
  };
  MaskWorlds worlds(bench->source, bench->tokens.index(), bench->settings, bench->db);
  std::vector<Stage> stages;
  for (const Catalog& catalog : bench->source.catalogs()) {
    if (options.inputs.db_id && catalog.name() != *options.inputs.db_id) continue;
    auto world = worlds.get(catalog);
    if (!world) {
      if (bench->source.catalogs().size() > 1) continue;  // a policy need not fit every database of the file
      return fail(world.error());
    }
    stages.push_back({*world, nullptr, nullptr});
  }

  const uint64_t walks = options.mask.walks.value_or(kUsualWalks);
  // Neither promises that every prefix can be finished, nor what the database takes: there all is counted.
  const bool stop_at_first = bench->settings.lookahead && bench->settings.algorithm == Settings::Algorithm::Pcc;
  WalkTotals totals(options.settings.language);
  const CatchInterrupts interrupts;  // so that a long run can say how far it came
  {
    Progress progress("walks", true);
    for (uint64_t i = 0; i < walks && !interrupts.flag(); ++i) {
      Stage& stage = stages[i % stages.size()];
      if (!stage.walker) {
        stage.classes = std::make_unique<TokenClasses>(bench->tokens.vocabulary(), stage.world->catalog());
        stage.walker =
            std::make_unique<Walker>(*stage.world, *stage.classes, options.mask.logits, longest, bench->width);
      }
      totals.add(stage.walker->walk(run.seed + i), stage.world->catalog().name());
      if (stop_at_first && !totals.fine()) break;
      progress.done(i + 1);
    }
  }
  Output output;
  output.write(options.format == Format::Json ? walk_json(run, totals, interrupts.flag())
                                              : walk_text(run, totals, interrupts.flag(), style_for(options.color)));
  return output.finish(exit_status(totals.fine(), interrupts.flag()));
}

}  // namespace pccsql
