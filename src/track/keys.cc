// Keys: what a prefix's future hangs on, hashed. Equal keys mean equal masks, so whatever a next lexeme could ask about must be
// in them, and whatever it could not should not be. Frames are hashed field by field, each as its type says; of the larger
// records all fields are named where they are hashed, so that one that is added does not compile before it is known whether it is
// part of the key.
#include <algorithm>
#include <type_traits>

#include "base/fields.h"
#include "track/hash.h"
#include "track/sql_tracker.h"

namespace pccsql::track {
namespace {

// Fields that nothing which may come hangs on.
template <typename... Fields>
void left_out(const Fields&...) {}

// Trees near the height that the database takes. Far from it their height is of no account.
uint16_t near_top(uint16_t height) { return height > kTallest - 300 ? height : uint16_t{0}; }

// Hashes records by the types of their fields. Small numbers share words.
class KeyWriter {
 public:
  KeyWriter(Hasher& hash, const Store& store, const Level& around)
      : hash_(hash), store_(store), aggregates_(around.aggregates), refs_(store.refs[around.refs].count) {}
  ~KeyWriter() { flush(); }

  bool tells_refs = true;     // which refs came before matters
  bool tells_name = true;     // so does which name is at hand

  void operator()(Called called) {
    const NameId name = called;
    if (name < store_.world.names().size()) {
      hash_.add(name);
    } else {
      hash_.add(store_.names.text(name));
    }
  }
  // An argument can be part of a nested SELECT, which has fewer refs.
  void operator()(RefMark mark) { tells_refs ? hash_.add(refs_ - std::min<uint32_t>(refs_, mark)) : pack(0, 1); }
  void operator()(ListMark mark) { pack(mark != 0, 1); }
  void operator()(AggregateMark mark) { pack(mark != aggregates_, 1); }
  void operator()(TermCount count) { pack(std::min<uint16_t>(count, 1) | (count >= kMostTerms ? 2u : 0u), 2); }
  void operator()(const Callable* function) { hash_.add(function->name); }
  void operator()(const NameAtHand& at_hand) {
    const auto& [name, qualifier, quote, readings] = at_hand;
    pack(tells_name, 1);
    if (tells_name) (*this)(quote), (*this)(name);
    (*this)(qualifier), (*this)(readings);
  }
  void operator()(const Argument& argument) {
    pack(argument.plain, 1);
    const bool told = std::exchange(tells_refs, true);
    if (argument.plain) for_each_field(argument, *this);
    tells_refs = told;
  }
  void operator()(OperatorList operators) {
    for (const OperatorNode& node : newest_first(store_.operators, operators)) {
      const auto& [below, precedence, and_, divides, sign, compares, unshown, first_list, weight, weights, left] =
          node;
      left_out(below, weight);
      for_each_of(true, precedence, and_, divides, sign, compares, unshown, first_list, weights, left);
    }
    pack(0, 1);
  }
  // Numbers that mean nothing more than they say. Those of 32 bits and more name something, and have types that say what.
  template <typename T>
  void operator()(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      pack(static_cast<uint64_t>(value), 8 * sizeof(T));
    } else if constexpr (std::is_integral_v<T>) {
      static_assert(sizeof(T) <= 2);
      pack(value, std::is_same_v<T, bool> ? 1 : 8 * sizeof(T));
    } else {
      for_each_field(value, *this);
    }
  }
  template <typename... Fields>
  void for_each_of(const Fields&... fields) {
    ((*this)(fields), ...);
  }

 private:
  void pack(uint64_t value, size_t bits) {
    if (used_ + bits > 64) flush();
    word_ |= value << used_;
    used_ += bits;
  }
  void flush() {
    if (used_ != 0) hash_.add(word_);
    word_ = used_ = 0;
  }

  Hasher& hash_;
  const Store& store_;
  const uint16_t aggregates_;
  const uint32_t refs_;
  uint64_t word_ = 0;
  size_t used_ = 0;
};

// PRE: `tell` knows whether the name at hand matters.
void add_frame(KeyWriter& tell, const Frame& frame) {
  const auto& [below, kind, place, depth, height, argument, and_operand, lists, name, expr, call, paren, case_part, type_words,
               window, term] = frame;
  left_out(below);
  tell.for_each_of(kind, place, depth, near_top(height), argument, and_operand);
  switch (kind) {
    case Frame::Expr:
      tell.tells_refs = place.inside == Place::Argument;
      return tell.for_each_of(lists, name, expr);
    case Frame::Paren:
      return tell.for_each_of(lists, name, paren);
    case Frame::InSet:
    case Frame::Exists:
      return tell.for_each_of(lists, paren);
    case Frame::Call:
      return tell(call);
    case Frame::Case:
      return tell(case_part);
    case Frame::Cast:
      return tell(type_words);
    case Frame::Window:
      return tell(window);
    case Frame::Term:
      return tell.for_each_of(name, term);
    case Frame::CteHead:
      return tell(name);
    case Frame::Filter:
    case Frame::DerivedTable:
      return;
  }
}

}  // namespace

// Whether a name that was read as a column could still turn out to qualify one, or to be a function.
bool SqlTracker::names_something(const State& state, NameId name) const {
  if (name == kNoName) return false;
  if (world_.function(name) != nullptr) return true;
  for (Index at = state.level; at != 0; at = store_.levels[at].parent) {
    for (const FromNode& node : newest_first(store_.from, store_.levels[at].from)) {
      if (node.item.name == name) return true;
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
  bool operand = top.kind == Frame::Expr && !top.expr.after && top.name.name == kNoName && top.name.qualifier == kNoName &&
                 !top.place.local && top.expr.operators != 0 &&
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
    const Term* const term = step.term();
    const Place place = step.operand_place();
    hash.add(0x0FEAu);
    hash.add(store_.control.top(state.stack));  // after IS, a NOT is no operator yet
    hash.add(uint64_t{static_cast<uint8_t>(place.clause)} | uint64_t{place.inside} << 8 |
             uint64_t{place.aggregates} << 16 | uint64_t{place.windows} << 17 | uint64_t{place.local} << 18 |
             uint64_t{place.compared} << 19 |
             uint64_t{top.expr.word} << 24 | uint64_t{step.operand_depth() + parser_stack::kNoLexemeNeedsMore > world_.deepest()
                                                     ? static_cast<uint32_t>(step.operand_depth())
                                                     : 0u}
                                            << 32);
    hash.add(uint64_t{term != nullptr} | uint64_t{term != nullptr && term->pure} << 1 |
             uint64_t{term != nullptr && term->compound} << 2 | uint64_t{term != nullptr && term->negative} << 3 |
             uint64_t{term != nullptr && term->has_sign} << 4 | uint64_t{top.expr.pattern} << 5 |
             uint64_t{near_top(top.height)} << 16);
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
  const auto add_place = [&](const Place& place, const Level& around) { KeyWriter(hash, store_, around)(place); };
  const auto add_item = [&](const SelectItem& selected, bool in_list) {
    const auto& [star, qualifier, alias, column, aggregate, window, names_outside, number, nested, first_ref, last_ref] = selected;
    hash.add(uint64_t{star} | uint64_t{aggregate} << 8 | uint64_t{window} << 9 | uint64_t{names_outside} << 11 |
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
  const auto add_settled = [&](const Ref& ref, const Level& around) {
    const auto& [qualifier, name, binding, roles, place, argument, list, fixed, bound_outside] = ref;
    left_out(qualifier, name, list);
    hash.add(uint64_t{binding != 0 ? store_.bindings[binding].permitted : uint8_t{0}} | uint64_t{roles} << 8 |
             uint64_t{fixed} << 17 | uint64_t{bound_outside} << 18);
    if (argument != 0) {  // which column it is decides whether it is one a second time
      for (const ColumnRef& column : store_.bindings[binding].columns) {
        hash.add(uint64_t{column.table} << 32 | column.column);
      }
    }
    add_place(place, around);
  };
  const auto add_unsettled = [&](const Ref& ref, const Level& around) {
    const auto& [qualifier, name, binding, roles, place, argument, list, fixed, bound_outside] = ref;
    left_out(binding, list, bound_outside);
    add_name(qualifier);
    add_name(name);
    hash.add(uint64_t{roles} | uint64_t{fixed} << 17 | uint64_t{argument} << 32);
    add_place(place, around);
  };
  // `oldest`: of the refs, those up to here are of no account once they are bound.
  const auto add_level = [&](const Level& l, uint32_t oldest) {
    const auto& [parent, outer_open, outer_frame, kind, view, depth, nesting, branches, width, tables, most_tables, ctes,
                 outputs, order_names, list, compared, unshown] = static_cast<const Query&>(l);
    const auto& [clause, from_open, settled, table_needed, star, plain_star, aggregating, grouped, windowed, window_free,
                 merges, outer_join, window_aggregate, window_partition, refs, items, from, twins, passed, declared,
                 aggregates, terms, conditions, on_height, counted, names_outside, item, join] = static_cast<const Select&>(l);
    // Frames are hashed by themselves; `aggregates` with the call that counts them, `on_height` with the frame of its ON.
    left_out(parent, outer_open, outer_frame, nesting, aggregates, on_height);
    {
      KeyWriter tell(hash, store_, l);
      tell.tells_refs = clause == Clause::Items;
      const bool counts = !settled || conditions > kTallest - 300;
      tell.for_each_of(kind, view, depth, std::min<uint16_t>(branches, 2), width, tables, most_tables, list.id != 0,
                       compared, unshown);
      tell.for_each_of(branches > kMostBranches - 100 ? branches : uint16_t{0}, terms + 1 >= kMostTerms,
                       counts ? conditions : uint16_t{0});
      tell.for_each_of(clause, from_open, settled, table_needed, star, plain_star, aggregating, grouped, windowed,
                       window_free, merges, outer_join, window_aggregate, window_partition, names_outside, item, join);
    }
    if (counted != 0) {
      hash.add(counted);
      for (const RefNode& node : newest_first(store_.refs, settled ? refs : 0)) {
        const Ref& ref = node.ref;
        if (ref.place.inside != Place::Argument || ref.place.off_form || ref.binding == 0) continue;
        for (const ColumnRef& column : store_.bindings[ref.binding].columns) {  // which item it may be counted of
          if (world_.grouped_family(column) == 0) continue;
          hash.add(uint64_t{column.table} << 32 | store_.bindings[ref.binding].item);
        }
      }
    }
    const bool sees = sees_outputs(l);
    const bool sorts = sees || clause == Clause::Group || clause == Clause::Having || clause == Clause::Order;
    hash.add(store_.items[items].count);
    for (const ItemNode& node : newest_first(store_.items, items)) {
      const SelectItem& selected = node.item;
      const bool seen = sorts || selected.star != SelectItem::No || list.id != 0 ||
                        (selected.alias != kNoName && clause == Clause::Where);
      if (seen) add_item(selected, list.id != 0);
    }
    for (const RefNode& node : newest_first(store_.refs, refs)) {
      if (settled && node.count <= oldest) break;
      settled ? add_settled(node.ref, l) : add_unsettled(node.ref, l);
    }
    for (const FromNode& node : newest_first(store_.from, from)) add_from(node);
    for (const NameNode& node : newest_first(store_.name_lists, settled ? 0 : passed)) {
      add_name(node.qualifier);
      add_name(node.name);
    }
    for (const TwinNode& node : newest_first(store_.twins, settled ? 0 : twins)) {
      hash.add(uint64_t{node.left} << 32 | node.right);
    }
    hash.add(0x5EEDu);
    for (const CteNode& node : newest_first(store_.ctes, ahead == Ahead::Text || !settled ? ctes : 0)) {
      add_source(*node.source);
      hash.add(node.source->tables);
    }
    for (const Index names : {outputs, order_names, declared}) {
      hash.add(store_.name_lists[names].count);
      for (const NameNode& node : newest_first(store_.name_lists, sees || clause == Clause::Order ? names : 0)) {
        add_name(node.name);
        hash.add(uint64_t{node.qualifier != kNoName});
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
  for (const NameNode& node : newest_first(store_.name_lists, cte_names)) add_name(node.name);
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
      if (f.kind == Frame::Call) oldest = std::min<uint32_t>(oldest, f.call.refs);
      KeyWriter tell(hash, store_, level);
      // An output that a term of GROUP BY or ORDER BY names is looked at once the term has ended.
      tell.tells_name = f.kind != Frame::Expr || !level.settled || f.place.inside != Place::Plain ||
                        f.place.clause == Clause::Items || (f.name.readings & AsAlias) != 0 || in_call || unsettled ||
                        names_something(state, f.name.name);
      add_frame(tell, f);
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
