// What a policy opens without naming it: columns whose label comes from `*` or `default` and is not Hidden. A column that
// is added to the schema under such a line is open at once; the policy file's record (`opened`) tells which were there when
// somebody last looked.
#pragma once

#include <string>
#include <vector>

#include "lint/lint.h"
#include "policy/policy_file.h"

namespace pccsql {

struct Unnamed {
  ColumnRef column;
  ColumnPolicy label = ColumnPolicy::Hidden;
  LabelSource source = LabelSource::Default;
  bool recorded = false;
};

// Every column that the file does not name, in the order of tables and columns.
std::vector<Unnamed> unnamed_columns(const Catalog& catalog, const Policy& policy, const PolicyNotes& notes);

// Those that are open and not in the record, where there is one (`new-column`, a warning each); where there is none, those
// that are open (`unrecorded`, a warning for each table).
std::vector<Warning> lint_opened(const Catalog& catalog, const Policy& policy, const PolicyNotes& notes);

// The policy file with a record of what is open now, everything else as it was. An Error where the text cannot be
// edited so that it reads back to the same policy: the record must then be written by hand.
Result<std::string> with_record(const std::string& yaml, const Catalog& catalog, const std::string& file);

}  // namespace pccsql
