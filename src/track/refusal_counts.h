// Counts, on request, which events of the grammar said no to a lexeme that the grammar takes: evidence that walks went
// everywhere (verify/guards.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "track/control.h"

namespace pccsql::track {

inline std::atomic<bool> counts_refusals = false;  // for the whole process

void note_refusal(const Event& event);
uint64_t refusals(Event::Kind kind, RuleId rule);

}  // namespace pccsql::track
