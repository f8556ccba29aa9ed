// The kinds of options that the commands share, so that each looks and fails the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/options.h"

namespace pccsql {

// An option with a value that may be the empty text, which is not the same as no option.
CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& into, const std::string& type,
                      const std::string& about);

// A whole number from `least` up.
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<uint64_t>& into, uint64_t least,
                        const std::string& about);

// --memory-mb: what all masks of the process may keep together.
CLI::Option* add_memory(CLI::App& app, std::optional<uint64_t>& into);
size_t memory_bytes(std::optional<uint64_t> megabytes);

// A number up to 1: from 0, or above 0.
enum class Share { From0, Above0 };
CLI::Option* add_share(CLI::App& app, const std::string& name, std::optional<double>& into, Share least,
                       const std::string& about);

template <typename T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& into, std::vector<std::pair<std::string, T>> choices,
                        const std::string& about) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : "|") + choice.first;
  const auto choose = [&into, choices, name, names](const std::string& value) {
    for (const auto& choice : choices) {
      if (choice.first == value) {
        into = choice.second;
        return;
      }
    }
    throw CLI::ValidationError("`" + name + "` is " + names + ", not `" + value + "`");
  };
  return app.add_option_function<std::string>(name, choose, about)->type_name(names);
}

// --db, --schema, --tables, --db-id; --policy and --user.
void add_inputs(CLI::App& app, Inputs& inputs, bool with_policy);
void add_profile_and_language(CLI::App& app, CheckSettings& settings);
void add_format(CLI::App& app, Options& options, const std::string& about);
void add_color(CLI::App& app, Options& options);
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& about, const std::string& footer);

}  // namespace pccsql
