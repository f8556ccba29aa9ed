#include "model/batched.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;

// How long a pass may wait for those that were in the last two: what it costs to miss them is another pass.
Clock::duration patience(uint64_t last_batch_ns) {
  const std::chrono::nanoseconds share(last_batch_ns / 2);
  return std::clamp<std::chrono::nanoseconds>(share, std::chrono::microseconds(200), std::chrono::milliseconds(20));
}

}  // namespace

class BatchedModel::Shared : public Sequence {
 public:
  Shared(BatchedModel& model, std::unique_ptr<Sequence> inner) : model_(model), inner_(std::move(inner)) {}
  ~Shared() override {
    const std::lock_guard lock(model_.model_);
    inner_.reset();
  }

  using Sequence::append;
  Result<Done> set_prompt(const Prompt& prompt) override {
    const std::lock_guard lock(model_.model_);
    known_ = false;
    return inner_->set_prompt(prompt);
  }
  Result<Done> append(std::span<const TokenId> tokens) override {
    const std::lock_guard lock(model_.model_);
    auto appended = inner_->append(tokens);
    if (appended && !tokens.empty()) known_ = false;
    return appended;
  }
  void truncate(size_t length) override {
    const std::lock_guard lock(model_.model_);
    known_ = known_ && length >= inner_->length();
    inner_->truncate(length);
  }

  Result<std::span<const float>> logits() override {
    if (!known_) {
      Shared* const self[] = {this};
      if (auto served = model_.serve(self); !served) return served.error();
    }
    return std::span<const float>(logits_);
  }

  std::span<const TokenId> tokens() const override { return inner_->tokens(); }
  size_t prompt_length() const override { return inner_->prompt_length(); }
  const Work& work() const override { return inner_->work(); }

  // PRE: model_ is held, and the logits of `inner` have been evaluated.
  Result<Done> take_logits() {
    const auto row = inner_->logits();
    if (!row) return row.error();
    logits_.assign(row->begin(), row->end());
    known_ = true;
    return Done{};
  }

  bool known() const { return known_; }
  Sequence* inner() const { return inner_.get(); }

 private:
  BatchedModel& model_;
  std::unique_ptr<Sequence> inner_;
  std::vector<float> logits_;
  bool known_ = false;
};

// One request: it waits until the owner has served it.
struct BatchedModel::Wait {
  std::span<Shared* const> sequences;
  Result<Done> result = Done{};
  bool done = false;
};

Result<std::unique_ptr<Sequence>> BatchedModel::new_sequence() {
  const std::lock_guard lock(model_);
  auto inner = inner_.new_sequence();
  if (!inner) return inner.error();
  return std::unique_ptr<Sequence>(std::make_unique<Shared>(*this, *std::move(inner)));
}

Result<Done> BatchedModel::evaluate(std::span<Sequence* const> sequences) {
  std::vector<Shared*> shared;
  for (Sequence* sequence : sequences) {
    auto* one = static_cast<Shared*>(sequence);
    if (!one->known()) shared.push_back(one);
  }
  return shared.empty() ? Result<Done>(Done{}) : serve(shared);
}

BatchedModel::Counts BatchedModel::counts() const {
  const std::lock_guard lock(queue_);
  return counts_;
}

BatchedModel::~BatchedModel() {
  {
    const std::lock_guard lock(queue_);
    ended_ = true;
  }
  asked_.notify_all();
  owner_.join();
}

Result<Done> BatchedModel::serve(std::span<Shared* const> sequences) {
  Wait mine{sequences};
  std::unique_lock lock(queue_);
  waiting_.push_back(&mine);
  asked_.notify_one();
  served_.wait(lock, [&mine] { return mine.done; });
  return mine.result;
}

void BatchedModel::own() {
  std::unique_lock lock(queue_);
  for (;;) {
    asked_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    asked_.wait_for(lock, patience(last_batch_ns_), [this] { return waiting_.size() >= lately_; });
    const std::vector<Wait*> batch = std::exchange(waiting_, {});
    lock.unlock();
    const auto start = Clock::now();
    run(batch);
    const auto time = std::chrono::nanoseconds(Clock::now() - start).count();
    lock.lock();
    for (const Wait* one : batch) counts_.sequences += one->sequences.size();
    ++counts_.batches;
    // Who missed the last pass waits already; without those of the pass before, the two would go on taking turns.
    const size_t again = static_cast<size_t>(std::ranges::count_if(batch, [this](const Wait* one) {
      return std::ranges::find(last_batch_, one->sequences.front()) != last_batch_.end();
    }));
    lately_ = last_batch_.size() + batch.size() - again;
    last_batch_.clear();
    for (const Wait* one : batch) last_batch_.push_back(one->sequences.front());
    last_batch_ns_ = static_cast<uint64_t>(time);
    for (Wait* one : batch) one->done = true;  // and may be gone once the lock is given up
    served_.notify_all();
  }
}

void BatchedModel::run(std::span<Wait* const> batch) {
  const std::lock_guard lock(model_);
  std::vector<Sequence*> all;
  for (const Wait* one : batch) {
    for (const Shared* sequence : one->sequences) all.push_back(sequence->inner());
  }
  const Result<Done> together = inner_.evaluate(all);
  for (Wait* one : batch) {
    // Where the pass failed, each is tried alone: the fault of one is not the others'.
    for (Shared* sequence : one->sequences) {
      if (!one->result) break;
      if (!together && batch.size() == 1 && one->sequences.size() == 1) {
        one->result = together;
      } else {
        one->result = sequence->take_logits();
      }
    }
  }
}

}  // namespace pccsql
