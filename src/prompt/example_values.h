// ExampleValues: what some columns hold, for a model that must write `country = 'France'` and cannot know whether it says
// France, france or FR.
//
// Only Public columns are ever asked for, and the runner that asks is fenced by the same policy. What cannot be shown on
// one line inside a comment is left out; long texts are cut.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exec/query_runner.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

class ExampleValues {
 public:
  ExampleValues() = default;

  // As they are written in SQL; none for a column that nothing is known of.
  const std::vector<std::string>& of(ColumnRef column) const;
  void set(ColumnRef column, std::vector<std::string> values);

 private:
  std::vector<std::vector<std::vector<std::string>>> values_;  // by table, by column
};

// The `most` values that stand oftenest in each column that the policy makes Public; of equally many the smaller ones. None
// of a column that holds more numbers than that: they are measured, not chosen. None where the runner brings no rows.
ExampleValues read_example_values(QueryRunner& runner, const Catalog& catalog, const Policy& policy, size_t most);

// A value as the prompt shows it; empty: it cannot be shown.
std::string example_text(const Value& value);

}  // namespace pccsql
