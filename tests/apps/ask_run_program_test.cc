// `pccsql ask` and `pccsql eval run` with an endpoint that writes what this test wants: queries that do not end, Ctrl-C,
// a schema that changes between questions.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "apps/endpoint.h"
#include "apps/program.h"
#include "base/file.h"

extern char** environ;

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kEndless = "SELECT instr(printf('%20000000c', ' '), printf('%10000000c', 'b'))";

// The program, running; its standard output and error in files.
class Running {
 public:
  Running(const std::vector<std::string>& arguments, const Scratch& scratch)
      : out_(scratch.file("out", "")), err_(scratch.file("err", "")) {
    int input[2] = {-1, -1};
    if (pipe2(input, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    input_ = input[1];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_.c_str(), O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_.c_str(), O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<std::string> all = joined({PCCSQL_PROGRAM}, arguments);
    std::vector<char*> pointers;
    for (std::string& argument : all) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    if (posix_spawn(&process_, PCCSQL_PROGRAM, &actions, &attributes, pointers.data(), environ) != 0) {
      throw std::runtime_error("cannot start the program");
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
  }
  ~Running() {
    if (input_ >= 0) close(input_);
    if (waited_) return;
    kill(-process_, SIGKILL);
    wait();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void type(const std::string& line) const {
    ASSERT_EQ(write(input_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  void end_input() { close(std::exchange(input_, -1)); }
  // Whether the output holds the text before long.
  bool says(const std::string& text) const {
    for (int i = 0; i < 3000; ++i) {
      if (out().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
  // As a terminal does it: to all programs there.
  void press_ctrl_c() const { kill(-process_, SIGINT); }
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    waited_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // Whether any process of its group is left.
  bool gone() const {
    for (int i = 0; i < 100; ++i) {
      if (kill(-process_, 0) != 0) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
  std::string out() const { return *read_file(out_); }
  std::string err() const { return *read_file(err_); }

 private:
  std::string out_;
  std::string err_;
  int input_ = -1;
  pid_t process_ = 0;
  bool waited_ = false;
};

class AskRun : public testing::Test {
 protected:
  std::vector<std::string> ask(const Endpoint& endpoint, const std::vector<std::string>& more) const {
    return joined(joined({"ask", "--db", shop_.db, "--policy", shop_.policy}, endpoint.model()), more);
  }
  static void change(const std::string& path, const char* sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  Shop shop_;
};

TEST_F(AskRun, AQueryIsOverASecondAfterItsTime) {
  const Endpoint endpoint(kEndless);
  const auto begun = Clock::now();
  const Ran quick = pccsql(ask(endpoint, {"--no-run", "a"}));
  const auto without_running = Clock::now() - begun;
  EXPECT_EQ(quick.status, 0) << quick.err;
  const auto begun_running = Clock::now();
  const Ran ran = pccsql(ask(endpoint, {"--max-seconds", "1", "a"}));
  EXPECT_LT(Clock::now() - begun_running, without_running + milliseconds(2500));
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_NE(ran.out.find("over the time limit of 1000 ms"), std::string::npos) << ran.out;
}

TEST_F(AskRun, CtrlCEndsAQueryThatDoesNot) {
  const Endpoint endpoint(kEndless);
  Running program(ask(endpoint, {"--max-seconds", "600", "a"}), shop_.scratch);
  while (endpoint.asked == 0) std::this_thread::sleep_for(milliseconds(5));
  std::this_thread::sleep_for(milliseconds(500));  // the answer is judged and running
  const auto pressed = Clock::now();
  program.press_ctrl_c();
  EXPECT_EQ(program.wait(), 130);
  EXPECT_LT(Clock::now() - pressed, std::chrono::seconds(1));
  EXPECT_NE((program.out() + program.err()).find("the query was stopped"), std::string::npos)
      << program.out() << program.err();
  EXPECT_TRUE(program.gone());
}

TEST_F(AskRun, ASchemaThatChangesBetweenTwoQuestionsIsJudgedAgain) {
  change(shop_.db, "INSERT INTO item VALUES (1, 'pen', 2, 12345)");
  const Endpoint endpoint("SELECT name FROM item");
  Running program(ask(endpoint, {"--format", "csv"}), shop_.scratch);
  program.type("one\n");
  ASSERT_TRUE(program.says("pen")) << program.err();
  // What was AggregateOnly now has a Public column's name, and the other way round.
  change(shop_.db,
         "ALTER TABLE item RENAME COLUMN name TO x; ALTER TABLE item RENAME COLUMN cost TO name;"
         "ALTER TABLE item RENAME COLUMN x TO cost;");
  program.type("two\n");
  ASSERT_TRUE(program.says("12345")) << program.err();
  // The policy goes by names: `name` is what its owner called Public. A column that is gone makes it wrong.
  change(shop_.db, "ALTER TABLE item RENAME COLUMN price TO fee");
  program.type("three\n");
  program.end_input();
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.out(), "name\r\npen\r\nname\r\n12345\r\n") << program.err();
  EXPECT_NE(program.err().find("the database's schema has changed"), std::string::npos) << program.err();
  EXPECT_NE(program.err().find("no column `price`"), std::string::npos) << program.err();
}

TEST_F(AskRun, AQueryThatIsNoLongerSafeIsRefused) {
  change(shop_.db, "INSERT INTO item VALUES (1, 'pen', 2, 12345)");
  const Endpoint endpoint("SELECT * FROM item");
  const std::string policy = shop_.scratch.file("star.yaml",
                                                "version: 1\ndefault: Hidden\ntables: {item: {id: Public, name: Public, "
                                                "price: Public, cost: Public}}\n");
  Running program(joined({"ask", "--db", shop_.db, "--policy", policy, "--format", "json"}, endpoint.model()),
                  shop_.scratch);
  program.type("one\n");
  ASSERT_TRUE(program.says("pen")) << program.err();
  change(shop_.db, "ALTER TABLE item ADD COLUMN secret DEFAULT 'swordfish'");
  program.type("two\n");
  program.end_input();
  EXPECT_EQ(program.wait(), 1);
  const auto lines = json_lines(program.out());
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["verdict"], "safe");
  EXPECT_EQ(lines[1]["verdict"], "unsafe");
  EXPECT_EQ(lines[1]["rows"], nullptr);
  EXPECT_EQ(program.out().find("swordfish"), std::string::npos);
}

TEST(EvalRun, CtrlCEndsQueriesThatDoNot) {
  const Scratch scratch;
  scratch.file("tables.json",
               R"([{"db_id": "shop", "table_names_original": ["item"], "table_names": ["item"],
                    "column_names_original": [[-1, "*"], [0, "name"]], "column_types": ["text", "text"],
                    "primary_keys": [], "foreign_keys": []}])");
  std::string questions;
  for (int i = 0; i < 6; ++i) {
    questions += (i == 0 ? "[" : ",") +
                 std::string(R"({"db_id": "shop", "question": "Which names?", "query": "SELECT name FROM item"})");
  }
  scratch.file("dev.json", questions + "]");
  scratch.file("train_spider.json", "[]");
  scratch.file("train_others.json", "[]");
  std::filesystem::create_directories(scratch.path("database/shop"));
  scratch.database("database/shop/shop.sqlite", "CREATE TABLE item (name TEXT)");
  const std::string suite = scratch.path("suite.jsonl");
  ASSERT_EQ(pccsql({"suite", "build", "spider-cu", "--spider", scratch.path(""), "--out", suite}).status, 0);

  const Endpoint endpoint(kEndless);
  for (const char* workers : {"1", "3"}) {
    const int asked_before = endpoint.asked;
    const std::string out = scratch.path(std::string("run") + workers);
    Running program(joined({"eval", "run", "--suite", suite, "--out", out, "--parallel", workers}, endpoint.model()),
                    scratch);
    while (endpoint.asked - asked_before < std::stoi(workers)) std::this_thread::sleep_for(milliseconds(5));
    std::this_thread::sleep_for(milliseconds(500));
    const auto pressed = Clock::now();
    program.press_ctrl_c();
    EXPECT_EQ(program.wait(), 130) << program.err();
    EXPECT_LT(Clock::now() - pressed, std::chrono::seconds(1));
    EXPECT_TRUE(program.gone());
    // The header alone: no answer was finished, and none is written down.
    EXPECT_EQ(lines_of(*read_file(out)).size(), 1U) << *read_file(out);
  }
}

}  // namespace
}  // namespace pccsql
