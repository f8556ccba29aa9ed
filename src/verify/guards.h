// Guards: the places where a lexeme that the grammar takes is refused because no permitted query could come of it. Each is an
// event of the grammar (a rule begins, ends, or takes a lexeme) whose meaning can say no. Counted on request, as evidence that
// walks went everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pccsql::verify {

// Counts from now on, or no more; for the whole process.
void count_refusals(bool counts);
// All guards, as "begin call", "end from", "take alias", each with how often it said no while that was counted.
std::vector<std::pair<std::string, uint64_t>> guards();
// What said no and is not among them: nothing, if the list is complete.
std::vector<std::string> other_refusals();

}  // namespace pccsql::verify
