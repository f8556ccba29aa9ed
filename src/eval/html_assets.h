// The style sheet and the script of the page, from src/eval/html, as they travel inside the program.
#pragma once

#include <string_view>

namespace pccsql {

std::string_view page_style();
std::string_view page_script();

}  // namespace pccsql
