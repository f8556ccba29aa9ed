#include "eval/selection.h"

#include <algorithm>
#include <map>
#include <random>
#include <string_view>

namespace pccsql {
namespace {

// The first `count` of a Fisher-Yates shuffle, by hand: what std::shuffle does with a generator differs between
// libraries.
std::vector<size_t> drawn(std::vector<size_t> all, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  count = std::min(count, all.size());
  for (size_t i = 0; i < count; ++i) std::swap(all[i], all[i + random() % (all.size() - i)]);
  all.resize(count);
  std::ranges::sort(all);
  return all;
}

}  // namespace

Result<std::vector<size_t>> selected(const Suite& suite, const Selection& selection) {
  if (int{selection.limit.has_value()} + int{selection.sample.has_value()} + int{selection.per_database.has_value()} +
          int{selection.shard.has_value()} >
      1) {
    return Error{"`--limit`, `--sample`, `--per-database` and `--shard` exclude each other; give one", {}, {}};
  }
  std::vector<size_t> all;
  for (size_t i = 0; i < suite.questions.size(); ++i) {
    if (!selection.with_database || !suite.questions[i].db_path.empty()) all.push_back(i);
  }
  if (selection.limit) all.resize(std::min<size_t>(all.size(), *selection.limit));
  if (selection.sample) all = drawn(std::move(all), *selection.sample, selection.seed);
  if (selection.per_database) {
    std::map<std::string_view, std::vector<size_t>> of_database;
    for (const size_t index : all) of_database[suite.questions[index].db_id].push_back(index);
    all.clear();
    for (auto& [name, indices] : of_database) {
      const std::vector<size_t> some = drawn(std::move(indices), *selection.per_database, selection.seed);
      all.insert(all.end(), some.begin(), some.end());
    }
    std::ranges::sort(all);
  }
  if (selection.shard) {
    const auto [part, of] = *selection.shard;
    if (part < 1 || part > of) return Error{"a shard is i/n with i from 1 to n", {}, {}};
    const size_t begin = all.size() * (part - 1) / of;
    const size_t end = all.size() * part / of;
    all = std::vector<size_t>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                              all.begin() + static_cast<std::ptrdiff_t>(end));
  }
  if (all.empty()) return Error{"no question is left by that selection", {}, {}};
  return all;
}

}  // namespace pccsql
