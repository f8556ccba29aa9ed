// Where libedit was not there when the program was built: lines as the terminal itself edits them, and no history.
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "apps/line_editor.h"

namespace pccsql {

class LineEditor::Terminal {};

LineEditor::LineEditor(std::string /*history_file*/, Completer /*completer*/) {}
LineEditor::~LineEditor() = default;

LineEditor::End LineEditor::read(const std::string& prompt, std::string& line) {
  if (isatty(STDIN_FILENO) != 0) {
    std::fputs(prompt.c_str(), stdout);
    std::fflush(stdout);
  }
  if (!std::getline(std::cin, line)) return End::EndOfInput;
  if (line.ends_with('\r')) line.pop_back();
  return End::Line;
}

}  // namespace pccsql
