#include "apps/model_options.h"

#include <algorithm>

#include "apps/option_kinds.h"
#include "model/http/http_chat.h"
#include "model/known_models.h"
#include "model/llama/llama_model.h"
#include "model/pull/pull.h"

namespace pccsql {
namespace {

Result<std::string> model_file(const ModelOptions& options) {
  const std::string name = options.model.value_or(std::string(kDefaultModel));
  if (const auto known = known_model(name)) return pull_model(**known);
  return find_model(name);
}

Result<std::string> adapter_file(const ModelOptions& options) {
  if (options.adapter && options.no_adapter) return Error{"`--adapter` and `--no-adapter` say different things", "", {}};
  if (options.adapter) return *options.adapter;
  const auto known = known_model(options.model.value_or(std::string(kDefaultModel)));
  if (options.no_adapter || !known) return std::string();
  return adapter_path(**known);
}

uint32_t narrowed(uint64_t number) { return static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX)); }

Result<OpenedModel> open_endpoint(const ModelOptions& options) {
  if (!options.model_name) return Error{"which model of the endpoint? Name it with `--model-name`", {}, {}};
  HttpOptions http;
  http.url = *options.model;
  http.model = *options.model_name;
  http.key = api_key_for(http.url);
  auto chat = make_http_chat(http);
  if (!chat) return chat.error();
  OpenedModel opened;
  opened.chat = std::move(*chat);
  opened.label = http.url + " " + http.model;
  opened.file = http.url;
  return opened;
}

}  // namespace

void add_model_options(CLI::App& app, ModelOptions& options) {
  add_text(app, "--model", options.model, "NAME|FILE|URL",
           "a model of `pccsql model list`, a GGUF file, or a chat endpoint (default: qwen2.5-coder-1.5b)")
      ->group("Model");
  add_text(app, "--model-name", options.model_name, "NAME", "the model's name at the endpoint")->group("Model");
  add_text(app, "--adapter", options.adapter, "FILE",
           "a GGUF adapter to use the model with (default: for the default model, the one that comes with pccsql)")
      ->group("Model");
  app.add_flag("--no-adapter", options.no_adapter, "the model's weights as they are")->group("Model");
  add_number(app, "--threads", options.threads, 1, "threads (default: one for each core that is free)")->group("Model");
  add_number(app, "--context", options.context, 1, "tokens that prompt and answer may have together")->group("Model");
  add_number(app, "--gpu-layers", options.gpu_layers, 0, "layers on the GPU (default: all that fit)")->group("Model");
}

void add_method_options(CLI::App& app, MethodOptions& options) {
  std::vector<std::pair<std::string, Method>> methods;
  for (const Method method : kMethods) methods.emplace_back(to_string(method), method);
  add_choice<Method>(app, "--method", options.method, methods, "how the query is made (default: pcc)")->group("Method");
  add_number(app, "--max-tokens", options.max_tokens, 1, "tokens of one generation (default: 512)")->group("Method");
  add_memory(app, options.memory_mb)->group("Method");
  std::vector<std::pair<std::string, Blocked>> blocked;
  for (const Blocked one : {Blocked::Part, Blocked::Refuse, Blocked::Answer}) blocked.emplace_back(to_string(one), one);
  add_choice<Blocked>(app, "--blocked", options.blocked, blocked,
                      "pcc, where the policy takes a name away that the model wanted: part, an answer without it if it was "
                      "only to be shown, else a refusal; refuse, a refusal; answer, whatever is written instead "
                      "(default: part)")
      ->group("Method");
  app.add_flag("--mask-alone", options.mask_alone,
               "pcc: always the likeliest token that the mask admits; nothing is taken back or rewritten")
      ->group("Method");
  app.add_flag("--allow-refuse", options.allow_refuse, "pcc: the model may refuse of its own accord")->group("Method");
  add_number(app, "--retries", options.retries, 0, "retry: attempts after the first (default: 3)")->group("Method");
  add_number(app, "--itergen-iterations", options.iterations, 1, "itergen: names to stop at (default: 20)")
      ->group("Method");
  add_share(app, "--itergen-penalty", options.penalty, Share::Above0, "itergen: recurrence penalty (default: 0.7)")
      ->group("Method");
  app.add_flag("--itergen-names-only", options.names_only, "itergen: check only whether names exist")->group("Method");
  add_number(app, "--values", options.values, 0, "example values beside each Public column of the prompt (default: 0)")
      ->group("Method");
  add_number(app, "--schema-tokens", options.schema_tokens, 1,
             "tokens that the schema may take; of a larger one the part that the question is about (default: 4000)")
      ->group("Method");
  add_text(app, "--prompts", options.prompts, "DIR", "templates to use instead of the program's own")->group("Method");
}

DecodeSettings decode_settings(const MethodOptions& options) {
  DecodeSettings settings;
  settings.max_tokens = options.max_tokens.value_or(settings.max_tokens);
  settings.memory = Memory(memory_bytes(options.memory_mb));
  settings.schema_tokens = options.schema_tokens.value_or(settings.schema_tokens);
  settings.retries = options.retries.value_or(settings.retries);
  settings.blocked = options.blocked;
  settings.allow_refuse = options.allow_refuse;
  settings.mask_alone = options.mask_alone;
  settings.itergen_iterations = options.iterations.value_or(settings.itergen_iterations);
  settings.itergen_names_only = options.names_only;
  if (options.penalty) settings.recurrence_penalty = static_cast<float>(*options.penalty);
  return settings;
}

Result<OpenedModel> open_model(const ModelOptions& options, const OpenAs& as) {
  if (options.model && is_url(*options.model)) {
    if (options.adapter) return Error{"an endpoint has its own weights; `--adapter` goes with a model on this machine", "", {}};
    return open_endpoint(options);
  }
  if (options.model_name) return Error{"`--model-name` goes with the address of an endpoint in `--model`", {}, {}};
  auto adapter = adapter_file(options);
  if (!adapter) return adapter.error();
  const auto file = model_file(options);
  if (!file) return file.error();
  LlamaOptions llama;
  llama.threads = narrowed(options.threads.value_or(0));
  llama.context = narrowed(options.context.value_or(0));
  if (options.gpu_layers) llama.gpu_layers = narrowed(*options.gpu_layers);
  llama.adapter = *std::move(adapter);
  llama.sequences = as.sequences;
  llama.keep_prefixes = as.keep_prefixes;
  auto model = load_llama_model(*file, llama);
  if (!model) return model.error();
  OpenedModel opened;
  opened.model = std::move(*model);
  opened.label = opened.model->name();
  opened.file = *file;
  return opened;
}

Result<std::unique_ptr<Decoder>> open_decoder(OpenedModel& opened, Method method, const DecodeSettings& settings) {
  if (opened.model) return make_decoder(method, *opened.model, settings);
  return make_decoder(method, *opened.chat, settings);
}

}  // namespace pccsql
