// Where pccsql keeps what it can get again: models, evaluated prompts. `$XDG_CACHE_HOME/pccsql`, or `~/.cache/pccsql`.
#pragma once

#include <string>

#include "base/result.h"

namespace pccsql {

// The folder need not be there yet. An Error where the environment names neither a cache nor a home.
Result<std::string> cache_folder();

}  // namespace pccsql
