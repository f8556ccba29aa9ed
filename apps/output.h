// Output: standard output, gathered and handed out in large pieces, with failures remembered; and the one way to say
// that the program cannot do what it was asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pccsql {

// The exit statuses that scripts rely on.
inline constexpr int kExitFine = 0;     // all queries are safe, no warnings
inline constexpr int kExitNotFine = 1;  // some query is not, or there are warnings
inline constexpr int kExitUsage = 2;    // a usage or file error
inline constexpr int kExitInPart = 3;   // an answer that leaves out or aggregates what was asked for

// `pccsql: message` on standard error, and the hint on a line of its own. Gives kExitUsage.
int fail(std::string_view message, std::string_view hint = {});
int fail(const Error& error);

class Output {
 public:
  ~Output() { flush(); }

  void write(std::string_view text);
  void flush();

  // False once writing has failed; then nothing more is written. A reader that went away is not worth a message.
  bool ok() const { return !closed_ && !failure_; }

  // Writes out what is left. `status`, unless writing failed: then that is said, and the status is kExitUsage.
  int finish(int status);

 private:
  std::string buffer_;
  bool closed_ = false;
  std::optional<Error> failure_;
};

}  // namespace pccsql
