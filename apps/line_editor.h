// LineEditor: questions typed at a terminal, with a history that the arrow keys walk through. Where the input is no
// terminal it reads lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

class LineEditor {
 public:
  enum class End { Line, Interrupted, EndOfInput };

  // Shows `prompt` and reads a line into `line`. Interrupted: Ctrl-C, the line is thrown away. EndOfInput: Ctrl-D on an
  // empty line, or no more input. Lines that are not blank go into the history.
  End read(std::string_view prompt, std::string& line);

  // What keys do, without a terminal: feeds bytes, gives an End when one of them ends the line.
  void begin();
  std::optional<End> key(uint8_t byte);
  const std::string& line() const { return line_; }
  size_t cursor() const { return cursor_; }
  void remember(const std::string& line);

 private:
  void escape(char last);
  void step_back();
  void step_forward();
  void show_history(int by);

  std::vector<std::string> history_;
  std::string line_;
  std::string saved_;  // what was typed before the history was looked at
  size_t cursor_ = 0;
  size_t place_ = 0;  // in the history; its size: the line itself
  std::string escape_;
};

}  // namespace pccsql
