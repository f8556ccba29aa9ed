// What a query is found wrong with, in the order of finding. The first error is the reason, else the first thing outside.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/span.h"

namespace pccsql::check {

struct Issue {
  bool error = false;  // the database would refuse it; else: merely outside the language
  Span where;
  std::string message;
};

class Issues {
 public:
  void error(Span where, std::string message) { list_.push_back({true, where, std::move(message)}); }
  void outside(Span where, std::string message) { list_.push_back({false, where, std::move(message)}); }

  size_t size() const { return list_.size(); }
  void clear() { list_.clear(); }
  void truncate(size_t size) { list_.resize(size); }
  // The one to report: null if there is none.
  const Issue* reason() const {
    for (const Issue& issue : list_) {
      if (issue.error) return &issue;
    }
    return list_.empty() ? nullptr : &list_.front();
  }

 private:
  std::vector<Issue> list_;
};

}  // namespace pccsql::check
