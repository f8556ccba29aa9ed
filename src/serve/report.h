// Report: one answer, and how it looks as a line of JSON and as text for a person.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/render.h"
#include "base/span.h"
#include "policy/judgement.h"
#include "policy/policy.h"
#include "policy/run_text.h"

namespace pccsql {

struct UseReport {
  std::string_view table;  // as declared
  std::string_view column;
  Role role = Role::Sel;
  Span span;
  // With a policy only.
  ColumnPolicy policy = ColumnPolicy::Hidden;
  bool permitted = false;
};

// What may not stand where it stands, and what would be allowed.
struct Complaint {
  Span span;
  std::string text;
};

struct Report {
  std::string id = "null";  // JSON
  std::string sql;
  Verdict verdict = Verdict::Error;
  std::string reason;
  std::optional<Span> where;  // absent: the reason is about no place in the query
  std::vector<UseReport> uses;
  bool with_policy = true;
  std::vector<Complaint> complaints;  // of an unsafe query, by place
  std::optional<RunText> run;         // what is run for it, where that was asked
  std::string said;                   // what an asker is told of it
  std::string run_problem;            // or why it is not run
};

// What the judge says of a query. Without a policy: what it uses alone. `with_run`: also what is run for it. The report's names
// are good as long as the catalogue.
Report report_on(std::string_view sql, const Catalog& catalog, QueryChecker& checker, const Policy* policy, bool with_run);

// {"id","verdict","uses":[{"table","column","role","policy","permitted","span":[b,e]}],"reason"}, without a line end, and "run" where the report has it;
// uses have no policy and permitted where the report is without. What is not UTF-8 is replaced.
std::string to_json(const Report& report);

// Several lines: the verdict; the query with offending names underlined and what would be allowed; or what it uses.
std::string to_text(const Report& report, const Style& style);

}  // namespace pccsql
