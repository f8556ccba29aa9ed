// The commands `ask`, a question, a model, a query within the policy, its rows; and `query`, the same without a model, for
// a query that is given.
//
// Only what the checker calls safe is ever run, whoever wrote it, and with the conditions of the policy's minimum groups. The audit line
// is written before any row is shown: what cannot be written down is not answered.
#include "apps/asker.h"
#include "apps/conversation.h"
#include "apps/interrupts.h"
#include "apps/options.h"
#include "apps/output.h"
#include "base/file.h"
#include "base/text.h"
#include "model/pull/pull.h"

namespace pccsql {

int run_query(const Options& options) {
  const char* hint = "try `pccsql query --help`";
  std::string sql = options.sql.value_or("");
  if (!options.sql) return fail("no query given; add one in quotes (`-` reads it from standard input)", hint);
  if (sql == "-") {
    auto text = read_file("-");
    if (!text) return fail(text.error());
    sql = std::move(*text);
  }
  if (options.ask.raw && options.ask.format == AskFormat::Table) {
    return fail("`--raw` is for `--format csv` and `--format json`", hint);
  }
  const auto asker = Asker::make(options);
  return asker ? (*asker)->query(sql) : fail(asker.error());
}

int run_ask(const Options& options) {
  const char* hint = "try `pccsql ask --help`";
  std::optional<std::string> question = options.ask.question;
  if (question == "-") {
    auto text = read_file("-");
    if (!text) return fail(text.error());
    question = std::move(*text);
  }
  if (question && trimmed(*question).empty()) return fail("the question is empty", hint);
  if (options.ask.raw && options.ask.format == AskFormat::Table) {
    return fail("`--raw` is for `--format csv` and `--format json`", hint);
  }
  if (options.ask.trace && !question) return fail("`--trace` is for one question; add it, in quotes", hint);
  const auto asker = Asker::make(options);
  if (!asker) {
    if (asker.error().message == kPullInterrupted) return kExitInterrupted;
    return fail(asker.error());
  }
  return question ? (*asker)->ask(trimmed(*question)) : converse(**asker);
}

}  // namespace pccsql
