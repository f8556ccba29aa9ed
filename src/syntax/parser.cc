#include "syntax/parser.h"

namespace pccsql {
namespace {

// Deeper than any query the database's own parser takes; keeps a megabyte of parentheses cheap.
constexpr size_t kDeepestStack = 4096;

}  // namespace

// Whether `terminal` can be read now, either by the rule on top or, where rules may end, by one below it.
bool Parser::viable(Terminal terminal) const {
  for (size_t i = stack_.size(); i-- > 0;) {
    if (grammar_.action(stack_[i].state, terminal).kind != Action::None) return true;
    if (!grammar_.states()[stack_[i].state].final) return false;
  }
  return terminal == Terminal::End;
}

// A keyword that cannot stand here is read as a name, where its kind lets it.
Terminal Parser::read_as(const Lexeme& lexeme) const {
  const KeywordKind kind = keyword_kind(lexeme.terminal);
  if (kind == KeywordKind::Reserved || kind == KeywordKind::Window || viable(lexeme.terminal)) return lexeme.terminal;
  if (kind != KeywordKind::JoinWord) return Terminal::Name;
  const Slot slot = name_slot();
  return slot == Slot::Alias || slot == Slot::Type ? lexeme.terminal : Terminal::Name;
}

// The slot that a name read now would fill.
Slot Parser::name_slot() const {
  for (size_t i = stack_.size(); i-- > 0;) {
    StateId state = stack_[i].state;
    Action action = grammar_.action(state, Terminal::Name);
    while (action.kind == Action::Call) {
      state = grammar_.rules()[action.rule].start;
      action = grammar_.action(state, Terminal::Name);
    }
    if (action.kind == Action::Shift) return grammar_.states()[state].slot;
    if (!grammar_.states()[state].final) break;
  }
  return Slot::None;
}

void Parser::close(uint32_t lexeme) {
  Node& node = nodes_[stack_.back().node];
  node.last = lexeme;
  node.next = static_cast<uint32_t>(nodes_.size());
  stack_.pop_back();
}

bool Parser::parse(const std::vector<Lexeme>& lexemes) {
  nodes_.clear();
  stack_.clear();
  nodes_.push_back({0, 0, 0, 0});
  stack_.push_back({grammar_.rules()[0].start, 0});
  for (uint32_t i = 0;; ++i) {
    const Terminal terminal = read_as(lexemes[i]);
    for (;;) {
      if (stack_.empty()) {
        if (terminal == Terminal::End) return true;
        error_ = i;
        return false;
      }
      const Action& action = grammar_.action(stack_.back().state, terminal);
      if (action.kind == Action::Shift) {
        stack_.back().state = action.next;
        break;
      }
      if (action.kind == Action::Call) {
        if (stack_.size() >= kDeepestStack) {
          error_ = i;
          return false;
        }
        stack_.back().state = action.next;
        stack_.push_back({grammar_.rules()[action.rule].start, static_cast<uint32_t>(nodes_.size())});
        nodes_.push_back({action.rule, i, i, 0});
        continue;
      }
      if (!grammar_.states()[stack_.back().state].final) {
        error_ = i;
        return false;
      }
      close(i);
    }
  }
}

std::string Parser::expected() const {
  std::string out;
  size_t count = 0;
  for (size_t t = 0; t < kTerminals; ++t) {
    const auto terminal = static_cast<Terminal>(t);
    if (terminal == Terminal::Parameter || !viable(terminal)) continue;
    if (++count > 6) return "";  // a list that long helps nobody
    if (!out.empty()) out += ", ";
    const bool described = t < static_cast<size_t>(Terminal::LeftParen);
    out += described ? std::string(spelling(terminal)) : "`" + std::string(spelling(terminal)) + "`";
  }
  return out;
}

}  // namespace pccsql
