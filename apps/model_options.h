// What `ask` and `eval` share: the options that name a model and a method, and the model that they open.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "decode/answer.h"
#include "decode/decoder.h"
#include "model/chat.h"
#include "model/model.h"

namespace CLI {
class App;
}

namespace pccsql {

struct ModelOptions {
  std::optional<std::string> model;       // a known name, a GGUF file, or an address of a chat endpoint
  std::optional<std::string> model_name;  // at the endpoint
  std::optional<std::string> adapter;     // a GGUF file
  bool no_adapter = false;
  std::optional<uint64_t> threads;
  std::optional<uint64_t> context;
  std::optional<uint64_t> gpu_layers;
};

struct MethodOptions {
  Method method = Method::Pcc;
  Blocked blocked = Blocked::Part;
  bool allow_refuse = false;
  bool mask_alone = false;
  std::optional<uint64_t> max_tokens;
  std::optional<uint64_t> memory_mb;
  std::optional<uint64_t> retries;
  std::optional<uint64_t> iterations;
  std::optional<double> penalty;
  bool names_only = false;
  std::optional<std::string> prompts;
  std::optional<uint64_t> schema_tokens;
  std::optional<uint64_t> values;  // shown beside each Public column
};

// --model, --model-name, --adapter, --no-adapter, --threads, --context, --gpu-layers.
void add_model_options(CLI::App& app, ModelOptions& options);
// --method, --max-tokens, --memory-mb, --allow-refuse, --mask-alone, --retries, --itergen-…, --prompts.
void add_method_options(CLI::App& app, MethodOptions& options);

DecodeSettings decode_settings(const MethodOptions& options);

// Of the first two there is one.
struct OpenedModel {
  std::unique_ptr<Model> model;
  std::unique_ptr<ChatModel> chat;
  std::string label;
  std::string file;  // of the weights, or the endpoint's address
};

struct OpenAs {
  uint32_t sequences = 1;     // that live at once
  bool keep_prefixes = true;  // on disk, for the next run of the program
};

// A known model is fetched if it is not here yet.
Result<OpenedModel> open_model(const ModelOptions& options, const OpenAs& as = {});

// Any method of a model with logits, one without of an endpoint.
Result<std::unique_ptr<Decoder>> open_decoder(OpenedModel& opened, Method method, const DecodeSettings& settings);

}  // namespace pccsql
