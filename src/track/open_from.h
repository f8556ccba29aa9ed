// OpenFrom: a FROM that has not closed: whether what it owes can still be supplied, and what it has room for.
//
// SELECT comes before FROM. After every name, table, alias and output that could matter the search of supply.h is asked
// for a FROM that resolves all names written so far; what the search does not look at (the parser's stack, the number of tables
// and outputs, which joins `*` goes with, arguments that must stay plain) is looked at here in the FROM that it found.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "track/minimum_groups.h"
#include "track/name_index.h"

namespace pccsql::track {

class OpenFrom : public MinimumGroups {
 public:
  using MinimumGroups::MinimumGroups;

  // A FROM that supplies everything the level owes.
  std::optional<Witness> witness(const Level& level) const;
  // What each open level's FROM is owed, from the innermost outward, with what the SELECTs in it will leave to it.
  std::vector<std::optional<Witness>> witnesses() const;

 protected:
  // The question of a level, with room for one obligation more. It points into itself: it is not copied.
  struct Question {
    Question(const OpenFrom& from, const Level& of);
    Question(const Question&) = delete;
    std::optional<Witness> ask(const World& world);

    const Level& level;
    std::vector<Obligation> wanted, passed;
    std::vector<NameId> barred;
    std::vector<FromItem> present;
    std::vector<const Source*> tables;
    NameIndex kept;  // names that are columns of this SELECT or of none
    SupplyQuestion question;
    Obligation extra;  // what is being tried
    bool local = false;
  };
  bool viable(const Level& level) const;
  bool witness_fits(const Level& level, const Witness& found) const;
  // Whether a FROM that was found for other names supplies this one, too.
  bool supplies(const Witness& found, const Obligation& wanted) const;
  // What comes by RIGHT or FULL may not be what a name asks for, so there must be room for one item more.
  bool obligations_may_come_later() const;
  // The SELECTs around: after a name went outward past them; after more came to be counted here, which bars views from them.
  bool around_fits() const;
  bool others_stay_viable() const;

  struct TableRoom {
    int tables = 0;
    int width = 0;  // that it must have; 0: any that fits
  };
  TableRoom table_room(const Level& level) const;
  bool derived_table_fits();
  int room_for_derived(Level outer, std::vector<NameId> outputs, bool complete, int tables) const;
  bool widths_fit(bool closing) const;
  bool outputs_fit(bool complete);
  bool star_leaves_room();

 private:
  bool arguments_fit(const Level& level, const Witness& found) const;
  static int tables_of(const Witness& found);
  bool must_be_filled(const Level& level) const;
  bool is_short_of_one(const Level& level, const Witness& found) const;
  int room_beside(Level level, int tables, bool complete) const;
  std::vector<NameId> barred_outputs(const Level& level) const;
  int room_in_star(const Level& level) const;
  template <typename Ask>
  auto with_claims(Level level, std::span<const Obligation> claims, bool local, const Ask& ask) const;
  bool can_claim(const Level& innermost, Index at, std::span<const Obligation> obligations, bool local) const;
  bool can_take(const Level& innermost, const Level& inner, std::span<const Obligation> obligations) const;
};

}  // namespace pccsql::track
