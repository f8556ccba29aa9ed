// LlamaModel in a build without llama.cpp: says so, and how to get it.
#include "model/llama/llama_model.h"

namespace pccsql {

Result<std::unique_ptr<Model>> load_llama_model(const std::string& path, const LlamaOptions&) {
  return Error{
      "cannot be loaded: pccsql was built without llama.cpp; run scripts/llama.sh, then build again", path, {}};
}

}  // namespace pccsql
