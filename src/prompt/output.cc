#include "prompt/output.h"

#include "base/text.h"

namespace pccsql {
namespace {

constexpr std::string_view kFence = "```";

// After the marks of a fence stands the language: a word, and the rest of its line.
std::string_view without_language(std::string_view block) {
  size_t word = 0;
  while (word < block.size() && ((fold(block[word]) >= 'a' && fold(block[word]) <= 'z') || block[word] == '3')) ++word;
  const bool sql = folded(block.substr(0, word)).starts_with("sql");
  const bool line_of_its_own = word == block.size() || block[word] == '\n' || block[word] == '\r';
  return sql || line_of_its_own ? block.substr(word) : block;
}

}  // namespace

std::string sql_of_output(std::string_view output) {
  const size_t open = output.find(kFence);
  if (open == std::string_view::npos) return trimmed(output);
  const std::string_view block = without_language(output.substr(open + kFence.size()));
  const std::string inside = trimmed(block.substr(0, block.find(kFence)));
  // A fence that only closes: the query stands before it.
  return inside.empty() ? trimmed(output.substr(0, open)) : inside;
}

bool is_refusal(std::string_view sql) { return sql == kRefuse; }

bool permits(std::string_view verifier_output) {
  bool permit = false;
  while (!verifier_output.empty()) {
    const size_t end = verifier_output.find('\n');
    std::string line;
    for (const char c : verifier_output.substr(0, end)) {
      const bool decoration = c == '*' || c == '`' || c == '#' || c == '.' || c == ' ' || c == '\t' || c == '\r';
      if (!decoration) line += fold(c);
    }
    if (line == "decision:permit") permit = true;
    if (line == "decision:deny") permit = false;
    verifier_output = end == std::string_view::npos ? std::string_view() : verifier_output.substr(end + 1);
  }
  return permit;
}

}  // namespace pccsql
