#include "suite/minimum_cost.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "exec/runner.h"
#include "schema/rules.h"
#include "suite/suite.h"

namespace pccsql {
namespace {

Policy with_minimum(Policy policy, uint32_t minimum) {
  for (TableId table = 0; table < policy.tables(); ++table) policy.set_group(table, {minimum, {}, {}});
  return policy;
}

std::string cell_text(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return "i" + std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return "r" + std::to_string(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return "t" + *text;
  if (const auto* blob = std::get_if<Blob>(&value)) return "b" + blob->bytes;
  return "n";
}

std::optional<std::vector<std::string>> rows_of_query(Runner& runner, const std::string& sql) {
  const auto rows = runner.run(sql);
  if (!rows) return std::nullopt;
  std::vector<std::string> texts;
  for (const std::vector<Value>& row : rows->rows) {
    std::string text;
    for (const Value& value : row) text += cell_text(value) + '\0';
    texts.push_back(std::move(text));
  }
  std::ranges::sort(texts);
  return texts;
}

}  // namespace

MinimumCost minimum_cost_of(const Suite& suite) {
  MinimumCost cost;
  if (suite.profile != Profile::Strict || !suite.execution || rules_of(suite.dialect()).server) return cost;
  std::map<size_t, SqliteChecker> checkers;  // by catalogue
  std::map<std::string, std::optional<Runner>> runners;
  for (const SuiteQuestion& question : suite.questions) {
    const Catalog& catalog = suite.catalogs[question.catalog];
    const Policy& policy = suite.policies[question.policy].policy;
    SqliteChecker& checker = checkers.try_emplace(question.catalog, catalog).first->second;
    const Analysis& analysis = checker.analyze(question.gold_sql);
    const bool counts = std::ranges::any_of(analysis.counted, [&](const Counted& one) {
      return policy.of(one.column) == ColumnPolicy::AggregateOnly;
    });
    if (!counts || checker.judge(analysis, policy).verdict != Verdict::Safe) continue;
    ++cost.counting;
    if (checker.judge(analysis, with_minimum(policy, 2)).verdict != Verdict::Safe) {
      ++cost.excluded;
      continue;
    }
    const std::string file = database_file(suite, question);
    auto& runner = runners[file];
    if (!runner && !file.empty()) {
      if (auto opened = Runner::open_unfenced(file)) runner.emplace(std::move(*opened));
    }
    const auto before = runner ? rows_of_query(*runner, question.gold_sql) : std::nullopt;
    bool ran = before.has_value();
    for (size_t i = 0; i < kMinimums.size() && ran; ++i) {
      const auto run = checker.run_text(question.gold_sql, with_minimum(policy, kMinimums[i]));
      const auto after = run ? rows_of_query(*runner, run->sql) : std::nullopt;
      ran = after.has_value();
      if (!ran) break;
      cost.changed[i] += *after != *before;
      cost.emptied[i] += after->empty() && !before->empty();
    }
    cost.not_run += !ran;
  }
  return cost;
}

}  // namespace pccsql
