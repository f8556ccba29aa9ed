// ToyTracker: a language small enough to judge a prefix by looking at its whole text.
//
// A finite list of words, and `ask '…'` with a string of at most kLongest bytes, quotes doubled, whole UTF-8 characters.
// With traps it is a tracker without look-ahead: it also takes prefixes of words that it will not let end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "track/tracker.h"

namespace pccsql {

class ToyTracker : public track::Tracker {
 public:
  static constexpr uint32_t kLongest = 40;

  struct Words {
    std::vector<std::string> whole;
    std::vector<std::string> traps;
    bool asks = true;
  };
  explicit ToyTracker(std::shared_ptr<const Words> words) : words_(std::move(words)) {
    texts_ = {"", ""};  // the first is kDead
  }

  track::PrefixId start() override { return 1; }

  track::PrefixId push(track::PrefixId prefix, uint8_t byte) override {
    std::string text = texts_[prefix] + static_cast<char>(byte);
    if (!viable(text)) return track::kDead;
    texts_.push_back(std::move(text));
    return static_cast<track::PrefixId>(texts_.size() - 1);
  }

  bool may_end(track::PrefixId prefix) override {
    for (const std::string& word : words_->whole) {
      if (texts_[prefix] == word) return true;
    }
    const auto ask = asked(texts_[prefix]);
    return ask && ask->closed;
  }

  track::Key key(track::PrefixId prefix) override {
    const auto ask = asked(texts_[prefix]);
    const auto half = [&] { return ask->fresh ? uint64_t{ask->lead} << 32 : 0; };
    if (ask) return {1, half() | uint64_t{ask->bytes} << 8 | ask->owed << 1 | (ask->closed ? 1U : 0U)};
    return {2, std::hash<std::string>()(texts_[prefix])};
  }

  std::optional<std::string> completion(track::PrefixId prefix) override {
    const std::string& text = texts_[prefix];
    std::optional<std::string> best;
    const auto offer = [&](std::string rest) {
      if (!best || rest.size() < best->size()) best = std::move(rest);
    };
    for (const std::string& word : words_->whole) {
      if (word.starts_with(text)) offer(word.substr(text.size()));
    }
    if (const auto ask = asked(text)) {
      offer(ask->closed ? "" : tail(*ask) + "'");
    } else if (words_->asks && kAsk.starts_with(text)) {
      offer(std::string(kAsk.substr(text.size())) + "'");
    }
    return best;
  }
  uint32_t completion_bound(track::PrefixId prefix) override {
    const auto rest = completion(prefix);
    return rest ? static_cast<uint32_t>(rest->size()) + slack : UINT32_MAX;
  }

  track::FreeText free_text(track::PrefixId prefix) override {
    const auto ask = asked(texts_[prefix]);
    return ask && !ask->closed ? track::FreeText::String : track::FreeText::None;
  }
  uint32_t room(track::PrefixId prefix) override {
    const auto ask = asked(texts_[prefix]);
    return ask && !ask->closed ? kLongest - ask->bytes : 0;
  }
  track::Explanation explain(track::PrefixId prefix) override {
    track::Explanation told;
    told.clause = texts_[prefix];
    told.allowed.push_back({"a", "first"});
    told.blocked.push_back({"b", "second"});
    return told;
  }
  std::vector<track::Use> uses(track::PrefixId) override { return {}; }

  uint32_t mark() override { return static_cast<uint32_t>(texts_.size()); }
  void release(uint32_t mark) override { texts_.resize(mark); }

  uint32_t slack = 3;  // of completion_bound

 private:
  static constexpr std::string_view kAsk = "ask '";
  struct Asked {
    uint32_t bytes = 0;  // of the string
    uint32_t owed = 0;   // bytes that its last character lacks
    uint8_t lead = 0;    // of that character
    bool fresh = false;  // nothing but the lead byte is there
    bool closed = false;
  };

  static std::string tail(const Asked& ask) {
    std::string rest(ask.owed, '\x80');
    if (!rest.empty() && ask.fresh && ask.lead == 0xE0) rest[0] = '\xA0';
    if (!rest.empty() && ask.fresh && ask.lead == 0xF0) rest[0] = '\x90';
    return rest;
  }

  // Where `ask '…` stands; nothing where the text is none, or one that cannot go on.
  std::optional<Asked> asked(std::string_view text) const {
    if (!words_->asks || !text.starts_with(kAsk)) return std::nullopt;
    Asked at;
    for (const char c : text.substr(kAsk.size())) {
      const auto byte = static_cast<uint8_t>(c);
      if (at.closed) {  // a doubled quote
        if (byte != '\'') return std::nullopt;
        at.closed = false;
        at.bytes += 2;
      } else if (at.owed > 0) {
        uint8_t least = 0x80, most = 0xBF;
        if (at.fresh && at.lead == 0xE0) least = 0xA0;
        if (at.fresh && at.lead == 0xED) most = 0x9F;
        if (at.fresh && at.lead == 0xF0) least = 0x90;
        if (at.fresh && at.lead == 0xF4) most = 0x8F;
        if (byte < least || byte > most) return std::nullopt;
        --at.owed;
        ++at.bytes;
        at.fresh = false;
      } else if (byte == '\'') {
        at.closed = true;
      } else {
        if (byte == 0 || (byte >= 0x80 && (byte < 0xC2 || byte > 0xF4))) return std::nullopt;
        at.owed = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC2 ? 1 : 0;
        at.lead = byte;
        at.fresh = at.owed > 0;
        ++at.bytes;
      }
      if (at.bytes + at.owed > kLongest) return std::nullopt;
    }
    return at;
  }

  bool viable(const std::string& text) const {
    for (const auto* words : {&words_->whole, &words_->traps}) {
      for (const std::string& word : *words) {
        if (word.starts_with(text)) return true;
      }
    }
    return asked(text).has_value() || (words_->asks && kAsk.starts_with(text));
  }

  std::shared_ptr<const Words> words_;
  std::vector<std::string> texts_;
};

}  // namespace pccsql
