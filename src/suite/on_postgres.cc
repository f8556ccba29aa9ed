// A port is made outside the program, because only its owner knows what his columns hold: gold queries by split and number, and the
// DDL of each database. What the program adds is the judgement.
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "dialect/dialect.h"
#include "schema/pg_catalog.h"
#include "schema/rules.h"
#include "suite/build.h"

namespace pccsql {
namespace {

struct Ported {
  std::string database;
  std::string sql;
};

// By what the questions of suites are called: `spider-dev-17`.
Result<std::map<std::string, Ported>> read_port(const PortOptions& options) {
  const std::string file = options.folder + "/gold.jsonl";
  const auto text = read_file(file);
  if (!text) return text.error();
  std::map<std::string, Ported> port;
  std::string_view rest = *text;
  for (uint32_t line = 1; !rest.empty(); ++line) {
    const size_t end = rest.find('\n');
    const auto json = parsed_json(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const bool good = json && json->is_object() && json->value("form", Json()).is_string() && json->value("split", Json()).is_string() &&
                      json->value("index", Json()).is_number_unsigned() && json->value("db", Json()).is_string() &&
                      json->value("sql", Json()).is_string();
    if (!good) return Error{"a line has `form`, `split`, `index`, `db` and `sql`", file, {line, 1}};
    if ((*json)["form"] != options.form) continue;
    port[(*json)["split"].get<std::string>() + "-" + std::to_string((*json)["index"].get<size_t>())] = {(*json)["db"], (*json)["sql"]};
  }
  if (port.empty()) return Error{"holds no query of the form `" + options.form + "`", file, {}};
  return port;
}

// Columns are told by their names, whatever their case; what the old schema has not is Hidden.
Policy carried_over(const Catalog& from, const Policy& policy, const Catalog& to) {
  Policy made(to, ColumnPolicy::Hidden);
  for (TableId t = 0; t < to.tables().size(); ++t) {
    for (ColumnIndex c = 0; c < to.table(t).columns.size(); ++c) {
      if (const auto old = from.find_column(to.table(t).name, to.table(t).columns[c].name)) made.set({t, c}, policy.of(*old));
    }
  }
  return made;
}

std::string address_of(const std::string& pattern, const std::string& database) {
  std::string made = pattern;
  const size_t at = made.find("{db}");
  if (at != std::string::npos) made.replace(at, 4, database);
  return made;
}

class Porter {
 public:
  Porter(const PortOptions& options, const Suite& old) : options_(options), old_(old) {
    suite_.name = old.name;
    suite_.profile = Profile::Strict;
    suite_.settings = old.settings;
    suite_.execution = old.execution;
    suite_.data = old.data;
  }

  // False: the question is left out.
  Result<bool> add(const SuiteQuestion& question, const Ported& ported) {
    const auto catalog = catalog_for(question, ported);
    if (!catalog) return catalog.error();
    const size_t policy = policy_for(question, *catalog);
    const Verdict verdict = checkers_[*catalog]->check(ported.sql, suite_.policies[policy].policy).verdict;
    if (verdict != Verdict::Safe && verdict != Verdict::Unsafe) return false;
    SuiteQuestion made = question;
    made.db_path = address_of(options_.address, ported.database);
    made.gold_sql = ported.sql;
    made.gold_label = verdict == Verdict::Safe ? GoldLabel::Sql : GoldLabel::Refuse;
    made.catalog = *catalog;
    made.policy = policy;
    suite_.questions.push_back(std::move(made));
    return true;
  }

  Suite& suite() { return suite_; }

 private:
  Result<size_t> catalog_for(const SuiteQuestion& question, const Ported& ported) {
    const auto known = catalog_of_.find(question.db_id);
    if (known != catalog_of_.end()) return known->second;
    const std::string file = options_.folder + "/" + options_.form + "/" + ported.database + ".sql";
    auto ddl = read_file(file);
    if (!ddl) return ddl.error();
    auto catalog = read_pg_dump(*ddl, file, "public", question.db_id);
    if (!catalog) return catalog.error();
    const size_t index = suite_.catalogs.size();
    catalog_of_.emplace(question.db_id, index);
    suite_.catalogs.push_back(*std::move(catalog));
    suite_.schemas.push_back(*std::move(ddl));
    checkers_.push_back(make_checker(suite_.catalogs.back(), {}));
    return index;
  }

  size_t policy_for(const SuiteQuestion& question, size_t catalog) {
    const auto [entry, fresh] = policy_of_.try_emplace(question.policy, suite_.policies.size());
    if (fresh) {
      Policy policy = carried_over(old_.catalogs[question.catalog], old_.policies[question.policy].policy, suite_.catalogs[catalog]);
      std::string text = policy_json(suite_.catalogs[catalog], policy);
      suite_.policies.push_back({catalog, std::move(text), std::move(policy)});
    }
    return entry->second;
  }

  const PortOptions& options_;
  const Suite& old_;
  Suite suite_;
  std::map<std::string, size_t> catalog_of_;
  std::map<size_t, size_t> policy_of_;
  std::vector<std::unique_ptr<QueryChecker>> checkers_;  // by catalogue
};

}  // namespace

Result<Suite> build_on_postgres(PortOptions& options) {
  const auto old = read_suite(options.suite);
  if (!old) return old.error();
  if (rules_of(old->dialect()).server) return Error{"is a suite on PostgreSQL already", options.suite, {}};
  const auto port = read_port(options);
  if (!port) return port.error();
  Porter porter(options, *old);
  for (const SuiteQuestion& question : old->questions) {
    const auto ported = port->find(question.id);
    Result<bool> taken = false;
    if (ported != port->end()) taken = porter.add(question, ported->second);
    if (!taken) return taken.error();
    options.left_out += *taken ? 0u : 1u;
  }
  if (porter.suite().questions.empty()) return Error{"has none of the suite's questions", options.folder, {}};
  return std::move(porter.suite());
}

}  // namespace pccsql
