// Work: what judging one query may cost. Names that stand for other names, `*` over wide tables and set operations of many
// branches make a short text a long list; the loops that grow that way count their steps here, and once the budget is spent
// they end, whatever they found is dropped, and the query is outside the language.
#pragma once

#include <cstdint>

namespace pccsql::check {

class Work {
 public:
  void refill() { left_ = kMostSteps; }
  // False once there is nothing left.
  bool spend(uint64_t steps) {
    left_ = steps < left_ ? left_ - steps : 0;
    return left_ > 0;
  }
  bool spent() const { return left_ == 0; }

 private:
  static constexpr uint64_t kMostSteps = 200'000'000;  // of a nanosecond, more or less
  uint64_t left_ = kMostSteps;
};

}  // namespace pccsql::check
