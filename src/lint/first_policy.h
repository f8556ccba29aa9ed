// A first policy that starts closed: every column is Hidden unless it is known to be harmless.
//
// Keys may be joined by, money and measures may be added up over groups of a least size, what names things may be
// shown. What a column is, is told from its name (name_words.txt), its type, the keys that are declared, what its table is
// about, and, where there is a look at the data, from its values: values can close a column, they never open one. It is a
// start for a person to go through, line by line; every line has its reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lint/data_look.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

// What becomes of the names of people. Hidden unless somebody says otherwise: a name makes every other column of its row
// a statement about somebody, and whether that is meant only the owner knows.
enum class PeopleNames : uint8_t { Hidden, Public };

struct FirstPolicySettings {
  PeopleNames people = PeopleNames::Hidden;
  uint32_t min_group = 5;
};

struct FirstPolicy {
  Policy policy;
  std::vector<std::vector<std::string>> reasons;  // by table and column
  std::vector<std::string> key_reasons;           // by table; empty where it is given no `key`
};

// `looks` is by table, or empty where nobody has looked.
FirstPolicy first_policy(const Catalog& catalog, const std::vector<TableLook>& looks,
                         const FirstPolicySettings& settings);

// As a policy file with a reason in every line, and a table at its end that counts what is what.
std::string to_yaml(const Catalog& catalog, const FirstPolicy& first, const FirstPolicySettings& settings,
                    const std::vector<TableLook>& looks);

}  // namespace pccsql
