#include "apps/options.h"

#include <cstdio>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/ask_options.h"
#include "apps/mask_options.h"
#include "apps/model_command.h"
#include "apps/option_kinds.h"
#include "apps/output.h"
#include "apps/policy_command.h"
#include "base/text.h"

namespace pccsql {
namespace {

constexpr const char* kAbout =
    "pccsql judges SQL by column-use policies: each column of a database is Public, ConditionOnly, AggregateOnly or\n"
    "Hidden, and a query is safe when it uses every column only as its policy permits.";

constexpr const char* kMainFooter =
    "Without --db and --policy every command works on a demo database of people, departments and pay:\n"
    "  pccsql check \"SELECT name, salary FROM employee\"\n"
    "  pccsql check \"SELECT AVG(salary) FROM employee\"\n"
    "`pccsql COMMAND --help` tells more of each command.\n"
    "Exit status: 0 all is well, 1 it is not, 2 a usage or file error.";

constexpr const char* kCheckFooter =
    "Examples:\n"
    "  pccsql check \"SELECT name, salary FROM employee\"\n"
    "  pccsql check --db shop.sqlite --policy policy.yaml \"SELECT city, COUNT(*) FROM customer GROUP BY city\"\n"
    "  pccsql check --schema shop.sql --format json - < query.sql\n"
    "  pccsql check --tables tables.json --policy policy.yaml --jsonl queries.jsonl > verdicts.jsonl\n"
    "JSON lines in: {\"id\": …, \"sql\": \"…\"}, and where needed \"db_id\" (with --tables) and \"policy\" (in place "
    "of the\n"
    "file's). One line out per line in, in the same order:\n"
    "  {\"id\", \"verdict\": \"safe\"|\"unsafe\"|\"outside\"|\"error\",\n"
    "   \"uses\": [{\"table\", \"column\", \"role\", \"policy\", \"permitted\", \"span\": [begin, end]}], \"reason\"}\n"
    "and with --show-run, of a safe query, \"run\": {\"sql\", \"added\": [[begin, end]], \"said\"}.\n"
    "A policy file is YAML:  version: 1\n"
    "                        default: Hidden\n"
    "                        tables: {employee: {name: Public, salary: AggregateOnly, \"*\": ConditionOnly}}\n"
    "or a .sql file: DDL with comments (`salary INTEGER, -- AggregateOnly`), or GRANT statements with --user. Such "
    "comments\n"
    "in the --schema file are a policy too; with --policy as well, a use must be permitted by both.\n"
    "Exit status: 0 all safe, 1 otherwise, 2 a usage or file error.";

constexpr const char* kRolesFooter =
    "Examples:\n"
    "  pccsql roles \"SELECT name FROM employee WHERE salary > 10\"\n"
    "  pccsql roles --db shop.sqlite --format json \"SELECT city, COUNT(*) FROM customer GROUP BY city\"\n"
    "  pccsql roles --tables tables.json --jsonl queries.jsonl\n"
    "Roles are Sel (output, grouping, ordering), Join, Where and Agg (inside COUNT, SUM, AVG); a place that counts "
    "twice is\n"
    "listed twice. JSON lines out:\n"
    "  {\"id\", \"verdict\", \"uses\": [{\"table\", \"column\", \"role\", \"span\": [begin, end]}], \"reason\"}\n"
    "Exit status: 0 all queries are in the language and resolve, 1 otherwise, 2 a usage or file error.";

void add_queries(CLI::App& app, Options& options) {
  add_text(app, "SQL", options.sql, "", "the query, as one argument; `-` reads it from standard input");
  add_text(app, "--jsonl", options.jsonl, "FILE", "many queries, one JSON object a line; `-` is standard input");
  add_profile_and_language(app, options.settings);
  add_format(app, options, "default: text for SQL, json for --jsonl");
  add_color(app, options);
}

// The command that was named last: `policy init`, not `policy`.
CLI::App* innermost(CLI::App& app) {
  CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return at;
}

std::string full_name(const CLI::App* app) {
  return app->get_parent() == nullptr ? "pccsql" : full_name(app->get_parent()) + " " + app->get_name();
}

std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& candidates) {
  const std::string close = closest_match(wanted, candidates);
  return close.empty() ? "" : "; did you mean `" + close + "`?";
}

// What to say of an argument that has no place on the command line.
std::string about_extra(const CLI::App& command, const std::string& extra) {
  if (extra.size() > 1 && extra[0] == '-') {
    const std::string name = extra.substr(0, extra.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options()) {
      if (!option->get_lnames().empty()) known.push_back("--" + option->get_lnames().front());
    }
    return "unknown option `" + name + "`" + did_you_mean(name, known);
  }
  const auto commands = command.get_subcommands([](const CLI::App*) { return true; });
  if (!commands.empty()) {
    std::vector<std::string> known;
    for (const CLI::App* candidate : commands) known.push_back(candidate->get_name());
    return "unknown command `" + extra + "`" + did_you_mean(extra, known);
  }
  if (command.get_option_no_throw("SQL") != nullptr) {
    return "more than one query: `" + extra + "` is left over; put the query in quotes, as one argument";
  }
  if (command.get_option_no_throw("QUESTION") != nullptr) {
    return "more than one question: `" + extra + "` is left over; put the question in quotes, as one argument";
  }
  return "unexpected argument `" + extra + "`";
}

int print(const std::string& text) {
  Output output;
  output.write(text);
  return output.finish(kExitFine);
}

}  // namespace

Options parse_command_line(int argc, const char* const* argv) {
  Options options;
  CLI::App app(kAbout, "pccsql");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", "pccsql " PCCSQL_VERSION, "print the version");
  app.footer(kMainFooter);
  app.get_formatter()->column_width(28);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");

  CLI::App* ask = add_ask_command(app, options);
  CLI::App* check = add_command(app, "check", "judge queries by a policy", kCheckFooter);
  add_queries(*check, options);
  add_inputs(*check, options.inputs, true);
  check->add_flag("--show-run", options.show_run,
                  "also the query as it is run: what minimum groups add to it stands between {+ and +}");
  CLI::App* roles = add_command(app, "roles", "tell which columns queries use, and how", kRolesFooter);
  add_queries(*roles, options);
  add_inputs(*roles, options.inputs, false);
  CLI::App* query = add_query_command(app, options);
  const ServeCommands serve = add_serve_commands(app, options);
  const PolicyCommands policy = add_policy_commands(app, options);
  const MaskCommands mask = add_mask_commands(app, options);
  const ModelCommands model = add_model_commands(app, options);
  const SuiteCommands suite = add_suite_commands(app, options);
  const EvalCommands eval = add_eval_commands(app, options);
  const EvalRunCommands eval_run = add_eval_run_commands(*app.get_subcommand("eval"), options);

  const auto mistake = [&](const std::string& message) {
    options.command = Command::None;
    options.status = fail(message, "try `" + full_name(innermost(app)) + " --help`");
    return options;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    options.status = print(app.help());
    return options;
  } catch (const CLI::CallForVersion& version) {
    options.status = print(std::string(version.what()) + "\n");
    return options;
  } catch (const CLI::ExtrasError&) {
    const CLI::App& command = *innermost(app);
    const std::vector<std::string> extras = app.remaining(true);
    return mistake(extras.empty() ? "unexpected arguments" : about_extra(command, extras.front()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    const bool repeated = text.find("received") != std::string::npos;
    return mistake("`" + text.substr(0, text.find(':')) + "` " +
                   (repeated ? "was given more than once" : "needs a value"));
  } catch (const CLI::ParseError& error) {
    return mistake(error.what());
  }

  if (ask->parsed()) options.command = Command::Ask;
  if (query->parsed()) options.command = Command::Query;
  if (serve.serve->parsed()) options.command = Command::Serve;
  if (serve.key->parsed()) options.command = Command::ServeKey;
  if (serve.mcp->parsed()) options.command = Command::Mcp;
  if (check->parsed()) options.command = Command::Check;
  if (roles->parsed()) options.command = Command::Roles;
  if (policy.init->parsed()) options.command = Command::PolicyInit;
  if (policy.lint->parsed()) options.command = Command::PolicyLint;
  if (policy.diff->parsed()) options.command = Command::PolicyDiff;
  if (policy.grants->parsed()) options.command = Command::PolicyGrants;
  if (policy.import->parsed()) options.command = Command::PolicyImport;
  if (mask.explain->parsed()) options.command = Command::MaskExplain;
  if (mask.replay->parsed()) options.command = Command::MaskReplay;
  if (mask.walk->parsed()) options.command = Command::MaskWalk;
  if (model.list->parsed()) options.command = Command::ModelList;
  if (model.pull->parsed()) options.command = Command::ModelPull;
  if (model.path->parsed()) options.command = Command::ModelPath;
  if (model.verify->parsed()) options.command = Command::ModelVerify;
  if (suite.spider_cu->parsed()) options.command = Command::SuiteSpiderCu;
  if (suite.bird_cu->parsed()) options.command = Command::SuiteBirdCu;
  if (suite.spider_acl->parsed()) options.command = Command::SuiteSpiderAcl;
  if (suite.training->parsed()) options.command = Command::SuiteTraining;
  if (suite.postgresql->parsed()) options.command = Command::SuitePostgreSql;
  if (suite.stats->parsed()) options.command = Command::SuiteStats;
  if (eval_run.run->parsed()) options.command = Command::EvalRun;
  if (eval_run.retry->parsed()) options.command = Command::EvalSweepRetry;
  if (eval_run.policy->parsed()) options.command = Command::EvalSweepPolicy;
  if (eval_run.lookahead->parsed()) options.command = Command::EvalSweepLookahead;
  if (eval.report->parsed()) options.command = Command::EvalReport;
  if (eval.compare->parsed()) options.command = Command::EvalCompare;
  if (options.command == Command::None) {
    std::fputs(app.help().c_str(), stderr);
    options.status = kExitUsage;
  }
  return options;
}

}  // namespace pccsql
