// Store: everything a tracker remembers about the prefixes it has seen, as records that are never changed.
//
// A record names others by index, so a state is a few integers: an older one stays valid when a newer one is made from it.
// A SELECT that is being written is a Level; what is open inside its expressions is a stack of Frames; the columns it names
// are a list of Refs, newest first. Lists share their tails.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "track/control.h"
#include "track/literal.h"
#include "track/supply.h"
#include "track/text_arena.h"
#include "track/world.h"

namespace pccsql::track {

using Index = uint32_t;  // into a pool; 0 is "none"

// A number with a meaning that the key of a state hangs on (keys.cc).
template <typename Number, typename Meaning>
struct Marked {
  constexpr Marked(Number number = 0) : value(number) {}
  constexpr operator Number() const { return value; }
  Number value;
};
using Called = Marked<NameId, struct NameMeaning>;                   // a name
using RefMark = Marked<uint32_t, struct RefMeaning>;                 // the refs of the SELECT so far: how many came since
using ListMark = Marked<uint16_t, struct ListMeaning>;               // a select list: whether there is one
using AggregateMark = Marked<uint16_t, struct AggregateMeaning>;     // aggregates of the SELECT so far: whether more came since
using TermCount = Marked<uint16_t, struct TermMeaning>;              // of terms: whether there are some, and whether one more may come
using OperatorList = Marked<Index, struct OperatorMeaning>;          // the newest of several

enum class Clause : uint8_t { Items, From, On, Where, Group, Having, Order, Limit, Done };

// Where an expression stands, as far as names and roles care.
struct Place {
  Clause clause = Clause::Items;
  enum Inside : uint8_t { Plain, Argument, Filter, Window } inside = Plain;  // of COUNT/SUM/AVG; of FILTER; of a window
  bool tested = false;      // of Argument: it is not plain, or this is a condition in it; a column is tested here
  bool extended = false;    // of Argument: it is more than this one column
  bool off_form = false;    // of Argument: what is held to a minimum group may not stand in it
  bool aggregates = false;  // an aggregate may stand here
  bool windows = false;     // a window function may stand here
  bool local = false;       // inside an aggregate: names bind to this SELECT alone
  bool minmax = false;      // inside an aggregate MIN or MAX
  bool compared = false;    // in a select list that is only compared
  friend bool operator==(const Place&, const Place&) = default;
};

// How what an expression or parenthesis holds stands to the comparisons of a WHERE, HAVING or ON.
enum class Standing : uint8_t {
  None,
  Condition,  // under AND, OR, NOT and parentheses alone: its comparisons stand there
  Operand,    // a whole operand of such a comparison, if nothing is done with it
  Candidate,  // what a SELECT alone would be to the left of one
};

// A select list whose role hangs on what is done with its SELECT; 0: on nothing.
struct ListId {
  uint16_t id = 0;
  uint16_t nesting = 0;  // of its SELECT
};

inline constexpr uint32_t kCoalesced = ~0u;  // FULL merged it: it is the first of several that is not NULL

// The columns a name was bound to: several where USING merged them, none of a table where a query gave the value.
struct Binding {
  std::vector<ColumnRef> columns;
  RoleSet permitted = kEveryRole;
  uint32_t item = 0;     // the FROM item that the database takes it from, counted from 1, or kCoalesced
  bool derived = false;  // some of it is of a derived table or CTE

  bool meets(const Binding& other) const {  // in a column
    return std::ranges::any_of(columns, [&](const ColumnRef& column) {
      return std::ranges::find(other.columns, column) != other.columns.end();
    });
  }
};

// One name as it was written. INVARIANT: `roles` are permitted, or can still be by the FROM that will bind it.
struct Ref {
  NameId qualifier = kNoName;
  NameId name = kNoName;
  Index binding = 0;  // 0: its FROM has not closed
  RoleSet roles = 0;
  Place place;
  uint32_t argument = 0;  // the argument of COUNT, SUM or AVG that it stands in, by the refs before it, from 1; 0: none
  ListId list;            // that it stands in
  bool fixed = false;    // written in a nested SELECT, or counted where an alias was made: its roles change no more
  bool bound_outside = false;  // by an enclosing SELECT, which has it in its own list

  // Whether it hangs on FROM that the argument of COUNT, SUM or AVG that it stands in is plain.
  bool in_open_argument() const { return argument != 0 && place.extended && !place.tested; }
};
struct RefNode {
  Index below = 0;
  uint32_t count = 0;  // this one and those below
  Ref ref;
};

struct SelectItem {
  enum Star : uint8_t { No, All, Qualified } star = No;
  NameId qualifier = kNoName;  // of `q.*`
  NameId alias = kNoName;
  NameId column = kNoName;  // an item that is a column is called after it
  bool aggregate = false;
  bool window = false;
  bool names_outside = false;            // a column of an enclosing SELECT
  bool number = false;                   // is one integer, signs, parentheses and COLLATE aside
  bool nested = false;                   // holds a SELECT
  uint32_t first_ref = 0, last_ref = 0;  // of the level's refs, by count
};
struct ItemNode {
  Index below = 0;
  uint32_t count = 0;
  SelectItem item;
};

struct FromNode {
  Index below = 0;
  uint32_t count = 0;
  FromItem item;
  bool outer = false;  // RIGHT or FULL
  bool full = false;
};

struct CteNode {
  Index below = 0;
  const Source* source = nullptr;
};

struct NameNode {
  Index below = 0;
  uint32_t count = 0;
  NameId qualifier = kNoName, name = kNoName;
};

// Two names on both sides of one operator in an argument, which a FROM may make one column.
struct TwinNode {
  Index below = 0;
  uint32_t left = 0, right = 0;  // refs of the level, by count
};

// A use that is settled; or what became of the select lists of one nesting, from one to another.
struct UseNode {
  Index below = 0;
  Use use;
  ListId list;
  uint16_t last = 0;  // of the lists that were decided about; 0: a use
  bool compared = false;
};

// A query that is being written, through all branches of its set operations.
struct Query {
  Index parent = 0;
  uint16_t outer_open = 0;  // frames that the level around it has open
  Index outer_frame = 0;    // the innermost of them
  enum Kind : uint8_t { Statement, Cte, Derived, Scalar, In, Exists } kind = Statement;
  enum View : uint8_t { All, ParentOnly, Nothing } view = All;  // which enclosing SELECTs its names can reach
  uint16_t depth = 0;                  // of the parser's stack, below this query
  uint16_t nesting = 0;
  uint16_t branches = 0;
  uint16_t width = 0;                  // that every branch must have; 0: any
  uint16_t tables = 0;                 // in FROM, counted through derived tables and CTEs
  uint16_t most_tables = kMostTables;  // of those; less in a derived table, by what the FROM around it has and needs
  Index ctes = 0, outputs = 0, order_names = 0;
  ListId list;
  bool compared = false;  // its select list is only compared, as far as was written
  bool unshown = false;   // that list holds what may not be shown
};

// The item of a select list that is being written.
struct ItemDraft {
  RefMark refs;            // when it began
  Called alias = kNoName;  // of `q.*`: q
  bool star = false;
  bool aggregate = false, window = false;
  bool nested = false;  // it holds a SELECT
  enum Leaf : uint8_t { Nothing, Integer, Other } leaf = Nothing;
};

// The join that is being written.
struct Join {
  bool natural = false, left = false, outer = false, full = false;
  uint8_t words = 0;  // so far
};

// The SELECT of a query that is being written.
struct Select {
  Clause clause = Clause::Items;
  bool from_open = false;  // FROM was read and may take more
  bool settled = false;    // no FROM can come: names bind at once
  bool table_needed = false;  // FROM or a join was read: an item of FROM must come
  bool star = false;       // `*` or `q.*` among the items
  bool plain_star = false;
  bool aggregating = false;  // an aggregate of its own in the select list
  bool grouped = false;
  bool windowed = false;
  bool window_free = false;  // no window function may come: GROUP BY has a number for a term
  bool merges = false;       // some USING or NATURAL in FROM
  bool outer_join = false;   // some RIGHT or FULL in FROM
  // What a derived table or CTE is aggregated by: see Scope::owes_group().
  bool window_aggregate = false, window_partition = false;
  Index refs = 0, items = 0, from = 0, twins = 0;
  Index passed = 0;         // names that were bound outward although FROM may still take more
  Index declared = 0;       // (…) after a CTE's name
  uint16_t aggregates = 0;  // aggregates of its own so far, anywhere
  uint16_t terms = 0;       // of the GROUP BY or ORDER BY at hand
  uint16_t conditions = 0;  // operators in what the database joins by AND: ON, and each name that is merged
  uint16_t on_height = 0;   // of the ON that is being written, where it began
  // Minimum groups: the families of which its aggregates count columns held to one (World::grouped_families), those
  // that they may turn out to count included; and whether anything in it names what an enclosing SELECT has.
  uint64_t counted = 0;
  bool names_outside = false;
  ItemDraft item;
  Join join;
};

struct Level : Query, Select {};

// An operator that waits for the end of its right operand.
struct OperatorNode {
  Index below = 0;
  uint8_t precedence = 0;
  bool and_ = false;
  bool divides = false;
  bool sign = false;
  bool compares = false;
  bool unshown = false;     // of its left operand
  ListMark first_list;      // likewise
  uint8_t weight = 0;    // on the parser's stack
  uint16_t weights = 0;  // this one's and those below
  RefMark left;          // where its left operand begins
};

// The argument of COUNT, SUM or AVG that is being written. It is plain until a lexeme comes that a plain one does not hold;
// that one makes every column of it tested.
struct Argument {
  static constexpr int kMostDigits = 6, kMostProducts = 2;
  bool plain = false;
  bool distinct = false;
  bool derived = false;   // it holds a column of a derived table or CTE
  bool extended = false;  // it is more than one column
  bool off_form = false;  // what is held to a minimum group may not stand in it
  uint8_t digits = 0;     // of its numbers so far
  uint8_t products = 0;   // how often it multiplies
  RefMark refs;           // before it
  friend bool operator==(const Argument&, const Argument&) = default;
};

// How what an expression or parenthesis holds stands to comparisons (compared_lists.h).
struct Lists {
  Standing standing = Standing::None;
  ListMark first;         // of the select lists in it that are compared if nothing more is done with it; 0: none
  ListMark subquery;      // the list of the SELECT that it is, sign and parentheses aside, not compared yet
  bool unshown = false;   // one of those lists holds what may not be shown: nothing more is done with it
};

// A name that has been read, and what it could be (Readings). A term of ORDER BY and its parentheses keep one that is not
// decided about.
struct NameAtHand {
  Called name = kNoName;
  Called qualifier = kNoName;
  Quote quote = Quote::None;
  uint8_t readings = 0;
};

struct Expr {
  OperatorList operators;
  RefMark operand;  // where the operand at hand begins
  enum After : uint8_t { Nothing, Is, Not, Exists } word = Nothing;  // that was read, of several
  bool after = false;             // the operand at hand is complete
  bool zero = false;              // it is the number 0 and nothing else
  bool operated = false;          // the expression is more than one operand
  bool pattern = false;           // it is what LIKE, GLOB or ESCAPE is followed by
  bool escape_forbidden = false;  // it is GLOB that was read: it takes no ESCAPE
};

struct Call {
  const Callable* function = nullptr;
  RefMark refs;  // when it began
  uint16_t arguments = 0;
  enum Over : uint8_t { None, Read, Owed } over = None;  // Owed: an aggregate that must become a window function
  bool distinct = false, star = false, closed = false, scalar_only = false, filtered = false;
  bool aggregating = false, item_aggregate = false;  // of the level, when it began
  AggregateMark aggregates_before;                   // likewise
};

// What stands in parentheses: `(…)`, `EXISTS (…)`, `IN (…)`.
struct Paren {
  bool select = false;  // it holds one
  bool filled = false;  // it holds an expression
};

struct Window {
  TermCount terms;           // of PARTITION BY and ORDER BY
  uint8_t order_terms = 0;   // 0, 1, or more
  Terminal unit = Terminal::End, bound = Terminal::End;
  bool in_bound = false, between = false, in_end = false;
};

// A term of ORDER BY or GROUP BY.
struct Term {
  bool pure = false;           // so far only signs, parentheses and one number or name
  bool negative = false;       // an odd number of minus signs
  bool owes_operator = false;  // it is a number that is no place in the output
  bool has_sign = false;
  bool compound = false;  // after a set operation
  bool number = false;    // of GROUP BY: it stands for an item that is a number
  uint16_t ordinal = 0;   // the item that it stands for
};

// What stands open in the expressions of a SELECT. Of the records at its end only those of its kind are used.
struct Frame {
  Index below = 0;
  enum Kind : uint8_t {
    Expr,
    Paren,
    Call,
    Filter,
    Case,
    Cast,
    InSet,
    Exists,
    Window,
    Term,
    CteHead,
    DerivedTable
  } kind = Expr;
  Place place;               // Expr: of the expression itself; others: of what is written directly inside
  uint16_t depth = 0;        // of the parser's stack
  uint16_t height = 0;       // operators so far
  Argument argument;         // that it is part of
  bool and_operand = false;  // what it holds is an operand of AND
  Lists lists;               // Expr, of the operand at hand; Paren, Exists, InSet
  NameAtHand name;           // Expr, Paren, Term, CteHead
  track::Expr expr;
  track::Call call;
  track::Paren paren;  // Paren, Exists, InSet
  enum CasePart : uint8_t { Operand, When, Then, Else } case_part = Operand;
  uint8_t type_words = 0;  // Cast
  track::Window window;
  track::Term term;
};

enum Reading : uint8_t { AsColumn = 1, AsQualifier = 2, AsFunction = 4, AsAlias = 8, AsString = 16, AsBoolean = 32 };

// After whole lexemes. What an expression that has just ended was is kept for whoever reads on.
struct State {
  StackId stack = kDeadStack;
  Index level = 0;
  Index frame = 0;
  uint16_t open = 0;      // frames of the innermost level
  Index uses = 0;         // of closed queries
  Index cte_names = 0;    // of the whole statement
  NameId bare = kNoName;  // the last expression is this column and nothing else
  bool zero = false;      // or the number 0
  bool as = false;        // AS was read, a new name must follow
  bool ended = false;     // a `;` was read
  uint16_t lists = 0;     // select lists so far whose role hangs on what is done with them
  // SQLite cannot be trusted with both: what it merges may lose the place of a join's condition.
  bool outer_join = false;  // RIGHT or FULL was read
  bool union_all = false;   // so was UNION ALL, in a nested query
  uint64_t counted = 0;     // Level::counted of the SELECTs that have closed
  uint64_t viewed = 0;      // Source::view_bit of all that a FROM has named
};

// A list, the newest first. Records of other pools may be made while it is gone through.
template <typename Node>
class NewestFirst {
 public:
  class Iterator {
   public:
    Iterator(const std::vector<Node>& pool, Index at) : pool_(pool), at_(at) {}
    const Node& operator*() const { return pool_[at_]; }
    Iterator& operator++() {
      at_ = pool_[at_].below;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const std::vector<Node>& pool_;
    Index at_;
  };
  NewestFirst(const std::vector<Node>& pool, Index newest) : pool_(pool), newest_(newest) {}
  Iterator begin() const { return {pool_, newest_}; }
  Iterator end() const { return {pool_, 0}; }

 private:
  const std::vector<Node>& pool_;
  Index newest_;
};
template <typename Node>
NewestFirst<Node> newest_first(const std::vector<Node>& pool, Index newest) {
  return {pool, newest};
}

// The names of the world, and on top those that a text brings.
class LocalNames {
 public:
  explicit LocalNames(const Names& world) : world_(world) {}
  NameId intern(std::string_view text) {
    if (const NameId known = world_.find(text); known != kNoName) return known;
    return own_.intern(text) + static_cast<NameId>(world_.size()) - 1;
  }
  NameId find(std::string_view text) const {
    if (const NameId known = world_.find(text); known != kNoName) return known;
    const NameId own = own_.find(text);
    return own == kNoName ? kNoName : own + static_cast<NameId>(world_.size()) - 1;
  }
  std::string_view text(NameId name) const {
    return name < world_.size() ? world_.text(name) : own_.text(name - static_cast<NameId>(world_.size()) + 1);
  }
  size_t size() const { return own_.size(); }
  void truncate(size_t size) { own_.truncate(size); }
  size_t bytes() const { return own_.bytes(); }

 private:
  const Names& world_;
  Names own_;
};

struct Store {
  explicit Store(const World& of) : world(of), names(of.names()), control(sql_grammar(), of.settings().language) {}

  const World& world;
  LocalNames names;
  TextArena texts;
  Control control;
  std::vector<Level> levels = std::vector<Level>(1);
  std::vector<Frame> frames = std::vector<Frame>(1);
  std::vector<RefNode> refs = std::vector<RefNode>(1);
  std::vector<Binding> bindings = std::vector<Binding>(1);
  std::vector<ItemNode> items = std::vector<ItemNode>(1);
  std::vector<FromNode> from = std::vector<FromNode>(1);
  std::vector<CteNode> ctes = std::vector<CteNode>(1);
  std::vector<NameNode> name_lists = std::vector<NameNode>(1);
  std::vector<OperatorNode> operators = std::vector<OperatorNode>(1);
  std::vector<TwinNode> twins = std::vector<TwinNode>(1);
  std::vector<UseNode> uses = std::vector<UseNode>(1);
  std::deque<Source> sources;  // derived tables and CTEs; never moved
  // Set where a step asks what the schema at large has, beyond what its state names: see shape.cc. Whoever wants to know clears it first.
  bool asked = false;

  struct Mark {
    size_t names, levels, frames, refs, bindings, items, from, ctes, name_lists, operators, twins, uses, sources, texts;
  };
  Mark mark() const {
    return {names.size(), levels.size(), frames.size(),     refs.size(),      bindings.size(), items.size(),
            from.size(),  ctes.size(),   name_lists.size(), operators.size(), twins.size(),    uses.size(),
            sources.size(), texts.size()};
  }
  void release(const Mark& mark);

  // Of the records; of all else, and of room that stands empty.
  size_t bytes() const;
  size_t kept_bytes() const;
  template <typename Visit>
  void for_each_pool(const Visit& visit) {
    visit(levels), visit(frames), visit(refs), visit(bindings), visit(items), visit(from), visit(ctes);
    visit(name_lists), visit(operators), visit(twins), visit(uses);
  }
  template <typename Visit>
  void for_each_pool(const Visit& visit) const {
    const_cast<Store*>(this)->for_each_pool([&](const auto& pool) { visit(pool); });
  }
};

}  // namespace pccsql::track
