#include "apps/eval_session.h"

#include <algorithm>
#include <charconv>
#include <iostream>

#include "apps/output.h"
#include "apps/terminal.h"
#include "base/file.h"
#include "eval/machine.h"
#include "model/sha256.h"
#include "prompt/template.h"

namespace pccsql {
namespace {

// Of all templates, whichever wording they have.
Result<std::string> prompts_hash(const std::optional<std::string>& folder) {
  Sha256 hash;
  for (const NamedText& standard : standard_templates()) {
    std::string text = standard.text;
    if (folder) {
      auto read = read_file(*folder + "/" + standard.name + ".txt");
      if (!read) return read.error();
      text = *std::move(read);
    }
    hash.add(standard.name + '\0' + text + '\0');
  }
  return hash.hex();
}

Result<Selection::Shard> parse_shard(const std::string& text) {
  Selection::Shard shard;
  const size_t slash = text.find('/');
  const auto number = [](std::string_view digits, uint64_t& into) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    return error == std::errc() && end == digits.data() + digits.size() && into > 0;
  };
  const std::string_view view = text;
  if (slash == std::string::npos || !number(view.substr(0, slash), shard.part) ||
      !number(view.substr(slash + 1), shard.of) || shard.part > shard.of) {
    return Error{"`--shard` is i/n with i from 1 to n, such as 2/8, not `" + text + "`", {}, {}};
  }
  return shard;
}

}  // namespace

Result<RunSettings> run_settings(const EvalRunOptions& options) {
  RunSettings settings;
  settings.method = options.method;
  settings.decode = decode_settings(options);
  settings.decode.lookahead = !options.no_lookahead;
  settings.language = options.language;
  settings.selection.limit = options.limit;
  settings.selection.sample = options.sample;
  settings.selection.per_database = options.per_database;
  if (options.seed && !options.sample && !options.per_database) {
    return Error{"`--seed` goes with `--sample` or `--per-database`", {}, {}};
  }
  settings.selection.seed = options.seed.value_or(settings.selection.seed);
  if (options.shard) {
    const auto shard = parse_shard(*options.shard);
    if (!shard) return shard.error();
    settings.selection.shard = *shard;
  }
  settings.selection.with_database = options.with_database;
  settings.parallel = options.parallel.value_or(1);
  settings.execution = !options.no_exec;
  settings.evidence = options.evidence;
  settings.values = options.values.value_or(0);
  settings.context = options.context.value_or(0);
  return settings;
}

Result<std::unique_ptr<EvalSession>> EvalSession::open(const EvalRunOptions& options) {
  std::unique_ptr<EvalSession> session(new EvalSession(options));
  if (options.prompts) {
    auto prompts = Prompts::load(*options.prompts);
    if (!prompts) return prompts.error();
    session->prompts_ = *std::move(prompts);
  }
  auto hash = prompts_hash(options.prompts);
  if (!hash) return hash.error();
  session->prompts_sha256_ = *std::move(hash);
  if (options.answers) {
    if (options.model || options.model_name) return Error{"`--answers` stands for a model: leave `--model` out", {}, {}};
    session->told_ = std::make_unique<ToldAnswers>(std::cin, std::cout);
    session->model_.label = *options.answers;
    const auto possible = make_told_decoder(options.method, *session->told_, decode_settings(options));
    if (!possible) return possible.error();
    return session;
  }
  // What a suite shares stays in memory; on disk it would only push out what `ask` keeps there.
  auto model = open_model(options, {static_cast<uint32_t>(options.parallel.value_or(1)), false});
  if (!model) return model.error();
  session->model_ = *std::move(model);
  if (session->model_.model) {
    auto sha256 = session->model_.model->hash();
    if (!sha256) return sha256.error();
    session->model_sha256_ = *std::move(sha256);
    auto adapter = session->model_.model->adapter_hash();
    if (!adapter) return adapter.error();
    session->adapter_sha256_ = *std::move(adapter);
    if (options.parallel.value_or(1) > 1) {
      session->batched_ = std::make_unique<BatchedModel>(*session->model_.model);
    }
  }
  return session;
}

Result<std::unique_ptr<Decoder>> EvalSession::decoder(const RunSettings& settings) {
  if (told_) return make_told_decoder(settings.method, *told_, settings.decode);
  if (batched_) return make_decoder(settings.method, *batched_, settings.decode);
  if (model_.model || settings.parallel == 1) return open_decoder(model_, settings.method, settings.decode);
  auto another = open_model(options_);  // an endpoint: a connection for each worker
  if (!another) return another.error();
  chats_.push_back(std::move(another->chat));
  return make_decoder(settings.method, *chats_.back(), settings.decode);
}

Result<RunState> EvalSession::run(const Suite& suite, const std::string& suite_path, RunSettings settings,
                                  const std::string& out, const std::atomic<bool>* stop) {
  settings.prompts_sha256 = prompts_sha256_;
  auto header = run_header(suite, suite_path, settings);
  if (!header) return header.error();
  header->model = {model_.label, model_.file, model_sha256_, adapter_sha256_};
  header->version = PCCSQL_VERSION;
  header->machine = this_machine(model_.model ? model_.model->about() : told_ ? "told from outside" : "a chat endpoint");
  header->started = now_utc();
  RunPlan plan{suite,
               settings,
               options_.data,
               prompts_ ? *prompts_ : Prompts::standard(),
               [this, &settings] { return decoder(settings); },
               *std::move(header),
               out};
  if (model_.model) model_.model->stop_on(stop);
  Progress progress("questions", true);
  auto state = run_suite(
      plan,
      [&progress](const RunState& now) {
        progress.done(now.done, now.all, now.resumed, " (" + outcomes_text(now) + ")");
      },
      stop);
  if (model_.model) model_.model->stop_on(nullptr);
  return state;
}

std::string outcomes_text(const RunState& state) {
  const auto count = [&state](Outcome outcome) {
    return std::to_string(state.by_outcome[static_cast<size_t>(outcome)]);
  };
  return count(Outcome::SafeSql) + " safe, " + count(Outcome::UnsafeSql) + " unsafe, " + count(Outcome::Refuse) +
         " refused, " + count(Outcome::Failure) + " failed";
}

}  // namespace pccsql
