// Result<T>: a value, or an Error that says what was wrong, where, and what would be right.
//
// Errors are values here: no exception crosses a module. A library that throws (YAML, JSON) is wrapped by one file,
// which catches and returns an Error. Messages are lower case, without a full stop, with names in `backticks`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace pccsql {

// Line and column of a byte, both from 1, as editors count them; line 0 is no place.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
};

struct Error {
  std::string message;  // what is wrong, and what would be right
  std::string file;     // the file it is about, where there is one
  Position at;          // line 0: not tied to a place in the file

  // "policy.yaml:3:5: unknown table `emplyee`; did you mean `employee`?"
  std::string to_string() const;
};

// The value of a Result that has nothing to tell but that it went well.
struct Done {};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  const T& operator*() const& { return std::get<0>(state_); }
  T& operator*() & { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  const T* operator->() const { return &std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace pccsql
