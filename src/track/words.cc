// What masks are put together from: which words and numbers may begin at a place, as sets rather than byte by byte.
#include <algorithm>

#include "base/text.h"
#include "track/hash.h"
#include "track/sql_tracker.h"

namespace pccsql::track {
namespace {

using Kind = LexState::Kind;

// What WordSet::rest is made of.
constexpr uint64_t kAlias = 1, kFreeWord = 2, kInteger = 4, kReal = 8, kBlob = 32;
constexpr int kMostDigits = 8, kMostValue = 32;

uint64_t rest_of(const NumberKinds& numbers) {
  if (!numbers.integer && !numbers.real) return 0;
  return (numbers.integer ? kInteger : 0) | (numbers.real ? kReal : 0) | uint64_t{numbers.most_digits} << kMostDigits |
         uint64_t{numbers.most_value} << kMostValue;
}

}  // namespace

PrefixId SqlTracker::after_lexeme(PrefixId id) {
  if (id == kDead || prefixes_[id].lex.kind == Kind::Blank) return id;
  const Index state_id = ended(id);
  if (state_id == kNever) return kDead;
  Prefix after;
  after.state_id = state_id;
  after.started = true;
  return add(after);
}

PrefixId SqlTracker::before_blanks(PrefixId id) {
  if (id == kDead || prefixes_[id].lex.kind != Kind::Blank || prefixes_[id].lex.run == 0) return kDead;
  Prefix before;
  before.state_id = prefixes_[id].state_id;
  before.started = true;
  return add(before);
}

PrefixId SqlTracker::word_start(PrefixId id) {
  const Kind kind = prefixes_[id].lex.kind;
  if (kind != Kind::Word && kind != Kind::Quoted && kind != Kind::String) return kDead;
  Prefix before;
  before.state_id = prefixes_[id].state_id;
  before.started = true;
  return add(before);
}

bool SqlTracker::takes_word_bytes(PrefixId id) {
  const Prefix& prefix = prefixes_[id];
  const Kind kind = prefix.lex.kind;
  if (kind == Kind::Dot) return follows(prefix.state_id, Terminal::Float);
  return kind == Kind::Word || kind == Kind::Quoted || kind == Kind::String || is_number(kind) ||
         kind == Kind::BlobEven || kind == Kind::BlobOdd || kind == Kind::Bang;
}

Key SqlTracker::word_key(PrefixId id) { return expected(prefixes_[id].state_id).content; }

uint32_t SqlTracker::blanks(PrefixId id) { return prefixes_[id].lex.run | uint32_t{prefixes_[id].started} << 16; }

Tracker::BlankRoom SqlTracker::blank_room(PrefixId id) {
  const Prefix& prefix = prefixes_[id];
  if (world_.settings().style != Style::Canonical) return {kLongestBlank - prefix.lex.run, false};
  return {prefix.lex.run == 0 && prefix.started && !expected(prefix.state_id).glued ? 1u : 0u, true};
}

WordSet SqlTracker::words(PrefixId id, bool listed) {
  WordSet set;
  const Prefix& prefix = prefixes_[id];
  const Kind kind = prefix.lex.kind;
  if (kind != Kind::Blank && kind != Kind::Word && kind != Kind::Quoted) {
    set.more = true;
    return set;
  }
  const bool quoted = kind == Kind::Quoted;
  const bool canonical = world_.settings().style == Style::Canonical;
  const Expectation& next = quoted ? expected_names(prefix.state_id) : expected(prefix.state_id);
  if (kind != Kind::Blank) set.begun = store_.texts.str(prefix.lex.text);
  set.any_case = !canonical;
  const size_t length = set.begun.size();
  const char closing = prefix.lex.quote == Quote::Bracket ? ']' : static_cast<char>(prefix.lex.quote);
  const RankSet& ranks = quoted ? next.quoted : next.bare;
  const uint32_t node = kind == Kind::Blank ? 1 : prefix.node;
  if (!listed && !canonical && !quoted) {
    set.trie = &world_.trie();
    set.allowed = &ranks;
    set.node = node;
    if (node == WordTrie::kRoot) {
      set.language_words = &world_.language_words();
      set.language = next.language;
    }
  } else if (node != 0) {
    const WordTrie::Node& below = world_.trie().node(node);
    for (Rank rank = ranks.next(below.first); rank < below.last; rank = ranks.next(rank + 1)) {
      const NameId name = world_.word(rank);
      const auto add = [&](std::string_view text) {
        if (quoted && text.find(closing, length) != std::string_view::npos) {
          set.more |= can_quote(text, prefix.lex.quote);  // doubled
        } else {
          set.known.push_back(text.substr(length));
        }
      };
      if (set.any_case) {
        if (const std::string_view text = world_.names().text(name); text.size() >= length) add(text);
        continue;
      }
      for (const std::string_view text : world_.spellings(name, quoted)) {
        if (!text.empty() && text.starts_with(set.begun)) add(text);
      }
    }
  }
  const std::string small = folded(set.begun);
  for (const std::string& own : quoted ? next.own_quoted : next.own_bare) {
    if (own.size() < length || own.compare(0, length, small) != 0) continue;
    if (quoted && own.find(closing, length) != std::string::npos) {
      set.more |= can_quote(own, prefix.lex.quote);
    } else {
      set.own.push_back(own.substr(length));
    }
  }
  if (next.some_alias && !quoted) {  // which names are taken is told by no set
    set.more = true;
    return set;
  }
  const bool any_alias = next.alias && world_.settings().aliases == Aliases::Any;
  if (quoted) {
    set.more |=
        (next.alias && !canonical) || next.free_quoted || (next.free_string && prefix.lex.quote == Quote::Double);
    return set;
  }
  if (next.alias && !any_alias) set.schema_rest |= kAlias;
  if (next.free_word || any_alias) {
    set.rest |= kFreeWord;
    set.any_word = true;
    if (prefix.lex.utf8 == 0 && length + 9 < kLongestNewName) {
      set.new_name = kLongestNewName - 9 - static_cast<uint32_t>(length);
    }
  }
  if (next.terminals[static_cast<size_t>(Terminal::Blob)] && !canonical) set.rest |= kBlob;
  if (kind == Kind::Word) return set;
  set.rest |= rest_of(next.numbers());
  return set;
}

// PRE: between lexemes, and the prefix has a shape.
LanguageWords SqlTracker::language_words(PrefixId id) {
  const Index state_id = prefixes_[id].state_id;
  const Expectation& next = expected(state_id);
  LanguageWords words;
  words.trie = &world_.trie();
  words.words = next.bare;
  words.words &= world_.language_words();
  words.words -= next.asked_words;
  words.asked = next.asked;
  for (size_t t = 0; t < kTerminals; ++t) {
    const Rank rank = world_.rank(static_cast<Terminal>(t));
    if (next.asked[t] && rank != kNoRank) words.words.erase(rank);
  }
  for (const Rank rank : words.words) words.number += world_.language_number(rank);
  const auto is_asked = [&](Terminal terminal) { return next.asked[static_cast<size_t>(terminal)]; };
  words.all_asked = next.asked_all || is_asked(Terminal::Blob);
  words.new_asked = next.asked_new;
  words.numbers_asked = is_asked(Terminal::Integer) || is_asked(Terminal::Float);
  words.rest = words.numbers_asked ? 0 : rest_of(next.numbers());
  if (next.terminals[static_cast<size_t>(Terminal::Blob)]) words.rest |= kBlob;
  if (next.free_word && !next.asked_new) {
    words.rest |= kFreeWord;
    words.any_word = true;
    words.new_name = kLongestNewName - 9;
  }
  words.names = expectation_key(state_id);
  return words;
}

uint64_t SqlTracker::number_rest(PrefixId id) { return rest_of(number_kinds(prefixes_[id].state_id)); }

WordSet SqlTracker::other_words(PrefixId id, const TerminalSet& asked) {
  const Index state_id = prefixes_[id].state_id;
  const Expectation& next = expected_names(state_id);
  other_words_ = next.bare;
  other_words_ -= world_.language_words();
  RankSet again = next.bare;
  again &= next.asked_words;
  other_words_ |= again;
  for (size_t t = 0; t < kTerminals && asked.any(); ++t) {
    const Rank rank = world_.rank(static_cast<Terminal>(t));
    if (asked[t] && rank != kNoRank && follows(state_id, static_cast<Terminal>(t))) other_words_.insert(rank);
  }
  WordSet set;
  set.trie = &world_.trie();
  set.allowed = &other_words_;
  set.node = WordTrie::kRoot;
  set.own = next.own_bare;
  if (next.alias) set.schema_rest |= kAlias;
  if (next.free_word) {
    set.rest |= kFreeWord;
    set.new_name = kLongestNewName - 9;
  }
  return set;
}

// PRE: between lexemes, and the prefix has a shape.
QuotedNames SqlTracker::quoted_names(PrefixId id) {
  const Expectation& next = expected_names(prefixes_[id].state_id);
  QuotedNames names;
  names.allowed = &next.quoted;
  names.own = next.own_quoted;
  names.rest = next.alias ? kAlias : 0;
  names.any_new = next.free_quoted || next.some_alias;
  names.string = next.free_string;
  return names;
}

void SqlTracker::for_each_word_after(std::string_view begun, const std::function<void(std::string_view)>& visit) {
  const std::string small = folded(begun);
  const auto [first, last] = world_.range(small);
  for (Rank rank = first; rank < last; ++rank) {
    const std::string_view word = world_.names().text(world_.word(rank));
    if (word.size() > small.size()) visit(word.substr(small.size()));
  }
  for_each_own_name([&](std::string_view name) {
    if (name.size() > small.size() && name.starts_with(small)) visit(name.substr(small.size()));
  });
}

uint32_t SqlTracker::bytes_left(PrefixId id) {
  const uint32_t length = prefixes_[id].length + (prefixes_[id].lex.kind == Kind::Quoted ? 6u : 2u);
  return length >= kLongestNewName ? 0 : kLongestNewName - length;
}

char SqlTracker::closing_quote(PrefixId id) {
  const LexState& lex = prefixes_[id].lex;
  if (lex.kind == Kind::StringEnd) return '\'';
  return lex.kind == Kind::QuotedEnd ? static_cast<char>(lex.quote) : 0;
}

// Words that are the language's alone mean nothing in quotes.
bool SqlTracker::knows_name(std::string_view text) {
  const NameId name = store_.names.find(text);
  if (name == kNoName) return false;
  const Rank rank = world_.rank(name);
  const bool language = rank != kNoRank && world_.language_words().contains(rank);
  return !language || world_.is_rowid(name) || name == world_.true_name() || name == world_.false_name();
}

void SqlTracker::for_each_own_name(const std::function<void(std::string_view)>& visit) {
  const auto world = static_cast<NameId>(world_.names().size());
  for (NameId i = 1; i < store_.names.size(); ++i) visit(store_.names.text(world + i - 1));
}

bool SqlTracker::rest_takes(uint64_t rest, std::string_view text) {
  if (text.empty()) return true;
  const auto first = static_cast<uint8_t>(text[0]);
  if (first >= '0' && first <= '9') {
    const NumberKinds kinds{(rest & kInteger) != 0, (rest & kReal) != 0,
                            static_cast<uint8_t>(rest >> kMostDigits),
                            static_cast<uint32_t>(rest >> kMostValue)};
    if (!kinds.integer && !kinds.real) return false;
    Prefix number;
    for (const char c : text) {
      const LexStep next = track::step(number.lex, static_cast<uint8_t>(c), store_.texts);
      if (!next.ok || next.count > 0) return false;
      number.lex = next.state;
      note_literal(number.literal, number.lex, static_cast<uint8_t>(c));
    }
    number.length = static_cast<uint16_t>(std::min<size_t>(text.size(), 60000));
    return number_fits(number, kinds);
  }
  if (!begins_word(first) || text.starts_with("\xEF\xBB\xBF")) return false;
  if ((rest & kBlob) != 0 && text.size() == 1 && fold(text[0]) == 'x') return true;
  if ((rest & kFreeWord) != 0) {
    uint8_t utf8 = 0;
    const bool word = std::all_of(text.begin(), text.end(), [&](char c) {
      return continues_word(static_cast<uint8_t>(c)) && utf8_step(utf8, static_cast<uint8_t>(c));
    });
    return word && text.size() + utf8_owed(utf8) + 2 <= kLongestNewName;
  }
  return (rest & kAlias) != 0 && text.size() <= 4 && alias_fits(folded(text));
}

}  // namespace pccsql::track
