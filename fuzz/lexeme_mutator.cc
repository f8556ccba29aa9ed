#include "fuzz/lexeme_mutator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <random>
#include <utility>

namespace pccsql {
namespace {

using Lexemes = std::vector<std::string_view>;

// Noise: put in anywhere, seldom of use, but nobody would think of it.
constexpr auto kWords = std::to_array<std::string_view>(
    {"SELECT",  "DISTINCT", "FROM",      "WHERE",   "GROUP BY", "HAVING", "ORDER BY", "LIMIT",       "AS",
     "JOIN",    "LEFT",     "FULL",      "NATURAL", "CROSS",    "ON",     "USING",    "UNION",       "ALL",
     "EXCEPT",  "WITH",     "AND",       "OR",      "NOT",      "IN",     "EXISTS",   "BETWEEN",     "LIKE",
     "GLOB",    "IS",       "NULL",      "CASE",    "WHEN",     "THEN",   "ELSE",     "END",         "CAST",
     "COLLATE", "OVER",     "PARTITION", "WINDOW",  "FILTER",   "ROWS",   "DESC",     "NULLS FIRST", "TRUE",
     "(",       ")",        ",",         ".",       "*",        "+",      "-",        "/",           "%",
     "||",      "=",        "<",         "->>",     "~",        "&",      ";",        "--",          "/*",
     "1",       "0x10",     "1e9",       "'x'",     "\"x\"",    "[x]",    "`x`",      "?",           "x'00'"});

// What may stand where an operand stood.
constexpr auto kOperands = std::to_array<std::string_view>({"id",
                                                            "name",
                                                            "salary",
                                                            "department_id",
                                                            "employee_id",
                                                            "hire_year",
                                                            "ssn",
                                                            "city",
                                                            "\"floor area\"",
                                                            "rowid",
                                                            "\"rowid\"",
                                                            "e.id",
                                                            "e.name",
                                                            "d.id",
                                                            "d.name",
                                                            "t.x",
                                                            "x",
                                                            "n",
                                                            "employee",
                                                            "department",
                                                            "office",
                                                            "badge",
                                                            "payment",
                                                            "assignment",
                                                            "sick_note",
                                                            "staff_directory",
                                                            "department_pay",
                                                            "NULL",
                                                            "1",
                                                            "2",
                                                            "TRUE",
                                                            "'name'",
                                                            "\"name\"",
                                                            "\"nothing\"",
                                                            "COUNT(*)",
                                                            "COUNT(DISTINCT name)",
                                                            "SUM(salary)",
                                                            "AVG(e.salary)",
                                                            "MAX(id)",
                                                            "*",
                                                            "e.*",
                                                            "(SELECT MAX(id) FROM department)",
                                                            "(SELECT name)",
                                                            "(SELECT salary AS x ORDER BY x)",
                                                            "(SELECT 1 AS x)",
                                                            "(SELECT x.id FROM employee AS x WHERE x.name = name)",
                                                            "id IN (SELECT employee_id FROM badge)",
                                                            "(id, name)",
                                                            "EXISTS (SELECT * FROM office)",
                                                            "CASE id WHEN 1 THEN name ELSE ssn END",
                                                            "ROW_NUMBER() OVER (ORDER BY salary)",
                                                            "SUM(salary) FILTER (WHERE id > 1)",
                                                            "SUM((SELECT 1))",
                                                            "id BETWEEN 1 AND salary",
                                                            "name LIKE 'a%'"});

// What may follow a query.
constexpr auto kClauses = std::to_array<std::string_view>({" ORDER BY 1",
                                                           " ORDER BY name",
                                                           " ORDER BY 2 DESC, x",
                                                           " ORDER BY COUNT(*)",
                                                           " ORDER BY (SELECT name)",
                                                           " GROUP BY 1",
                                                           " GROUP BY name",
                                                           " GROUP BY x HAVING x > 1",
                                                           " HAVING COUNT(*) > 1",
                                                           " LIMIT 1",
                                                           " LIMIT 1 OFFSET (SELECT 1)",
                                                           " WHERE salary > 1",
                                                           " WHERE x",
                                                           " AND id = 1",
                                                           " OR EXISTS (SELECT 1 WHERE e.id)",
                                                           " JOIN department ON 1",
                                                           " JOIN department AS d ON d.id = department_id",
                                                           " NATURAL JOIN badge",
                                                           " JOIN badge USING (employee_id)",
                                                           " LEFT JOIN employee AS e ON e.id = 1",
                                                           ", employee AS e",
                                                           ", (SELECT 1 AS x) AS t",
                                                           " UNION SELECT 1",
                                                           " UNION ALL SELECT name FROM employee",
                                                           " EXCEPT SELECT 1, 2",
                                                           " WINDOW w AS (ORDER BY id)",
                                                           " WINDOW w AS (w)"});

// What may be put around an operand.
constexpr auto kWraps = std::to_array<std::pair<std::string_view, std::string_view>>({{"(", ")"},
                                                                                      {"SUM(", ")"},
                                                                                      {"COUNT(DISTINCT ", ")"},
                                                                                      {"MAX(", ")"},
                                                                                      {"MIN(", ", 1)"},
                                                                                      {"GROUP_CONCAT(", ")"},
                                                                                      {"ABS(", ")"},
                                                                                      {"LENGTH(", ", 1)"},
                                                                                      {"COALESCE(", ", 1)"},
                                                                                      {"(SELECT ", ")"},
                                                                                      {"(SELECT ", " FROM employee)"},
                                                                                      {"EXISTS (SELECT ", ")"},
                                                                                      {"1 IN (", ")"},
                                                                                      {"1 IN (SELECT ", ")"},
                                                                                      {"-", ""},
                                                                                      {"NOT ", ""},
                                                                                      {"~", ""},
                                                                                      {"", " + 1"},
                                                                                      {"", " || 'x'"},
                                                                                      {"", " COLLATE NOCASE"},
                                                                                      {"", " IS NULL"},
                                                                                      {"", " = 1"},
                                                                                      {"", ", id"},
                                                                                      {"", " AS x"},
                                                                                      {"", " x"},
                                                                                      {"(", ", 1) = (1, 2)"},
                                                                                      {"SUM(", ") OVER ()"},
                                                                                      {"LAG(", ") OVER w"},
                                                                                      {"CASE WHEN ", " THEN 1 END"},
                                                                                      {"CAST(", " AS TEXT)"},
                                                                                      {"SUM(1) FILTER (WHERE ", ")"},
                                                                                      {"SUM(SUM(", "))"},
                                                                                      {"RANK() OVER (ORDER BY ", ")"}});

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

size_t lexeme_length(std::string_view text) {
  const auto run = [&](auto belongs) {
    size_t length = 1;
    while (length < text.size() && belongs(text[length])) ++length;
    return length;
  };
  const char first = text[0];
  if (is_word(first)) return run([](char c) { return is_word(c) || c == '.'; });
  if (is_blank(first)) return run(is_blank);
  if (first == '\'' || first == '"' || first == '`') {
    const size_t end = text.find(first, 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  return 1;
}

// The seeds spell keywords in capitals and names in small letters.
bool is_operand(std::string_view lexeme) {
  const char first = lexeme[0];
  return std::islower(static_cast<unsigned char>(first)) || std::isdigit(static_cast<unsigned char>(first)) ||
         first == '\'' || first == '"';
}

class Mutator {
 public:
  Mutator(std::string_view text, std::string_view other, uint32_t seed)
      : random_(seed), lexemes_(split_lexemes(text)), donor_(split_lexemes(other)) {}

  std::string run() {
    for (size_t changes = 1 + below(1 + below(3)); changes > 0; --changes) change();
    std::string result;
    for (const std::string_view lexeme : lexemes_) result += lexeme;
    return result;
  }

 private:
  void change() {
    const size_t kind = below(14);
    if (kind == 0 || lexemes_.empty()) return insert(below(lexemes_.size() + 1), {" ", one_of(kWords), " "});
    if (kind == 1) {
      lexemes_[below(lexemes_.size())] = one_of(kWords);
    } else if (kind == 2) {
      std::swap(lexemes_[operand(lexemes_)], lexemes_[operand(lexemes_)]);
    } else if (kind == 3) {
      const size_t begin = below(lexemes_.size());
      lexemes_.erase(place(begin), place(begin + 1 + below(std::min<size_t>(lexemes_.size() - begin, 4))));
    } else if (kind == 4) {
      const Lexemes& from = donor_.empty() ? lexemes_ : donor_;
      const size_t begin = below(from.size());
      const size_t end = begin + 1 + below(std::min<size_t>(from.size() - begin, 12));
      insert(below(lexemes_.size() + 1), Lexemes(from.data() + begin, from.data() + end));
    } else if (kind == 5) {
      if (!donor_.empty()) lexemes_[operand(lexemes_)] = donor_[operand(donor_)];
    } else if (kind <= 8) {
      lexemes_[operand(lexemes_)] = one_of(kOperands);
    } else if (kind <= 11) {
      const auto& [before, after] = one_of(kWraps);
      const size_t index = operand(lexemes_);
      if (!after.empty()) insert(index + 1, {after});
      if (!before.empty()) insert(index, {before});
    } else {
      insert(end_of_a_query(), {one_of(kClauses)});
    }
  }

  size_t below(size_t bound) { return static_cast<size_t>(random_()) % bound; }
  template <typename T, size_t size>
  const T& one_of(const std::array<T, size>& list) {
    return list[below(size)];
  }
  Lexemes::iterator place(size_t index) { return lexemes_.begin() + static_cast<std::ptrdiff_t>(index); }
  void insert(size_t index, const Lexemes& added) { lexemes_.insert(place(index), added.begin(), added.end()); }

  // The index of an operand, if a few throws find one.
  size_t operand(const Lexemes& from) {
    size_t index = below(from.size());
    for (int tries = 0; tries < 20 && !is_operand(from[index]); ++tries) index = below(from.size());
    return index;
  }

  // The end of the text, or a place before a closing parenthesis.
  size_t end_of_a_query() {
    if (below(2) == 0) {
      size_t end = lexemes_.size();
      while (end > 0 && (is_blank(lexemes_[end - 1][0]) || lexemes_[end - 1] == ";")) --end;
      return end;
    }
    for (int tries = 0; tries < 20; ++tries) {
      if (const size_t index = below(lexemes_.size()); lexemes_[index] == ")") return index;
    }
    return lexemes_.size();
  }

  std::mt19937 random_;
  Lexemes lexemes_;
  Lexemes donor_;
};

}  // namespace

std::vector<std::string_view> split_lexemes(std::string_view text) {
  Lexemes lexemes;
  while (!text.empty()) {
    const size_t length = lexeme_length(text);
    lexemes.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lexemes;
}

std::string mutate_lexemes(std::string_view text, std::string_view other, uint32_t seed) {
  return Mutator(text, other, seed).run();
}

}  // namespace pccsql
