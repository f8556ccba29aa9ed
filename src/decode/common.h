// What the methods share: the prompt as messages, clocks, ways to end without a query.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <pccsql/matcher.h>

#include "base/result.h"
#include "decode/answer.h"
#include "decode/decoder.h"
#include "model/chat.h"
#include "model/model.h"

namespace pccsql {

std::vector<Message> messages_of(const PromptText& text);

void refuse(Answer& answer, Cause cause, std::string reason);
void fail(Answer& answer, Cause cause, std::string reason);
// The model gave no answer: a Failure, or the caller's own stop.
void fail(Answer& answer, const Error& error, const Listener& listener);

// Of a mask that refused.
Cause cause_of(const Refusal& refusal);

bool is_stopped(const Listener& listener);

// Adds the time from its making to its end to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(uint64_t& counter) : counter_(counter) {}
  ~Stopwatch() {
    const auto time = std::chrono::steady_clock::now() - start_;
    counter_ += static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  uint64_t& counter_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// While it lives, the listener's flag stops the model.
template <typename AnyModel>
class StopFlag {
 public:
  StopFlag(AnyModel& model, const Listener& listener) : model_(model) { model_.stop_on(listener.stop); }
  ~StopFlag() { model_.stop_on(nullptr); }
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

 private:
  AnyModel& model_;
};

// Gives the question's prompt to the sequence, which is made if there is none yet. How many more tokens it can hold, or
// an Error.
Result<size_t> begin_question(Model& model, std::unique_ptr<Sequence>& sequence, const PromptText& text);

}  // namespace pccsql
