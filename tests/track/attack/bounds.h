// Bounds: what a safe query may hold that the decoder does not write, by design. One small detector each.
//
// A detector says where in the text its bound is gone over. It excuses a refusal there, or by the byte after it, and no
// other; only where a FROM further on settles a name is it any later one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"
#include "schema/catalog.h"

namespace pccsql::attack {

struct Bound {
  const char* name;
  Span where;
};

// Every bound that `sql`, a text of the language, goes over.
std::vector<Bound> bounds_of(const Catalog& catalog, std::string_view sql);

// The name of one that excuses a refusal of byte `at` (the end of the text counts as one past its last byte), or null.
const char* excuse(const std::vector<Bound>& bounds, size_t at);

}  // namespace pccsql::attack
