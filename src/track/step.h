// Step: what one lexeme does to a state, and whether the text can still become a permitted query afterwards.
//
// The grammar says which rules end and begin; each gives an event, and each event has its few lines here: SELECTs open and
// close scopes, names become refs, operators and calls change what was asked of a column after it was written. A step works
// on copies of the innermost level and frame, and leaves everything older alone. Whatever it cannot be sure of it refuses.
#pragma once

#include <algorithm>
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "track/name_index.h"
#include "track/parser_stack.h"
#include "track/store.h"

namespace pccsql::track {

// How tightly the prefix operators bind, in the database's table of binary ones: NOT loosely, signs tightest.
inline constexpr int kNot = 3, kUnary = 12;

struct Word {  // a lexeme with what the judge needs of it
  Terminal terminal = Terminal::End;
  Quote quote = Quote::None;
  NameId name = kNoName;
  bool keyword = false;  // a bare word that is also a keyword
  Literal literal;
};

inline bool holds(const std::vector<uint32_t>& values, uint32_t value) {  // names among names, places in lists
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The roles of a ref, those that hang on what becomes of a select list apart: MIN and MAX show in any case.
std::array<std::pair<RoleSet, ListId>, 2> parted(const Ref& ref);

// What `*` or `q.*` puts out, in order: `visit(column)`. Of columns that are merged, `*` shows the first.
template <typename Visit>
void for_each_output(const SelectItem& star, const std::vector<FromItem>& from, const Visit& visit) {
  for (const FromItem& item : from) {
    if (star.star == SelectItem::Qualified && item.name != star.qualifier) continue;
    for (const Source::Column& column : item.source->columns) {
      const bool merged = star.star == SelectItem::All && std::ranges::find(item.merged, column.name) != item.merged.end();
      if (!column.hidden && !merged) visit(column);
    }
  }
}

class Step {
 public:
  Step(Store& store, const State& state);

  // False: the lexeme cannot follow; the step is then of no further use.
  bool read(const Word& word);
  // The text ends here.
  bool end();
  State commit();

  // What a name in the operand position could be; a union of Readings.
  uint8_t readings(NameId name, Quote quote);
  // Whether `qualifier.name` could stand here; kNoName asks for `qualifier.*`.
  bool qualified_fits(NameId qualifier, NameId name);
  bool qualifier_fits(NameId qualifier);
  // Names that could be columns of `qualifier` here, whether or not they fit.
  std::vector<NameId> columns_of(NameId qualifier) const;
  // Names that could be columns or aliases here without a qualifier, whether or not they fit.
  std::vector<NameId> plain_names() const;
  bool is_alias_shape(NameId name) const;
  // Columns that are items already, where a further item begins.
  NameIndex item_columns() const;
  std::vector<NameId> exhausted_qualifiers();
  // Names that could qualify a column here, besides an alias that nothing mentions yet.
  std::vector<NameId> qualifiers() const;
  bool fresh_qualifier_fits();
  // Whether a call of it, or of one like it, may begin here.
  bool function_fits_here(const Callable& function) { return function_fits(function) && !compound_term(); }
  bool function_fits_here(NameId name) {
    const Callable* const function = world_.function(name);
    return function != nullptr && function_fits_here(*function);
  }
  std::vector<NameId> using_candidates() const;
  // Ends and begins the rules that a name read next would end and begin; false if none can follow.
  bool prepare_name();
  // Whether the next new name is an alias in FROM.
  bool names_from_item() const;
  const Frame* term() const;
  bool compound_term() const {
    const Frame* const order = term();
    return order != nullptr && order->compound;
  }
  bool names_unsettled() const;  // names here wait for a FROM
  bool table_fits(NameId name);
  bool alias_fits(NameId name);  // of the FROM item at hand
  std::vector<NameId> names_in_use() const;
  bool fresh_alias_fits();  // likewise, for a name that nothing mentions
  bool using_fits(NameId name);

  const Level& level() const { return level_; }
  const Frame& frame() const { return frame_; }
  bool in_frame() const { return state_.open != 0; }  // of the innermost SELECT
  Place operand_place() const;
  int depth_here() const { return operand_depth(); }
  bool sees_names() const;
  // Whether the item at hand is an output of a derived table that NATURAL joins, and has no alias yet.
  bool owes_output_name() const {
    return level_.clause == Clause::Items && level_.item_alias == kNoName && joined_naturally(level_);
  }

  // Whether the SELECT must still be grouped, or aggregate outside of windows too. In a derived table or CTE the database
  // moves conditions from around it inside, past a window that is partitioned, and then takes them for a HAVING: with
  // aggregates inside OVER alone it finds nothing that has one.
  bool owes_group(const Level& level) const {
    return level.window_aggregate && level.window_partition && !level.grouped && !level.aggregating &&
           (level.kind == Level::Derived || level.kind == Level::Cte);
  }

  // step_supply.cc, for those who explain and complete
  std::vector<std::optional<Witness>> witnesses() const;
  std::optional<Witness> witness(const Level& level) const;
  std::vector<NameId> supplied(NameId qualifier, std::span<const NameId> candidates, bool one_is_enough);
  bool supplies(const Witness& found, const Obligation& wanted) const;
  // Whether `supplied` may be asked instead of trying each name.
  bool asks_supply() const {
    return !level_.settled && level_.clause == Clause::Items && !level_.star && world_.settings().lookahead &&
           !compound_term() && !(frame_.argument.part && (level_.ctes != 0 || world_.settings().derived_names));
  }
  std::vector<FromItem> from_items(const Level& level) const;
  std::vector<SelectItem> items(const Level& level) const;
  std::vector<const Source*> ctes(const Level& level) const;
  struct Outer {
    Index level = 0;
    bool last = false;  // nothing beyond it is visible
  };
  std::optional<Outer> next_outer(const Level& level) const;
  std::vector<Obligation> pending(const Level& level) const;
  bool aliases_visible(const Level& level) const;
  int width_now(const Level& level) const;
  int most_width(const Level& level) const;
  std::vector<NameId> outputs_now(const Level& level) const;
  RoleSet roles_at(const Place& place) const;
  RoleSet roles_of(const Ref& ref) const;

 private:
  // step.cc: events
  bool enter(RuleId rule, const Word& word);
  bool exit(RuleId rule);
  bool shift(RuleId rule, const Word& word);

  // step_query.cc: queries, SELECTs, their items and clauses
  bool open_query();
  bool close_query();
  bool open_select();
  bool close_select();
  bool close_item();
  bool new_name(const Word& word);
  bool enter_clause(Clause clause);
  bool comma_between_items();
  bool plain_star();
  bool outputs_fit(bool complete);
  // Whether it is a derived table of which NATURAL will ask the names.
  bool joined_naturally(const Level& level) const {
    return level.kind == Level::Derived && level.branches == 1 && store_.levels[level.parent].join_natural;
  }
  bool derived_table_fits();
  int room_for_derived(Level outer, std::vector<NameId> outputs, bool complete, int tables) const;
  std::vector<NameId> barred_outputs(const Level& level) const;
  bool width_fixed(const Level& level) const;
  void note_order_names();
  std::vector<const Ref*> refs_of(const Level& level) const;
  bool widths_fit(bool closing) const;
  int mergeable(const Level& level) const;
  int room_in_star(const Level& level) const;
  int could_merge(const Level& level, const Witness& found) const;
  bool read_cte_name(const Word& word);

  // step_from.cc: FROM, joins, aliases, USING
  bool read_from();
  void begin_join();
  bool read_join(Terminal word);
  bool read_table(NameId name);
  bool add_item(FromItem item);
  bool name_item(NameId name);
  bool end_item_name();
  bool end_item_merge();
  bool open_using();
  bool read_using(NameId name);
  bool can_merge(const Level& level, const FromItem& right, NameId name) const;
  // How many operators more the conditions of a SELECT may have. The database makes one expression of ON, USING and WHERE.
  int room_for_conditions(const Level& level) const;
  int operator_weight() const;
  bool merge_naturally(const Level& level, FromItem& right) const;
  bool settle();
  const FromNode& last_item() const { return store_.from[level_.from]; }
  void store_last_item(FromItem item);
  void add_use(const Binding& binding, RoleSet roles, ListId list = {});
  void flush_refs();
  void note_join_uses();
  bool note_star_uses();
  bool captures_passed() const;

  // step_names.cc: one name
  bool use_column(NameId qualifier, NameId name);
  bool plausible(const Ref& ref) const;
  void push_ref(Level& level, const Ref& ref);
  Index bind(Binding binding);
  enum class Found { No, Yes, Bad };
  Found find_in_from(const Level& level, NameId qualifier, NameId name, Binding& binding) const;
  const SelectItem* find_alias(const Level& level, NameId name) const;
  bool alias_usable(const Level& level, const SelectItem& item, const Place& place, bool same_level) const;
  bool outward(Ref ref);
  bool around_fits() const;
  bool use_alias(Level& level, const SelectItem& item, const Place& place, bool nested);
  Found find_rowid(const Level& level, NameId qualifier, NameId name, Binding& binding) const;
  // Either of them. Until FROM closes, `rowid` without a qualifier can only be a column that is called so.
  Found find(const Level& level, NameId qualifier, NameId name, Binding& binding) const {
    const Found found = find_in_from(level, qualifier, name, binding);
    if (found != Found::No || !world_.is_rowid(name) || level.from == 0) return found;
    if (!level.settled && qualifier == kNoName) return Found::Bad;
    return find_rowid(level, qualifier, name, binding);
  }
  struct Obligations;
  bool viable(const Level& level) const;
  bool witness_fits(const Level& level, const Witness& found) const;
  static int tables_of(const Witness& found);
  struct TableRoom {
    int tables = 0;
    int width = 0;  // that it must have; 0: any that fits
  };
  TableRoom table_room(const Level& level) const;
  bool must_be_filled(const Level& level) const;
  bool star_leaves_room();
  bool obligations_may_come_later() const;
  bool stands_alone() const;
  bool something_joins();
  // The parser's stack: see parser_stack.h.
  bool has_depth(int depth) const { return depth <= world_.deepest(); }
  static int branch_depth(const Level& level) { return level.depth + (level.branches > 1 ? parser_stack::kBranch : 0); }
  static int derived_table_depth(const Level& level) { return branch_depth(level) + parser_stack::kDerivedTable; }
  bool derived_table_has_depth(const Level& level) const {
    return has_depth(derived_table_depth(level) + parser_stack::kSelect);
  }
  template <typename Ask>
  auto with_claims(Level level, std::span<const Obligation> claims, bool local, const Ask& ask) const;
  bool is_short_of_one(const Level& level, const Witness& found) const;
  int room_beside(Level level, int tables, bool complete) const;
  bool can_claim(const Level& innermost, Index at, std::span<const Obligation> obligations, bool local) const;
  bool can_take(const Level& innermost, const Level& inner, std::span<const Obligation> obligations) const;
  bool star_fits(NameId qualifier);
  bool string_fits(NameId name) const;
  bool boolean_fits(NameId name) const;
  bool function_fits(const Callable& function);
  // Tries something on a copy of this step, and forgets what it made.
  template <typename Try>
  bool on_copy(const Try& attempt) {
    const Store::Mark mark = store_.mark();
    bool fits = false;
    {
      Step copy(*this);
      fits = attempt(copy);
    }
    store_.release(mark);
    return fits;
  }
  bool is_known_qualifier(NameId qualifier) const;
  bool rewrite_refs(Level& level, uint32_t from, const std::function<bool(Ref&)>& change);
  Index rebuilt(Index from, Index old, const Level& changed);
  void replace_level(Index old, const Level& changed) {
    level_.parent = rebuilt(level_.parent, old, changed);
    level_dirty_ = true;
  }
  uint32_t ref_count() const { return store_.refs[level_.refs].count; }
  void note_leaf(uint8_t leaf) {
    if (level_.clause != Clause::Items || level_.item_leaf == leaf) return;
    level_.item_leaf = leaf;
    level_dirty_ = true;
  }

  // step_argument.cc: plain arguments of COUNT, SUM, AVG. Each is false where the columns do not permit what follows.
  bool in_plain_argument() const;
  bool test_argument();    // it is not plain
  bool extend_argument();  // it is more than one column
  bool literal_in_argument(const Word& word);
  bool operator_in_argument(Terminal op);
  bool call_in_argument(const Callable& function) {
    return extend_argument() && (function.hands != Callable::None ? leave_form() : test_argument());
  }
  bool column_in_argument();
  std::vector<uint32_t> refs_left() const;
  std::vector<NameId> names_left() const;
  bool settle_arguments(std::vector<Ref>& refs) const;
  bool arguments_fit(const Level& level, const Witness& found) const;

  // step_minimum.cc: what is held to a minimum group
  uint64_t grouped_families(const Ref& ref) const;
  uint64_t own_views(const Ref& ref) const;
  uint64_t barred_views(const Level& level) const;
  bool name_view(const Source& source);
  bool others_stay_viable() const;
  void judge_form(Ref& ref);
  bool leave_form();
  bool leave_form(uint32_t from);
  bool has_factors_beside() const;
  bool settle_form(std::vector<Ref>& refs);
  void close_form() { state_.counted |= level_.counted; }
  bool may_name_outside(const Level& inner, Index outer) const;
  bool name_outside(Index outer);

  // step_compared.cc: SELECTs that are only compared
  Standing standing_in_paren() const;
  bool stands_loosely(Index operators) const;
  // Whether a comparison that takes what was written so far to its left stands as a condition.
  bool compares_here(const Frame& expr) const {
    return expr.standing == Standing::Condition && stands_loosely(expr.operators);
  }
  void open_list(Level& inner, Standing standing);
  void close_list(const Level& inner);
  void take_lists(const Frame& from);
  void gather_lists();
  bool operate_on_lists(Terminal op);
  void decide_lists(uint16_t first, uint16_t last, bool compared);
  void note_unshown(const Ref& ref, RoleSet permitted);
  ListId list_at(const Place& place) const {
    return place.clause == Clause::Items && place.inside == Place::Plain ? level_.list : ListId{};
  }
  bool sort_by_item(const SelectItem& item);
  bool sort_by_output(NameId name);

  // step_expr.cc: expressions and operators
  bool open_expr();
  bool close_expr();
  bool operand_done();
  bool read_operand(const Word& word);
  bool read_infix(const Word& word);
  bool read_name(const Word& word);
  bool read_literal(const Word& word);
  bool read_operator(Terminal op, bool postfix);
  void reduce(int precedence);
  bool push_operator(Terminal op, int precedence, int weight, bool compares = false);
  int operand_depth() const;
  bool decide_name();
  bool close_term();
  bool read_comma_of_terms();
  Place base_place() const;
  void change_term(const std::function<void(Frame&)>& change);
  bool output_name(NameId name) const;
  bool number_in_term(const Literal& literal);
  void note_number(const SelectItem& item);
  SelectItem item_at(int place) const;

  // step_calls.cc: calls, FILTER, windows, CASE, CAST
  bool open_call();
  bool read_call(const Word& word);
  bool close_call();
  bool open_over();
  bool open_partition();
  bool aggregate_fits();
  bool can_be_window(const Frame& call) const;
  Index window_around();
  bool make_window();
  bool put_out(uint32_t from);
  void make_scalars(int skipped);
  void change_frames(int count, const std::function<void(Frame&, int above)>& change);
  bool leave_term();
  bool read_bound(RuleId rule, const Word& word);
  void read_case(Terminal word);
  Place argument_place() const;

  void push_frame(Frame frame);
  void pop_frame();
  Frame below() const { return store_.frames[frame_.below]; }
  void store_frame();
  bool at_level_base() const { return state_.open == 0; }

  Store& store_;
  const World& world_;
  State state_;
  Level level_;
  Frame frame_;  // of state_.frame
  bool level_dirty_ = false;
  bool frame_dirty_ = false;            // frame_ is newer than what state_.frame names
  std::optional<bool> aggregate_fits_;  // known since the last event
};

// The grammar's rules as something to switch on. A switch names each of them, so that none is forgotten.
enum class R : uint8_t {
#define RULE(enumerator, name) enumerator,
#include "track/rules.def"
#undef RULE
  outside,  // of the language: a prefix never comes to one
};
// The first call compares them with the grammar, and ends the program where one has a rule that the other has not.
R rule_of(RuleId rule);

}  // namespace pccsql::track
