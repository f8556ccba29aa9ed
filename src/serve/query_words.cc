#include "serve/query_words.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

bool ends_clause(Terminal terminal) {
  switch (terminal) {
    case Terminal::End:
    case Terminal::Semicolon:
    case Terminal::RightParen:
    case Terminal::kw_FROM:
    case Terminal::kw_WHERE:
    case Terminal::kw_GROUP:
    case Terminal::kw_HAVING:
    case Terminal::kw_WINDOW:
    case Terminal::kw_ORDER:
    case Terminal::kw_LIMIT:
    case Terminal::kw_UNION:
    case Terminal::kw_INTERSECT:
    case Terminal::kw_EXCEPT:
      return true;
    default:
      return false;
  }
}

bool joins(Terminal terminal) {
  switch (terminal) {
    case Terminal::kw_JOIN:
    case Terminal::kw_LEFT:
    case Terminal::kw_RIGHT:
    case Terminal::kw_FULL:
    case Terminal::kw_INNER:
    case Terminal::kw_OUTER:
    case Terminal::kw_CROSS:
    case Terminal::kw_NATURAL:
      return true;
    default:
      return false;
  }
}

std::string_view comparison_words(Terminal terminal) {
  switch (terminal) {
    case Terminal::Equal:
      return "is";
    case Terminal::NotEqual:
      return "is not";
    case Terminal::Less:
      return "is under";
    case Terminal::LessEqual:
      return "is at most";
    case Terminal::Greater:
      return "is over";
    case Terminal::GreaterEqual:
      return "is at least";
    default:
      return "";
  }
}

void add_word(std::string& text, std::string_view word) {
  const bool glued = text.empty() || text.back() == '(' || text.back() == ' ' || word == "," || word == ")";
  if (!glued) text += ' ';
  text += word;
}

class Teller {
 public:
  explicit Teller(std::string_view sql) : sql_(sql) {
    lex(sql, lexemes_);
    for (size_t i = 0; i + 2 < lexemes_.size(); ++i) {
      const bool names = at(i) == Terminal::Name && at(i + 1) == Terminal::kw_AS && at(i + 2) == Terminal::Name;
      const bool table = i > 0 && (at(i - 1) == Terminal::kw_FROM || at(i - 1) == Terminal::kw_JOIN || at(i - 1) == Terminal::Comma);
      if (names && table) tables_[folded(name_at(i + 2))] = name_at(i);
    }
  }

  std::string query() {
    if (at(here_) == Terminal::kw_WITH) return said_as_written();
    std::string text = select();
    for (;;) {
      std::string_view link;
      if (at(here_) == Terminal::kw_UNION) link = "; together with: ";
      if (at(here_) == Terminal::kw_INTERSECT) link = "; of these only what is also: ";
      if (at(here_) == Terminal::kw_EXCEPT) link = "; without: ";
      if (link.empty()) return text;
      ++here_;
      if (at(here_) == Terminal::kw_ALL) ++here_;
      text += std::string(link) + select();
    }
  }

 private:
  Terminal at(size_t i) const { return i < lexemes_.size() ? lexemes_[i].terminal : Terminal::End; }
  std::string_view text_at(size_t i) const { return lexemes_[i].span.of(sql_); }
  std::string name_at(size_t i) const {
    std::string buffer;
    return std::string(name_text(lexemes_[i], sql_, buffer));
  }
  static std::string plain(std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name;
  }

  std::string said_as_written() {
    here_ = lexemes_.size() - 1;
    return "what `" + std::string(trimmed(sql_)) + "` computes";
  }

  std::string select() {
    if (at(here_) != Terminal::kw_SELECT) return said_as_written();
    ++here_;
    const bool distinct = at(here_) == Terminal::kw_DISTINCT;
    if (distinct || at(here_) == Terminal::kw_ALL) ++here_;
    const size_t list = here_;
    skip_to_clause();
    const size_t after_list = here_;
    const bool outer_several = several_;
    several_ = false;
    std::string from;
    if (at(here_) == Terminal::kw_FROM) {
      ++here_;
      several_ = from_has_several();
      from = tables();
    }
    const size_t resume = here_;
    here_ = list;
    std::string text = distinct ? "different " : "";
    text += items(after_list);
    here_ = resume;
    if (!from.empty()) text += " of " + from;
    if (at(here_) == Terminal::kw_WHERE) {
      ++here_;
      text += " where " + expression(false);
    }
    if (at(here_) == Terminal::kw_GROUP) {
      here_ += 2;
      text += ", for each " + terms();
    }
    if (at(here_) == Terminal::kw_HAVING) {
      ++here_;
      text += ", only where " + expression(false);
    }
    if (at(here_) == Terminal::kw_WINDOW) {
      ++here_;
      skip_to_clause();
    }
    if (at(here_) == Terminal::kw_ORDER) {
      here_ += 2;
      text += ", ordered by " + terms();
    }
    if (at(here_) == Terminal::kw_LIMIT) {
      ++here_;
      const std::string count = expression(false);
      text += count == "1" ? ", the first one only" : ", the first " + count + " only";
    }
    several_ = outer_several;
    return text;
  }

  void skip_to_clause() {
    for (int depth = 0; here_ < lexemes_.size(); ++here_) {
      if (depth == 0 && ends_clause(at(here_))) return;
      if (at(here_) == Terminal::LeftParen) ++depth;
      if (at(here_) == Terminal::RightParen) --depth;
    }
  }

  bool from_has_several() const {
    int depth = 0;
    for (size_t i = here_; i < lexemes_.size(); ++i) {
      if (depth == 0 && ends_clause(at(i))) return false;
      if (at(i) == Terminal::LeftParen) ++depth;
      if (at(i) == Terminal::RightParen) --depth;
      if (depth == 0 && (at(i) == Terminal::kw_JOIN || at(i) == Terminal::Comma)) return true;
    }
    return false;
  }

  std::string items(size_t end) {
    std::vector<std::string> texts;
    while (here_ < end) {
      texts.push_back(expression(true));
      if (at(here_) == Terminal::kw_AS) here_ += 2;
      if (at(here_) == Terminal::Comma && here_ < end) {
        ++here_;
      } else if (here_ < end) {
        ++here_;  // an alias without AS
      }
    }
    return listed(texts);
  }

  static std::string listed(const std::vector<std::string>& texts) {
    std::string text;
    for (size_t i = 0; i < texts.size(); ++i) {
      text += (i == 0 ? "" : i + 1 == texts.size() ? " and " : ", ") + texts[i];
    }
    return text;
  }

  std::string tables() {
    std::string text;
    while (!ends_clause(at(here_))) {
      if (joins(at(here_)) || at(here_) == Terminal::Comma) {
        const bool outer = at(here_) == Terminal::kw_LEFT || at(here_) == Terminal::kw_RIGHT || at(here_) == Terminal::kw_FULL;
        const std::string side = outer ? folded(text_at(here_)) : "";
        while (joins(at(here_)) || at(here_) == Terminal::Comma) ++here_;
        text += outer ? " with what there is (" + side + " join) of " : " with ";
        continue;
      }
      if (at(here_) == Terminal::LeftParen) {
        text += parenthesis();
        skip_alias();
      } else if (at(here_) == Terminal::kw_ON || at(here_) == Terminal::kw_USING) {
        const bool on = at(here_) == Terminal::kw_ON;
        ++here_;
        text += on ? " (matched where " + join_condition() + ")" : " (matched by " + parenthesis() + ")";
      } else {
        text += at(here_) == Terminal::Name ? plain(name_at(here_)) : std::string(text_at(here_));
        ++here_;
        skip_alias();
      }
    }
    return text;
  }

  void skip_alias() {
    if (at(here_) == Terminal::kw_AS) ++here_;
    if (at(here_) == Terminal::Name) ++here_;
  }

  std::string join_condition() {
    in_join_ = true;
    std::string text = expression(false);
    in_join_ = false;
    return text;
  }

  // A subquery, or what else stands in parentheses.
  std::string parenthesis() {
    ++here_;
    std::string text = "(";
    if (at(here_) == Terminal::kw_SELECT) {
      const bool join = in_join_;
      in_join_ = false;
      text += query();
      in_join_ = join;
    } else {
      while (at(here_) != Terminal::RightParen && at(here_) != Terminal::End) {
        add_word(text, expression(false));
        if (at(here_) == Terminal::Comma) {
          text += ",";
          ++here_;
        } else if (at(here_) != Terminal::RightParen && at(here_) != Terminal::End) {
          add_word(text, text_at(here_++));
        }
      }
    }
    if (at(here_) == Terminal::RightParen) ++here_;
    return text + ")";
  }

  std::string terms() {
    std::vector<std::string> texts;
    for (;;) {
      std::string term = expression(false);
      if (at(here_) == Terminal::kw_ASC) ++here_;
      if (at(here_) == Terminal::kw_DESC) {
        ++here_;
        term += " downwards";
      }
      texts.push_back(std::move(term));
      if (at(here_) != Terminal::Comma) return listed(texts);
      ++here_;
    }
  }

  std::string column() {
    std::string qualifier;
    std::string name = name_at(here_++);
    while (at(here_) == Terminal::Dot) {
      ++here_;
      qualifier = name;
      name = at(here_) == Terminal::Star ? "all columns" : name_at(here_);
      ++here_;
    }
    std::string text = plain(name);
    if (!qualifier.empty() && several_) {
      const auto table = tables_.find(folded(qualifier));
      text += " of " + plain(table == tables_.end() ? qualifier : table->second);
    }
    return text;
  }

  std::string call() {
    const std::string name = folded(text_at(here_));
    here_ += 1;
    if (at(here_ + 1) == Terminal::Star && name == "count") {
      here_ += 3;
      return "number of rows";
    }
    const bool distinct = at(here_ + 1) == Terminal::kw_DISTINCT;
    static const std::map<std::string, std::string_view> kWords{
        {"count", "number of values of"}, {"avg", "average"}, {"sum", "sum of"}, {"total", "sum of"}, {"min", "smallest"},
        {"max", "largest"}};
    const auto words = kWords.find(name);
    if (distinct) lexemes_.erase(lexemes_.begin() + static_cast<std::ptrdiff_t>(here_) + 1);
    std::string argument = parenthesis();
    const bool one = argument.find(',') == std::string::npos;
    if (words == kWords.end() || !one) return name + argument;
    const bool bare = argument.find(' ') == std::string::npos || argument.find_first_of("+-*/%(", 1) == std::string::npos;
    if (bare) argument = argument.substr(1, argument.size() - 2);
    if (distinct) return (name == "count" ? "number of different " : std::string(words->second) + " different ") + argument;
    return std::string(words->second) + " " + argument;
  }

  // Up to a comma, a parenthesis that it has not opened, or the next clause. `item`: of a select list, where AS ends it too.
  std::string expression(bool item) {
    std::string text;
    while (!ends_clause(at(here_)) && at(here_) != Terminal::Comma) {
      const Terminal terminal = at(here_);
      if (terminal == Terminal::kw_ASC || terminal == Terminal::kw_DESC) break;
      if (item && terminal == Terminal::kw_AS) break;
      if (in_join_ && (joins(terminal) || terminal == Terminal::kw_ON)) break;
      if (terminal == Terminal::Name && at(here_ + 1) == Terminal::LeftParen) {
        add_word(text, call());
      } else if (terminal == Terminal::Name) {
        add_word(text, column());
      } else if (terminal == Terminal::LeftParen) {
        add_word(text, parenthesis());
      } else if (terminal == Terminal::Star && text.empty()) {
        add_word(text, "all columns");
        ++here_;
      } else if (const std::string_view words = comparison_words(terminal); !words.empty()) {
        add_word(text, words);
        ++here_;
      } else if (terminal == Terminal::kw_IS) {
        const bool negated = at(here_ + 1) == Terminal::kw_NOT;
        const size_t null = here_ + (negated ? 2 : 1);
        if (at(null) == Terminal::kw_NULL) {
          add_word(text, negated ? "is there" : "is missing");
          here_ = null + 1;
        } else {
          add_word(text, "is");
          ++here_;
        }
      } else if (terminal == Terminal::kw_IN) {
        add_word(text, "is one of");
        ++here_;
      } else if (terminal == Terminal::kw_NOT && at(here_ + 1) == Terminal::kw_IN) {
        add_word(text, "is none of");
        here_ += 2;
      } else {
        const bool word = terminal != Terminal::String && terminal != Terminal::Name;
        add_word(text, word ? folded(text_at(here_)) : std::string(text_at(here_)));
        ++here_;
      }
    }
    return text;
  }

  std::string_view sql_;
  std::vector<Lexeme> lexemes_;
  std::map<std::string, std::string> tables_;  // by alias
  size_t here_ = 0;
  bool several_ = false;  // tables in the FROM at hand, so that columns are told with their table
  bool in_join_ = false;
};

}  // namespace

std::string query_in_words(std::string_view sql) { return Teller(sql).query(); }

}  // namespace pccsql
