// The threads of a BatchFiller take rows one at a time, so that a slow row keeps nobody waiting but itself.
#include <pccsql/batch.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace pccsql {

class BatchFiller::Impl {
 public:
  explicit Impl(size_t threads) {
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    try {
      for (size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // There are as many as the system gives; the caller's own thread is always there.
    }
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    begun_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  Result<Done> fill(std::span<Matcher* const> matchers, uint32_t* words, size_t logits_width) {
    std::vector<Matcher*> sorted;
    for (Matcher* matcher : matchers) {
      if (matcher != nullptr) sorted.push_back(matcher);
    }
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) return Error{"a matcher is in the batch twice", "", {}};

    std::vector<std::string> wrong(matchers.size());
    batch_ = {matchers, words, logits_width, &wrong};
    next_ = 0;
    {
      const std::lock_guard lock(mutex_);
      working_ = threads_.size();
      ++round_;
    }
    begun_.notify_all();
    fill_rows();
    {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return working_ == 0; });
    }
    for (size_t row = 0; row < wrong.size(); ++row) {
      if (!wrong[row].empty()) return Error{"row " + std::to_string(row) + ": " + wrong[row], "", {}};
    }
    return Done{};
  }

 private:
  struct Batch {
    std::span<Matcher* const> matchers;
    uint32_t* words = nullptr;
    size_t logits_width = 0;
    std::vector<std::string>* wrong = nullptr;  // by row; each is written by the thread that fills it
  };

  void serve() {
    uint64_t seen = 0;
    while (true) {
      {
        std::unique_lock lock(mutex_);
        begun_.wait(lock, [&] { return ending_ || round_ != seen; });
        if (ending_) return;
        seen = round_;
      }
      fill_rows();
      const std::lock_guard lock(mutex_);
      if (--working_ == 0) done_.notify_one();
    }
  }

  void fill_rows() {
    const size_t row_words = (batch_.logits_width + 31) / 32;
    for (size_t row = next_++; row < batch_.matchers.size(); row = next_++) {
      Matcher* matcher = batch_.matchers[row];
      if (matcher == nullptr) continue;
      try {
        const auto filled = matcher->fill_next_token_bitmask(batch_.words + row * row_words, batch_.logits_width);
        if (!filled) (*batch_.wrong)[row] = filled.error().to_string();
      } catch (const std::exception& problem) {  // no memory; a thread must not end by it
        std::fill_n(batch_.words + row * row_words, row_words, 0U);
        (*batch_.wrong)[row] = problem.what();
      }
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begun_, done_;
  uint64_t round_ = 0;  // guarded by mutex_, as the next two
  size_t working_ = 0;
  bool ending_ = false;
  Batch batch_;  // written between rounds, when no thread works
  std::atomic<size_t> next_ = 0;
};

BatchFiller::BatchFiller(size_t threads) : impl_(std::make_unique<Impl>(threads)) {}
BatchFiller::BatchFiller(BatchFiller&&) noexcept = default;
BatchFiller& BatchFiller::operator=(BatchFiller&&) noexcept = default;
BatchFiller::~BatchFiller() = default;

Result<Done> BatchFiller::fill_batch(std::span<Matcher* const> matchers, uint32_t* words, size_t logits_width) {
  return impl_->fill(matchers, words, logits_width);
}

}  // namespace pccsql
