// Values of rows as JSON. For .cc files.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "exec/runner.h"

namespace pccsql {

// A BLOB becomes the text `x'…'`; read back it stays text.
Json json_of(const Value& value);
Value value_of(const Json& json);
std::string hexadecimal(std::string_view bytes);  // `x'…'`

}  // namespace pccsql
