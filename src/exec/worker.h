// Worker: a process that runs queries, so that any of them can be ended.
//
// SQLite looks at the clock between its instructions, but one instruction can take minutes: instr() of two long texts
// is one. Nothing within the process can stop it. So queries run in a program of their own (worker_main.cc), and who is
// too late, or no longer wanted, is killed with it. The program is a small one: it starts in a few milliseconds
// whatever the caller has loaded. It ends by itself when its caller does.
#pragma once

#include <memory>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "exec/channel.h"
#include "exec/wire.h"

namespace pccsql {

class Worker {
 public:
  static Result<std::unique_ptr<Worker>> start();
  ~Worker();  // killed, and waited for
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Opens a database in it, in place of the one before; the stamp is its schema's.
  Result<SchemaStamp> open(const SessionSpec& spec, const std::atomic<bool>* cancel = nullptr);

  // False: it is gone, killed by somebody else for instance, and another one must be started.
  bool alive() const { return !channel_.closed(); }

  struct Outcome {
    RunReply reply;
    RowSet rows;
    bool usable = true;  // false: it had to be killed, or is gone
  };
  // PRE: a database was opened.
  Outcome run(const RunRequest& request, const RunLimits& limits, const std::atomic<bool>* cancel);

 private:
  Worker(pid_t process, Channel channel) : process_(process), channel_(std::move(channel)) {}
  // Ends the process; how it ended, in words.
  std::string end();

  pid_t process_;
  Channel channel_;
};

// What a query that the caller did not want any more is told.
inline constexpr std::string_view kStopped = "the query was stopped";

}  // namespace pccsql
