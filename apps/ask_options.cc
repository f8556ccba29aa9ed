#include "apps/ask_options.h"

#include <CLI/CLI.hpp>

#include "apps/option_kinds.h"
#include "apps/options.h"

namespace pccsql {
namespace {

constexpr const char* kFooter =
    "Writes SQL for the question with a language model, runs it if `check` calls it safe, and prints the rows, what "
    "the\n"
    "query uses and what the model wanted but may not have. Without --db it asks the demo; without QUESTION it is\n"
    "interactive, and Ctrl-C stops a generation. The default model is fetched when it is first needed.\n"
    "Examples:\n"
    "  pccsql ask \"What is the average salary in each department?\"\n"
    "  pccsql ask --db shop.sqlite --policy policy.yaml --format csv \"Which items are sold?\"\n"
    "  pccsql ask --method direct --model my.gguf --no-run \"Who earns most?\"\n"
    "Exit status: 0 an answer, 1 a refusal, an unsafe or useless query, or one that did not run, 2 a usage or file\n"
    "error, 130 interrupted.";

}  // namespace

CLI::App* add_ask_command(CLI::App& app, Options& options) {
  AskOptions& ask = options.ask;
  CLI::App* command = add_command(app, "ask", "answer a question with a language model, within the policy", kFooter);
  add_text(*command, "QUESTION", ask.question, "", "the question, as one argument; `-` reads it from standard input");
  add_text(*command, "--db", options.inputs.db, "FILE", "the database: a SQLite file (read only)")->group("Database");
  add_text(*command, "--policy", options.inputs.policy, "FILE", "the policy: YAML or JSON, or a .sql file")
      ->group("Database");
  add_text(*command, "--user", options.inputs.user, "NAME", "whose GRANTs count, for a policy of GRANT statements")
      ->group("Database");
  add_number(*command, "--max-rows", ask.rows, 1, "rows that a query may give (default: 10000)")->group("Database");
  add_number(*command, "--max-seconds", ask.seconds, 1, "seconds that it may run (default: 10)")->group("Database");
  add_number(*command, "--max-memory", ask.megabytes, 1, "megabytes that it may need (default: 256)")
      ->group("Database");
  command->add_flag("--no-run", ask.no_run, "write the query, do not run it")->group("Database");

  add_text(*command, "--model", ask.model, "NAME|FILE|URL",
           "a model of `pccsql model list`, a GGUF file, or a chat endpoint (default: qwen2.5-coder-1.5b)")
      ->group("Model");
  add_text(*command, "--model-name", ask.model_name, "NAME", "the model's name at the endpoint")->group("Model");
  add_number(*command, "--threads", ask.threads, 1, "threads (default: one a core)")->group("Model");
  add_number(*command, "--context", ask.context, 1, "tokens that prompt and answer may have together")->group("Model");
  add_number(*command, "--gpu-layers", ask.gpu_layers, 0, "layers on the GPU (default: all that fit)")->group("Model");

  std::vector<std::pair<std::string, Method>> methods;
  for (const Method method : kMethods) methods.emplace_back(to_string(method), method);
  add_choice<Method>(*command, "--method", ask.method, methods, "how the query is made (default: pcc)")
      ->group("Method");
  add_choice<Profile>(*command, "--profile", options.settings.profile,
                      {{"strict", Profile::Strict}, {"paper", Profile::Paper}},
                      "how uses are counted (default: strict)")
      ->group("Method");
  add_number(*command, "--max-tokens", ask.max_tokens, 1, "tokens of one generation (default: 512)")->group("Method");
  command->add_flag("--allow-refuse", ask.allow_refuse, "pcc: the model may refuse of its own accord")->group("Method");
  add_number(*command, "--retries", ask.retries, 0, "retry: attempts after the first (default: 3)")->group("Method");
  add_number(*command, "--itergen-iterations", ask.iterations, 1, "itergen: names to stop at (default: 20)")
      ->group("Method");
  add_share(*command, "--itergen-penalty", ask.penalty, Share::Above0, "itergen: recurrence penalty (default: 0.7)");
  command->add_flag("--itergen-names-only", ask.names_only, "itergen: check only whether names exist")->group("Method");
  add_text(*command, "--evidence", ask.evidence, "TEXT", "a hint that goes with the question")->group("Method");
  add_text(*command, "--prompts", ask.prompts, "DIR", "templates to use instead of the program's own")->group("Method");

  add_choice<AskFormat>(*command, "--format", ask.format,
                        {{"table", AskFormat::Table}, {"json", AskFormat::Json}, {"csv", AskFormat::Csv}},
                        "json: one object with verdict, uses and rows; csv: the rows alone (default: table)")
      ->group("Output");
  add_color(*command, options);
  command->get_option("--color")->group("Output");
  add_text(*command, "--trace", ask.trace, "FILE", "write each step of the generation to this file, as JSON")
      ->group("Output");
  add_text(*command, "--audit", ask.audit, "FILE", "append one line of JSON an answer to this file")->group("Output");
  return command;
}

}  // namespace pccsql
