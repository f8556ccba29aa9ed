// Candidates: the names worth trying where a name may stand, and what each of them could be there.
#pragma once

#include <span>
#include <vector>

#include "track/name_index.h"
#include "track/references.h"

namespace pccsql::track {

class Candidates : public References {
 public:
  using References::References;

  // What a name in the operand position could be; a union of Readings.
  uint8_t readings(NameId name, Quote quote);
  // Whether `qualifier.name` could stand here; kNoName asks for `qualifier.*`.
  bool qualified_fits(NameId qualifier, NameId name);
  bool qualifier_fits(NameId qualifier);
  bool fresh_qualifier_fits();  // an alias that nothing mentions: all of them are alike

  // Names that could be columns of `qualifier` here, whether or not they fit.
  std::vector<NameId> columns_of(NameId qualifier) const;
  // Names that could be columns or aliases here without a qualifier, whether or not they fit.
  std::vector<NameId> plain_names() const;
  // Names that could qualify a column here, besides an alias that nothing mentions yet.
  std::vector<NameId> qualifiers() const;
  // Columns that are items already, where a further item begins; and qualifiers all of whose columns are.
  NameIndex item_columns() const;
  std::vector<NameId> exhausted_qualifiers();

  // Before FROM, and without `*`: the names among `candidates` that some FROM can supply.
  std::vector<NameId> supplied(NameId qualifier, std::span<const NameId> candidates, bool one_is_enough);
  // Whether `supplied` may be asked instead of trying each name.
  bool asks_supply() const {
    return !level_.settled && level_.clause == Clause::Items && !level_.star && world_.settings().lookahead &&
           !compound_term() && !(frame_.argument.extended && (level_.ctes != 0 || world_.settings().derived_names));
  }

 private:
  bool string_fits(NameId name) const;
  bool boolean_fits(NameId name) const;
};

}  // namespace pccsql::track
