// Policies as text: the versioned YAML file, `-- Policy` comments in DDL, PostgreSQL GRANT statements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "policy/policy_notes.h"

namespace pccsql {

//   version: 1
//   default: Hidden
//   tables:
//     employee: {name: Public, salary: AggregateOnly, "*": ConditionOnly}
//
// A named column beats `*`, `*` beats `default`, which is Hidden unless given. JSON of that shape is read too. Unknown
// tables, columns, keys or policies, duplicate keys (case folded) and other versions are errors with line and column.
//
//   min_group: 5
//   tables:
//     payment: {min_group: 10, key: employee_id, row: [employee_id, month], gross: AggregateOnly}
//     setting: {key: owner, columns: {key: Public, owner: ConditionOnly, value: AggregateOnly}}
//
// The group rule of a table (group_rule.h). `min_group` of a table beats that of the file, which is 1 unless given. What
// is the name of a column is that column; where the labels are under `columns` nothing else of the table's map is.
//
// What else the file says (policy_notes.h) is put into `notes`, where somebody asks for it.
Result<Policy> parse_policy_yaml(std::string_view text, const Catalog& catalog, const std::string& file = {},
                                 PolicyNotes* notes = nullptr);

// The group rule of a table by itself: `min_group: 5, key: id, row: [a, b]`, each of the three at most once.
Result<GroupRule> parse_group_rule(std::string_view text, const Catalog& catalog, TableId table);

// `name TEXT, -- Public` and `name TEXT -- Public,`: the comment after a column, before or after its comma. It is the
// policy's name alone, or begins with `pccsql:` and the name; other comments say nothing. Columns without one get
// `otherwise`. Two comments on one column intersect. A comment that is nearly a policy, or that follows no column, is an
// error. Between the opening parenthesis and the first column `-- pccsql: min_group: 5, key: id, row: [a, b]` is the
// table's group rule.
Result<Policy> parse_policy_ddl(std::string_view ddl, const Catalog& catalog,
                                ColumnPolicy otherwise = ColumnPolicy::Hidden, const std::string& file = {});

// `GRANT SELECT (a, b) ON s.t TO user;`: for `user` granted columns are Public, everything else is Hidden. `GRANT
// SELECT ON t` grants every column; each grant adds. A bare grantee matches `user` in any case, a quoted one exactly, and
// PUBLIC is everyone. `s` is `main`, `public` or the catalogue's name; tables elsewhere are errors. USAGE ON SCHEMA is passed over; REVOKE, and grants of other privileges, are errors: reading them
// as nothing would mislead.
Result<Policy> parse_policy_grants(std::string_view sql, const Catalog& catalog, std::string_view user,
                                   const std::string& file = {});

// Where several sources speak of one column, the permitted roles intersect; of one table, the largest `min_group` holds,
// and if more than one says `key`, or `row`, they must say the same.
Result<Policy> intersection(const Catalog& catalog, const Policy& a, const Policy& b);
Result<GroupRule> intersection(const Table& table, const GroupRule& a, const GroupRule& b);

// What stands beside the lines of a written policy, for a person to read. Each text is of one line and without `#`, but for
// head and tail, which are whole lines; where a list ends there is nothing to say.
struct PolicyRemarks {
  std::string head;
  uint32_t min_group = 1;  // stands for the whole file; a table of another one has its own
  std::vector<std::string> tables;
  std::vector<std::string> keys;                  // by table
  std::vector<std::vector<std::string>> columns;  // by table and column
  std::string tail;
};

// A policy file in YAML; reading it back gives the same policy.
std::string to_yaml(const Catalog& catalog, const Policy& policy, const PolicyRemarks& remarks = {});

// The paper's name rules. Hidden by name: email, phone, … anywhere in the name, weight/height/age as a whole word (an
// underscore counts as part of a word). Public by name: `name`, `*_name`, `name_*`. The first list wins.
bool hidden_by_name(std::string_view column);
bool public_by_name(std::string_view column);

}  // namespace pccsql
