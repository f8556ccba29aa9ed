#include "model/llama/llama_log.h"

#include <llama.h>

#include <mutex>

namespace pccsql {
namespace {

thread_local bool listening = false;
thread_local std::string heard;

void on_log(ggml_log_level level, const char* text, void*) {
  if (level == GGML_LOG_LEVEL_ERROR && listening && heard.size() < 4096) heard += text;
}

}  // namespace

LlamaErrors::LlamaErrors() {
  static std::once_flag once;
  std::call_once(once, [] { llama_log_set(on_log, nullptr); });
  heard.clear();
  listening = true;
}

LlamaErrors::~LlamaErrors() { listening = false; }

std::string LlamaErrors::first() const {
  std::string line = heard.substr(0, heard.find('\n'));
  // "llama_model_load: error loading model: error loading model vocabulary: unknown pre-tokenizer type: 'x'"
  const auto opens_with_place = [&] {
    const size_t colon = line.find(": ");
    return colon != std::string::npos && (line.find(' ') > colon || line.starts_with("error loading model"));
  };
  while (opens_with_place()) line.erase(0, line.find(": ") + 2);
  return line.empty() ? "llama.cpp gave no reason" : line;
}

}  // namespace pccsql
