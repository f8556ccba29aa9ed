#include "track/attack/shrink.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "syntax/lexer.h"
#include "track/attack/lexemes.h"
#include "track/attack/oracle.h"

namespace pccsql::attack {
namespace {

// A lexeme, and whether something stood between it and the one before.
struct Part {
  std::string text;
  bool apart = false;
};

std::vector<Part> parts_of(const std::string& text) {
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  std::vector<Part> parts;
  uint32_t from = 0;
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.span.end > lexeme.span.begin) {
      parts.push_back({std::string(lexeme.span.of(text)), lexeme.span.begin > from});
    }
    from = lexeme.span.end;
  }
  if (from < text.size()) parts.push_back({"", true});  // blanks at the end
  return parts;
}

std::string joined(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) {
    const bool meet = !text.empty() && !part.text.empty() && is_word_byte(text.back()) && is_word_byte(part.text[0]);
    if (!text.empty() && (part.apart || meet)) text += " ";
    text += part.text;
  }
  return text;
}

std::string complaint(Ground& ground, const MakeTracker& make, const std::string& text) {
  const auto tracker = make();
  const PrefixId prefix = push_all(*tracker, tracker->start(), text);
  return prefix == kDead ? "" : Oracle(ground, *tracker).ask_prefix(prefix, text);
}

}  // namespace

std::string gist(const std::string& what) {
  std::string out;
  bool inside = false;
  const size_t judged = what.rfind("`: finished");  // a completion may hold backticks of its own
  for (const char c : std::string_view(what).substr(judged == std::string::npos ? 0 : judged + 1)) {
    if (c == '`') inside = !inside;
    if (!inside && !(c >= '0' && c <= '9')) out += c;
  }
  return out.substr(0, 120);
}

Shrunk shrink(Ground& ground, const MakeTracker& make, const std::string& text, const std::string& what) {
  const std::string kind = gist(what);
  Shrunk best{text, what};
  std::vector<Part> parts = parts_of(text);
  const auto keep = [&](const std::vector<Part>& fewer) {
    const std::string shorter = joined(fewer);
    const std::string said = complaint(ground, make, shorter);
    if (said.empty() || gist(said) != kind) return false;
    best = {shorter, said};
    parts = fewer;
    return true;
  };
  keep(parts);
  for (bool again = true; again;) {
    again = false;
    for (size_t size = std::max<size_t>(parts.size() / 2, 1); size > 0; size /= 2) {
      for (size_t i = 0; i + size <= parts.size();) {
        std::vector<Part> fewer = parts;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i),
                    fewer.begin() + static_cast<std::ptrdiff_t>(i + size));
        if (keep(fewer)) {
          again = true;
        } else {
          ++i;
        }
      }
    }
    // Two lexemes that only go together, with something between them: a parenthesis and its fellow.
    for (size_t i = 0; i < parts.size(); ++i) {
      for (size_t k = i + 1; k < parts.size(); ++k) {
        std::vector<Part> fewer = parts;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (keep(fewer)) again = true;
      }
    }
  }
  return best;
}

}  // namespace pccsql::attack
