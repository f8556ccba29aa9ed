// What is said of a table or column that the catalogue does not have: the same words whichever text named it.
#pragma once

#include <string>
#include <string_view>

#include "schema/catalog.h"

namespace pccsql {

// "unknown table `emplyee`; did you mean `employee`?"
std::string unknown_table(const Catalog& catalog, std::string_view name);
// "table `employee` has no column `nme`; did you mean `name`?"
std::string unknown_column(const Table& table, std::string_view name);
// "unknown policy `public`; did you mean `Public`? There are Public, ConditionOnly, AggregateOnly and Hidden"
std::string unknown_policy(std::string_view name);

// "unknown finding `rowids`; did you mean `rowid`?"
std::string unknown_finding(std::string_view name);

// A name as a message shows it: in backticks, long ones cut.
std::string shown(std::string_view name);

}  // namespace pccsql
