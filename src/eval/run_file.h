// RunWriter: the file of a run while it is written. One writer at a time; every line goes out whole.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "eval/record.h"

namespace pccsql {

class RunWriter {
 public:
  // Makes the file, or opens the one that is there: what was cut off at its end is removed. An Error where that is
  // another run than `header` says (it tells what differs), no run, or is being written by somebody else. `ids`: of the
  // run's questions, in order; those in the file must be the first of them.
  static Result<RunWriter> open(const std::string& path, const RunHeader& header, const std::vector<std::string>& ids);
  RunWriter(RunWriter&& other) noexcept;
  RunWriter& operator=(RunWriter&&) = delete;
  ~RunWriter();

  size_t questions() const { return questions_; }  // in the file

  // The prompt's line comes first, if no line has told it yet.
  Result<Done> add(const PromptRecord& prompt, const QuestionRecord& question);

 private:
  RunWriter(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  Result<Done> write(std::string_view line);
  Error failure(const std::string& what) const;

  int descriptor_;
  std::string path_;
  size_t questions_ = 0;
  std::set<std::string> prompts_;  // that the file tells
};

}  // namespace pccsql
