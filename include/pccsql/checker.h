// Checker: the second judge. Whether a finished query keeps to a policy, and which column it uses where, and in which role.
//
//   auto checker = pccsql::Checker::make(pccsql::SqliteFile{"hr.sqlite"}, pccsql::PolicyFile{"policy.yaml"});
//   const auto judgement = checker->check("SELECT name FROM employee");
//   if (judgement.verdict != pccsql::Checker::Verdict::Safe) … judgement.reason …
//
// It shares grammar, catalogue and policy with the Engine and nothing else, so that the two can watch each other: whatever
// an Engine's Matcher lets through is Safe here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pccsql/result.h>
#include <pccsql/settings.h>
#include <pccsql/sources.h>

namespace pccsql {

// A handle: copies share what was read, which never changes. Any number of threads may use it at once.
class Checker {
 public:
  enum class Verdict : uint8_t {
    Safe,     // the policy permits it, and the database would run it
    Unsafe,   // it uses a column in a way that the policy does not permit
    Outside,  // it is not one query of the language, which says nothing of whether it is harmless
    Error,    // the database would refuse it
  };
  enum class Role : uint8_t { Sel, Join, Where, Agg };
  enum class ColumnPolicy : uint8_t { Public, ConditionOnly, AggregateOnly, Hidden };

  // Bytes of the query, from `begin` up to and without `end`.
  struct Span {
    uint32_t begin = 0;
    uint32_t end = 0;
  };

  // A column in a role, where the query names it. A place that counts twice (Agg and Where) is two uses.
  struct Use {
    std::string table;
    std::string column;
    Role role = Role::Sel;
    Span span;  // of the name as written: `T1.salary`, `*`, the alias that stands for it
    ColumnPolicy policy = ColumnPolicy::Hidden;
    bool permitted = false;
  };

  struct Judgement {
    Verdict verdict = Verdict::Error;
    std::string reason;     // what is wrong, and what would be right; empty where it is Safe
    Span where;             // the place that the reason is about
    std::vector<Use> uses;  // by place; with Outside and Error what could be told
  };

  // Of the settings only language and profile count. What cannot be read, or a policy that names what the schema does not
  // have, is an Error.
  static Result<Checker> make(const SchemaSource& schema, const PolicySource& policy, const Settings& settings = {});

  // The query that is to be run for one that is Safe: as written, or, where it counts columns that the policy holds to a
  // minimum group, with the conditions that leave small groups out (docs/policy.md).
  struct RunText {
    std::string sql;
    std::string said;           // what whoever asked is told of the conditions; empty where none were added
    std::string said_if_empty;  // the same, where no row is left
  };

  // Takes time that is bounded by the text's length and the schema's size, whatever the text.
  Judgement check(std::string_view sql) const;
  // An Error for a query that is not Safe, and for one to which the conditions cannot be added.
  Result<RunText> run_text(std::string_view sql) const;

  class Impl;
  explicit Checker(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

const char* to_string(Checker::Verdict verdict);      // "safe", "unsafe", "outside", "error"
const char* to_string(Checker::Role role);            // "Sel", "Join", "Where", "Agg"
const char* to_string(Checker::ColumnPolicy policy);  // "Public", …

}  // namespace pccsql
