// Shapes: what is the same in every schema of what may come after a lexeme.
//
// Two states that differ in names alone go on alike, as long as no name is written: the same keywords, signs, calls and literals
// may follow, and each leads to states that differ in names alone again. A shape is a hash of a state without its names, so
// masks can share what hangs on the language, also between schemas. Whatever a lexeme that is no name asks must be in it:
// which columns a name at hand stands for is there by what they permit, and which names are equal by the order in which they are
// met. What must be asked of the schema at large (Store::asked) is not in it: whoever shares has to ask that anew.
//
// Only states of the common kind have a shape; where names could do more than is looked at here there is none. Nor has one that
// is deep in the parser's stack: of two others it is all the same how deep they are, since a step that comes near the limit
// counts as one that asks.
#include <algorithm>

#include "base/text.h"
#include "track/hash.h"
#include "track/sql_tracker.h"

namespace pccsql::track {
namespace {

// Fields of which nothing hangs that follows without a name.
template <typename... Fields>
void of_no_account(const Fields&...) {}

// Numbers in the order in which they are asked for.
template <typename Value>
class Numbering {
 public:
  uint64_t number(const Value& value) {
    const auto known = std::find(met_.begin(), met_.end(), value);
    if (known != met_.end()) return static_cast<uint64_t>(known - met_.begin());
    met_.push_back(value);
    return met_.size() - 1;
  }

 private:
  std::vector<Value> met_;
};

}  // namespace

class SqlTracker::Shape {
 public:
  Shape(SqlTracker& tracker, const State& state)
      : tracker_(tracker), store_(tracker.store_), world_(tracker.world_), state_(state), step_(tracker.store_, state) {}

  std::optional<Key> key() {
    const TrackSettings& settings = world_.settings();
    const bool common = settings.style == Style::Any && settings.aliases == Aliases::Short && settings.lookahead &&
                        !settings.derived_names && !world_.sets_minimum() &&
                        world_.deepest() >= parser_stack::kShallow + parser_stack::kNear;
    if (!common || step_.operand_depth() > parser_stack::kShallow) return std::nullopt;
    const ViewBodies& bodies = world_.catalog().view_bodies();
    hash_.add(uint64_t{static_cast<uint8_t>(settings.language)} | uint64_t{static_cast<uint8_t>(settings.profile)} << 8 |
              uint64_t{bodies.outer_join} << 16 | uint64_t{bodies.union_all} << 17);
    hash_.add(world_.most_tables());
    const auto& [stack, innermost, top_frame, open_frames, uses, cte_names, bare, zero, as, ended, lists, outer_join,
                 union_all, counted, viewed] = state_;
    of_no_account(uses, lists, bare);
    if (cte_names != 0 || counted != 0 || viewed != 0) return std::nullopt;
    hash_.add(store_.control.hash(stack));
    hash_.add(uint64_t{zero} | uint64_t{as} << 1 | uint64_t{ended} << 2 | uint64_t{outer_join} << 3 |
              uint64_t{union_all} << 4);
    Index frame = top_frame;
    uint32_t open = open_frames;
    for (Index at = innermost; at != 0; at = store_.levels[at].parent) {
      const Level& level = store_.levels[at];
      uint32_t oldest = level.list.id != 0 ? 0 : store_.refs[level.refs].count;
      for (; open > 0; --open, frame = store_.frames[frame].below) {
        const Frame& f = store_.frames[frame];
        if (f.kind == Frame::Call) oldest = std::min<uint32_t>(oldest, f.call.refs);
        if (!add_frame(f, level, at == innermost && frame == top_frame)) return std::nullopt;
      }
      if (!add_level(level, oldest)) return std::nullopt;
      frame = level.outer_frame;
      open = level.outer_open;
    }
    return hash_.key();
  }

 private:
  void add_place(const Place& p) {
    const auto& [clause, inside, tested, extended, off_form, aggregates, windows, local, minmax, compared] = p;
    hash_.add(uint64_t{static_cast<uint8_t>(clause)} | uint64_t{inside} << 8 | uint64_t{tested} << 16 |
              uint64_t{aggregates} << 17 | uint64_t{windows} << 18 | uint64_t{local} << 19 | uint64_t{minmax} << 20 |
              uint64_t{extended} << 21 | uint64_t{compared} << 22 | uint64_t{off_form} << 23);
  }

  void add_argument(const Argument& a, uint32_t ref_count) {
    const auto& [plain, distinct, derived, extended, off_form, digits, products, refs] = a;
    if (!plain) return hash_.add(0);
    hash_.add(uint64_t{distinct} | uint64_t{derived} << 1 | uint64_t{extended} << 2 | uint64_t{off_form} << 3 | 1u << 4 |
              uint64_t{digits} << 8 | uint64_t{products} << 16 |
              uint64_t{ref_count - std::min<uint32_t>(ref_count, refs)} << 32);
  }

  // What the name is bound to, by what that permits.
  void add_binding(const Binding& binding) {
    const auto& [columns, permitted, item, derived] = binding;
    of_no_account(item);
    hash_.add(uint64_t{permitted} | uint64_t{derived} << 8 | uint64_t{columns.size()} << 16);
    for (const ColumnRef& column : columns) hash_.add(columns_.number(column));
  }

  // A name that has been read and that the next lexeme decides about.
  bool add_name_at_hand(const NameAtHand& at_hand, const Level& level, bool innermost) {
    const auto& [name, qualifier, quote, readings] = at_hand;
    const Callable* const function = quote == Quote::None ? world_.function(name) : nullptr;
    hash_.add(uint64_t{readings} | uint64_t{quote != Quote::None} << 8 | uint64_t{function != nullptr} << 9 |
              uint64_t{qualifier != kNoName} << 10);
    if (function != nullptr) hash_.add(function->name);
    if (readings == 0) return true;
    if (!innermost || world_.is_rowid(name) || name == world_.true_name() || name == world_.false_name()) return false;
    hash_.add(names_.number({kNoName, name}));
    if ((readings & AsColumn) == 0 || (!level.settled && level.clause == Clause::Items)) return true;
    Binding binding;
    if (step_.find(level, kNoName, name, binding) != Step::Found::Yes) return false;
    add_binding(binding);
    return true;
  }

  void add_lists(const Lists& l) {
    const auto& [standing, first, subquery, unshown] = l;
    hash_.add(uint64_t{static_cast<uint8_t>(standing)} | uint64_t{first != 0} << 8 | uint64_t{subquery != 0} << 9 |
              uint64_t{unshown} << 10);
  }

  void add_expr(const Expr& e, bool told, uint32_t ref_count) {
    const auto& [operators, operand, word, after, zero, operated, pattern, escape_forbidden] = e;
    hash_.add(uint64_t{word} | uint64_t{after} << 8 | uint64_t{zero} << 9 | uint64_t{operated} << 10 |
              uint64_t{pattern} << 11 | uint64_t{escape_forbidden} << 12);
    hash_.add(told ? ref_count - operand : 0);
    for (const OperatorNode& node : newest_first(store_.operators, operators)) {
      const auto& [below, precedence, and_, divides, sign, compares, unshown, first_list, weight, weights, left] = node;
      of_no_account(below, weight, weights);
      hash_.add(uint64_t{precedence} | uint64_t{divides} << 8 | uint64_t{and_} << 9 | uint64_t{sign} << 10 |
                uint64_t{compares} << 11 | uint64_t{unshown} << 12 | uint64_t{first_list != 0} << 13 |
                uint64_t{told ? ref_count - left : 0} << 32);
    }
  }

  void add_call(const Call& c, const Level& around) {
    const auto& [function, refs, arguments, over, distinct, star, closed, scalar_only, filtered, aggregating,
                 item_aggregate, aggregates_before] = c;
    const auto& [called, least, most, mode, hands, any, usual] = *function;
    of_no_account(refs, called, usual);
    hash_.add(uint64_t{mode} | uint64_t{hands} << 8 | uint64_t{any} << 16 | uint64_t{least} << 32 | uint64_t{most} << 48);
    hash_.add(uint64_t{std::min(arguments, most)} | uint64_t{around.aggregates != aggregates_before} << 32 |
              uint64_t{over} << 33 | uint64_t{distinct} << 41 | uint64_t{star} << 42 | uint64_t{closed} << 43 |
              uint64_t{scalar_only} << 44 | uint64_t{filtered} << 45 | uint64_t{aggregating} << 46 |
              uint64_t{item_aggregate} << 47);
  }

  void add_window(const Window& w) {
    const auto& [terms, order_terms, unit, bound, in_bound, between, in_end] = w;
    hash_.add(uint64_t{terms != 0} | uint64_t{terms >= kMostTerms} << 1 | uint64_t{order_terms} << 8 |
              uint64_t{static_cast<uint8_t>(unit)} << 16 | uint64_t{static_cast<uint8_t>(bound)} << 24 |
              uint64_t{in_bound} << 32 | uint64_t{between} << 33 | uint64_t{in_end} << 34);
  }

  void add_term(const Term& t) {
    const auto& [pure, negative, owes_operator, has_sign, compound, number, ordinal] = t;
    hash_.add(uint64_t{pure} | uint64_t{negative} << 1 | uint64_t{owes_operator} << 2 | uint64_t{has_sign} << 3 |
              uint64_t{compound} << 4 | uint64_t{number} << 5 | uint64_t{ordinal} << 32);
  }

  bool add_frame(const Frame& f, const Level& around, bool innermost) {
    const auto& [below, kind, place, depth, height, argument, and_operand, lists, name, expr, call, paren, case_part,
                 type_words, window, term] = f;
    of_no_account(below);
    if (depth > parser_stack::kShallow || height > kTallest / 4) return false;
    const uint32_t ref_count = store_.refs[around.refs].count;
    hash_.add(uint64_t{kind} | uint64_t{and_operand} << 8);
    add_place(place);
    add_argument(argument, ref_count);
    switch (kind) {
      case Frame::Expr:
        add_lists(lists);
        add_expr(expr, place.inside == Place::Argument, ref_count);
        return add_name_at_hand(name, around, innermost);
      case Frame::Paren:
      case Frame::InSet:
      case Frame::Exists:
        add_lists(lists);
        hash_.add(uint64_t{paren.select} | uint64_t{paren.filled} << 1);
        return kind != Frame::Paren || add_name_at_hand(name, around, innermost);
      case Frame::Call:
        add_call(call, around);
        return true;
      case Frame::Case:
        hash_.add(case_part);
        return true;
      case Frame::Cast:
        hash_.add(type_words);
        return true;
      case Frame::Window:
        add_window(window);
        return true;
      case Frame::Term:
        add_term(term);
        return add_name_at_hand(name, around, innermost);
      case Frame::Filter:
        return true;
      case Frame::CteHead:
      case Frame::DerivedTable:
        return false;
    }
    return false;
  }

  void add_item(const SelectItem& selected) {
    const auto& [star, qualifier, alias, column, aggregate, window, names_outside, number, nested, first_ref, last_ref] =
        selected;
    of_no_account(star, qualifier, alias, column);
    hash_.add(uint64_t{aggregate} << 8 | uint64_t{window} << 9 | uint64_t{names_outside} << 11 | uint64_t{number} << 12 |
              uint64_t{nested} << 13 | 1u << 16);
    hash_.add(uint64_t{first_ref} << 32 | last_ref);
  }

  void add_ref(const Ref& r) {
    const auto& [qualifier, name, binding, roles, place, argument, list, fixed, bound_outside] = r;
    of_no_account(list);
    hash_.add(uint64_t{roles} | uint64_t{fixed} << 17 | uint64_t{bound_outside} << 18 | uint64_t{binding != 0} << 19 |
              uint64_t{argument} << 32);
    add_place(place);
    if (binding != 0) {
      add_binding(store_.bindings[binding]);
    } else {
      hash_.add(names_.number({qualifier, name}));
    }
  }

  // What becomes of the names that wait for FROM, if it closes now.
  enum Settling : uint8_t { Fits, Fails, Asks };
  Settling settling(const Level& level) const {
    bool asks = false;
    for (Index i = level.refs; i != 0; i = store_.refs[i].below) {
      const Ref& ref = store_.refs[i].ref;
      if (ref.binding != 0 || ref.bound_outside) continue;
      if (ref.name == kNoName) return Asks;
      Binding binding;
      switch (step_.find(level, ref.qualifier, ref.name, binding)) {
        case Step::Found::Bad:
          return Fails;
        case Step::Found::Yes:
          if ((binding.permitted & ref.roles) != ref.roles) return Fails;
          if (binding.derived) return Asks;
          break;
        case Step::Found::No:
          asks = true;
          break;
      }
    }
    if (!asks) return Fits;
    return level.parent == 0 ? Fails : Asks;
  }

  // Whether the text has called something by a word of the language: where that word is read it means both.
  bool takes_word_of_language(const Level& l) const {
    const auto is = [&](NameId name) {
      const Rank rank = name == kNoName ? kNoRank : world_.rank(name);
      return rank != kNoRank && world_.language_words().contains(rank);
    };
    for (Index i = l.items; i != 0; i = store_.items[i].below) {
      if (is(store_.items[i].item.alias) || is(store_.items[i].item.column)) return true;
    }
    for (Index i = l.from; i != 0; i = store_.from[i].below) {
      if (is(store_.from[i].item.name)) return true;
    }
    for (Index i = l.settled ? 0 : l.refs; i != 0; i = store_.refs[i].below) {
      if (is(store_.refs[i].ref.qualifier)) return true;
    }
    for (const Index list : {l.outputs, l.order_names}) {
      for (Index i = list; i != 0; i = store_.name_lists[i].below) {
        if (is(store_.name_lists[i].name)) return true;
      }
    }
    return is(l.item.alias);
  }

  bool add_level(const Level& l, uint32_t oldest) {
    const auto& [parent, outer_open, outer_frame, kind, view, depth, nesting, branches, width, tables, most_tables, ctes,
                 outputs, order_names, list, compared, unshown] = static_cast<const Query&>(l);
    const auto& [clause, from_open, settled, table_needed, star, plain_star, aggregating, grouped, windowed, window_free,
                 merges, outer_join, window_aggregate, window_partition, refs, items, from, twins, passed, declared,
                 aggregates, terms, conditions, on_height, counted, names_outside, item, join] = static_cast<const Select&>(l);
    const auto& [item_refs, item_alias, item_star, item_aggregate, item_window, item_nested, leaf] = item;
    const auto& [natural, left, outer, full, words] = join;
    of_no_account(outer_open, outer_frame, aggregates, on_height, nesting, outputs, order_names, item_refs);
    const bool simple = kind != Level::Cte && kind != Level::Derived && !star && !plain_star && !item_star && ctes == 0 &&
                        declared == 0 && counted == 0 && !merges && !natural && (settled || (passed == 0 && twins == 0));
    if (!simple || takes_word_of_language(l)) return false;
    if (depth > parser_stack::kShallow || branches > kMostBranches / 2 || conditions > kTallest / 4) return false;
    constexpr uint32_t kManyItems = 1000;
    if (store_.items[items].count > kManyItems || tables + 2 > most_tables) return false;
    hash_.add(uint64_t{kind} | uint64_t{view} << 4 | uint64_t{static_cast<uint8_t>(clause)} << 8 |
              uint64_t{from_open} << 16 | uint64_t{settled} << 17 | uint64_t{parent != 0} << 18 |
              uint64_t{aggregating} << 20 | uint64_t{grouped} << 21 | uint64_t{windowed} << 22 |
              uint64_t{item_nested} << 24 | uint64_t{item_aggregate} << 25 | uint64_t{item_window} << 26 |
              uint64_t{outer_join} << 29 | uint64_t{outer} << 32 | uint64_t{table_needed} << 34 |
              uint64_t{window_free} << 35 | uint64_t{leaf} << 36 | uint64_t{list.id != 0} << 40 |
              uint64_t{compared} << 41 | uint64_t{unshown} << 42 | uint64_t{full} << 44 |
              uint64_t{window_aggregate} << 45 | uint64_t{window_partition} << 46 |
              uint64_t{terms + 1 >= kMostTerms} << 47 | uint64_t{left} << 48 | uint64_t{item_alias != kNoName} << 49 |
              uint64_t{words} << 50 | uint64_t{names_outside} << 60);
    hash_.add(uint64_t{width} | uint64_t{std::min<uint16_t>(branches, 2)} << 16);
    // Places in the output are asked about; else an item matters where it is only compared.
    if (width != 0) hash_.add(store_.items[items].count);
    for (const ItemNode& node : newest_first(store_.items, list.id != 0 ? items : 0)) add_item(node.item);
    for (Index i = refs; i != 0 && store_.refs[i].count > oldest; i = store_.refs[i].below) add_ref(store_.refs[i].ref);
    hash_.add(0x5EEDu);
    if (settled) return true;
    hash_.add(settling(l));
    bool repeated = false;
    for (Index i = from; i != 0; i = store_.from[i].below) {
      const auto& [rest, count, entry, is_outer, is_full] = store_.from[i];
      const auto& [source, name, name_open, merge_open, merged] = entry;
      of_no_account(rest, count);
      if (!source->table || !merged.empty()) return false;
      repeated |= i != from && name == store_.from[from].item.name;
      if (i == from) {
        hash_.add(uint64_t{name_open} | uint64_t{merge_open} << 1 | uint64_t{is_outer} << 2 | uint64_t{is_full} << 3 | 1u << 4);
      }
    }
    hash_.add(repeated);
    return true;
  }

  SqlTracker& tracker_;
  Store& store_;
  const World& world_;
  const State state_;
  Step step_;
  Hasher hash_;
  Numbering<ColumnRef> columns_;
  Numbering<std::pair<NameId, NameId>> names_;
};

std::optional<Key> SqlTracker::shape(PrefixId id) {
  const LexState lex = prefixes_[id].lex;
  const Index state_id = prefixes_[id].state_id;
  const bool sign = lex.kind >= LexState::Kind::Less;  // that may go on; all of one kind are alike
  if (lex.kind != LexState::Kind::Blank && !sign) return std::nullopt;
  if (!states_[state_id].shaped) {
    const State state = states_[state_id].state;
    const std::optional<Key> shape = Shape(*this, state).key();
    states_[state_id].shaped = true;
    states_[state_id].shape = shape;
  }
  std::optional<Key> shape = states_[state_id].shape;
  if (shape) {
    Hasher hash;
    hash.add(shape->high);
    hash.add(shape->low);
    hash.add(uint64_t{static_cast<uint8_t>(lex.kind)} | uint64_t{prefixes_[id].started} << 8 | uint64_t{lex.run} << 16);
    shape = hash.key();
  }
  return shape;
}

bool SqlTracker::signs_end(PrefixId id) {
  const Prefix& prefix = prefixes_[id];
  if (prefix.lex.kind == LexState::Kind::Digits || prefix.lex.kind == LexState::Kind::Zero) return true;
  if (prefix.lex.kind != LexState::Kind::Word || prefix.lex.utf8 != 0) return false;
  return prefix.length != 1 || fold(store_.texts.str(prefix.lex.text)[0]) != 'x';  // of a blob
}

}  // namespace pccsql::track
