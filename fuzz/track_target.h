// What must hold of the tracker on any input at all: the fuzzer's question.
//
// The first byte of an input picks the settings and the schema, the rest is pushed. A byte that the tracker refuses is left
// out, so that every input becomes a text it has admitted; that text must be one that can be finished, safely. And where the
// input as it stands is a safe query, it must have been admitted whole, unless it goes over a bound of the decoder or the
// settings have one way to write it.
#pragma once

#include <string>
#include <string_view>

namespace pccsql {

// "" when all holds, else what is wrong, with the text.
std::string track_fuzz_complaint(std::string_view input);

}  // namespace pccsql
