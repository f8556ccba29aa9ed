// The small catalogue that the tests of policies speak of.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {

inline Catalog catalog_from(std::string_view ddl) {
  Result<Catalog> catalog = read_ddl_catalog(ddl);
  if (!catalog) throw std::runtime_error(catalog.error().to_string());
  return *std::move(catalog);
}

inline Catalog sample_catalog() {
  return catalog_from(
      "CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, salary INT, email TEXT);"
      "CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT)");
}

// "table.column Policy", one a line, in the catalogue's order.
inline std::string listing(const Catalog& catalog, const Policy& policy) {
  std::string text;
  for (size_t t = 0; t < catalog.tables().size(); ++t) {
    const Table& table = catalog.tables()[t];
    for (size_t c = 0; c < table.columns.size(); ++c) {
      text += table.name + "." + table.columns[c].name + " " +
              std::string(to_string(policy.of({static_cast<TableId>(t), static_cast<ColumnIndex>(c)}))) + "\n";
    }
  }
  return text;
}

inline std::string listing(const Catalog& catalog, const Result<Policy>& policy) {
  return policy ? listing(catalog, *policy) : policy.error().to_string();
}

}  // namespace pccsql
