// Causes: why a question was missed, by class, so that a figure that falls short says what it lacks.
//
// A question is missed if its outcome is not SafeSql, or if it is and gold is SQL and the rows are not gold's. What did
// not become SafeSql has the class of its outcome: what was violated, why it was refused, what failed. An answer with
// wrong rows is compared with the gold query word by word, and gets the first class that fits, in this order:
//
//   wrong: order or repetition   the set of rows is right
//   wrong: diverted by the policy   the mask took a name away from the model that the policy forbids
//   wrong: tables                reads other tables than gold
//   wrong: width                 another number of output columns
//   wrong: clauses               another set of DISTINCT, GROUP BY, HAVING, ORDER BY, LIMIT, set operations, subqueries
//   wrong: columns               other names, those of aliases and qualifiers aside
//   wrong: values                other literals
//   wrong: arrangement           the same words, put together in another way
//
// The words are looked at without a schema: the classes sort questions for a reader, they judge nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eval/record.h"

namespace pccsql {

// Nothing: it was not missed. Wrong rows are only seen where accuracy is known.
std::optional<std::string> miss_class(const QuestionRecord& question);

// How an answer differs from gold, for the classes from `tables` on: "tables", "width", "clauses", "columns", "values",
// "arrangement".
std::string_view difference_class(std::string_view gold_sql, std::string_view sql);

struct MissedClass {
  std::string name;                       // "unsafe: ConditionOnly as Sel"
  GoldLabel gold_label = GoldLabel::Sql;  // of all questions in it
  std::vector<size_t> questions;          // indices into what was given
};

// SQL-gold classes before Refuse-gold ones, each with the most questions first.
std::vector<MissedClass> missed_classes(std::span<const QuestionRecord> questions);

}  // namespace pccsql
