// Prompts: what a model is told. One wording comes with the program; a folder of templates can take its place.
//
// The files of such a folder, all of them needed: `system.txt`; `question.txt` with {schema}, {evidence}, {question};
// `evidence.txt` with {evidence}; `retry.txt` with {previous}, {violations}; `violation.txt` with {column}, {policy},
// {role}; `verify_system.txt`; `verify.txt` with {columns}, {sql}; `verify_column.txt` with {column}, {policy}. One more
// may be there: `minimum_group.txt` with {minimum}, which follows the schema where the policy sets a minimum group.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "prompt/template.h"
#include "schema/catalog.h"

namespace pccsql {

// A system part and what the user says. The system part and the first `stable_bytes` of the user's are the same for
// every question about one database: a model may keep what it made of them.
struct PromptText {
  std::string system;
  std::string user;
  size_t stable_bytes = 0;
};

// A use that the policy does not permit.
struct Violation {
  std::string column;  // `employee.salary`; a table's name where the table as a whole may not be named
  ColumnPolicy policy = ColumnPolicy::Hidden;
  std::optional<Role> role = Role::Sel;  // nothing: the table was named
  friend bool operator==(const Violation&, const Violation&) = default;
};

// What a role is, for somebody who does not know the word: "output", "a filter"; without one, "a table to read from".
std::string_view in_words(std::optional<Role> role);

class Prompts {
 public:
  static const Prompts& standard();
  // Of `folder`. A file that is missing or cannot be read, a placeholder that is unknown, missing or out of order: an
  // Error that names the file.
  static Result<Prompts> load(const std::string& folder);

  // The same for databases of a dialect: where system.txt says SQLite, it says the dialect's name.
  Prompts about(Dialect dialect) const;

  // What is said of minimum groups, {minimum} being the largest of the policy's; empty where it sets none, or where the
  // templates say nothing.
  std::string minimum_group(const Policy& policy) const;

  // `schema`: schema_text(), and what is said of minimum groups.
  PromptText question(std::string_view schema, std::string_view question,
                      const std::optional<std::string>& evidence = {}) const;
  // `first`, what the model wrote, and what was wrong with it: in place of any earlier feedback.
  PromptText retry(const PromptText& first, std::string_view previous, const std::vector<Violation>& violations) const;
  PromptText verify(const Catalog& catalog, const Policy& policy, std::string_view sql) const;

 private:
  static Result<Prompts> make(const std::vector<NamedText>& texts, const std::string& folder);

  std::string_view dialect_ = "SQLite";
  std::vector<Template> templates_;
  std::optional<Template> minimum_group_;
};

}  // namespace pccsql
