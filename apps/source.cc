#include "apps/source.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/own_files.h"
#include "base/text.h"
#include "policy/column_comments.h"
#include "policy/policy_file.h"
#include "schema/pg_catalog.h"
#include "schema/reader.h"
#include "schema/rules.h"

namespace pccsql {
namespace {

std::string demo_file(const std::string& name) {
  const char* folder = std::getenv("PCCSQL_DEMO_DIR");
  if (folder != nullptr && *folder != '\0') return (std::filesystem::path(folder) / name).string();
  const std::string installed = "../share/pccsql/demo/" + name, built = "../examples/" + name;
  return own_file({installed.c_str(), built.c_str()});
}

Error usage_error(std::string message) { return Error{std::move(message), {}, {0, 0}}; }

// Whether a statement of the text begins with GRANT or REVOKE; comments and quoted text aside.
bool holds_grants(std::string_view sql) {
  bool statement_begins = true;
  for (size_t i = 0; i < sql.size();) {
    const char c = sql[i];
    const std::string_view rest = sql.substr(i);
    if (rest.starts_with("--")) {
      i = std::min(sql.find('\n', i), sql.size());
    } else if (rest.starts_with("/*")) {
      const size_t end = sql.find("*/", i + 2);
      i = end == std::string_view::npos ? sql.size() : end + 2;
    } else if (c == '\'' || c == '"' || c == '`') {
      i = std::min(sql.find(c, i + 1), sql.size() - 1) + 1;
      statement_begins = false;
    } else if ((fold(c) >= 'a' && fold(c) <= 'z') || c == '_') {
      size_t end = i;
      while (end < sql.size() && ((fold(sql[end]) >= 'a' && fold(sql[end]) <= 'z') || sql[end] == '_')) ++end;
      const std::string_view word = sql.substr(i, end - i);
      if (statement_begins && (equal_folded(word, "grant") || equal_folded(word, "revoke"))) return true;
      statement_begins = false;
      i = end;
    } else {
      if (c == ';') statement_begins = true;
      ++i;
    }
  }
  return false;
}

bool ends_with_sql(std::string_view path) {
  return path.size() >= 4 && equal_folded(path.substr(path.size() - 4), ".sql");
}

// What the comments in DDL text say; nothing when there are none. A column that no comment speaks of is just what it
// was said to be otherwise, so reading the text twice finds the columns that one does speak of.
Result<std::optional<Source::Comments>> comments_of(std::string_view ddl, const Catalog& catalog,
                                                    const std::string& file) {
  auto alone = parse_policy_ddl(ddl, catalog, ColumnPolicy::Hidden, file);
  if (!alone) return alone.error();
  auto beside = parse_policy_ddl(ddl, catalog, ColumnPolicy::Public, file);
  if (!beside) return beside.error();
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    for (ColumnIndex column = 0; column < catalog.table(table).columns.size(); ++column) {
      if (alone->of({table, column}) == beside->of({table, column})) {
        return std::optional(Source::Comments{std::move(*alone), std::move(*beside)});
      }
    }
    if (alone->group(table) != GroupRule{}) {
      return std::optional(Source::Comments{std::move(*alone), std::move(*beside)});
    }
  }
  return std::optional<Source::Comments>();
}

// The options that name the same database to another command. A server's address may hold a password.
std::string database_options(const Inputs& inputs) {
  if (inputs.db) return "--db " + (is_pg_address(*inputs.db) ? shown_pg_address(*inputs.db) : *inputs.db);
  if (inputs.schema) return "--schema " + *inputs.schema;
  return "--tables " + *inputs.tables + " --db-id " + inputs.db_id.value_or("ID");
}

std::optional<Error> wrong_usage(const Inputs& inputs, bool with_policy) {
  const std::array named{std::pair{"--db", &inputs.db},         std::pair{"--schema", &inputs.schema},
                         std::pair{"--tables", &inputs.tables}, std::pair{"--db-id", &inputs.db_id},
                         std::pair{"--policy", &inputs.policy}, std::pair{"--user", &inputs.user}};
  for (const auto& [name, value] : named) {
    if (*value && (*value)->empty()) return usage_error(std::string("`") + name + "` was given an empty text");
  }
  const int databases = int{inputs.db.has_value()} + int{inputs.schema.has_value()} + int{inputs.tables.has_value()};
  if (databases > 1) return usage_error("`--db`, `--schema` and `--tables` exclude each other; give one");
  const bool server = inputs.db && is_pg_address(*inputs.db);
  if (inputs.schema_name && !server && !rules_of(inputs.dialect).server) {
    return usage_error(
        "`--schema-name` is for PostgreSQL: a `--db postgresql://…`, or a `--schema` with `--dialect postgresql`");
  }
  if (rules_of(inputs.dialect).server && !inputs.schema && !server) {
    return usage_error("`--dialect postgresql` says how `--schema` is written; give that too");
  }
  if (inputs.db_id && !inputs.tables) return usage_error("`--db-id` picks a database of `--tables`; give that too");
  if (databases == 0 && inputs.policy) {
    return usage_error("`--policy` needs the database it is for; add `--db FILE`, `--schema FILE` or `--tables FILE`");
  }
  if (inputs.user && !inputs.policy) return usage_error("`--user` needs a `--policy` file of GRANT statements");
  if (with_policy && databases == 1 && !inputs.policy && !inputs.schema && !server) {
    return usage_error("no policy given; add `--policy FILE`. `pccsql policy init " + database_options(inputs) +
                       " --out policy.yaml` writes a first one");
  }
  return std::nullopt;
}

}  // namespace

std::string demo_database_path() { return demo_file("hr.sqlite"); }
std::string demo_policy_path() { return demo_file("policy.yaml"); }

Result<Source> Source::load(const Inputs& inputs, bool with_policy) {
  if (auto wrong = wrong_usage(inputs, with_policy)) return *wrong;
  Inputs given = inputs;
  if (!given.db && !given.schema && !given.tables) {
    given.db = demo_database_path();
    if (with_policy) given.policy = demo_policy_path();
    if (!std::filesystem::exists(*given.db)) {
      return Error{"the demo database is not there; build the project, or give `--db FILE`", *given.db, {0, 0}};
    }
  }
  Source source;
  if (auto done = source.read_catalogs(given); !done) return done.error();
  if (!with_policy) return source;
  if (auto done = source.read_comments(); !done) return done.error();
  if (auto done = source.read_policy(given); !done) return done.error();
  if (auto done = source.settle_policy(given); !done) return done.error();
  return source;
}

Result<bool> Source::read_catalogs(const Inputs& inputs) {
  catalogs_ = std::make_unique<std::vector<Catalog>>();
  if (inputs.tables) {
    auto catalogs = read_tables_json(*inputs.tables);
    if (!catalogs) return catalogs.error();
    if (catalogs->empty()) return Error{"holds no database", *inputs.tables, {0, 0}};
    *catalogs_ = std::move(*catalogs);
    by_db_id_ = true;
    tables_file_ = *inputs.tables;
    db_id_ = inputs.db_id;
    if (db_id_) {
      if (auto found = catalog(db_id_); !found) return found.error();
    }
    return true;
  }
  if (inputs.schema) {
    auto text = read_file(*inputs.schema);
    if (!text) return text.error();
    schema_text_ = std::move(*text);
    schema_file_ = *inputs.schema;
  }
  const std::string schema = inputs.schema_name.value_or("public");
  auto catalog = inputs.schema
                     ? (rules_of(inputs.dialect).server ? read_pg_dump(schema_text_, schema_file_, schema)
                                                              : read_ddl_catalog(schema_text_, schema_file_))
                 : is_pg_address(*inputs.db) ? read_pg_catalog(*inputs.db, schema)
                                             : read_sqlite_catalog(*inputs.db);
  if (!catalog) return catalog.error();
  catalogs_->push_back(std::move(*catalog));
  return true;
}

Result<bool> Source::read_comments() {
  const Catalog& catalog = catalogs_->front();
  if (!by_db_id_ && rules_of(catalog).server) return read_pg_comments();
  if (schema_file_.empty()) return true;
  auto comments = comments_of(schema_text_, catalog, schema_file_);
  if (!comments) return comments.error();
  comments_ = std::move(*comments);
  return true;
}

// COMMENT ON COLUMN: `pccsql: AggregateOnly`, wherever in the comment.
Result<bool> Source::read_pg_comments() {
  const Catalog& catalog = catalogs_->front();
  auto comments = policy_of_comments(catalog, ColumnPolicy::Hidden);
  if (!comments) return comments.error();
  if (!*comments) return true;
  auto beside = policy_of_comments(catalog, ColumnPolicy::Public);
  if (!beside) return beside.error();
  comments_ = Comments{std::move(**comments), std::move(**beside)};
  return true;
}

Result<bool> Source::read_policy(const Inputs& inputs) {
  if (!inputs.policy) {
    if (comments_) return true;
    if (rules_of(catalogs_->front()).server) {
      return usage_error(
          "no policy given: no column has a comment with a label (COMMENT ON COLUMN … IS 'pccsql: Public'); "
          "write some or add `--policy FILE`. `pccsql policy init " +
          database_options(inputs) + " --out policy.yaml` writes a first one");
    }
    return usage_error("no policy given: `" + *inputs.schema +
                       "` has no policy comments (`salary INTEGER, -- AggregateOnly`); " +
                       "write some or add `--policy FILE`. `pccsql policy init " + database_options(inputs) +
                       " --out policy.yaml` writes a first one");
  }
  auto text = read_file(*inputs.policy);
  if (!text) return text.error();
  policy_text_ = std::move(*text);
  policy_file_ = *inputs.policy;
  form_ = PolicyForm::Yaml;
  if (ends_with_sql(policy_file_)) form_ = holds_grants(policy_text_) ? PolicyForm::Grants : PolicyForm::Comments;
  if (form_ == PolicyForm::Grants && !inputs.user) {
    return Error{"holds GRANT statements; say for whom with `--user NAME`", policy_file_, {0, 0}};
  }
  if (form_ != PolicyForm::Grants && inputs.user) {
    return Error{"holds no GRANT statements, which `--user` is for; leave `--user` out, or give a .sql file of grants",
                 policy_file_,
                 {0, 0}};
  }
  user_ = inputs.user.value_or("");
  return true;
}

// A policy that fits no database is wrong as a whole; one that fits some is judged line by line.
Result<bool> Source::settle_policy(const Inputs& inputs) {
  if (!by_db_id_ || inputs.db_id || catalogs_->size() == 1) {
    auto database = catalog();
    if (!database) return database.error();
    auto fits = policy(**database);
    if (!fits) return fits.error();
    return true;
  }
  std::optional<Error> first;
  for (const Catalog& candidate : *catalogs_) {
    auto fits = policy(candidate);
    if (fits) return true;
    if (!first) first = fits.error();
  }
  first->message +=
      " (database `" + catalogs_->front().name() + "`; it fits no other one of `" + tables_file_ + "` either)";
  return *first;
}

Result<const Catalog*> Source::catalog(const std::optional<std::string>& db_id) const {
  if (!by_db_id_) return &catalogs_->front();
  const std::optional<std::string>& wanted = db_id ? db_id : db_id_;
  if (!wanted) {
    if (catalogs_->size() == 1) return &catalogs_->front();
    return usage_error("no database named: `" + tables_file_ + "` holds " + std::to_string(catalogs_->size()) +
                       "; give `--db-id ID`, or a `db_id` in each line");
  }
  std::vector<std::string> names;
  for (const Catalog& candidate : *catalogs_) {
    if (candidate.name() == *wanted) return &candidate;
    names.push_back(candidate.name());
  }
  const std::string close = closest_match(*wanted, names);
  return Error{
      "no database `" + *wanted + "`" + (close.empty() ? "" : "; did you mean `" + close + "`?"), tables_file_, {0, 0}};
}

Result<Policy> Source::file_policy(const Catalog& catalog) const {
  switch (form_) {
    case PolicyForm::Yaml:
      return parse_policy_yaml(policy_text_, catalog, policy_file_);
    case PolicyForm::Grants:
      return parse_policy_grants(policy_text_, catalog, user_, policy_file_);
    case PolicyForm::Comments: {
      auto comments = comments_of(policy_text_, catalog, policy_file_);
      if (!comments) return comments.error();
      if (*comments) {
        if (const auto missing = find_missing_key(catalog, (*comments)->alone)) {
          return Error{missing->message, policy_file_, {}};
        }
        return std::move((*comments)->alone);
      }
      return Error{"holds neither GRANT statements nor policy comments (`salary INTEGER, -- AggregateOnly`)",
                   policy_file_,
                   {0, 0}};
    }
    case PolicyForm::None:
      break;
  }
  return usage_error("no policy given");
}

Result<Policy> Source::policy(const Catalog& catalog) const {
  if (form_ == PolicyForm::None && comments_) {
    if (const auto missing = find_missing_key(catalog, comments_->alone)) {
      return Error{missing->message, schema_file_, {}};
    }
    return comments_->alone;
  }
  auto from_file = file_policy(catalog);
  if (!from_file || !comments_) return from_file;
  return intersection(catalog, *from_file, comments_->beside);
}

std::optional<PolicyNotes> Source::notes(const Catalog& catalog) const {
  PolicyNotes notes;
  if (form_ != PolicyForm::Yaml || !parse_policy_yaml(policy_text_, catalog, policy_file_, &notes)) return std::nullopt;
  return notes;
}

Result<Policy> Source::policy(const Catalog& catalog, std::string_view yaml) const {
  auto own = parse_policy_yaml(yaml, catalog);
  if (!own || !comments_) return own;
  return intersection(catalog, *own, comments_->beside);
}

}  // namespace pccsql
