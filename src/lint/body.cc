// INVARIANT: every text here has been prepared by SQLite, so parentheses match and keywords stand where they must.
#include "lint/body.h"

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

bool is_word(std::string_view sql, const Lexeme& lexeme, std::string_view word) {
  return lexeme.quote == Quote::None && lexeme.terminal != Terminal::String && equal_folded(lexeme.span.of(sql), word);
}

// Follows the nesting: call it with every lexeme in turn; depth() is that of the lexeme itself, parentheses outside.
class Depth {
 public:
  size_t of(const Lexeme& lexeme) {
    if (lexeme.terminal == Terminal::LeftParen) return depth_++;
    if (lexeme.terminal == Terminal::RightParen && depth_ > 0) return --depth_;
    return depth_;
  }

 private:
  size_t depth_ = 0;
};

// The item of lexemes [first, end) without its alias: `a + b AS c` and `a + b c`. A bare second name is an alias only
// if what stands before it can end an expression, which no operator can.
Span without_alias(std::string_view sql, const std::vector<Lexeme>& lexemes, size_t first, size_t end) {
  Depth depth;
  for (size_t i = first; i < end; ++i) {
    if (depth.of(lexemes[i]) == 0 && is_word(sql, lexemes[i], "AS") && i > first) {
      return {lexemes[first].span.begin, lexemes[i - 1].span.end};
    }
  }
  if (end - first >= 2) {
    const Terminal last = lexemes[end - 1].terminal;
    const Terminal before = lexemes[end - 2].terminal;
    const bool ends_expression = before == Terminal::Name || before == Terminal::RightParen ||
                                 before == Terminal::String || before == Terminal::Integer ||
                                 before == Terminal::Float || before == Terminal::Blob ||
                                 is_word(sql, lexemes[end - 2], "END") || is_word(sql, lexemes[end - 2], "NULL");
    if (last == Terminal::Name && ends_expression) return {lexemes[first].span.begin, lexemes[end - 2].span.end};
  }
  return {lexemes[first].span.begin, lexemes[end - 1].span.end};
}

}  // namespace

std::string_view view_body(std::string_view create_view) {
  std::vector<Lexeme> lexemes;
  lex(create_view, lexemes);
  Depth depth;
  for (const Lexeme& lexeme : lexemes) {
    if (depth.of(lexeme) != 0 || !is_word(create_view, lexeme, "AS")) continue;
    size_t end = lexemes.size() - 1;
    while (end > 0 && lexemes[end - 1].terminal == Terminal::Semicolon) --end;
    return create_view.substr(lexeme.span.end, lexemes[end - 1].span.end - lexeme.span.end);
  }
  return {};
}

std::vector<Branch> branches(std::string_view body) {
  std::vector<Lexeme> lexemes;
  lex(body, lexemes);
  std::vector<Branch> found;
  Depth depth;
  size_t first = 0;  // of the select item being read; 0: outside a select list
  const auto end_item = [&](size_t end) {
    if (first != 0 && end > first) found.back().items.push_back(without_alias(body, lexemes, first, end));
  };
  for (size_t i = 0; i < lexemes.size(); ++i) {
    if (depth.of(lexemes[i]) != 0) continue;
    const Lexeme& lexeme = lexemes[i];
    if (i == 0 && !is_word(body, lexeme, "SELECT")) return {};
    if (is_word(body, lexeme, "SELECT")) {
      const bool qualified = is_word(body, lexemes[i + 1], "DISTINCT") || is_word(body, lexemes[i + 1], "ALL");
      first = i + (qualified ? 2 : 1);
      found.emplace_back();
      found.back().select_list = {lexeme.span.end, lexeme.span.end};
    } else if (first != 0 && lexeme.terminal == Terminal::Comma) {
      end_item(i);
      first = i + 1;
    } else if (first != 0) {
      for (const std::string_view word :
           {"FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT"}) {
        if (!is_word(body, lexeme, word)) continue;
        end_item(i);
        found.back().select_list.end = lexeme.span.begin;
        first = 0;
        break;
      }
    }
  }
  if (first != 0) {
    end_item(lexemes.size() - 1);
    found.back().select_list.end = static_cast<uint32_t>(body.size());
  }
  return found;
}

size_t depth_at(std::string_view sql, uint32_t offset) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  Depth depth;
  for (const Lexeme& lexeme : lexemes) {
    const size_t here = depth.of(lexeme);
    if (lexeme.span.end > offset || lexeme.terminal == Terminal::End) return here;
  }
  return 0;
}

bool has_word(std::string_view sql, Span span, std::string_view word) {
  std::vector<Lexeme> lexemes;
  lex(span.of(sql), lexemes);
  for (const Lexeme& lexeme : lexemes) {
    if (is_word(span.of(sql), lexeme, word)) return true;
  }
  return false;
}

std::optional<std::string> generated_expression(std::string_view create_table, std::string_view column) {
  std::vector<Lexeme> lexemes;
  lex(create_table, lexemes);
  Depth depth;
  bool begins_item = false;
  bool wanted = false;
  for (size_t i = 0; i + 1 < lexemes.size(); ++i) {
    const size_t here = depth.of(lexemes[i]);
    const Terminal terminal = lexemes[i].terminal;
    if (begins_item) {
      std::string buffer;
      wanted = equal_folded(name_text(lexemes[i], create_table, buffer), column);
    }
    begins_item = (here == 0 && terminal == Terminal::LeftParen) || (here == 1 && terminal == Terminal::Comma);
    if (wanted && here == 1 && is_word(create_table, lexemes[i], "AS") &&
        lexemes[i + 1].terminal == Terminal::LeftParen) {
      const uint32_t begin = lexemes[i + 1].span.end;
      for (size_t k = i + 1; k + 1 < lexemes.size(); ++k) {
        if (depth.of(lexemes[k]) == 1 && k > i + 1)
          return std::string(create_table.substr(begin, lexemes[k].span.begin - begin));
      }
    }
  }
  return std::nullopt;
}

}  // namespace pccsql
