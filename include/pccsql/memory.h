// Memory: how many bytes one Engine, or several that share it, may keep for later.
#pragma once

#include <cstddef>
#include <memory>

namespace pccsql {

// A handle: copies are the same memory. Any number of threads may use it at once.
class Memory {
 public:
  explicit Memory(size_t most_bytes);
  size_t most_bytes() const;
  size_t used_bytes() const;
  friend bool operator==(const Memory&, const Memory&) = default;

  class Budget;
  const std::shared_ptr<Budget>& budget() const { return budget_; }

 private:
  std::shared_ptr<Budget> budget_;
};

}  // namespace pccsql
