// The terminal: whether output may have colours, and how far a long run is, for the person who waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

#include "apps/options.h"
#include "base/render.h"

namespace pccsql {

// Auto: colours if standard output is a terminal, and neither NO_COLOR nor TERM=dumb says otherwise.
Style style_for(Color color);

// One line on standard error, written over again and wiped at the end. Nobody but a terminal sees it.
class Progress {
 public:
  // `unit`: what is counted, "lines". `beside_output`: also where the output goes to the same terminal.
  explicit Progress(const char* unit, bool beside_output = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void done(size_t count);
  // With a bar, the rate and the time left. `before`: of `count`, done before this began. `more` goes to the line's end.
  void done(size_t count, size_t all, size_t before, const std::string& more);

 private:
  bool is_time();

  const char* unit_;
  bool wanted_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_;
};

// Something that may take a while and cannot say how far it is: after a fifth of a second a line on standard error says what, and
// how long it has taken, until done(). Nobody but a terminal sees it.
class Waiting {
 public:
  explicit Waiting(std::string what);
  ~Waiting() { done(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  // The line is wiped when it returns.
  void done();

 private:
  void show();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace pccsql
