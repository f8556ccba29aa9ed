// Resolver: binds every name of a query the way SQLite would, and notes what SQLite would refuse.
//
// One Scope per SELECT that is being resolved, chained outward. Each clause is resolved with the scope set as SQLite's
// own name contexts are: which names it sees, whether aliases count, whether aggregates and windows may stand there.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/ast.h"
#include "check/issues.h"
#include "check/work.h"
#include "policy/policy.h"

namespace pccsql::check {

inline constexpr Index kMostColumns = 2000;  // SQLite's limit on columns of a result and on terms of a clause

// The functions of the grammar by name. min and max have two entries: scalar, and aggregate with one argument.
class FunctionTable {
 public:
  explicit FunctionTable(const Grammar& grammar);
  const std::vector<const Function*>* find(std::string_view name) const;

 private:
  Names names_;
  std::vector<std::vector<const Function*>> by_name_;
};

// The WITH clauses in force. A body sees the CTEs before it (visible), not itself or later ones.
struct WithFrame {
  const WithFrame* outer = nullptr;
  Range ctes;
  Index visible_end = 0;
};

struct Scope {
  const Scope* outer = nullptr;
  const WithFrame* with = nullptr;
  CoreId core = 0;           // 0: no FROM and no items (LIMIT)
  int depth = 0;             // of the SELECT, outermost 0
  bool aliases = false;      // names of the select list are visible
  bool aggregates = false;   // an aggregate of this SELECT may stand here
  bool windows = false;      // a window function may stand here
  bool select_list = false;  // resolving the select list
  bool hides_outer = false;  // GROUP BY and ORDER BY do not see enclosing SELECTs
  Index on_item = 0;         // resolving this FROM item's ON: names may not bind to its right
  bool derived = false;      // a derived table: an aggregate may not leave it
  Index cte = 0;             // the body of this CTE begins here: nothing outside is visible
};

bool is_rowid(std::string_view folded_name);

class Resolver {
 public:
  Resolver(const Catalog& catalog, const FunctionTable& functions, Ast& ast, Names& names, Issues& issues, Work& work)
      : catalog_(catalog), functions_(functions), ast_(ast), names_(names), issues_(issues), work_(work) {}

  // What of the text its writer did not write, but the run text's conditions did: there the rowid of any table that has
  // one may be named, as it tells rows apart.
  void set_added(std::span<const Span> added) { added_ = added; }

  // CheckSettings::suggested.
  void set_suggested(const Policy* policy) { suggested_ = policy; }

  void run();

 private:
  bool is_added(Span span) const {
    return std::any_of(added_.begin(), added_.end(),
                       [&](const Span& added) { return added.begin <= span.begin && span.end <= added.end; });
  }
  // resolve_query.cc: queries, set operations, CTEs, output names
  void query(QueryId id, const Scope* outer, const WithFrame* with, Index cte, bool derived = false);
  void ctes(Query& query, WithFrame& frame);
  void core(CoreId id, Scope& scope);
  void unused_windows(CoreId id, Scope scope);
  void output_names(Query& query);
  NameId item_name(const Item& item) const;
  void push_output(NameId name, Index first);

  // resolve_order.cc: terms of ORDER BY and GROUP BY
  void count_terms(ExprId first, std::string_view clause);
  void order_by_single(const Query& query, Scope scope);
  struct BranchTerm {
    ExprId expr = 0;
    Index place = 0;  // of the output column it names, from 1; 0: none
  };
  void order_by_compound(Query& query, const Scope& scope);
  void order_branches(Query& query, const std::vector<BranchTerm>& terms);
  void rewritten_for_windows(const Core& core);
  bool comes_to_integer(ExprId id, const Core& core, bool named) const;
  void collated_compound(const Query& query, ExprId term);
  bool has_collate(ExprId id) const;
  bool has_query(ExprId id) const;
  std::optional<Index> matching_output(CoreId core, ExprId term, const Scope& scope);
  std::optional<Index> ordinal_place(ExprId term, const Core& core, const Scope& scope, std::string_view clause);
  bool ordinal(ExprId term, const Core& core, const Scope& scope, std::string_view clause);
  struct Output {
    Index item = 0;
    Index from = 0;  // 0: the item itself; else one column of the `*` that the item is
    ColumnIndex column = 0;
    NameId name = kNoName;
  };
  // The output columns in order, until `visit` returns true.
  template <typename Visit>
  void each_output(const Core& core, const Visit& visit) const;
  void bind_to_output(Expr& term, const Core& core, const Output& output);
  bool bind_to_output_name(ExprId term, const Core& core, NameId name);
  Index place_of_output_name(const Core& core, NameId name) const;
  bool same(ExprId a, ExprId b) const;
  std::vector<SourceColumn> value_of(const Expr& column) const;
  std::vector<SourceColumn> value_of(const Core& core, const Output& output) const;
  std::string_view type_of(const Expr& cast) const;

  // resolve_from.cc: FROM items, joins, `*`
  void from(CoreId id, const Scope& scope);
  void bind_table(FromItem& item, const Scope& scope);
  void no_such_table(Span where, const std::string& name);
  bool bind_cte(FromItem& item, NameId name, const Scope& scope);
  void use_cte(FromItem& item, Index cte, const Scope& scope);
  void joined_tables(CoreId core);
  void join(CoreId core, Index item);
  void merge(CoreId core, Index item, NameId name, Span where);
  void star(CoreId core, Index item);
  void merged_joins();
  void pushed_conditions();
  bool outer_join_right_of(const Core& core, Index item) const;
  bool is_ambiguous_merge(const Core& core, Index item, NameId name) const;
  Index column_count(const FromItem& item) const;
  NameId column_name(const FromItem& item, Index column) const;
  bool column_hidden(const FromItem& item, Index column) const;
  bool is_merged(const FromItem& item, NameId name) const;
  bool find_column(const FromItem& item, NameId name, ColumnIndex& column) const;

  // resolve_names.cc: one name
  void column(ExprId id, const Scope& scope);
  void bind_column(ExprId id, const Scope& scope);
  enum class Found { No, Yes, Failed };
  Found look_up(Expr& expr, NameId qualifier, NameId name, const Scope& scope);
  Found look_in_from(Expr& expr, NameId qualifier, NameId name, const Scope& scope);
  Found look_for_rowid(Expr& expr, NameId qualifier, const Scope& scope);
  Found look_in_aliases(Expr& expr, NameId name, const Scope& at, const Scope& scope);
  bool aggregate_is_out_of_reach(const Item& item, const Scope& at, const Scope& scope) const;
  bool reaches_right_of(ExprId expr, CoreId core, Index item) const;
  bool any_unknown_source(const Scope& scope) const;
  std::string suggestion(std::string_view name, const Scope& scope) const;
  bool may_suggest(const FromItem& item, Index column) const;
  NameId name_of(uint32_t lexeme);
  std::string text_of(uint32_t lexeme);

  // resolve_expr.cc: expressions
  void expr(ExprId id, Scope& scope, bool row_allowed = false);
  void list(ExprId first, Scope& scope);
  void compare(ExprId left, ExprId right, Scope& scope);
  void in_list(ExprId id, Scope& scope);
  void in_table(ExprId id, Scope& scope);
  Index width(ExprId id) const;  // 0: not known
  void scalar(ExprId id);
  std::optional<int> folded_constant(ExprId id) const;
  std::optional<int32_t> integer_value(ExprId id) const;
  void dead(ExprId first, Scope& scope);
  void unseen(const Scope& scope, const std::function<void()>& resolve);
  void literal(const Expr& expr);
  void collation(const Expr& expr);

  // resolve_calls.cc: functions, aggregates, windows
  void call(ExprId id, Scope& scope);
  void aggregate(ExprId id, Call& call, Scope& scope);
  void window_call(ExprId id, Call& call, Scope& scope);
  void window(Index id, Scope& scope, CoreId core);
  void window_base(Window& window, Scope& scope, CoreId core);
  void window_frame(const Window& window);

  const Catalog& catalog_;
  std::span<const Span> added_;
  const Policy* suggested_ = nullptr;
  const FunctionTable& functions_;
  Ast& ast_;
  Names& names_;
  Issues& issues_;
  Work& work_;
  std::string buffer_;
  uint64_t references_ = 0;        // depths of the SELECTs named by what is being resolved
  uint64_t aggregate_owners_ = 0;  // depths of the SELECTs whose aggregates were met in an argument
  bool window_again_ = false;      // in a named window that was resolved before, for another clause
  bool window_seen_ = false;       // a window function was met in what is being resolved
  // A name in a CTE's body that the body does not bind.
  struct FreeName {
    Index cte;
    ExprId expr;
    NameId qualifier, name;
  };
  std::vector<FreeName> free_names_;
};

template <typename Visit>
void Resolver::each_output(const Core& core, const Visit& visit) const {
  std::string buffer;
  for (Index i = core.items.first; i < core.items.end(); ++i) {
    const Item& item = ast_.items[i];
    if (!work_.spend(1)) return;
    if (!item.star) {
      if (visit(Output{i, 0, 0, item.alias})) return;
      continue;
    }
    const bool qualified = item.expr != 0;
    const NameId qualifier =
        qualified ? names_.find(name_text(ast_.lexemes[ast_.exprs[item.expr].qualifier], ast_.sql, buffer)) : kNoName;
    for (Index k = core.from.first; k < core.from.end(); ++k) {
      const FromItem& from = ast_.froms[k];
      if (qualified && (qualifier == kNoName || from.name != qualifier)) continue;
      for (Index c = 0; c < column_count(from) && work_.spend(1); ++c) {
        const NameId name = column_name(from, c);
        if (column_hidden(from, c) || (!qualified && is_merged(from, name)))
          continue;  // merged columns come once in `*`
        if (visit(Output{i, k, c, name})) return;
      }
    }
  }
}

}  // namespace pccsql::check
