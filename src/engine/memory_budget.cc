#include "engine/memory_budget.h"

#include <algorithm>

namespace pccsql {

Memory::Memory(size_t most_bytes) : budget_(std::make_shared<Budget>(most_bytes)) {}
size_t Memory::most_bytes() const { return budget_->most(); }
size_t Memory::used_bytes() const { return budget_->used(); }

void Memory::Budget::enlist(Keeper& keeper) {
  const std::lock_guard lock(mutex_);
  keepers_.push_back(&keeper);
}

void Memory::Budget::dismiss(Keeper& keeper) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(keepers_, &keeper);
  if (found == keepers_.end()) return;
  *found = keepers_.back();
  keepers_.pop_back();
}

void Memory::Budget::make_room() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;  // somebody else does it
  wanted_.store(false, std::memory_order_relaxed);
  for (Keeper* keeper : keepers_) keeper->give_up(false);
  // A little room would be spent again at once.
  if (used() <= most_ - most_ / 4) return;
  for (Keeper* keeper : keepers_) keeper->give_up(true);
}

}  // namespace pccsql
