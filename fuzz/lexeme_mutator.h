// Mutation by words instead of bytes. Random bytes seldom make a query that parses; moving, dropping, wrapping and
// exchanging words of one that does often make another, and those are the inputs on which a judge can be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

// Words with their qualifiers, strings, blanks and single signs; joined they are the text again.
std::vector<std::string_view> split_lexemes(std::string_view text);

// `text` with one to three changes that `seed` picks: words dropped, swapped, wrapped, exchanged for others of the
// language and of the demo's schema, clauses added, or a stretch of `other` put in.
std::string mutate_lexemes(std::string_view text, std::string_view other, uint32_t seed);

}  // namespace pccsql
