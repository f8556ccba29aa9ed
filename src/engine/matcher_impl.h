// The state of one generation, and the one question behind both sides of it: may the text go on with these bytes?
//
// fill() and accept() answer it the same way. What a mask may take from a cache, accept() asks of the tracker each time,
// so that a token is taken only if the tracker takes it, whatever a cache may hold.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine_impl.h"
#include "engine/shared_tracker.h"
#include "engine/stored_mask.h"

namespace pccsql {

class BudgetTest;

class Matcher::Impl {
 public:
  Impl(std::shared_ptr<Engine::Impl> engine, uint32_t token_budget);
  ~Impl();

  Result<Done> fill(uint32_t* words, size_t width);
  bool accept_token(TokenId id);
  bool accept_text(std::string_view bytes);
  bool rollback(size_t steps);
  std::unique_ptr<Impl> fork();

  bool is_terminated() const { return steps_.back().ended; }
  const Refusal* refusal() const { return refused_at_ == kNever ? nullptr : &refusal_; }
  std::string_view text() const { return refusal() != nullptr ? std::string_view() : std::string_view(text_); }
  size_t steps() const { return steps_.size() - 1; }
  std::optional<uint32_t> tokens_left() const;

  std::string jump_forward_string();
  std::vector<TokenId> jump_forward_tokens();
  Explanation explain();
  std::vector<ColumnUse> uses();

 private:
  static constexpr size_t kNever = SIZE_MAX;
  static constexpr uint8_t kNotRefusing = 0xFF;
  static constexpr uint32_t kNoMark = UINT32_MAX;  // of a step that made nothing
  static constexpr const char* kNothingFollows = "internal error: no token can follow";

  // A text that finishes the query within the budget, cut into tokens, of which `taken` are there.
  struct Plan {
    std::shared_ptr<const std::string> text;
    std::shared_ptr<const std::vector<uint32_t>> cuts;  // where each token ends
    uint32_t taken = 0;
    uint32_t written() const { return taken == 0 ? 0 : (*cuts)[taken - 1]; }
    uint32_t tokens() const { return static_cast<uint32_t>(cuts->size()) - taken; }
    std::string_view rest() const { return text ? std::string_view(*text).substr(written()) : std::string_view(); }
    // Goes on by `bytes`; false, and of no more use, where they are not its next tokens.
    bool take(std::string_view bytes);
  };
  // Where the text stands after a token. The first one stands before all tokens.
  struct Step {
    track::PrefixId prefix = track::kDead;  // kDead: no query can come of it, only a refusal
    uint32_t length = 0;                    // of the text
    uint32_t tokens = 0;                    // counted against the budget
    uint32_t mark = kNoMark;                // the tracker's, before it
    uint8_t refusing = kNotRefusing;        // bytes of REFUSE that were written, if nothing else was
    bool ended = false;
    Plan plan;  // set where the tracker's own completion would not do, and where it was asked for
  };

  Impl(const Impl&) = default;

  track::Tracker& tracker() { return shared_->tracker(); }
  bool is_open() const { return refused_at_ == kNever && !steps_.back().ended; }

  // Runs `body` under the tracker's lock; whatever it throws is a Fault, and `otherwise` the answer.
  template <typename Value, typename Body>
  Value guarded(Value otherwise, Body&& body);
  void refuse(RefusalCause cause, std::string reason);
  void fault(const char* what) noexcept;

  void start();
  // Goes to a tracker of its own, with the same text.
  void move_out();
  // The step after `bytes`, worth `tokens`; nothing where they may not come.
  std::optional<Step> step_after(std::string_view bytes, uint32_t tokens);
  bool accept_bytes(std::string_view bytes, uint32_t tokens);
  bool accept_end();
  // A step all the same, where the text does not go on: so that rollback() counts tokens.
  void stay(bool ended) noexcept;

  // Whether the query can surely be finished with `left` tokens.
  bool has_room(track::PrefixId prefix, uint32_t left);
  bool some_may_fit(track::PrefixId start, uint32_t left);
  bool word_fits(track::PrefixId end, std::string_view rest, uint32_t left);
  // An upper bound on the tokens that finish the query; NeedCache::kNone or more where that cannot be done.
  uint32_t bound(track::PrefixId prefix);
  // Likewise after any word that may be begun or written there.
  uint64_t needed_for_words(track::PrefixId start);
  uint32_t outputs_tokens(track::PrefixId start);
  // The tokens of the tracker's own completion.
  uint32_t written_out(track::PrefixId prefix);
  uint32_t tokens_of(std::string_view text) const;
  std::optional<std::string> completion(track::PrefixId prefix);
  // Whether the generation can still end well with `left` tokens after `bytes` from the top step, which lead to
  // `prefix`. `plan` is set where the way to do so must be remembered.
  bool fits(track::PrefixId prefix, uint32_t left, std::string_view bytes, Plan* plan);
  bool refusal_fits(uint8_t refusing, uint32_t left) const;
  const Plan& current_plan();

  // What the tracker admits after the top step, ends of text included; nullptr: nothing, and the generation is refused.
  // INVARIANT: with REFUSE, bit for bit what accept_token takes.
  std::shared_ptr<const StoredMask> current_mask();
  std::shared_ptr<const StoredMask> loose_mask(track::PrefixId prefix);  // the budget aside
  std::shared_ptr<const StoredMask> mask_after_blanks(track::PrefixId prefix);
  StoredMask made_mask(track::PrefixId prefix, BudgetTest* judge);
  // Whether one token more could use up the budget.
  bool is_near_the_end(track::PrefixId prefix);
  // What is known of free text here; nullptr: every token must be walked.
  const FreeTextParts* free_text(track::PrefixId prefix);
  class MatcherBudget;
  std::shared_ptr<const StoredMask> tight_mask(track::PrefixId prefix);
  std::vector<TokenId> current_refuse_tokens() const;
  uint32_t left() const { return budget_ - steps_.back().tokens; }

  std::shared_ptr<Engine::Impl> engine_;  // outlives the tracker, which goes back to it
  std::shared_ptr<SharedTracker> shared_;
  uint32_t budget_ = 0;  // 0: no limit
  std::string text_;
  std::vector<Step> steps_;     // never empty
  size_t refused_at_ = kNever;  // how many steps there were when it was refused
  Refusal refusal_;
  bool broken_ = false;  // by an internal error: rollback() does not help
};

template <typename Value, typename Body>
Value Matcher::Impl::guarded(Value otherwise, Body&& body) {
  const auto run = [&]() -> Value {
    const std::shared_ptr<SharedTracker> shared = shared_;  // stays while it is locked, also if this one moves out
    const std::lock_guard lock(shared->mutex);
    if (shared->broken && !broken_) fault("the tracker of this generation failed");
    if (broken_) return std::move(otherwise);
    try {
      Value value = body();
      if (broken_ || !shared->is_open()) return value;
      shared->settle();
      if (shared->is_littered()) move_out();
      return value;
    } catch (const std::exception& problem) {
      fault(problem.what());
    } catch (...) {
      fault("unknown");
    }
    return std::move(otherwise);
  };
  Value value = run();
  if (engine_->budget().is_spent()) engine_->budget().make_room();
  return value;
}

}  // namespace pccsql
