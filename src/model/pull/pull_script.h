// The text of pull_model.py, which travels inside the program.
#pragma once

#include <string_view>

namespace pccsql {

std::string_view pull_script();

}  // namespace pccsql
