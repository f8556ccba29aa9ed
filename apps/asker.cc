#include "apps/asker.h"

#include <algorithm>
#include <cstdio>

#include <pwd.h>
#include <unistd.h>

#include "apps/interrupts.h"
#include "apps/output.h"
#include "apps/policy_warning.h"
#include "apps/terminal.h"
#include "base/file.h"
#include "base/text.h"
#include "model/sha256.h"
#include "policy/policy_file.h"
#include "schema/rules.h"

namespace pccsql {
namespace {

// Of whoever runs the program, as the system knows them; the number, where it knows no name.
std::string login_name() {
  const passwd* const entry = getpwuid(getuid());
  return entry != nullptr && entry->pw_name != nullptr ? entry->pw_name : std::to_string(getuid());
}

RunLimits run_limits(const AskOptions& options) {
  RunLimits limits;
  if (options.rows) limits.rows = *options.rows;
  if (options.seconds) limits.time = std::chrono::seconds(std::min<uint64_t>(*options.seconds, 1'000'000));
  if (options.megabytes) limits.memory = std::min<uint64_t>(*options.megabytes, 1 << 20) << 20;
  return limits;
}

// A schema that was given as text has no values.
bool shows_values(const Options& options) {
  return options.ask.values.value_or(0) > 0 && !options.inputs.schema && !options.inputs.tables;
}

// On PostgreSQL there is no mask: what writes with one is told so before a model is loaded.
Result<Done> can_write(const Options& options, const Catalog& catalog) {
  if (auto unknown = unknown_settings(catalog, options.settings)) return *unknown;
  if (options.command != Command::Ask || rules_of(catalog).mask || !needs_logits(options.ask.method)) return Done{};
  return Error{"`--method " + std::string(to_string(options.ask.method)) +
                   "` writes with a mask, and the mask writes SQLite's dialect alone; on PostgreSQL there are `--method direct`, "
                   "`--method retry` and `--method verify`, whose queries are judged before they are run",
               {},
               {}};
}

}  // namespace

// The query on a terminal while it is written. What is taken back is struck out by a new line.
class LiveText {
 public:
  explicit LiveText(bool wanted) : wanted_(wanted) {}

  void add(std::string_view piece) {
    if (!wanted_) return;
    text_ += piece;
    waiting_ += piece;
    if (find_invalid_utf8(waiting_) != std::string::npos && waiting_.size() < 4) return;  // half a character
    put(printable(waiting_));
    waiting_.clear();
  }
  void take_back(size_t bytes) {
    if (!wanted_) return;
    text_.resize(text_.size() - std::min(bytes, text_.size()));
    waiting_.clear();
    put(" …\n" + printable(text_));
  }
  void end() {
    if (wanted_ && !text_.empty()) put("\n");
  }
  bool shows(std::string_view text) const { return wanted_ && text_ == text; }

 private:
  static void put(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  bool wanted_;
  std::string text_;
  std::string waiting_;
};

Asker::Asker(const Options& options) : options_(options), style_(style_for(options.color)) {}

Result<std::unique_ptr<Asker>> Asker::make(const Options& options) {
  std::unique_ptr<Asker> asker(new Asker(options));
  if (const auto prepared = asker->prepare(); !prepared) return prepared.error();
  return asker;
}

// What is cheap to find wrong comes before the model is fetched and loaded.
Result<Done> Asker::prepare() {
  const AskOptions& ask = options_.ask;
  if (ask.prompts) {
    auto prompts = Prompts::load(*ask.prompts);
    if (!prompts) return prompts.error();
    prompts_ = std::move(*prompts);
  }
  if (const auto read = read_database(); !read) return read.error();
  if (ask.audit) {
    auto audit = AuditFile::open(*ask.audit);
    if (!audit) return audit.error();
    audit_.emplace(std::move(*audit));
  }
  return options_.command == Command::Ask ? open() : Done{};
}

// The catalogue, the policy for it, and all that is made from the two. After an Error everything is as it was.
Result<Done> Asker::read_database() {
  auto source = Source::load(options_.inputs, true);
  if (!source) return source.error();
  const auto catalog = source->catalog();
  if (!catalog) return catalog.error();
  if (const auto fine = can_write(options_, **catalog); !fine) return fine.error();
  auto policy = source->policy(**catalog);
  if (!policy) return policy.error();
  const std::string warning = warning_of_new_columns(*source, **catalog, *policy);
  if (!warning.empty() && warning != warned_) fail(warning);
  warned_ = warning;
  std::unique_ptr<QueryRunner> runner;
  ExampleValues values;
  if (!options_.ask.no_run || shows_values(options_)) {
    const DatabasePlace place{options_.inputs.db.value_or(demo_database_path()), options_.inputs.schema_name.value_or("public")};
    auto opened = open_runner(place, **catalog, *policy, options_.settings.profile, run_limits(options_.ask));
    if (!opened) return opened.error();
    if (shows_values(options_)) values = read_example_values(**opened, **catalog, *policy, *options_.ask.values);
    if (!options_.ask.no_run) runner = std::move(*opened);
  }
  subject_ = std::make_unique<Subject>(**catalog, *policy, options_.settings, prompts_ ? *prompts_ : Prompts::standard(),
                                       std::nullopt, values);
  policy_hash_ = sha256_hex(to_yaml(**catalog, *policy));
  catalog_ = *catalog;
  policy_ = std::move(*policy);
  source_ = std::move(*source);
  runner_ = std::move(runner);
  return Done{};
}

// Where the schema is no longer the one that the query was judged by, it is read and the query judged again: a name may
// now be another column's.
void Asker::run(Asked& asked, const std::atomic<bool>& stop) {
  constexpr int kAttempts = 3;
  for (int attempt = 0; asked.answer.outcome == Answer::Outcome::SafeSql; ++attempt) {
    auto rows = runner_->run(*asked.answer.sql, *asked.answer.run, &stop);
    if (rows) {
      asked.nothing_left = asked.answer.run->changed() && rows->rows.empty();
      if (!asked.nothing_left) asked.rows = std::move(*rows);
      return;
    }
    asked.problem = rows.error();
    if (rows.error().message != kSchemaChanged || attempt == kAttempts) return;
    if (const auto read = read_database(); !read) {
      asked.problem = Error{"the database's schema has changed, and what there is now cannot be asked: " +
                                read.error().to_string(),
                            {},
                            {}};
      return;
    }
    asked.problem.reset();
    asked.catalog = catalog_;
    asked.policy = &*policy_;
    subject_->judge(std::string(*asked.answer.sql), asked.answer);
  }
}

Result<Done> Asker::open() {
  const AskOptions& ask = options_.ask;
  auto opened = open_model(ask);  // fetching says by itself how far it is
  if (!opened) return opened.error();
  model_ = *std::move(opened);
  if (audit_ && model_.model) {
    const auto hash = model_.model->hash();
    if (!hash) return hash.error();
    model_hash_ = *hash;
    const auto adapter = model_.model->adapter_hash();
    if (!adapter) return adapter.error();
    adapter_hash_ = *adapter;
  }
  DecodeSettings settings = decode_settings(ask);
  settings.trace = ask.trace.has_value();
  auto decoder = open_decoder(model_, ask.method, settings);
  if (!decoder) return decoder.error();
  decoder_ = *std::move(decoder);
  return Done{};
}

int Asker::ask(const std::string& question) {
  const CatchInterrupts interrupts;
  LiveText live(options_.ask.format == AskFormat::Table && isatty(STDOUT_FILENO) != 0);
  Listener listener;
  listener.stop = &interrupts.flag();
  Waiting waiting("reading the schema and the question");
  listener.on_text = [&](std::string_view piece) {
    waiting.done();
    live.add(piece);
  };
  listener.on_discard = [&live](size_t bytes) { live.take_back(bytes); };

  Asked asked;
  asked.question = question;
  asked.catalog = catalog_;
  asked.policy = &*policy_;
  asked.answer = decoder_->answer(*subject_, {question, options_.ask.evidence}, listener);
  waiting.done();
  live.end();
  for (const std::string& error : asked.answer.errors) fail("error: " + error);
  if (asked.answer.stopped) {
    fail("stopped; there is no answer");
    return kExitInterrupted;
  }
  return finish(asked, live, interrupts.flag());
}

int Asker::query(const std::string& sql) {
  const CatchInterrupts interrupts;
  Asked asked;
  asked.catalog = catalog_;
  asked.policy = &*policy_;
  subject_->judge(sql, asked.answer);
  return finish(asked, LiveText(false), interrupts.flag());
}

// Runs it, writes it down, and then shows it.
int Asker::finish(Asked& asked, const LiveText& live, const std::atomic<bool>& stop) {
  if (runner_) {
    Waiting waiting("running the query");
    run(asked, stop);
  }
  if (audit_) {
    const AskedBy by{options_.ask.asker.value_or(login_name()), "program", catalog_->name(), options_.inputs.policy.value_or("")};
    const auto added = audit_->add(audit_line(asked, model_.label, model_hash_, adapter_hash_, policy_hash_, by));
    if (!added) return fail(added.error());
  }
  if (options_.ask.trace) {
    if (const auto written = write_file(*options_.ask.trace, trace_json(asked)); !written) return fail(written.error());
  }
  const int status = report(asked, asked.answer.sql && live.shows(*asked.answer.sql));
  asked.rows.reset();
  last_ = std::move(asked);
  return stop ? kExitInterrupted : status;
}

int Asker::report(Asked& asked, bool sql_is_shown) const {
  constexpr size_t kMostRowsShown = 100;
  const AnswerKind kind = kind_of(asked);
  const bool fine = kind == AnswerKind::Answered || kind == AnswerKind::Partial;
  const int status = kind == AnswerKind::Answered ? kExitFine : fine ? kExitInPart : kExitNotFine;
  Output output;
  if (options_.ask.format == AskFormat::Json) {
    output.write(to_json(asked, options_.ask.raw ? Values::Raw : Values::Harmless));
    return output.finish(status);
  }
  const bool csv = options_.ask.format == AskFormat::Csv;
  std::string told = notes(asked, style_);
  if (asked.problem) told += style_.red("not answered:") + " " + printable(asked.problem->to_string()) + "\n";
  if (csv) {
    // The output is rows and nothing else; who reads them by program must not miss what was said.
    if (!fine || !told.empty()) std::fputs(told.c_str(), stderr);
    const bool raw = options_.ask.raw;
    if (asked.rows) output.write(to_csv(*asked.rows, raw ? Values::Raw : Values::Harmless));
    if (!asked.rows && fine) output.write((raw ? *asked.answer.sql : printable_lines(*asked.answer.sql)) + "\n");
    return output.finish(status);
  }
  if (asked.answer.sql && !sql_is_shown) output.write(printable(*asked.answer.sql) + "\n");
  if (asked.answer.sql) output.write("\n");
  output.write(told);
  if (asked.rows) {
    if (!told.empty()) output.write("\n");
    output.write(to_table(*asked.rows, kMostRowsShown, style_) + "\n");
  }
  output.write(verdict(asked, style_));
  return output.finish(status);
}

}  // namespace pccsql
