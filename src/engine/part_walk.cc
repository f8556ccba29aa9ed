#include "engine/part_walk.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/text.h"

namespace pccsql {
void PartWalk::add(track::PrefixId prefix, uint8_t owed, const FreeTextParts* plain, Admitted& to) {
  owed_ = owed;
  const track::FreeText kind = tracker_.free_text(prefix);
  // A judge looks at the whole token, and closers are told from the quote on alone.
  const bool by_closers = budget_test_ == nullptr && index_.longest_piece < tracker_.room(prefix);
  if (plain != nullptr && kind == track::FreeText::String && by_closers) {
    heads({index_.closers, 0, static_cast<uint32_t>(index_.closers.trie.size())}, prefix, to);
    PrefixWalk walker(tracker_, prefix, budget_test_);
    free_walk(index_.string_rest.trie, index_.string_rest.shape, walker, owed, to);
    return;
  }
  if (plain != nullptr && kind != track::FreeText::NewName) {
    if (kind == track::FreeText::Quoted && add_by_shape(prefix, plain, to)) return;
    PrefixWalk walker(tracker_, prefix, budget_test_);
    free_walk(plain->rest, plain->shape, walker, owed, to);
    return;
  }
  if (add_by_shape(prefix, plain, to)) return;
  const auto all_of = [](const Part& part) { return Siblings{part, 0, static_cast<uint32_t>(part.trie.size())}; };
  const track::PrefixId after_lexeme = owed == 0 ? tracker_.after_lexeme(prefix) : track::kDead;
  if (plain == nullptr) {
    tails(all_of(index_.words), prefix, to);
  } else {
    // New names of plain letters are in the mask already; others are few.
    PrefixWalk walker(tracker_, prefix, budget_test_);
    free_walk(plain->rest_of_words, plain->words_shape, walker, owed, to);
  }
  if (after_lexeme == track::kDead) {  // blanks may belong to the open lexeme
    PrefixWalk walker(tracker_, prefix, budget_test_);
    free_walk(index_.blank_words.trie, index_.blank_words.shape, walker, owed, to);
  } else if (budget_test_ == nullptr) {
    add_blank_words(after_lexeme, to);
  } else {
    heads(all_of(index_.blank_words), prefix, to);
  }
  heads(all_of(index_.heads), prefix, to);
  if (budget_test_ == nullptr && owed == 0) {
    words_and_signs(all_of(index_.mixed), prefix, to);
  } else {
    PrefixWalk walker(tracker_, prefix, budget_test_);
    free_walk(index_.mixed.trie, index_.mixed.shape, walker, owed, to);
  }
}

void PartWalk::words_and_signs(const Siblings& place, track::PrefixId prefix, Admitted& to) {
  const Trie& trie = place.part.trie;
  const track::FreeText kind = tracker_.free_text(prefix);
  const uint32_t room = kind == track::FreeText::None ? 0 : tracker_.room(prefix);
  bool words_done = false;
  for (uint32_t i = place.first; i < place.last; i = trie.node(i).after) {
    if (kind != track::FreeText::None && place.part.shape.is_plain(i, kind, room)) {
      to.set(trie.tokens_below(i));
      continue;
    }
    if (is_word_byte(trie.node(i).byte)) {
      const bool own_words = &place.part == &index_.mixed && trie.node(i).depth == 1;  // those are in another part
      if (!words_done && !own_words) tails(place, prefix, to);
      if (!words_done) signs_after_words(place, prefix, to);
      words_done = true;
      continue;
    }
    const track::PrefixId next = tracker_.push(prefix, trie.node(i).byte);
    if (next == track::kDead) continue;
    to.set(trie.tokens_at(i));
    if (i + 1 < trie.node(i).after) words_and_signs({place.part, i + 1, trie.node(i).after}, next, to);
  }
}

void PartWalk::signs_after_words(const Siblings& place, track::PrefixId prefix, Admitted& to) {
  track::PrefixId at = prefix;
  if (!tracker_.takes_word_bytes(prefix)) {
    at = tracker_.after_lexeme(prefix);
    if (at == track::kDead) return;
    if (tracker_.words_are_many(at)) return push_each(place, at, to);
  }
  const track::WordSet set = tracker_.words(at, false);
  if (set.more || set.any_word) return push_each(place, at, to);
  std::string text;
  // Where case counts, what a word begins with may be another that is spelled so nowhere else.
  if (set.trie != nullptr) signs_after_words_of(place, set, set.node, text, at, to);
  for (const std::string_view word : set.known) signs_after(place, word, set.any_case, set.any_case, text, at, to);
  for (const std::string& word : set.own) signs_after(place, word, true, set.any_case, text, at, to);
  if ((set.rest | set.schema_rest) != 0) signs_after_rest(place, set, text, at, to);
}

// What of `word` was found in the trie is `text`.
void PartWalk::signs_after(const Siblings& place, std::string_view word, bool any_case, bool whole, std::string& text,
                           track::PrefixId at, Admitted& to) {
  const size_t written = text.size();
  if (written == word.size()) return;
  const char both[] = {any_case ? capital_of(word[written]) : word[written], word[written]};
  for (int i = both[0] == both[1] ? 1 : 0; i < 2; ++i) {
    const uint32_t node = place.part.find(place.first, place.last, static_cast<uint8_t>(both[i]));
    if (node == place.last) continue;
    text += both[i];
    if (!whole || text.size() == word.size()) signs_below(place, node, text, at, to);
    if (node + 1 < place.part.trie.node(node).after) {
      signs_after({place.part, node + 1, place.part.trie.node(node).after}, word, any_case, whole, text, at, to);
    }
    text.pop_back();
  }
}

void PartWalk::signs_after_rest(const Siblings& place, const track::WordSet& set, std::string& text, track::PrefixId at,
                                Admitted& to) {
  const Trie& trie = place.part.trie;
  for (uint32_t i = place.first; i < place.last; i = trie.node(i).after) {
    if (!is_word_byte(trie.node(i).byte)) continue;
    text += static_cast<char>(trie.node(i).byte);
    if (tracker_.rest_takes(set.rest | set.schema_rest, set.begun + text)) {
      signs_below(place, i, text, at, to);
      if (i + 1 < trie.node(i).after) signs_after_rest({place.part, i + 1, trie.node(i).after}, set, text, at, to);
    }
    text.pop_back();
  }
}

// The node is that of a word, `text` from `at` on: the signs that its tokens go on with.
void PartWalk::signs_below(const Siblings& place, uint32_t node, std::string_view text, track::PrefixId at, Admitted& to) {
  const Trie& trie = place.part.trie;
  track::PrefixId end = track::kDead;
  for (uint32_t i = node + 1; i < trie.node(node).after; i = trie.node(i).after) {
    if (is_word_byte(trie.node(i).byte)) continue;
    if (end == track::kDead) {
      end = at;
      for (const char c : text) end = end == track::kDead ? end : tracker_.push(end, static_cast<uint8_t>(c));
      if (end == track::kDead) return;
    }
    const track::PrefixId next = tracker_.push(end, trie.node(i).byte);
    if (next == track::kDead) continue;
    to.set(trie.tokens_at(i));
    if (i + 1 < trie.node(i).after) words_and_signs({place.part, i + 1, trie.node(i).after}, next, to);
  }
}

void PartWalk::add_blank_words(track::PrefixId after_lexeme, Admitted& to) {
  track::Key key = tracker_.word_key(after_lexeme);
  key.low = mixed_key(key.low, uint64_t{tracker_.blanks(after_lexeme)} << 8 | 0xB1);
  add_kept(key, to, [&](Admitted& made) {
    const Trie& trie = index_.blank_words.trie;
    const track::Tracker::BlankRoom room = tracker_.blank_room(after_lexeme);
    for (const VocabularyIndex::Impl::Blanks& blanks : index_.blanks) {
      if (blanks.count > room.most || (room.spaces && !blanks.spaces)) continue;
      made.set(trie.tokens_at(blanks.node));
      if (!blanks.words) continue;
      begin_words({index_.blank_words, blanks.node + 1, trie.node(blanks.node).after}, after_lexeme, made);
    }
  });
}

void PartWalk::heads(const Siblings& place, track::PrefixId prefix, Admitted& to) {
  const Trie& trie = place.part.trie;
  const track::FreeText kind = tracker_.free_text(prefix);
  const uint32_t room = kind == track::FreeText::None ? 0 : tracker_.room(prefix);
  std::optional<bool> bulk;
  bool words_done = false;
  for (uint32_t i = place.first; i < place.last; i = trie.node(i).after) {
    if (kind != track::FreeText::None && place.part.shape.is_plain(i, kind, room)) {
      if (!bulk) bulk = words_fit(prefix);
      if (*bulk) to.set(trie.tokens_below(i));
      continue;
    }
    const uint8_t byte = trie.node(i).byte;
    if (is_word_byte(byte)) {
      if (!words_done) tails(place, prefix, to);
      words_done = true;
      continue;
    }
    const track::PrefixId next = tracker_.push(prefix, byte);
    if (next == track::kDead) continue;
    if (budget_test_ != nullptr) written_ += static_cast<char>(byte);
    const auto tokens = trie.tokens_at(i);
    if (!tokens.empty() && (budget_test_ == nullptr || budget_test_->fits(next, written_))) to.set(tokens);
    if (i + 1 < trie.node(i).after) heads({place.part, i + 1, trie.node(i).after}, next, to);
    if (budget_test_ != nullptr) written_.pop_back();
  }
}

void PartWalk::tails(const Siblings& place, track::PrefixId prefix, Admitted& to) {
  if (tracker_.takes_word_bytes(prefix)) {
    go_on(place, prefix, to);
  } else if (const track::PrefixId after_lexeme = tracker_.after_lexeme(prefix); after_lexeme != track::kDead) {
    begin_words(place, after_lexeme, to);
  }
}

void PartWalk::begin_words(const Siblings& place, track::PrefixId after_lexeme, Admitted& to) {
  if (tracker_.words_are_many(after_lexeme)) return push_each(place, after_lexeme, to);
  if (!words_fit(after_lexeme)) {
    if (some_may_fit(after_lexeme)) add_fitting(place, tracker_.words(after_lexeme, true), after_lexeme, to);
    return push_numbers(place, after_lexeme, to);
  }
  constexpr uint32_t kFew = 500;  // nodes: looked up as soon as the part that they are
  if (place.last - place.first < kFew) return add_set(place, tracker_.words(after_lexeme, false), to);
  track::Key key = tracker_.word_key(after_lexeme);
  key.low = mixed_key(key.low, uint64_t{place.first} << 32 | place.part.number);
  add_kept(key, to, [&](Admitted& made) { add_set(place, tracker_.words(after_lexeme, false), made); });
}

void PartWalk::go_on(const Siblings& place, track::PrefixId prefix, Admitted& to) {
  const track::WordSet set = tracker_.words(prefix, false);
  if (set.more) return push_each(place, prefix, to);
  if (words_fit(prefix)) {
    add_set(place, set, to);
  } else if (some_may_fit(prefix)) {
    add_fitting(place, tracker_.words(prefix, true), prefix, to);
  }
}

bool PartWalk::some_may_fit(track::PrefixId prefix) {
  const track::PrefixId start = tracker_.word_start(prefix);
  return budget_test_->some_may_fit(start != track::kDead ? start : prefix);
}

void PartWalk::add_fitting(const Siblings& place, const track::WordSet& set, track::PrefixId at, Admitted& to) {
  if (set.any_word) return;  // words that may be new names are judged alike, also those that are known
  for (const std::string_view word : set.known) fit_word(place, word, set.any_case, at, to);
  for (const std::string_view word : set.own) fit_word(place, word, true, at, to);
}

void PartWalk::fit_word(const Siblings& place, std::string_view word, bool any_case, track::PrefixId at, Admitted& to) {
  const uint32_t mark = tracker_.mark();
  track::PrefixId end = at;
  bool looked = false;
  const auto fits = [&](size_t written) {
    for (size_t i = 0; i < word.size() && end != track::kDead && !looked; ++i) {
      end = tracker_.push(end, static_cast<uint8_t>(word[i]));
    }
    looked = true;
    return end != track::kDead && budget_test_->word_fits(end, word.substr(written));
  };
  const auto descend = [&](const auto& self, const Siblings& from, size_t written) -> void {
    if (written == word.size()) return;
    const Trie& trie = from.part.trie;
    const char both[] = {any_case ? capital_of(word[written]) : word[written], word[written]};
    for (int i = both[0] == both[1] ? 1 : 0; i < 2; ++i) {
      const uint32_t node = from.part.find(from.first, from.last, static_cast<uint8_t>(both[i]));
      if (node == from.last) continue;
      const auto tokens = trie.tokens_at(node);
      if (!tokens.empty() && !to.has(tokens) && fits(written + 1)) to.set(tokens);
      const Siblings below{from.part, node + 1, trie.node(node).after};
      if (below.first < below.last) self(self, below, written + 1);
    }
  };
  descend(descend, place, 0);
  tracker_.release(mark);
}

bool PartWalk::words_fit(track::PrefixId prefix) {
  if (budget_test_ == nullptr) return true;
  const track::PrefixId start = tracker_.word_start(prefix);
  return budget_test_->words_fit(start != track::kDead ? start : prefix);
}

void PartWalk::push_each(const Siblings& place, track::PrefixId prefix, Admitted& to) {
  const Trie& trie = place.part.trie;
  PrefixWalk walker(tracker_, prefix, budget_test_, written_);
  for (uint32_t i = place.first; i < place.last; i = trie.node(i).after) {
    if (!is_word_byte(trie.node(i).byte)) continue;
    const bool inside = trie.node(i).depth > 1;
    free_walk(trie, place.part.shape, i, trie.node(i).after, walker, inside ? uint8_t{0} : owed_, to);
  }
}

// Numbers are no words: each digit is judged by what stands after it.
void PartWalk::push_numbers(const Siblings& place, track::PrefixId after_lexeme, Admitted& to) {
  const Trie& trie = place.part.trie;
  PrefixWalk walker(tracker_, after_lexeme, budget_test_, written_);
  for (char digit = '0'; digit <= '9'; ++digit) {
    const uint32_t node = place.part.find(place.first, place.last, static_cast<uint8_t>(digit));
    if (node != place.last) free_walk(trie, place.part.shape, node, trie.node(node).after, walker, 0, to);
  }
}

void PartWalk::add_set(const Siblings& place, const track::WordSet& set, Admitted& to) {
  if (set.trie != nullptr && (set.language == 0 || place.last - place.first < 100)) {
    add_words(place, *set.trie, *set.allowed, set.node, to);
  } else if (set.trie != nullptr) {
    const track::Key key{set.language, mixed_key(0x1A, uint64_t{place.first} << 32 | place.part.number)};
    to.add(index_.general_parts.find(key, [&] {
      track::RankSet language = *set.allowed;
      language &= *set.language_words;
      return made_part([&](Admitted& made) { add_words(place, *set.trie, language, set.node, made); });
    }));
    track::RankSet names = *set.allowed;
    names -= *set.language_words;
    add_words(place, *set.trie, names, set.node, to);
  }
  for (const std::string_view word : set.known) add_word(place, word, set.any_case, to);
  for (const std::string_view word : set.own) add_word(place, word, true, to);
  constexpr uint32_t kFew = 100;
  for (const bool general : {true, false}) {
    Rest rest{general ? set.rest : set.schema_rest, set.new_name, set.begun};
    if (rest.rest == 0) continue;
    if (place.last - place.first < kFew && !(general && rest.begun.empty())) {
      add_rest(place, rest, to);
      continue;
    }
    const track::Key key{mixed_key(rest.rest, std::hash<std::string>()(rest.begun)),
                         mixed_key(rest.begun.size() << 1 | 1, uint64_t{place.first} << 32 | place.part.number)};
    const auto make = [&](Admitted& made) { add_rest(place, rest, made); };
    if (general && rest.begun.empty()) {
      to.add(index_.general_parts.find(key, [&] { return made_part(make); }));
    } else {
      add_kept(key, to, make);
    }
  }
}

// Dictionary and vocabulary side by side: what is in both.
void PartWalk::add_words(const Siblings& place, const track::WordTrie& words, const track::RankSet& allowed, uint32_t node,
                         Admitted& to) {
  if (node == track::WordTrie::kNowhere) return;
  const Trie& trie = place.part.trie;
  for (uint32_t i = words.node(node).child; i != track::WordTrie::kNowhere; i = words.node(i).next) {
    const track::WordTrie::Node& word = words.node(i);
    if (!allowed.any_in(word.first, word.last)) continue;
    const char both[] = {capital_of(word.byte), word.byte};
    for (int c = both[0] == both[1] ? 1 : 0; c < 2; ++c) {
      const uint32_t found = place.part.find(place.first, place.last, static_cast<uint8_t>(both[c]));
      if (found == place.last) continue;
      to.set(trie.tokens_at(found));
      const Siblings below{place.part, found + 1, trie.node(found).after};
      if (below.first < below.last) add_words(below, words, allowed, i, to);
    }
  }
}

void PartWalk::signs_after_words_of(const Siblings& place, const track::WordSet& set, uint32_t node, std::string& text,
                                    track::PrefixId at, Admitted& to) {
  if (node == track::WordTrie::kNowhere) return;
  const Trie& trie = place.part.trie;
  for (uint32_t i = set.trie->node(node).child; i != track::WordTrie::kNowhere; i = set.trie->node(i).next) {
    const track::WordTrie::Node& word = set.trie->node(i);
    if (!set.allowed->any_in(word.first, word.last)) continue;
    const char both[] = {capital_of(word.byte), word.byte};
    for (int c = both[0] == both[1] ? 1 : 0; c < 2; ++c) {
      const uint32_t found = place.part.find(place.first, place.last, static_cast<uint8_t>(both[c]));
      if (found == place.last) continue;
      text += both[c];
      if (word.ends_word && set.allowed->contains(word.first)) signs_below(place, found, text, at, to);
      const Siblings below{place.part, found + 1, trie.node(found).after};
      if (below.first < below.last) signs_after_words_of(below, set, i, text, at, to);
      text.pop_back();
    }
  }
}

void PartWalk::add_word(const Siblings& place, std::string_view word, bool any_case, Admitted& to) {
  if (word.empty()) return;
  const Trie& trie = place.part.trie;
  const char both[] = {any_case ? capital_of(word[0]) : word[0], word[0]};
  for (int i = both[0] == both[1] ? 1 : 0; i < 2; ++i) {
    const uint32_t node = place.part.find(place.first, place.last, static_cast<uint8_t>(both[i]));
    if (node == place.last) continue;
    to.set(trie.tokens_at(node));
    const Siblings below{place.part, node + 1, trie.node(node).after};
    if (below.first < below.last) add_word(below, word.substr(1), any_case, to);
  }
}

void PartWalk::add_rest(const Siblings& place, Rest& rest, Admitted& to) {
  const Trie& trie = place.part.trie;
  for (uint32_t i = place.first; i < place.last; i = trie.node(i).after) {
    const uint8_t byte = trie.node(i).byte;
    if (!is_word_byte(byte)) continue;
    // Not every plain character may be a name's first: digits, and one that is invisible.
    const bool first = rest.begun.empty() && ((byte >= '0' && byte <= '9') || byte >= 0x80);
    const bool name = rest.new_name > 0 && !first;
    if (name && place.part.shape.is_plain(i, track::FreeText::NewName, rest.new_name)) {
      to.set(trie.tokens_below(i));
      continue;
    }
    rest.begun += static_cast<char>(byte);
    if (tracker_.rest_takes(rest.rest, rest.begun)) {
      to.set(trie.tokens_at(i));
      const uint32_t room = rest.new_name;
      rest.new_name = byte < 0x80 && room > 1 ? room - 1 : 0;  // inside a character only bytes can tell
      if (i + 1 < trie.node(i).after) add_rest({place.part, i + 1, trie.node(i).after}, rest, to);
      rest.new_name = room;
    }
    rest.begun.pop_back();
  }
}

}  // namespace pccsql
