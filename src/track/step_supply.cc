// What a FROM still owes, and whether it can be supplied: the questions that the search of supply.h is asked.
#include <algorithm>
#include <utility>

#include "track/name_index.h"
#include "track/step.h"

namespace pccsql::track {

std::vector<Obligation> Step::pending(const Level& level) const {
  std::vector<Obligation> obligations;
  NameIndex index;
  for (Index i = level.refs; i != 0; i = store_.refs[i].below) {
    const Ref& ref = store_.refs[i].ref;
    if (ref.binding != 0 || ref.outward) continue;
    if (const auto known = index.find(ref.qualifier, ref.name)) {
      obligations[*known].roles |= ref.roles;
    } else {
      index.note(ref.qualifier, ref.name, obligations.size());
      obligations.push_back({ref.qualifier, ref.name, ref.roles});
    }
  }
  std::reverse(obligations.begin(), obligations.end());
  return obligations;
}

// The question of a level, with room for one obligation more. It points into itself: it is not copied.
struct Step::Obligations {
  Obligations(const Step& step, const Level& of) : level(of) {
    wanted = step.pending(of);
    for (Index i = of.passed; i != 0; i = step.store_.name_lists[i].below) {
      passed.push_back({step.store_.name_lists[i].qualifier, step.store_.name_lists[i].name, 0});
    }
    present = step.from_items(of);
    tables = step.ctes(of);
    question.passed = passed;
    question.present = present;
    question.ctes = tables;
    question.rowids = step.world_.rowid_names();
    question.star = of.plain_star;
    question.star_role = of.compared ? Role::Where : Role::Sel;
    barred = step.barred_outputs(of);
    question.barred = barred;
    question.barred_views = step.barred_views(of);
    question.may_merge = !(of.star && of.outer_join);  // merged columns in `*` could be ambiguous to the database
    question.merges = static_cast<size_t>(std::max(step.room_for_conditions(of), 0));
    question.widest = static_cast<size_t>(std::max(step.room_in_star(of), 0));
    question.item_needed = of.item_open;
    // A name that no FROM is found for soon is refused; once FROM has begun, it must be found again on the way.
    if (of.clause != Clause::Items) question.most_nodes *= 8;
    const int filler = step.must_be_filled(of) && !wanted.empty() ? 1 : 0;
    question.room = static_cast<size_t>(std::max(of.most_tables - of.tables - filler, 0));
    if (step.next_outer(of)) {
      for (Index i = of.refs; i != 0; i = step.store_.refs[i].below) {
        const Ref& ref = step.store_.refs[i].ref;
        // A name in ON is bound by what stands there already.
        const bool own = ref.place.local || (ref.place.clause == Clause::On && !ref.fixed);
        if (own && !kept.find(ref.qualifier, ref.name)) kept.note(ref.qualifier, ref.name, 0);
      }
      question.can_pass = [this, &step](std::span<const Obligation> obligations) {
        for (const Obligation& obligation : obligations) {
          if (obligation.qualifier == kNoName && step.world_.is_rowid(obligation.name)) return false;
          if (local && obligation.qualifier == extra.qualifier && obligation.name == extra.name) return false;
          if (kept.find(obligation.qualifier, obligation.name)) return false;
        }
        return step.can_take(level, level, obligations);
      };
    }
  }
  Obligations(const Obligations&) = delete;

  std::optional<Witness> ask(const Step& step) {
    question.pending = wanted;
    question.derived_names =
        step.world_.settings().derived_names &&
        std::none_of(wanted.begin(), wanted.end(), [&](const Obligation& obligation) {
          return obligation.name == step.world_.true_name() || obligation.name == step.world_.false_name();
        });
    return discharge(step.world_.sources(), question);
  }

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

std::optional<Witness> Step::witness(const Level& level) const { return Obligations(*this, level).ask(*this); }

bool Step::viable(const Level& level) const {
  if (level.settled || !world_.settings().lookahead) return true;
  const std::optional<Witness> found = witness(level);
  return found && witness_fits(level, *found);
}

int Step::tables_of(const Witness& found) {
  int tables = 0;
  for (const FromChoice& choice : found.from) tables += choice.source != nullptr ? choice.source->tables : 1;
  return tables;
}

// For a derived table that is opened now: beside what the names still need, and what then fills a `*`. It is itself what the
// search wants where that is a derived table, or no more than something to stand there.
Step::TableRoom Step::table_room(const Level& level) const {
  const int room = level.most_tables - level.tables;
  if (level.settled || !world_.settings().lookahead) return {room, 0};
  const std::optional<Witness> found = witness(level);
  if (!found) return {};
  const bool itself = std::any_of(found->from.begin(), found->from.end(),
                                  [](const FromChoice& choice) { return choice.source == nullptr; }) ||
                      (!found->from.empty() && pending(level).empty());
  const int left = room - tables_of(*found) + (itself ? 1 : 0);
  if (!must_be_filled(level)) return {left, 0};
  if (left > 1) return {left - 1, 0};
  // The last table: it must fill the `*` alone.
  const bool alone = found->from.empty() || (itself && found->from.size() == 1);
  const int missing = level.width - width_now(level);
  if (left < 1 || !alone || level.join_natural || missing < 1) return {};
  return {1, missing};
}

// A `*` that must come to a given width, and has not: one more table can always bring it there, if there is room for one.
bool Step::must_be_filled(const Level& level) const {
  return level.plain_star && level.width != 0 && (level.item_open || width_now(level) != level.width);
}

// Whether a `*` wants one table more than the search has found. Where no name asks for it, what was found is only something to
// stand there, and can be what fills the `*`.
bool Step::is_short_of_one(const Level& level, const Witness& found) const {
  return must_be_filled(level) && (found.from.empty() || !pending(level).empty());
}

// For the last item of the FROM, a derived table with `tables` of them so far: what the names that are still owed leave it.
// 0: too little. Before it is complete it can still become what fills the `*`.
int Step::room_beside(Level level, int tables, bool complete) const {
  const int room = level.most_tables - level.tables;
  if (level.settled || !world_.settings().lookahead) return room;
  level.item_open = false;
  Level asked = level;
  const bool fills = !complete && must_be_filled(level) && !pending(level).empty();
  asked.tables = static_cast<uint16_t>(level.tables + tables - (fills ? 1 : 0));
  const std::optional<Witness> found = witness(asked);
  if (!found) return 0;
  const int filler = is_short_of_one(level, *found) ? 1 : 0;
  level.tables = static_cast<uint16_t>(level.tables + tables - (complete ? 0 : filler));
  if (!witness_fits(level, *found)) return 0;
  return room - tables_of(*found) - (complete ? filler : 0);
}

// What the search does not look at: the parser's stack, the number of tables and of outputs, joins that `*` does not go with.
bool Step::witness_fits(const Level& level, const Witness& found) const {
  if (level.tables + tables_of(found) + (is_short_of_one(level, found) ? 1 : 0) > level.most_tables) return false;
  const bool derived_fits = derived_table_has_depth(level);
  for (const FromChoice& choice : found.from) {
    if (choice.source == nullptr && !derived_fits) return false;
  }
  // Where `*` must come to a given width, only derived tables are sure to fill it.
  const bool wants_item = level.item_open || level.clause == Clause::Items;
  if (level.plain_star && wants_item && !derived_fits && width_fixed(level)) return false;
  // A name in ON cannot be merged by RIGHT or FULL further right.
  if (level.from != 0 && store_.from[level.from].outer) {
    for (Index i = found.open_merged.empty() ? 0 : level.refs; i != 0; i = store_.refs[i].below) {
      const Ref& ref = store_.refs[i].ref;
      if (ref.qualifier != kNoName || ref.place.clause != Clause::On) continue;
      if (std::find(found.open_merged.begin(), found.open_merged.end(), ref.name) != found.open_merged.end())
        return false;
    }
  }
  if (!arguments_fit(level, found)) return false;
  if (!level.star) return true;
  // With RIGHT or FULL, merged columns in `*` can be ambiguous to the database.
  if (level.outer_join) {
    bool merges = !found.open_merged.empty();
    for (const FromChoice& choice : found.from) merges |= !choice.merged.empty();
    if (merges) return false;
  }
  // `*` also puts out what the tables bring that the names ask for.
  int width = 0;
  const auto width_of = [](const Source* source, size_t outputs) {
    return static_cast<int>(source != nullptr ? source->columns.size() : std::max<size_t>(outputs, 1));
  };
  int from = -mergeable(level);
  for (const FromItem& item : from_items(level)) {
    from += width_of(item.source, 0) - (level.plain_star ? static_cast<int>(item.merged.size()) : 0);
  }
  const bool asked = !pending(level).empty();
  for (const FromChoice& choice : found.from) from += asked ? width_of(choice.source, choice.outputs.size()) : 1;
  if (asked) from -= could_merge(level, found);
  for (const SelectItem& item : items(level)) width += item.star == SelectItem::No ? 1 : from;
  if (level.clause == Clause::Items) width += level.item_star ? from : 1;
  if (width <= most_width(level)) return true;
  if (!level.from_open || !found.from.empty()) return false;
  // Nothing more need be joined, and what there is was counted as it came; but for `q.*`, which has no table until one has its name.
  if (found.open_name == kNoName) return true;
  Level named = level;
  FromNode last = store_.from[level.from];
  last.item.name = found.open_name;
  last.item.name_open = false;
  store_.from.push_back(std::move(last));
  named.from = static_cast<Index>(store_.from.size() - 1);
  const bool fits = width_now(named) - mergeable(named) <= most_width(named);
  store_.from.pop_back();
  return fits;
}

// Before FROM, and without `*`: the names among `candidates` that some FROM can supply. Most need no search: a FROM that was
// found for what is owed already, or for a candidate before, supplies them as well.
std::vector<NameId> Step::supplied(NameId qualifier, std::span<const NameId> candidates, bool one_is_enough) {
  std::vector<NameId> fit;
  const Place place = operand_place();
  if (place.clause == Clause::Limit) return fit;
  const RoleSet roles = roles_at(place);
  Obligations owed(*this, level_);
  std::optional<Witness> before = owed.ask(*this);
  if (!before) return fit;
  owed.local = place.local;
  // Names that could be a column a second time: whether an argument stays plain with them is asked one by one.
  const std::vector<NameId> left = names_left();
  const auto recurs = [&](NameId name) {
    return !left.empty() && (world_.is_rowid(name) || std::any_of(left.begin(), left.end(), [&](NameId other) {
                               return other == name || world_.is_rowid(other);
                             }));
  };
  // A factor beside another column takes the form of a minimum group from both of them.
  const bool factor = place.inside == Place::Argument && in_plain_argument() && has_factors_beside();
  NameIndex wanted;
  for (size_t i = 0; i < owed.wanted.size(); ++i) wanted.note(owed.wanted[i].qualifier, owed.wanted[i].name, i);
  const bool has_place = owed.wanted.size() + owed.passed.size() < kMostOwed;  // for one name more
  constexpr size_t kKept = 4;
  std::vector<Witness> witnesses;  // of FROMs that supply what is owed, and leave none of it to the outside
  const auto keep = [&](Witness&& found) {
    if (!found.passed.empty()) return;
    if (witnesses.size() == kKept) witnesses.erase(witnesses.begin() + 1);
    witnesses.push_back(std::move(found));
  };
  keep(*std::move(before));
  for (const NameId name : candidates) {
    // So is whether it keeps the form that its minimum group asks for.
    if (recurs(name) || factor || (place.inside == Place::Argument && world_.grouped_families(name) != 0)) {
      if (!on_copy([&](Step& copy) { return copy.use_column(qualifier, name); })) continue;
      fit.push_back(name);
      if (one_is_enough) break;
      continue;
    }
    if (qualifier == kNoName && world_.is_rowid(name) && !world_.is_column_name(name)) continue;
    const bool boolean = qualifier == kNoName && (name == world_.true_name() || name == world_.false_name());
    if (boolean && !world_.is_column_name(name)) continue;
    const std::optional<size_t> known = wanted.find(qualifier, name);
    bool fits = false;
    if (!known && has_place && !world_.is_rowid(name)) {
      fits = std::ranges::any_of(witnesses, [&](const Witness& found) { return supplies(found, {qualifier, name, roles}); });
    } else if (known && (owed.wanted[*known].roles & roles) == roles) {
      fits = !witnesses.empty();  // nothing more is asked of it
    }
    if (!fits) {
      owed.extra = {qualifier, name, roles};
      if (known) {
        owed.extra.roles = std::exchange(owed.wanted[*known].roles, owed.wanted[*known].roles | roles);
      } else {
        owed.wanted.push_back(owed.extra);
      }
      std::optional<Witness> found = owed.ask(*this);
      fits = found && witness_fits(level_, *found);
      if (known) {
        owed.wanted[*known].roles = owed.extra.roles;
      } else {
        owed.wanted.pop_back();
      }
      if (fits) keep(*std::move(found));
    }
    if (!fits) continue;
    fit.push_back(name);
    if (one_is_enough) break;
  }
  return fit;
}

// Whether a FROM that was found for other names supplies this one, too: an item of its qualifier's name holds it, or one item
// alone does where it has none, and permits it.
bool Step::supplies(const Witness& found, const Obligation& wanted) const {
  int holders = 0;
  bool permitted = true;
  for (const FromChoice& choice : found.from) {
    if (choice.source == nullptr) return false;  // what else such a table puts out is not known yet
    const NameId called = choice.alias != kNoName || choice.fresh ? choice.alias : choice.source->name;
    if (wanted.qualifier != kNoName && called != wanted.qualifier) continue;
    const Source::Column* column = choice.source->find(wanted.name);
    if (column == nullptr) continue;
    ++holders;
    permitted &= (column->permitted & wanted.roles) == wanted.roles;
  }
  return holders == 1 && permitted;
}

// What `ask` makes of a level that these names are left to.
template <typename Ask>
auto Step::with_claims(Level level, std::span<const Obligation> claims, bool local, const Ask& ask) const {
  const size_t before = store_.refs.size();
  for (const Obligation& claim : claims) {
    Ref ref;
    ref.qualifier = claim.qualifier;
    ref.name = claim.name;
    ref.roles = claim.roles;
    ref.fixed = true;
    ref.place.local = local;
    store_.refs.push_back({level.refs, store_.refs[level.refs].count + 1, ref});
    level.refs = static_cast<Index>(store_.refs.size() - 1);
  }
  auto answer = ask(level);
  store_.refs.resize(before);
  return answer;
}

// What each open level's FROM is owed, from the innermost outward, with what the SELECTs in it will leave to it.
std::vector<std::optional<Witness>> Step::witnesses() const {
  std::vector<std::optional<Witness>> all;
  std::vector<Obligation> left;  // to the level `to`
  std::optional<Outer> to;
  for (Index at = state_.level; at != 0; at = store_.levels[at].parent) {
    const Level& level = at == state_.level ? level_ : store_.levels[at];
    const bool here = to && to->level == at;
    if (here && level.settled) {
      std::erase_if(left, [&](const Obligation& one) {
        Binding binding;
        return find(level, one.qualifier, one.name, binding) != Found::No;
      });
    }
    const auto ask = [&](const Level& asked) { return witness(asked); };
    std::optional<Witness> found;
    if (here && !level.settled) {
      found = with_claims(level, left, to->last, ask);
      left.clear();
    } else if (!level.settled) {
      found = witness(level);
    }
    if (found) left.insert(left.end(), found->passed.begin(), found->passed.end());
    all.push_back(std::move(found));
    if (here || !to) to = next_outer(level);
  }
  return all;
}

// Whether these names of `innermost` could be left to the FROM of the level `at`, which is not settled. SELECTs between the two
// whose FROM is open will leave names to it as well: all of them together must find their tables.
bool Step::can_claim(const Level& innermost, Index at, std::span<const Obligation> obligations, bool local) const {
  return with_claims(store_.levels[at], obligations, local, [&](const Level& claimed) {
    if (!viable(claimed)) return false;
    const Index before = std::exchange(store_.levels[at].refs, claimed.refs);
    bool fits = true;
    for (Index i = innermost.parent; fits && i != at; i = store_.levels[i].parent) {
      fits = pending(store_.levels[i]).empty() || viable(store_.levels[i]);
    }
    store_.levels[at].refs = before;
    return fits;
  });
}

// Whether the SELECTs around `inner` could bind all of these, which come from `innermost`.
bool Step::can_take(const Level& innermost, const Level& inner, std::span<const Obligation> obligations) const {
  const std::optional<Outer> next = next_outer(inner);
  if (!next) return obligations.empty();
  if (!obligations.empty() && !may_name_outside(inner, next->level)) return false;
  const Level& outer = store_.levels[next->level];
  if (!outer.settled && outer.clause == Clause::Items) {
    return can_claim(innermost, next->level, obligations, next->last);
  }
  std::vector<Obligation> left;
  for (const Obligation& obligation : obligations) {
    Binding binding;
    const Found found = find(outer, obligation.qualifier, obligation.name, binding);
    if (found == Found::Bad) return false;
    if (found == Found::Yes) {
      if ((binding.permitted & obligation.roles) != obligation.roles) return false;
      continue;
    }
    if (obligation.qualifier == kNoName && aliases_visible(outer) && find_alias(outer, obligation.name) != nullptr)
      return false;
    left.push_back(obligation);
  }
  if (left.empty())
    // Claims on a FROM that is still open.
    return outer.settled || obligations.size() == left.size() || can_claim(innermost, next->level, obligations, false);
  if (next->last || !outer.settled) return false;  // beyond an open FROM only what is written there is passed
  return can_take(innermost, outer, left);
}

bool Step::rewrite_refs(Level& level, uint32_t from, const std::function<bool(Ref&)>& change) {
  std::vector<Ref> tail;
  Index at = level.refs;
  for (; at != 0 && store_.refs[at].count > from; at = store_.refs[at].below) tail.push_back(store_.refs[at].ref);
  bool changed = false;
  bool open = false;
  for (Ref& ref : tail) {
    if (ref.fixed || !change(ref)) continue;
    changed = true;
    if (ref.binding == 0) {
      open = true;
    } else if ((store_.bindings[ref.binding].permitted & ref.roles) != ref.roles) {
      return false;
    }
  }
  if (!changed) return true;
  level.refs = at;
  for (size_t i = tail.size(); i-- > 0;) push_ref(level, tail[i]);
  if (!open) return true;
  if (world_.settings().lookahead) return viable(level);
  return std::all_of(tail.begin(), tail.end(), [&](const Ref& ref) { return ref.binding != 0 || plausible(ref); });
}

}  // namespace pccsql::track
