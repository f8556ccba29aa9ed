// llama.cpp tells what went wrong only through its log. Here the log is silenced for the whole process, and what it
// says at level error while a thread waits for an answer becomes part of that thread's Error.
#pragma once

#include <string>

namespace pccsql {

// Lives around one call into llama.cpp; errors logged by this thread meanwhile are kept. One per thread at a time.
class LlamaErrors {
 public:
  LlamaErrors();
  ~LlamaErrors();
  LlamaErrors(const LlamaErrors&) = delete;
  LlamaErrors& operator=(const LlamaErrors&) = delete;

  // The first that was said, which is the cause of the others: one line, without the name of the function that said it.
  std::string first() const;
};

}  // namespace pccsql
