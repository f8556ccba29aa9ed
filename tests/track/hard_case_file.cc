#include "track/hard_case_file.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "base/file.h"
#include "base/text.h"

namespace pccsql::hard {
namespace {

// `{3*ab@}` and `\xC3` written out.
std::string expanded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t star = text.find('*', i);
    const size_t close = star == std::string_view::npos ? star : text.find('}', star);
    if (text[i] == '{' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9' &&
        close != std::string_view::npos) {
      const int times = std::stoi(std::string(text.substr(i + 1, star - i - 1)));
      for (int n = 1; n <= times; ++n) {
        for (const char c : text.substr(star + 1, close - star - 1))
          out += c == '@' ? std::to_string(n) : std::string(1, c);
      }
      i = close;
    } else if (text.substr(i).starts_with("\\x") && i + 3 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 2, 2)), nullptr, 16));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool set(track::TrackSettings& settings, const std::string& word) {
  if (word == "fragment") return settings.language = Language::Fragment, true;
  if (word == "paper") return settings.profile = Profile::Paper, true;
  if (word == "no_lookahead") return settings.lookahead = false, true;
  if (word == "derived_names") return settings.derived_names = true, true;
  if (word == "aliases=any") return settings.aliases = track::Aliases::Any, true;
  if (word == "canonical") return settings.style = track::Style::Canonical, true;
  return word == "default";
}

class Reader {
 public:
  explicit Reader(std::string path) { file_.path = std::move(path); }

  Result<File> read(std::string_view text) {
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) {
      ++line_;
      if (const std::string problem = take(line); !problem.empty()) return Error{problem, file_.path, {line_, 1}};
    }
    return std::move(file_);
  }

 private:
  Block& block() { return file_.blocks.back(); }

  // What is wrong with the line; empty: nothing.
  std::string take(const std::string& line) {
    if (line.empty()) return "";
    if (line.starts_with("  ") && part_ != nullptr) {
      *part_ += line.substr(2) + "\n";
      return "";
    }
    part_ = nullptr;
    if (line.starts_with("#")) {
      rule_ = trimmed(line.substr(1));
      return "";
    }
    if (line == "---") return file_.blocks.empty() ? "`---` before `schema:`" : "";
    if (line == "schema:") {
      file_.blocks.emplace_back();
      part_ = &block().schema;
      return "";
    }
    if (file_.blocks.empty()) return "expected `schema:` first";
    if (line == "policy:") {
      part_ = &block().policy;
      return "";
    }
    if (line.starts_with("settings:")) return take_settings(line.substr(9));
    return take_case(line);
  }

  std::string take_settings(const std::string& words) {
    if (!block().cases.empty()) {
      Block next{block().schema, block().policy, {}, {}};
      file_.blocks.push_back(std::move(next));
    }
    std::istringstream in(words);
    for (std::string word; in >> word;) {
      if (!set(block().settings, word)) return "unknown setting `" + word + "`";
    }
    return "";
  }

  std::string take_case(const std::string& line) {
    static const std::map<std::string, Case::Kind> kinds{
        {"admit", Case::Admit}, {"prefix", Case::Prefix}, {"end", Case::End}, {"noend", Case::NoEnd},
        {"stop", Case::Stop},   {"refuse", Case::Refuse}, {"may", Case::May}};
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) return "expected `admit: …`, `stop: …` or another kind of case";
    std::string word = line.substr(0, colon);
    Case made;
    made.decoder = word.ends_with("(decoder)");
    if (made.decoder) word.resize(word.size() - 9);
    const auto kind = kinds.find(word);
    if (kind == kinds.end()) return "unknown kind of case `" + word + "`";
    made.kind = kind->second;
    made.line = line_;
    made.rule = rule_;
    std::string text = line.substr(colon + 2);
    if (made.kind == Case::May) {
      const size_t arrow = text.find(" ->");
      if (arrow == std::string::npos) return "expected ` -> ` and names";
      std::istringstream names(text.substr(arrow + 3));
      for (std::string name; std::getline(names, name, ',');) made.names.push_back(trimmed(name));
      std::erase(made.names, "");
      std::sort(made.names.begin(), made.names.end());
      text.resize(arrow);
    }
    if (made.kind == Case::Stop) {
      size_t mark = text.find("<!>");
      made.at_once = mark != std::string::npos;
      if (!made.at_once) mark = text.find("<?>");
      if (mark == std::string::npos) return "expected a mark, `<!>` or `<?>`";
      made.after = expanded(text.substr(mark + 3));
      text.resize(mark);
      if (made.after.empty()) return "nothing after the mark";
    }
    made.before = expanded(text);
    block().cases.push_back(std::move(made));
    return "";
  }

  File file_;
  std::string rule_;
  std::string* part_ = nullptr;
  uint32_t line_ = 0;
};

}  // namespace

Result<File> read(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return Reader(path).read(*text);
}

}  // namespace pccsql::hard
