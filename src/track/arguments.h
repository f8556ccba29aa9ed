// Arguments: the arguments of COUNT, SUM and AVG. The columns of a plain one are counted and nothing else; in any other they
// are tested as well, all of them, those already written and those to come. So each lexeme either may stand in a plain argument
// or is taken only if every column of the argument permits being tested. What FROM alone decides, whether a column is one of a
// table and whether two names are one column, is looked at in what the search finds and again when FROM closes.
//
// Where a minimum group is set, the form asks for more: no CASE, COALESCE, IFNULL or IIF, no product of columns, no DISTINCT and
// no FILTER (minimum_groups.h).
#pragma once

#include "track/column_uses.h"

namespace pccsql::track {

class Arguments : public ColumnUses {
 public:
  using ColumnUses::ColumnUses;

 protected:
  // Each is false where the columns do not permit what follows.
  bool in_plain_argument() const;
  bool test_argument();    // it is not plain
  bool extend_argument();  // it is more than one column
  bool literal_in_argument(const Word& word);
  bool operator_in_argument(Terminal op);
  bool call_in_argument(const Callable& function) {
    return extend_argument() && (function.hands != Callable::None ? leave_form() : test_argument());
  }
  bool column_in_argument();
  std::vector<NameId> names_left() const;
  bool settle_arguments(std::vector<Ref>& refs) const;

  // The form of what is held to a minimum group.
  void judge_form(Ref& ref);
  bool leave_form();
  bool leave_form(uint32_t from);
  bool settle_form(std::vector<Ref>& refs);

 private:
  std::vector<uint32_t> refs_left() const;
};

}  // namespace pccsql::track
