// What the programs of this folder share: ending with a message, the processor's time, and tables of times.
#pragma once

#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "syntax/lexer.h"

namespace pccsql::perf {

[[noreturn]] inline void stop(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

template <typename T>
T value(Result<T> result) {
  if (!result) stop(result.error().to_string());
  return std::move(*result);
}

inline std::string data_folder() {
  const char* data = std::getenv("PCCSQL_DATA");
  if (data == nullptr || *data == '\0') stop("PCCSQL_DATA must name the folder that holds spider/ and vocab/");
  return data;
}

// Of this thread, so that other work on the machine does not count.
inline double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

struct Filled {  // a mask
  double us = 0;
  std::string database, text;
};

inline void print_times(const char* what, std::vector<Filled> filled, size_t slowest) {
  if (filled.empty()) stop("no mask was filled");
  std::ranges::sort(filled, std::greater(), &Filled::us);
  double sum = 0;
  for (const Filled& each : filled) sum += each.us;
  const auto at = [&](double share) {
    return filled[static_cast<size_t>((1 - share) * static_cast<double>(filled.size() - 1))].us;
  };
  std::printf("%-6s n %7zu  mean %8.2f  p50 %7.2f  p90 %8.2f  p99 %9.2f  max %9.1f us\n", what, filled.size(),
              sum / static_cast<double>(filled.size()), at(0.5), at(0.9), at(0.99), filled.front().us);
  constexpr size_t kLongest = 160;
  for (size_t i = 0; i < std::min(slowest, filled.size()); ++i) {
    const std::string& text = filled[i].text;
    const size_t cut = text.size() > kLongest ? text.size() - kLongest : 0;
    std::printf("  %9.1f us  %s: %s%s\n", filled[i].us, filled[i].database.c_str(), cut > 0 ? "…" : "",
                text.substr(cut).c_str());
  }
}

// "WHERE a name": the clause of the query that the text is in, and the lexeme that it ends with.
inline std::string place_of(std::string_view text) {
  thread_local std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  std::string clause;
  std::string_view last;
  for (const Lexeme& lexeme : lexemes) {
    switch (lexeme.terminal) {
      case Terminal::End:
        break;
      case Terminal::kw_SELECT:
      case Terminal::kw_FROM:
      case Terminal::kw_ON:
      case Terminal::kw_WHERE:
      case Terminal::kw_GROUP:
      case Terminal::kw_HAVING:
      case Terminal::kw_ORDER:
      case Terminal::kw_LIMIT:
        clause = spelling(lexeme.terminal);
        [[fallthrough]];
      default:
        last = lexeme.terminal == Terminal::Illegal ? "an open lexeme"
               : lexeme.quote != Quote::None        ? "a quoted name"
                                                    : spelling(lexeme.terminal);
    }
  }
  std::string place = clause + " / " + std::string(last);
  if (!text.empty() && text.back() == ' ') place += " and a blank";
  return place;
}

// The places that took longest, with their share of the whole.
inline void print_places(const std::vector<Filled>& filled, size_t most) {
  struct Sum {
    std::vector<double> us;
    double all = 0, slowest = 0;
    std::string text;
  };
  std::map<std::string, Sum> sums;
  double whole = 0;
  for (const Filled& each : filled) {
    Sum& sum = sums[place_of(each.text)];
    sum.us.push_back(each.us);
    sum.all += each.us;
    whole += each.us;
    if (each.us <= sum.slowest) continue;
    sum.slowest = each.us;
    sum.text = each.database + ": " + each.text.substr(each.text.size() > 90 ? each.text.size() - 90 : 0);
  }
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  std::ranges::sort(sorted, std::greater(), [](const auto& each) { return each.second.all; });
  for (auto& [place, sum] : sorted) {
    if (most-- == 0) break;
    std::ranges::sort(sum.us);
    std::printf("%5.1f %%  n %5zu  mean %8.1f  p50 %8.1f  max %8.1f  %-28s %s\n", 100 * sum.all / whole, sum.us.size(),
                sum.all / static_cast<double>(sum.us.size()), sum.us[sum.us.size() / 2], sum.slowest, place.c_str(),
                sum.text.c_str());
  }
}

}  // namespace pccsql::perf
