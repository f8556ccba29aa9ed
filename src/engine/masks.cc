// How a mask comes about: from the cache, by walking the trie with the tracker, and token by token where the budget is
// so tight that it decides.
#include <algorithm>

#include "engine/free_walk.h"
#include "engine/matcher_impl.h"

namespace pccsql {

namespace {

// Names that nothing in a schema or a query is likely to be called: what a completion is like after a name that has no
// other meaning. Three, so that one of them may have one.
constexpr std::string_view kUnrelated[] = {"zq7", "_x_", "q9j"};

// A completion after plain tokens is what it is after an unrelated name, but for a letter or two that make it unrelated.
constexpr uint32_t kPlainSlack = 8;

// How many tokens more than now a completion can take after one token more, generously: a name or two that a FROM must then
// supply, a few parentheses. While more than that is left, the budget is not looked at; accept() always looks.
constexpr uint32_t kFarFromTheEnd = 96;

// The tracker as the walk's recognizer.
class PrefixWalk {
 public:
  PrefixWalk(track::Tracker& tracker, track::PrefixId prefix) : tracker_(tracker), path_{prefix} {}

  bool push(uint8_t byte) {
    const track::PrefixId next = tracker_.push(path_.back(), byte);
    if (next == track::kDead) return false;
    path_.push_back(next);
    return true;
  }
  void pop(size_t count) { path_.resize(path_.size() - count); }
  bool accepts() { return true; }
  track::FreeText free_text() { return tracker_.free_text(path_.back()); }
  uint32_t room() { return tracker_.room(path_.back()); }
  bool admits_plain(track::FreeText) { return true; }

 protected:
  track::Tracker& tracker_;
  std::vector<track::PrefixId> path_;
};

}  // namespace

// The tracker keeps to a completion once it has given one. Here it is asked afresh each time, so that the answer depends
// on where the text stands and not on what was asked before: masks and accept must come to the same.
std::optional<std::string> Matcher::Impl::completion(track::PrefixId prefix) {
  const uint32_t mark = tracker().mark();
  std::optional<std::string> text = tracker().completion(prefix);
  tracker().release(mark);
  return text;
}

uint32_t Matcher::Impl::needed(track::PrefixId prefix) {
  const track::Key key = tracker().key(prefix);
  if (const auto known = engine_->needs().find(key)) return *known;
  const auto text = completion(prefix);
  const auto tokens = text ? engine_->index().greedy_tokens(*text) : std::nullopt;
  const uint32_t need = tokens.value_or(NeedCache::kNone);
  engine_->needs().insert(key, need);
  return need;
}

uint32_t Matcher::Impl::needed_after_plain(track::PrefixId prefix) {
  uint32_t most = needed(prefix);
  for (const std::string_view name : kUnrelated) {
    track::PrefixId after = prefix;
    for (const char c : name) after = after == track::kDead ? after : tracker().push(after, static_cast<uint8_t>(c));
    if (after == track::kDead) return NeedCache::kNone;
    most = std::max(most, needed(after));
  }
  return most > NeedCache::kNone - kPlainSlack ? NeedCache::kNone : most + kPlainSlack;
}

bool Matcher::Impl::fits(track::PrefixId prefix, uint32_t left, std::string_view bytes, Plan* plan) {
  if (left == 0) return false;
  if (!engine_->looks_ahead()) return left > 1 || tracker().may_end(prefix);
  if (needed(prefix) < left) return true;
  if (bytes.empty()) return false;
  Plan rest = current_plan();
  if (!rest.text || !rest.rest().starts_with(bytes)) return false;
  rest.written += static_cast<uint32_t>(bytes.size());
  const auto tokens = engine_->index().greedy_tokens(rest.rest());
  if (!tokens || *tokens >= left) return false;
  if (plan != nullptr) *plan = std::move(rest);
  return true;
}

// The step was admitted because the tracker's own completion fits, or with a plan.
const Matcher::Impl::Plan& Matcher::Impl::current_plan() {
  Step& top = steps_.back();
  if (!top.plan.text && top.prefix != track::kDead) {
    if (auto text = completion(top.prefix)) top.plan = {std::make_shared<const std::string>(std::move(*text)), 0};
  }
  return top.plan;
}

bool Matcher::Impl::refusal_fits(uint8_t refusing, uint32_t left) const {
  const auto tokens = engine_->index().greedy_tokens(kRefuseWord.substr(refusing));
  return tokens && *tokens < left;
}

bool Matcher::Impl::is_near_the_end(track::PrefixId prefix) {
  if (budget_ == 0) return false;
  if (!engine_->looks_ahead()) return true;
  const uint32_t need = needed(prefix);
  return need > NeedCache::kNone - kFarFromTheEnd || need + kFarFromTheEnd > left();
}

bool Matcher::Impl::budget_bites(const StoredMask& loose) const {
  if (budget_ == 0) return false;
  if (!engine_->looks_ahead()) return left() <= 2;
  return uint64_t{loose.most_needed} + 2 > left();
}

std::shared_ptr<const StoredMask> Matcher::Impl::current_mask() {
  const Step& top = steps_.back();
  static const auto nothing = std::make_shared<const StoredMask>();
  if (top.prefix == track::kDead) return nothing;  // a refusal is being written
  const bool near = is_near_the_end(top.prefix);
  std::shared_ptr<const StoredMask> mask = loose_mask(top.prefix, near);
  const bool dead_end = mask->empty;
  if (!dead_end && near && budget_bites(*mask)) mask = tight_mask(top.prefix);
  if (!mask->empty || top.refusing != kNotRefusing) return mask;
  if (engine_->looks_ahead()) {
    fault("no token can follow");
  } else if (dead_end) {
    refuse(RefusalCause::NothingToAsk, "nothing that is permitted can follow: a dead end");
  } else {
    refuse(RefusalCause::Budget, "the budget of " + std::to_string(budget_) + " tokens is used up");
  }
  return nullptr;
}

const FreeTextParts* Matcher::Impl::free_text(track::PrefixId prefix) {
  const track::FreeText kind = tracker().free_text(prefix);
  if (kind == track::FreeText::None || owed_at_end(text_) > 0) return nullptr;
  return engine_->index().free_texts.find(kind, tracker().room(prefix));
}

// Also asks how many tokens a completion takes after each token.
class Matcher::Impl::MeasuringWalk : public PrefixWalk {
 public:
  MeasuringWalk(Impl& impl, track::PrefixId prefix) : PrefixWalk(impl.tracker(), prefix), impl_(impl) {}
  bool accepts() {
    most_needed = std::max(most_needed, impl_.needed(path_.back()));
    return true;
  }
  bool admits_plain(track::FreeText) {
    most_needed = std::max(most_needed, impl_.needed_after_plain(path_.back()));
    return true;
  }
  uint32_t most_needed = 0;

 private:
  Impl& impl_;
};

// A mask from its parts. Tokens that begin with a blank end the open lexeme, and which words may follow depends on little:
// those come from the cache for most states, also ones that were never met.
bool Matcher::Impl::add_parts(track::PrefixId prefix, Bitmask bits) {
  if (!tracker().has_parts()) return false;
  const track::PrefixId seam = tracker().seam(prefix);
  const bool in_word = tracker().takes_word_bytes(prefix);
  std::optional<track::Key> key;
  if (seam != track::kDead) {
    key = tracker().word_key(seam);
    if (!key) return false;
  }
  const VocabularyIndex::Impl& index = engine_->index();
  if (key) {
    add_words(seam, *key, index.blank_words, 1, bits);
    if (!in_word) add_words(seam, *key, index.words, 2, bits);
  }
  PrefixWalk walker(tracker(), prefix);
  const uint8_t owed = owed_at_end(text_);
  if (!key) free_walk(index.blank_words.trie, index.blank_words.shape, walker, owed, bits);  // blanks may belong to it
  if (in_word) free_walk(index.words.trie, index.words.shape, walker, owed, bits);
  free_walk(index.others.trie, index.others.shape, walker, owed, bits);
  return true;
}

void Matcher::Impl::add_words(track::PrefixId seam, track::Key key, const VocabularyIndex::Impl::Part& part,
                              uint64_t which, Bitmask bits) {
  key.low ^= which * 0x9E3779B97F4A7C15u;  // apart from the keys of whole masks, and of the other part
  std::shared_ptr<const StoredMask> known = engine_->word_cache().find(key);
  if (!known) {
    BitmaskBuffer words(engine_->vocabulary().size());
    PrefixWalk walker(tracker(), seam);
    free_walk(part.trie, part.shape, walker, 0, words.view());
    known = std::make_shared<const StoredMask>(StoredMask::of(words.view(), nullptr));
    engine_->word_cache().insert(key, known);
  }
  known->add_to(bits);
}

std::shared_ptr<const StoredMask> Matcher::Impl::loose_mask(track::PrefixId prefix, bool near) {
  const bool measured = near && engine_->looks_ahead();
  const track::Key key = tracker().key(prefix);
  if (auto found = engine_->cache().find(key); found && (!measured || found->measured)) return found;
  const FreeTextParts* const parts = free_text(prefix);
  const Trie& trie = parts != nullptr ? parts->rest : engine_->index().trie;
  const TrieShape& shape = parts != nullptr ? parts->shape : engine_->index().shape;
  const uint32_t mark = tracker().mark();
  BitmaskBuffer bits(engine_->vocabulary().size());
  uint32_t most_needed = NeedCache::kNone;
  if (measured) {
    MeasuringWalk walker(*this, prefix);
    free_walk(trie, shape, walker, owed_at_end(text_), bits.view());
    if (parts != nullptr) walker.admits_plain({});
    most_needed = walker.most_needed;
  } else if (parts != nullptr || !add_parts(prefix, bits.view())) {
    PrefixWalk walker(tracker(), prefix);
    free_walk(trie, shape, walker, owed_at_end(text_), bits.view());
  }
  if (tracker().may_end(prefix)) {
    for (const TokenId id : engine_->vocabulary().end_of_text()) bits.view().set(id);
  }
  tracker().release(mark);
  StoredMask stored = StoredMask::of(bits.view(), parts != nullptr ? &parts->plain : nullptr);
  stored.measured = measured;
  stored.most_needed = most_needed;
  auto made = std::make_shared<const StoredMask>(std::move(stored));
  engine_->cache().insert(key, made);
  return made;
}

// Asks of each token whether a completion fits after it, exactly.
class Matcher::Impl::FittingWalk : public PrefixWalk {
 public:
  FittingWalk(Impl& impl, track::PrefixId prefix) : PrefixWalk(impl.tracker(), prefix), impl_(impl) {}

  bool push(uint8_t byte) {
    if (!PrefixWalk::push(byte)) return false;
    written_ += static_cast<char>(byte);
    return true;
  }
  void pop(size_t count) {
    PrefixWalk::pop(count);
    written_.resize(written_.size() - count);
  }
  bool accepts() { return impl_.fits(path_.back(), impl_.left() - 1, written_, nullptr); }
  // What a string holds changes nothing after it. What a name is can.
  bool admits_plain(track::FreeText kind) {
    const uint32_t left = impl_.left() - 1;
    if (kind != track::FreeText::String) return impl_.needed_after_plain(path_.back()) < left;
    const track::PrefixId after = tracker_.push(path_.back(), 'a');
    return after != track::kDead && impl_.needed(after) < left;
  }

 private:
  Impl& impl_;
  std::string written_;
};

std::shared_ptr<const StoredMask> Matcher::Impl::tight_mask(track::PrefixId prefix) {
  const uint32_t mark = tracker().mark();
  BitmaskBuffer bits(engine_->vocabulary().size());
  FittingWalk walker(*this, prefix);
  const FreeTextParts* parts = free_text(prefix);
  if (parts != nullptr && !walker.admits_plain(tracker().free_text(prefix))) parts = nullptr;
  if (parts != nullptr) {
    free_walk(parts->rest, parts->shape, walker, owed_at_end(text_), bits.view());
  } else {
    free_walk(engine_->index().trie, engine_->index().shape, walker, owed_at_end(text_), bits.view());
  }
  if (tracker().may_end(prefix)) {
    for (const TokenId id : engine_->vocabulary().end_of_text()) bits.view().set(id);
  }
  tracker().release(mark);
  return std::make_shared<const StoredMask>(StoredMask::of(bits.view(), parts != nullptr ? &parts->plain : nullptr));
}

}  // namespace pccsql
