// Keys: what a prefix's future hangs on, hashed. Equal keys mean equal masks, so whatever a next lexeme could ask about must be
// in them, and whatever it could not should not be.
#include <algorithm>

#include "track/hash.h"
#include "track/sql_tracker.h"

namespace pccsql::track {

// Whether a name that was read as a column could still turn out to qualify one, or to be a function.
bool SqlTracker::names_something(const Sem& sem, NameId name) const {
  if (name == kNoName) return false;
  if (world_.function(name) != nullptr) return true;
  for (Index at = sem.level; at != 0; at = store_.levels[at].parent) {
    for (Index i = store_.levels[at].from; i != 0; i = store_.from[i].below) {
      if (store_.from[i].item.name == name) return true;
    }
  }
  return false;
}

Key SqlTracker::sem_key(Index id) {
  if (!sems_[id].keyed) {
    sems_[id].key = hash_of(sems_[id].sem, Ahead::Text);
    sems_[id].keyed = true;
  }
  return sems_[id].key;
}

Key SqlTracker::near_key(Index id) {
  if (!sems_[id].near_keyed) {
    sems_[id].near_key = hash_of(sems_[id].sem, Ahead::Signs);
    sems_[id].near_keyed = true;
  }
  return sems_[id].near_key;
}

// What one lexeme in an operand's place can put on the parser's stack at once, or ask room for: a window function is 18.
constexpr int kNoLexemeIsDeeper = 32;

Key SqlTracker::signs_key(PrefixId id) { return near_key(prefixes_[id].sem); }

// Where an operand must come nothing can close, so what stands open around it does not matter to the next lexeme; inside
// COUNT, SUM, AVG it does, because a literal can make columns to its left asked. After a qualified name its frame looks as before
// it; but a number cannot come there.
Key SqlTracker::expectation_key(Index id) {
  const Sem& sem = sems_[id].sem;
  if (sem.open == 0) return near_key(id);
  const Frame& top = store_.frames[sem.frame];
  bool operand = top.kind == Frame::Expr && !top.after && top.name == kNoName && top.qualifier == kNoName &&
                 !top.place.local && top.operators != 0 &&
                 store_.control.viable(sem.stack)[static_cast<size_t>(Terminal::Integer)];
  for (Index i = sem.frame; i != 0 && operand; i = store_.frames[i].below) {
    operand = store_.frames[i].place.inside != Place::Argument;
  }
  return operand ? hash_of(sem, Ahead::Operand) : near_key(id);
}

// Signs alone do not lead from one clause to the next, nor do they name what is selected. So before the clauses that can see
// them, the names of items and outputs are of no account to what signs and one word can do; but those of a derived table are,
// since it may close, and in canonical style all, since no item is repeated.
Key SqlTracker::hash_of(const Sem& sem, Ahead ahead) {
  const bool operand_only = ahead == Ahead::Operand;
  const bool canonical = world_.settings().style == Style::Canonical;
  const auto sees_outputs = [&](const Level& level) {
    return ahead == Ahead::Text || canonical || level.kind == Level::Derived;
  };
  Hasher hash;
  if (operand_only) {
    const Step step(store_, sem);
    const Frame& top = store_.frames[sem.frame];
    const Frame* const term = step.term();
    const Place place = step.operand_place();
    hash.add(0x0FEAu);
    hash.add(store_.control.top(sem.stack));  // after IS, a NOT is no operator yet
    hash.add(uint64_t{static_cast<uint8_t>(place.clause)} | uint64_t{place.inside} << 8 |
             uint64_t{place.aggregates} << 16 | uint64_t{place.windows} << 17 | uint64_t{place.local} << 18 |
             uint64_t{place.compared} << 19 |
             uint64_t{top.part} << 24 | uint64_t{step.depth_here() + kNoLexemeIsDeeper > world_.deepest()
                                                     ? static_cast<uint32_t>(step.depth_here())
                                                     : 0u}
                                            << 32);
    hash.add(uint64_t{term != nullptr} | uint64_t{term != nullptr && term->pure} << 1 |
             uint64_t{term != nullptr && term->compound} << 2 | uint64_t{term != nullptr && term->negative} << 3 |
             uint64_t{term != nullptr && term->signed_} << 4 | uint64_t{top.pattern} << 5 |
             uint64_t{top.height > kTallest - 300 ? top.height : uint16_t{0}} << 16);
    const TerminalSet& viable = store_.control.viable(sem.stack);
    uint64_t word = 0;
    for (size_t t = 0; t < kTerminals; ++t) {
      word |= uint64_t{viable[t]} << (t % 64);
      if (t % 64 == 63 || t + 1 == kTerminals) {
        hash.add(word);
        word = 0;
      }
    }
  }
  const auto name = [&](NameId n) {
    if (n < world_.names().size()) {
      hash.add(n);
    } else {
      hash.add(store_.names.text(n));
    }
  };
  const auto place = [&](const Place& p) {
    hash.add(uint64_t{static_cast<uint8_t>(p.clause)} | uint64_t{p.inside} << 8 | uint64_t{p.asked} << 16 |
             uint64_t{p.aggregates} << 17 | uint64_t{p.windows} << 18 | uint64_t{p.local} << 19 |
             uint64_t{p.minmax} << 20 | uint64_t{p.part} << 21 | uint64_t{p.compared} << 22 |
             uint64_t{p.off_form} << 23);
  };
  const auto source = [&](const Source& s) {
    if (s.table) {
      hash.add(*s.table + 1);
      return;
    }
    hash.add(0x10000000u + s.columns.size());
    name(s.name);
    for (const Source::Column& column : s.columns) name(column.name);
  };
  if (!operand_only) hash.add(store_.control.hash(sem.stack));
  hash.add(uint64_t{sem.zero} | uint64_t{sem.as} << 1 | uint64_t{sem.ended} << 2 | uint64_t{sem.outer_join} << 3 |
           uint64_t{sem.union_all} << 4);
  if (sem.counted != 0) hash.add(sem.counted);
  // What an item is called matters while items are written.
  if (store_.levels[sem.level].clause == Clause::Items && sees_outputs(store_.levels[sem.level])) name(sem.bare);
  for (Index i = sem.cte_names; i != 0; i = store_.name_lists[i].below) name(store_.name_lists[i].name);
  bool unsettled = false;
  for (Index at = sem.level; at != 0; at = store_.levels[at].parent) unsettled |= !store_.levels[at].settled;
  Index frame_id = sem.frame;
  uint16_t open = sem.open;
  for (Index at = sem.level; at != 0; at = store_.levels[at].parent) {
    const Level& level = store_.levels[at];
    const uint32_t refs = store_.refs[level.refs].count;
    // Refs that something open can still change, or that may not be used again as anything.
    uint32_t oldest = level.list.id != 0 ? 0 : refs;
    bool in_call = false;
    for (Index i = frame_id, left = open; left > 0; --left, i = store_.frames[i].below) {
      in_call |= store_.frames[i].kind == Frame::Call;
    }
    if (operand_only) open = 0;
    for (; open > 0; --open) {
      const Frame& f = store_.frames[frame_id];
      if (f.kind == Frame::Call) oldest = std::min(oldest, f.refs);
      hash.add(uint64_t{f.kind} | uint64_t{f.depth} << 8 | uint64_t{f.part} << 24 | uint64_t{f.pairs} << 32 |
               uint64_t{std::min<uint8_t>(f.order_terms, 2)} << 40 | uint64_t{f.readings} << 48 |
               uint64_t{f.after} << 57 | uint64_t{f.zero} << 58 |
               uint64_t{f.and_operand} << 59 | uint64_t{f.distinct} << 60 | uint64_t{f.star} << 61 |
               uint64_t{f.closed} << 62 | uint64_t{f.scalar_only} << 63);
      hash.add(uint64_t{static_cast<uint8_t>(f.unit)} | uint64_t{static_cast<uint8_t>(f.bound)} << 8 |
               uint64_t{f.in_bound} << 16 | uint64_t{f.between} << 17 | uint64_t{f.in_end} << 18 |
               uint64_t{f.pure} << 19 | uint64_t{f.negative} << 20 | uint64_t{f.owes_operator} << 21 |
               uint64_t{f.signed_} << 22 | uint64_t{f.compound} << 23 | uint64_t{f.filtered} << 24 |
               uint64_t{f.operated} << 25 | uint64_t{f.number} << 26 | uint64_t{f.aggregating} << 27 |
               uint64_t{f.item_aggregate} << 28 | uint64_t{f.pattern} << 29 |
               uint64_t{f.height > kTallest - 300 ? f.height : uint16_t{0}} << 48);
      place(f.place);
      hash.add(uint64_t{static_cast<uint8_t>(f.standing)} | uint64_t{f.first_list != 0} << 8 |
               uint64_t{f.subquery != 0} << 9 | uint64_t{f.unshown} << 10 | uint64_t{f.ordinal} << 32);
      if (f.argument.plain) {
        hash.add(uint64_t{f.argument.distinct} | uint64_t{f.argument.derived} << 1 | uint64_t{f.argument.part} << 2 |
                 uint64_t{f.argument.off_form} << 3 | uint64_t{f.argument.digits} << 8 | uint64_t{f.argument.products} << 16 |
                 uint64_t{refs - std::min(refs, f.argument.refs)} << 32);
      }
      const bool matters = f.kind != Frame::Expr || !level.settled || f.place.inside != Place::Plain ||
                           f.place.clause == Clause::Items || in_call || unsettled || names_something(sem, f.name);
      hash.add(uint64_t{matters} | uint64_t{static_cast<uint8_t>(matters ? f.quote : Quote::None)} << 8);
      if (matters) name(f.name);
      name(f.qualifier);
      if (f.kind == Frame::Call) {
        hash.add(f.function->name);
        hash.add(uint64_t{std::min<uint16_t>(f.arguments, f.function->most)});
        hash.add(uint64_t{level.aggregates != f.operand});
        hash.add(refs - f.refs);
      } else {
        hash.add(uint64_t{std::min<uint16_t>(f.arguments, 1)} | uint64_t{f.arguments >= kMostTerms} << 1);
      }
      if (f.kind == Frame::Expr) {
        const bool told = f.place.inside == Place::Argument;
        hash.add(told ? refs - f.operand : 0);
        for (Index i = f.operators; i != 0; i = store_.operators[i].below) {
          const OperatorNode& op = store_.operators[i];
          hash.add(uint64_t{op.precedence} | uint64_t{op.divides} << 8 | uint64_t{op.and_} << 9 |
                   uint64_t{op.sign} << 10 | uint64_t{op.compares} << 11 | uint64_t{op.unshown} << 12 |
                   uint64_t{op.first_list != 0} << 13 | uint64_t{op.weights} << 16 |
                   uint64_t{told ? refs - op.left : 0} << 32);
        }
      }
      frame_id = f.below;
    }
    hash.add(uint64_t{level.kind} | uint64_t{level.view} << 4 | uint64_t{static_cast<uint8_t>(level.clause)} << 8 |
             uint64_t{level.from_open} << 16 | uint64_t{level.settled} << 17 | uint64_t{level.star} << 18 |
             uint64_t{level.plain_star} << 19 | uint64_t{level.aggregating} << 20 | uint64_t{level.grouped} << 21 |
             uint64_t{level.windowed} << 22 | uint64_t{level.nested} << 24 | uint64_t{level.item_aggregate} << 25 |
             uint64_t{level.item_window} << 26 | uint64_t{level.merges} << 28 | uint64_t{level.outer_join} << 29 |
             uint64_t{level.item_star} << 30 | uint64_t{level.join_natural} << 31 | uint64_t{level.join_outer} << 32 |
             uint64_t{level.join_comma} << 33 | uint64_t{level.item_open} << 34 | uint64_t{level.window_free} << 35 |
             uint64_t{level.item_leaf} << 36 | uint64_t{level.list.id != 0} << 40 | uint64_t{level.compared} << 41 |
             uint64_t{level.unshown} << 42 | uint64_t{level.join_full} << 44 | uint64_t{level.window_aggregate} << 45 |
             uint64_t{level.window_partition} << 46 | uint64_t{level.terms + 1 >= kMostTerms} << 47 |
             uint64_t{level.join_left} << 48 | uint64_t{level.join_words} << 50 |
             uint64_t{level.names_outside} << 60);
    if (level.counted != 0) {
      hash.add(level.counted);
      for (Index i = level.settled ? level.refs : 0; i != 0; i = store_.refs[i].below) {
        const Ref& ref = store_.refs[i].ref;
        if (ref.place.inside != Place::Argument || ref.place.off_form || ref.binding == 0) continue;
        for (const ColumnRef& column : store_.bindings[ref.binding].columns) {  // which item it may be counted of
          if (world_.grouped_table(column) == 0) continue;
          hash.add(uint64_t{column.table} << 32 | store_.bindings[ref.binding].item);
        }
      }
    }
    hash.add(uint64_t{level.width} | uint64_t{std::min<uint16_t>(level.branches, 2)} << 16 |
             uint64_t{level.tables} << 32 | uint64_t{level.depth} << 48);
    const bool counts = !level.settled || level.conditions > kTallest - 300;
    hash.add(uint64_t{level.most_tables} | uint64_t{counts ? level.conditions : uint16_t{0}} << 16);
    hash.add(uint64_t{level.branches > kMostBranches - 100 ? level.branches : uint16_t{0}});
    name(level.item_alias);
    if (level.clause == Clause::Items) hash.add(refs - level.item_refs);
    const bool outputs = sees_outputs(level);
    const bool terms = outputs || level.clause == Clause::Group || level.clause == Clause::Having ||
                       level.clause == Clause::Order;
    hash.add(store_.items[level.items].count);
    for (Index i = level.items; i != 0; i = store_.items[i].below) {
      const SelectItem& item = store_.items[i].item;
      const bool seen = terms || item.star != SelectItem::No || level.list.id != 0 ||
                        (item.alias != kNoName && level.clause == Clause::Where);
      if (!seen) continue;
      hash.add(uint64_t{item.star} | uint64_t{item.aggregate} << 8 | uint64_t{item.window} << 9 |
               uint64_t{item.outward} << 11 | uint64_t{item.number} << 12 |
               uint64_t{item.nested} << 13 | 1u << 16);
      if (level.list.id != 0) hash.add(uint64_t{item.first_ref} << 32 | item.last_ref);
      name(item.alias);
      name(item.column);
      name(item.qualifier);
    }
    for (Index i = level.refs; i != 0; i = store_.refs[i].below) {
      const Ref& ref = store_.refs[i].ref;
      if (level.settled) {
        if (store_.refs[i].count <= oldest) break;
        hash.add(uint64_t{ref.binding != 0 ? store_.bindings[ref.binding].permitted : uint8_t{0}} |
                 uint64_t{ref.roles} << 8 | uint64_t{ref.fixed} << 17 | uint64_t{ref.outward} << 18);
        if (ref.argument != 0) {  // which column it is decides whether it is one a second time
          for (const ColumnRef& column : store_.bindings[ref.binding].columns) {
            hash.add(uint64_t{column.table} << 32 | column.column);
          }
        }
      } else {
        name(ref.qualifier);
        name(ref.name);
        hash.add(uint64_t{ref.roles} | uint64_t{ref.fixed} << 17 | uint64_t{ref.argument} << 32);
      }
      place(ref.place);
    }
    for (Index i = level.from; i != 0; i = store_.from[i].below) {
      const FromNode& node = store_.from[i];
      source(*node.item.source);
      name(node.item.name);
      hash.add(uint64_t{node.item.name_open} | uint64_t{node.item.merge_open} << 1 | uint64_t{node.outer} << 2 |
               uint64_t{node.full} << 3);
      for (const NameId merged : node.item.merged) name(merged);
    }
    for (Index i = level.settled ? 0 : level.passed; i != 0; i = store_.name_lists[i].below) {
      name(store_.name_lists[i].qualifier);
      name(store_.name_lists[i].name);
    }
    for (Index i = level.settled ? 0 : level.twins; i != 0; i = store_.twins[i].below) {
      hash.add(uint64_t{store_.twins[i].left} << 32 | store_.twins[i].right);
    }
    hash.add(0x5EEDu);
    const bool tables = ahead == Ahead::Text || !level.settled;
    for (Index i = tables ? level.ctes : 0; i != 0; i = store_.ctes[i].below) {
      source(*store_.ctes[i].source);
      hash.add(store_.ctes[i].source->tables);
    }
    for (const Index list : {level.outputs, level.order_names, level.declared}) {
      hash.add(store_.name_lists[list].count);
      for (Index i = outputs || level.clause == Clause::Order ? list : 0; i != 0; i = store_.name_lists[i].below) {
        name(store_.name_lists[i].name);
        hash.add(uint64_t{store_.name_lists[i].qualifier != kNoName});
      }
    }
    open = level.outer_open;
  }
  return hash.key();
}

Key SqlTracker::key(PrefixId id) {
  const Prefix& prefix = prefixes_[id];
  const Key sem = sem_key(prefix.sem);
  Hasher hash;
  hash.add(sem.high);
  hash.add(sem.low);
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
