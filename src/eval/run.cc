#include "eval/run.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/json.h"
#include "dialect/dialect.h"
#include "eval/judge.h"
#include "eval/run_file.h"
#include "model/sha256.h"
#include "schema/pg_connection.h"
#include "schema/rules.h"

namespace pccsql {
namespace {

struct Finished {
  PromptRecord prompt;
  QuestionRecord question;
  size_t errors = 0;
};

bool executes(const Suite& suite, const RunSettings& settings) { return settings.execution && suite.execution; }

// The databases of the chosen questions must be there, or the first of thousands of answers would find out.
Result<Done> check_databases(const Suite& suite, const std::vector<size_t>& chosen,
                             const std::optional<std::string>& data) {
  std::set<std::string> missing;
  std::string example;
  size_t questions = 0;
  for (const size_t index : chosen) {
    const SuiteQuestion& question = suite.questions[index];
    const std::string file = database_file(suite, question, data);
    std::error_code ignored;
    if (is_pg_address(file) || (!file.empty() && std::filesystem::is_regular_file(file, ignored))) continue;
    ++questions;
    missing.insert(question.db_id);
    if (example.empty()) example = file;
  }
  if (questions == 0) return Done{};
  std::string names;
  for (const std::string& name : missing) names += (names.empty() ? "`" : ", `") + name + "`";
  return Error{"the databases of " + std::to_string(questions) + " of " + std::to_string(chosen.size()) +
                   " questions are not there: " + names + (example.empty() ? "" : " (" + example + ")") +
                   "; say where they are with `--data DIR`, ask only the others with `--with-database`, or run nothing "
                   "with `--no-exec`",
               {},
               {}};
}

// One worker: a decoder, a judge, and the databases that it asked about last.
class Worker {
 public:
  Worker(const RunPlan& plan, std::unique_ptr<Decoder> decoder) : plan_(plan), decoder_(std::move(decoder)) {}

  // Nothing: it was stopped.
  std::optional<Finished> answer(const SuiteQuestion& question, const std::atomic<bool>* stop) {
    SuiteSeat& here = seat(question);
    Listener listener;
    listener.stop = stop;
    const std::optional<std::string> evidence = plan_.settings.evidence ? question.evidence : std::nullopt;
    const Answer answer = decoder_->answer(here.subject, {question.question, evidence}, listener);
    if (answer.stopped) return std::nullopt;

    Finished made;
    made.errors = answer.errors.size();
    QuestionRecord& record = made.question;
    record.id = question.id;
    record.db_id = question.db_id;
    record.db_path = is_pg_address(here.database) ? shown_pg_address(here.database) : here.database;
    record.question = question.question;
    record.evidence = evidence;
    record.gold_label = question.gold_label;
    record.gold_sql = question.gold_sql;
    record.policy_sha256 = sha256_hex(plan_.suite.policies[question.policy].text);
    const PromptText& text = answer.prompt;
    const std::string stable = text.user.substr(0, text.stable_bytes);
    made.prompt.messages = {{Speaker::System, text.system}, {Speaker::User, stable}};
    made.prompt.sha256 = sha256_hex(text.system + '\0' + stable);
    record.prompt = made.prompt.sha256;
    record.asked = text.user.substr(text.stable_bytes);
    if (!judge_.judge(here, answer, record, stop)) return std::nullopt;
    return made;
  }

 private:
  struct Kept {
    size_t policy;
    std::unique_ptr<SuiteSeat> seat;
  };
  // Engines hold masks, so not all of a suite's databases are kept; its questions come database by database.
  static constexpr size_t kMostSeats = 2;

  SuiteSeat& seat(const SuiteQuestion& question) {
    const auto known = std::ranges::find(seats_, question.policy, &Kept::policy);
    if (known != seats_.end()) {
      std::rotate(seats_.begin(), known, known + 1);
      return *seats_.front().seat;
    }
    if (seats_.size() == kMostSeats) seats_.pop_back();
    const CheckSettings settings{plan_.suite.profile, plan_.settings.language};
    seats_.push_front(
        {question.policy,
         std::make_unique<SuiteSeat>(plan_.suite.catalogs[question.catalog], plan_.suite.policies[question.policy].policy,
                                settings, plan_.prompts, database_file(plan_.suite, question, plan_.data),
                                executes(plan_.suite, plan_.settings), plan_.settings.values)});
    return *seats_.front().seat;
  }

  const RunPlan& plan_;
  std::unique_ptr<Decoder> decoder_;
  Judge judge_;
  std::deque<Kept> seats_;  // used last first
};

// Hands out questions in order, takes answers in any order, writes them in order.
class Line {
 public:
  Line(const RunPlan& plan, const std::vector<size_t>& chosen, RunWriter& writer,
       const std::function<void(const RunState&)>& watch)
      : plan_(plan), chosen_(chosen), writer_(writer), watch_(watch), next_(writer.questions()) {
    state_.done = state_.resumed = writer.questions();
    state_.all = chosen.size();
  }

  // Nothing: there are no more, or it is over. A worker that is far ahead of the file waits: what is not written is lost
  // with a kill.
  std::optional<size_t> take() {
    std::unique_lock lock(mutex_);
    written_.wait(lock, [this] { return over_ || next_ < state_.done + 4 * plan_.settings.parallel; });
    if (over_ || next_ == chosen_.size()) return std::nullopt;
    return next_++;
  }

  void put(size_t place, Finished made) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(place, std::move(made));
    while (!over_ && !waiting_.empty() && waiting_.begin()->first == state_.done) {
      const Finished one = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      if (auto written = writer_.add(one.prompt, one.question); !written) {
        failure_ = written.error();
        over_ = true;
        break;
      }
      ++state_.done;
      ++state_.by_outcome[static_cast<size_t>(one.question.outcome)];
      state_.errors += one.errors;
      if (watch_) watch_(state_);
    }
    written_.notify_all();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    written_.notify_all();
  }

  const RunState& state() const { return state_; }
  const std::optional<Error>& failure() const { return failure_; }

 private:
  const RunPlan& plan_;
  const std::vector<size_t>& chosen_;
  RunWriter& writer_;
  const std::function<void(const RunState&)>& watch_;

  std::mutex mutex_;
  std::condition_variable written_;
  size_t next_;
  std::map<size_t, Finished> waiting_;
  RunState state_;
  bool over_ = false;
  std::optional<Error> failure_;
};

void work(const RunPlan& plan, const std::vector<size_t>& chosen, std::unique_ptr<Decoder> decoder, Line& line,
          const std::atomic<bool>* stop) {
  Worker worker(plan, std::move(decoder));
  while (const auto place = line.take()) {
    auto made = worker.answer(plan.suite.questions[chosen[*place]], stop);
    if (!made) return line.end();
    line.put(*place, std::move(*made));
    if (stop != nullptr && *stop) return line.end();
  }
}

}  // namespace

Result<RunHeader> run_header(const Suite& suite, const std::string& suite_path, const RunSettings& settings) {
  const auto chosen = selected(suite, settings.selection);
  if (!chosen) return chosen.error();
  const auto text = read_file(suite_path);
  if (!text) return text.error();
  RunHeader header;
  header.suite = {suite.name, kSuiteVersion, std::string(to_string(suite.profile)), {}, sha256_hex(*text), suite_path};
  if (suite.settings) {
    header.suite.settings = {{"p", dumped(suite.settings->p)},
                             {"p_relax", dumped(suite.settings->p_relax)},
                             {"seed", dumped(suite.settings->seed)}};
  }
  header.method = to_string(settings.method);
  header.questions = chosen->size();
  const auto add = [&header](const char* name, const Json& value) { header.settings.push_back({name, dumped(value)}); };
  const auto optional = [](const std::optional<uint64_t>& value) { return value ? Json(*value) : Json(nullptr); };
  add("max_tokens", settings.decode.max_tokens);
  if (settings.method == Method::Retry) add("retries", settings.decode.retries);
  if (settings.method == Method::IterGen) {
    add("iterations", settings.decode.itergen_iterations);
    add("penalty", std::round(static_cast<double>(settings.decode.recurrence_penalty) * 1e6) / 1e6);
    add("names_only", settings.decode.itergen_names_only);
  }
  if (settings.method == Method::Pcc) {
    add("allow_refuse", settings.decode.allow_refuse);
    if (settings.decode.mask_alone) add("mask_alone", true);
    add("blocked", to_string(settings.decode.blocked));
    add("lookahead", settings.decode.lookahead);
  }
  add("profile", to_string(suite.profile));
  add("language", settings.language == Language::Full ? "full" : "fragment");
  add("prompts", settings.prompts_sha256);
  add("evidence", settings.evidence);
  add("values", settings.values);
  add("schema_tokens", settings.decode.schema_tokens);
  add("limit", optional(settings.selection.limit));
  add("sample", optional(settings.selection.sample));
  const bool drawn = settings.selection.sample || settings.selection.per_database;
  add("seed", drawn ? Json(settings.selection.seed) : Json(nullptr));
  if (settings.selection.per_database) add("per_database", *settings.selection.per_database);
  const auto& shard = settings.selection.shard;
  add("shard", shard ? Json(std::to_string(shard->part) + "/" + std::to_string(shard->of)) : Json(nullptr));
  add("with_database", settings.selection.with_database);
  add("parallel", settings.parallel);
  add("context", settings.context);
  add("execution", executes(suite, settings));
  return header;
}

Result<Done> check_run(const Suite& suite, const RunSettings& settings, const std::optional<std::string>& data) {
  const auto chosen = selected(suite, settings.selection);
  if (!chosen) return chosen.error();
  if (!suite.catalogs.empty()) {
    if (auto unknown = unknown_settings(suite.catalogs.front(), {suite.profile, settings.language})) return *unknown;
  }
  if (!rules_of(suite.dialect()).mask && needs_logits(settings.method)) {
    return Error{"`--method " + std::string(to_string(settings.method)) +
                     "` writes with a mask, which there is for SQLite alone; a suite on PostgreSQL takes `direct`, `retry` and `verify`",
                 {},
                 {}};
  }
  return executes(suite, settings) ? check_databases(suite, *chosen, data) : Result<Done>(Done{});
}

Result<RunState> run_suite(const RunPlan& plan, const std::function<void(const RunState&)>& watch,
                           const std::atomic<bool>* stop) {
  if (const auto checked = check_run(plan.suite, plan.settings, plan.data); !checked) return checked.error();
  const auto chosen = selected(plan.suite, plan.settings.selection);
  if (!chosen) return chosen.error();
  std::vector<std::string> ids;
  for (const size_t index : *chosen) ids.push_back(plan.suite.questions[index].id);
  auto writer = RunWriter::open(plan.out, plan.header, ids);
  if (!writer) return writer.error();

  Line line(plan, *chosen, *writer, watch);
  if (watch) watch(line.state());
  std::vector<std::unique_ptr<Decoder>> decoders;
  const size_t left = chosen->size() - writer->questions();
  for (size_t i = 0; i < std::min(left, std::max<size_t>(1, plan.settings.parallel)); ++i) {
    auto decoder = plan.decoder();
    if (!decoder) return decoder.error();
    decoders.push_back(*std::move(decoder));
  }
  std::vector<std::thread> threads;
  for (size_t i = 1; i < decoders.size(); ++i) {
    threads.emplace_back(
        [&, decoder = std::move(decoders[i])]() mutable { work(plan, *chosen, std::move(decoder), line, stop); });
  }
  if (!decoders.empty()) work(plan, *chosen, std::move(decoders[0]), line, stop);
  for (std::thread& thread : threads) thread.join();
  if (line.failure()) return *line.failure();
  return line.state();
}

}  // namespace pccsql
