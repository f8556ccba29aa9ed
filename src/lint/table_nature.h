// What a table is about: people, something that is tied to a person, or things. Told from names, keys and foreign keys.
#pragma once

#include <optional>
#include <vector>

#include "lint/name_meaning.h"
#include "schema/catalog.h"

namespace pccsql {

struct TableNature {
  bool people = false;     // a row is a person
  bool figures = false;    // one who is known to the public: an author, a player
  bool tied = false;       // a row belongs to a person: an order, a payment
  bool sensitive = false;  // and is nobody's business: a visit to the doctor, a complaint
  bool kinds = false;      // a row is a kind of something, whatever is beside it
  // The column by which it is tied. One who is served comes before one who serves: of an order the customer.
  std::optional<ColumnIndex> person;

  bool about_somebody() const { return people || tied; }
};

// The readings of all names of a catalogue.
struct NameReadings {
  explicit NameReadings(const Catalog& catalog);
  const NameReading& of(ColumnRef column) const { return columns[column.table][column.column]; }

  std::vector<NameReading> tables;
  std::vector<std::vector<NameReading>> columns;
};

std::vector<TableNature> natures_of(const Catalog& catalog, const NameReadings& names);

}  // namespace pccsql
