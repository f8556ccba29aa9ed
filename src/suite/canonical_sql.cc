#include "suite/canonical_sql.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/text.h"
#include "prompt/schema_text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

bool is_keyword(Terminal terminal) { return terminal > Terminal::LongArrow; }

bool is_operator(Terminal terminal) { return terminal >= Terminal::Plus && terminal <= Terminal::LongArrow; }

std::string in_capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string string_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

// One letter with up to two digits.
bool is_short_alias(std::string_view name) {
  const bool letter = !name.empty() && fold(name[0]) >= 'a' && fold(name[0]) <= 'z';
  return letter && name.size() <= 3 && std::ranges::all_of(name.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

class CanonicalWriter {
 public:
  CanonicalWriter(std::string_view sql, const Catalog& catalog, const Analysis& analysis) : sql_(sql), catalog_(catalog) {
    lex(sql, lexemes_);
    for (const Occurrence& use : analysis.uses) {
      // A name that was written, not an alias or a `*` that stands for one.
      if (use.star) continue;
      columns_.emplace(use.span.end, use.column);
    }
    for (const NamedTable& mention : analysis.tables) tables_.emplace(mention.span.begin, mention.table);
    // A name that is declared in two ways is written as it was first, wherever it stands.
    for (const Table& table : catalog.tables()) {
      declared_.emplace(folded(table.name), table.name);
      for (const Column& column : table.columns) declared_.emplace(folded(column.name), column.name);
    }
    collect_aliases();
  }

  std::string text() {
    for (at_ = 0; at_ + 1 < lexemes_.size(); ++at_) {
      if (here().terminal == Terminal::Semicolon) break;
      if (begins_bare_alias()) out_ += " AS";
      write(spelled(), is_glued());
      if (here().terminal == Terminal::LeftParen) in_cast_.push_back(was(Terminal::kw_CAST));
      if (here().terminal == Terminal::RightParen && !in_cast_.empty()) in_cast_.pop_back();
    }
    return out_;
  }

 private:
  const Lexeme& here() const { return lexemes_[at_]; }
  const Lexeme& next() const { return lexemes_[at_ + 1]; }
  const Lexeme* previous() const { return at_ == 0 ? nullptr : &lexemes_[at_ - 1]; }
  bool was(Terminal terminal) const { return previous() != nullptr && previous()->terminal == terminal; }

  std::string name_of(const Lexeme& lexeme) const {
    std::string buffer;
    return std::string(name_text(lexeme, sql_, buffer));
  }

  // Aliases of what FROM names; those that are longer than the style has them get others.
  void collect_aliases() {
    std::set<std::string> taken;
    for (const Lexeme& lexeme : lexemes_) {
      if (lexeme.terminal == Terminal::Name) taken.insert(folded(name_of(lexeme)));
    }
    for (size_t i = 0; i + 2 < lexemes_.size(); ++i) {
      if (!tables_.contains(lexemes_[i].span.begin)) continue;
      const bool as = lexemes_[i + 1].terminal == Terminal::kw_AS;
      const Lexeme& alias = lexemes_[i + (as ? 2 : 1)];
      if (alias.terminal != Terminal::Name || is_short_alias(name_of(alias))) continue;
      const std::string name = folded(name_of(alias));
      for (int number = 1; !renamed_.contains(name); ++number) {
        const std::string better = "T" + std::to_string(number);
        if (taken.insert(folded(better)).second) renamed_.emplace(name, better);
      }
    }
    for (size_t i = 0; i + 1 < lexemes_.size(); ++i) {
      const bool item = lexemes_[i].terminal == Terminal::kw_FROM || lexemes_[i].terminal == Terminal::kw_JOIN;
      derived_ |= item && lexemes_[i + 1].terminal == Terminal::LeftParen;
      if (lexemes_[i].terminal == Terminal::kw_AS && lexemes_[i + 1].terminal == Terminal::Name) {
        aliases_.insert(folded(name_of(lexemes_[i + 1])));
      }
    }
  }

  // A name after something that is whole: it can only be an alias whose AS was left out.
  bool begins_bare_alias() const {
    if (here().terminal != Terminal::Name || previous() == nullptr) return false;
    const Terminal before = previous()->terminal;
    return before == Terminal::Name || before == Terminal::RightParen || before == Terminal::String ||
           before == Terminal::Integer || before == Terminal::Float || before == Terminal::kw_END;
  }

  bool is_call() const {
    if (next().terminal != Terminal::LeftParen || here().quote != Quote::None) return false;
    if (here().terminal == Terminal::Name) return true;
    return here().terminal == Terminal::kw_CAST ||
           (is_keyword(here().terminal) && keyword_kind(here().terminal) != KeywordKind::Reserved);
  }

  std::string spelled() const {
    const std::string_view written = here().span.of(sql_);
    switch (here().terminal) {
      case Terminal::Equal:
        return "=";
      case Terminal::Name:
        return is_call() && !was(Terminal::kw_WITH) && !tables_.contains(here().span.begin) ? in_capitals(written) : spelled_name();
      default:
        return is_keyword(here().terminal) ? spelled_keyword(written) : std::string(written);
    }
  }

  // A keyword that can be a name may be one here.
  std::string spelled_keyword(std::string_view written) const {
    if (keyword_kind(here().terminal) != KeywordKind::Reserved && !is_call() &&
        (columns_.contains(here().span.end) || tables_.contains(here().span.begin))) {
      return spelled_name();
    }
    return in_capitals(written);
  }

  std::string spelled_name() const {
    const std::string name = name_of(here());
    if (was(Terminal::kw_AS) && !in_cast_.empty() && in_cast_.back()) return in_capitals(name);
    const bool qualifies = next().terminal == Terminal::Dot;
    const bool qualified = was(Terminal::Dot);
    if (const auto table = tables_.find(here().span.begin); table != tables_.end()) {
      return as_declared(catalog_.table(table->second).name);
    }
    if (!qualified) {
      if (const auto other = renamed_.find(folded(name)); other != renamed_.end()) return other->second;
    }
    if (qualifies) {
      const auto table = catalog_.find_table(name);
      return table && !aliases_.contains(folded(name)) ? as_declared(catalog_.table(*table).name) : name_in_sql(name);
    }
    if (const auto use = columns_.find(here().span.end); use != columns_.end()) {
      const std::string& column = catalog_.column(use->second).name;
      // An alias that stands for a column is written as it was.
      if (equal_folded(column, name)) return as_declared(column);
    }
    if (aliases_.contains(folded(name)) && !qualified) return name_in_sql(name);
    // Of a derived table's columns the checker says nothing.
    const bool inner = derived_ && declared_.contains(folded(name));
    if (here().quote == Quote::Double && !qualified && !inner && !was(Terminal::kw_AS) && !begins_bare_alias()) return string_literal(name);
    return as_declared(name);
  }

  std::string as_declared(const std::string& name) const {
    const auto known = declared_.find(folded(name));
    return name_in_sql(known != declared_.end() ? known->second : name);
  }

  bool is_glued() const {
    const Terminal terminal = here().terminal;
    if (out_.empty() || was(Terminal::Dot) || was(Terminal::LeftParen)) return true;
    if (terminal == Terminal::Dot || terminal == Terminal::Comma || terminal == Terminal::RightParen) return true;
    if (terminal == Terminal::LeftParen) return after_call_;
    return after_sign_;
  }

  void write(const std::string& word, bool glued) {
    if (!glued) out_ += ' ';
    out_ += word;
    after_call_ = is_call();
    // A sign belongs to the number after it where no operand stands before it.
    const bool sign = here().terminal == Terminal::Minus || here().terminal == Terminal::Plus;
    const Terminal before = previous() == nullptr ? Terminal::End : previous()->terminal;
    after_sign_ = sign && (before == Terminal::LeftParen || before == Terminal::Comma || is_operator(before) ||
                           (is_keyword(before) && before != Terminal::kw_END));
  }

  std::string_view sql_;
  const Catalog& catalog_;
  std::vector<Lexeme> lexemes_;
  std::map<uint32_t, ColumnRef> columns_;        // by where the name ends
  std::map<uint32_t, TableId> tables_;           // by where the name begins
  std::map<std::string, std::string> declared_;  // names of the schema, as they are declared, by their folded name
  std::map<std::string, std::string> renamed_;   // aliases, by their folded name
  std::set<std::string> aliases_;                // folded
  bool derived_ = false;                          // there is a derived table
  size_t at_ = 0;
  std::string out_;
  std::vector<bool> in_cast_;  // for each open parenthesis
  bool after_call_ = false;
  bool after_sign_ = false;
};

}  // namespace

std::string canonical_sql(std::string_view sql, const Catalog& catalog, const Analysis& analysis) {
  if (analysis.verdict == Verdict::Error) return std::string(sql);
  return CanonicalWriter(sql, catalog, analysis).text();
}

}  // namespace pccsql
