#include "verify/guards.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <string_view>

#include "track/step.h"

namespace pccsql::verify {
namespace {

using track::Event;

constexpr size_t kRules = 256;
std::array<std::array<std::atomic<uint64_t>, kRules>, 3> refusal_counts{};

void note_refusal(const Event& event) {
  refusal_counts[event.kind][event.rule % kRules].fetch_add(1, std::memory_order_relaxed);
}
uint64_t refusals(Event::Kind kind, RuleId rule) { return refusal_counts[kind][rule % kRules].load(); }

// Other events note what was written, or ask again what an earlier event of the same lexeme has settled: LIMIT
// comes after the end of a SELECT, a window after OVER.
constexpr std::string_view kBegin[] = {"query",    "with",   "alias",   "join",  "join_condition", "using", "where",
                                       "group_by", "having", "windows", "range", "expr",           "cast",  "case",
                                       "call",     "filter", "over",    "partition", "order_by", "operand"};
constexpr std::string_view kEnd[] = {"select", "select_item", "from", "from_item", "expr", "operand", "call"};
constexpr std::string_view kTake[] = {"statement", "cte_name", "compound",   "select",  "select_item",    "alias",
                                      "from",      "join",     "table_name", "derived", "join_condition", "using",
                                      "expr",      "infix",    "negatable",  "tighter", "operand",        "in_set",
                                      "type",      "cast",     "window",     "call",    "frame_start",    "frame_end"};

struct Kind {
  Event::Kind kind;
  std::string_view verb;
  std::span<const std::string_view> rules;
};
const Kind kKinds[] = {{Event::Enter, "begin", kBegin}, {Event::Exit, "end", kEnd}, {Event::Shift, "take", kTake}};

std::string name_of(const Kind& kind, std::string_view rule) {
  return std::string(kind.verb) + " " + std::string(rule);
}

}  // namespace

void count_refusals(bool counts) { track::on_refusal = counts ? note_refusal : nullptr; }

std::vector<std::pair<std::string, uint64_t>> guards() {
  std::vector<std::pair<std::string, uint64_t>> all;
  for (const Kind& kind : kKinds) {
    for (const std::string_view rule : kind.rules) {
      all.emplace_back(name_of(kind, rule), refusals(kind.kind, sql_grammar().rule_id(rule)));
    }
  }
  return all;
}

std::vector<std::string> other_refusals() {
  std::vector<std::string> others;
  for (const Kind& kind : kKinds) {
    for (const Rule& rule : sql_grammar().rules()) {
      const bool listed = std::ranges::find(kind.rules, std::string_view(rule.name)) != kind.rules.end();
      if (!listed && refusals(kind.kind, sql_grammar().rule_id(rule.name)) > 0) {
        others.push_back(name_of(kind, rule.name));
      }
    }
  }
  return others;
}

}  // namespace pccsql::verify
