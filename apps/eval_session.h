// EvalSession: a model opened once, and runs made with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "apps/eval_run.h"
#include "base/result.h"
#include "eval/run.h"
#include "eval/told_answers.h"
#include "model/batched.h"

namespace pccsql {

// The settings that the options ask for. An Error where they are at odds.
Result<RunSettings> run_settings(const EvalRunOptions& options);

class EvalSession {
 public:
  // Reads the prompts and opens the model, with room for `parallel` questions at once.
  static Result<std::unique_ptr<EvalSession>> open(const EvalRunOptions& options);

  // Makes the run, or goes on with it, with a progress bar.
  Result<RunState> run(const Suite& suite, const std::string& suite_path, RunSettings settings, const std::string& out,
                       const std::atomic<bool>* stop);

 private:
  explicit EvalSession(const EvalRunOptions& options) : options_(options) {}
  Result<std::unique_ptr<Decoder>> decoder(const RunSettings& settings);

  const EvalRunOptions& options_;
  std::optional<Prompts> prompts_;
  std::string prompts_sha256_;
  OpenedModel model_;
  std::unique_ptr<ToldAnswers> told_;  // instead of a model
  std::string model_sha256_;
  std::string adapter_sha256_;
  std::unique_ptr<BatchedModel> batched_;          // where several questions are asked at once
  std::vector<std::unique_ptr<ChatModel>> chats_;  // of an endpoint: one for each worker
};

// "812 safe, 3 unsafe, 0 refused, 11 failed"
std::string outcomes_text(const RunState& state);

}  // namespace pccsql
