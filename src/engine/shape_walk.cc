// The walk that finds out what the states of one shape share of their masks.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "engine/part_walk.h"
#include "track/lexical.h"

namespace pccsql {
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
    switch (after) {
      case PartWalk::After::NameEnding:
        mixed(all_of(*index_.name_endings.part), prefix, 0);
        break;
      case PartWalk::After::QuoteEnding:
        mixed(all_of(*index_.quote_endings.part), prefix, 0);
        break;
      case PartWalk::After::Apostrophe:
        left_out_ = '\'';
        break;
      case PartWalk::After::DoubleQuote:
        left_out_ = '"';
        break;
      case PartWalk::After::Backtick:
        left_out_ = '`';
        break;
      default:
        break;
    }
    if (after != PartWalk::After::NameEnding && after != PartWalk::After::QuoteEnding) {
      if (after != PartWalk::After::Word) tails(all_of(index_.words), prefix, 0);
      if (const track::PrefixId at = tracker_.after_lexeme(prefix); at != track::kDead) blanks(at);
      heads(all_of(index_.heads), prefix, 0);
      mixed(all_of(index_.mixed), prefix, 0, after == PartWalk::After::Word);
    }
    for (const Found& found : found_) {
      ShapePart::Names names;
      names.path = found.path;
      names.asked = found.asked;
      names.places = gathered(found.places);
      names.new_asked = found.new_asked;
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
    bool new_asked = false;
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

  // What is left out, or is free text as a whole: nothing below it is looked at.
  bool is_settled(const Siblings& place, uint32_t node, track::FreeText kind, uint32_t room) {
    const Trie& trie = place.part.trie;
    if (left_out_ != 0 && trie.node(node).depth == 1 && trie.node(node).byte == static_cast<uint8_t>(left_out_)) return true;
    if (kind == track::FreeText::None || !place.part.shape.is_plain(node, kind, room)) return false;
    to_.set(trie.tokens_below(node));
    return true;
  }

  void heads(const Siblings& place, track::PrefixId prefix, uint32_t path) {
    const Trie& trie = place.part.trie;
    const track::FreeText kind = tracker_.free_text(prefix);
    const uint32_t room = kind == track::FreeText::None ? 0 : tracker_.room(prefix);
    bool words_done = false;
    for (uint32_t i = place.first; i < place.last; i = trie.node(i).after) {
      if (is_settled(place, i, kind, room)) continue;
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
      if (is_settled(place, i, kind, room)) continue;
      if (is_word_byte(trie.node(i).byte)) {
        const bool own_words = &place.part == &index_.mixed && trie.node(i).depth == 1;  // those are in another part
        if (!words_done && !own_words) tails(place, prefix, path);
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
    const bool quoted = is_quote(place.part.trie.node(node).byte) && (next == track::kDead || tracker_.open_quote(next) != 0);
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
    if (same == found_.end()) same = found_.insert(same, Found{key, path, {}, {}, {}, false});
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
    const track::Key key{language.number, mixed_key(0x1A, uint64_t{place.first} << 32 | place.part.number)};
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
    if (same == found_.end()) same = found_.insert(same, {language.names, path, language.asked, {}, {}, false});
    same->new_asked |= language.new_asked;
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
    const bool told = !language.all_asked && !language.new_asked && !language.any_word && alike([&](Admitted& to) {
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
      const char both[] = {capital_of(word.byte), word.byte};
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
      key.high = mixed_key(key.high, uint64_t{place.first} << 32 | place.part->number);
      key.low = mixed_key(key.low + place.part->number, place.first * 0xD6E8FEB86659FD93u);
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
      part_.made_beside += made->small->bytes();
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
      key.high = mixed_key(key.high, uint64_t{spot.place.first} << 32 | spot.place.part->number);
      key.low = mixed_key(key.low + spot.place.part->number, std::hash<std::string>()(lead));
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
      part_.made_beside += made->closers.size() * 2 * sizeof(ShapePart::Quotes::Closer);
      for (uint32_t i = 0; i < made->closers.size(); ++i) made->by_text[folded(made->closers[i].text)].push_back(i);
      for (size_t i = 0; i < inside.size(); ++i) {
        std::vector<Trie::Entry> entries;
        for (const auto& [text, id] : inside[i]) entries.push_back({text, id});
        made->inside[i] = std::make_unique<const ShapePart::Part>(index_.next_number++, Trie(std::move(entries)));
        part_.made_beside += made->inside[i]->bytes();
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
  char left_out_ = 0;  // tokens that begin with this are
  std::vector<Found> found_;
};

std::shared_ptr<const ShapePart> PartWalk::shape_part(track::PrefixId prefix, After after, const track::Key& shape) {
  track::Key key = shape;
  key.low = mixed_key(key.low, 0xA5 + static_cast<uint64_t>(after));
  if (auto known = index_.shape_parts.find(key)) return known;
  if (!tracker_.tells_language() || !words_.has_room_for_good()) return nullptr;
  auto made = std::make_shared<ShapePart>();
  const DraftLease draft(index_.vocabulary.size());
  Admitted to(*draft);
  const uint32_t mark = tracker_.mark();
  ShapeWalk(*this, *made, to).learn(prefix, after);
  tracker_.release(mark);
  made->tokens = draft->take(nullptr);
  if (words_.take_for_good(made->bytes())) index_.shape_parts.keep(key, made);
  return made;
}

}  // namespace pccsql
