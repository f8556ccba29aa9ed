#include "apps/option_kinds.h"

#include <algorithm>
#include <charconv>

#include <pccsql/settings.h>

#include "base/text.h"

namespace pccsql {

CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& into, const std::string& type,
                      const std::string& about) {
  return app
      .add_option_function<std::string>(
          name, [&into](const std::string& value) { into = value; }, about)
      ->type_name(type);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<uint64_t>& into, uint64_t least,
                        const std::string& about) {
  const auto read = [&into, name, least](const std::string& value) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < least) {
      throw CLI::ValidationError("`" + name + "` is a whole number, " + std::to_string(least) + " or more, not `" +
                                 value + "`");
    }
    into = number;
  };
  return app.add_option_function<std::string>(name, read, about)->type_name("N");
}

CLI::Option* add_memory(CLI::App& app, std::optional<uint64_t>& into) {
  return add_number(app, "--memory-mb", into, 0, "memory that masks may keep, in megabytes (default: 256)");
}

size_t memory_bytes(std::optional<uint64_t> megabytes) {
  constexpr uint64_t kMost = SIZE_MAX >> 21;
  return megabytes ? static_cast<size_t>(std::min(*megabytes, kMost)) << 20 : Settings().memory_bytes;
}

CLI::Option* add_share(CLI::App& app, const std::string& name, std::optional<double>& into, Share least,
                       const std::string& about) {
  const auto read = [&into, name, least](const std::string& value) {
    const std::optional<double> number = decimal(value);
    if (!number || *number < 0 || *number > 1 || (least == Share::Above0 && *number == 0)) {
      throw CLI::ValidationError("`" + name + "` is a number " + (least == Share::Above0 ? "above" : "from") +
                                 " 0 and up to 1, not `" + value + "`");
    }
    into = number;
  };
  return app.add_option_function<std::string>(name, read, about)->type_name("X");
}

void add_inputs(CLI::App& app, Inputs& inputs, bool with_policy) {
  add_text(app, "--db", inputs.db, "DB", "the database: a SQLite file (read only), or postgresql://…, service=…")
      ->group("Database");
  add_text(app, "--schema", inputs.schema, "FILE", "or its CREATE statements as text")->group("Database");
  add_choice<Dialect>(app, "--dialect", inputs.dialect,
                      {{"sqlite", Dialect::Sqlite}, {"postgresql", Dialect::PostgreSql}},
                      "of --schema; postgresql: what pg_dump -s writes (default: sqlite)")
      ->group("Database");
  add_text(app, "--schema-name", inputs.schema_name, "NAME", "which schema, on PostgreSQL (default: public)")
      ->group("Database");
  add_text(app, "--tables", inputs.tables, "FILE", "or a tables.json of Spider or BIRD")->group("Database");
  add_text(app, "--db-id", inputs.db_id, "ID", "which database of --tables")->group("Database");
  if (!with_policy) return;
  add_text(app, "--policy", inputs.policy, "FILE", "the policy: YAML or JSON, or a .sql file")->group("Policy");
  add_text(app, "--user", inputs.user, "NAME", "whose GRANTs count, for a policy of GRANT statements")->group("Policy");
}

void add_profile_and_language(CLI::App& app, CheckSettings& settings) {
  add_choice<Profile>(app, "--profile", settings.profile, {{"strict", Profile::Strict}, {"paper", Profile::Paper}},
                      "how uses are counted (default: strict)");
  add_choice<Language>(app, "--language", settings.language,
                       {{"full", Language::Full}, {"fragment", Language::Fragment}},
                       "fragment: without set operations, WITH, windows and CASE (default: full)");
}

void add_format(CLI::App& app, Options& options, const std::string& about) {
  add_choice<Format>(app, "--format", options.format, {{"text", Format::Text}, {"json", Format::Json}}, about);
}

void add_color(CLI::App& app, Options& options) {
  add_choice<Color>(app, "--color", options.color,
                    {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}},
                    "colours in text output (default: auto, and NO_COLOR is heeded)");
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& about, const std::string& footer) {
  CLI::App* command = app.add_subcommand(name, about);
  command->footer(footer);
  command->group("Commands");
  command->set_help_flag("-h,--help", "print this help");
  return command;
}

}  // namespace pccsql
