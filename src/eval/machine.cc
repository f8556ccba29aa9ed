#include "eval/machine.h"

#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include <sys/utsname.h>

namespace pccsql {

RunHeader::Machine this_machine(const std::string& model) {
  RunHeader::Machine machine;
  machine.cores = std::thread::hardware_concurrency();
  machine.model = model;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) machine.cpu = line.substr(colon + 2);
    break;
  }
  utsname names{};
  if (uname(&names) == 0) machine.os = std::string(names.sysname) + " " + names.release + " " + names.machine;
  return machine;
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char buffer[32];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return buffer;
}

}  // namespace pccsql
