#include "eval/report_shards.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

namespace pccsql {
namespace {

struct Part {
  unsigned long part = 0;
  unsigned long of = 0;
};

std::optional<Part> part_of(const RunFile& run) {
  const auto setting = run.header.setting("shard");
  Part part;
  if (!setting || std::sscanf(setting->c_str(), "\"%lu/%lu\"", &part.part, &part.of) != 2) return std::nullopt;
  return part;
}

bool belong_together(const RunFile& a, const RunFile& b) {
  const auto part_a = part_of(a);
  const auto part_b = part_of(b);
  if (!part_a || !part_b || part_a->of != part_b->of) return false;
  return std::ranges::all_of(differing_names(a.header, b.header),
                             [](const std::string& name) { return name == "shard" || name == "questions"; });
}

// REQUIRES: all belong together.
Result<RunFile> joined(std::vector<RunFile> parts, std::vector<std::string>& warnings) {
  std::ranges::sort(parts, {}, [](const RunFile& run) { return part_of(run)->part; });
  const unsigned long of = part_of(parts.front())->of;
  RunFile whole;
  whole.header = parts.front().header;
  whole.header.questions = 0;
  unsigned long before = 0;
  for (RunFile& part : parts) {
    const unsigned long number = part_of(part)->part;
    if (number == before) {
      return Error{
          "is part " + std::to_string(number) + " of " + std::to_string(of) + " of a run, which is there twice",
          part.path,
          {}};
    }
    before = number;
    whole.path += (whole.path.empty() ? "" : " + ") + part.path;
    whole.header.questions += part.header.questions;
    whole.prompts.merge(part.prompts);
    whole.torn |= part.torn;
    std::ranges::move(part.questions, std::back_inserter(whole.questions));
  }
  if (parts.size() < of) {
    warnings.push_back("`" + whole.path + "`: " + std::to_string(of - parts.size()) + " of " + std::to_string(of) +
                       " parts of the run are not given");
  }
  for (RunSetting& setting : whole.header.settings) {
    if (setting.name == "shard" && parts.size() == of) setting.value = "null";
  }
  return whole;
}

}  // namespace

std::vector<std::string> differing_names(const RunHeader& a, const RunHeader& b) {
  std::vector<std::string> names;
  for (const std::string& one : differences(a, b)) names.push_back(one.substr(1, one.find('`', 1) - 1));
  return names;
}

Result<std::vector<RunFile>> join_shards(std::vector<RunFile> runs, std::vector<std::string>& warnings) {
  std::vector<RunFile> out;
  std::vector<bool> taken(runs.size(), false);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (taken[i]) continue;
    std::vector<size_t> group{i};
    for (size_t j = i + 1; j < runs.size(); ++j) {
      if (!taken[j] && belong_together(runs[i], runs[j])) group.push_back(j);
    }
    if (group.size() == 1) {
      out.push_back(std::move(runs[i]));
      continue;
    }
    std::vector<RunFile> parts;
    for (const size_t j : group) {
      taken[j] = true;
      parts.push_back(std::move(runs[j]));
    }
    auto whole = joined(std::move(parts), warnings);
    if (!whole) return whole.error();
    out.push_back(*std::move(whole));
  }
  return out;
}

}  // namespace pccsql
