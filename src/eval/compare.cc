#include "eval/compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "eval/report_data.h"

namespace pccsql {
namespace {

struct Property {
  const char* name;
  // Nothing: cannot be said of this answer, and the pair is left out.
  std::optional<bool> (*has)(const QuestionRecord&);
};

std::optional<bool> is_right(const QuestionRecord& question) {
  if (question.gold_label != GoldLabel::Sql) return std::nullopt;
  return question.accuracy.multiset;
}

std::optional<bool> is_right_and_safe(const QuestionRecord& question) {
  const auto right = is_right(question);
  return right ? std::optional(*right && question.outcome == Outcome::SafeSql) : std::nullopt;
}

constexpr Property kProperties[] = {
    {"SafeSql", [](const QuestionRecord& one) { return std::optional(one.outcome == Outcome::SafeSql); }},
    {"UnsafeSql", [](const QuestionRecord& one) { return std::optional(one.outcome == Outcome::UnsafeSql); }},
    {"right rows", is_right},
    {"right rows and SafeSql", is_right_and_safe},
};

void add(const QuestionRecord& before, const QuestionRecord& after, Comparison& comparison) {
  ++comparison.compared;
  ++comparison.outcomes[static_cast<size_t>(before.outcome)][static_cast<size_t>(after.outcome)];
  comparison.same_output += before.output == after.output;
  const auto tokens = [](const QuestionRecord& one) {
    return static_cast<double>(one.counts.work.prompt_tokens + one.counts.work.generated_tokens);
  };
  comparison.tokens_a += tokens(before);
  comparison.tokens_b += tokens(after);
  for (size_t i = 0; i < std::size(kProperties); ++i) {
    const auto had = kProperties[i].has(before);
    const auto has = kProperties[i].has(after);
    if (!had || !has) continue;
    PairedChange& change = comparison.changes[i];
    if (*had && *has) ++change.both;
    if (!*had && !*has) ++change.neither;
    if (!*had && *has) change.won.push_back(after.id);
    if (*had && !*has) change.lost.push_back(after.id);
  }
  if (before.outcome == after.outcome && is_right(before) == is_right(after)) return;
  const auto text = [](const QuestionRecord& one) { return one.sql.value_or(one.reason); };
  comparison.questions.push_back({after.id, after.db_id, after.question, after.gold_label, before.outcome,
                                  after.outcome, is_right(before), is_right(after), text(before), text(after)});
}

}  // namespace

double mcnemar_p(uint64_t won, uint64_t lost) {
  const uint64_t disagreements = won + lost;
  if (won == lost) return 1.0;
  const auto n = static_cast<double>(disagreements);
  double tail = 0;
  for (uint64_t k = 0; k <= std::min(won, lost); ++k) {
    const auto i = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) - n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

Result<Comparison> compare_runs(const RunFile& a, const RunFile& b) {
  for (const RunFile* run : {&a, &b}) {
    if (const auto unknown = unknown_suite(*run)) return *unknown;
    if (run->questions.empty()) return Error{"has no questions yet: there is nothing to compare", run->path, {}};
  }
  if (const auto conflict = suite_conflict(a, b)) return *conflict;
  Comparison comparison;
  comparison.path_a = a.path;
  comparison.path_b = b.path;
  comparison.label_a = a.header.method;
  comparison.label_b = b.header.method;
  if (comparison.label_a == comparison.label_b) {
    comparison.label_a += " (" + a.path + ")";
    comparison.label_b += " (" + b.path + ")";
  }
  comparison.differing = differences(a.header, b.header);
  for (const RunFile* run : {&a, &b}) {
    for (std::string& warning : run_warnings(*run)) comparison.warnings.push_back(std::move(warning));
  }
  for (const Property& property : kProperties) comparison.changes.push_back({property.name, 0, 0, {}, {}});

  std::map<std::string, const QuestionRecord*> by_id;
  for (const QuestionRecord& question : b.questions) by_id[question.id] = &question;
  uint64_t other_labels = 0;
  for (const QuestionRecord& before : a.questions) {
    const auto after = by_id.find(before.id);
    if (after == by_id.end()) {
      ++comparison.only_a;
      continue;
    }
    other_labels += before.gold_label != after->second->gold_label;
    add(before, *after->second, comparison);
  }
  comparison.only_b = b.questions.size() - comparison.compared;
  if (comparison.compared == 0) {
    return Error{"has no question in common with `" + a.path + "`; there is nothing to compare", b.path, {}};
  }
  comparison.tokens_a /= static_cast<double>(comparison.compared);
  comparison.tokens_b /= static_cast<double>(comparison.compared);
  if (other_labels > 0) {
    comparison.warnings.push_back(std::to_string(other_labels) +
                                  " questions have another gold label in the second run: the profiles differ");
  }
  return comparison;
}

}  // namespace pccsql
