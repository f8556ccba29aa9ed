#include "apps/program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>

#include "base/file.h"

extern char** environ;

namespace pccsql {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Ran run_command(const std::vector<std::string>& arguments, std::string_view input,
                const std::vector<std::string>& environment) {
  const Scratch scratch;
  const std::string in = scratch.file("in", input);
  const std::string out = scratch.file("out", "");
  const std::string err = scratch.file("err", "");
  std::vector<std::string> settings = environment;
  for (char** setting = environ; *setting != nullptr; ++setting) settings.emplace_back(*setting);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), 0, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), 1, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), 1, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                  pointers(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + arguments[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Ran ran;
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = *read_file(out);
  ran.err = *read_file(err);
  return ran;
}

Ran pccsql(std::vector<std::string> arguments, std::string_view input, const std::vector<std::string>& environment) {
  arguments.insert(arguments.begin(), PCCSQL_PROGRAM);
  return run_command(arguments, input, environment);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<nlohmann::ordered_json> json_lines(const std::string& text) {
  std::vector<nlohmann::ordered_json> values;
  for (const std::string& line : lines_of(text)) values.push_back(nlohmann::ordered_json::parse(line));
  return values;
}

Shop::Shop() {
  const std::string ddl =
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, cost REAL);\n"
      "CREATE TABLE \"order line\" (item_id INTEGER, amount INTEGER);\n";
  db = scratch.database("shop.sqlite", ddl);
  schema = scratch.file("shop.sql", ddl);
  commented = scratch.file("commented.sql",
                           "CREATE TABLE item (\n"
                           "  id INTEGER PRIMARY KEY,\n"
                           "  name TEXT, -- Public\n"
                           "  price REAL, -- ConditionOnly\n"
                           "  cost REAL -- AggregateOnly\n"
                           ");\n");
  tables = scratch.file("tables.json",
                        R"([{"db_id": "shop", "table_names_original": ["item", "order_line"],
    "column_names_original": [[-1, "*"], [0, "id"], [0, "name"], [1, "item_id"], [1, "amount"]],
    "column_types": ["text", "number", "text", "number", "number"], "primary_keys": [1], "foreign_keys": [[3, 1]]},
   {"db_id": "zoo", "table_names_original": ["animal"],
    "column_names_original": [[-1, "*"], [0, "id"], [0, "species"]],
    "column_types": ["text", "number", "text"], "primary_keys": [1], "foreign_keys": []}])");
  policy = scratch.file("policy.yaml",
                        "version: 1\n"
                        "default: Hidden\n"
                        "tables:\n"
                        "  item: {name: Public, price: ConditionOnly, cost: AggregateOnly}\n"
                        "  order line: {\"*\": Public}\n");
  all_public = scratch.file("public.yaml", "version: 1\ndefault: Public\n");
  grants = scratch.file("grants.sql",
                        "-- what the clerks may see\n"
                        "GRANT SELECT (name, price) ON item TO ada;\n"
                        "GRANT SELECT (id) ON item TO bob;\n");
}

}  // namespace pccsql
