#include "apps/line_editor.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "base/render.h"
#include "base/text.h"

namespace pccsql {
namespace {

constexpr uint8_t kCtrlA = 1, kCtrlC = 3, kCtrlD = 4, kCtrlE = 5, kBackspace = 8, kCtrlK = 11, kCtrlU = 21,
                  kEscape = 27, kDelete = 127;

bool continues(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

// The terminal hands out keys one by one, as long as this lives.
class RawTerminal {
 public:
  RawTerminal() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO | ISIG));
    raw.c_iflag &= static_cast<tcflag_t>(~(IXON | ICRNL));
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    changed_ = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
  }
  ~RawTerminal() {
    if (changed_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  bool ok() const { return changed_; }

 private:
  termios before_{};
  bool changed_ = false;
};

}  // namespace

void LineEditor::begin() {
  line_.clear();
  saved_.clear();
  escape_.clear();
  cursor_ = 0;
  place_ = history_.size();
}

void LineEditor::remember(const std::string& line) {
  constexpr size_t kMost = 1000;
  if (trimmed(line).empty() || (!history_.empty() && history_.back() == line)) return;
  history_.push_back(line);
  if (history_.size() > kMost) history_.erase(history_.begin());
}

void LineEditor::step_back() {
  if (cursor_ == 0) return;
  do --cursor_;
  while (cursor_ > 0 && continues(line_[cursor_]));
}

void LineEditor::step_forward() {
  if (cursor_ == line_.size()) return;
  do ++cursor_;
  while (cursor_ < line_.size() && continues(line_[cursor_]));
}

void LineEditor::show_history(int by) {
  if ((by < 0 && place_ == 0) || (by > 0 && place_ == history_.size())) return;
  if (place_ == history_.size()) saved_ = line_;
  place_ = by < 0 ? place_ - 1 : place_ + 1;
  line_ = place_ == history_.size() ? saved_ : history_[place_];
  cursor_ = line_.size();
}

void LineEditor::escape(char last) {
  switch (last) {
    case 'A':
      return show_history(-1);
    case 'B':
      return show_history(1);
    case 'C':
      return step_forward();
    case 'D':
      return step_back();
    case 'H':
      cursor_ = 0;
      return;
    case 'F':
      cursor_ = line_.size();
      return;
    case '~':
      if (escape_ == "[3" && cursor_ < line_.size()) {  // the delete key
        const size_t from = cursor_;
        step_forward();
        line_.erase(from, cursor_ - from);
        cursor_ = from;
      }
      return;
    default:
      return;
  }
}

std::optional<LineEditor::End> LineEditor::key(uint8_t byte) {
  const auto c = static_cast<char>(byte);
  if (!escape_.empty()) {
    const bool introduces = escape_ == "\x1b" && (c == '[' || c == 'O');
    if (introduces) {
      escape_ = "[";
    } else if (escape_ != "\x1b" && ((c >= '0' && c <= '9') || c == ';')) {
      escape_ += c;
    } else {
      if (escape_ != "\x1b") escape(c);
      escape_.clear();
    }
    return std::nullopt;
  }
  switch (byte) {
    case '\r':
    case '\n':
      return End::Line;
    case kCtrlC:
      return End::Interrupted;
    case kCtrlD:
      if (line_.empty()) return End::EndOfInput;
      return std::nullopt;
    case kEscape:
      escape_ = "\x1b";
      return std::nullopt;
    case kCtrlA:
      cursor_ = 0;
      return std::nullopt;
    case kCtrlE:
      cursor_ = line_.size();
      return std::nullopt;
    case kCtrlK:
      line_.erase(cursor_);
      return std::nullopt;
    case kCtrlU:
      line_.erase(0, cursor_);
      cursor_ = 0;
      return std::nullopt;
    case kBackspace:
    case kDelete: {
      const size_t end = cursor_;
      step_back();
      line_.erase(cursor_, end - cursor_);
      return std::nullopt;
    }
    default:
      if (byte < ' ') return std::nullopt;
      line_.insert(cursor_, 1, c);
      ++cursor_;
      return std::nullopt;
  }
}

LineEditor::End LineEditor::read(std::string_view prompt, std::string& line) {
  const RawTerminal raw;
  if (!raw.ok()) {
    if (!std::getline(std::cin, line)) return End::EndOfInput;
    if (line.ends_with('\r')) line.pop_back();
    return End::Line;
  }
  begin();
  for (;;) {
    const std::string after = printable(std::string_view(line_).substr(cursor_));
    std::cout << '\r' << prompt << printable(std::string_view(line_).substr(0, cursor_)) << after << "\033[K";
    if (const size_t back = display_width(after); back > 0) std::cout << "\033[" << back << 'D';
    std::cout.flush();
    uint8_t byte = 0;
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    const std::optional<End> end = got == 1 ? key(byte) : End::EndOfInput;
    if (!end) continue;
    std::cout << "\r\n";
    std::cout.flush();
    line = line_;
    if (*end == End::Line) remember(line);
    return *end;
  }
}

}  // namespace pccsql
