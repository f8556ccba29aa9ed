// Queries that SQLite cannot be talked out of: each is over soon after its time, and at once when it is no longer
// wanted, and nothing is left of the process that ran it.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "exec/run_world.h"

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kAllPublic = "version: 1\ndefault: Public\n";
constexpr const char* kNumbers =
    "CREATE TABLE number (n INTEGER); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) "
    "INSERT INTO number SELECT n FROM c;";
// One instruction of SQLite's machine, and hours of work.
constexpr const char* kEndless = "SELECT instr(printf('%20000000c', ' '), printf('%10000000c', 'b'))";

milliseconds since(Clock::time_point begun) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - begun);
}

// Processes that this one has started and not waited for, running or dead.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "stat");
    std::string text;
    std::getline(in, text);
    const size_t after_name = text.rfind(')');
    char state = 0;
    int parent = 0;
    if (after_name != std::string::npos && std::sscanf(text.c_str() + after_name + 1, " %c %d", &state, &parent) == 2 &&
        parent == getpid()) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

class HangTest : public testing::Test {
 protected:
  Scratch scratch_;
  std::string path_ = scratch_.database("x.sqlite", kNumbers);
};

TEST_F(HangTest, EveryQueryIsOverASecondAfterItsTime) {
  constexpr milliseconds kLimit(300);
  Runner db = open_runner(path_, kAllPublic, {.time = kLimit});
  size_t stopped = 0;
  for (const char* sql : {
           kEndless,
           "SELECT instr(replace(printf('%20000000c', ' '), ' ', 'ab'), printf('%10000000c', 'b') || 'x')",
           "SELECT COUNT(*) FROM number a, number b, number c, number d",
           "SELECT COUNT(*) FROM number a, number b WHERE printf('%100000d', a.n) LIKE '%' || b.n || '%1%2%3%4%5%6%7%8'",
           "SELECT printf('%1000000c', 'a') LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b'",
           "SELECT printf('%1000000c', 'a') GLOB '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b'",
           "SELECT replace(hex(printf('%60000000c', 'a')), '61', 'a' || printf('%10c', 'b'))",
           "SELECT length(replace(replace(printf('%9000c', 'a'), 'a', printf('%9000c', 'a')), 'a', 'bb'))",
           "SELECT json_extract('[' || replace(printf('%20000000c', '1'), ' ', '1,') || '1]', '$[9999999]')",
           "SELECT json_valid(printf('%.*c', 900000, '[') || printf('%.*c', 900000, ']'))",
           "SELECT group_concat(printf('%100000d', a.n)) FROM number a, number b",
           "SELECT printf('%90000d', a.n) AS x FROM number a, number b ORDER BY 1",
           "SELECT DISTINCT a.n * b.n * c.n FROM number a, number b, number c",
           "SELECT a.n FROM number a, number b GROUP BY a.n * 2000 + b.n ORDER BY COUNT(*)",
           "SELECT SUM(length(strftime('%Y-%m-%d %H:%M:%f %j %s %w', a.n * b.n))) FROM number a, number b, number c",
           "SELECT substr(printf('%200000000c', 'x'), 1, 1) FROM number a, number b",
           "SELECT trim(printf('%20000000c', ' '), printf('%5000000c', 'x')) || 'x'",
           "SELECT rtrim(printf('%30000000c', 'y'), printf('%10000000c', 'x') || 'z')",
           "SELECT upper(printf('%100000000c', 'a')) FROM number",
           "SELECT SUM(round(a.n / 3.0, 5)) OVER (ORDER BY b.n) FROM number a, number b",
           "SELECT COUNT(*) FROM (SELECT n FROM number UNION SELECT a.n + b.n * 9999 FROM number a, number b)",
       }) {
    const auto begun = Clock::now();
    const auto rows = db.run(sql);
    EXPECT_LT(since(begun), kLimit + milliseconds(1000)) << sql;
    if (!rows) {
      EXPECT_EQ(rows.error().message.substr(0, 22), "the query is over the ") << sql << "\n" << rows.error().message;
      ++stopped;
    }
  }
  EXPECT_GE(stopped, 10U);
  EXPECT_EQ(column_of(db, "SELECT COUNT(*) FROM number"), "2000");
}

TEST_F(HangTest, AFlagEndsAnyQueryWithinASecond) {
  Runner db = open_runner(path_, kAllPublic, {.time = std::chrono::minutes(10)});
  for (int i = 0; i < 3; ++i) {
    std::atomic<bool> stop = false;
    Clock::time_point stopped;
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(150));
      stopped = Clock::now();
      stop = true;
    });
    EXPECT_EQ(message_of(db, kEndless, &stop), "the query was stopped");
    const auto ended = Clock::now();
    other.join();
    EXPECT_LT(ended - stopped, std::chrono::seconds(1));
  }
  EXPECT_EQ(column_of(db, "SELECT COUNT(*) FROM number"), "2000");
}

TEST_F(HangTest, WhoIsStoppedBeforeItBeginsDoesNotRun) {
  Runner db = open_runner(path_, kAllPublic);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(message_of(db, kEndless, &stop), "the query was stopped");
}

TEST_F(HangTest, NothingIsLeftOfAProcess) {
  ASSERT_EQ(children().size(), 0U);
  {
    Runner db = open_runner(path_, kAllPublic, {.time = milliseconds(50)});
    EXPECT_EQ(children().size(), 1U);
    EXPECT_EQ(message_of(db, kEndless), "the query is over the time limit of 50 ms");
    EXPECT_EQ(children().size(), 0U);
    EXPECT_EQ(column_of(db, "SELECT COUNT(*) FROM number"), "2000");
    EXPECT_EQ(children().size(), 1U);
  }
  EXPECT_EQ(children().size(), 0U);
}

TEST_F(HangTest, ManyRunnersShareAFewProcesses) {
  std::vector<Runner> runners;
  for (int i = 0; i < 40; ++i) runners.push_back(open_runner(path_, kAllPublic));
  EXPECT_LE(children().size(), 16U);
  for (Runner& db : runners) EXPECT_EQ(column_of(db, "SELECT COUNT(*) FROM number"), "2000");
  EXPECT_LE(children().size(), 16U);
}

TEST_F(HangTest, AProcessThatSomebodyKilledIsReplaced) {
  Runner db = open_runner(path_, kAllPublic);
  for (const pid_t child : children()) kill(child, SIGKILL);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(column_of(db, "SELECT COUNT(*) FROM number"), "2000");
}

// The process of a caller that is gone ends by itself, though its query does not.
TEST_F(HangTest, AProcessDoesNotOutliveItsCaller) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t caller = fork();
  ASSERT_GE(caller, 0);
  if (caller == 0) {
    Runner db = open_runner(path_, kAllPublic, {.time = std::chrono::minutes(10)});
    std::thread([&] {
      std::this_thread::sleep_for(milliseconds(200));
      kill(getpid(), SIGKILL);
    }).detach();
    message_of(db, kEndless);
    _exit(0);
  }
  // The caller's process inherits the writing end: reading ends when all of them are gone.
  close(pipe_ends[1]);
  const auto begun = Clock::now();
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0);
  close(pipe_ends[0]);
  EXPECT_LT(since(begun), std::chrono::seconds(20));
  int status = 0;
  waitpid(caller, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_F(HangTest, RunnersOfSeveralThreadsAreStoppedEachByItself) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Runner db = open_runner(path_, kAllPublic, {.time = milliseconds(200)});
      for (int round = 0; round < 3; ++round) {
        const auto begun = Clock::now();
        if ((i + round) % 2 == 0) {
          EXPECT_EQ(message_of(db, kEndless), "the query is over the time limit of 200 ms");
        } else {
          EXPECT_EQ(column_of(db, "SELECT MAX(n) FROM number"), "2000");
        }
        EXPECT_LT(since(begun), milliseconds(1700));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace pccsql
