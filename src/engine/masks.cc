// How a mask comes about: from the cache, by walking the trie with the tracker, and token by token where the budget is
// so tight that it decides.
#include <algorithm>

#include "engine/matcher_impl.h"
#include "engine/part_walk.h"

namespace pccsql {

namespace {

class GreedyCounter final : public track::TokenCounter {
 public:
  explicit GreedyCounter(const VocabularyIndex::Impl& index) : index_(index) {}
  uint32_t tokens(std::string_view text) override { return index_.greedy_tokens(text).value_or(kUnwritable); }

 private:
  static constexpr uint32_t kUnwritable = 1u << 24;
  const VocabularyIndex::Impl& index_;
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

// The tracker's completion, counted.
uint32_t Matcher::Impl::written_out(track::PrefixId prefix) {
  track::Key key = tracker().key(prefix);
  key.low ^= 0x9E3779B97F4A7C15u;  // apart from bound()
  if (const auto known = engine_->needs().find(key)) return *known;
  const auto text = completion(prefix);
  const uint32_t need = text ? tokens_of(*text) : NeedCache::kNone;
  engine_->needs().insert(key, need);
  return need;
}

// A completion takes long to write, so a bound on it must do. Words are judged by the place where they begin, all alike: a
// mask has hundreds. Only where not all of them would fit, each that is known there is looked at.
bool Matcher::Impl::has_room(track::PrefixId prefix, uint32_t left) {
  const uint32_t mark = tracker().mark();
  const track::PrefixId start = tracker().word_start(prefix);
  bool room = start == track::kDead ? bound(prefix) < left : needed_for_words(start) < left;
  if (!room && start != track::kDead && some_may_fit(start, left)) {
    const track::WordSet set = tracker().words(prefix);
    const auto fits = [&](std::string_view rest) {
      const uint32_t before = tracker().mark();
      track::PrefixId end = prefix;
      for (const char c : rest) end = end == track::kDead ? end : tracker().push(end, static_cast<uint8_t>(c));
      const bool fit = end != track::kDead && word_fits(end, rest, left);
      tracker().release(before);
      return fit;
    };
    room = !set.more && !set.any_word && (std::ranges::any_of(set.known, fits) || std::ranges::any_of(set.own, fits));
  }
  tracker().release(mark);
  return room;
}

// A word can bring what was owed, an operand say: a bound that is only a little too large may fit after it.
bool Matcher::Impl::some_may_fit(track::PrefixId start, uint32_t left) {
  constexpr uint32_t kOwed = 10;
  return bound(start) < uint64_t{left} + kOwed;
}

bool Matcher::Impl::word_fits(track::PrefixId end, std::string_view rest, uint32_t left) {
  const uint32_t after = bound(end);
  return after < left && uint64_t{after} + tokens_of(rest) < left;
}

uint64_t Matcher::Impl::needed_for_words(track::PrefixId start) {
  GreedyCounter counter(engine_->index());
  return uint64_t{bound(start)} + engine_->word_tokens([&] { return tracker().word_tokens(counter); }) +
         outputs_tokens(start);
}

uint32_t Matcher::Impl::outputs_tokens(track::PrefixId start) {
  track::Key key = tracker().key(start);
  key.low ^= 0xD1B54A32D192ED03u;  // apart from bound()
  if (const auto known = engine_->needs().find(key)) return *known;
  GreedyCounter counter(engine_->index());
  const uint32_t tokens = tracker().outputs_tokens(start, counter);
  engine_->needs().insert(key, tokens);
  return tokens;
}

uint32_t Matcher::Impl::bound(track::PrefixId prefix) {
  const track::Key key = tracker().key(prefix);
  if (const auto known = engine_->needs().find(key)) return *known;
  GreedyCounter counter(engine_->index());
  const std::optional<uint32_t> told = tracker().token_bound(prefix, counter);
  if (!told) return written_out(prefix);
  engine_->needs().insert(key, *told);
  return *told;
}

uint32_t Matcher::Impl::tokens_of(std::string_view text) const {
  return engine_->index().greedy_tokens(text).value_or(NeedCache::kNone);
}

bool Matcher::Impl::fits(track::PrefixId prefix, uint32_t left, std::string_view bytes, Plan* plan) {
  if (left == 0) return false;
  if (!engine_->looks_ahead()) return left > 1 || tracker().may_end(prefix);
  if (has_room(prefix, left)) return true;
  Plan rest = current_plan();
  if (!rest.text || !rest.take(bytes) || rest.tokens() >= left) return false;
  if (plan != nullptr) *plan = std::move(rest);
  return true;
}

bool Matcher::Impl::Plan::take(std::string_view bytes) {
  if (!rest().starts_with(bytes)) return false;
  const auto end = written() + static_cast<uint32_t>(bytes.size());
  while (taken < cuts->size() && written() < end) ++taken;
  return written() == end;
}

// The step was admitted because a completion fits, or with a plan.
const Matcher::Impl::Plan& Matcher::Impl::current_plan() {
  Step& top = steps_.back();
  if (top.plan.text || top.prefix == track::kDead) return top.plan;
  const uint32_t mark = tracker().mark();
  std::optional<Plan> best;
  // As the tracker would finish it; if there is no room for that, by way of another word that the open one can become.
  const auto offer = [&](std::string_view rest) {
    const uint32_t before = tracker().mark();
    track::PrefixId end = top.prefix;
    for (const char c : rest) end = end == track::kDead ? end : tracker().push(end, static_cast<uint8_t>(c));
    const auto text = end == track::kDead ? std::nullopt : completion(end);
    tracker().release(before);
    std::vector<uint32_t> cuts;
    const VocabularyIndex::Impl& index = engine_->index();
    if (!text || !index.greedy_tokens(rest, &cuts) || !index.greedy_tokens(*text, &cuts)) return;
    if (best && best->tokens() <= cuts.size()) return;
    best.emplace();
    best->text = std::make_shared<const std::string>(std::string(rest) + *text);
    best->cuts = std::make_shared<const std::vector<uint32_t>>(std::move(cuts));
  };
  offer("");
  if (budget_ != 0 && (!best || best->tokens() >= left()) && tracker().takes_word_bytes(top.prefix)) {
    const track::WordSet set = tracker().words(top.prefix);
    for (const std::string_view rest : set.known) offer(rest);
    for (const std::string& rest : set.own) offer(rest);
  }
  tracker().release(mark);
  if (best) top.plan = std::move(*best);
  return top.plan;
}

bool Matcher::Impl::refusal_fits(uint8_t refusing, uint32_t left) const {
  const auto tokens = engine_->index().greedy_tokens(kRefuseWord.substr(refusing));
  return tokens && *tokens < left;
}

// Whether there could be a token after which the budget has no room. Where there is none, nobody looks: masks and accept
// alike go by where the text stands before the token. One token more, with whatever signs, can ask for one word's worth of
// others at most; the bound is far above what a completion takes.
bool Matcher::Impl::is_near_the_end(track::PrefixId prefix) {
  if (budget_ == 0) return false;
  if (!engine_->looks_ahead()) return left() <= 2;
  if (!tracker().has_parts()) return true;
  const uint32_t mark = tracker().mark();
  const track::PrefixId start = tracker().word_start(prefix);
  const uint64_t word = needed_for_words(prefix) - bound(prefix);
  const uint64_t here = start == track::kDead ? bound(prefix) : needed_for_words(start);
  tracker().release(mark);
  return here + word > left();
}

std::shared_ptr<const StoredMask> Matcher::Impl::current_mask() {
  const Step& top = steps_.back();
  static const auto nothing = std::make_shared<const StoredMask>();
  if (top.prefix == track::kDead) return nothing;  // a refusal is being written
  const bool near = is_near_the_end(top.prefix);
  std::shared_ptr<const StoredMask> mask = near ? tight_mask(top.prefix) : loose_mask(top.prefix);
  if (!mask->empty || top.refusing != kNotRefusing) return mask;
  if (engine_->looks_ahead()) {
    refuse(RefusalCause::Fault, kNothingFollows);
  } else if (!near || loose_mask(top.prefix)->empty) {
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

std::shared_ptr<const StoredMask> Matcher::Impl::loose_mask(track::PrefixId prefix) {
  const track::Key key = tracker().key(prefix);
  if (auto found = engine_->cache().find(key)) return found;
  std::shared_ptr<const StoredMask> made = mask_after_blanks(prefix);
  if (made == nullptr) made = std::make_shared<const StoredMask>(made_mask(prefix, nullptr));
  engine_->cache().insert(key, made);
  return made;
}

// Blanks change nothing but how many more of them there is room for: the mask of the place before them, without tokens that
// begin with too many. nullptr: there are none, or it is not so simple.
std::shared_ptr<const StoredMask> Matcher::Impl::mask_after_blanks(track::PrefixId prefix) {
  if (!tracker().has_parts()) return nullptr;
  const track::Tracker::BlankRoom room = tracker().blank_room(prefix);
  const std::vector<TokenId>* const without = engine_->index().with_more_blanks(room.most);
  if (room.spaces || without == nullptr) return nullptr;
  const uint32_t mark = tracker().mark();
  const track::PrefixId before = tracker().before_blanks(prefix);
  auto made = before == track::kDead ? nullptr : std::make_shared<StoredMask>(*loose_mask(before));
  tracker().release(mark);
  if (made == nullptr || without->empty()) return made;
  made->without = without;
  if (made->is_nothing()) made->empty = true;
  return made;
}

StoredMask Matcher::Impl::made_mask(track::PrefixId prefix, BudgetTest* judge) {
  const uint32_t mark = tracker().mark();
  const VocabularyIndex::Impl& index = engine_->index();
  const uint8_t owed = owed_at_end(text_);
  const DraftLease draft(engine_->vocabulary().size());
  const bool by_words = tracker().has_parts() && (judge == nullptr || engine_->looks_ahead());
  const FreeTextParts* plain = judge == nullptr || by_words ? free_text(prefix) : nullptr;
  bool all_plain = true;
  if (by_words) {
    Admitted to(*draft);
    PartWalk walk(tracker(), index, engine_->word_cache(), judge);
    walk.add(prefix, owed, plain, to);
    all_plain = walk.words_fit(prefix);
  } else {
    PrefixWalk walker(tracker(), prefix, judge, {}, false);
    free_walk(plain != nullptr ? plain->rest : index.trie, plain != nullptr ? plain->shape : index.shape, walker, owed,
              *draft);
  }
  if (tracker().may_end(prefix)) {
    for (const TokenId id : engine_->vocabulary().end_of_text()) draft->set(id);
  }
  tracker().release(mark);
  return draft->take(plain != nullptr && all_plain ? &plain->plain : nullptr);
}

// Asks of each token whether a completion fits after it, as accept does.
class Matcher::Impl::MatcherBudget final : public BudgetTest {
 public:
  explicit MatcherBudget(Impl& impl) : impl_(impl) {}

  bool fits(track::PrefixId prefix, std::string_view written) override {
    return impl_.fits(prefix, left(), written, nullptr);
  }
  bool words_fit(track::PrefixId start) override {
    return impl_.engine_->looks_ahead() && impl_.needed_for_words(start) < left();
  }

  bool some_may_fit(track::PrefixId start) override { return impl_.some_may_fit(start, left()); }
  bool word_fits(track::PrefixId end, std::string_view rest) override { return impl_.word_fits(end, rest, left()); }

  uint32_t left() const { return impl_.left() - 1; }

 private:
  Impl& impl_;
};

std::shared_ptr<const StoredMask> Matcher::Impl::tight_mask(track::PrefixId prefix) {
  MatcherBudget judge(*this);
  StoredMask mask = made_mask(prefix, &judge);
  if (engine_->looks_ahead()) {  // what the plan goes on with is taken, though something else was measured
    const Plan& plan = current_plan();
    if (plan.text && plan.tokens() > 0 && plan.tokens() <= judge.left()) {
      const std::string_view piece = plan.rest().substr(0, (*plan.cuts)[plan.taken] - plan.written());
      BitmaskBuffer bits(engine_->vocabulary().size());
      mask.write_to(bits.view());
      for (const TokenId id : engine_->index().tokens_of(piece)) bits.view().set(id);
      mask = StoredMask::of(bits.view(), nullptr);
    }
  }
  return std::make_shared<const StoredMask>(std::move(mask));
}

}  // namespace pccsql
