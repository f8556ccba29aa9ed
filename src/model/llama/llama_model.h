// A GGUF model, run by llama.cpp on this machine: the Model that generations are made with.
//
// Evaluation is cut at the border of a prompt's shared part, whether the state of that part is at hand, comes from the
// store or has to be worked out: so the same prompt gives the same logits, bit for bit, in all three cases. (Only as
// long as sequences are evaluated one at a time. In a batch of several, sums are formed in another order.)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/model.h"
#include "model/prefix_store.h"

namespace pccsql {

struct LlamaOptions {
  uint32_t threads = 0;                // 0: one for each core this process may use
  uint32_t context = 0;                // tokens a sequence can hold; 0: 8192, or less where the model cannot do more
  uint32_t sequences = 1;              // that can live at once
  std::optional<uint32_t> gpu_layers;  // none: all that fit, where there is a GPU and llama.cpp was built for it
  // Weights in the order in which the CPU multiplies them fastest: a tenth more tokens a second, for twice the time to
  // load and a copy of the weights of one's own instead of the file's pages.
  bool repack = false;
  std::string adapter;  // a GGUF file of low-rank changes to the weights; empty: none
  std::string chat_template;  // the name of one that llama.cpp knows; empty: the model's own
  bool keep_prefixes = true;  // in the store
  std::string prefix_folder;  // empty: in the cache folder
  uint64_t prefix_limit = PrefixStore::kUsualLimit;
};

// A file that is missing, no GGUF, broken off, an adapter for another model or no text generator, a context or a number of sequences that memory or
// the model do not allow: an Error.
Result<std::unique_ptr<Model>> load_llama_model(const std::string& path, const LlamaOptions& options = {});

}  // namespace pccsql
