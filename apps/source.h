// Source: what the options --db, --schema, --tables, --policy and their like bring in: catalogues, and the policy that
// goes with each. Without any of them it is the demo of examples/hr.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "policy/policy_notes.h"
#include "schema/catalog.h"

namespace pccsql {

// The options as given. An option that was not given is empty.
struct Inputs {
  std::optional<std::string> db;      // a SQLite file, or a PostgreSQL server's address
  std::optional<std::string> schema;  // DDL text
  std::optional<std::string> schema_name;  // of the server, or of a pg_dump; none: public
  Dialect dialect = Dialect::Sqlite;       // of the DDL text
  std::optional<std::string> tables;  // a Spider/BIRD tables.json
  std::optional<std::string> db_id;   // which of its databases
  std::optional<std::string> policy;
  std::optional<std::string> user;  // for a policy of GRANT statements
};

// Where the demo is: in the folder that the environment variable PCCSQL_DEMO_DIR names (hr.sqlite, policy.yaml), else
// where the build put it.
std::string demo_database_path();
std::string demo_policy_path();

class Source {
 public:
  // What `-- Policy` comments say. The two differ in the columns without one: Hidden where the comments are all there
  // is, Public where a policy file speaks as well, because then they say nothing of that column.
  struct Comments {
    Policy alone;
    Policy beside;
  };

  // Reads the catalogues; with `with_policy` the policy too, and then it is an error if there is none or if it fits no
  // database.
  static Result<Source> load(const Inputs& inputs, bool with_policy);

  // The database of that db_id, or the one of --db-id, or the only one. Where there is one database alone (--db,
  // --schema) a db_id says nothing. The address stays the same as long as the Source lives.
  Result<const Catalog*> catalog(const std::optional<std::string>& db_id = {}) const;

  // All databases there are, in the order of their file.
  const std::vector<Catalog>& catalogs() const { return *catalogs_; }

  // The policy for one of the catalogues: that of the file, and what the comments of the schema leave of it.
  Result<Policy> policy(const Catalog& catalog) const;

  // The same with `yaml` in place of the file.
  Result<Policy> policy(const Catalog& catalog, std::string_view yaml) const;

  // What the policy file says beside labels; nothing where it is none in YAML.
  std::optional<PolicyNotes> notes(const Catalog& catalog) const;

  // The policy file's text, and what it is called; empty where there is none in YAML.
  std::string_view yaml() const { return form_ == PolicyForm::Yaml ? std::string_view(policy_text_) : std::string_view(); }
  const std::string& policy_file() const { return policy_file_; }

 private:
  enum class PolicyForm { None, Yaml, Comments, Grants };

  Result<bool> read_catalogs(const Inputs& inputs);
  Result<bool> read_comments();
  Result<bool> read_pg_comments();
  Result<bool> read_policy(const Inputs& inputs);
  Result<bool> settle_policy(const Inputs& inputs);
  Result<Policy> file_policy(const Catalog& catalog) const;

  std::unique_ptr<std::vector<Catalog>> catalogs_;
  bool by_db_id_ = false;
  std::string tables_file_;
  std::optional<std::string> db_id_;

  std::string schema_text_;
  std::string schema_file_;
  std::optional<Comments> comments_;  // of the schema

  PolicyForm form_ = PolicyForm::None;
  std::string policy_text_;
  std::string policy_file_;
  std::string user_;
};

}  // namespace pccsql
