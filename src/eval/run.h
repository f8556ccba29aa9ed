// A run: a method and a model asked every chosen question of a suite, each answer judged and written down.
//
// Lines are written whole, in the order of the suite, as soon as all before them are; so a run that was killed goes on
// where its file ends, and gives the file that it would have given (times aside, where one question is asked at a
// time). With several at once each worker has a decoder of its own, over a model that puts their passes into batches.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "decode/decoder.h"
#include "eval/record.h"
#include "eval/selection.h"
#include "suite/suite.h"

namespace pccsql {

// What decides how questions are answered.
struct RunSettings {
  Method method = Method::Pcc;
  DecodeSettings decode;
  Language language = Language::Full;
  Selection selection;
  size_t parallel = 1;         // questions at once
  bool execution = true;       // false: nothing is run, whatever the suite says
  bool evidence = false;       // hints beside the questions are part of the prompt
  size_t values = 0;           // shown beside each Public column in the prompt
  size_t context = 0;          // tokens that a sequence can hold; 0: the model's usual
  std::string prompts_sha256;  // of the templates
};

struct RunPlan {
  const Suite& suite;
  RunSettings settings;
  std::optional<std::string> data;  // where the databases are, in place of the suite's folder
  const Prompts& prompts = Prompts::standard();
  // A decoder for one worker; called once for each.
  std::function<Result<std::unique_ptr<Decoder>>()> decoder;
  RunHeader header;  // run_header()
  std::string out;
};

struct RunState {
  size_t done = 0;     // questions in the file
  size_t resumed = 0;  // of these: were there before
  size_t all = 0;
  size_t by_outcome[4] = {};  // by Outcome, of those asked now
  size_t errors = 0;          // answers with something that must never happen
};

// The header of a run of these settings: everything but model, machine, version and time, which the caller adds.
// `suite_path`: its bytes are hashed.
Result<RunHeader> run_header(const Suite& suite, const std::string& suite_path, const RunSettings& settings);

// What can be found wrong before a model is opened: a selection that leaves nothing, databases that are not there.
Result<Done> check_run(const Suite& suite, const RunSettings& settings, const std::optional<std::string>& data);

// Begins the run, or goes on with the one in `plan.out`. `watch` is called after each line, by one thread at a time. An
// Error: nothing was begun (a database is missing, the file is another run's or no run at all), or the file can no
// longer be written. When `stop` becomes true it ends soon; what is written stays.
Result<RunState> run_suite(const RunPlan& plan, const std::function<void(const RunState&)>& watch = {},
                           const std::atomic<bool>* stop = nullptr);

}  // namespace pccsql
