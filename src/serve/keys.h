// Keys: what a person shows to be who he is. The file that the server reads holds their SHA-256 alone.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pccsql {

// `pccsql_` and 43 letters, digits, `-` and `_`: 256 bits of the system's random numbers.
Result<std::string> make_key();

// Whether two digests are the same, in a time that does not hang on where they differ.
bool same_digest(std::string_view a, std::string_view b);

}  // namespace pccsql
