// What values say of a column that its name has labelled: they can close it, never open it.
#pragma once

#include <optional>
#include <string>

#include "lint/data_look.h"
#include "policy/policy.h"

namespace pccsql {

// Why a column has its label: what values are held against.
enum class Ground : uint8_t { Closed, Key, PersonName, Name, Category, Description, Time, Measure };

struct ColumnLabel {
  ColumnPolicy label = ColumnPolicy::Hidden;
  std::string reason;
  Ground ground = Ground::Closed;
};

struct ValueContext {
  bool about_somebody = false;  // the rows are people, or belong to them
  bool people_public = false;   // names of people may be shown
};

// The label in place of `label`; nothing where the values say nothing against that.
std::optional<ColumnLabel> label_by_values(const ColumnLabel& label, const ColumnLook& look,
                                           const ValueContext& context);

}  // namespace pccsql
