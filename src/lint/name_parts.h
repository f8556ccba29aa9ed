// The parts of an identifier: `homeAddress`, `home_address` and `HOME ADDRESS` are `home` and `address`.
//
// Cut at whatever is no letter, between letters and digits, and where capitals begin a word. Parts are lower case, accents
// of Western European letters taken off (`prénom` is `prenom`, `straße` is `strasse`); other scripts stay as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

// Numbers are parts of their own.
std::vector<std::string> name_parts(std::string_view identifier);

// The letters of a text, folded in the same way; everything else is left as it is.
std::string without_accents(std::string_view text);

}  // namespace pccsql
