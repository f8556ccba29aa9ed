#include "model/llama/free_cores.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace pccsql {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Cores, not the two halves of each that some processors show: the network is limited by what a core can multiply.
uint32_t usable_cores() {
#ifdef __linux__
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
    std::string siblings;
    if (!std::getline(in, siblings)) siblings = std::to_string(cpu);
    cores.insert(siblings);
  }
  const auto all = std::max<uint32_t>(1, static_cast<uint32_t>(cores.size()));
  const uint32_t quota = quota_cores(text_of_file("/sys/fs/cgroup/cpu.max"));
  return quota == 0 ? all : std::min(all, quota);
#else
  return std::max(1u, std::thread::hardware_concurrency());
#endif
}

}  // namespace

uint32_t running_threads(std::string_view loadavg) {
  const size_t slash = loadavg.find('/');
  if (slash == std::string_view::npos) return 0;
  const size_t blank = loadavg.rfind(' ', slash);
  uint32_t running = 0;
  for (const char c : loadavg.substr(blank + 1, slash - blank - 1)) {
    if (c < '0' || c > '9') return 0;
    running = running * 10 + static_cast<uint32_t>(c - '0');
  }
  return running;
}

uint32_t quota_cores(std::string_view cpu_max) {
  std::istringstream in{std::string(cpu_max)};
  uint64_t quota = 0;
  uint64_t period = 0;
  if (!(in >> quota >> period) || quota == 0 || period == 0) return 0;  // "max": no limit
  return static_cast<uint32_t>((quota + period - 1) / period);
}

uint32_t cores_left(uint32_t cores, double others) {
  const auto busy = static_cast<uint32_t>(std::lround(std::max(0.0, others)));
  return busy >= cores ? 1 : cores - busy;
}

uint32_t free_cores() {
  constexpr int kLooks = 5;
  const uint32_t cores = usable_cores();
  if (cores == 1) return 1;
  double others = 0;
  for (int i = 0; i < kLooks; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const uint32_t running = running_threads(text_of_file("/proc/loadavg"));
    others += running == 0 ? 0 : running - 1;  // this one looks
  }
  return cores_left(cores, others / kLooks);
}

}  // namespace pccsql
