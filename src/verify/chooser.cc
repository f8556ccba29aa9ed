#include "verify/chooser.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace pccsql {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_word(char c) { return (fold(c) >= 'a' && fold(c) <= 'z') || c == '_' || static_cast<uint8_t>(c) >= 0x80; }
bool continues_word(char c) { return begins_word(c) || is_digit(c) || c == '$'; }
bool continues_number(char c) { return is_digit(c) || begins_word(c) || c == '.'; }

// How readily each group is drawn; the end's is drawn for each text.
constexpr std::array<unsigned, kTokenGroups> kWeights{2, 16, 12, 6, 4, 4, 8, 0};
constexpr std::array<unsigned, 4> kEndWeights{1, 2, 6, 20};

std::vector<std::string> catalogue_names(const Catalog& catalog) {
  std::set<std::string> names;
  for (const Table& table : catalog.tables()) {
    names.insert(folded(table.name));
    for (const Column& column : table.columns) names.insert(folded(column.name));
  }
  return {names.begin(), names.end()};
}

// Whether some of the sorted names begins with `prefix`.
bool begins_one(const std::vector<std::string>& names, std::string_view prefix) {
  const auto at =
      std::ranges::lower_bound(names, prefix, {}, [](const std::string& name) -> std::string_view { return name; });
  return at != names.end() && at->starts_with(prefix);
}

uint8_t what_it_ends(std::string_view bytes) {
  uint8_t ends = 0;
  for (const char c : bytes) {
    if (c == '\'') ends |= TokenClasses::Apostrophe;
    if (c == '"') ends |= TokenClasses::DoubleQuote;
    if (c == '`') ends |= TokenClasses::Backtick;
    if (c == ']') ends |= TokenClasses::Bracket;
    if (!continues_word(c)) ends |= TokenClasses::NoWord;
    if (!continues_number(c)) ends |= TokenClasses::NoDigit;
  }
  return ends;
}

TokenClasses::Class class_of(std::string_view bytes, const std::vector<std::string>& names) {
  TokenClasses::Class own;
  own.ends = what_it_ends(bytes);
  while (!bytes.empty() && is_blank(bytes.front())) bytes.remove_prefix(1);
  if (bytes.empty()) {
    own.group = TokenGroup::Blank;
    return own;
  }
  const char first = bytes.front();
  own.within = static_cast<uint8_t>(fold(first));
  if (begins_word(first)) {
    const auto end = std::ranges::find_if_not(bytes, continues_word);
    const std::string word = folded(bytes.substr(0, static_cast<size_t>(end - bytes.begin())));
    const Terminal keyword = terminal_of(word);
    if (keyword != Terminal::Illegal) {
      own.group = TokenGroup::Keyword;
      own.within = static_cast<uint8_t>(keyword);
    } else if (begins_one(names, word)) {
      own.group = TokenGroup::Name;
    }
  } else if (is_digit(first) || (first == '.' && bytes.size() > 1 && is_digit(bytes[1]))) {
    own.group = TokenGroup::Number;
  } else if (first == '\'' || first == '"' || first == '`' || first == '[') {
    own.group = TokenGroup::Quote;
  } else {
    own.group = TokenGroup::Punctuation;
  }
  return own;
}

size_t draw(std::mt19937_64& random, size_t below) {
  return std::uniform_int_distribution<size_t>(0, below - 1)(random);
}

}  // namespace

TokenClasses::TokenClasses(const Vocabulary& vocabulary, const Catalog& catalog) : vocabulary_(vocabulary) {
  const std::vector<std::string> names = catalogue_names(catalog);
  classes_.reserve(vocabulary.size());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    classes_.push_back(vocabulary.is_end_of_text(id) ? Class{TokenGroup::End, 0, 0}
                                                     : class_of(vocabulary.bytes(id), names));
  }
}

Chooser::Chooser(const TokenClasses& classes, const Catalog& catalog, const Policy& policy, WalkLogits logits)
    : classes_(classes), logits_(logits) {
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    for (ColumnIndex column = 0; column < catalog.table(table).columns.size(); ++column) {
      if (policy.of({table, column}) == ColumnPolicy::Public) continue;
      restricted_.emplace_back(folded(catalog.column({table, column}).name), folded(catalog.table(table).name));
    }
  }
}

void Chooser::start(std::mt19937_64& random) {
  constexpr size_t kMostTargets = 4;
  end_weight_ = kEndWeights[draw(random, kEndWeights.size())];
  // Each text has a taste of its own, so that what is rare among all is frequent in some, and half of them a few
  // things that they take wherever they can, so that also two rare ones meet.
  for (auto& group : tastes_) {
    for (uint16_t& taste : group) taste = static_cast<uint16_t>(1U << draw(random, 7));
  }
  if (draw(random, 2) == 0) {
    constexpr uint16_t kFavourite = 1U << 12;
    for (auto& group : tastes_) {
      for (uint16_t& taste : group) {
        if (draw(random, 32) == 0) taste = kFavourite;
      }
    }
  }
  texts_ = {};
  lexical_ = {};
  word_.clear();
  columns_.clear();
  tables_.clear();
  // A few columns, others in each text: aimed at all of them, every text would go for the one with the longest name.
  const size_t targets = restricted_.empty() ? 0 : 1 + draw(random, kMostTargets);
  for (size_t i = 0; i < targets; ++i) {
    const auto& [column, table] = restricted_[draw(random, restricted_.size())];
    columns_.push_back(column);
    tables_.push_back(table);
  }
}

void Chooser::wrote(std::string_view bytes) {
  for (const char byte : bytes) {
    const track::LexStep step = track::step(lexical_, static_cast<uint8_t>(byte), texts_);
    lexical_ = step.ok ? step.state : track::LexState{};
  }
  using LexKind = track::LexState::Kind;
  const bool name = lexical_.kind == LexKind::Word || lexical_.kind == LexKind::Quoted;
  word_ = name ? texts_.str(texts_.folded(lexical_.text)) : "";
}

uint8_t Chooser::what_ends_the_lexeme() const {
  using LexKind = track::LexState::Kind;
  switch (lexical_.kind) {
    case LexKind::Word:
      return TokenClasses::NoWord;
    case LexKind::String:
      return TokenClasses::Apostrophe;
    case LexKind::Quoted:
      if (lexical_.quote == Quote::Double) return TokenClasses::DoubleQuote;
      return lexical_.quote == Quote::Backtick ? TokenClasses::Backtick : TokenClasses::Bracket;
    case LexKind::Digits:
    case LexKind::HexDigits:
    case LexKind::Fraction:
    case LexKind::Exponent:
      return TokenClasses::NoDigit;
    default:
      return 0;
  }
}

// How much of a target's name the text would hold or end with after the piece: the most over its words. A column's
// counts more than its table's.
size_t Chooser::closeness(std::string_view piece) const {
  const std::string text = word_ + folded(piece);
  size_t closest = 0;
  const auto compare = [&closest](std::string_view rest, const std::vector<std::string>& names, size_t worth) {
    for (const std::string& name : names) {
      const auto end = std::ranges::mismatch(rest, name).in1;
      closest = std::max(closest, worth * static_cast<size_t>(end - rest.begin()));
    }
  };
  for (size_t i = 0; i < text.size();) {
    if (i > 0 && !begins_word(text[i])) {
      ++i;
      continue;
    }
    // Names with a blank in them go on over it, so the whole rest is compared.
    compare(std::string_view(text).substr(i), columns_, 2);
    compare(std::string_view(text).substr(i), tables_, 1);
    do {
      ++i;
    } while (i < text.size() && continues_word(text[i]));
  }
  return closest;
}

void Chooser::keep_closest() {
  if (lexical_.kind == track::LexState::Kind::String) return;
  const Vocabulary& vocabulary = classes_.vocabulary();
  size_t most = 0;
  std::vector<TokenId> best;
  for (const TokenId id : open_) {
    const size_t own = classes_.of(id).group == TokenGroup::End ? 0 : closeness(vocabulary.bytes(id));
    if (own > most) best.clear();
    most = std::max(most, own);
    if (own == most) best.push_back(id);
  }
  open_ = std::move(best);
}

TokenId Chooser::choose(ConstBitmask mask, std::mt19937_64& random) {
  open_.clear();
  mask.for_each([this](uint32_t id) { open_.push_back(id); });
  // Inside free text nearly all of a vocabulary may come: a sample of it, and what leaves the text, will do.
  if (constexpr size_t kMany = 4096; open_.size() > 4 * kMany) {
    const size_t stride = open_.size() / kMany;
    size_t nth = draw(random, stride);
    const uint8_t leaves = what_ends_the_lexeme();
    std::erase_if(open_, [&](TokenId id) {
      return ++nth % stride != 0 && (classes_.of(id).ends & leaves) == 0 && classes_.of(id).group != TokenGroup::End;
    });
  }
  if (logits_ == WalkLogits::Adversarial) keep_closest();
  // Half of the time what is open is closed, where it can be: literals and new names stay short.
  const uint8_t ends = what_ends_the_lexeme();
  if (ends != 0 && draw(random, 2) == 0) {
    std::vector<TokenId> closing;
    for (const TokenId id : open_) {
      if ((classes_.of(id).ends & ends) != 0) closing.push_back(id);
    }
    if (!closing.empty()) open_ = std::move(closing);
  }
  return choose_by_class(random);
}

TokenId Chooser::choose_by_class(std::mt19937_64& random) {
  std::array<std::array<uint32_t, 256>, kTokenGroups> counts{};
  std::array<uint32_t, kTokenGroups> classes{};  // how many are there in a group
  for (const TokenId id : open_) {
    const TokenClasses::Class& own = classes_.of(id);
    const auto group = static_cast<size_t>(own.group);
    if (counts[group][own.within]++ == 0) ++classes[group];
  }
  const auto weight = [&](size_t group) {
    if (classes[group] == 0) return 0U;
    return group == static_cast<size_t>(TokenGroup::End) ? end_weight_ : kWeights[group];
  };
  unsigned all = 0;
  for (size_t group = 0; group < kTokenGroups; ++group) all += weight(group);
  size_t group = 0;
  for (auto left = static_cast<unsigned>(draw(random, all)); left >= weight(group); ++group) left -= weight(group);
  size_t tastes = 0;
  for (size_t i = 0; i < 256; ++i) tastes += counts[group][i] > 0 ? tastes_[group][i] : 0;
  size_t which = draw(random, tastes);
  size_t within = 0;
  for (;; ++within) {
    if (counts[group][within] == 0) continue;
    if (which < tastes_[group][within]) break;
    which -= tastes_[group][within];
  }
  size_t nth = draw(random, counts[group][within]);
  for (const TokenId id : open_) {
    const TokenClasses::Class& own = classes_.of(id);
    if (static_cast<size_t>(own.group) == group && own.within == within && nth-- == 0) return id;
  }
  return open_.front();
}

}  // namespace pccsql
