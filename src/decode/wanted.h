// What a model wanted to write when the mask said no: the names that its token would have led to, and why they may not
// stand there.
#pragma once

#include <string_view>
#include <vector>

#include <pccsql/matcher.h>

#include "decode/answer.h"

namespace pccsql {

// The names that begin as `piece` goes on with the text, where they are few enough to be meant. The matcher is left as
// it was. PRE: the mask does not admit `piece`.
std::vector<BlockedName> wanted_names(Matcher& matcher, std::string_view piece);

// What may be written where the word of `piece` begins: after the blank, comma or parenthesis that it may start with.
// The matcher is left as it was.
Explanation explain_word(Matcher& matcher, std::string_view piece);

// Whether `piece`, as the first of a text, begins the word REFUSE.
bool begins_refusal(std::string_view text, std::string_view piece);

}  // namespace pccsql
