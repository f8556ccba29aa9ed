#include "check_pg/query_mutator.h"

#include <array>

#include "check_pg/lexemes.h"

namespace pccsql {
namespace {

using check_pg::Lexeme;

constexpr std::array<std::string_view, 46> kWords{
    "SELECT", "DISTINCT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT 3", "JOIN", "LEFT JOIN", "ON", "USING", "AS",
    "AND", "OR", "NOT", "IN", "EXISTS", "LIKE", "IS NULL", "BETWEEN", "CASE WHEN", "THEN", "ELSE", "END", "UNION", "EXCEPT",
    "INTERSECT", "NULL", "TRUE", "COUNT", "SUM", "AVG", "MIN", "MAX", "LOWER", "ABS", "ROUND", "COALESCE", "CAST", "OVER ()", "DESC",
    "FILTER", "*", "(", ")"};
constexpr std::array<std::string_view, 14> kOperators{"=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "||", ",", "."};
constexpr std::array<std::string_view, 9> kLiterals{"0", "1", "-1", "2.5", "'x'", "'2020-01-01'", "NULL", "TRUE", "10000000000"};

std::vector<std::string> pieces_of(std::string_view sql) {
  std::vector<std::string> pieces;
  for (const Lexeme& lexeme : check_pg::lexemes_of(sql)) pieces.emplace_back(lexeme.span.of(sql));
  return pieces;
}

}  // namespace

std::string PgQueryMutator::mutate(const std::string& sql, const std::vector<std::string>& others) {
  std::vector<std::string> pieces = pieces_of(sql);
  const std::vector<std::string> donor = pieces_of(others[below(others.size())]);
  const auto donated = [&](char first) {
    for (int tries = 0; tries < 20; ++tries) {
      const std::string& piece = donor[below(donor.size())];
      if (piece[0] == first) return piece;
    }
    return donor[below(donor.size())];
  };
  const std::vector<std::string> own = pieces;
  for (size_t changes = below(4) == 0 ? 2 : 1; changes > 0 && !pieces.empty(); --changes) {
    size_t at = below(pieces.size());
    // Names that stand somewhere in the query itself make most of what is still one.
    if (below(2) == 0) {
      for (int tries = 0; tries < 20 && pieces[at][0] != '"'; ++tries) at = below(pieces.size());
      if (pieces[at][0] == '"') {
        for (int tries = 0; tries < 20; ++tries) {
          const std::string& other = own[below(own.size())];
          if (other[0] != '"' || other == pieces[at]) continue;
          pieces[at] = below(3) == 0 ? donated('"') : other;
          break;
        }
        continue;
      }
    }
    const auto place = pieces.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(8)) {
      case 0:
      case 1:
      case 2: {  // a name for a name; something of its like for anything else
        const char first = pieces[at][0];
        if (first == '"') {
          pieces[at] = donated('"');
        } else if (first >= '0' && first <= '9') {
          pieces[at] = kLiterals[below(kLiterals.size())];
        } else if (first == '\'') {
          pieces[at] = below(2) == 0 ? donated('\'') : std::string(kLiterals[below(kLiterals.size())]);
        } else if ((first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z')) {
          pieces[at] = kWords[below(kWords.size())];
        } else {
          pieces[at] = kOperators[below(kOperators.size())];
        }
        break;
      }
      case 3:
        pieces.erase(place);
        break;
      case 4:
        pieces.insert(place, std::string(kWords[below(kWords.size())]));
        break;
      case 5:
        if (at + 1 < pieces.size()) std::swap(pieces[at], pieces[at + 1]);
        break;
      case 6: {  // some of another query
        const size_t begin = below(donor.size());
        const size_t count = std::min(donor.size() - begin, 1 + below(8));
        pieces.insert(place, donor.begin() + static_cast<std::ptrdiff_t>(begin),
                      donor.begin() + static_cast<std::ptrdiff_t>(begin + count));
        break;
      }
      default: {  // a term around what stands there
        constexpr std::array<std::string_view, 6> kAround{"LOWER(", "COUNT(", "SUM(", "ABS(", "MAX(", "COALESCE("};
        pieces[at] = std::string(kAround[below(kAround.size())]) + pieces[at] + ")";
        break;
      }
    }
  }
  std::string text;
  for (const std::string& piece : pieces) text += (text.empty() ? "" : " ") + piece;
  return text;
}

}  // namespace pccsql
