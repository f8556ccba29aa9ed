// Answer: what a method made of a question, and what it cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mask/vocabulary.h"
#include "model/model.h"
#include "policy/policy.h"
#include "policy/run_text.h"
#include "prompt/prompts.h"
#include "schema/catalog.h"

namespace pccsql {

enum class Method : uint8_t { Direct, Retry, Verify, IterGen, Pcc, PccPaper };
inline constexpr Method kMethods[] = {Method::Direct,  Method::Retry, Method::Verify,
                                      Method::IterGen, Method::Pcc,   Method::PccPaper};
std::string_view to_string(Method method);  // "direct", "retry", "verify", "itergen", "pcc", "pcc-paper"
std::optional<Method> parse_method(std::string_view text);
// Whether the method must see logits, so that a chat endpoint will not do.
bool needs_logits(Method method);

// A column in a role, as the checker counts it: each pair once.
struct AnswerUse {
  ColumnRef column;
  Role role = Role::Sel;
  ColumnPolicy policy = ColumnPolicy::Hidden;
  bool permitted = false;
  friend bool operator==(const AnswerUse&, const AnswerUse&) = default;
};

// A name that the model wanted most at some step, and that the mask did not let it write.
struct BlockedName {
  std::string name;        // `employee.salary`, `sick_note`, `*`
  std::string role;        // what it would have been used as: "Sel", "Agg and Where"; empty for a table
  std::string why;         // as Explanation has it
  bool by_policy = false;  // the policy forbids it; otherwise it does not fit here: not in scope, ambiguous
  friend bool operator==(const BlockedName&, const BlockedName&) = default;
};

// A use that the model meant to make of a column, and that the policy does not permit.
struct WithheldUse {
  std::string name;                // `employee.salary`; a table's name where the whole table is closed
  std::string use;                 // what for, in words: "output", "ordering", "a filter"
  std::optional<Role> role;        // nothing: the table was named
  ColumnPolicy policy = ColumnPolicy::Hidden;
  bool output = false;             // it only fills an output, which an answer may leave out
  std::optional<ColumnRef> column = {};  // nothing: a table, or a name that several columns have
  std::optional<TableId> table = {};     // where the whole table is closed
  friend bool operator==(const WithheldUse&, const WithheldUse&) = default;
};

// What became of a question, for the one who asked it. The outcome says what became of the query.
enum class AnswerKind : uint8_t {
  Answered,
  Partial,  // something was left out, or is shown only as a sum or average; everything else is as asked
  Refused,  // the policy does not permit what was asked
  Failed,
};
std::string_view to_string(AnswerKind kind);  // "answered", "partial", "refused", "failed"

struct Counts {
  Work work;
  uint64_t forced_tokens = 0;  // of the generated ones: the mask left no choice, the model was not asked
  uint64_t draft_tokens = 0;   // of the generated ones: to see what a name was for that the mask took away
  uint64_t iterations = 0;     // retry: attempts after the first; itergen: names it stopped at
  uint64_t mask_ns = 0;        // filling masks and following the text with them
  uint64_t choice_ns = 0;      // looking through logits
  uint64_t total_ns = 0;
};

// Why an answer is no query, as a class; the reason says it in words.
enum class Cause : uint8_t {
  None,        // it is a query, safe or not
  ParseError,  // Failure: the text is no SQL
  NameError,   // Failure: SQL that the database would not prepare: a name that does not resolve, an aggregate in WHERE
  OutsideLanguage,    // Failure: SQL that is not judged, or several statements
  Empty,              // Failure: nothing was written
  ModelError,         // Failure: the model or its provider gave no answer
  Stopped,            // Failure: by the caller
  RefusedByModel,     // Refuse: its own choice
  RefusedByVerifier,  // Refuse: the model did not permit its own query
  RefusedByCheck,     // Refuse: a finished query was withheld because it is not permitted
  RefusedByMask,      // Refuse: nothing that is permitted could follow
  Withheld,           // Refuse: what the policy withholds is needed to answer; another question would have been answered
  Budget,             // Refuse: the token budget was too small
  Fault,              // Refuse: an internal error
};
std::string_view to_string(Cause cause);  // "", "parse_error", "name_error", "outside_language", "refused_by_mask", …

// One step, for people who want to see how an answer came about.
struct TraceStep {
  enum class Kind : uint8_t {
    Token,     // one token was taken
    Forced,    // likewise, without asking the model
    Rollback,  // tokens were taken back: `text` is what is left
    Output,    // a whole text of the model (methods without logits): `token` is that text
  };
  Kind kind = Kind::Token;
  std::string text;   // before the step
  std::string token;  // what was taken
  TokenId id = 0;
  std::string wanted;  // what the model would have taken
  double removed = 0;  // probability that the mask took away
  std::string clause;
  std::string role;
  std::vector<std::string> allowed;
  std::vector<std::string> blocked;
};
std::string_view to_string(TraceStep::Kind kind);  // "token", "forced", "rollback", "output"

struct Answer {
  enum class Outcome : uint8_t { SafeSql, UnsafeSql, Refuse, Failure };

  // One generation of the method `retry`, with what it alone cost.
  struct Attempt {
    std::string output;
    Outcome outcome = Outcome::Failure;
    Work work;
  };

  Method method = Method::Direct;
  PromptText prompt;                   // the question as it was asked
  std::vector<std::string> left_out;  // tables that had no place in it
  Outcome outcome = Outcome::Failure;
  // The query: of SafeSql and UnsafeSql always, of Failure where the model wrote something; never of Refuse.
  std::optional<std::string> sql;
  // What was written and then refused, for statistics alone: it is not an answer.
  std::optional<std::string> withheld;
  std::string reason;  // why it is not SafeSql; empty if it is
  Cause cause = Cause::None;
  std::string output;             // what the model wrote, as it was: its last generation's query, code fence and all
  std::vector<Attempt> attempts;  // retry: all of them, the last one too
  std::optional<RunText> run;  // of SafeSql: what is run for it
  std::vector<AnswerUse> uses;
  std::vector<Violation> violations;  // of the query, or of what was withheld
  std::vector<BlockedName> blocked;   // each once, in the order of wanting
  std::vector<WithheldUse> withheld_uses;  // what the policy kept out of the answer
  std::optional<std::string> draft;   // what the model would have written without a mask, from where the policy blocked a name
  std::vector<std::string> instead;   // of a refusal: questions near it that can be answered
  bool partial = false;               // something that was asked for is left out, or shown as an aggregate alone
  bool wanted_to_refuse = false;      // it was not allowed to, and REFUSE is what it wanted to write
  bool stopped = false;               // by the caller
  std::vector<std::string> errors;    // for the log: what must never happen
  Counts counts;
  std::vector<uint64_t> mask_ns;  // of each mask that was filled; counts.mask_ns is their sum and what accepting took
  std::vector<TraceStep> trace;
};
AnswerKind kind_of(const Answer& answer);
std::string_view to_string(Answer::Outcome outcome);  // "safe", "unsafe", "refuse", "failure"

}  // namespace pccsql
