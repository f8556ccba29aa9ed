#include "apps/mask_options.h"

#include "apps/option_kinds.h"

namespace pccsql {
namespace {

constexpr const char* kMaskAbout = "look at what the mask lets a model write";

constexpr const char* kMaskFooter =
    "The mask says, after any prefix, which tokens may come next so that the text can still become a query that the\n"
    "policy permits and the database runs.\n"
    "  explain   what may come next, for a person to read\n"
    "  replay    queries that are known, token by token: are the safe ones let through, the others stopped?\n"
    "  walk      random queries under the mask: is every one of them safe?\n"
    "Examples:\n"
    "  pccsql mask explain \"SELECT na\"\n"
    "  pccsql mask replay --vocab model.gguf --tables tables.json --policy policy.yaml --jsonl queries.jsonl\n"
    "  pccsql mask walk --vocab builtin --walks 1000 --seed 7";

constexpr const char* kExplainFooter =
    "Tells the clause, the role a column would have there, the tables in scope, what a later FROM must supply, and\n"
    "which names may come next or may not, and why. A prefix that no permitted query begins with: where it was "
    "stopped,\n"
    "and why.\n"
    "Examples:\n"
    "  pccsql mask explain \"SELECT na\"\n"
    "  pccsql mask explain \"SELECT name FROM employee WHERE \"\n"
    "  pccsql mask explain --db shop.sqlite --policy policy.yaml --format json \"SELECT name, \"\n"
    "Exit status: 0 the prefix is admitted, 1 it is not, 2 a usage or file error.";

constexpr const char* kReplayFooter =
    "JSON lines in are those of `pccsql check --jsonl`. Each query is judged by check and replayed under the mask in "
    "its\n"
    "canonical tokenisation (a GGUF file brings the model's own tokenizer; else the longest pieces are taken) and in\n"
    "random ones. Safe queries must be admitted whole, up to the end of text; all others must be stopped. Safe queries "
    "that\n"
    "a documented bound of the decoder excludes (select aliases without AS, comments, …) are counted apart, by bound.\n"
    "Examples:\n"
    "  pccsql mask replay --vocab builtin --jsonl queries.jsonl\n"
    "  pccsql mask replay --vocab model.gguf --tables tables.json --policy policy.yaml --jsonl queries.jsonl \\\n"
    "    --random-tokenisations 3 --format json --times > replay.json\n"
    "Exit status: 0 all is as it must be; 1 a safe query was stopped, or another was admitted to its end; 2 a usage "
    "or\n"
    "file error.";

constexpr const char* kWalkFooter =
    "Random generations: first the kind of the next lexeme is drawn, then a token, so that they go everywhere. "
    "Adversarial\n"
    "ones always take the admitted token that gets closest to the name of a column that the policy restricts. Each "
    "has a\n"
    "random budget of tokens. Every finished text is judged by check and prepared by SQLite, and the columns that the\n"
    "tracker saw used are compared with those that check sees. Ends at the first bad one, with its seed and text.\n"
    "Examples:\n"
    "  pccsql mask walk --vocab builtin --walks 1000 --seed 7\n"
    "  pccsql mask walk --vocab tokenizer.json --db shop.sqlite --policy policy.yaml --walks 200 --logits adversarial\n"
    "Exit status: 0 all walks were good, 1 one was not, 2 a usage or file error.";

void add_settings(CLI::App& app, Options& options) {
  MaskOptions& mask = options.mask;
  const char* group = "Settings";
  add_profile_and_language(app, options.settings);
  app.get_option("--profile")->group(group);
  app.get_option("--language")->group(group);
  add_choice<MaskAlgorithm>(app, "--algorithm", mask.algorithm,
                            {{"pcc", MaskAlgorithm::Pcc}, {"paper", MaskAlgorithm::Paper}},
                            "paper: masks column slots only, and refuses at a dead end (default: pcc)")
      ->group(group);
  app.add_flag("--no-lookahead", mask.no_lookahead, "do not ask whether some FROM can supply a name")->group(group);
  app.add_flag("--derived-names", mask.derived_names,
               "a name before FROM may be one that only a derived table introduces")
      ->group(group);
  add_choice<track::Aliases>(app, "--aliases", mask.aliases,
                             {{"short", track::Aliases::Short}, {"any", track::Aliases::Any}},
                             "what may qualify a column before FROM (default: short, T1 and the like)")
      ->group(group);
  add_choice<track::Style>(app, "--style", mask.style,
                           {{"any", track::Style::Any}, {"canonical", track::Style::Canonical}},
                           "canonical: keywords in capitals, names as declared, single blanks (default: any)")
      ->group(group);
  add_memory(app, mask.memory_mb)->group(group);
}

void add_vocabulary(CLI::App& app, MaskOptions& mask) {
  add_text(app, "--vocab", mask.vocab, "V", "a GGUF file, a tokenizer.json, or `builtin`")->group("Vocabulary");
  add_number(app, "--logits-width", mask.logits_width, 1, "bits of a mask (default: the size of the vocabulary)")
      ->group("Vocabulary");
}

}  // namespace

MaskCommands add_mask_commands(CLI::App& app, Options& options) {
  MaskOptions& mask = options.mask;
  CLI::App* group = add_command(app, "mask", kMaskAbout, kMaskFooter);

  CLI::App* explain = add_command(*group, "explain", "tell what may come next", kExplainFooter);
  add_text(*explain, "SQL", options.sql, "", "the beginning of a query, as one argument; `-` reads standard input");
  add_format(*explain, options, "default: text");
  add_color(*explain, options);
  add_inputs(*explain, options.inputs, true);
  add_settings(*explain, options);

  CLI::App* replay = add_command(*group, "replay", "replay queries token by token", kReplayFooter);
  add_text(*replay, "--jsonl", options.jsonl, "FILE", "the queries, one JSON object a line; `-` is standard input");
  add_number(*replay, "--random-tokenisations", mask.random_tokenisations, 0,
             "replay each query also in so many random tokenisations (default: 0)");
  add_number(*replay, "--seed", mask.seed, 0, "what random tokenisations are drawn from (default: 1)");
  add_format(*replay, options, "default: text");
  replay->add_flag("--times", mask.times, "with --format json: the nanoseconds of each step of each query");
  add_color(*replay, options);
  add_vocabulary(*replay, mask);
  add_inputs(*replay, options.inputs, true);
  add_settings(*replay, options);
  add_number(*replay, "--budget", mask.budget, 1, "tokens that a query may have (default: no limit)")
      ->group("Settings");

  CLI::App* walk = add_command(*group, "walk", "generate at random under the mask", kWalkFooter);
  add_number(*walk, "--walks", mask.walks, 1, "how many (default: 100)");
  add_number(*walk, "--seed", mask.seed, 0, "of the first walk; the next have the numbers after it (default: 1)");
  add_choice<WalkLogits>(*walk, "--logits", mask.logits,
                         {{"uniform", WalkLogits::Uniform}, {"adversarial", WalkLogits::Adversarial}},
                         "how tokens are chosen (default: uniform)");
  add_format(*walk, options, "default: text");
  add_color(*walk, options);
  add_vocabulary(*walk, mask);
  add_inputs(*walk, options.inputs, true);
  add_settings(*walk, options);
  add_number(*walk, "--budget", mask.budget, 1, "the most tokens that a walk may have (default: 120)")
      ->group("Settings");
  return {explain, replay, walk};
}

}  // namespace pccsql
