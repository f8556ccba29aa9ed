// Terms: of ORDER BY and GROUP BY, which are not always what they look like: places, output names, or expressions after all.
#pragma once

#include "track/compared_lists.h"

namespace pccsql::track {

class Terms : public ComparedLists {
 public:
  using ComparedLists::ComparedLists;

 protected:
  bool open_term();
  bool close_term();
  // A comma after a term of GROUP BY or ORDER BY, or of a window's PARTITION BY or ORDER BY, which the database counts together.
  bool read_comma_of_terms(const Word& word);
  bool number_in_term(const Literal& literal);
  // A name whose reading had to wait: it is what stands alone, or what an operator made of it.
  bool decide_name();
};

}  // namespace pccsql::track
