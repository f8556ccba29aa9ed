#include "apps/serve_options.h"

#include <filesystem>
#include <set>

#include <CLI/CLI.hpp>

#include "apps/option_kinds.h"
#include "apps/options.h"
#include "base/file.h"
#include "base/text.h"
#include "schema/pg_connection.h"

namespace pccsql {
namespace {

constexpr const char* kServeFooter =
    "Serves databases to people and programs, each under the policy of whoever asks: over HTTP, as an OpenAI-compatible\n"
    "endpoint, as an MCP server and as a page. Without --config it serves the demo, or --db with --policy, to this machine\n"
    "alone.\n"
    "Examples:\n"
    "  pccsql serve                                 # the demo, at http://127.0.0.1:8080\n"
    "  pccsql serve --config pccsql.yaml            # SIGHUP reads the file again, SIGTERM ends in good order\n"
    "  pccsql serve --config pccsql.yaml --check    # only looks whether the file is right\n"
    "  pccsql serve key ann                         # makes a key, and the line for the file\n"
    "Exit status: 0 ended in good order, 2 a usage or file error.";

constexpr const char* kKeyFooter =
    "Prints a new key for the person, once, and the line that goes under `people`. The file never holds the key.\n"
    "Example:\n"
    "  pccsql serve key ann";

constexpr const char* kMcpFooter =
    "Speaks the Model Context Protocol over standard input and output, for a client that starts it. With --config whose\n"
    "file names people, the variable PCCSQL_KEY says who asks.\n"
    "Examples:\n"
    "  pccsql mcp                                   # the demo\n"
    "  pccsql mcp --db shop.sqlite --policy policy.yaml\n"
    "  PCCSQL_KEY=pccsql_… pccsql mcp --config pccsql.yaml";

void add_shared(CLI::App& app, Options& options) {
  ServeOptions& serve = options.serve;
  add_text(app, "--config", serve.config, "FILE", "databases, policies, people, limits (docs/serve.md)");
  add_text(app, "--db", options.inputs.db, "FILE", "a database alone: a SQLite file (read only), or `postgresql://…`")->group("Database");
  add_text(app, "--schema-name", options.inputs.schema_name, "NAME", "of a PostgreSQL server's schemas, which (default: public)")
      ->group("Database");
  add_text(app, "--policy", options.inputs.policy, "FILE", "its policy, in YAML")->group("Database");
  add_text(app, "--audit", serve.audit, "FILE", "a line of JSON for each answer, refusal and error");
  add_text(app, "--model", serve.model, "NAME|FILE", "a model of `pccsql model list`, a GGUF file, or `none` (default: qwen2.5-coder-1.5b)")
      ->group("Model");
  add_number(app, "--threads", serve.threads, 1, "threads (default: one a core)")->group("Model");
  add_number(app, "--context", serve.context, 1, "tokens that prompt and answer may have together")->group("Model");
  add_number(app, "--gpu-layers", serve.gpu_layers, 0, "layers on the GPU (default: all that fit)")->group("Model");
}

// An address may hold a password.
std::string shown_db(const std::string& db) { return is_pg_address(db) ? shown_pg_address(db) : db; }

// What callers call it: the file's name, or the server's database.
std::string database_name(const std::string& db) {
  if (!is_pg_address(db)) return std::filesystem::path(db).stem().string();
  const std::string shown = shown_pg_address(db);
  std::string name;
  for (const char c : shown.substr(shown.find_last_of("/=") + 1)) {
    const char small = fold(c);
    const bool good = (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    name += good ? c : '_';
  }
  return name.empty() ? "database" : name;
}

// The same configuration without a file.
Result<ServeConfig> config_without_file(const Options& options) {
  const Inputs& inputs = options.inputs;
  if (inputs.policy && !inputs.db) return Error{"`--policy` needs the database it is for; add `--db FILE`", {}, {}};
  if (inputs.db && !inputs.policy) {
    return Error{"no policy given; add `--policy FILE`. `pccsql policy init --db " + shown_db(*inputs.db) + " --out policy.yaml` writes a first one", {}, {}};
  }
  const bool server = inputs.db && is_pg_address(*inputs.db);
  if (inputs.schema_name && !server) return Error{"`--schema-name` is for a `--db postgresql://…`", {}, {}};
  ServeConfig config;
  const std::string name = inputs.db ? database_name(*inputs.db) : "hr";
  config.databases.push_back({name,
                              {inputs.db.value_or(demo_database_path()), inputs.schema_name.value_or("public")},
                              server ? Method::Retry : Method::Pcc,
                              {}});
  config.policies.push_back({"everybody", {{name, inputs.policy.value_or(demo_policy_path())}}, {}});
  return config;
}

}  // namespace

ServeCommands add_serve_commands(CLI::App& app, Options& options) {
  ServeCommands made;
  ServeOptions& serve = options.serve;
  made.serve = add_command(app, "serve", "serve databases over HTTP, to people and programs", kServeFooter);
  add_shared(*made.serve, options);
  add_text(*made.serve, "--listen", serve.listen, "HOST:PORT", "where to listen (default: 127.0.0.1:8080)");
  made.serve->add_flag("--check", serve.check, "only look whether the configuration is right");
  made.serve->add_flag("--insecure", serve.insecure, "without people, let everybody ask who can reach this machine");
  made.key = add_command(*made.serve, "key", "make a key for a person", kKeyFooter);
  add_text(*made.key, "NAME", serve.person, "", "the person");
  made.mcp = add_command(app, "mcp", "serve databases to an agent, as an MCP server on standard input and output", kMcpFooter);
  add_shared(*made.mcp, options);
  return made;
}

Result<ServeConfig> serve_config(const Options& options) {
  const ServeOptions& serve = options.serve;
  if (serve.config && (options.inputs.db || options.inputs.policy)) {
    return Error{"`--config` names the databases and policies; leave `--db` and `--policy` out", {}, {}};
  }
  Result<ServeConfig> config = ServeConfig{};
  if (serve.config) {
    const auto text = read_file(*serve.config);
    if (!text) return text.error();
    config = parse_serve_config(*text, *serve.config);
  } else {
    config = config_without_file(options);
  }
  if (!config) return config;
  if (serve.listen) {
    // Read as the file's line is, so that both take the same.
    const auto read = parse_serve_config("listen: \"" + *serve.listen + "\"\ndatabases: {a: {db: a}}\npolicies: {a: {a: a}}\n", "--listen");
    if (!read) return Error{"`--listen` is an address and a port: `127.0.0.1:8080`, `0.0.0.0:8080`, `[::1]:8080`", {}, {}};
    config->host = read->host;
    config->port = read->port;
  }
  if (serve.model) config->model = *serve.model;
  if (serve.audit) config->audit = *serve.audit;
  return config;
}

Result<OpenedModel> open_served_model(const Options& options, const ServeConfig& config) {
  if (config.model == "none") return OpenedModel{};
  if (config.model.starts_with("http://") || config.model.starts_with("https://")) {
    return Error{"a server's model is a name of `pccsql model list`, a GGUF file, or `none`: an endpoint gives no logits, so no mask", {}, {}};
  }
  ModelOptions model = options.serve;
  model.model = config.model.empty() ? std::nullopt : std::optional(config.model);
  std::set<Method> methods;
  for (const ServedDatabase& database : config.databases) methods.insert(database.method);
  return open_model(model, {static_cast<uint32_t>(config.limits.at_once * methods.size()), true});
}

}  // namespace pccsql
