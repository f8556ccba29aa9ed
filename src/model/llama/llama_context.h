// LlamaContext: the memory of llama.cpp in which sequences live, and the passes of the network over it. Knows tokens
// and positions; what they mean is LlamaModel's business. For the .cc files of this folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/llama/llama_handle.h"
#include "model/llama/llama_model.h"
#include "model/token_sequence.h"

namespace pccsql {

class LlamaSequence;

class LlamaContext {
 public:
  // The tokens that go through the network in one pass, at most.
  static constexpr uint32_t kBatch = 512;

  static Result<std::unique_ptr<LlamaContext>> make(LlamaHandle model, const LlamaOptions& options, uint32_t threads,
                                                    std::string identity);
  ~LlamaContext();
  LlamaContext(const LlamaContext&) = delete;
  LlamaContext& operator=(const LlamaContext&) = delete;

  uint32_t context_size() const { return context_size_; }
  size_t width() const { return width_; }
  void stop_on(const std::atomic<bool>* stop) { stop_ = stop; }

  Result<std::unique_ptr<Sequence>> new_sequence();
  Result<Done> evaluate(std::span<LlamaSequence* const> sequences);

 private:
  friend class LlamaSequence;
  struct Share;  // of one sequence in a batch

  LlamaContext() = default;
  Result<Done> use_adapter(const std::string& path);
  void make_ready(LlamaSequence& sequence);
  bool copy_prefix(LlamaSequence& sequence);
  bool load_prefix(LlamaSequence& sequence);
  bool keep_first(LlamaSequence& sequence, size_t shared);
  void save_prefix(LlamaSequence& sequence);
  std::vector<Share> fill_batch(std::span<LlamaSequence* const> sequences);
  Result<Done> run_batch(std::span<const Share> shares);
  void keep_logits_of_others(std::span<const Share> shares);
  bool stopped() const { return stop_ != nullptr && *stop_; }

  LlamaHandle model_;
  std::unique_ptr<ggml_threadpool, void (*)(ggml_threadpool*)> threads_{nullptr, ggml_threadpool_free};  // outlives the context
  std::unique_ptr<llama_context, void (*)(llama_context*)> context_{nullptr, llama_free};
  llama_batch batch_{};
  uint32_t context_size_ = 0;
  size_t width_ = 0;
  std::vector<LlamaSequence*> owners_;  // by number; null: free
  const std::atomic<bool>* stop_ = nullptr;
  std::optional<PrefixStore> store_;
  std::string made_by_;  // all that a stored state depends on, besides its tokens
};

class LlamaSequence : public TokenSequence {
 public:
  LlamaSequence(LlamaContext& context, llama_seq_id number);
  ~LlamaSequence() override;

  Result<std::span<const float>> logits() override;

 private:
  friend class LlamaContext;

  LlamaContext& context_;
  llama_seq_id number_;
  const float* row_ = nullptr;  // the logits, in llama.cpp's buffer until its next pass, then in `kept_`
  std::vector<float> kept_;
};

}  // namespace pccsql
