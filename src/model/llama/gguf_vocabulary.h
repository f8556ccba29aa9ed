// From a GGUF file to the vocabulary that masks are made for.
#pragma once

#include <string>

#include "base/result.h"
#include "mask/vocabulary.h"
#include "model/llama/llama_vocabulary.h"

namespace pccsql {

// Text that was added by hand (UserDefined) is text. Control and unknown tokens are Special, under their name.
// The end-of-text ids are all those at which llama.cpp ends a generation.
Result<Vocabulary> mask_vocabulary(const LlamaVocabulary& llama);

Result<Vocabulary> read_gguf_vocabulary(const std::string& path);

}  // namespace pccsql
