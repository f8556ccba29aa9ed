// Names as a policy file writes them.
#pragma once

#include <string>
#include <string_view>

namespace pccsql {

// In quotes where YAML would take it for something else.
std::string yaml_name(std::string_view name);

// Whether a policy file can hold it: it is UTF-8.
bool is_writable(std::string_view name);

}  // namespace pccsql
