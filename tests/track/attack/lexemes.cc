#include "track/attack/lexemes.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace pccsql::attack {
namespace {

bool is_keyword(std::string_view word) {
  const Terminal terminal = terminal_of(word);
  return terminal >= Terminal::kw_ABORT && terminal < Terminal::Count;
}

bool may_be_bare(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_word_byte) &&
         !std::isdigit(static_cast<unsigned char>(name[0]));
}

std::string doubled(std::string_view text, char quote) {
  std::string out;
  for (const char c : text) out += c == quote ? std::string(2, c) : std::string(1, c);
  return out;
}

}  // namespace

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) || byte == '_' || byte == '$' || byte >= 0x80;
}

LexemeSource::LexemeSource(const Catalog& catalog, Style style, uint64_t seed) : style_(style), random_(seed) {
  for (const Table& table : catalog.tables()) {
    tables_.push_back(table.name);
    for (const Column& column : table.columns) columns_.push_back(column.name);
  }
  for (const Function& function : sql_grammar().functions()) functions_.push_back(function.name);
  for (auto t = static_cast<size_t>(Terminal::LeftParen); t < kTerminals; ++t) {
    const std::string text(spelling(static_cast<Terminal>(t)));
    if (t >= static_cast<size_t>(Terminal::kw_ABORT)) {
      keywords_.push_back(text);
    } else if (t <= static_cast<size_t>(Terminal::Semicolon)) {
      punctuation_.push_back(text);
    } else {
      operators_.push_back(text);
    }
  }
  operators_.insert(operators_.end(), {"==", "!=", "<>"});
}

std::string LexemeSource::pick(const std::vector<std::string>& from) {
  return from.empty() ? "x" : from[random_() % from.size()];
}

std::string LexemeSource::cased(std::string word) {
  if (style_ == Style::Canonical) return word;
  switch (random_() % 4) {
    case 0:
      for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return word;
    case 1:
      for (char& c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) c = static_cast<char>(random_() % 2 == 0 ? std::tolower(byte) : std::toupper(byte));
      }
      return word;
    default:
      return word;
  }
}

std::string LexemeSource::spelled(const std::string& name) {
  const std::string text = random_() % 4 == 0 ? cased(name) : name;
  if (style_ == Style::Canonical && may_be_bare(text) && !is_keyword(text) && random_() % 16 != 0) return text;
  switch (random_() % 8) {
    case 0:
      return "\"" + doubled(text, '"') + "\"";
    case 1:
      return "`" + doubled(text, '`') + "`";
    case 2:
      if (text.find(']') == std::string::npos) return "[" + text + "]";
      break;
    default:
      break;
  }
  return may_be_bare(text) && (!is_keyword(text) || random_() % 2 == 0) ? text : "\"" + doubled(text, '"') + "\"";
}

std::string LexemeSource::table() { return spelled(pick(tables_)); }
std::string LexemeSource::column() { return spelled(pick(columns_)); }

std::string LexemeSource::blank() {
  if (style_ == Style::Canonical) return " ";
  const char* blanks[] = {" ", " ", " ", " ", " ", "\n", "\t", "  ", "\n  ", "\r\n"};
  return blanks[random_() % std::size(blanks)];
}

std::string LexemeSource::seen(std::string_view text) {
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  std::vector<std::string> names;
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.terminal == Terminal::Name) names.emplace_back(lexeme.span.of(text));
  }
  return names.empty() ? "T1" : names[random_() % names.size()];
}

std::string LexemeSource::integer() {
  switch (random_() % 8) {
    case 0:
      return "0";
    case 1:
      return std::to_string(random_() % 100'000);
    case 2:
      return std::to_string(1'000'000'000'000'000u + random_() % 9'000'000'000'000'000u);
    case 3:
      return "0x" + std::string(1 + random_() % 16, "0123456789aBcDeF"[random_() % 16]);
    case 4:
      return std::string(15 + random_() % 8, static_cast<char>('1' + random_() % 9));
    default:
      return std::to_string(1 + random_() % 4);
  }
}

std::string LexemeSource::string_literal() {
  if (style_ != Style::Canonical && random_() % 12 == 0) return pick({"\"\"", "\"zz\"", "\"\"\"\""});  // where no column is called so
  const char* texts[] = {"''",       "'x'",     "'it''s'", "'%a_b%'", "'2020-01-01'", "'--'",     "'/*'",
                         "';'",      "'\"'",    "'é'",     "'x''y'",  "''''",         "'a b  c'", "'\xF0\x9F\x98\x80'",
                         "'$.a[0]'", "'+1 day'"};
  if (random_() % 60 == 0) return "'" + std::string(random_() % 300, 'x');  // left open
  return texts[random_() % std::size(texts)];
}

std::string LexemeSource::call() {
  if (random_() % 12 == 0) return cased("CAST(1 AS DECIMAL(");  // a type's numbers are hardly ever come to word by word
  const Function& function = sql_grammar().functions()[random_() % functions_.size()];
  std::string text = cased(function.name) + (random_() % 8 == 0 ? " (" : "(");
  if (random_() % 3 != 0) return text;
  const size_t count = function.least + (function.most > function.least ? random_() % 2 : 0);
  for (size_t i = 0; i < count; ++i) {
    text += i == 0 ? "" : ", ";
    text += random_() % 2 == 0 ? column() : integer();
  }
  return text + ")";
}

// Neighbouring columns, of one item of FROM or of none: of wide tables a walk would else never name many.
std::string LexemeSource::columns() {
  const size_t count = 2 + random_() % (random_() % 4 == 0 ? 200 : 8);
  const std::string qualifier = random_() % 4 == 0 ? pick({"T1.", "a.", "b."}) : "";
  const size_t first = random_() % columns_.size();
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + qualifier + spelled(columns_[(first + i) % columns_.size()]);
  }
  return text;
}

std::string LexemeSource::phrase(std::string_view text) {
  switch (random_() % 22) {
    case 14:
      return cased(pick({"SUM(", "AVG(", "COUNT(", "COUNT(DISTINCT ", "SUM(CASE WHEN 1 THEN ", "SUM(COALESCE("})) +
             column() + pick({" + ", " - ", " * ", " / ", ", "});
    case 15:
      return pick({"+", "-", "*", "/"}) + " " + pick({"2.0", "3", "123456", ".5", "1e3", "12.5"});
    case 16:
      return cased("WHERE") + " " + column() + " " +
             cased(pick({"IN", "NOT IN", "=", "<>", "<", "IS", "BETWEEN"})) + " (" + cased("SELECT") + " " + column() + " " + cased("FROM") + " " + table();
    case 17:
      return cased(pick({"IN", "NOT IN", "=", ">=", "IS NOT"})) + " (" + cased("SELECT") + " " + column();
    case 18:
      return cased(pick({"EXISTS", "NOT EXISTS"})) + " (" + cased("SELECT") + " " + pick({"*", "1"}) + " " +
             cased("FROM") + " " + table();
    case 19:
      return cased(pick({"WHERE", "AND", "OR", "HAVING", "ON"})) + " (" + cased("SELECT") + " " + column();
    case 20:
      return columns();
    case 21:
      return cased(pick({"RIGHT JOIN", "FULL JOIN", "NATURAL RIGHT JOIN", "FULL NATURAL JOIN", "LEFT RIGHT JOIN"})) + " " +
             table();
    case 0:
      return cased("ORDER BY");
    case 1:
      return cased("GROUP BY");
    case 2:
      return cased("PARTITION BY");
    case 3:
      return cased("OVER") + "(";
    case 4:
      return cased("FILTER") + "(" + cased("WHERE");
    case 5:
      return cased("USING") + "(" + column();
    case 6:
      return cased("FROM") + " " + table();
    case 7:
      return cased("JOIN") + " " + table();
    case 8:
      return "(" + cased("SELECT");
    case 9:
      return cased("FROM") + " " + seen(text);
    case 10:
      return cased("JOIN") + " " + seen(text);
    case 11:
      return cased("NATURAL JOIN") + " " + table();
    case 12:
      return cased("AS") + " " + pick({"T1", "T2", "x", "n", "new_name", "\"a b\"", "`q`", "[r]"});
    default:
      return seen(text) + ".*";
  }
}

LexemeSource::Class LexemeSource::any_class() {
  return static_cast<Class>(random_() % static_cast<size_t>(Class::Count));
}

std::string LexemeSource::any(Class cls, std::string_view text) {
  switch (cls) {
    case Class::Keyword:
      return cased(pick(keywords_));
    case Class::Punctuation:
      return pick(punctuation_);
    case Class::Operator:
      return pick(operators_);
    case Class::Integer:
      return integer();
    case Class::Float:
      return pick({"1.5", ".5", "2.", "1e3", "1E-3", "1.5e+10", "0.0", "00012.250"});
    case Class::String:
      return string_literal();
    case Class::Blob:
      return pick({"x''", "x'00'", "X'aBcD'"});
    case Class::Table:
      return table();
    case Class::Column:
      return column();
    case Class::Qualified:
      return (random_() % 3 == 0   ? table()
              : random_() % 2 == 0 ? seen(text)
                                   : pick({"T1", "T2", "T3", "a", "b", "x9", "t"})) +
             "." + (random_() % 12 == 0 ? "*" : column());
    case Class::Function:
      return call();
    case Class::Seen:
      return seen(text);
    case Class::FreshAlias:
      return pick({"T1", "T2", "T3", "T4", "a", "b", "x9", "zz", "q12"});
    case Class::FreshName:
      return pick(
          {"n", "m", "total_count", "new_name", "k", "\"new name\"", "[n n]", "`n`", "ünïcode", "_x", "x$y", "w"});
    case Class::RowId:
      return cased(pick({"rowid", "oid", "_rowid_", "\"rowid\""}));
    default:
      return phrase(text);
  }
}

std::string LexemeSource::of(Terminal terminal, Slot slot, std::string_view text) {
  switch (terminal) {
    case Terminal::String:
      return string_literal();
    case Terminal::Integer:
      return integer();
    case Terminal::Float:
      return any(Class::Float, text);
    case Terminal::Blob:
      return any(Class::Blob, text);
    case Terminal::Name:
      break;
    default:
      return cased(std::string(spelling(terminal)));
  }
  switch (slot) {
    case Slot::Table:
      return random_() % 4 == 0 ? seen(text) : table();
    case Slot::Alias:
    case Slot::NewName:
      return any(random_() % 2 == 0 ? Class::FreshAlias : Class::FreshName, text);
    case Slot::Window:
      return random_() % 2 == 0 ? seen(text) : "w";
    case Slot::Collation:
      return cased(pick({"NOCASE", "BINARY", "RTRIM", "\"nocase\""}));
    case Slot::Type:
      return cased(pick({"INT", "TEXT", "REAL", "VARCHAR", "\"any\"", "DOUBLE", "anything"}));
    case Slot::Column:
      return random_() % 4 == 0 ? seen(text) : column();
    default: {
      const Class classes[] = {Class::Column,   Class::Column, Class::Qualified,
                               Class::Function, Class::Seen,   Class::RowId};
      return any(classes[random_() % std::size(classes)], text);
    }
  }
}

}  // namespace pccsql::attack
