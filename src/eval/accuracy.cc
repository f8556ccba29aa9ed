#include "eval/accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "exec/open_runner.h"
#include "exec/row_order.h"
#include "schema/pg_connection.h"

namespace pccsql {
namespace {

// Values as numbers: two values have the same number exactly if they are equal. All comparisons are then of integers.
using Row = std::vector<uint32_t>;

class Numbering {
 public:
  std::vector<Row> numbered(const Rows& rows) {
    std::vector<Row> out;
    out.reserve(rows.size());
    for (const auto& row : rows) {
      Row numbers;
      numbers.reserve(row.size());
      for (const Value& value : row) numbers.push_back(number(value));
      out.push_back(std::move(numbers));
    }
    return out;
  }

 private:
  // A real that is a whole number of 64 bits is written as that integer: so 1.0 is 1, -0.0 is 0, and 2^53 + 1 is not
  // the real 2^53.
  static std::string key(const Value& value) {
    if (const auto* integer = std::get_if<int64_t>(&value)) return "i" + std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value)) {
      constexpr double kLimit = 9223372036854775808.0;  // 2^63
      if (*real >= -kLimit && *real < kLimit && std::trunc(*real) == *real) {
        return "i" + std::to_string(static_cast<int64_t>(*real));
      }
      std::string bits(sizeof(double), '\0');
      std::memcpy(bits.data(), real, sizeof(double));
      return "r" + bits;
    }
    if (const auto* text = std::get_if<std::string>(&value)) return "t" + *text;
    if (const auto* blob = std::get_if<Blob>(&value)) return "b" + blob->bytes;
    return "n";
  }
  uint32_t number(const Value& value) {
    return numbers_.try_emplace(key(value), static_cast<uint32_t>(numbers_.size())).first->second;
  }

  std::unordered_map<std::string, uint32_t> numbers_;
};

struct Pair {
  std::vector<Row> gold;
  std::vector<Row> rows;
};

Pair numbered(const Rows& gold, const Rows& rows) {
  Numbering numbering;
  Pair pair;
  pair.gold = numbering.numbered(gold);
  pair.rows = numbering.numbered(rows);
  return pair;
}

bool equal_multisets(std::vector<Row> gold, std::vector<Row> rows, bool ordered) {
  if (gold.size() != rows.size()) return false;
  if (!ordered) {
    std::ranges::sort(gold);
    std::ranges::sort(rows);
  }
  return gold == rows;
}

bool equal_sets(std::vector<Row> gold, std::vector<Row> rows) {
  for (std::vector<Row>* side : {&gold, &rows}) {
    std::ranges::sort(*side);
    side->erase(std::unique(side->begin(), side->end()), side->end());
  }
  return gold == rows;
}

}  // namespace

bool same_multiset(const Rows& gold, const Rows& rows, bool ordered) {
  Pair pair = numbered(gold, rows);
  return equal_multisets(std::move(pair.gold), std::move(pair.rows), ordered);
}

bool same_set(const Rows& gold, const Rows& rows) {
  Pair pair = numbered(gold, rows);
  return equal_sets(std::move(pair.gold), std::move(pair.rows));
}

Accuracy compare_rows(const Rows& gold, const Rows& rows, bool ordered) {
  const Pair pair = numbered(gold, rows);
  Accuracy accuracy;
  accuracy.multiset = equal_multisets(pair.gold, pair.rows, ordered);
  accuracy.set = equal_sets(pair.gold, pair.rows);
  return accuracy;
}

std::vector<std::string> database_instances(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> instances{path};
  if (is_pg_address(path)) return instances;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (at->path().extension() != ".sqlite" || !at->is_regular_file(unknown)) continue;
    if (at->path().filename() != fs::path(path).filename()) instances.push_back(at->path().string());
  }
  std::sort(instances.begin() + 1, instances.end());
  return instances;
}

RunLimits AccuracyJudge::generous_limits() {
  RunLimits limits;
  limits.rows = 2'000'000;
  limits.time = std::chrono::seconds(30);
  limits.memory = size_t{1} << 30;
  return limits;
}

std::vector<AccuracyJudge::Instance>& AccuracyJudge::instances(const std::string& database_path) {
  const auto [at, fresh] = groups_.try_emplace(database_path);
  if (fresh) {
    for (std::string& path : database_instances(database_path)) at->second.push_back({std::move(path), {}, {}, {}});
  }
  return at->second;
}

Accuracy AccuracyJudge::judge(const std::string& database_path, std::string_view gold_sql,
                              const std::optional<std::string>& sql, const std::atomic<bool>* stop) {
  Accuracy accuracy;
  const bool ordered = orders_result(gold_sql);
  std::vector<Instance>& all = instances(database_path);
  for (size_t i = 0; i < all.size(); ++i) {
    Instance& instance = all[i];
    if (!instance.runner) {
      auto runner = open_unfenced_runner({instance.path}, limits_);
      if (runner) instance.runner = *std::move(runner);
    }
    if (instance.runner && instance.gold_sql != gold_sql) {
      auto gold = instance.runner->run(gold_sql, stop);
      const bool stopped = stop != nullptr && *stop;
      instance.gold_sql = stopped ? "" : gold_sql;
      instance.gold = gold ? std::optional<Rows>(std::move(gold->rows)) : std::nullopt;
    }
    if (!instance.runner || !instance.gold) {
      accuracy.all_instances = std::nullopt;
      return accuracy;
    }
    Accuracy here{.multiset = false, .set = false, .all_instances = {}};
    if (sql) {
      if (const auto answer = instance.runner->run(*sql, stop)) {
        here = compare_rows(*instance.gold, answer->rows, ordered);
      }
    }
    if (i == 0)
      accuracy = here;
    else
      accuracy.all_instances = accuracy.all_instances.value_or(*accuracy.multiset) && *here.multiset;
  }
  return accuracy;
}

}  // namespace pccsql
