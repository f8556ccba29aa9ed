// JSON as the files of this project have it: keys in the order of writing, one line, bytes that are not UTF-8 replaced.
// For .cc files; nothing of it shows in other headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "exec/runner.h"

namespace pccsql {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json);
// Nothing where the text is no JSON, or an object has a key twice.
std::optional<Json> parsed_json(std::string_view text);

// A value of a row. A BLOB becomes the text `x'…'`; read back it stays text.
Json json_of(const Value& value);
Value value_of(const Json& json);
std::string hexadecimal(std::string_view bytes);  // `x'…'`

}  // namespace pccsql
