// Which judge goes with a catalogue: the one place that knows all of them.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "policy/judgement.h"

namespace pccsql {

// The judge of the catalogue's dialect. PRE: the catalogue outlives it.
std::unique_ptr<QueryChecker> make_checker(const Catalog& catalog, CheckSettings settings);

// What of the settings the catalogue's dialect does not know: nothing, where it knows all.
std::optional<Error> unknown_settings(const Catalog& catalog, CheckSettings settings);

}  // namespace pccsql
