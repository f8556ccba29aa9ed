// `pccsql eval sweep`: runs that differ in one setting, and a table of them. Each run is a file of its own in the
// folder, so a sweep that was interrupted goes on when the same command is given again.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "apps/eval_report_text.h"
#include "apps/eval_session.h"
#include "apps/interrupts.h"
#include "apps/options.h"
#include "apps/output.h"
#include "apps/terminal.h"
#include "base/file.h"
#include "eval/report_format.h"
#include "eval/sweep.h"
#include "model/pull/pull.h"
#include "suite/build.h"

namespace pccsql {
namespace {

using NamedRuns = std::vector<std::pair<std::string, std::vector<QuestionRecord>>>;

std::string shown_share(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

class Sweep {
 public:
  explicit Sweep(const Options& options) : options_(options), sweep_(options.eval_sweep) {}

  // The exit status.
  int go() {
    const char* hint = "try `pccsql eval sweep --help`";
    if (!sweep_.run.out) return fail("where to? Add `--out DIR`, a folder for the runs", hint);
    std::error_code failed;
    std::filesystem::create_directories(*sweep_.run.out, failed);
    if (failed) return fail(Error{"cannot be made: " + failed.message(), *sweep_.run.out, {}});
    const auto settings = run_settings(sweep_.run);
    if (!settings) return fail(settings.error().message, hint);
    settings_ = *settings;
    settings_.decode.blocked = Blocked::Answer;  // the paper's own
    Result<Done> done = Done{};
    if (options_.command == Command::EvalSweepPolicy) {
      if (sweep_.spider.has_value() == sweep_.bird.has_value()) {
        return fail("which benchmark? Add `--spider DIR` or `--bird DIR`", hint);
      }
      done = policy();
    } else {
      if (!sweep_.run.suite) return fail("which suite? Add `--suite FILE`", hint);
      done = options_.command == Command::EvalSweepRetry ? retry() : lookahead();
    }
    if (!done) return done.error().message == kPullInterrupted ? kExitInterrupted : fail(done.error());
    if (interrupts_.flag()) {
      fail("stopped; the same command goes on with it");
      return kExitInterrupted;
    }
    return print();
  }

 private:
  Result<Done> retry() {
    if (sweep_.n.empty()) return Error{"`--n` names no number", {}, {}};
    varied_ = "N";
    title_ = "retry, by attempts after the first";
    settings_.method = Method::Retry;
    settings_.decode.retries = *std::ranges::max_element(sweep_.n);
    auto suite = read_suite(*sweep_.run.suite);
    if (!suite) return suite.error();
    auto questions = run(*suite, *sweep_.run.suite, "retry-" + std::to_string(settings_.decode.retries));
    if (!questions) return questions.error();
    for (const uint64_t n : sweep_.n) runs_.emplace_back(std::to_string(n), with_fewer_retries(*questions, n));
    return Done{};
  }

  Result<Done> lookahead() {
    varied_ = "method";
    title_ = "what looking ahead adds";
    auto suite = read_suite(*sweep_.run.suite);
    if (!suite) return suite.error();
    struct Variant {
      const char* name;
      Method method;
      bool lookahead;
    };
    for (const Variant& variant : {Variant{"pcc", Method::Pcc, true}, Variant{"pcc-no-lookahead", Method::Pcc, false},
                                   Variant{"pcc-paper", Method::PccPaper, true}}) {
      settings_.method = variant.method;
      settings_.decode.lookahead = variant.lookahead;
      auto questions = run(*suite, *sweep_.run.suite, variant.name);
      if (!questions) return questions.error();
      runs_.emplace_back(variant.name, *std::move(questions));
    }
    return Done{};
  }

  Result<Done> policy() {
    varied_ = "variant";
    title_ = std::string(to_string(settings_.method)) + ", with policies disturbed";
    std::vector<std::pair<std::string, Disturbance>> variants;
    const uint64_t seed = sweep_.policy_seed.value_or(42);
    const auto add = [&variants](const std::string& name, const Disturbance& disturbance) {
      const bool main = disturbance.p == 0 && disturbance.p_relax == 0;
      const std::string label = main ? "main" : name;
      if (std::ranges::find(variants, label, [](const auto& one) { return one.first; }) == variants.end()) {
        variants.emplace_back(label, disturbance);
      }
    };
    for (const double p : sweep_.p) add("p=" + shown_share(p), {p, 0, seed});
    for (const double p : sweep_.p_relax) add("p_relax=" + shown_share(p), {0, p, seed});
    for (const auto& [name, disturbance] : variants) {
      BuildOptions build;
      build.folder = sweep_.bird ? *sweep_.bird : *sweep_.spider;
      build.databases = sweep_.databases;
      build.disturbance = disturbance;
      const auto suite = sweep_.bird ? build_bird_cu(build) : build_spider_cu(build);
      if (!suite) return suite.error();
      const std::string path = file(suite->name + "-" + name);
      if (const auto written = write_file(path, to_text(*suite)); !written) return written.error();
      auto questions = run(*suite, path, std::string(to_string(settings_.method)) + "-" + name);
      if (!questions) return questions.error();
      runs_.emplace_back(name, *std::move(questions));
    }
    return Done{};
  }

  std::string file(const std::string& name) const {
    return (std::filesystem::path(*sweep_.run.out) / (name + ".jsonl")).string();
  }

  Result<std::vector<QuestionRecord>> run(const Suite& suite, const std::string& suite_path, const std::string& name) {
    if (interrupts_.flag()) return std::vector<QuestionRecord>();
    const bool paper_has_it = options_.command != Command::EvalSweepPolicy || settings_.method == Method::Pcc;
    suite_ = paper_has_it && suite.profile == Profile::Paper ? suite.name : "";
    if (const auto checked = check_run(suite, settings_, sweep_.run.data); !checked) return checked.error();
    if (!session_) {
      auto session = EvalSession::open(sweep_.run);
      if (!session) return session.error();
      session_ = *std::move(session);
    }
    const auto state = session_->run(suite, suite_path, settings_, file(name), &interrupts_.flag());
    if (!state) return state.error();
    auto made = read_run(file(name));
    if (!made) return made.error();
    return std::move(made->questions);
  }

  int print() const {
    Output output;
    const ReportTable table = sweep_table(title_, varied_, suite_, runs_);
    if (sweep_.format == SweepFormat::Json) output.write(sweep_json(varied_, runs_));
    if (sweep_.format == SweepFormat::Markdown) output.write(markdown(table));
    if (sweep_.format == SweepFormat::Text) output.write(table_text(table, style_for(options_.color)));
    return output.finish(kExitFine);
  }

  const Options& options_;
  const EvalSweepOptions& sweep_;
  RunSettings settings_;
  std::unique_ptr<EvalSession> session_;
  CatchInterrupts interrupts_;
  std::string title_;
  std::string varied_;
  std::string suite_;  // the paper's figures of a policy sweep are pcc's
  NamedRuns runs_;
};

}  // namespace

int run_eval_sweep(const Options& options) { return Sweep(options).go(); }

}  // namespace pccsql
