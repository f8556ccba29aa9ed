// BatchFiller: the masks of many generations at once, on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <pccsql/matcher.h>
#include <pccsql/result.h>

namespace pccsql {

// Its threads wait between calls and end with it. One thread at a time may call it. Processes made by fork() need one of
// their own.
class BatchFiller {
 public:
  // `threads`: how many work on a batch, the caller's included; 0: as many as the machine has. Where the system gives
  // fewer, those do.
  explicit BatchFiller(size_t threads = 0);
  BatchFiller(BatchFiller&&) noexcept;
  BatchFiller& operator=(BatchFiller&&) noexcept;
  ~BatchFiller();

  // Matcher::fill_next_token_bitmask() for each of `matchers`: row `i` of `words` is the mask of matchers[i]. A row has
  // (logits_width + 31) / 32 words, and rows follow each other without a gap, as inference engines lay out their bitmasks.
  // A row whose matcher is nullptr stays as it is. Matchers may be of different Engines; none may be there twice, and none
  // may be in use elsewhere.
  //
  // The first row that could not be filled is the Error; the other rows are filled all the same. A matcher that is there
  // twice is an Error before anything is done.
  Result<Done> fill_batch(std::span<Matcher* const> matchers, uint32_t* words, size_t logits_width);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pccsql
