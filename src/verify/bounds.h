// Bounds of the decoder: what a permitted query may hold that is never generated, by design. `check` accepts all of it.
//
// Each bound has a detector, which reads the text with the grammar alone: no judge is asked. It says where the construct
// stands, and excuses a refusal there or by what ends it; only where a FROM further on settles a name is it any later one.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/span.h"
#include "schema/catalog.h"
#include "track/tracker.h"

namespace pccsql::verify {

struct Bound {
  std::string_view name;      // "select alias without AS"
  std::string_view sentence;  // for users: what is left out, and what to write instead where that is not plain
  bool any_alias_lifts = false;
  bool strict_alone = false;  // profile paper has none of it
  bool minimum_alone = false;  // nor has a policy that sets no minimum group
};

// All bounds that a detector finds, in the order in which docs/decoder.md lists them.
std::span<const Bound> decoder_bounds();

// Bounds that have no detector: whether a query goes over one is seen by asking again with the settings that lift it.
struct SettingBound {
  std::string_view name;
  std::string_view sentence;
  bool derived_names = false;  // what lifts it
  bool any_alias = false;
};
std::span<const SettingBound> setting_bounds();

struct BoundFound {
  const Bound* bound;
  Span at;
  bool later = false;  // may also stop the text further on
};

// Where `sql` goes over bounds, by bound, then by place. Nothing for text that does not parse. Bounds that the settings lift
// are not among them. `sets_minimum`: whether the policy sets a minimum group.
std::vector<BoundFound> find_bounds(const Catalog& catalog, const track::TrackSettings& settings, std::string_view sql,
                                    bool sets_minimum = false);

// The bound that explains why the text was stopped in these bytes (the end of the text counts as one byte); null if none
// does. Those that may stop the text further on than their place do so only with `later`.
const Bound* bound_that_stopped(const std::vector<BoundFound>& found, Span bytes, bool later);

}  // namespace pccsql::verify
