// What the run's header says of the machine and the moment.
#pragma once

#include <string>

#include "eval/record.h"

namespace pccsql {

// `model`: Model::about().
RunHeader::Machine this_machine(const std::string& model);

std::string now_utc();  // 2026-01-31T12:00:00Z

}  // namespace pccsql
