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
constexpr uint32_t kPlainSlack = 16;

// How long a completion may be after any plain text.
uint32_t bound_after_plain(track::Tracker& tracker, track::PrefixId prefix) {
  uint32_t most = tracker.completion_bound(prefix);
  for (const std::string_view name : kUnrelated) {
    track::PrefixId after = prefix;
    for (const char c : name) after = after == track::kDead ? after : tracker.push(after, static_cast<uint8_t>(c));
    if (after == track::kDead) return UINT32_MAX;
    most = std::max(most, tracker.completion_bound(after));
  }
  return most > UINT32_MAX - kPlainSlack ? UINT32_MAX : most + kPlainSlack;
}

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

// Also asks how long the completion could be after each token.
class MeasuringWalk : public PrefixWalk {
 public:
  using PrefixWalk::PrefixWalk;
  bool accepts() {
    most_bytes = std::max(most_bytes, tracker_.completion_bound(path_.back()));
    return true;
  }
  bool admits_plain(track::FreeText) {
    most_bytes = std::max(most_bytes, bound_after_plain(tracker_, path_.back()));
    return true;
  }
  uint32_t most_bytes = 0;
};

}  // namespace

bool Matcher::Impl::fits(track::PrefixId prefix, uint32_t left, const Plan& rest, Plan* plan) {
  if (left == 0) return false;
  if (!engine_->looks_ahead()) return left > 1 || tracker().may_end(prefix);
  const VocabularyIndex::Impl& index = engine_->index();
  if (index.spells_any_text && tracker().completion_bound(prefix) < left) return true;
  if (auto completion = tracker().completion(prefix)) {
    const auto tokens = index.greedy_tokens(*completion);
    if (tokens && *tokens < left) {
      if (plan != nullptr) *plan = {std::make_shared<const std::string>(std::move(*completion)), 0};
      return true;
    }
  }
  if (!rest.text) return false;
  const auto tokens = index.greedy_tokens(rest.rest());
  if (!tokens || *tokens >= left) return false;
  if (plan != nullptr) *plan = rest;
  return true;
}

bool Matcher::Impl::refusal_fits(uint8_t refusing, uint32_t left) const {
  const auto tokens = engine_->index().greedy_tokens(kRefuseWord.substr(refusing));
  return tokens && *tokens < left;
}

// The step was admitted by a bound on the tracker's completion, or with a plan of its own.
Matcher::Impl::Plan Matcher::Impl::current_plan() {
  const Step& top = steps_.back();
  if (top.plan.text || top.prefix == track::kDead || !engine_->looks_ahead()) return top.plan;
  auto completion = tracker().completion(top.prefix);
  if (!completion) return {};
  return {std::make_shared<const std::string>(std::move(*completion)), 0};
}

bool Matcher::Impl::budget_bites(const StoredMask& loose) const {
  if (budget_ == 0) return false;
  if (!engine_->looks_ahead()) return left() <= 2;
  return !engine_->index().spells_any_text || uint64_t{loose.most_bytes} + 2 > left();
}

std::shared_ptr<const StoredMask> Matcher::Impl::current_mask() {
  const Step& top = steps_.back();
  static const auto nothing = std::make_shared<const StoredMask>();
  if (top.prefix == track::kDead) return nothing;  // a refusal is being written
  std::shared_ptr<const StoredMask> mask = loose_mask(top.prefix);
  const bool dead_end = mask->empty;
  if (!dead_end && budget_bites(*mask)) mask = tight_mask(top.prefix);
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
  if (kind == track::FreeText::None || !ends_whole(text_)) return nullptr;
  return engine_->index().free_texts.find(kind, tracker().room(prefix));
}

std::shared_ptr<const StoredMask> Matcher::Impl::loose_mask(track::PrefixId prefix) {
  const bool measured = budget_ != 0 && engine_->looks_ahead();
  const track::Key key = tracker().key(prefix);
  if (auto found = engine_->cache().find(key); found && (!measured || found->measured)) return found;
  const FreeTextParts* const parts = free_text(prefix);
  const Trie& trie = parts != nullptr ? parts->rest : engine_->index().trie;
  const TrieShape& shape = parts != nullptr ? parts->shape : engine_->index().shape;
  const uint32_t mark = tracker().mark();
  BitmaskBuffer bits(engine_->vocabulary().size());
  uint32_t most_bytes = UINT32_MAX;
  if (measured) {
    MeasuringWalk walker(tracker(), prefix);
    free_walk(trie, shape, walker, ends_whole(text_), bits.view());
    if (parts != nullptr) walker.admits_plain({});
    most_bytes = walker.most_bytes;
  } else {
    PrefixWalk walker(tracker(), prefix);
    free_walk(trie, shape, walker, ends_whole(text_), bits.view());
  }
  if (tracker().may_end(prefix)) {
    for (const TokenId id : engine_->vocabulary().end_of_text()) bits.view().set(id);
  }
  tracker().release(mark);
  StoredMask stored = StoredMask::of(bits.view(), parts != nullptr ? &parts->plain : nullptr);
  stored.measured = measured;
  stored.most_bytes = most_bytes;
  auto made = std::make_shared<const StoredMask>(std::move(stored));
  engine_->cache().insert(key, made);
  return made;
}

// Asks of each token whether a completion fits after it, exactly.
class Matcher::Impl::FittingWalk : public PrefixWalk {
 public:
  FittingWalk(Impl& impl, track::PrefixId prefix)
      : PrefixWalk(impl.tracker(), prefix), impl_(impl), plan_(impl.current_plan()) {}

  bool push(uint8_t byte) {
    if (!PrefixWalk::push(byte)) return false;
    written_ += static_cast<char>(byte);
    return true;
  }
  void pop(size_t count) {
    PrefixWalk::pop(count);
    written_.resize(written_.size() - count);
  }
  bool accepts() {
    Plan rest;
    if (plan_.text && plan_.rest().starts_with(written_)) {
      rest = plan_;
      rest.written += static_cast<uint32_t>(written_.size());
    }
    return impl_.fits(path_.back(), impl_.left() - 1, rest, nullptr);
  }
  // What a string holds changes nothing after it. What a name is can.
  bool admits_plain(track::FreeText kind) {
    const uint32_t left = impl_.left() - 1;
    if (kind != track::FreeText::String) {
      return impl_.engine_->index().spells_any_text && bound_after_plain(tracker_, path_.back()) < left;
    }
    const track::PrefixId after = tracker_.push(path_.back(), 'a');
    return after != track::kDead && impl_.fits(after, left, {}, nullptr);
  }

 private:
  Impl& impl_;
  const Plan plan_;
  std::string written_;
};

std::shared_ptr<const StoredMask> Matcher::Impl::tight_mask(track::PrefixId prefix) {
  const uint32_t mark = tracker().mark();
  BitmaskBuffer bits(engine_->vocabulary().size());
  FittingWalk walker(*this, prefix);
  const FreeTextParts* parts = free_text(prefix);
  if (parts != nullptr && !walker.admits_plain(tracker().free_text(prefix))) parts = nullptr;
  if (parts != nullptr) {
    free_walk(parts->rest, parts->shape, walker, ends_whole(text_), bits.view());
  } else {
    free_walk(engine_->index().trie, engine_->index().shape, walker, ends_whole(text_), bits.view());
  }
  if (tracker().may_end(prefix)) {
    for (const TokenId id : engine_->vocabulary().end_of_text()) bits.view().set(id);
  }
  tracker().release(mark);
  return std::make_shared<const StoredMask>(StoredMask::of(bits.view(), parts != nullptr ? &parts->plain : nullptr));
}

}  // namespace pccsql
