// Resolver: binds every name of a query as PostgreSQL would, and types every expression.
//
// A SELECT sees the comma elements of its FROM; each is an item or a tree of joins, and has visible columns, those merged by
// USING and NATURAL first. Names go from the inside out (resolve_names.cc). What the server would refuse is noted as an
// error, what the language leaves out as outside, and reading goes on, so that uses are listed in any case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check_pg/ast.h"
#include "check_pg/functions.h"
#include "pgtree/pg_tree.h"

namespace pccsql::check_pg {

inline constexpr uint32_t kDeepest = 400;  // expressions and queries within one another

inline std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

struct Issue {
  Span where;
  std::string message;
};

class Resolver {
 public:
  Resolver(const Catalog& catalog, Ast& ast) : catalog_(catalog), ast_(ast) {}

  // PRE: `select` is a SelectStmt.
  void run(PgNode select);

  const std::optional<Issue>& error() const { return error_; }
  const std::optional<Issue>& outside() const { return outside_; }
  bool too_much() const { return too_much_; }

 private:
  enum class Clause : uint8_t { Items, On, Where, GroupBy, Having, OrderBy, Window };

  // A name that columns go by in one comma element.
  struct Visible {
    std::string_view name;
    uint32_t sources = 0, source_count = 0;
    Type type;
    uint64_t identity = 0;
  };
  struct Element {
    std::vector<Visible> columns;
    uint32_t first = 0, end = 0;  // its items
  };

  // What names can see from a place, and what lies around that.
  struct Scope {
    const Scope* outer = nullptr;
    QueryId query = 0;
    const std::vector<Element>* elements = nullptr;   // nullptr: nothing of this query, whose FROM is being written
    std::vector<std::string_view>* passed = nullptr;  // then: qualifiers that were looked for further out
    bool closed = false;                              // the body of a CTE: nothing around it is seen
  };
  struct Ctes {
    const Ctes* outer = nullptr;
    std::vector<std::pair<std::string_view, QueryId>> entries;
  };
  struct Place {
    const Scope* scope = nullptr;
    const Ctes* ctes = nullptr;
    QueryId query = 0;
    Clause clause = Clause::Items;
  };
  struct OpenAggregate {
    QueryId query = 0;
    uint32_t depth = 0;
    uint32_t deepest = 0;  // level of a column inside, own or enclosing
    bool any = false;
  };

  // resolve_query.cc
  QueryId query(PgNode select, const Scope* outer, const Ctes* ctes, bool keep_literals);
  void set_operation(QueryId id, PgNode select, const Scope* outer, const Ctes* ctes);
  void simple(QueryId id, PgNode select, const Scope* outer, const Ctes* ctes, bool keep_literals);
  void with_clause(QueryId id, PgNode with, const Scope* outer, Ctes& ctes);
  void items(QueryId id, PgNode targets, const Place& place, const std::vector<Element>& elements);
  void star_item(QueryId id, PgNode ref, const std::vector<Element>& elements);
  void limit(PgNode select);
  void order_of_set(QueryId id, PgNode terms);
  Term term(QueryId id, PgNode node, Place place, bool group_by);
  void named_windows(QueryId id, PgNode windows, const Place& place);
  void window_terms(PgNode definition, const Place& place, Window& window);
  void check_wanted_windows(QueryId id);
  void check_frame(PgNode definition, const Window& window);
  void check_distinct(QueryId id);
  void check_width(QueryId id);
  void settle_columns(QueryId id, bool keep_literals);
  void walk_aggregates_in_group(ExprId id, Span where);

  // resolve_from.cc
  void from(QueryId id, PgNode list, const Scope* outer, const Ctes* ctes, std::vector<Element>& elements);
  Element from_node(QueryId id, PgNode node, const Place& outside, std::vector<std::string_view>& passed, bool nested);
  Element table_item(QueryId id, PgNode range, const Place& outside);
  Element derived_item(QueryId id, PgNode range, const Place& outside, std::vector<std::string_view>& passed);
  Element join(QueryId id, PgNode node, const Place& outside, std::vector<std::string_view>& passed);
  void merge(QueryId id, Element& left, Element& right, const std::vector<std::string_view>& names,
             std::string_view type, Span where);
  Element item_columns(QueryId id, FromItem item);
  bool check_alias(PgNode alias, Span where);
  void add_item(QueryId id, const FromItem& item);

  // resolve_names.cc
  ExprId column(PgNode ref, const Place& place);
  ExprId bind(const Visible& visible, QueryId owner, Span where);
  bool names_an_item(std::string_view name, const Scope* scope) const;
  const Visible* find_bare(std::string_view name, const std::vector<Element>& elements, Span where, bool& ambiguous);
  Span name_span(PgNode ref, size_t parts) const;
  std::string_view figure_name(PgNode node, ExprId expr, int& strength);

  // resolve_expr.cc
  ExprId expr(PgNode node, const Place& place);
  ExprId condition(PgNode node, const Place& place, std::string_view what);
  ExprId read_expr(std::string_view kind, PgNode node, const Place& place);
  ExprId constant(PgNode node);
  ExprId operation(PgNode node, const Place& place);
  ExprId binary(std::string_view op, PgNode node, const Place& place, Span where);
  ExprId logic(PgNode node, const Place& place);
  ExprId case_expr(PgNode node, const Place& place);
  ExprId list_of_one_kind(Op op, PgNode node, const Place& place);
  ExprId cast(PgNode node, const Place& place);
  bool cast_type(PgNode type, Type& out, bool& modified, uint64_t& identity, std::string& problem) const;
  static bool type_is_double(PgNode type);
  ExprId subquery(PgNode node, const Place& place);
  bool doubly_parenthesised(PgNode link) const;

  // resolve_calls.cc
  ExprId call(PgNode node, const Place& place);
  bool fits(std::string_view letters, const Function& function, const std::vector<ExprId>& arguments);
  void over(PgNode definition, const Place& place, Expr& made);
  void aggregate_level(const OpenAggregate& frame, const Place& place, Span where);

  // grouping.cc
  void check_grouping(QueryId id);
  struct Grouped;
  void walk_grouped(const Grouped& grouped, ExprId id, bool nested);
  void walk_grouped_query(const Grouped& grouped, QueryId id);
  bool equal(ExprId a, ExprId b) const;

  // Types of literals.
  bool settle(ExprId id, const Type& type);
  void settle_text(ExprId id);
  bool compare(ExprId a, ExprId b, Span where);
  bool one_kind(const std::vector<ExprId>& ids, Type& out, Span where);

  ExprId add(Expr made, const std::vector<ExprId>& kids = {});
  ExprId broken(Span where = {}, const std::vector<ExprId>& kids = {});
  Expr& at(ExprId id) { return ast_.exprs[id]; }
  Span span_at(int64_t location, size_t length = 0) const;
  Span span_of(PgNode node) const;
  std::string described(ExprId id) const;

  ExprId error(Span where, std::string message);
  ExprId outside(Span where, std::string message);

  const Catalog& catalog_;
  Ast& ast_;
  std::optional<Issue> error_;
  std::optional<Issue> outside_;
  std::vector<OpenAggregate> aggregates_;
  std::vector<QueryId> open_windows_;
  std::vector<std::pair<QueryId, std::string_view>> wanted_windows_;  // OVER name
  uint32_t nesting_ = 0;
  uint32_t fresh_ = 0;  // merged columns that are no item's
  bool leaky_ = false;  // a view is named that leaves rows out and is no security barrier
  bool too_much_ = false;
};

}  // namespace pccsql::check_pg
