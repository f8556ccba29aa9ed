// Shards: parts of one run that were made apart (`eval run --shard 2/4`) and stand in a report as one row.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "eval/record.h"

namespace pccsql {

// The names of what differs between two headers, as `differences` tells them.
std::vector<std::string> differing_names(const RunHeader& a, const RunHeader& b);

// Joins the runs that differ in their part alone. The questions are in the order of the parts; what is missing of a
// part, or a part that is not there, is said in `warnings`. An Error where a part comes twice.
Result<std::vector<RunFile>> join_shards(std::vector<RunFile> runs, std::vector<std::string>& warnings);

}  // namespace pccsql
