// The JSON object that a request brings, read so that nothing in it is passed over. For .cc files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "serve/routes.h"

namespace pccsql {

// Unknown, missing and mistyped fields, and a body that is no JSON object, are a 400.
std::optional<Reply> read_body(const std::string& text, const std::vector<Field>& fields, Json& into);
std::optional<Reply> read_body(const Json& object, const std::vector<Field>& fields, Json& into);

// A text field; empty where it is missing or null.
std::string text_field(const Json& body, std::string_view name);
bool flag_field(const Json& body, std::string_view name);

}  // namespace pccsql
