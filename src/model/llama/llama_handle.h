// A GGUF file opened by llama.cpp, for the .cc files of this folder: what every user of it has to look out for is here.
#pragma once

#include <llama.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "model/llama/llama_vocabulary.h"

namespace pccsql {

using LlamaHandle = std::shared_ptr<llama_model>;

// Checks the file first, and catches what llama.cpp throws.
Result<LlamaHandle> open_gguf(const std::string& path, const llama_model_params& params);

// PRE: the model has a vocabulary, as every one from open_gguf() has. The vocabulary keeps the model loaded.
Result<LlamaVocabulary> vocabulary_of(LlamaHandle model, const std::string& path);

}  // namespace pccsql
