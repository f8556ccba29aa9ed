// JSON lines in: one request a line, read as they come.
//
// A line that cannot be understood is a request with an `error`, never the end of the run: what goes out has one line
// for each line that came in.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pccsql {

struct Request {
  std::string id = "null";  // as JSON, byte for byte as it came
  std::string sql;
  std::optional<std::string> db_id;
  std::optional<std::string> policy;  // text for parse_policy_yaml
  std::string error;                  // what is wrong with the line; empty: nothing
};

// `{"id": any, "sql": "…", "db_id": "…", "policy": {…} or "…"}`; other keys are let be, a null is as good as absent,
// and a byte-order mark is passed over. A key that stands twice in one object is an error: which of the two was meant
// cannot be known.
Request parse_request(std::string_view line);

// Lines of a file, or of standard input ("-"), without their ends.
class LineReader {
 public:
  static Result<LineReader> open(const std::string& path);
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;
  ~LineReader();

  // Called each time before more input is awaited: the moment to hand out what is finished.
  void before_wait(std::function<void()> action) { before_wait_ = std::move(action); }

  // False at the end. The view is good until the next call.
  bool next(std::string_view& line);

  // Set when reading failed half-way.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  LineReader(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  bool fill();

  int descriptor_;
  std::string path_;
  std::string buffer_;
  size_t begin_ = 0;     // of the text that is not handed out yet
  size_t searched_ = 0;  // up to here the text from begin_ on has no line end
  bool ended_ = false;
  std::function<void()> before_wait_;
  std::optional<Error> failure_;
};

}  // namespace pccsql
