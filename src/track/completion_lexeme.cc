// The first part of a completion: what is missing of the lexeme that is open.
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/text.h"
#include "track/completion.h"

namespace pccsql::track {
namespace {

using Kind = LexState::Kind;

// Bytes that end a character that was begun, by the lexer's states.
std::string utf8_tail(uint8_t state) {
  switch (state) {
    case 0:
      return "";
    case 1:
      return "\x80";
    case 2:
      return "\x80\x80";
    case 3:
      return "\x80\x80\x80";
    case 4:
      return "\xA0\x80";
    case 5:
      return "\x80\x80";
    case 6:
      return "\x90\x80\x80";
    default:
      return "\x80\x80\x80";
  }
}

}  // namespace

PrefixId Completer::pushed(PrefixId prefix, std::string_view text) {
  for (const char c : text) prefix = tracker_.push(prefix, static_cast<uint8_t>(c));
  return prefix;
}

std::optional<std::string> Completer::shortest_word(const Expectation& next, const std::string& prefix, bool quoted,
                                                    Quote quote) const {
  const World& world = tracker_.world_;
  std::optional<std::string> best;
  const auto offer = [&](std::string_view word) {
    if (!can_quote(word, quote)) return;
    if (!best || word.size() < best->size()) best = std::string(word);
  };
  const auto [first, last] = world.range(folded(prefix));
  const RankSet& ranks = quoted ? next.quoted : next.bare;
  const bool spelled = world.settings().style == Style::Canonical;
  for (Rank rank = ranks.next(first); rank < last; rank = ranks.next(rank + 1)) {
    for (const std::string_view word : world.spellings(world.word(rank), quoted)) {
      if (!word.empty() && (!spelled || word.starts_with(prefix))) offer(word);
    }
  }
  const std::string small = folded(prefix);
  for (const std::string& own : quoted ? next.own_quoted : next.own_bare) {
    if (own.compare(0, small.size(), small) == 0) offer(own);
  }
  return best;
}

// What is missing of the lexeme that is open. Nothing missing is an empty text; no way to end it is nothing.
std::optional<std::string> Completer::finish_lexeme(PrefixId id) {
  const SqlTracker::Prefix prefix = tracker_.prefixes_[id];
  const LexState& lex = prefix.lex;
  if (lex.kind == Kind::Blank) return "";
  const std::string tail = utf8_tail(lex.utf8);
  const Expectation& next = tracker_.expected(prefix.state_id);
  switch (lex.kind) {
    case Kind::Word:
    case Kind::Quoted: {
      const bool quoted = lex.kind == Kind::Quoted;
      const std::string close = !quoted                       ? ""
                                : lex.quote == Quote::Bracket ? "]"
                                                              : std::string(1, static_cast<char>(lex.quote));
      const std::string text = folded(store_.texts.str(lex.text));
      // As it stands, then the shortest known word, then letters that make a new name of it.
      std::vector<std::string> ways;
      const bool invented = next.free_word || next.free_quoted || next.free_string || next.alias || next.some_alias;
      if (tail.empty() && (invented || is_expected(next, prefix.node, text, quoted))) ways.push_back(close);
      if (const auto known = shortest_word(next, store_.texts.str(lex.text), quoted, lex.quote)) {
        std::string rest = known->substr(std::min(known->size(), text.size()));
        std::string escaped;
        for (const char c : rest)
          escaped += quoted && close == std::string(1, c) ? std::string(2, c) : std::string(1, c);
        ways.push_back(escaped + close);
      }
      if (invented) {
        for (const std::string_view more :
             {"", "1", "7", "17", "x", "x1", "x17", "z1", "zq", "zqx", "2", "3", "4", "5", "6"})
          ways.push_back(tail + std::string(more) + close);
      }
      if (!quoted && text == "x") ways.push_back("''");
      return ending(id, ways);
    }
    case Kind::QuotedEnd:
      if (tracker_.ended(id) != SqlTracker::kNever) return "";
      if (next.free_quoted || next.free_string || next.alias) {
        const std::string quote(1, static_cast<char>(lex.quote));
        std::vector<std::string> ways;
        for (const std::string_view more : {"", "x", "zq", "zqx"}) ways.push_back(quote + std::string(more) + quote);
        if (auto way = ending(id, ways)) return way;
      }
      // The quote was the first of a doubled one.
      if (const auto known =
              shortest_word(next, folded(store_.texts.str(lex.text)) + static_cast<char>(lex.quote), true)) {
        const std::string rest = known->substr(store_.texts.length(lex.text));
        std::string escaped;
        for (const char c : rest) {
          escaped += c;
          if (c == static_cast<char>(lex.quote)) escaped += c;
        }
        return escaped.substr(1) + static_cast<char>(lex.quote);
      }
      return std::nullopt;
    case Kind::String:
      return tail + "'";
    case Kind::HexMark:
    case Kind::ExponentMark:
    case Kind::ExponentSign:
      return "1";
    case Kind::BlobEven:
      return "'";
    case Kind::BlobOdd:
      return "0'";
    case Kind::Less:
    case Kind::Greater:
    case Kind::Bar:
    case Kind::Minus:
    case Kind::Arrow:
      return ending(id, std::initializer_list<std::string_view>{"", "=", ">", "<", "|"});
    case Kind::Bang:
      return "=";
    case Kind::Digits:
    case Kind::Zero:
      return next.terminals[static_cast<size_t>(Terminal::Integer)] ? "" : ".";
    case Kind::Dot:
      return next.terminals[static_cast<size_t>(Terminal::Dot)] ? "" : "1";
    default:
      return "";
  }
}

// Whether the word is one of those expected, as it stands.
bool Completer::is_expected(const Expectation& next, uint32_t node, const std::string& text, bool quoted) const {
  const std::vector<std::string>& own = quoted ? next.own_quoted : next.own_bare;
  if (std::find(own.begin(), own.end(), text) != own.end()) return true;
  if (node == 0) return false;
  const World& world = tracker_.world_;
  const Rank rank = world.trie().node(node).first;  // of the words that begin so, the shortest comes first
  if (rank >= world.words() || world.names().text(world.word(rank)).size() != text.size()) return false;
  const RankSet& ranks = quoted ? next.quoted : next.bare;
  return ranks.contains(rank);
}

}  // namespace pccsql::track
