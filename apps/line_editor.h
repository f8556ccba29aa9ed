// LineEditor: questions typed at a terminal, edited by libedit: words, history that lasts, search in it, names to complete. What is
// pasted is one line, whatever line ends it has. Where the input is no terminal it reads lines.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

class LineEditor {
 public:
  enum class End { Line, Interrupted, EndOfInput };
  // What the word that the cursor is behind may become; `before`: the line before that word.
  using Completer = std::function<std::vector<std::string>(std::string_view before, std::string_view word)>;

  // History is kept in that file, which is made with its folder, readable for its owner alone; empty: it is forgotten.
  LineEditor(std::string history_file, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Shows `prompt` and reads a line into `line`. Interrupted: Ctrl-C, the line is thrown away. EndOfInput: Ctrl-D on an
  // empty line, or no more input. Lines that are not blank go into the history.
  End read(const std::string& prompt, std::string& line);

 private:
  class Terminal;
  std::unique_ptr<Terminal> terminal_;  // none: the input is no terminal
};

}  // namespace pccsql
