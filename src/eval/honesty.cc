#include "eval/honesty.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {

SharedUses shared_uses(const std::vector<AnswerUse>& answer, const Judgement& gold) {
  using Use = std::pair<ColumnRef, Role>;
  std::vector<Use> wanted;
  for (size_t i = 0; i < gold.uses.size(); ++i) {
    const Use use{gold.uses[i].column, gold.uses[i].role};
    if (gold.permitted[i] && std::ranges::find(wanted, use) == wanted.end()) wanted.push_back(use);
  }
  std::vector<Use> made;
  for (const AnswerUse& use : answer) {
    if (std::ranges::find(made, Use{use.column, use.role}) == made.end()) made.emplace_back(use.column, use.role);
  }
  const auto shared = std::ranges::count_if(
      made, [&](const Use& use) { return std::ranges::find(wanted, use) != wanted.end(); });
  return {static_cast<uint64_t>(shared), made.size(), wanted.size()};
}

bool repeats_itself(std::string_view sql) {
  constexpr size_t kPiece = 6;
  constexpr int kOften = 3;
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  lexemes.pop_back();  // the end
  std::map<std::string, int> pieces;
  for (size_t begin = 0; begin + kPiece <= lexemes.size(); ++begin) {
    std::string piece;
    for (size_t i = begin; i < begin + kPiece; ++i) piece += folded(lexemes[i].span.of(sql)) + '\n';
    if (++pieces[piece] == kOften) return true;
  }
  return false;
}

}  // namespace pccsql
