// What may come after a prefix of a query, and where a text that is none was stopped: for `pccsql mask explain` and for the
// server's completions.
#pragma once

#include <cstdint>
#include <string>

#include <pccsql/engine.h>

namespace pccsql {

struct Explained {
  std::string prefix;
  bool admitted = false;
  uint32_t byte = 0;  // where it was stopped
  std::string reason;
  Explanation explanation;  // of the prefix, or of what was admitted of it
};

Explained explain(const Engine& engine, std::string prefix);

// One object: prefix, admitted, byte and reason where it is not, clause, role, scope, obligations, may_end, lexemes,
// allowed, blocked.
std::string to_json(const Explained& result);

}  // namespace pccsql
