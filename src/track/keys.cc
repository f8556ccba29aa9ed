// Keys: what a prefix's future hangs on, hashed. Equal keys mean equal masks, so whatever a next lexeme could ask about must be
// in them, and whatever it could not should not be.
#include <algorithm>

#include "track/hash.h"
#include "track/sql_tracker.h"

namespace pccsql::track {
namespace {

// Fields that nothing which may come hangs on.
template <typename... Fields>
void left_out(const Fields&...) {}

}  // namespace

// Whether a name that was read as a column could still turn out to qualify one, or to be a function.
bool SqlTracker::names_something(const State& state, NameId name) const {
  if (name == kNoName) return false;
  if (world_.function(name) != nullptr) return true;
  for (Index at = state.level; at != 0; at = store_.levels[at].parent) {
    for (Index i = store_.levels[at].from; i != 0; i = store_.from[i].below) {
      if (store_.from[i].item.name == name) return true;
    }
  }
  return false;
}

Key SqlTracker::state_key(Index id) {
  if (!states_[id].keyed) {
    states_[id].key = hash_of(states_[id].state, Ahead::Text);
    states_[id].keyed = true;
  }
  return states_[id].key;
}

Key SqlTracker::near_key(Index id) {
  if (!states_[id].near_keyed) {
    states_[id].near_key = hash_of(states_[id].state, Ahead::Lexeme);
    states_[id].near_keyed = true;
  }
  return states_[id].near_key;
}

// Where an operand must come nothing can close, so what stands open around it does not matter to the next lexeme; inside
// COUNT, SUM, AVG it does, because a literal can make columns to its left asked. After a qualified name its frame looks as before
// it; but a number cannot come there.
Key SqlTracker::expectation_key(Index id) {
  const State& state = states_[id].state;
  if (state.open == 0) return near_key(id);
  const Frame& top = store_.frames[state.frame];
  bool operand = top.kind == Frame::Expr && !top.after && top.name == kNoName && top.qualifier == kNoName &&
                 !top.place.local && top.operators != 0 &&
                 store_.control.viable(state.stack)[static_cast<size_t>(Terminal::Integer)];
  for (Index i = state.frame; i != 0 && operand; i = store_.frames[i].below) {
    operand = store_.frames[i].place.inside != Place::Argument;
  }
  return operand ? hash_of(state, Ahead::Operand) : near_key(id);
}

// One lexeme leads from one clause to the next and does not name what is selected before. So before the clauses that can see
// them, the names of items and outputs are of no account to it; but those of a derived table are, since it may close, and
// in canonical style all, since no item is repeated.
Key SqlTracker::hash_of(const State& state, Ahead ahead) {
  const bool operand_only = ahead == Ahead::Operand;
  const bool canonical = world_.settings().style == Style::Canonical;
  const auto sees_outputs = [&](const Level& level) {
    return ahead == Ahead::Text || canonical || level.kind == Level::Derived;
  };
  Hasher hash;
  if (operand_only) {
    const Step step(store_, state);
    const Frame& top = store_.frames[state.frame];
    const Frame* const term = step.term();
    const Place place = step.operand_place();
    hash.add(0x0FEAu);
    hash.add(store_.control.top(state.stack));  // after IS, a NOT is no operator yet
    hash.add(uint64_t{static_cast<uint8_t>(place.clause)} | uint64_t{place.inside} << 8 |
             uint64_t{place.aggregates} << 16 | uint64_t{place.windows} << 17 | uint64_t{place.local} << 18 |
             uint64_t{place.compared} << 19 |
             uint64_t{top.part} << 24 | uint64_t{step.operand_depth() + parser_stack::kNoLexemeNeedsMore > world_.deepest()
                                                     ? static_cast<uint32_t>(step.operand_depth())
                                                     : 0u}
                                            << 32);
    hash.add(uint64_t{term != nullptr} | uint64_t{term != nullptr && term->pure} << 1 |
             uint64_t{term != nullptr && term->compound} << 2 | uint64_t{term != nullptr && term->negative} << 3 |
             uint64_t{term != nullptr && term->signed_} << 4 | uint64_t{top.pattern} << 5 |
             uint64_t{top.height > kTallest - 300 ? top.height : uint16_t{0}} << 16);
    const TerminalSet& viable = store_.control.viable(state.stack);
    uint64_t word = 0;
    for (size_t t = 0; t < kTerminals; ++t) {
      word |= uint64_t{viable[t]} << (t % 64);
      if (t % 64 == 63 || t + 1 == kTerminals) {
        hash.add(word);
        word = 0;
      }
    }
  }
  const auto add_name = [&](NameId n) {
    if (n < world_.names().size()) {
      hash.add(n);
    } else {
      hash.add(store_.names.text(n));
    }
  };
  const auto add_source = [&](const Source& s) {
    if (s.table) {
      hash.add(*s.table + 1);
      return;
    }
    hash.add(0x10000000u + s.columns.size());
    add_name(s.name);
    for (const Source::Column& column : s.columns) add_name(column.name);
  };
  // A record's fields are all named where it is hashed: with one more or fewer this does not compile, and whoever adds one
  // says whether it is part of the key.
  const auto add_place = [&](const Place& p) {
    const auto& [clause, inside, tested, part, off_form, aggregates, windows, local, minmax, compared] = p;
    hash.add(uint64_t{static_cast<uint8_t>(clause)} | uint64_t{inside} << 8 | uint64_t{tested} << 16 |
             uint64_t{aggregates} << 17 | uint64_t{windows} << 18 | uint64_t{local} << 19 | uint64_t{minmax} << 20 |
             uint64_t{part} << 21 | uint64_t{compared} << 22 | uint64_t{off_form} << 23);
  };
  const auto add_argument = [&](const Argument& a, uint32_t ref_count) {
    const auto& [plain, distinct, derived, part, off_form, digits, products, refs] = a;
    if (!plain) return hash.add(0);
    hash.add(uint64_t{distinct} | uint64_t{derived} << 1 | uint64_t{part} << 2 | uint64_t{off_form} << 3 | 1u << 4 |
             uint64_t{digits} << 8 | uint64_t{products} << 16 | uint64_t{ref_count - std::min(ref_count, refs)} << 32);
  };
  // `told`: which refs stand to its left.
  const auto add_operator = [&](const OperatorNode& op, bool told, uint32_t ref_count) {
    const auto& [below, precedence, and_, divides, sign, compares, unshown, first_list, weight, weights, left] = op;
    left_out(below, weight);
    hash.add(uint64_t{precedence} | uint64_t{divides} << 8 | uint64_t{and_} << 9 | uint64_t{sign} << 10 |
             uint64_t{compares} << 11 | uint64_t{unshown} << 12 | uint64_t{first_list != 0} << 13 |
             uint64_t{weights} << 16 | uint64_t{told ? ref_count - left : 0} << 32);
  };
  const auto add_frame = [&](const Frame& f, const Level& around, bool name_matters) {
    const auto& [below, kind, place, depth, height, refs, argument, operators, operand, after, zero, and_operand, operated,
                 pattern, escape_forbidden, standing, first_list, subquery, unshown, name, qualifier, quote, readings, function, arguments,
                 distinct, star, closed, scalar_only, filtered, aggregating, item_aggregate,
                 aggregates_before, part, pairs, order_terms, unit,
                 bound, in_bound, between, in_end, pure, negative, owes_operator, signed_, compound, number, ordinal] = f;
    left_out(below);
    const uint32_t ref_count = store_.refs[around.refs].count;
    hash.add(uint64_t{kind} | uint64_t{depth} << 8 | uint64_t{part} << 24 | uint64_t{pairs} << 32 |
             uint64_t{std::min<uint8_t>(order_terms, 2)} << 40 | uint64_t{readings} << 48 | uint64_t{after} << 57 |
             uint64_t{zero} << 58 | uint64_t{and_operand} << 59 | uint64_t{distinct} << 60 | uint64_t{star} << 61 |
             uint64_t{closed} << 62 | uint64_t{scalar_only} << 63);
    hash.add(uint64_t{static_cast<uint8_t>(unit)} | uint64_t{static_cast<uint8_t>(bound)} << 8 |
             uint64_t{in_bound} << 16 | uint64_t{between} << 17 | uint64_t{in_end} << 18 | uint64_t{pure} << 19 |
             uint64_t{negative} << 20 | uint64_t{owes_operator} << 21 | uint64_t{signed_} << 22 |
             uint64_t{compound} << 23 | uint64_t{filtered} << 24 | uint64_t{operated} << 25 | uint64_t{number} << 26 |
             uint64_t{aggregating} << 27 | uint64_t{item_aggregate} << 28 | uint64_t{pattern} << 29 | uint64_t{escape_forbidden} << 30 |
             uint64_t{height > kTallest - 300 ? height : uint16_t{0}} << 48);
    add_place(place);
    hash.add(uint64_t{static_cast<uint8_t>(standing)} | uint64_t{first_list != 0} << 8 | uint64_t{subquery != 0} << 9 |
             uint64_t{unshown} << 10 | uint64_t{ordinal} << 32);
    add_argument(argument, ref_count);
    hash.add(uint64_t{name_matters} | uint64_t{static_cast<uint8_t>(name_matters ? quote : Quote::None)} << 8);
    if (name_matters) add_name(name);
    add_name(qualifier);
    if (kind == Frame::Call) {
      hash.add(function->name);
      hash.add(uint64_t{std::min<uint16_t>(arguments, function->most)});
      hash.add(uint64_t{around.aggregates != aggregates_before});
      hash.add(ref_count - refs);
    } else {
      hash.add(uint64_t{std::min<uint16_t>(arguments, 1)} | uint64_t{arguments >= kMostTerms} << 1);
    }
    if (kind != Frame::Expr) return;
    const bool told = place.inside == Place::Argument;
    hash.add(told ? ref_count - operand : 0);
    for (Index i = operators; i != 0; i = store_.operators[i].below) add_operator(store_.operators[i], told, ref_count);
  };
  const auto add_item = [&](const SelectItem& selected, bool in_list) {
    const auto& [star, qualifier, alias, column, aggregate, window, outward, number, nested, first_ref, last_ref] = selected;
    hash.add(uint64_t{star} | uint64_t{aggregate} << 8 | uint64_t{window} << 9 | uint64_t{outward} << 11 |
             uint64_t{number} << 12 | uint64_t{nested} << 13 | 1u << 16);
    if (in_list) hash.add(uint64_t{first_ref} << 32 | last_ref);
    add_name(alias);
    add_name(column);
    add_name(qualifier);
  };
  const auto add_from = [&](const FromNode& node) {
    const auto& [below, count, item, outer, full] = node;
    const auto& [source, name, name_open, merge_open, merged] = item;
    left_out(below, count);
    add_source(*source);
    add_name(name);
    hash.add(uint64_t{name_open} | uint64_t{merge_open} << 1 | uint64_t{outer} << 2 | uint64_t{full} << 3 |
             uint64_t{merged.size()} << 8);
    for (const NameId each : merged) add_name(each);
  };
  const auto add_settled = [&](const Ref& ref) {
    const auto& [qualifier, name, binding, roles, place, argument, list, fixed, outward] = ref;
    left_out(qualifier, name, list);
    hash.add(uint64_t{binding != 0 ? store_.bindings[binding].permitted : uint8_t{0}} | uint64_t{roles} << 8 |
             uint64_t{fixed} << 17 | uint64_t{outward} << 18);
    if (argument != 0) {  // which column it is decides whether it is one a second time
      for (const ColumnRef& column : store_.bindings[binding].columns) {
        hash.add(uint64_t{column.table} << 32 | column.column);
      }
    }
    add_place(place);
  };
  const auto add_unsettled = [&](const Ref& ref) {
    const auto& [qualifier, name, binding, roles, place, argument, list, fixed, outward] = ref;
    left_out(binding, list, outward);
    add_name(qualifier);
    add_name(name);
    hash.add(uint64_t{roles} | uint64_t{fixed} << 17 | uint64_t{argument} << 32);
    add_place(place);
  };
  // `oldest`: of the refs, those up to here are of no account once they are bound.
  const auto add_level = [&](const Level& l, uint32_t oldest) {
    const auto& [parent, outer_open, outer_frame, kind, view, clause, from_open, settled, star, plain_star, aggregating,
                 grouped, windowed, nested, item_star, item_aggregate, item_window, item_leaf, window_free, merges,
                 outer_join, width, branches, tables, most_tables, depth, refs, items, from, passed, ctes, outputs, declared,
                 order_names, twins, item_refs, aggregates, terms, conditions, on_height, window_aggregate,
                 window_partition, item_alias, list, nesting, compared, unshown, join_natural, join_left, join_outer,
                 join_full, join_words, item_open, counted, names_outside] = l;
    // Frames are hashed by themselves; `aggregates` with the call that counts them, `on_height` with the frame of its ON.
    left_out(parent, outer_open, outer_frame, aggregates, on_height, nesting);
    hash.add(uint64_t{kind} | uint64_t{view} << 4 | uint64_t{static_cast<uint8_t>(clause)} << 8 |
             uint64_t{from_open} << 16 | uint64_t{settled} << 17 | uint64_t{star} << 18 | uint64_t{plain_star} << 19 |
             uint64_t{aggregating} << 20 | uint64_t{grouped} << 21 | uint64_t{windowed} << 22 | uint64_t{nested} << 24 |
             uint64_t{item_aggregate} << 25 | uint64_t{item_window} << 26 | uint64_t{merges} << 28 |
             uint64_t{outer_join} << 29 | uint64_t{item_star} << 30 | uint64_t{join_natural} << 31 |
             uint64_t{join_outer} << 32 | uint64_t{item_open} << 34 | uint64_t{window_free} << 35 |
             uint64_t{item_leaf} << 36 | uint64_t{list.id != 0} << 40 | uint64_t{compared} << 41 |
             uint64_t{unshown} << 42 | uint64_t{join_full} << 44 | uint64_t{window_aggregate} << 45 |
             uint64_t{window_partition} << 46 | uint64_t{terms + 1 >= kMostTerms} << 47 | uint64_t{join_left} << 48 |
             uint64_t{join_words} << 50 | uint64_t{names_outside} << 60);
    if (counted != 0) {
      hash.add(counted);
      for (Index i = settled ? refs : 0; i != 0; i = store_.refs[i].below) {
        const Ref& ref = store_.refs[i].ref;
        if (ref.place.inside != Place::Argument || ref.place.off_form || ref.binding == 0) continue;
        for (const ColumnRef& column : store_.bindings[ref.binding].columns) {  // which item it may be counted of
          if (world_.grouped_family(column) == 0) continue;
          hash.add(uint64_t{column.table} << 32 | store_.bindings[ref.binding].item);
        }
      }
    }
    hash.add(uint64_t{width} | uint64_t{std::min<uint16_t>(branches, 2)} << 16 | uint64_t{tables} << 32 |
             uint64_t{depth} << 48);
    const bool counts = !settled || conditions > kTallest - 300;
    hash.add(uint64_t{most_tables} | uint64_t{counts ? conditions : uint16_t{0}} << 16);
    hash.add(uint64_t{branches > kMostBranches - 100 ? branches : uint16_t{0}});
    add_name(item_alias);
    if (clause == Clause::Items) hash.add(store_.refs[refs].count - item_refs);
    const bool sees = sees_outputs(l);
    const bool sorts = sees || clause == Clause::Group || clause == Clause::Having || clause == Clause::Order;
    hash.add(store_.items[items].count);
    for (Index i = items; i != 0; i = store_.items[i].below) {
      const SelectItem& selected = store_.items[i].item;
      const bool seen = sorts || selected.star != SelectItem::No || list.id != 0 ||
                        (selected.alias != kNoName && clause == Clause::Where);
      if (seen) add_item(selected, list.id != 0);
    }
    for (Index i = refs; i != 0; i = store_.refs[i].below) {
      if (settled && store_.refs[i].count <= oldest) break;
      settled ? add_settled(store_.refs[i].ref) : add_unsettled(store_.refs[i].ref);
    }
    for (Index i = from; i != 0; i = store_.from[i].below) add_from(store_.from[i]);
    for (Index i = settled ? 0 : passed; i != 0; i = store_.name_lists[i].below) {
      add_name(store_.name_lists[i].qualifier);
      add_name(store_.name_lists[i].name);
    }
    for (Index i = settled ? 0 : twins; i != 0; i = store_.twins[i].below) {
      hash.add(uint64_t{store_.twins[i].left} << 32 | store_.twins[i].right);
    }
    hash.add(0x5EEDu);
    for (Index i = ahead == Ahead::Text || !settled ? ctes : 0; i != 0; i = store_.ctes[i].below) {
      add_source(*store_.ctes[i].source);
      hash.add(store_.ctes[i].source->tables);
    }
    for (const Index names : {outputs, order_names, declared}) {
      hash.add(store_.name_lists[names].count);
      for (Index i = sees || clause == Clause::Order ? names : 0; i != 0; i = store_.name_lists[i].below) {
        add_name(store_.name_lists[i].name);
        hash.add(uint64_t{store_.name_lists[i].qualifier != kNoName});
      }
    }
  };

  const auto& [stack, innermost, top_frame, open_frames, uses, cte_names, bare, zero, as, ended, lists, outer_join,
               union_all, counted, viewed] = state;
  left_out(uses, lists);
  if (!operand_only) hash.add(store_.control.hash(stack));
  hash.add(uint64_t{zero} | uint64_t{as} << 1 | uint64_t{ended} << 2 | uint64_t{outer_join} << 3 |
           uint64_t{union_all} << 4);
  if (counted != 0) hash.add(counted);
  if (viewed != 0) hash.add(~viewed);
  // What an item is called matters while items are written.
  const Level& writing = store_.levels[innermost];
  if (writing.clause == Clause::Items && sees_outputs(writing)) add_name(bare);
  for (Index i = cte_names; i != 0; i = store_.name_lists[i].below) add_name(store_.name_lists[i].name);
  bool unsettled = false;
  for (Index at = innermost; at != 0; at = store_.levels[at].parent) unsettled |= !store_.levels[at].settled;
  Index frame = top_frame;
  uint32_t open = open_frames;
  for (Index at = innermost; at != 0; at = store_.levels[at].parent) {
    const Level& level = store_.levels[at];
    // Refs that something open can still change, or that may not be used again as anything.
    uint32_t oldest = level.list.id != 0 ? 0 : store_.refs[level.refs].count;
    bool in_call = false;
    for (Index i = frame, left = open; left > 0; --left, i = store_.frames[i].below) {
      in_call |= store_.frames[i].kind == Frame::Call;
    }
    if (operand_only) open = 0;
    for (; open > 0; --open, frame = store_.frames[frame].below) {
      const Frame& f = store_.frames[frame];
      if (f.kind == Frame::Call) oldest = std::min(oldest, f.refs);
      // An output that a term of GROUP BY or ORDER BY names is looked at once the term has ended.
      add_frame(f, level,
                f.kind != Frame::Expr || !level.settled || f.place.inside != Place::Plain ||
                    f.place.clause == Clause::Items || (f.readings & AsAlias) != 0 || in_call || unsettled ||
                    names_something(state, f.name));
    }
    add_level(level, oldest);
    frame = level.outer_frame;
    open = level.outer_open;
  }
  return hash.key();
}

Key SqlTracker::key(PrefixId id) {
  const Prefix& prefix = prefixes_[id];
  const Key state = state_key(prefix.state_id);
  Hasher hash;
  hash.add(state.high);
  hash.add(state.low);
  const LexState& lex = prefix.lex;
  hash.add(uint64_t{static_cast<uint8_t>(lex.kind)} | uint64_t{static_cast<uint8_t>(lex.quote)} << 8 |
           uint64_t{lex.utf8} << 16 | uint64_t{prefix.started} << 24);
  hash.add(prefix.length);
  if (lex.kind == LexState::Kind::Word || lex.kind == LexState::Kind::Quoted || lex.kind == LexState::Kind::QuotedEnd) {
    hash.add(store_.texts.str(world_.settings().style == Style::Canonical ? lex.text : store_.texts.folded(lex.text)));
  }
  hash.add(uint64_t{prefix.literal.value} | uint64_t{prefix.literal.digits} << 32 |
           uint64_t{prefix.literal.integer} << 48 | uint64_t{prefix.literal.odd} << 49);
  return hash.key();
}

}  // namespace pccsql::track
