// Files read and written whole, or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pccsql {

// The whole content. "-" is standard input. A directory, a missing or unreadable file is an Error that names it.
Result<std::string> read_file(const std::string& path);

// Writes to a temporary file beside `path` and renames it, so that no reader ever sees half a file.
Result<Done> write_file(const std::string& path, std::string_view content);

}  // namespace pccsql
