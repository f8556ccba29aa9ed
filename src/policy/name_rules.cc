// The paper's rules for guessing a first policy from a column's name alone.
#include "base/text.h"
#include "policy/policy_file.h"

namespace pccsql {
namespace {

constexpr std::string_view kAnywhere[] = {"email",  "phone",       "address", "ssn", "password",
                                          "gender", "nationality", "birth",   "sex"};
constexpr std::string_view kWholeWord[] = {"weight", "height", "age"};

// Bytes of other scripts count as letters, as they would in a Unicode regular expression.
bool is_name_byte(char c) {
  return (fold(c) >= 'a' && fold(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool has_word(std::string_view name, std::string_view word) {
  for (size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_name_byte(name[at - 1])) && (end == name.size() || !is_name_byte(name[end]))) return true;
  }
  return false;
}

}  // namespace

bool hidden_by_name(std::string_view column) {
  const std::string name = folded(column);
  for (const std::string_view part : kAnywhere) {
    if (name.find(part) != name.npos) return true;
  }
  for (const std::string_view word : kWholeWord) {
    if (has_word(name, word)) return true;
  }
  return false;
}

bool public_by_name(std::string_view column) {
  if (hidden_by_name(column)) return false;
  const std::string name = folded(column);
  return name == "name" || name.ends_with("_name") || name.starts_with("name_");
}

}  // namespace pccsql
