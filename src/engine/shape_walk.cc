// Masks by shape: the walk that finds out what states share, and how a state's mask is put together from that.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "engine/part_walk.h"
#include "track/lexical.h"

namespace pccsql {
namespace {

uint64_t shape_mixed(uint64_t a, uint64_t b) {
  uint64_t hash = (a ^ b) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 31;
}

char shape_capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

}  // namespace

// Walks as PartWalk does, but takes only what every state of the shape has, and notes where a state must be asked.
class ShapeWalk {
 public:
  using Siblings = PartWalk::Siblings;

  ShapeWalk(PartWalk& walk, ShapePart& part, Admitted& to)
      : walk_(walk), tracker_(walk.tracker_), index_(walk.index_), part_(part), to_(to) {}

  void learn(track::PrefixId prefix, PartWalk::After after) {
    const auto all_of = [](const ShapePart::Part& part) {
      return Siblings{part, 0, static_cast<uint32_t>(part.trie.size())};
    };
    if (after == PartWalk::After::Lexeme) tails(all_of(index_.words), prefix, 0);
    if (const track::PrefixId at = tracker_.after_lexeme(prefix); at != track::kDead) blanks(at);
    heads(all_of(index_.heads), prefix, 0);
    mixed(all_of(index_.mixed), prefix, 0, after == PartWalk::After::Word);
    for (const Found& found : found_) {
      ShapePart::Names names;
      names.path = found.path;
      names.asked = found.asked;
      names.places = gathered(found.places);
      if (!found.quotes.empty()) {
        names.quotes = gathered_quotes(found.quotes);
        names.quote_spots = found.quotes;
        read_strings(names, prefix);
      }
      part_.names.push_back(std::move(names));
    }
  }

 private:
  // Names, as places are found for them.
  struct Found {
    track::Key key;
    uint32_t path = 0;
    std::bitset<kTerminals> asked;
    std::vector<ShapePart::Place> places;
    std::vector<ShapePart::Spot> quotes;
  };

  void blanks(track::PrefixId at) {
    const Trie& trie = index_.blank_words.trie;
    const track::Tracker::BlankRoom room = tracker_.blank_room(at);
    for (const VocabularyIndex::Impl::Blanks& blanks : index_.blanks) {
      if (blanks.count > room.most || (room.spaces && !blanks.spaces)) continue;
      to_.set(trie.tokens_at(blanks.node));
      if (blanks.words) words({index_.blank_words, blanks.node + 1, trie.node(blanks.node).after}, at, 0);
    }
  }

  uint32_t path(uint32_t above, uint8_t byte) {
    part_.paths.push_back({above, byte});
    return static_cast<uint32_t>(part_.paths.size() - 1);
  }

  void note(ShapePart::Spot::Kind kind, uint32_t path, const Siblings& place, const std::bitset<kTerminals>& asked = {}) {
    part_.spots.push_back({kind, path, {&place.part, place.first, place.last}, asked});
  }

  Siblings alone(const Siblings& place, uint32_t node) const {
    return {place.part, node, place.part.trie.node(node).after};
  }

  void heads(const Siblings& place, track::PrefixId prefix, uint32_t path) {
    const Trie& trie = place.part.trie;
    const track::FreeText kind = tracker_.free_text(prefix);
    const uint32_t room = kind == track::FreeText::None ? 0 : tracker_.room(prefix);
    bool words_done = false;
    for (uint32_t i = place.first; i < place.last; i = trie.node(i).after) {
      if (kind != track::FreeText::None && place.part.shape.is_plain(i, kind, room)) {
        to_.set(trie.tokens_below(i));
        continue;
      }
      if (is_word_byte(trie.node(i).byte)) {
        if (!words_done) tails(place, prefix, path);
        words_done = true;
        continue;
      }
      const track::PrefixId next = push(ShapePart::Spot::Heads, place, i, prefix, path);
      if (next == track::kDead) continue;
      to_.set(trie.tokens_at(i));
      if (i + 1 < trie.node(i).after) {
        heads({place.part, i + 1, trie.node(i).after}, next, this->path(path, trie.node(i).byte));
      }
    }
  }

  void mixed(const Siblings& place, track::PrefixId prefix, uint32_t path, bool only_signs = false) {
    const Trie& trie = place.part.trie;
    const track::FreeText kind = tracker_.free_text(prefix);
    const uint32_t room = kind == track::FreeText::None ? 0 : tracker_.room(prefix);
    bool words_done = only_signs;
    for (uint32_t i = place.first; i < place.last; i = trie.node(i).after) {
      if (kind != track::FreeText::None && place.part.shape.is_plain(i, kind, room)) {
        to_.set(trie.tokens_below(i));
        continue;
      }
      if (is_word_byte(trie.node(i).byte)) {
        if (!words_done && trie.node(i).depth > 1) tails(place, prefix, path);
        if (!words_done) signs(place, prefix, path);
        words_done = true;
        continue;
      }
      const track::PrefixId next = push(ShapePart::Spot::Mixed, place, i, prefix, path);
      if (next == track::kDead) continue;
      to_.set(trie.tokens_at(i));
      if (i + 1 < trie.node(i).after) {
        mixed({place.part, i + 1, trie.node(i).after}, next, this->path(path, trie.node(i).byte));
      }
    }
  }

  // kDead also where the node is left to each state.
  track::PrefixId push(ShapePart::Spot::Kind kind, const Siblings& place, uint32_t node, track::PrefixId prefix,
                       uint32_t path) {
    tracker_.heed();
    const track::PrefixId next = tracker_.push(prefix, place.part.trie.node(node).byte);
    const bool quoted = is_quote(place.part.trie.node(node).byte) && (next == track::kDead || tracker_.in_quotes(next));
    if (!quoted && !tracker_.has_asked()) return next;
    // Whether a quote may open is a matter of the names that may come, and of what has ended before it.
    tracker_.heed();
    const track::PrefixId at = quoted ? tracker_.after_lexeme(prefix) : track::kDead;
    if (quoted && !tracker_.has_asked()) {
      if (at != track::kDead) note_quote(kind, path, alone(place, node), at);
    } else {
      note(kind, path, alone(place, node));
    }
    return track::kDead;
  }

  static bool is_quote(uint8_t byte) { return byte == '"' || byte == '`' || byte == '['; }

  void note_quote(ShapePart::Spot::Kind kind, uint32_t path, const Siblings& place, track::PrefixId at) {
    const track::Key key = tracker_.names_key(at);
    auto same = std::ranges::find(found_, key, &Found::key);
    if (same == found_.end()) same = found_.insert(same, Found{key, path, {}, {}, {}});
    same->quotes.push_back({kind, path, {&place.part, place.first, place.last}, {}});
  }

  // Takes what `walk` admits, if the schema need not be asked.
  template <typename Walk>
  bool alike(const Walk& walk) {
    tracker_.heed();
    const auto made = walk_.made_part(walk);
    if (tracker_.has_asked()) return false;
    to_.add(*made);
    return true;
  }

  void tails(const Siblings& place, track::PrefixId prefix, uint32_t path) {
    tracker_.heed();
    const bool inside = tracker_.takes_word_bytes(prefix);
    const track::PrefixId at = inside ? track::kDead : tracker_.after_lexeme(prefix);
    if (tracker_.has_asked()) return note(ShapePart::Spot::Tails, path, place);
    if (inside) {
      if (!alike([&](Admitted& to) { walk_.go_on(place, prefix, to); })) note(ShapePart::Spot::Tails, path, place);
    } else if (at != track::kDead) {
      words(place, at, path);
    }
  }

  void words(const Siblings& place, track::PrefixId at, uint32_t path) {
    const track::LanguageWords language = tracker_.language_words(at);
    if (language.all_asked) return note(ShapePart::Spot::Tails, path, place);
    track::WordSet set;
    set.rest = language.rest;
    set.new_name = language.new_name;
    const track::Key key{language.number, shape_mixed(0x1A, uint64_t{place.first} << 32 | place.part.number)};
    to_.add(index_.general_parts.find(key, [&] {
      return walk_.made_part([&](Admitted& made) {
        walk_.add_words(place, *language.trie, language.words, track::WordTrie::kRoot, made);
      });
    }));
    walk_.add_set(place, set, to_);
    if (language.numbers_asked) note(ShapePart::Spot::Numbers, path, place);
    auto same = std::ranges::find_if(found_, [&](const Found& found) {
      return found.key == language.names && found.asked == language.asked;
    });
    if (same == found_.end()) same = found_.insert(same, {language.names, path, language.asked, {}, {}});
    same->places.push_back({&place.part, place.first, place.last});
  }

  void signs(const Siblings& place, track::PrefixId prefix, uint32_t path) {
    tracker_.heed();
    const bool inside = tracker_.takes_word_bytes(prefix);
    const track::PrefixId at = inside ? track::kDead : tracker_.after_lexeme(prefix);
    if (tracker_.has_asked()) return note(ShapePart::Spot::Signs, path, place);
    if (inside) {
      if (!alike([&](Admitted& to) { walk_.signs_after_words(place, prefix, to); })) {
        note(ShapePart::Spot::Signs, path, place);
      }
      return;
    }
    if (at == track::kDead) return;
    const track::LanguageWords language = tracker_.language_words(at);
    track::WordSet rest;
    rest.rest = language.rest;
    std::string text;
    const bool told = !language.all_asked && !language.any_word && alike([&](Admitted& to) {
      if (rest.rest != 0) walk_.signs_after_rest(place, rest, text, at, to);
    });
    if (!told) return note(ShapePart::Spot::Signs, path, place);
    if (language.numbers_asked) note(ShapePart::Spot::NumberSigns, path, place);
    signs_after(place, language, track::WordTrie::kRoot, at, path, text);
    note(ShapePart::Spot::OtherSigns, path, place, language.asked);
  }

  void signs_after(const Siblings& place, const track::LanguageWords& language, uint32_t node, track::PrefixId at,
                   uint32_t path, std::string& text) {
    const Trie& trie = place.part.trie;
    const track::WordTrie& words = *language.trie;
    for (uint32_t i = words.node(node).child; i != track::WordTrie::kNowhere; i = words.node(i).next) {
      const track::WordTrie::Node& word = words.node(i);
      if (!language.words.any_in(word.first, word.last)) continue;
      const char both[] = {shape_capital(word.byte), word.byte};
      for (int c = both[0] == both[1] ? 1 : 0; c < 2; ++c) {
        const uint32_t found = place.part.find(place.first, place.last, static_cast<uint8_t>(both[c]));
        if (found == place.last) continue;
        text += both[c];
        if (word.ends_word && language.words.contains(word.first)) signs_below(place, found, at, path, text);
        const Siblings below{place.part, found + 1, trie.node(found).after};
        if (below.first < below.last) signs_after(below, language, i, at, path, text);
        text.pop_back();
      }
    }
  }

  void signs_below(const Siblings& place, uint32_t node, track::PrefixId at, uint32_t path, const std::string& text) {
    const Trie& trie = place.part.trie;
    const auto is_sign = [&](uint32_t i) { return !is_word_byte(trie.node(i).byte); };
    uint32_t first = node + 1;
    while (first < trie.node(node).after && !is_sign(first)) first = trie.node(first).after;
    if (first >= trie.node(node).after) return;
    track::PrefixId end = at;
    uint32_t to = path;
    for (const char c : text) {
      end = end == track::kDead ? end : tracker_.push(end, static_cast<uint8_t>(c));
      to = this->path(to, static_cast<uint8_t>(c));
    }
    if (end == track::kDead) return;
    for (uint32_t i = first; i < trie.node(node).after; i = trie.node(i).after) {
      if (!is_sign(i)) continue;
      const track::PrefixId next = push(ShapePart::Spot::Mixed, place, i, end, to);
      if (next == track::kDead) continue;
      to_.set(trie.tokens_at(i));
      if (i + 1 < trie.node(i).after) {
        mixed({place.part, i + 1, trie.node(i).after}, next, this->path(to, trie.node(i).byte));
      }
    }
  }

  // Makes one trie of the small places, so that they are looked through once.
  std::shared_ptr<const ShapePart::Places> gathered(const std::vector<ShapePart::Place>& found) {
    track::Key key{0x9E37, 0x79B9};
    for (const ShapePart::Place& place : found) {
      key.high = shape_mixed(key.high, uint64_t{place.first} << 32 | place.part->number);
      key.low = shape_mixed(key.low + place.part->number, place.first * 0xD6E8FEB86659FD93u);
    }
    const auto make = [&]() -> std::shared_ptr<const void> {
      constexpr uint32_t kSmall = 2000;
      auto made = std::make_shared<ShapePart::Places>();
      made->number = index_.next_number++;
      std::vector<std::pair<std::string, TokenId>> tails;
      for (const ShapePart::Place& place : found) {
        if (place.last - place.first > kSmall) {
          made->all.push_back(place);
          continue;
        }
        std::string text;
        add_tails(place.part->trie, place.first, place.last, text, tails);
      }
      if (tails.empty()) return made;
      std::vector<Trie::Entry> entries;
      for (const auto& [text, id] : tails) entries.push_back({text, id});
      made->small = std::make_unique<const ShapePart::Part>(index_.next_number++, Trie(std::move(entries)));
      made->all.push_back({made->small.get(), 0, static_cast<uint32_t>(made->small->trie.size())});
      return made;
    };
    return std::static_pointer_cast<const ShapePart::Places>(index_.shape_parts.places(key, make));
  }

  std::string bytes_of(uint32_t path) const {
    std::string bytes;
    for (; path != 0; path = part_.paths[path].above) bytes += static_cast<char>(part_.paths[path].byte);
    std::ranges::reverse(bytes);
    return bytes;
  }

  std::shared_ptr<const ShapePart::Quotes> gathered_quotes(const std::vector<ShapePart::Spot>& found) {
    track::Key key{0x9001, 0x1E5};
    for (const ShapePart::Spot& spot : found) {
      const std::string lead = bytes_of(spot.path);
      key.high = shape_mixed(key.high, uint64_t{spot.place.first} << 32 | spot.place.part->number);
      key.low = shape_mixed(key.low + spot.place.part->number, std::hash<std::string>()(lead));
    }
    const auto make = [&]() -> std::shared_ptr<const void> {
      auto made = std::make_shared<ShapePart::Quotes>();
      made->number = index_.next_number++;
      constexpr size_t kLong = 40;
      std::array<std::vector<std::pair<std::string, TokenId>>, 3> inside;
      for (const ShapePart::Spot& spot : found) {
        const Trie& trie = spot.place.part->trie;
        const char opened = static_cast<char>(trie.node(spot.place.first).byte);
        const char closing = opened == '[' ? ']' : opened;
        std::string text;
        const auto add = [&](const auto& self, uint32_t node) -> void {
          for (const TokenId id : trie.tokens_at(node)) {
            const size_t end = std::min(text.find(closing), text.size());
            const auto quote = static_cast<Quote>(opened);
            if (text.empty()) {
              made->openers[ShapePart::Quotes::quote_index(quote)].push_back(id);
            } else if (end == text.size() && end <= kLong) {
              inside[ShapePart::Quotes::quote_index(quote)].emplace_back(text, id);
            } else {
              made->closers.push_back({id, bytes_of(spot.path) + opened, text.substr(0, end), text.substr(end), quote});
            }
          }
          for (uint32_t i = node + 1; i < trie.node(node).after; i = trie.node(i).after) {
            text += static_cast<char>(trie.node(i).byte);
            self(self, i);
            text.pop_back();
          }
        };
        add(add, spot.place.first);
      }
      for (uint32_t i = 0; i < made->closers.size(); ++i) made->by_text[folded(made->closers[i].text)].push_back(i);
      for (size_t i = 0; i < inside.size(); ++i) {
        std::vector<Trie::Entry> entries;
        for (const auto& [text, id] : inside[i]) entries.push_back({text, id});
        made->inside[i] = std::make_unique<const ShapePart::Part>(index_.next_number++, Trie(std::move(entries)));
      }
      return made;
    };
    return std::static_pointer_cast<const ShapePart::Quotes>(index_.shape_parts.places(key, make));
  }

  // Which closers may come where what they close is a string that nothing else is called like.
  void read_strings(ShapePart::Names& names, track::PrefixId prefix) {
    constexpr std::string_view kUnknown = "zz_nothing_zz";
    const auto pushed = [&](track::PrefixId end, std::string_view bytes) {
      for (const char c : bytes) end = end == track::kDead ? end : tracker_.push(end, static_cast<uint8_t>(c));
      return end;
    };
    const track::PrefixId end = pushed(prefix, bytes_of(names.path));
    const track::PrefixId at = end == track::kDead ? end : tracker_.after_lexeme(end);
    if (at == track::kDead || tracker_.knows_name(kUnknown)) return;
    names.is_string = tracker_.quoted_names(at).string;
    if (!names.is_string) return;
    for (uint32_t i = 0; i < names.quotes->closers.size(); ++i) {
      const ShapePart::Quotes::Closer& closer = names.quotes->closers[i];
      if (closer.quote != Quote::Double) continue;
      tracker_.heed();
      track::PrefixId at_end = pushed(pushed(prefix, closer.lead), closer.text.empty() ? "" : kUnknown);
      size_t told = 0;  // bytes of the rest that the schema need not be asked about
      for (; told < closer.rest.size() && at_end != track::kDead; ++told) {
        const auto byte = static_cast<uint8_t>(closer.rest[told]);
        if (told > 0 && (is_word_byte(byte) || is_quote(byte))) break;
        at_end = tracker_.push(at_end, byte);
      }
      const bool fits = at_end != track::kDead;
      if (tracker_.has_asked() || closer.rest.empty() || (fits && told < closer.rest.size())) {
        names.asked_closers.push_back(i);
      } else if (fits) {
        names.string_closers.push_back(i);
      }
    }
  }

  // Words alone: what has signs after them is found elsewhere.
  void add_tails(const Trie& trie, uint32_t first, uint32_t last, std::string& text,
                 std::vector<std::pair<std::string, TokenId>>& tails) {
    for (uint32_t i = first; i < last; i = trie.node(i).after) {
      if (!is_word_byte(trie.node(i).byte)) continue;
      text += static_cast<char>(trie.node(i).byte);
      for (const TokenId id : trie.tokens_at(i)) tails.emplace_back(text, id);
      if (i + 1 < trie.node(i).after) add_tails(trie, i + 1, trie.node(i).after, text, tails);
      text.pop_back();
    }
  }

  PartWalk& walk_;
  track::Tracker& tracker_;
  const VocabularyIndex::Impl& index_;
  ShapePart& part_;
  Admitted& to_;
  std::vector<Found> found_;
};

std::shared_ptr<const ShapePart> PartWalk::shape_part(track::PrefixId prefix, After after, const track::Key& shape) {
  track::Key key = shape;
  key.low = shape_mixed(key.low, after == After::Word ? 0x5A : 0xA5);
  if (auto known = index_.shape_parts.find(key)) return known;
  auto made = std::make_shared<ShapePart>();
  const DraftLease draft(index_.vocabulary.size());
  Admitted to(*draft);
  const uint32_t mark = tracker_.mark();
  ShapeWalk(*this, *made, to).learn(prefix, after);
  tracker_.release(mark);
  made->tokens = draft->take(nullptr);
  index_.shape_parts.keep(key, made);
  return made;
}

// False: it has no shape, or none that is known, and is walked as it is.
bool PartWalk::add_by_shape(track::PrefixId prefix, const FreeTextParts* plain, Admitted& to) {
  if (budget_test_ != nullptr || owed_ != 0 || plain != nullptr) return false;
  if (!masks_by_shape.load(std::memory_order_relaxed)) return false;
  if (const auto shape = tracker_.shape(prefix)) {
    const auto known = shape_part(prefix, After::Lexeme, *shape);
    if (known) add_part(*known, prefix, to);
    return known != nullptr;
  }
  if (!tracker_.signs_end(prefix)) return false;
  const auto all_of = [](const Part& part) { return Siblings{part, 0, static_cast<uint32_t>(part.trie.size())}; };
  const track::PrefixId at = tracker_.after_lexeme(prefix);
  const auto shape = at == track::kDead ? std::nullopt : tracker_.shape(at);
  const auto part = shape ? shape_part(at, After::Word, *shape) : nullptr;
  if (at != track::kDead && !part) return false;
  tails(all_of(index_.words), prefix, to);
  signs_after_words(all_of(index_.mixed), prefix, to);
  const bool number = tracker_.word_start(prefix) == track::kDead;  // to which a point would belong
  for (const Part* signs : {&index_.heads, &index_.mixed}) {
    if (!number) break;
    const uint32_t end = static_cast<uint32_t>(signs->trie.size());
    const uint32_t point = signs->find(0, end, '.');
    if (point == end) continue;
    const Siblings alone{*signs, point, signs->trie.node(point).after};
    signs == &index_.heads ? heads(alone, prefix, to) : words_and_signs(alone, prefix, to);
  }
  if (part) add_part(*part, at, to);
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
    key.high = shape_mixed(key.high, word);
    key.low = shape_mixed(key.low + word, 0xD6E8FEB86659FD93u);
  }
  add_listed(key, [&](const Siblings& place, Admitted& listed) {
    add_words(place, *set.trie, *set.allowed, set.node, listed);
  });
  if (set.schema_rest != 0) {
    add_listed({places.number, shape_mixed(0x9B, set.schema_rest)}, [&](const Siblings& place, Admitted& listed) {
      Rest rest{set.schema_rest, 0, {}};
      add_rest(place, rest, listed);
    });
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
    key.high = shape_mixed(key.high, word);
    key.low = shape_mixed(key.low + word, 0xD6E8FEB86659FD93u);
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
    add_kept({quotes.inside[i]->number, shape_mixed(0x9B, quoted.rest)}, to, [&](Admitted& made) {
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
    its.low = shape_mixed(its.low, what);
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
      std::string text;
      signs_after_words_of(place, kept, kept.node, text, begin, to);
      for (const std::string& word : kept.own) signs_after(place, word, true, true, text, begin, to);
      if (kept.schema_rest != 0) signs_after_rest(place, kept, text, begin, to);
      return;
    }
  }
}

}  // namespace pccsql
