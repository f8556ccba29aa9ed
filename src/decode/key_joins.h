// Key joins: how the table that a FROM has just joined goes with those before it, where a foreign key says so.
//
// A model that is not sure joins `T1.id = T2.id`. Where one table refers to the other, that reference is what is nearly always
// meant, so it is tried first. It is a preference: where the policy closes a key, or there is none, the model chooses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

// What may follow `text` so that the ON that it ends in compares a foreign key with the key that it refers to. Empty: it ends
// in no ON, or there is no such key, or what is written is another condition already.
std::vector<std::string> key_joins(const Catalog& catalog, const Policy& policy, std::string_view text);

}  // namespace pccsql
