// A run as a file: one JSON object a line. First the header, which says everything that made the run; then a line for
// each question, in the order of the suite, each written whole; before a question whose prompt no line has told yet, a
// line with the part of the prompt that questions share.
//
// What depends on the machine's speed is under `times` (and `started`), what depends on what had been evaluated before
// is under `reuse`; everything else is the same whenever the same run is made again one question at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "decode/answer.h"
#include "eval/honesty.h"
#include "exec/runner.h"
#include "model/model.h"
#include "suite/statistics.h"

namespace pccsql {

inline constexpr int kRunVersion = 1;

using Outcome = Answer::Outcome;
std::string_view outcome_name(Outcome outcome);  // "safe_sql", "unsafe_sql", "refuse", "failure"

// One thing that makes a run what it is. The value is JSON text: `512`, `"paper"`, `true`, `null`.
struct RunSetting {
  std::string name;
  std::string value;
  friend bool operator==(const RunSetting&, const RunSetting&) = default;
};

struct RunHeader {
  struct SuiteId {
    std::string name;     // "spider-cu"
    int version = 0;      // of the suite's format
    std::string profile;  // "paper", "strict"
    std::vector<RunSetting> settings;
    std::string sha256;  // of the suite's file
    std::string path;
  };
  struct ModelId {
    std::string name;
    std::string file;     // or the address of an endpoint
    std::string sha256;   // of the weights; empty for an endpoint, which does not tell
    std::string adapter;  // SHA-256 of the adapter's file; empty: none
  };
  struct Machine {
    std::string cpu;
    uint32_t cores = 0;
    std::string model;  // what runs the model and on what, as Model::about() says
    std::string os;
  };

  SuiteId suite;
  std::string method;
  ModelId model;
  std::vector<RunSetting> settings;
  uint64_t questions = 0;  // that the whole run has
  std::string version;     // of pccsql
  Machine machine;
  std::string started;  // UTC, 2026-01-31T12:00:00Z

  // The JSON text of a setting; nothing where there is none of that name.
  std::optional<std::string> setting(std::string_view name) const;
};

// The part of a prompt that all questions about one database under one policy begin with.
struct PromptRecord {
  std::string sha256;
  std::vector<Message> messages;  // the last one goes on with a question's `asked`
};

// One output of the method `retry`: counts are its own.
struct AttemptRecord {
  std::string output;
  Outcome outcome = Outcome::Failure;
  Work work;
};

struct UseRecord {
  std::string table;
  std::string column;
  Role role = Role::Sel;
  ColumnPolicy policy = ColumnPolicy::Hidden;
  bool permitted = false;
  friend bool operator==(const UseRecord&, const UseRecord&) = default;
};

// Whether the rows are gold's. Nothing: not asked (no execution, gold itself does not run, or the gold label is refuse).
struct Accuracy {
  std::optional<bool> multiset;       // the same rows, in order where gold orders
  std::optional<bool> set;            // as BIRD compares: as sets of rows
  std::optional<bool> all_instances;  // as a multiset on every instance of the database; nothing where there is one
};

struct QuestionRecord {
  std::string id;
  std::string db_id;
  std::string db_path;  // empty: there is no file
  std::string question;
  std::optional<std::string> evidence;
  GoldLabel gold_label = GoldLabel::Sql;  // Sql or Refuse
  std::string gold_sql;
  std::string policy_sha256;
  std::string prompt;  // PromptRecord::sha256
  std::string asked;   // what the prompt's last message goes on with: evidence and question, in the prompt's wording

  Outcome outcome = Outcome::Failure;
  std::string cause;   // short class of a refusal or failure, see judge.h; empty for SQL
  std::string reason;  // in words
  std::optional<std::string> sql;
  std::string output;                   // raw text of the model: the last attempt's; of the masked methods the text
  std::optional<std::string> withheld;  // written and then refused: no answer
  std::vector<AttemptRecord> attempts;  // of retry
  std::vector<UseRecord> uses;
  std::vector<Violation> violations;
  std::vector<BlockedName> blocked;
  AnswerKind kind = AnswerKind::Failed;
  std::vector<WithheldUse> withheld_uses;
  std::optional<std::string> draft;      // what the model would have written where a name was blocked
  std::optional<SharedUses> shared_uses;  // of SafeSql; nothing: written by a program that did not count them
  bool repeats = false;                   // the query repeats itself

  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;  // the first kRowsKept
  std::optional<uint64_t> row_count;     // nothing: was not run
  Accuracy accuracy;
  std::string empty_answer;  // of safe SQL where gold is refuse: "constant", "count_star", "no_shared_column", ""
  bool leaked_before_refuse = false;  // a query that is not permitted was written and withheld at the end

  Counts counts;                       // `times` and `reuse` in the file hold some of them
  std::vector<uint64_t> mask_ns_each;  // of each mask that was filled
  uint64_t execution_ns = 0;
};
inline constexpr size_t kRowsKept = 20;

// One line each, with its end.
std::string to_line(const RunHeader& header);
std::string to_line(const PromptRecord& prompt);
std::string to_line(const QuestionRecord& question);

struct RunFile {
  std::string path;
  RunHeader header;
  std::map<std::string, PromptRecord> prompts;  // by SHA-256
  std::vector<QuestionRecord> questions;        // in the order of the file

  // Bytes up to the end of the last whole line. Less than the file: it was killed while it wrote, or still writes.
  uint64_t whole_bytes = 0;
  bool torn = false;

  bool complete() const { return questions.size() == header.questions; }
};

// A line that is damaged, a version that is not known, a question that comes twice: an Error with file and line. A last
// line without its end is no error.
Result<RunFile> read_run(const std::string& path);
Result<RunFile> parse_run(std::string_view text, const std::string& path);

// Of the two headers, all that would make their outputs different or incomparable, as `name: a, b` in words; times,
// machine and paths do not count.
std::vector<std::string> differences(const RunHeader& a, const RunHeader& b);

}  // namespace pccsql
