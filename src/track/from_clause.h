// FromClause: tables, joins, aliases and USING, each taken only if everything that was named before can still be supplied; and
// the moment FROM closes, when every name is bound for good.
#pragma once

#include "track/expressions.h"

namespace pccsql::track {

class FromClause : public Expressions {
 public:
  using Expressions::Expressions;

  bool table_fits(NameId name);
  bool alias_fits(NameId name);  // of the FROM item at hand
  bool fresh_alias_fits();       // likewise, for a name that nothing mentions
  bool using_fits(NameId name);
  std::vector<NameId> using_candidates() const;
  // Names that the SELECT at hand has used for tables: a new item may not be free to have them.
  std::vector<NameId> names_in_use() const;
  // Whether the next new name is an alias in FROM.
  bool names_from_item() const;

 protected:
  bool read_from();
  bool open_join();
  bool read_join(Terminal word);
  bool open_condition(const Word& word);
  bool read_condition();
  bool close_condition();
  bool read_table(NameId name);
  bool read_derived(const Word& word);
  bool add_item(FromItem item);
  bool name_item(NameId name);
  bool end_item_name();
  bool end_item_merge();
  bool open_using();
  bool read_using(const Word& word);
  bool settle();

 private:
  void begin_join();
  bool something_joins();
  bool stands_alone() const;
  bool merge_by(NameId name);
  void store_last_item(FromItem item);
  void note_join_uses();
  bool note_star_uses();
};

}  // namespace pccsql::track
