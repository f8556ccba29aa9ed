// LookRules: what a look at the data has to write differently for each dialect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exec/open_runner.h"
#include "schema/catalog.h"

namespace pccsql {

struct LookRules {
  // A column's value, of a text its beginning alone; NULL for what is no text to anybody.
  std::string (*shortened)(const Column& column);
  // Values as they are told apart: alone, and as a part of something larger, where no two may run together.
  std::string (*distinct)(const std::string& value);
  std::string (*written)(const std::string& value);
  // A query whose one number is how many rows the table has, nearly, and what takes so many of every million from all over
  // it; nothing where a table's rows are found by their numbers instead.
  std::string (*estimate)(const std::string& table, const std::string& schema);
  std::string (*part)(int64_t of_a_million);
  // Opens the database for whoever writes the policy: read-only and within limits, and with nothing hidden.
  Result<std::unique_ptr<QueryRunner>> (*open)(const DatabasePlace& place, const Catalog& catalog, RunLimits limits);
};

const LookRules& look_rules(Dialect dialect);

}  // namespace pccsql
