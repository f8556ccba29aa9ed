#include "track/guards.h"

#include <array>
#include <string_view>

namespace pccsql::track {
namespace {

constexpr size_t kRules = 256;
std::array<std::array<std::atomic<uint64_t>, kRules>, 3> counts{};

// Other events only note what was written.
constexpr std::string_view kBegin[] = {"query",    "with",   "alias",    "join",  "join_condition", "using",  "where",
                                       "group_by", "having", "order_by", "limit", "expr",           "in_set", "cast",
                                       "case",     "call",   "filter",   "over",  "window"};
constexpr std::string_view kEnd[] = {"query",      "select", "select_item", "from", "from_item",
                                     "order_term", "expr",   "operand",     "call"};
constexpr std::string_view kTake[] = {"statement", "cte_name", "compound",   "select",  "select_item",    "alias",
                                      "from",      "join",     "table_name", "derived", "join_condition", "using",
                                      "expr",      "infix",    "negatable",  "tighter", "operand",        "in_set",
                                      "type",      "case",     "call",       "frame",   "frame_start",    "frame_end"};

}  // namespace

void note_refusal(const Event& event) {
  counts[event.kind][event.rule % kRules].fetch_add(1, std::memory_order_relaxed);
}

std::vector<std::pair<std::string, uint64_t>> guards() {
  std::vector<std::pair<std::string, uint64_t>> all;
  const auto add = [&](Event::Kind kind, std::string_view verb, const auto& rules) {
    for (const std::string_view rule : rules) {
      const RuleId id = sql_grammar().rule_id(rule);
      if (id == kNone) continue;
      all.emplace_back(std::string(verb) + " " + std::string(rule), counts[kind][id % kRules].load());
    }
  };
  add(Event::Enter, "begin", kBegin);
  add(Event::Exit, "end", kEnd);
  add(Event::Shift, "take", kTake);
  return all;
}

}  // namespace pccsql::track
