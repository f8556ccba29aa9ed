// The small model, for tests that need real weights. It is never part of the repository: where it has been fetched,
// these tests run; elsewhere they are skipped and say so.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/known_models.h"

namespace pccsql {

inline constexpr const char* kNoTestModel =
    "no model: `pccsql model pull smollm2-135m` fetches it (98 MB), and this test will run";

inline std::optional<std::string> test_model() {
  const auto path = find_model("smollm2-135m");
  if (!path) return std::nullopt;
  return *path;
}

}  // namespace pccsql
