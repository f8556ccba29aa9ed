#include "check/random_run.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

namespace pccsql {
namespace {

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::strtoull(value, nullptr, 10) : otherwise;
}

std::vector<std::string> words_of(std::string_view sql) {
  std::vector<std::string> words;
  char quote = '\0';
  bool inside = false;  // of a word
  for (const char c : sql) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || quote != '\0';
    if (letter || c == '\'' || c == '"') {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
      if (quote == c) {
        quote = '\0';
      } else if (quote == '\0' && !letter) {
        quote = c;
      }
      continue;
    }
    inside = false;
    if (c != ' ') words.emplace_back(1, c);
  }
  return words;
}

std::string text_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool tight = text.empty() || word == ")" || word == "," || text.back() == '(' ||
                       (word == "=" && (text.back() == '<' || text.back() == '>' || text.back() == '=')) ||
                       (word == ">" && text.back() == '<') || (word == "|" && text.back() == '|');
    if (!tight) text += ' ';
    text += word;
  }
  return text;
}

}  // namespace

uint64_t random_queries(uint64_t briefly) {
  return setting("PCCSQL_QUERIES", setting("PCCSQL_LONG", 0) != 0 ? 2'000'000 : briefly);
}

uint64_t random_seed() { return setting("PCCSQL_SEED", 1); }

unsigned test_threads() {
  const uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::clamp<uint64_t>(setting("PCCSQL_TEST_THREADS", cores), 1, 1024));
}

std::string shrunk(std::string sql, const std::function<bool(const std::string&)>& fails) {
  std::vector<std::string> words = words_of(sql);
  if (!fails(text_of(words))) return sql;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t length = std::min<size_t>(words.size(), 24); length > 0; --length) {
      for (size_t at = 0; at + length <= words.size();) {
        std::vector<std::string> less(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
        less.insert(less.end(), words.begin() + static_cast<std::ptrdiff_t>(at + length), words.end());
        if (fails(text_of(less))) {
          words = std::move(less);
          smaller = true;
        } else {
          ++at;
        }
      }
    }
  }
  return text_of(words);
}

}  // namespace pccsql
