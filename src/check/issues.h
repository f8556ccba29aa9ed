// What a query is found wrong with, in the order of finding. The first error is the reason, else the first thing outside.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/span.h"

namespace pccsql::check {

struct Issue {
  bool error = false;  // the database would refuse it; else: merely outside the language
  Span where;
  std::string message;
};

class Issues {
 public:
  void error(Span where, std::string message) { add(error_, {true, where, std::move(message)}); }
  void outside(Span where, std::string message) { add(outside_, {false, where, std::move(message)}); }

  size_t size() const { return size_; }
  bool has_error() const { return error_.has_value(); }
  void clear() { truncate(0); }
  // Forgets all but the first `size`.
  void truncate(size_t size) {
    if (error_ && error_->at >= size) error_.reset();
    if (outside_ && outside_->at >= size) outside_.reset();
    size_ = size;
  }
  // The one to report: null if there is none.
  const Issue* reason() const { return error_ ? &error_->issue : outside_ ? &outside_->issue : nullptr; }

 private:
  // The first of a kind is kept; of the others it is enough to know that there were some.
  struct Kept {
    size_t at = 0;
    Issue issue;
  };
  void add(std::optional<Kept>& first, Issue issue) {
    if (!first) first = Kept{size_, std::move(issue)};
    ++size_;
  }

  std::optional<Kept> error_;
  std::optional<Kept> outside_;
  size_t size_ = 0;
};

}  // namespace pccsql::check
