#include "apps/ask_options.h"

#include <CLI/CLI.hpp>

#include "apps/option_kinds.h"
#include "apps/options.h"

namespace pccsql {
namespace {

constexpr const char* kAskFooter =
    "Writes SQL for the question with a language model, runs it if `check` calls it safe, and prints the rows, what "
    "the\n"
    "query uses and what the model wanted but may not have. Without --db it asks the demo; without QUESTION it is\n"
    "interactive, and Ctrl-C stops a generation. The default model is fetched when it is first needed.\n"
    "Examples:\n"
    "  pccsql ask \"What is the average salary in each department?\"\n"
    "  pccsql ask --db shop.sqlite --policy policy.yaml --format csv \"Which items are sold?\"\n"
    "  pccsql ask --db postgresql://asker@host/shop --policy policy.yaml --method retry \"Which items are sold?\"\n"
    "  pccsql ask --method direct --model my.gguf --no-run \"Who earns most?\"\n"
    "Exit status: 0 an answer, 3 an answer in part, 1 a refusal, an unsafe or useless query, or one that did not run, 2 a\n"
    "usage or file error, 130 interrupted.";

constexpr const char* kQueryFooter =
    "Judges the query as `check` does, runs it if it is safe, with the conditions of the policy's minimum groups, and "
    "prints\n"
    "it as `ask` prints an answer. Without --db it asks the demo.\n"
    "Examples:\n"
    "  pccsql query \"SELECT job_title, AVG(salary) FROM employee GROUP BY job_title\"\n"
    "  pccsql query --db shop.sqlite --policy policy.yaml --format csv - < query.sql\n"
    "Exit status: 0 an answer, 3 one that groups are left out of, 1 a query that is not permitted, or one that did not run or\n"
    "has nothing left to show, 2 a usage or file error, 130 interrupted.";

// What `ask` and `query` share: the database and the limits of a query on it.
void add_database_options(CLI::App& command, Options& options) {
  AskOptions& ask = options.ask;
  add_text(command, "--db", options.inputs.db, "DB", "the database: a SQLite file (read only), or postgresql://…, service=…")
      ->group("Database");
  add_text(command, "--schema-name", options.inputs.schema_name, "NAME", "which schema, on PostgreSQL (default: public)")
      ->group("Database");
  add_text(command, "--policy", options.inputs.policy, "FILE", "the policy: YAML or JSON, or a .sql file")
      ->group("Database");
  add_text(command, "--user", options.inputs.user, "NAME", "whose GRANTs count, for a policy of GRANT statements")
      ->group("Database");
  add_number(command, "--max-rows", ask.rows, 1, "rows that a query may give (default: 10000)")->group("Database");
  add_number(command, "--max-seconds", ask.seconds, 1, "seconds that it may run (default: 10)")->group("Database");
  add_number(command, "--max-memory", ask.megabytes, 1, "megabytes that it may need (default: 256)")
      ->group("Database");
}

// And how its answer is shown.
void add_output_options(CLI::App& command, Options& options) {
  AskOptions& ask = options.ask;
  add_choice<AskFormat>(command, "--format", ask.format,
                        {{"table", AskFormat::Table}, {"json", AskFormat::Json}, {"csv", AskFormat::Csv}},
                        "json: one object with verdict, uses and rows; csv: the rows alone (default: table)")
      ->group("Output");
  command
      .add_flag("--raw", ask.raw,
                 "csv and json: values as they are, also what a terminal or a spreadsheet would obey")
      ->group("Output");
  add_color(command, options);
  command.get_option("--color")->group("Output");
}

void add_audit_option(CLI::App& command, AskOptions& ask) {
  add_text(command, "--audit", ask.audit, "FILE", "append one line of JSON an answer to this file")->group("Output");
  add_text(command, "--asker", ask.asker, "NAME", "who asks, for the audit (default: the login)")->group("Output");
}

}  // namespace

CLI::App* add_ask_command(CLI::App& app, Options& options) {
  AskOptions& ask = options.ask;
  CLI::App* command = add_command(app, "ask", "answer a question with a language model, within the policy", kAskFooter);
  add_text(*command, "QUESTION", ask.question, "", "the question, as one argument; `-` reads it from standard input");
  add_database_options(*command, options);
  command->add_flag("--no-run", ask.no_run, "write the query, do not run it")->group("Database");

  add_model_options(*command, ask);

  add_method_options(*command, ask);
  add_choice<Profile>(*command, "--profile", options.settings.profile,
                      {{"strict", Profile::Strict}, {"paper", Profile::Paper}},
                      "how uses are counted (default: strict)")
      ->group("Method");
  add_text(*command, "--evidence", ask.evidence, "TEXT", "a hint that goes with the question")->group("Method");

  add_output_options(*command, options);
  add_text(*command, "--trace", ask.trace, "FILE", "write each step of the generation to this file, as JSON")
      ->group("Output");
  add_audit_option(*command, ask);
  return command;
}

CLI::App* add_query_command(CLI::App& app, Options& options) {
  CLI::App* command = add_command(app, "query", "run a query of one's own, within the policy", kQueryFooter);
  add_text(*command, "SQL", options.sql, "", "the query, as one argument; `-` reads it from standard input");
  add_database_options(*command, options);
  command->add_flag("--no-run", options.ask.no_run, "judge the query, do not run it")->group("Database");
  add_output_options(*command, options);
  add_audit_option(*command, options.ask);
  return command;
}

}  // namespace pccsql
