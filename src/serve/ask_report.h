// What `pccsql ask` prints of an answer: for people, as JSON, as CSV; the trace and the audit line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/render.h"
#include "base/result.h"
#include "decode/answer.h"
#include "exec/runner.h"
#include "schema/catalog.h"

namespace pccsql {

// An answer with what came of running it.
struct Asked {
  std::optional<std::string> question;  // none: the query was given
  const Catalog* catalog = nullptr;
  const Policy* policy = nullptr;
  Answer answer;
  std::optional<RowSet> rows;    // it was run
  std::optional<Error> problem;  // running it failed
  bool nothing_left = false;     // it was run, and all that it could show was left out; there are no rows then
};

// What became of the question: as the answer has it, and Partial where groups that are too small were left out, Refused
// where all of them were, Failed where it did not run.
AnswerKind kind_of(const Asked& asked);

// What the query computes, in words; empty where there is none that is permitted.
std::string computed(const Asked& asked);

// Whether values go out as they are, whatever a terminal or a spreadsheet makes of them.
enum class Values : uint8_t { Harmless, Raw };

// One object: kind, question, method, sql, computed, run, verdict, reason, uses, blocked, withheld, instead, columns, rows, counts. What is not UTF-8 is
// replaced; a blob is its hexadecimal digits in x'…'. Harmless: see printable_json().
std::string to_json(const Asked& asked, Values values = Values::Harmless);

// Header and rows; nothing where there are no rows. Harmless: see printable_lines(); and text that a spreadsheet would
// take for a formula, because it begins with `= + - @` or a tab or line end, gets an apostrophe before it. Numbers are
// what they are.
std::string to_csv(const RowSet& rows, Values values = Values::Harmless);

// Rows as a table, wide values cut; `most_rows` of them.
std::string to_table(const RowSet& rows, size_t most_rows, const Style& style);

// What an answer leaves out and what it computes, or notes on what the model wanted; or why there is no answer and what may be asked instead.
// Without the query itself.
std::string notes(const Asked& asked, const Style& style);
// The verdict, and each column that the query uses with its role and policy.
std::string verdict(const Asked& asked, const Style& style);

// Who asked, through what, which database under which policy.
struct AskedBy {
  std::string who;
  std::string door;
  std::string database;
  std::string policy;
};

// One line for the audit file. The hashes say by what the answer was made; that of an
// adapter is empty where there is none.
std::string audit_line(const Asked& asked, const std::string& model, const std::string& model_hash,
                       const std::string& adapter_hash, const std::string& policy_hash, const AskedBy& by);

std::string trace_json(const Asked& asked);

}  // namespace pccsql
