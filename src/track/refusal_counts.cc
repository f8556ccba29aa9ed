#include "track/refusal_counts.h"

#include <array>

namespace pccsql::track {
namespace {

constexpr size_t kRules = 256;
std::array<std::array<std::atomic<uint64_t>, kRules>, 3> counts{};

}  // namespace

void note_refusal(const Event& event) {
  counts[event.kind][event.rule % kRules].fetch_add(1, std::memory_order_relaxed);
}

uint64_t refusals(Event::Kind kind, RuleId rule) { return counts[kind][rule % kRules].load(); }

}  // namespace pccsql::track
