// Decoder bounds: what a safe query may hold that the decoder does not write, by design.
//
// Each bound is found in the text by a detector of its own, with its place, and excuses a refusal only where that place
// can have caused it: most stop the text inside the construct, some at what follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"
#include "schema/catalog.h"

namespace pccsql {

struct BoundFound {
  std::string_view bound;  // its name: "select alias without AS"
  Span at;
  bool later = false;  // may also stop the text further on: a name is settled by the FROM that follows
};

// All bounds that the query goes over, in no order. Nothing for text that does not parse.
std::vector<BoundFound> find_decoder_bounds(std::string_view sql, const Catalog& catalog);

// The one that explains why the text was stopped by a token of these bytes; empty if none does. Those that may stop the
// text further on than their place count only with `later`.
std::string_view bound_that_stopped(const std::vector<BoundFound>& found, Span token, bool later);

}  // namespace pccsql
