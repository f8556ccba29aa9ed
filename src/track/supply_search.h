// The search behind discharge(). Column names of a question are bits, so that what an item holds and permits, what is
// covered, passed and merged are a word or some, and a step of the search is a few operations on them.
//
// INVARIANT: a plain name that is covered belongs to one group of items, merged by USING where there are several. So a
// further item that holds it must merge it, and needs Join there as every member of the group does.
#pragma once

#include <vector>

#include "track/supply.h"
#include "track/supply_question.h"

namespace pccsql::track {

template <size_t Words>
class Search {
 public:
  std::optional<Witness> run(const Sources& sources, const SupplyQuestion& question);

 private:
  using Mask = Bits<Words>;
  using Item = Held<Words>;
  struct State {
    Mask covered;                // plain names that an item holds
    Mask joinable = Mask::all();  // names that every item so far that holds them permits for Join
    Mask selectable = Mask::all();
    Mask starred;   // plain names of items that `q.*` expands: a merge with them is selected too
    Mask expanded;  // names merged already under such an item: whatever holds them must permit Sel
    Mask passed;    // plain names left to the outside: nothing here may hold them
    Mask derived;   // plain names that a derived table at the end will hold
    Mask open;      // qualifiers that are not settled
    Mask passed_qualifiers;
    size_t tables = 0;  // of the items that come
    size_t merges = 0;  // names that they merge
  };
  struct Taken {
    const Source* source;
    NameId alias;
    bool fresh;
    Mask merged;
    Mask outputs;
  };

  bool place_present(State& state);
  bool place_open_item(const State& state);
  bool name_open_item(State state, const Item& held, NameId name);
  bool expand_merged(State& state, NameId open_name) const;
  bool settle(State& state, size_t qualifier, const Item& held);
  bool fits(const State& state, const Item& held, bool starred) const;
  bool has_room(const State& state, const Item& held) const {
    return state.tables + held.source->tables <= question_->room &&
           state.merges + (held.hold & state.covered).count() <= question_->merges;
  }
  void cover(State& state, const Item& held, bool starred) const;
  bool pass(NameId qualifier, const Mask& columns, const RoleMasks<Words>& roles);

  bool settle_qualifiers(const State& state);
  size_t next_qualifier(const State& state) const;
  bool suits(const State& state, const Qualifier<Words>& qualifier, const Item& held) const;
  bool take_for_qualifier(const State& state, size_t index, uint32_t item);
  bool take_candidates(const State& state, size_t index);
  bool pass_qualifier(State state, size_t index);
  bool derive_qualifier(State state, size_t index);
  bool supply_plain(const State& state, size_t first, size_t last);
  bool supply_missing(const State& state, const Mask& missing, size_t first, size_t last);
  bool take_for_plain(const State& state, uint32_t item, size_t first, size_t last);
  bool finish(const State& state);
  FromChoice filler(const State& state) const;
  bool own_name_is_free(const State& state, const Item& held) const;
  std::vector<NameId> names_in(const Mask& mask) const;

  Mask uncovered(const State& state) const { return asked_.plain & ~(state.covered | state.passed | state.derived); }

  const SupplyQuestion* question_ = nullptr;
  const Sources* sources_ = nullptr;
  Asked<Words> asked_;
  Supplies<Words> supplies_;
  bool may_pass_ = false;
  NameId open_item_name_ = kNoName;  // what the open item is called on this branch
  std::vector<Taken> taken_;
  std::vector<Obligation> passes_;
  std::vector<uint32_t> stack_;  // candidates of the steps that are under way
  Witness witness_;
};

}  // namespace pccsql::track
