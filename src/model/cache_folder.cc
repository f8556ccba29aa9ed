#include "model/cache_folder.h"

#include <cstdlib>
#include <string_view>

namespace pccsql {

Result<std::string> cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/pccsql";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/pccsql";
  return Error{"no cache folder is known: neither `XDG_CACHE_HOME` nor `HOME` is set", "", {}};
}

}  // namespace pccsql
