// The options of the policy commands, and what their help says.
#include "apps/options.h"

#include "apps/option_kinds.h"
#include "apps/policy_command.h"

namespace pccsql {
namespace {

constexpr const char* kPolicyFooter =
    "Examples:\n"
    "  pccsql policy init --db shop.sqlite --out policy.yaml\n"
    "  pccsql policy lint --db shop.sqlite --policy policy.yaml\n"
    "  pccsql policy diff --db shop.sqlite --policy policy.yaml";

constexpr const char* kInitFooter =
    "Starts closed: a column is Hidden unless it is known to be harmless. Keys are ConditionOnly; money, measures and\n"
    "scores AggregateOnly, over groups of 5 at the least; names of things, places and kinds Public. Told from names\n"
    "(English, German, French, Spanish), types, keys, and with --db from the values of some rows, which can close a\n"
    "column and never open one; that takes some seconds at most. Each line says why. A start for a person to edit.\n"
    "Examples:\n"
    "  pccsql policy init --db shop.sqlite > policy.yaml\n"
    "  pccsql policy init --schema shop.sql --people public --out policy.yaml\n"
    "  pccsql policy init --tables tables.json --db-id concert_singer --out policy.yaml --force\n"
    "Exit status: 0 written, 2 a usage or file error.";

constexpr const char* kLintFooter =
    "Warns of policies that leak by construction: a Public generated column or view over a restricted column, sums\n"
    "without a least group size, an INTEGER PRIMARY KEY that rowid would reveal, and the like. With --db it also counts in\n"
    "the data: a Public column that names each entity, a key that does not name the person, tables too small for their\n"
    "groups; that takes some seconds at most. What is found has a name, in brackets, by which the policy file can accept\n"
    "it, with a reason:  accept: {rowid: \"no other program asks this database\"}\n"
    "Examples:\n"
    "  pccsql policy lint --db shop.sqlite --policy policy.yaml\n"
    "  pccsql policy lint --db shop.sqlite --policy policy.yaml --strict --accepted\n"
    "  pccsql policy lint --schema shop.sql --policy policy.yaml --format json\n"
    "Exit status: 0 no warnings, 1 warnings, 2 a usage or file error.";

constexpr const char* kDiffFooter =
    "Lists the columns that the policy file does not name, with the label that `*` or `default` gives them. Those that\n"
    "are open are held against the file's record of what was open when somebody last looked (`opened:`); --accept writes\n"
    "that record, and leaves the rest of the file as it is. `ask` warns of columns that came later, `policy lint --strict`\n"
    "fails.\n"
    "Examples:\n"
    "  pccsql policy diff --db shop.sqlite --policy policy.yaml\n"
    "  pccsql policy diff --db shop.sqlite --policy policy.yaml --accept\n"
    "Exit status: 0 nothing is open but what is named or recorded, 1 something is, 2 a usage or file error.";
constexpr const char* kGrantsFooter =
    "Prints, and never runs, the SQL that makes the role which questions on PostgreSQL run under: it may log in and read the\n"
    "columns that are not Hidden, and nothing else. Keys that minimum groups need are among them.\n"
    "Examples:\n"
    "  pccsql policy grants --db postgresql:///shop --policy policy.yaml --role asker > role.sql\n"
    "Exit status: 0 printed, 2 a usage or file error.";

constexpr const char* kImportFooter =
    "Prints a policy file made of what the database says: labels in comments (COMMENT ON COLUMN … IS 'pccsql: Public'), and\n"
    "with --role the columns that the role may read, Public, all others Hidden. With --policy as well, a use must be\n"
    "permitted by all of them.\n"
    "Examples:\n"
    "  pccsql policy import --db postgresql:///shop --role reporting > policy.yaml\n"
    "Exit status: 0 printed, 2 a usage or file error.";

void add_no_data(CLI::App& app, Options& options) {
  app.add_flag("--no-data", options.policy.no_data, "look at the schema alone, not at the data");
}

}  // namespace

PolicyCommands add_policy_commands(CLI::App& app, Options& options) {
  PolicyCommands commands;
  CLI::App* policy = add_command(app, "policy", "write and examine policies", kPolicyFooter);
  commands.init = add_command(*policy, "init", "write a first policy, which starts closed", kInitFooter);
  add_inputs(*commands.init, options.inputs, false);
  add_choice<PeopleNames>(*commands.init, "--people", options.policy.people,
                          {{"hidden", PeopleNames::Hidden}, {"public", PeopleNames::Public}},
                          "what names of people become (default: hidden)");
  add_no_data(*commands.init, options);
  CLI::Option* out =
      add_text(*commands.init, "--out", options.out, "FILE", "write to this file instead of standard output");
  commands.init->add_flag("--force", options.force, "replace the file if it exists")->needs(out);
  commands.lint = add_command(*policy, "lint", "warn of policies that leak by construction", kLintFooter);
  add_inputs(*commands.lint, options.inputs, true);
  add_format(*commands.lint, options,
             "json: a list of {\"kind\", \"table\", \"column\", \"message\"}, and \"accepted\" (default: text)");
  add_no_data(*commands.lint, options);
  commands.lint->add_flag("--strict", options.policy.strict, "warn also of what `*` or `default` opens without a record");
  commands.lint->add_flag("--accepted", options.policy.accepted, "list what the policy accepts as well, with the reasons");
  add_text(*commands.lint, "--role", options.policy.role, "NAME", "the role of a PostgreSQL server that questions run under (default: who connects)");
  commands.diff = add_command(*policy, "diff", "list what the schema has and the policy does not name", kDiffFooter);
  add_inputs(*commands.diff, options.inputs, true);
  commands.diff->add_flag("--accept", options.policy.accept, "record in the policy file what is open now");
  add_format(*commands.diff, options,
             "json: a list of {\"table\", \"column\", \"policy\", \"by\", \"recorded\"} (default: text)");
  commands.grants = add_command(*policy, "grants", "print the SQL of the PostgreSQL role to ask under", kGrantsFooter);
  add_inputs(*commands.grants, options.inputs, true);
  add_text(*commands.grants, "--role", options.policy.role, "NAME", "the role to make");
  commands.import = add_command(*policy, "import", "print a policy made of a database's comments and rights", kImportFooter);
  add_inputs(*commands.import, options.inputs, true);
  add_text(*commands.import, "--role", options.policy.role, "NAME", "whose rights count");
  return commands;
}

}  // namespace pccsql
