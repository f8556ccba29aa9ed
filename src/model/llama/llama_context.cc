#include "model/llama/llama_context.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <limits>
#include <utility>

#include "model/cache_folder.h"
#include "model/llama/gguf_check.h"
#include "model/llama/llama_log.h"

namespace pccsql {
namespace {

// Below this, reading a state back is no quicker than working it out.
constexpr size_t kWorthKeeping = 32;

bool stop_callback(void* flag) {
  const auto* stop = *static_cast<const std::atomic<bool>* const*>(flag);
  return stop != nullptr && *stop;
}

// The largest of the bit patterns tells, and is found for many numbers at a time.
bool has_nan(const float* row, size_t width) {
  uint32_t largest = 0;
  for (size_t i = 0; i < width; ++i) largest = std::max(largest, std::bit_cast<uint32_t>(row[i]) & 0x7FFFFFFFU);
  return largest > 0x7F800000U;
}

}  // namespace

struct LlamaContext::Share {
  LlamaSequence* sequence = nullptr;
  size_t count = 0;
  int32_t last = 0;  // where its last token stands in the batch
};

Result<std::unique_ptr<LlamaContext>> LlamaContext::make(LlamaHandle model, const LlamaOptions& options,
                                                         uint32_t threads, std::string identity) {
  const auto trained = static_cast<uint32_t>(std::max(1, llama_model_n_ctx_train(model.get())));
  constexpr uint32_t kUsual = 8192;
  const uint32_t size = options.context > 0 ? options.context : std::min(kUsual, trained);
  if (size > trained) {
    return Error{"a context of " + std::to_string(size) + " tokens cannot be had; the model was made for up to " +
                     std::to_string(trained),
                 "",
                 {}};
  }
  const size_t most = llama_max_parallel_sequences();
  if (options.sequences == 0 || options.sequences > most) {
    return Error{
        std::to_string(options.sequences) + " sequences at once cannot be had; 1 to " + std::to_string(most) + " can",
        "",
        {}};
  }
  std::unique_ptr<LlamaContext> made(new LlamaContext());
  llama_context_params params = llama_context_default_params();
  if (uint64_t{size} * options.sequences > uint64_t{std::numeric_limits<int32_t>::max()}) {
    return Error{std::to_string(options.sequences) + " contexts of " + std::to_string(size) +
                     " tokens cannot be had at once; fewer or smaller ones can",
                 "",
                 {}};
  }
  params.n_ctx = size * options.sequences;
  params.n_batch = params.n_ubatch = kBatch;
  params.n_seq_max = options.sequences;
  // In one memory, sequences share the cells of a prompt that they have in common, and all go through the network in one
  // pass; with a part for each, only those of equal length and following numbers would.
  params.kv_unified = options.sequences > 1;
  // Who has weights of 32 bits wants their logits: what is kept of the text is then not rounded to 16 on the way.
  const bool whole = llama_model_ftype(model.get()) == LLAMA_FTYPE_ALL_F32;
  if (whole) {
    params.type_k = params.type_v = GGML_TYPE_F32;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  }
  params.n_threads = params.n_threads_batch = static_cast<int32_t>(threads);
  params.abort_callback = stop_callback;
  params.abort_callback_data = &made->stop_;
  params.no_perf = true;
  const LlamaErrors errors;
  try {
    made->context_.reset(llama_init_from_model(model.get(), params));
  } catch (const std::exception& problem) {
    return Error{std::string("no context could be made: ") + problem.what(), "", {}};
  }
  if (!made->context_) {
    return Error{"a context of " + std::to_string(size) + " tokens for " + std::to_string(options.sequences) +
                     " sequences could not be made: " + errors.first(),
                 "",
                 {}};
  }
  made->model_ = std::move(model);
  if (!options.adapter.empty()) {
    if (auto used = made->use_adapter(options.adapter); !used) return used.error();
  }
  if (threads > 1) {
    // Threads that have nothing to do sleep: those of llama.cpp's own making ask again and again whether there is something.
    ggml_threadpool_params pool;
    ggml_threadpool_params_init(&pool, static_cast<int>(threads));
    pool.poll = 0;
    made->threads_.reset(ggml_threadpool_new(&pool));
    if (made->threads_) llama_attach_threadpool(made->context_.get(), made->threads_.get(), made->threads_.get());
  }
  // llama.cpp rounds up; what was asked for is what holds.
  made->context_size_ = std::min(size, llama_n_ctx_seq(made->context_.get()));
  made->width_ = static_cast<size_t>(llama_vocab_n_tokens(llama_model_get_vocab(made->model_.get())));
  made->batch_ = llama_batch_init(kBatch, 0, 1);
  made->owners_.resize(options.sequences);
  if (options.keep_prefixes && !identity.empty()) {
    const auto cache = cache_folder();
    std::string folder = options.prefix_folder;
    if (folder.empty() && cache) folder = *cache + "/prefix";
    if (!folder.empty()) made->store_.emplace(folder, options.prefix_limit);
  }
  made->made_by_ = std::string("llama.cpp ") + llama_version() + "; model " + identity + "; threads " +
                   std::to_string(threads) + "; gpu " +
                   (options.gpu_layers ? std::to_string(*options.gpu_layers) : "all") + "; batch " +
                   std::to_string(kBatch) + "; sequences " + std::to_string(options.sequences) +
                   (options.repack ? "; repacked" : "") + (whole ? "; kept in 32 bits" : "");
  return made;
}

// The adapter lives as long as the model, which frees it.
Result<Done> LlamaContext::use_adapter(const std::string& path) {
  if (auto whole = check_gguf_adapter(path); !whole) return whole.error();
  const LlamaErrors errors;
  llama_adapter_lora* adapter = nullptr;
  std::string thrown;
  try {
    adapter = llama_adapter_lora_init(model_.get(), path.c_str());
  } catch (const std::exception& problem) {
    thrown = problem.what();
  }
  float scale = 1;
  if (adapter == nullptr || llama_set_adapters_lora(context_.get(), &adapter, 1, &scale) != 0) {
    return Error{"is no adapter for this model: " + (thrown.empty() ? errors.first() : thrown), path, {}};
  }
  return Done{};
}

LlamaContext::~LlamaContext() {
  if (batch_.token != nullptr) llama_batch_free(batch_);
}

Result<std::unique_ptr<Sequence>> LlamaContext::new_sequence() {
  const auto seat = std::ranges::find(owners_, nullptr);
  if (seat == owners_.end()) {
    return Error{
        "all " + std::to_string(owners_.size()) + " sequences that the model was loaded for are in use", "", {}};
  }
  auto sequence = std::make_unique<LlamaSequence>(*this, static_cast<llama_seq_id>(seat - owners_.begin()));
  *seat = sequence.get();
  return std::unique_ptr<Sequence>(std::move(sequence));
}

// What llama.cpp holds beyond evaluated() is taken away. Some kinds of model cannot take back a part: they begin anew.
void LlamaContext::make_ready(LlamaSequence& sequence) {
  if (sequence.evaluated() == 0 && (copy_prefix(sequence) || load_prefix(sequence))) return;
  llama_memory_t memory = llama_get_memory(context_.get());
  const auto from = static_cast<llama_pos>(sequence.evaluated());
  if (!llama_memory_seq_rm(memory, sequence.number_, from, -1)) {
    llama_memory_seq_rm(memory, sequence.number_, -1, -1);
    sequence.forget();
  }
}

// From a sequence beside it that has the same shared part.
bool LlamaContext::copy_prefix(LlamaSequence& sequence) {
  const size_t shared = sequence.shared_prompt();
  if (shared < kWorthKeeping) return false;
  const auto wanted = sequence.tokens().first(shared);
  const auto other = std::ranges::find_if(owners_, [&](const LlamaSequence* one) {
    return one != nullptr && one != &sequence && one->evaluated() >= shared &&
           std::ranges::equal(one->tokens().first(shared), wanted);
  });
  if (other == owners_.end()) return false;
  llama_memory_t memory = llama_get_memory(context_.get());
  llama_memory_seq_rm(memory, sequence.number_, -1, -1);
  llama_memory_seq_cp(memory, (*other)->number_, sequence.number_, -1, -1);
  return keep_first(sequence, shared);
}

// Of what the sequence now holds, the part that is of use: of the last token the logits are wanted.
bool LlamaContext::keep_first(LlamaSequence& sequence, size_t shared) {
  llama_memory_t memory = llama_get_memory(context_.get());
  const size_t usable = std::min(shared, sequence.length() - 1);
  if (llama_memory_seq_pos_max(memory, sequence.number_) + 1 < static_cast<llama_pos>(shared) ||
      !llama_memory_seq_rm(memory, sequence.number_, static_cast<llama_pos>(usable), -1)) {
    llama_memory_seq_rm(memory, sequence.number_, -1, -1);
    return false;
  }
  sequence.found(usable);
  return true;
}

bool LlamaContext::load_prefix(LlamaSequence& sequence) {
  const size_t shared = sequence.shared_prompt();
  if (!store_ || shared < kWorthKeeping) return false;
  const auto state = store_->load(PrefixStore::key(made_by_, sequence.tokens().first(shared)));
  if (!state) return false;
  llama_memory_t memory = llama_get_memory(context_.get());
  llama_memory_seq_rm(memory, sequence.number_, -1, -1);
  if (llama_state_seq_set_data(context_.get(), state->data(), state->size(), sequence.number_) == 0 ||
      llama_memory_seq_pos_max(memory, sequence.number_) + 1 != static_cast<llama_pos>(shared)) {
    llama_memory_seq_rm(memory, sequence.number_, -1, -1);
    return false;
  }
  return keep_first(sequence, shared);
}

void LlamaContext::save_prefix(LlamaSequence& sequence) {
  const size_t shared = sequence.shared_prompt();
  if (!store_ || shared < kWorthKeeping || sequence.evaluated() != shared) return;
  std::vector<uint8_t> state(llama_state_seq_get_size(context_.get(), sequence.number_));
  const size_t size = llama_state_seq_get_data(context_.get(), state.data(), state.size(), sequence.number_);
  if (size != state.size()) return;
  (void)store_->save(PrefixStore::key(made_by_, sequence.tokens().first(shared)), state);
}

// Of each sequence as much as there is room for, but not across the border of its shared part.
std::vector<LlamaContext::Share> LlamaContext::fill_batch(std::span<LlamaSequence* const> sequences) {
  std::vector<Share> shares;
  batch_.n_tokens = 0;
  for (LlamaSequence* sequence : sequences) {
    const size_t at = sequence->evaluated();
    const size_t border = at < sequence->shared_prompt() ? sequence->shared_prompt() : sequence->length();
    const size_t count = std::min<size_t>(border - at, kBatch - static_cast<size_t>(batch_.n_tokens));
    if (count == 0) continue;
    for (size_t i = at; i < at + count; ++i) {
      const int32_t slot = batch_.n_tokens++;
      batch_.token[slot] = static_cast<llama_token>(sequence->tokens()[i]);
      batch_.pos[slot] = static_cast<llama_pos>(i);
      batch_.n_seq_id[slot] = 1;
      batch_.seq_id[slot][0] = sequence->number_;
      batch_.logits[slot] = static_cast<int8_t>(i + 1 == sequence->length());
    }
    shares.push_back({sequence, count, batch_.n_tokens - 1});
  }
  return shares;
}

void LlamaContext::keep_logits_of_others(std::span<const Share> shares) {
  for (LlamaSequence* owner : owners_) {
    if (owner == nullptr || !owner->logits_kept() || owner->row_ == owner->kept_.data()) continue;
    const bool runs = std::ranges::any_of(shares, [&](const Share& one) { return one.sequence == owner; });
    if (runs) continue;
    owner->kept_.assign(owner->row_, owner->row_ + width_);
    owner->row_ = owner->kept_.data();
  }
}

Result<Done> LlamaContext::run_batch(std::span<const Share> shares) {
  keep_logits_of_others(shares);
  const LlamaErrors errors;
  const auto start = std::chrono::steady_clock::now();
  int32_t status = 0;
  std::string thrown;
  try {
    status = llama_decode(context_.get(), batch_);
    llama_synchronize(context_.get());
  } catch (const std::exception& problem) {
    status = -3;
    thrown = problem.what();
  }
  if (status == 2 || (status != 0 && stopped())) return Error{"stopped", "", {}};
  if (status != 0) {
    for (const Share& share : shares) share.sequence->forget();
    if (status == 1) return Error{"the memory of the model is full; fewer sequences at once would fit", "", {}};
    return Error{"the model could not be evaluated: " + (thrown.empty() ? errors.first() : thrown), "", {}};
  }
  const auto ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  for (const Share& share : shares) {
    LlamaSequence& sequence = *share.sequence;
    sequence.passed(share.count, static_cast<uint64_t>(ns));
    sequence.row_ = nullptr;
    if (sequence.evaluated() < sequence.length()) continue;
    const float* row = llama_get_logits_ith(context_.get(), share.last);
    if (row == nullptr || has_nan(row, width_)) {
      sequence.forget();
      return Error{"the model gave something that is not a number; its file may be damaged", "", {}};
    }
    sequence.row_ = row;
    sequence.logits_are_known();
  }
  return Done{};
}

Result<Done> LlamaContext::evaluate(std::span<LlamaSequence* const> sequences) {
  std::vector<LlamaSequence*> waiting;
  for (LlamaSequence* sequence : sequences) {
    if (sequence->tokens().empty()) return Error{"a sequence begins with a prompt", "", {}};
    if (sequence->logits_known()) continue;
    make_ready(*sequence);
    waiting.push_back(sequence);
  }
  while (!waiting.empty()) {
    if (stopped()) return Error{"stopped", "", {}};
    const std::vector<Share> shares = fill_batch(waiting);
    if (auto done = run_batch(shares); !done) return done;
    for (const Share& share : shares) save_prefix(*share.sequence);
    std::erase_if(waiting, [](const LlamaSequence* one) { return one->logits_known(); });
  }
  return Done{};
}

LlamaSequence::LlamaSequence(LlamaContext& context, llama_seq_id number)
    : TokenSequence(context.width(), context.context_size()), context_(context), number_(number) {}

LlamaSequence::~LlamaSequence() {
  llama_memory_seq_rm(llama_get_memory(context_.context_.get()), number_, -1, -1);
  context_.owners_[static_cast<size_t>(number_)] = nullptr;
}

Result<std::span<const float>> LlamaSequence::logits() {
  LlamaSequence* const self[] = {this};
  if (auto done = context_.evaluate(self); !done) return done.error();
  return std::span(row_, context_.width());
}

}  // namespace pccsql
