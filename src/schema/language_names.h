// The functions and operators of PostgreSQL that the language has, by name. A function or an operator of such a name in the
// schema that queries read could be called in the place of the server's own, so a database that has one is refused.
#pragma once

#include <string_view>
#include <vector>

namespace pccsql {

std::vector<std::string_view> language_functions();  // as pg_proc names them
std::vector<std::string_view> language_operators();  // as pg_operator does

}  // namespace pccsql
