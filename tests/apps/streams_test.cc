// Pipes and terminals: answers come while the input is still open, a reader that leaves is no trouble, a full disk is
// said, colours are for terminals.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/program.h"

namespace pccsql {
namespace {

// A shell command with the program as $1, the database as $2 and the policy as $3.
Ran shell(const std::string& script, std::string_view input = {}) {
  return run_command({"/bin/bash", "-c", script, "bash", PCCSQL_PROGRAM, shop().db, shop().policy}, input);
}

TEST(Streams, AReaderThatLeavesIsNoTrouble) {
  std::string input;
  for (int i = 0; i < 20'000; ++i) input += "{\"sql\": \"SELECT name FROM item\"}\n";
  for (const char* guard : {"", "trap '' PIPE; "}) {
    const Ran ran = shell(std::string(guard) + "\"$1\" check --db \"$2\" --policy \"$3\" --jsonl - | head -n 1", input);
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.err, "");
    EXPECT_EQ(lines_of(ran.out).size(), 1u);
  }
}

TEST(Streams, AFullDiskIsAnError) {
  const Ran ran = shell("\"$1\" check --db \"$2\" --policy \"$3\" 'SELECT name FROM item' > /dev/full");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.err.starts_with("pccsql: standard output")) << ran.err;
}

TEST(Streams, EachLineIsAnsweredWhileTheInputIsOpen) {
  int to[2];
  int from[2];
  ASSERT_EQ(pipe(to), 0);
  ASSERT_EQ(pipe(from), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    for (const int fd : {to[0], to[1], from[0], from[1]}) close(fd);
    execl(PCCSQL_PROGRAM, PCCSQL_PROGRAM, "check", "--db", shop().db.c_str(), "--policy", shop().policy.c_str(),
          "--jsonl", "-", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  for (int i = 0; i < 3; ++i) {
    const std::string line = "{\"id\": " + std::to_string(i) + ", \"sql\": \"SELECT name FROM item\"}\n";
    ASSERT_EQ(write(to[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
    pollfd waiting{from[0], POLLIN, 0};
    ASSERT_EQ(poll(&waiting, 1, 20'000), 1) << "no answer to line " << i;
    char buffer[4096];
    const ssize_t got = read(from[0], buffer, sizeof buffer);
    ASSERT_GT(got, 0);
    const std::string answer(buffer, static_cast<size_t>(got));
    EXPECT_TRUE(answer.starts_with("{\"id\":" + std::to_string(i) + ",\"verdict\":\"safe\"")) << answer;
    EXPECT_TRUE(answer.ends_with("}\n"));
  }
  close(to[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  close(from[0]);
}

// What the program prints on a terminal.
std::string on_terminal(const char* no_color) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    no_color == nullptr ? unsetenv("NO_COLOR") : setenv("NO_COLOR", no_color, 1);
    execl(PCCSQL_PROGRAM, PCCSQL_PROGRAM, "check", "--db", shop().db.c_str(), "--policy", shop().policy.c_str(),
          "SELECT cost FROM item", static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string out;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<size_t>(got));
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  return out;
}

TEST(Streams, ColoursAreForTerminalsUnlessForbidden) {
  EXPECT_NE(on_terminal(nullptr).find("\033[31m^^^^\033[0m"), std::string::npos);
  EXPECT_NE(on_terminal("").find("\033[31m"), std::string::npos);
  EXPECT_EQ(on_terminal("1").find('\033'), std::string::npos);
  EXPECT_NE(on_terminal("1").find("^^^^"), std::string::npos);
}

}  // namespace
}  // namespace pccsql
