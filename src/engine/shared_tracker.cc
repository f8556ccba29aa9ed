#include "engine/shared_tracker.h"

#include <algorithm>

namespace pccsql {

SharedTracker::SharedTracker(Engine::Impl& engine) : engine_(engine) { engine_.budget().enlist(*this); }

SharedTracker::~SharedTracker() {
  engine_.budget().dismiss(*this);
  engine_.budget().give(remembered_);
  engine_.remembered_bytes().fetch_sub(remembered_, std::memory_order_relaxed);
  engine_.prefix_bytes().fetch_sub(prefixes_, std::memory_order_relaxed);
  if (!pooled_.tracker || broken) return;
  try {
    pooled_.tracker->release(pooled_.mark);
    pooled_.mark = pooled_.tracker->mark();
    engine_.pool().give(std::move(pooled_));
  } catch (...) {  // then there is one less
  }
}

void SharedTracker::open() {
  pooled_ = engine_.pool().take();
  if (!pooled_.tracker) {
    pooled_.tracker = engine_.ground().make_tracker();
    pooled_.mark = tracker().mark();
  }
  find_top();
}

void SharedTracker::find_top() {
  top_ = tracker().mark();
  tracker().release(top_);
}

SharedTracker::Holder& SharedTracker::holder(const void* matcher) {
  return *std::ranges::find(holders_, matcher, &Holder::matcher);
}

void SharedTracker::join(const void* matcher) { holders_.push_back({matcher, top_, 0}); }

void SharedTracker::join_as(const void* matcher, const void* other) {
  Holder joining = holder(other);
  joining.matcher = matcher;
  holders_.push_back(joining);
}

void SharedTracker::leave(const void* matcher) {
  std::erase_if(holders_, [&](const Holder& holder) { return holder.matcher == matcher; });
  if (!holders_.empty()) release_unheld();
}

void SharedTracker::extend(const void* matcher, size_t length) {
  find_top();
  Holder& at = holder(matcher);
  at.mark = top_;
  at.length = length;
}

void SharedTracker::cut(const void* matcher, uint32_t mark, size_t length) {
  Holder& at = holder(matcher);
  at.mark = std::min(at.mark, mark);
  at.length = length;
  release_unheld();
}

// A mark that was made when a holder's newest prefix was there already leaves that prefix alone.
void SharedTracker::release_unheld() {
  if (!is_open() || broken) return;
  uint32_t held = 0;
  for (const Holder& holder : holders_) held = std::max(held, holder.mark);
  if (held >= top_) return;
  tracker().release(held);
  top_ = held;
}

void SharedTracker::settle() {
  const Memory::Budget& budget = engine_.budget();
  forget_if_over(budget.is_spent() ? 0 : budget.most() / 8);
  count();
}

void SharedTracker::forget_if_over(size_t most) {
  // Twice what it cannot forget: so that forgetting is worth while, and is not done at each step.
  const size_t limit = std::max({most, kLeastKept, 2 * least_});
  if (tracker().kept_bytes() <= limit) return;
  tracker().drop_spare();
  if (tracker().kept_bytes() <= limit) return;
  tracker().forget();
  least_ = tracker().kept_bytes();
}

void SharedTracker::count() {
  const size_t remembered = tracker().kept_bytes(), prefixes = tracker().prefix_bytes();
  engine_.budget().change(remembered_, remembered);
  engine_.remembered_bytes().fetch_add(remembered - remembered_, std::memory_order_relaxed);
  engine_.prefix_bytes().fetch_add(prefixes - prefixes_, std::memory_order_relaxed);
  remembered_ = remembered;
  prefixes_ = prefixes;
}

bool SharedTracker::is_littered() const {
  if (holders_.size() < 2) return false;
  constexpr size_t kLeast = 64 << 10, kEachByte = 1 << 10;  // a byte of text takes a few hundred
  size_t needed = kLeast;
  for (const Holder& holder : holders_) needed += holder.length * kEachByte;
  return prefixes_ > needed;
}

void SharedTracker::give_up(bool) {
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock || !is_open() || broken) return;  // one that is in use looks after itself when it is done
  try {
    forget_if_over(0);
    count();
  } catch (...) {  // no memory to make room with: what was not forgotten stays
  }
}

}  // namespace pccsql
