// A query in words, made from its text and not by a model: what was computed, so that an answer to another question shows.
#pragma once

#include <string>
#include <string_view>

namespace pccsql {

// "name and salary of employee where job title is 'Clerk', ordered by hire date downwards, the first one only". Names lose their
// underscores; what has no words of its own is said as it is written.
std::string query_in_words(std::string_view sql);

}  // namespace pccsql
