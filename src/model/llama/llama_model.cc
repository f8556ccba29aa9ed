#include "model/llama/llama_model.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "model/file_identity.h"
#include "model/llama/free_cores.h"
#include "model/llama/gguf_vocabulary.h"
#include "model/llama/llama_chat.h"
#include "model/llama/llama_context.h"
#include "model/llama/llama_handle.h"

namespace pccsql {
namespace {

class LlamaModel : public Model {
 public:
  LlamaModel(std::string path, LlamaHandle model, LlamaVocabulary vocabulary, Vocabulary masks, uint32_t threads)
      : path_(std::move(path)),
        name_(std::filesystem::path(path_).filename().string()),
        model_(std::move(model)),
        llama_vocabulary_(std::move(vocabulary)),
        vocabulary_(std::move(masks)),
        threads_(threads) {}

  Result<Done> begin(const LlamaOptions& options) {
    auto chat = LlamaChat::make(model_.get(), llama_vocabulary_, options.chat_template);
    if (!chat) return chat.error();
    chat_.emplace(*std::move(chat));
    adapter_ = options.adapter;
    std::vector<std::string> files = gguf_parts(path_);
    if (!adapter_.empty()) files.push_back(adapter_);
    const auto identity = file_identity(files);
    auto context =
        LlamaContext::make(model_, options, threads_, identity && identity->settled ? identity->text : std::string());
    if (!context) return context.error();
    context_ = *std::move(context);
    on_gpu_ = llama_supports_gpu_offload() && options.gpu_layers.value_or(1) > 0;
    return Done{};
  }

  const std::string& name() const override { return name_; }
  Result<std::string> hash() const override { return sha256_of_files(gguf_parts(path_)); }

  Result<std::string> adapter_hash() const override {
    if (adapter_.empty()) return std::string();
    return sha256_of_files(std::span(&adapter_, 1));
  }

  std::string about() const override {
    char description[128] = "";
    llama_model_desc(model_.get(), description, sizeof description);
    return std::string(description) + (adapter_.empty() ? "" : " with an adapter") + ", llama.cpp " + llama_version() + (on_gpu_ ? ", GPU and " : ", ") +
           std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  size_t logits_width() const override { return context_->width(); }
  size_t context_size() const override { return context_->context_size(); }

  Result<std::vector<TokenId>> tokenize(std::string_view text, bool parse_special) const override {
    const auto tokens = llama_vocabulary_.tokenize(text, false, parse_special);
    if (!tokens) return tokens.error();
    return std::vector<TokenId>(tokens->begin(), tokens->end());
  }

  Result<std::string> chat_text(std::span<const Message> messages) const override { return chat_->text(messages); }
  Result<std::vector<TokenId>> chat_tokens(std::span<const Message> messages) const override {
    return chat_->tokens(messages);
  }

  Result<std::unique_ptr<Sequence>> new_sequence() override { return context_->new_sequence(); }

  Result<Done> evaluate(std::span<Sequence* const> sequences) override {
    std::vector<LlamaSequence*> own;
    for (Sequence* sequence : sequences) own.push_back(static_cast<LlamaSequence*>(sequence));
    return context_->evaluate(own);
  }

  void stop_on(const std::atomic<bool>* stop) override { context_->stop_on(stop); }

 private:
  std::string path_;
  std::string name_;
  std::string adapter_;
  LlamaHandle model_;
  LlamaVocabulary llama_vocabulary_;
  Vocabulary vocabulary_;
  uint32_t threads_;
  bool on_gpu_ = false;
  std::optional<LlamaChat> chat_;
  std::unique_ptr<LlamaContext> context_;
};

}  // namespace

Result<std::unique_ptr<Model>> load_llama_model(const std::string& path, const LlamaOptions& options) {
  if (options.gpu_layers.value_or(0) > 0 && !llama_supports_gpu_offload()) {
    return Error{"layers cannot be put on a GPU: llama.cpp was built without one, or there is none", path, {}};
  }
  llama_model_params params = llama_model_default_params();
  params.n_gpu_layers = options.gpu_layers ? static_cast<int32_t>(*options.gpu_layers) : -1;
  params.use_extra_bufts = options.repack;
  auto model = open_gguf(path, params);
  if (!model) return model.error();
  if (!llama_model_has_decoder(model->get()) || llama_model_has_encoder(model->get())) {
    return Error{"is not a model that writes text; a decoder was expected", path, {}};
  }
  auto vocabulary = vocabulary_of(*model, path);
  if (!vocabulary) return vocabulary.error();
  auto masks = mask_vocabulary(*vocabulary);
  if (!masks) return Error{masks.error().message, path, {}};
  auto made = std::make_unique<LlamaModel>(path, *std::move(model), *std::move(vocabulary), *std::move(masks),
                                           options.threads > 0 ? options.threads : free_cores());
  if (auto begun = made->begin(options); !begun) return Error{begun.error().message, path, {}};
  return std::unique_ptr<Model>(std::move(made));
}

}  // namespace pccsql
