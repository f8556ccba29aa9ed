// How many cores a network may well be computed on: those that this process may use and nobody else does.
//
// The threads of a network wait for each other at every layer, so one that has to share its core holds up all of them: on a busy
// machine many threads are slower than one.
#pragma once

#include <cstdint>
#include <string_view>

namespace pccsql {

// At least 1. Looks for some milliseconds at what runs.
uint32_t free_cores();

// What the above is made of. Threads that can run just now, from the text of /proc/loadavg; 0 where it says nothing.
uint32_t running_threads(std::string_view loadavg);
// Cores that a group may use, from the text of cpu.max (`200000 100000`), rounded up; 0: no limit.
uint32_t quota_cores(std::string_view cpu_max);
// Of `cores` those that are free where `others` threads run beside ours.
uint32_t cores_left(uint32_t cores, double others);

}  // namespace pccsql
