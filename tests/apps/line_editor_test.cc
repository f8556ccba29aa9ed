// The line editor, key by key, through a terminal.
#include "apps/line_editor.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/file.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

using End = LineEditor::End;

// A process that reads lines and says what it got: "<line>", "<INTERRUPTED>", "<END>".
class Typist {
 public:
  explicit Typist(const std::string& history, unsigned short columns = 80) {
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    child_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ == 0) {
      setenv("TERM", "xterm", 1);
      setenv("LC_ALL", "C.UTF-8", 1);
      LineEditor editor(history, [](std::string_view before, std::string_view word) {
        std::vector<std::string> words;
        for (const char* known : {"employee", "employee_id", "department", ".tables"}) {
          const bool command = known[0] == '.';
          if (std::string_view(known).starts_with(word) && command == before.empty() && !word.empty()) words.emplace_back(known);
        }
        return words;
      });
      for (std::string line;;) {
        const End end = editor.read("? ", line);
        std::printf("<%s>\n", end == End::Line ? line.c_str() : end == End::Interrupted ? "INTERRUPTED" : "END");
        std::fflush(stdout);
        if (end == End::EndOfInput) _exit(0);
      }
    }
    wait_for("? ");
  }
  ~Typist() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    close(terminal_);
  }
  Typist(const Typist&) = delete;
  Typist& operator=(const Typist&) = delete;

  // Types the keys; the text between `<` and `>` that comes next.
  std::string type(std::string_view keys) {
    seen_.clear();
    wait_until_keys_are_taken();
    send(keys);
    wait_for(">");
    const size_t close = seen_.rfind('>');
    const size_t open = seen_.rfind('<', close);
    return open == std::string::npos ? "nothing came: " + seen_ : seen_.substr(open + 1, close - open - 1);
  }
  void send(std::string_view keys) { EXPECT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size())); }
  // Before that the terminal itself edits what is typed, byte by byte.
  void wait_until_keys_are_taken() const {
    termios state{};
    for (int i = 0; i < 2000 && (tcgetattr(terminal_, &state) != 0 || (state.c_lflag & ICANON) != 0); ++i) usleep(5000);
    usleep(20000);
  }
  bool wait_for(std::string_view text) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (seen_.find(text) == std::string::npos) {
      pollfd ready{terminal_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > until || poll(&ready, 1, 1000) < 0) return false;
      char buffer[4096];
      if (ready.revents == 0) continue;
      const ssize_t got = read(terminal_, buffer, sizeof buffer);
      if (got <= 0) return false;
      seen_.append(buffer, static_cast<size_t>(got));
    }
    return true;
  }
  const std::string& seen() const { return seen_; }
  void resize(unsigned short columns) {
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(terminal_, TIOCSWINSZ, &size);
  }

 private:
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string seen_;
};

TEST(LineEditor, TextIsTypedAndMended) {
  Typist typist("");
  EXPECT_EQ(typist.type("Whö\x7f\x7fhy?\r"), "Why?");
  EXPECT_EQ(typist.type("Wy\033[Dh\r"), "Why");
  EXPECT_EQ(typist.type("hy\001W\005?\r"), "Why?");
  EXPECT_EQ(typist.type("xWhy\001\033[3~\r"), "Why");
  EXPECT_EQ(typist.type("Why not\033[D\033[D\033[D\033[D\013\r"), "Why");
  EXPECT_EQ(typist.type("all gone\025Why\r"), "Why");
  EXPECT_EQ(typist.type("ä€x\033[D\033[D\033[Dy\r"), "yä€x");
}

TEST(LineEditor, ItMovesByWords) {
  Typist typist("");
  EXPECT_EQ(typist.type("who what\033[1;5D\033[1;5Dnow \r"), "now who what");
  EXPECT_EQ(typist.type("who what\001\033[1;5C and\r"), "who and what");
  EXPECT_EQ(typist.type("who what\027there\r"), "who there");
}

TEST(LineEditor, LinesEndAreThrownAwayAndInputEnds) {
  Typist typist("");
  EXPECT_EQ(typist.type("a\003"), "INTERRUPTED");
  EXPECT_EQ(typist.type("b\r"), "b");
  EXPECT_EQ(typist.type("\r"), "");
  EXPECT_EQ(typist.type("\004"), "END");
}

TEST(LineEditor, HistoryIsWalkedThroughSearchedAndLasts) {
  const Scratch scratch;
  const std::string file = scratch.path("state/history");
  {
    Typist typist(file);
    EXPECT_EQ(typist.type("first question\r"), "first question");
    EXPECT_EQ(typist.type("second\r"), "second");
    EXPECT_EQ(typist.type("\033[A\033[A\r"), "first question");
    EXPECT_EQ(typist.type("new\033[A\033[B\r"), "new");
  }
  Typist typist(file);
  EXPECT_EQ(typist.type("\033[A\r"), "new");
  EXPECT_EQ(typist.type("\022quest\r"), "first question");
  struct stat state {};
  ASSERT_EQ(stat(file.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 077, 0U) << "nobody else's business";
}

TEST(LineEditor, WhatIsPastedIsOneQuestion) {
  Typist typist("");
  EXPECT_EQ(typist.type("\033[200~Who is\r\nthe\n\noldest\033[31m?\r\n\033[201~\r"), "Who is the oldest [31m?");
  EXPECT_EQ(typist.type("[\033[200~ä\033[201~]\r"), "[ä]");
}

TEST(LineEditor, NamesAreCompleted) {
  Typist typist("");
  EXPECT_EQ(typist.type("list dep\t!\r"), "list department !");
  EXPECT_EQ(typist.type("list empl\t_\t\r"), "list employee_id ");
  EXPECT_EQ(typist.type(".t\t\r"), ".tables ");
  EXPECT_EQ(typist.type("x\t\r"), "x");
  typist.send("list employee\t");
  EXPECT_TRUE(typist.wait_for("employee_id")) << typist.seen();
}

TEST(LineEditor, LinesMayBeWiderThanTheWindowWhichMayChange) {
  Typist typist("", 20);
  const std::string wide = "What are the names of all employees of the department in Rome?";
  EXPECT_EQ(typist.type(wide + "\001!\r"), "!" + wide);
  typist.send(wide);
  typist.resize(40);
  EXPECT_EQ(typist.type("\r"), wide);
}

}  // namespace
}  // namespace pccsql
