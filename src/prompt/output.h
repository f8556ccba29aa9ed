// What a model's free text says: a query, a refusal, a decision.
#pragma once

#include <string>
#include <string_view>

namespace pccsql {

// The word with which a model refuses.
inline constexpr std::string_view kRefuse = "REFUSE";

// The query, with blanks and one code fence around it taken off: where there is a fence, what stands in the first one.
std::string sql_of_output(std::string_view output);

// Whether sql_of_output() is the word REFUSE, alone.
bool is_refusal(std::string_view sql);

// Whether the last line that decides says PERMIT. Without such a line: no.
bool permits(std::string_view verifier_output);

}  // namespace pccsql
