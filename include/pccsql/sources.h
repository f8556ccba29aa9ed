// Where a schema and a policy are read from, for an Engine and for a Checker.
#pragma once

#include <string>
#include <variant>

namespace pccsql {

// Where the tables and columns come from. The database is opened read-only, and only while the Engine or Checker is made.
struct SqliteFile {
  std::string path;
};
struct DdlText {
  std::string text;           // CREATE TABLE/VIEW/INDEX statements
  std::string name = "text";  // for messages
};
struct TablesJson {
  std::string path;   // of Spider or BIRD
  std::string db_id;  // which of its databases
};
using SchemaSource = std::variant<SqliteFile, DdlText, TablesJson>;

// What its columns may be used for: YAML, as docs/policy.md has it.
struct PolicyFile {
  std::string path;
};
struct PolicyText {
  std::string text;
  std::string name = "text";  // for messages
};
using PolicySource = std::variant<PolicyFile, PolicyText>;

}  // namespace pccsql
