#include "apps/line_editor.h"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <system_error>

#include "base/render.h"
#include "base/text.h"

namespace pccsql {
namespace {

constexpr int kLinesKept = 1000;
constexpr const char* kPasteBegins = "\033[200~";
constexpr std::wstring_view kPasteEnds = L"\033[201~";

// Where a word that is completed begins: behind one of these.
bool ends_word(char c) { return c == ' ' || c == '(' || c == ',' || c == '"' || c == '\'' || c == '?'; }

std::string common_beginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    size_t alike = 0;
    while (alike < common.size() && alike < word.size() && fold(common[alike]) == fold(word[alike])) ++alike;
    common.resize(alike);
  }
  while (!common.empty() && find_invalid_utf8(common) != std::string::npos) common.pop_back();
  return common;
}

}  // namespace

class LineEditor::Terminal {
 public:
  Terminal(std::string history_file, Completer completer)
      : history_file_(std::move(history_file)), completer_(std::move(completer)) {
    // Characters are told from bytes by the locale alone; numbers stay as they are.
    const char* const locale = std::setlocale(LC_CTYPE, "");
    if (locale == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    edit_ = el_init("pccsql", stdin, stdout, stderr);
    history_ = history_init();
    if (edit_ == nullptr || history_ == nullptr) return;
    history(history_, &event_, H_SETSIZE, kLinesKept);
    history(history_, &event_, H_SETUNIQUE, 1);
    if (!history_file_.empty()) {
      std::error_code ignored;
      std::filesystem::create_directories(std::filesystem::path(history_file_).parent_path(), ignored);
      history(history_, &event_, H_LOAD, history_file_.c_str());
    }
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT, &Terminal::shown_prompt);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_SIGNAL, 1);  // a window of another size
    el_set(edit_, EL_HIST, history, history_);
    // Ctrl-C and Ctrl-Z are keys here, so that a line that is thrown away is told from one that ends.
    el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);
    el_set(edit_, EL_ADDFN, "pccsql-interrupt", "Throw the line away", &Terminal::interrupt);
    el_set(edit_, EL_ADDFN, "pccsql-suspend", "Stop the program", &Terminal::suspend);
    el_set(edit_, EL_ADDFN, "pccsql-complete", "Complete a name", &Terminal::complete);
    el_set(edit_, EL_ADDFN, "pccsql-paste", "Insert what is pasted", &Terminal::paste);
    bind("^C", "pccsql-interrupt");
    bind("^Z", "pccsql-suspend");
    bind("^I", "pccsql-complete");
    bind(kPasteBegins, "pccsql-paste");
    bind("^R", "em-inc-search-prev");
    bind("^W", "ed-delete-prev-word");
    for (const char* key : {"\033[1;5D", "\033[1;3D", "\033b"}) bind(key, "ed-prev-word");
    for (const char* key : {"\033[1;5C", "\033[1;3C", "\033f"}) bind(key, "em-next-word");
    for (const char* key : {"\033[H", "\033OH", "\033[1~"}) bind(key, "ed-move-to-beg");
    for (const char* key : {"\033[F", "\033OF", "\033[4~"}) bind(key, "ed-move-to-end");
    bind("\033[3~", "ed-delete-next-char");
  }

  ~Terminal() {
    if (edit_ != nullptr) el_end(edit_);
    if (history_ != nullptr) history_end(history_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool ok() const { return edit_ != nullptr && history_ != nullptr; }

  End read(const std::string& prompt, std::string& line) {
    prompt_ = prompt;
    interrupted_ = false;
    write_out("\033[?2004h");  // pasted text comes between marks
    int length = 0;
    const char* const text = el_gets(edit_, &length);
    write_out("\033[?2004l");
    if (interrupted_) {
      write_out("^C\r\n");
      return End::Interrupted;
    }
    if (text == nullptr || length <= 0) {
      write_out("\r\n");
      return End::EndOfInput;
    }
    line.assign(text, static_cast<size_t>(length));
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    if (!trimmed(line).empty()) {
      history(history_, &event_, H_ENTER, line.c_str());
      // Written at once: a program that is killed has not forgotten.
      if (!history_file_.empty()) history(history_, &event_, H_SAVE, history_file_.c_str());
    }
    return End::Line;
  }

 private:
  static Terminal& of(EditLine* edit) {
    void* own = nullptr;
    el_get(edit, EL_CLIENTDATA, &own);
    return *static_cast<Terminal*>(own);
  }
  static char* shown_prompt(EditLine* edit) { return of(edit).prompt_.data(); }

  static void write_out(std::string_view text) {
    std::cout.flush();
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  void bind(const char* key, const char* function) { el_set(edit_, EL_BIND, key, function, nullptr); }

  static unsigned char interrupt(EditLine* edit, int /*key*/) {
    of(edit).interrupted_ = true;
    return CC_EOF;
  }

  static unsigned char suspend(EditLine* edit, int /*key*/) {
    el_set(edit, EL_PREP_TERM, 0);
    std::raise(SIGTSTP);
    el_set(edit, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
  }

  // Up to the mark that ends it. Line ends and what a terminal would obey become blanks.
  static unsigned char paste(EditLine* edit, int /*key*/) {
    std::wstring text;
    for (wchar_t c = 0; !text.ends_with(kPasteEnds) && el_wgetc(edit, &c) == 1;) text += c;
    if (text.ends_with(kPasteEnds)) text.resize(text.size() - kPasteEnds.size());
    std::wstring line;
    for (const wchar_t c : text) {
      const bool blank = c < L' ' || (c >= L'\x7f' && c < L'\xa0');
      if (!blank) {
        line += c;
      } else if (!line.ends_with(L' ')) {
        line += L' ';
      }
    }
    if (line.ends_with(L' ')) line.pop_back();
    if (!line.empty() && el_winsertstr(edit, line.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
  }

  static unsigned char complete(EditLine* edit, int /*key*/) {
    const LineInfo* const info = el_line(edit);
    const std::string_view before(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
    size_t begin = before.size();
    while (begin > 0 && !ends_word(before[begin - 1])) --begin;
    const std::string word(before.substr(begin));
    const std::vector<std::string> words = of(edit).completer_(before.substr(0, begin), word);
    if (words.empty()) return CC_ERROR;
    const std::string common = common_beginning(words);
    const std::string become = words.size() == 1 ? common + " " : common;
    if (become.size() > word.size() || (words.size() == 1 && become != word)) {
      const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
      el_deletestr(edit, static_cast<int>(std::ranges::count_if(word, std::not_fn(continues))));
      return el_insertstr(edit, become.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    }
    std::string list = "\r\n";
    for (const std::string& one : words) list += printable(one) + "  ";
    write_out(list + "\r\n");
    return CC_REDISPLAY;
  }

  std::string history_file_;
  Completer completer_;
  EditLine* edit_ = nullptr;
  History* history_ = nullptr;
  HistEvent event_{};
  std::string prompt_;
  bool interrupted_ = false;
};

LineEditor::LineEditor(std::string history_file, Completer completer) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) return;
  auto terminal = std::make_unique<Terminal>(std::move(history_file), std::move(completer));
  if (terminal->ok()) terminal_ = std::move(terminal);
}

LineEditor::~LineEditor() = default;

LineEditor::End LineEditor::read(const std::string& prompt, std::string& line) {
  if (terminal_) return terminal_->read(prompt, line);
  if (!std::getline(std::cin, line)) return End::EndOfInput;
  if (line.ends_with('\r')) line.pop_back();
  return End::Line;
}

}  // namespace pccsql
