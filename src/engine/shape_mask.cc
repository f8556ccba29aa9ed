// Masks by shape: how a state's mask is put together from what states of its shape share (shape_walk.cc) and its own names.
#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "engine/part_walk.h"
#include "track/lexical.h"

namespace pccsql {

std::shared_ptr<const ShapePart> PartWalk::shape_part(track::PrefixId prefix, After after) {
  const auto shape = tracker_.shape(prefix);
  return shape ? shape_part(prefix, after, *shape) : nullptr;
}

// False: it has no shape, or none that is known, and is walked as it is.
bool PartWalk::add_by_shape(track::PrefixId prefix, const FreeTextParts* plain, Admitted& to) {
  if (budget_test_ != nullptr || owed_ != 0 || !masks_by_shape.load(std::memory_order_relaxed)) return false;
  if (plain != nullptr) return add_new_text(prefix, *plain, to);
  if (const auto shape = tracker_.shape(prefix)) {
    const auto known = shape_part(prefix, After::Lexeme, *shape);
    if (known) add_part(*known, prefix, to);
    return known != nullptr;
  }
  return tracker_.signs_end(prefix) ? add_after_word(prefix, to) : add_after_quote(prefix, to);
}

// What goes on the open word, and what may come after it.
bool PartWalk::add_after_word(track::PrefixId prefix, Admitted& to) {
  const auto all_of = [](const Part& part) { return Siblings{part, 0, static_cast<uint32_t>(part.trie.size())}; };
  const track::PrefixId at = tracker_.after_lexeme(prefix);
  const auto part = at != track::kDead ? shape_part(at, After::Word) : nullptr;
  if (at != track::kDead && !part) return false;
  tails(all_of(index_.words), prefix, to);
  signs_after_words(all_of(index_.mixed), prefix, to);
  const bool number = tracker_.word_start(prefix) == track::kDead;  // to which a point would belong
  for (const Part* signs : {&index_.heads, &index_.mixed}) {
    if (number) walk_from_byte(*signs, '.', prefix, to);
  }
  if (part) add_part(*part, at, to);
  return true;
}

// What is made of the nodes below one byte.
void PartWalk::walk_from_byte(const Part& part, char byte, track::PrefixId prefix, Admitted& to) {
  const auto end = static_cast<uint32_t>(part.trie.size());
  const uint32_t node = part.find(0, end, static_cast<uint8_t>(byte));
  if (node == end) return;
  const Siblings alone{part, node, part.trie.node(node).after};
  &part == &index_.heads ? heads(alone, prefix, to) : words_and_signs(alone, prefix, to);
}

// After a closing quote, which doubled would not close.
bool PartWalk::add_after_quote(track::PrefixId prefix, Admitted& to) {
  const char quote = tracker_.closing_quote(prefix);
  if (quote == 0) return false;
  const After after = quote == '"' ? After::DoubleQuote : quote == '`' ? After::Backtick : After::Apostrophe;
  const track::PrefixId at = tracker_.after_lexeme(prefix);
  const auto part = at != track::kDead ? shape_part(at, after) : nullptr;
  if (at != track::kDead && !part) return false;
  for (const Part* signs : {&index_.heads, &index_.mixed}) walk_from_byte(*signs, quote, prefix, to);
  if (part) add_part(*part, at, to);
  return true;
}

// Inside a word or double quotes that bring a name or a string of any text. Tokens that end it lead to what comes after a
// text that nothing is called like, whatever the text is; those with which it becomes the name of something are walked.
bool PartWalk::add_new_text(track::PrefixId prefix, const FreeTextParts& plain, Admitted& to) {
  constexpr std::string_view kUnknown = "_zz_";
  if (VocabularyIndex::Impl::kLong + kUnknown.size() >= tracker_.room(prefix)) return false;
  const char quote = tracker_.open_quote(prefix);
  const bool quoted = quote != 0;
  if (quoted && quote != '"') return false;
  const std::string begun = tracker_.open_text(prefix);
  if (tracker_.knows_word(folded(begun + std::string(kUnknown)))) return false;
  const VocabularyIndex::Impl::Endings& endings = quoted ? index_.quote_endings : index_.name_endings;
  std::vector<TokenId> known;  // tokens
  const auto note = [&](std::string_view rest) {
    const auto same = endings.by_text.find(std::string(rest));
    if (same != endings.by_text.end()) known.insert(known.end(), same->second.begin(), same->second.end());
  };
  tracker_.for_each_word_after(begun, note);
  const bool told_apart = !quoted || (!begun.empty() && !tracker_.knows_word(folded(begun)));
  if (!told_apart) note("");
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());

  const track::PrefixId at = tracker_.after_lexeme(prefix);  // of a word alone
  const auto after = !quoted && at != track::kDead ? shape_part(at, After::Word) : nullptr;
  if (!quoted && at != track::kDead && !after) return false;
  track::PrefixId unknown = prefix;
  for (const char c : kUnknown) unknown = unknown == track::kDead ? unknown : tracker_.push(unknown, static_cast<uint8_t>(c));
  if (quoted && unknown != track::kDead) unknown = tracker_.push(unknown, '"');
  if (unknown != track::kDead) unknown = tracker_.after_lexeme(unknown);
  const auto part = unknown != track::kDead ? shape_part(unknown, quoted ? After::QuoteEnding : After::NameEnding) : nullptr;
  if (unknown != track::kDead && !part) return false;

  const auto walk = [&](TokenId token) {
    track::PrefixId end = prefix;
    for (const char c : index_.vocabulary.bytes(token)) {
      end = end == track::kDead ? end : tracker_.push(end, static_cast<uint8_t>(c));
    }
    if (end != track::kDead) to.set(token);
  };
  const auto add_endings = [&](Admitted& made) {
    if (part) add_part(*part, unknown, made);
    if (part && quoted) made.set(endings.closing);
  };
  if (known.empty()) {
    add_endings(to);
  } else {
    const auto made = made_part(add_endings);
    BitmaskBuffer bits(index_.vocabulary.size());
    made->write_to(bits.view());
    for (const TokenId token : known) bits.view().reset(token);
    bits.view().for_each([&](TokenId token) { to.set(token); });
    if (told_apart) {
      for (const TokenId token : known) walk(token);
    } else {
      for (const TokenId token : known) {
        if (!index_.vocabulary.bytes(token).starts_with('"')) walk(token);
      }
      for (const Part* signs : {&index_.heads, &index_.mixed}) walk_from_byte(*signs, '"', prefix, to);
    }
  }
  for (const TokenId token : endings.others) walk(token);
  if (quoted) {
    to.add(index_.inside_quotes, true);
    const uint32_t left = tracker_.bytes_left(prefix);
    for (const auto& [needed, token] : index_.long_inside_quotes) {
      if (needed > left) break;
      to.set(token);
    }
    return true;
  }
  PrefixWalk walker(tracker_, prefix, nullptr);
  free_walk(plain.rest_of_words, plain.words_shape, walker, 0, to);
  if (after) add_part(*after, at, to);
  return true;
}

void PartWalk::add_part(const ShapePart& part, track::PrefixId prefix, Admitted& to) {
  to.add(part.tokens, part.kept);
  constexpr track::PrefixId kUnknown = UINT32_MAX;
  ends_.assign(part.paths.size(), kUnknown);
  ends_[0] = prefix;
  const auto end_of = [&](const auto& self, uint32_t path) -> track::PrefixId {
    if (ends_[path] != kUnknown) return ends_[path];
    const track::PrefixId above = self(self, part.paths[path].above);
    ends_[path] = above == track::kDead ? above : tracker_.push(above, part.paths[path].byte);
    return ends_[path];
  };
  for (const ShapePart::Names& names : part.names) {
    const track::PrefixId end = end_of(end_of, names.path);
    const track::PrefixId at = end == track::kDead ? end : tracker_.after_lexeme(end);
    if (at == track::kDead) continue;
    add_names(names, at, to);
    if (names.quotes == nullptr || add_quoted(names, prefix, at, to)) continue;
    for (const ShapePart::Spot& spot : names.quote_spots) {
      const track::PrefixId opens = end_of(end_of, spot.path);
      if (opens != track::kDead) walk_spot(spot, opens, to);
    }
  }
  for (const ShapePart::Spot& spot : part.spots) {
    const track::PrefixId end = end_of(end_of, spot.path);
    if (end != track::kDead) walk_spot(spot, end, to);
  }
}

void PartWalk::add_names(const ShapePart::Names& names, track::PrefixId at, Admitted& to) {
  const track::WordSet set = tracker_.other_words(at, names.asked);
  const ShapePart::Places& places = *names.places;
  const auto add_listed = [&](const track::Key& key, const auto& make) {
    std::shared_ptr<const StoredMask> known = words_.find(key);
    if (!known) {
      known = made_part([&](Admitted& listed) {
        for (const ShapePart::Place& place : places.all) make(Siblings{*place.part, place.first, place.last}, listed);
      });
      words_.insert(key, known);
    }
    to.add(*known);
  };
  track::Key key{places.number, 0x9A};
  for (const uint64_t word : set.allowed->words()) {
    key.high = mixed_key(key.high, word);
    key.low = mixed_key(key.low + word, 0xD6E8FEB86659FD93u);
  }
  add_listed(key, [&](const Siblings& place, Admitted& listed) {
    add_words(place, *set.trie, *set.allowed, set.node, listed);
  });
  if (set.schema_rest != 0) {
    add_listed({places.number, mixed_key(0x9B, set.schema_rest)}, [&](const Siblings& place, Admitted& listed) {
      Rest rest{set.schema_rest, 0, {}};
      add_rest(place, rest, listed);
    });
  }
  if (names.new_asked && set.rest != 0) {
    to.add(index_.general_parts.find({places.number, mixed_key(0x9D, set.rest)}, [&] {
      return made_part([&](Admitted& made) {
        Rest rest{set.rest, set.new_name, {}};
        for (const ShapePart::Place& place : places.all) add_rest({*place.part, place.first, place.last}, rest, made);
      });
    }));
  }
  for (const std::string_view word : set.own) {
    for (const ShapePart::Place& place : places.all) add_word({*place.part, place.first, place.last}, word, true, to);
  }
}

// False: there may stand more in quotes than is looked at here.
bool PartWalk::add_quoted(const ShapePart::Names& names, track::PrefixId prefix, track::PrefixId at, Admitted& to) {
  const track::QuotedNames quoted = tracker_.quoted_names(at);
  const ShapePart::Quotes& quotes = *names.quotes;
  if (quoted.any_new || quoted.string != names.is_string) return false;
  const auto all_of = [](const Part& part) { return Siblings{part, 0, static_cast<uint32_t>(part.trie.size())}; };
  constexpr std::array<Quote, 3> kQuotes{Quote::Double, Quote::Backtick, Quote::Bracket};
  const auto add_name = [&](std::string_view name, Admitted& made) {
    for (const Quote quote : kQuotes) {
      if (track::can_quote(name, quote)) add_word(all_of(*quotes.inside[ShapePart::Quotes::quote_index(quote)]), name, true, made);
    }
  };
  track::Key key{quotes.number, 0x9C};
  for (const uint64_t word : quoted.allowed->words()) {
    key.high = mixed_key(key.high, word);
    key.low = mixed_key(key.low + word, 0xD6E8FEB86659FD93u);
  }
  add_kept(key, to, [&](Admitted& made) {
    for (const track::Rank rank : *quoted.allowed) add_name(tracker_.dictionary_word(rank), made);
  });
  for (const std::string& name : quoted.own) add_name(name, to);
  for (const Quote quote : kQuotes) {
    const auto& openers = quotes.openers[ShapePart::Quotes::quote_index(quote)];
    if (!openers.empty() && tracker_.push(at, static_cast<uint8_t>(quote)) != track::kDead) to.set(openers);
  }
  for (size_t i = 0; i < kQuotes.size() && quoted.rest != 0; ++i) {
    add_kept({quotes.inside[i]->number, mixed_key(0x9B, quoted.rest)}, to, [&](Admitted& made) {
      Rest rest{quoted.rest, 0, {}};
      add_rest(all_of(*quotes.inside[i]), rest, made);
    });
  }
  if (quoted.string) {
    to.add(index_.general_parts.find({quotes.number, 0x57B1}, [&] {
      return made_part([&](Admitted& made) {
        PrefixWalk walker(tracker_, tracker_.push(at, '"'));
        free_walk(quotes.inside[0]->trie, quotes.inside[0]->shape, walker, 0, made);
      });
    }));
  }
  add_closers(names, quoted, key, prefix, to);
  return true;
}

// Tokens that close what stands in quotes: those that close a name that may come, one by one.
void PartWalk::add_closers(const ShapePart::Names& names, const track::QuotedNames& quoted, track::Key key,
                           track::PrefixId prefix, Admitted& to) {
  using Closer = ShapePart::Quotes::Closer;
  const ShapePart::Quotes& quotes = *names.quotes;
  std::vector<uint32_t> asked = names.asked_closers;
  const auto ask_all = [&](std::string_view name, auto& found) {
    const auto same = quotes.by_text.find(std::string(name));
    if (same != quotes.by_text.end()) found.insert(found.end(), same->second.begin(), same->second.end());
    if (name.find_first_of("\"`]") == std::string_view::npos) return;
    for (uint32_t i = 0; i < quotes.closers.size(); ++i) {  // a quote in a name is doubled
      const Closer& closer = quotes.closers[i];
      const std::string text = folded(closer.text);
      if (!closer.rest.empty() && name.starts_with(text) && name.substr(text.size()).starts_with(closer.rest[0])) found.push_back(i);
    }
  };
  // Kept as masks are, though these are numbers of closers.
  const auto kept = [&](uint64_t what, const auto& find) {
    track::Key its = key;
    its.low = mixed_key(its.low, what);
    auto known = words_.find(its);
    if (known == nullptr) {
      auto made = std::make_shared<StoredMask>();
      find(made->tokens);
      made->tokens.shrink_to_fit();
      known = std::move(made);
      words_.insert(its, known);
    }
    asked.insert(asked.end(), known->tokens.begin(), known->tokens.end());
  };
  kept(0xC105, [&](std::vector<TokenId>& found) {
    for (const track::Rank rank : *quoted.allowed) ask_all(tracker_.dictionary_word(rank), found);
    for (uint32_t i = 0; i < quotes.closers.size(); ++i) {
      if (quotes.closers[i].rest.empty()) found.push_back(i);
    }
  });
  for (const std::string& name : quoted.own) ask_all(name, asked);
  if (quoted.rest != 0) {
    for (uint32_t i = 0; i < quotes.closers.size(); ++i) {
      const std::string& text = quotes.closers[i].text;
      if (!text.empty() && tracker_.rest_takes(quoted.rest, text)) asked.push_back(i);
    }
  }
  if (quoted.string) {
    key = {quotes.number, 0x57C};  // the same for all states of a schema
    kept(0xC106, [&](std::vector<TokenId>& found) {
      for (const auto& [text, closers] : quotes.by_text) {
        if (tracker_.knows_name(text)) found.insert(found.end(), closers.begin(), closers.end());
      }
    });
    tracker_.for_each_own_name([&](std::string_view name) { ask_all(name, asked); });
  }
  std::ranges::sort(asked);
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  for (const uint32_t i : asked) {
    const Closer& closer = quotes.closers[i];
    track::PrefixId end = prefix;
    for (const std::string* part : {&closer.lead, &closer.text, &closer.rest}) {
      for (const char c : *part) end = end == track::kDead ? end : tracker_.push(end, static_cast<uint8_t>(c));
    }
    if (end != track::kDead) to.set(closer.token);
  }
  for (const uint32_t i : names.string_closers) {
    if (!std::ranges::binary_search(asked, i)) to.set(quotes.closers[i].token);
  }
}

void PartWalk::walk_spot(const ShapePart::Spot& spot, track::PrefixId at, Admitted& to) {
  const Siblings place{*spot.place.part, spot.place.first, spot.place.last};
  switch (spot.kind) {
    case ShapePart::Spot::Heads:
      return heads(place, at, to);
    case ShapePart::Spot::Mixed:
      return words_and_signs(place, at, to);
    case ShapePart::Spot::Tails:
      return tails(place, at, to);
    case ShapePart::Spot::Signs:
      return signs_after_words(place, at, to);
    case ShapePart::Spot::Numbers:
    case ShapePart::Spot::NumberSigns: {
      const track::PrefixId begin = tracker_.after_lexeme(at);
      if (begin == track::kDead) return;
      track::WordSet set;
      set.rest = tracker_.number_rest(begin);
      std::string text;
      if (spot.kind == ShapePart::Spot::Numbers) return add_set(place, set, to);
      if (set.rest != 0) signs_after_rest(place, set, text, begin, to);
      return;
    }
    case ShapePart::Spot::OtherSigns: {
      const track::PrefixId begin = tracker_.after_lexeme(at);
      if (begin == track::kDead) return;
      const track::WordSet set = tracker_.other_words(begin, spot.asked);
      const track::RankSet allowed = *set.allowed;
      track::WordSet kept = set;
      kept.allowed = &allowed;
      kept.rest = 0;  // of new names
      std::string text;
      signs_after_words_of(place, kept, kept.node, text, begin, to);
      for (const std::string& word : kept.own) signs_after(place, word, true, true, text, begin, to);
      if (kept.schema_rest != 0) signs_after_rest(place, kept, text, begin, to);
      return;
    }
  }
}

}  // namespace pccsql
