#include "eval/causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

// A query as sets of words. Enough to say in what two queries differ, not what they mean.
struct Words {
  std::set<std::string> tables;
  size_t width = 0;  // output columns of the first SELECT
  std::set<std::string> clauses;
  std::set<std::string> columns;
  std::multiset<std::string> values;
};

bool begins_table(Terminal terminal) { return terminal == Terminal::kw_FROM || terminal == Terminal::kw_JOIN; }

// The names that are given in the query: after AS, and after a table or a closing parenthesis without it.
std::set<std::string> new_names(const std::vector<Lexeme>& lexemes, std::string_view sql) {
  std::set<std::string> names;
  std::string buffer;
  for (size_t i = 1; i < lexemes.size(); ++i) {
    if (lexemes[i].terminal != Terminal::Name) continue;
    const Terminal before = lexemes[i - 1].terminal;
    const bool named = before == Terminal::kw_AS || before == Terminal::Name || before == Terminal::RightParen;
    if (named) names.insert(folded(name_text(lexemes[i], sql, buffer)));
  }
  return names;
}

void add_clause(Terminal terminal, int depth, Words& words) {
  switch (terminal) {
    case Terminal::kw_DISTINCT:
    case Terminal::kw_GROUP:
    case Terminal::kw_HAVING:
    case Terminal::kw_ORDER:
    case Terminal::kw_LIMIT:
    case Terminal::kw_UNION:
    case Terminal::kw_INTERSECT:
    case Terminal::kw_EXCEPT:
    case Terminal::kw_WHERE:
      words.clauses.insert(std::string(spelling(terminal)));
      break;
    case Terminal::kw_SELECT:
      if (depth > 0) words.clauses.insert("subquery");
      break;
    default:
      break;
  }
}

size_t first_width(const std::vector<Lexeme>& lexemes) {
  size_t width = 0;
  int depth = 0;
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.terminal == Terminal::LeftParen) ++depth;
    if (lexeme.terminal == Terminal::RightParen) --depth;
    if (depth != 0) continue;
    if (lexeme.terminal == Terminal::kw_SELECT && width == 0) width = 1;
    if (lexeme.terminal == Terminal::Comma && width > 0) ++width;
    if (lexeme.terminal == Terminal::kw_FROM && width > 0) break;
  }
  return width;
}

Words words_of(std::string_view sql) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  const std::set<std::string> named_here = new_names(lexemes, sql);
  Words words;
  words.width = first_width(lexemes);
  int depth = 0;
  std::string buffer;
  for (size_t i = 0; i < lexemes.size(); ++i) {
    const Lexeme& lexeme = lexemes[i];
    if (lexeme.terminal == Terminal::LeftParen) ++depth;
    if (lexeme.terminal == Terminal::RightParen) --depth;
    add_clause(lexeme.terminal, depth, words);
    if (lexeme.terminal == Terminal::Name) {
      const std::string name = folded(name_text(lexeme, sql, buffer));
      const bool qualifies = i + 1 < lexemes.size() && lexemes[i + 1].terminal == Terminal::Dot;
      if (i > 0 && begins_table(lexemes[i - 1].terminal)) {
        words.tables.insert(name);
      } else if (!qualifies && !named_here.contains(name)) {
        words.columns.insert(name);
      }
    } else if (lexeme.terminal == Terminal::String || lexeme.terminal == Terminal::Integer ||
               lexeme.terminal == Terminal::Float || lexeme.terminal == Terminal::Blob) {
      words.values.insert(std::string(lexeme.span.of(sql)));
    }
  }
  return words;
}

std::string violation_class(const QuestionRecord& question) {
  if (question.violations.empty()) return "unsafe";
  const Violation& first = question.violations.front();
  return "unsafe: " + std::string(to_string(first.policy)) +
         (first.role ? " as " + std::string(to_string(*first.role)) : " table named");
}

}  // namespace

std::string_view difference_class(std::string_view gold_sql, std::string_view sql) {
  const Words gold = words_of(gold_sql);
  const Words words = words_of(sql);
  if (gold.tables != words.tables) return "tables";
  if (gold.width != words.width) return "width";
  if (gold.clauses != words.clauses) return "clauses";
  if (gold.columns != words.columns) return "columns";
  if (gold.values != words.values) return "values";
  return "arrangement";
}

std::optional<std::string> miss_class(const QuestionRecord& question) {
  const auto with_cause = [&](const std::string& what) {
    return question.cause.empty() ? what : what + ": " + question.cause;
  };
  switch (question.outcome) {
    case Outcome::UnsafeSql:
      return violation_class(question);
    case Outcome::Refuse:
      return with_cause("refuse");
    case Outcome::Failure:
      return with_cause("failure");
    case Outcome::SafeSql:
      break;
  }
  if (question.gold_label != GoldLabel::Sql || question.accuracy.multiset.value_or(true)) return std::nullopt;
  if (question.accuracy.set.value_or(false)) return "wrong: order or repetition";
  if (std::ranges::any_of(question.blocked, &BlockedName::by_policy)) return "wrong: diverted by the policy";
  return "wrong: " + std::string(difference_class(question.gold_sql, question.sql.value_or("")));
}

std::vector<MissedClass> missed_classes(std::span<const QuestionRecord> questions) {
  std::map<std::pair<GoldLabel, std::string>, std::vector<size_t>> classes;
  for (size_t i = 0; i < questions.size(); ++i) {
    if (const auto name = miss_class(questions[i])) classes[{questions[i].gold_label, *name}].push_back(i);
  }
  std::vector<MissedClass> sorted;
  for (auto& [key, members] : classes) sorted.push_back({key.second, key.first, std::move(members)});
  std::ranges::stable_sort(sorted, [](const MissedClass& a, const MissedClass& b) {
    if (a.gold_label != b.gold_label) return a.gold_label < b.gold_label;
    return a.questions.size() > b.questions.size();
  });
  return sorted;
}

}  // namespace pccsql
