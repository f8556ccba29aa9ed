// Looks over the metadata of a GGUF file before llama.cpp does.
//
// llama.cpp returns an error for most broken files but ends the process on some (two ids with the same text, for one),
// and a library must not. So what it takes for granted is checked here, and said in words: every key and value lies
// within the file, and the vocabulary is a list of distinct texts of a kind that is known.
#pragma once

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace pccsql {

Result<Done> check_gguf_vocabulary(const std::string& path);
// The same of an adapter, which has no vocabulary. That it fits a model only llama.cpp can say.
Result<Done> check_gguf_adapter(const std::string& path);

}  // namespace pccsql
