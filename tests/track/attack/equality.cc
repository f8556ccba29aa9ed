#include "track/attack/equality.h"

#include <random>

#include "track/attack/oracle.h"

namespace pccsql::attack {
namespace {

std::string shown(int byte) {
  if (byte > 32 && byte < 127) return std::string(1, static_cast<char>(byte));
  return "#" + std::to_string(byte);
}

}  // namespace

Sight look(Tracker& tracker, PrefixId prefix) {
  Sight sight;
  const uint32_t mark = tracker.mark();
  for (int byte = 0; byte < 256; ++byte)
    sight.admitted[byte] = tracker.push(prefix, static_cast<uint8_t>(byte)) != kDead;
  tracker.release(mark);
  sight.may_end = tracker.may_end(prefix);
  if (const auto completion = tracker.completion(prefix)) sight.completion = completion->size();
  sight.free_text = tracker.free_text(prefix);
  sight.room = tracker.room(prefix);
  return sight;
}

std::string difference(const Sight& a, const Sight& b) {
  std::string text;
  for (int byte = 0; byte < 256; ++byte) {
    if (a.admitted[byte] != b.admitted[byte]) text += (a.admitted[byte] ? " -" : " +") + shown(byte);
  }
  if (!text.empty()) text = "bytes" + text;
  if (a.may_end != b.may_end) text += " may_end";
  if (a.completion != b.completion) {
    const auto length = [](const Sight& s) { return s.completion ? std::to_string(*s.completion) : "none"; };
    text += " completion " + length(a) + "/" + length(b);
  }
  if (a.free_text != b.free_text) text += " free_text";
  if (a.room != b.room) text += " room " + std::to_string(a.room) + "/" + std::to_string(b.room);
  return text;
}

std::string EqualKeys::note(Tracker& tracker, PrefixId prefix, const std::string& text) {
  const Key key = tracker.key(prefix);
  const Sight sight = look(tracker, prefix);
  const auto [entry, added] = seen_.try_emplace({key.high, key.low}, Seen{sight, text});
  if (added) return "";
  ++met_again_;
  if (entry->second.text != text && other_texts_.size() < 100'000) other_texts_.emplace_back(entry->second.text, text);
  if (entry->second.sight == sight) return "";
  return "equal keys, different futures: `" + entry->second.text + "` and `" + text +
         "`: " + difference(entry->second.sight, sight);
}

std::string ask_twins(Tracker& tracker, const std::string& a, const std::string& b, const std::string& rest) {
  PrefixId at_a = push_all(tracker, tracker.start(), a);
  PrefixId at_b = push_all(tracker, tracker.start(), b);
  if (at_a == kDead || at_b == kDead) return "one of the twins `" + a + "` and `" + b + "` is refused now";
  for (size_t i = 0; i < rest.size(); ++i) {
    at_a = tracker.push(at_a, static_cast<uint8_t>(rest[i]));
    at_b = tracker.push(at_b, static_cast<uint8_t>(rest[i]));
    const std::string where = "`" + a + "` and `" + b + "`, equal, then `" + rest.substr(0, i + 1) + "`: ";
    if ((at_a == kDead) != (at_b == kDead)) return where + "one is refused";
    if (at_a == kDead) return "";
    if (!(tracker.key(at_a) == tracker.key(at_b))) return where + "the keys part";
    if (tracker.may_end(at_a) != tracker.may_end(at_b)) return where + "one may end";
  }
  return "";
}

std::string ask_histories(Tracker& straight, Tracker& crooked, const std::string& text, uint64_t seed) {
  std::mt19937_64 random(seed);
  PrefixId a = straight.start();
  PrefixId b = crooked.start();
  for (size_t i = 0; i < text.size(); ++i) {
    if (random() % 3 == 0) {
      const uint32_t mark = crooked.mark();
      PrefixId astray = b;
      for (int k = 0; k < 8 && astray != kDead; ++k)
        astray = crooked.push(astray, static_cast<uint8_t>(32 + random() % 95));
      if (random() % 2 == 0) push_all(crooked, b, text.substr(i));
      crooked.release(mark);
    }
    const auto byte = static_cast<uint8_t>(text[i]);
    a = straight.push(a, byte);
    b = crooked.push(b, byte);
    if ((a == kDead) != (b == kDead)) return "one history refuses the last byte of `" + text.substr(0, i + 1) + "`";
    if (a == kDead) return "";
    if (!(straight.key(a) == crooked.key(b))) return "the key hangs on the history at `" + text.substr(0, i + 1) + "`";
  }
  return "";
}

std::string ask_rollback(Tracker& tracker, const std::string& text, const std::string& other) {
  std::vector<PrefixId> kept{tracker.start()};
  for (const char c : text) {
    const PrefixId next = tracker.push(kept.back(), static_cast<uint8_t>(c));
    if (next == kDead) break;
    kept.push_back(next);
  }
  push_all(tracker, tracker.start(), other);
  for (size_t i = 0; i < kept.size(); ++i) {
    const std::string where = "going back to `" + text.substr(0, i) + "`: ";
    tracker.push(kept[i], static_cast<uint8_t>('x'));
    tracker.push(kept[i], static_cast<uint8_t>('('));
    PrefixId at = kept[i];
    for (size_t k = i; k + 1 < kept.size(); ++k) {
      at = tracker.push(at, static_cast<uint8_t>(text[k]));
      if (at == kDead) return where + "`" + text.substr(i, k + 1 - i) + "` is refused now";
      if (!(tracker.key(at) == tracker.key(kept[k + 1])))
        return where + "`" + text.substr(i, k + 1 - i) + "` has another key";
      if (tracker.may_end(at) != tracker.may_end(kept[k + 1]))
        return where + "the end of the text is judged differently";
      if (tracker.uses(at) != tracker.uses(kept[k + 1])) return where + "the uses differ";
    }
  }
  return "";
}

}  // namespace pccsql::attack
