// The program that runs queries for a runner (exec/worker.h). It is started by the runner and by nobody else: what it
// shall do comes through its standard input, a socket, and goes back there.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "exec/channel.h"
#include "exec/session.h"
#include "exec/wire.h"

namespace pccsql {
namespace {

void limit(int what, rlim_t most) {
  rlimit now{};
  if (getrlimit(what, &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_max, most);  // the other limit stays, so that another database can have another one
  setrlimit(what, &now);
}

// A last resort behind SQLite's own limit: its share, the rows', both once more while they are sorted and sent, and
// room for the program. Sanitizers reserve far more than they use.
void limit_memory([[maybe_unused]] size_t memory) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PCCSQL_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PCCSQL_SANITIZED
#endif
#ifndef PCCSQL_SANITIZED
  constexpr rlim_t kProgram = rlim_t{512} << 20;
  limit(RLIMIT_AS, 4 * static_cast<rlim_t>(memory) + kProgram);
#endif
}

// False: nobody listens, or what was asked makes no sense.
bool answer_open(const Channel& channel, std::string_view request, std::unique_ptr<Session>& session) {
  session.reset();
  SessionSpec spec;
  if (!unpack(request, spec)) return false;
  limit_memory(spec.limits.memory);
  auto opened = Session::open(std::move(spec));
  OpenReply reply;
  if (opened) {
    session = std::move(*opened);
    reply.stamp = session->stamp();
  } else {
    reply.error = opened.error();
  }
  return channel.send(packed(reply)) == Heard::All;
}

bool answer_run(const Channel& channel, std::string_view request, Session& session) {
  RunRequest asked;
  if (!unpack(request, asked)) return false;
  RowSet rows;
  const RunReply reply = session.run(asked, rows);
  Heard heard = channel.send(packed(reply));
  for (size_t sent = 0; heard == Heard::All && reply.kind == RunReply::Kind::Rows && sent < rows.rows.size();) {
    heard = channel.send(packed_rows(rows.rows, sent));
  }
  return heard == Heard::All;
}

int serve() {
  limit(RLIMIT_CORE, 0);  // what is in memory is not for a file
  const Channel channel(STDIN_FILENO);
  // Whoever asked may go away in the middle of a query that nothing stops.
  std::thread([&channel] {
    channel.wait_until_closed();
    _exit(0);
  }).detach();

  std::unique_ptr<Session> session;
  std::string message;
  bool asked = false;
  while (channel.receive(message) == Heard::All && !message.empty()) {
    asked = true;
    const std::string_view request = std::string_view(message).substr(1);
    if (message[0] == kOpenRequest) {
      if (!answer_open(channel, request, session)) return 2;
    } else if (message[0] != kRunRequest || !session || !answer_run(channel, request, *session)) {
      return 2;
    }
  }
  if (!asked) std::fputs("pccsql-query runs queries for pccsql, which starts it; it does nothing by hand\n", stderr);
  return asked ? 0 : 2;
}

}  // namespace
}  // namespace pccsql

int main() { _exit(pccsql::serve()); }
