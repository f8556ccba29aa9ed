#include "exec/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/own_files.h"
#include "exec/session.h"

extern char** environ;

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;

// What a query that is interrupted at SQLite's own pace needs to say so; who takes longer is killed.
constexpr std::chrono::milliseconds kGrace(500);
// Programs start slowly where the machine is busy, or under a sanitizer.
constexpr std::chrono::seconds kStart(60);

// Where an installation has it, or a build: the programs of a build lie in folders beside `src`.
std::string worker_program() {
  return own_file({"../libexec/pccsql/pccsql-query", "pccsql-query", "../src/exec/pccsql-query", "../exec/pccsql-query"});
}

// The two ends; neither is passed on to programs that are started.
bool make_pair(Channel& ours, int& theirs) {
  int ends[2];
#ifdef SOCK_CLOEXEC
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
#else
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  ours = Channel(ends[0]);
  theirs = ends[1];
  return true;
}

// Its standard input is the channel; it writes nothing but what a sanitizer has to say. Ctrl-C in a terminal goes to all
// programs there: what it means for a query is the caller's to decide.
int spawn(const std::string& program, int channel, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGTSTP);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string name = program;
  char* arguments[] = {name.data(), nullptr};
  const int failed = ::posix_spawn(&process, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

RunReply failed(std::string message) {
  RunReply reply;
  reply.message = std::move(message);
  return reply;
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::start() {
  const std::string program = worker_program();
  Channel ours;
  int theirs = -1;
  if (!make_pair(ours, theirs)) {
    return Error{std::string("no query can be run: ") + std::strerror(errno), {}, {}};
  }
  pid_t process = -1;
  const int wrong = spawn(program, theirs, process);
  ::close(theirs);
  if (wrong != 0) {
    return Error{std::string("the program that runs queries cannot be started: ") + std::strerror(wrong), program, {}};
  }
  return std::unique_ptr<Worker>(new Worker(process, std::move(ours)));
}

Result<SchemaStamp> Worker::open(const SessionSpec& spec, const std::atomic<bool>* cancel) {
  const Patience patience{Clock::now() + kStart, cancel};
  std::string message;
  OpenReply reply;
  Heard heard = channel_.send(kOpenRequest + packed(spec), patience);
  if (heard == Heard::All) heard = channel_.receive(message, patience);
  if (heard == Heard::Cancelled) return Error{std::string(kStopped), {}, {}};
  if (heard != Heard::All || !unpack(message, reply)) {
    return Error{"the program that runs queries does not work: " + end(), worker_program(), {}};
  }
  if (reply.error) return *reply.error;
  return reply.stamp;
}

Worker::~Worker() { end(); }

std::string Worker::end() {
  if (process_ < 0) return "it was ended";
  const bool gone_already = channel_.closed();
  if (!gone_already) ::kill(process_, SIGKILL);
  int status = 0;
  pid_t waited = -1;
  while ((waited = ::waitpid(process_, &status, 0)) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (!gone_already || waited < 0) return "it was ended";
  if (WIFSIGNALED(status)) return std::string("it was ended by a signal: ") + ::strsignal(WTERMSIG(status));
  return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

Worker::Outcome Worker::run(const RunRequest& request, const RunLimits& limits, const std::atomic<bool>* cancel) {
  Outcome outcome;
  const auto begun = Clock::now();
  const bool bounded = limits.time < std::chrono::hours(24 * 365);
  const Patience patience{bounded ? begun + limits.time + kGrace : Clock::time_point::max(), cancel};
  const auto give_up = [&](Heard heard) {
    outcome.usable = false;
    outcome.rows = {};
    const std::string how = end();
    if (heard == Heard::Cancelled) {
      outcome.reply = failed(std::string(kStopped));
    } else if (heard == Heard::Late) {
      outcome.reply = failed(over_time(limits).message);
    } else {
      outcome.reply = failed("the query ended the program that ran it: " + how);
    }
    return std::move(outcome);
  };
  std::string message = kRunRequest + packed(request);
  if (const Heard heard = channel_.send(message, patience); heard != Heard::All) return give_up(heard);
  if (const Heard heard = channel_.receive(message, patience); heard != Heard::All) return give_up(heard);
  if (!unpack(message, outcome.reply)) return give_up(Heard::Closed);
  if (outcome.reply.kind != RunReply::Kind::Rows) return outcome;
  outcome.rows.columns = std::move(outcome.reply.columns);
  outcome.rows.took = std::chrono::nanoseconds(outcome.reply.took_ns);
  while (outcome.rows.rows.size() < outcome.reply.rows) {
    if (const Heard heard = channel_.receive(message, patience); heard != Heard::All) return give_up(heard);
    if (!unpack_rows(message, outcome.rows.columns.size(), outcome.rows.rows)) return give_up(Heard::Closed);
  }
  return outcome;
}

}  // namespace pccsql
