// ComparedLists: SELECTs that are only compared. Their select lists test columns and do not show them, as long as nothing but a
// comparison is done with the SELECT, and nothing but AND, OR and NOT with the comparison. To the right of an operator that
// compares, after IN and under EXISTS a list is taken for compared; where it holds what may not be shown, nothing may follow
// that would do more with it. To the left of a comparison it is taken for shown until the comparison comes.
#pragma once

#include "track/candidates.h"

namespace pccsql::track {

class ComparedLists : public Candidates {
 public:
  using Candidates::Candidates;

 protected:
  // Of what a parenthesis that begins the operand at hand holds, or EXISTS.
  Standing standing_in_paren() const;
  // Whether a comparison that takes what was written so far to its left stands as a condition.
  bool compares_here(const Frame& expr) const {
    return expr.lists.standing == Standing::Condition && stands_loosely(expr.expr.operators);
  }
  void open_list(Level& inner, Standing standing);
  void close_list(const Level& inner);
  void take_lists(const Frame& from);
  void gather_lists();
  bool operate_on_lists(Terminal op);

 private:
  bool stands_loosely(Index operators) const;
  void decide_lists(uint16_t first, uint16_t last, bool compared);
};

}  // namespace pccsql::track
