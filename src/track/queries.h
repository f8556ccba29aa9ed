// Queries: levels open and close, SELECTs gather items, clauses follow each other, outputs get their names.
#pragma once

#include "track/from_clause.h"

namespace pccsql::track {

class Queries : public FromClause {
 public:
  using FromClause::FromClause;

 protected:
  bool open_query();
  bool close_query();
  bool read_end();  // a `;`
  bool open_with() const;
  bool close_with();
  bool open_cte();
  bool read_cte_name(const Word& word);
  bool read_cte_columns(const Word& word);
  bool read_compound(const Word& word);
  bool open_select();
  bool read_select(const Word& word);
  bool close_select();
  bool open_item();
  bool close_item();
  bool plain_star();
  bool open_alias();
  bool new_name(const Word& word);
  bool open_clause(Clause clause);
  bool open_order();

 private:
  bool comma_between_items();
  void note_order_names();
};

}  // namespace pccsql::track
