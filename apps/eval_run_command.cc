// `pccsql eval run`: one method, one model, one suite, one file.
#include "apps/eval_session.h"
#include "apps/interrupts.h"
#include "apps/options.h"
#include "apps/output.h"
#include "model/pull/pull.h"

namespace pccsql {

int run_eval_run(const Options& options) {
  const EvalRunOptions& run = options.eval_run;
  const char* hint = "try `pccsql eval run --help`";
  if (!run.suite) return fail("which suite? Add `--suite FILE`; `pccsql suite build` makes one", hint);
  if (!run.out) return fail("where to? Add `--out RUN.jsonl`", hint);
  const auto settings = run_settings(run);
  if (!settings) return fail(settings.error().message, hint);
  const auto suite = read_suite(*run.suite);
  if (!suite) return fail(suite.error());
  if (const auto checked = check_run(*suite, *settings, run.data); !checked) return fail(checked.error());
  const auto session = EvalSession::open(run);
  if (!session) {
    if (session.error().message == kPullInterrupted) return kExitInterrupted;
    return fail(session.error());
  }
  const CatchInterrupts interrupts;
  const auto state = (*session)->run(*suite, *run.suite, *settings, *run.out, &interrupts.flag());
  if (!state) return fail(state.error());
  Output output;
  output.write(*run.out + ": " + std::to_string(state->done) + " of " + std::to_string(state->all) + " questions" +
               (state->resumed > 0 ? ", " + std::to_string(state->resumed) + " of them were there" : std::string()) +
               "; now " + outcomes_text(*state) + "\n");
  if (state->done < state->all) {
    output.write("stopped; the same command goes on with it\n");
    return output.finish(kExitInterrupted);
  }
  if (state->errors > 0) fail(std::to_string(state->errors) + " internal errors; the run's reasons tell them");
  return output.finish(state->errors > 0 ? kExitNotFine : kExitFine);
}

}  // namespace pccsql
