// JSON as the files of this project have it: keys in the order of writing, one line, bytes that are not UTF-8 replaced.
// For .cc files; no other header shows anything of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace pccsql {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json);
// Nothing where the text is no JSON, or an object has a key twice: which of the two was meant cannot be known; or where it is
// nested deeper than 200, which is nobody's file and somebody's attack on whatever walks through it.
std::optional<Json> parsed_json(std::string_view text);

}  // namespace pccsql
