// BatchedModel: one model for many threads. Each generates as if it had the model to itself; whoever asks for logits at
// about the same time is served by the same pass of the network.
//
// One thread of its own makes all passes; whoever asks for logits queues up and waits. Whatever else the callers do (filling
// masks, running queries) they do beside the pass, on their own threads.
//
// A pass over one sequence reads all the weights, and a pass over sixteen hardly takes longer. So the owner waits a moment for
// those that were in the last two batches; a thread that has something else to do (it runs a query, it has finished) is missed
// twice, and then no longer waited for.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "model/model.h"

namespace pccsql {

// All functions of this and of its sequences may be called by any thread, as long as each sequence is used by one at a
// time. Logits are good until the next call on the same sequence, whatever others do.
class BatchedModel : public Model {
 public:
  // PRE: `inner` outlives this, and is used by nobody else meanwhile.
  explicit BatchedModel(Model& inner) : inner_(inner), owner_([this] { own(); }) {}
  // PRE: nobody waits for a pass any more.
  ~BatchedModel() override;

  const std::string& name() const override { return inner_.name(); }
  Result<std::string> hash() const override { return inner_.hash(); }
  Result<std::string> adapter_hash() const override { return inner_.adapter_hash(); }
  std::string about() const override { return inner_.about(); }
  const Vocabulary& vocabulary() const override { return inner_.vocabulary(); }
  size_t logits_width() const override { return inner_.logits_width(); }
  size_t context_size() const override { return inner_.context_size(); }
  Result<std::vector<TokenId>> tokenize(std::string_view text, bool parse_special) const override {
    return inner_.tokenize(text, parse_special);
  }
  Result<std::string> chat_text(std::span<const Message> messages) const override { return inner_.chat_text(messages); }
  Result<std::vector<TokenId>> chat_tokens(std::span<const Message> messages) const override {
    return inner_.chat_tokens(messages);
  }

  Result<std::unique_ptr<Sequence>> new_sequence() override;
  Result<Done> evaluate(std::span<Sequence* const> sequences) override;
  // Has no effect: a pass belongs to many. A flag for all of them is given to the inner model.
  void stop_on(const std::atomic<bool>*) override {}

  struct Counts {
    uint64_t batches = 0;
    uint64_t sequences = 0;  // in all of them
  };
  Counts counts() const;

 private:
  class Shared;
  struct Wait;

  Result<Done> serve(std::span<Shared* const> sequences);
  void own();  // until the end: takes all that wait, and makes a pass for them
  void run(std::span<Wait* const> batch);

  Model& inner_;
  std::mutex model_;  // around every call of the inner model that is not const, and of its sequences

  mutable std::mutex queue_;  // around all that follows
  std::condition_variable asked_, served_;
  std::vector<Wait*> waiting_;
  bool ended_ = false;
  std::vector<const void*> last_batch_;  // who asked; to be compared alone
  size_t lately_ = 0;                    // requests in the last two, each counted once
  uint64_t last_batch_ns_ = 0;
  Counts counts_;

  std::thread owner_;  // the last one, so that it finds everything else made
};

}  // namespace pccsql
