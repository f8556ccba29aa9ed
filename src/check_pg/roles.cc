#include "check_pg/roles.h"

#include <algorithm>

#include "check_pg/plain_argument.h"

namespace pccsql::check_pg {
namespace {

// Where an expression stands, as far as roles care.
struct Place {
  Role clause = Role::Sel;
  bool condition = false;  // the whole of WHERE, HAVING or ON, or a part of it through AND, OR, NOT alone
  enum { Clause, Argument, Filter, Window } inside = Clause;  // of COUNT/SUM/AVG; of their FILTER; of a window function
  bool asked = false;    // inside an argument: more than the value itself is asked of the column
  bool minmax = false;   // inside an aggregate MIN or MAX
  bool printed = false;  // an error would show the value
  bool on = false;
  QueryId owner = 0;     // Argument: the SELECT whose rows are aggregated
  ExprId aggregate = 0;  // Argument: the call
  OffForm off_form = OffForm::None;
  const Span* span = nullptr;  // set where an alias or a number stands for the expression
};

class RoleReader {
 public:
  RoleReader(const Ast& ast, std::vector<Occurrence>& out, std::vector<Counted>& counted)
      : ast_(ast), plain_(ast), out_(out), counted_(counted), names_outside_(ast.queries.size(), false) {}

  void run() {
    query(ast_.root);
    for (Counted& counted : counted_) {
      if (counted.off_form == OffForm::None && names_outside_[counted.select]) counted.off_form = OffForm::Outside;
    }
  }

 private:
  // `compared`: a condition asks of its select lists and shows nothing of them.
  void query(QueryId id, bool compared = false) {
    const Query& query = ast_.queries[id];
    for (const QueryId cte : query.ctes) this->query(cte);
    if (query.is_set_operation()) {
      this->query(query.left, compared);
      this->query(query.right, compared);
      for (const Term& term : query.order_by) order_branches(id, term);
      return;
    }
    around_.push_back(id);
    simple(id, compared);
    around_.pop_back();
  }

  void simple(QueryId id, bool compared) {
    const Query& query = ast_.queries[id];
    Place place;
    place.clause = compared ? Role::Where : Role::Sel;
    for (const Output& output : query.outputs) walk(output.expr, place);

    place.clause = Role::Join;
    place.on = true;
    for (size_t j = 0; j < query.joined.size(); ++j) {
      const size_t end = j + 1 < query.joined.size() ? query.joined[j + 1].first : query.joins.size();
      for (size_t s = query.joined[j].first; s < end; ++s)
        add(id, query.joins[s], Role::Join, query.joined[j].second, place);
    }
    place.condition = true;
    for (const ExprId condition : query.conditions) walk(condition, place);
    for (const FromItem& item : query.from) {
      if (item.query > id && !is_cte(query, item.query)) this->query(item.query);
    }
    place.on = false;
    place.clause = Role::Where;
    if (query.where != 0) walk(query.where, place);
    if (query.having != 0) walk(query.having, place);

    place.condition = false;
    place.clause = Role::Sel;
    for (const Term& term : query.group_by) this->term(term, place);
    for (const Term& term : query.order_by) this->term(term, place);
    for (const uint32_t window : query.windows) this->window(window, place);
  }

  static bool is_cte(const Query& query, QueryId id) {
    for (const QueryId cte : query.ctes) {
      if (cte == id) return true;
    }
    return false;
  }

  void term(const Term& term, Place place) {
    if (term.output != kNone) place.span = &term.span;
    walk(term.expr, place);
  }

  // An ORDER BY after a set operation sorts by that item of every branch.
  void order_branches(QueryId id, const Term& term) {
    const Query& query = ast_.queries[id];
    if (query.is_set_operation()) {
      order_branches(query.left, term);
      order_branches(query.right, term);
      return;
    }
    if (term.output >= query.outputs.size()) return;
    Place place;
    place.span = &term.span;
    around_.push_back(id);
    walk(query.outputs[term.output].expr, place);
    around_.pop_back();
  }

  void add(QueryId owner, const SourceColumn& source, Role role, Span span, const Place& place, bool star = false) {
    const FromItem& item = ast_.queries[owner].from[source.item];
    if (item.query != 0) return;  // a derived column: its query has answered
    out_.push_back({{item.table, source.column}, role, span, star, place.minmax, place.on});
  }

  // A name that means something of this SELECT: those inside it, which it stands in, name something outside themselves.
  void note_owner(QueryId owner) {
    const auto last = std::find(around_.rbegin(), around_.rend(), owner);
    if (last == around_.rend()) return;
    for (auto inner = around_.rbegin(); inner != last; ++inner) names_outside_[*inner] = true;
  }

  void count(const SourceColumn& source, Span span, const Place& place) {
    const FromItem& item = ast_.queries[place.owner].from[source.item];
    if (item.query != 0) return;
    counted_.push_back({{item.table, source.column}, span, place.off_form, place.owner, source.item, place.aggregate});
  }

  void emit(const Expr& expr, const Place& place) {
    note_owner(expr.query);
    const Span where = place.span != nullptr ? *place.span : expr.span;
    for (uint32_t s = expr.sources; s < expr.sources + expr.source_count; ++s) {
      const SourceColumn& source = ast_.sources[s];
      const auto use = [&](Role role) { add(expr.query, source, role, where, place, expr.star); };
      if (place.printed) use(Role::Sel);
      switch (place.inside) {
        case Place::Window:
          use(Role::Sel);
          break;
        case Place::Filter:
          use(Role::Where);
          use(Role::Agg);
          break;
        case Place::Argument:
          if (expr.query != place.owner) {  // one value for all the rows aggregated: it comes out as it is
            use(Role::Sel);
            break;
          }
          use(Role::Agg);
          if (place.asked) {
            use(Role::Where);
          } else {
            count(source, where, place);
          }
          break;
        case Place::Clause:
          if (place.minmax) use(Role::Sel);
          use(place.clause);
          break;
      }
    }
  }

  void list(ExprId id, const Place& place) {
    for (uint32_t i = 0; i < ast_.exprs[id].count; ++i) walk(ast_.kid(id, i), place);
  }

  void walk(ExprId id, const Place& place) {
    if (id == 0) return;
    const Expr& expr = ast_.exprs[id];
    if (expr.op == Op::Column) return emit(expr, place);
    if (place.condition) return condition(id, place);
    Place inner = place;
    if (expr.prints) inner.printed = true;
    switch (expr.op) {
      case Op::Scalar:
      case Op::Exists:
      case Op::InQuery:
      case Op::Quantified:
        if (expr.query != 0) query(expr.query);
        return list(id, inner);
      case Op::Call:
        return call(id, inner);
      case Op::Case:
        if (place.inside == Place::Argument) return case_in_argument(id, inner);
        break;
      default:
        break;
    }
    list(id, inner);
  }

  // A condition, or a part of one through AND, OR and NOT. What a nested SELECT that is compared there lists is not shown.
  void condition(ExprId id, const Place& place) {
    const Expr& expr = ast_.exprs[id];
    Place inner = place;
    inner.condition = false;
    switch (expr.op) {
      case Op::And:
      case Op::Not:
        return list(id, place);
      case Op::Compare:
        if (expr.text == "IN" || expr.text == "NOT IN") return list(id, inner);
        return operands(id, inner);
      case Op::Test:
        return operands(id, inner);
      case Op::Exists:
        return query(expr.query, true);
      case Op::InQuery:
        if (expr.query != 0) query(expr.query, true);
        return list(id, inner);
      default:
        return walk(id, inner);
    }
  }

  void operands(ExprId comparison, const Place& place) {
    for (uint32_t i = 0; i < ast_.exprs[comparison].count; ++i) {
      const ExprId operand = ast_.kid(comparison, i);
      ExprId bare = operand;
      while (ast_.exprs[bare].op == Op::Sign) bare = ast_.kid(bare, 0);
      if (ast_.exprs[bare].op == Op::Scalar) {
        query(ast_.exprs[bare].query, true);
      } else {
        walk(operand, place);
      }
    }
  }

  // Inside COUNT, SUM, AVG: a CASE gives back its results, and asks the rest.
  void case_in_argument(ExprId id, const Place& place) {
    const Expr& expr = ast_.exprs[id];
    Place asked = place;
    asked.asked = true;
    uint32_t i = 0;
    if (expr.has_operand) walk(ast_.kid(id, i++), asked);
    for (bool when = true; i < expr.count; ++i, when = !when) {
      const bool result = !when || (expr.has_else && i + 1 == expr.count);
      walk(ast_.kid(id, i), result ? place : asked);
    }
  }

  void call(ExprId id, const Place& place) {
    const Expr& expr = ast_.exprs[id];
    Place arguments = place;
    Place filter = place;
    if (expr.over) {
      arguments.inside = filter.inside = Place::Window;
      if (expr.window != kNone) window(expr.window, place);
    } else if (place.inside != Place::Window && expr.call == CallKind::Aggregate) {
      if (expr.counted) {
        arguments.inside = Place::Argument;
        arguments.owner = expr.query;
        arguments.asked = expr.count != 0 && !plain_.value(ast_.kid(id, 0), expr.distinct);
        arguments.aggregate = id;
        arguments.off_form = off_form(expr);
        arguments.printed = false;  // a total is printed, not what it was made of
        filter.inside = Place::Filter;
        filter.printed = false;
      } else {
        arguments.minmax = expr.minmax;
      }
    }
    list(id, arguments);
    if (expr.filter != 0) walk(expr.filter, filter);
  }

  // Of an aggregate whose argument is plain.
  OffForm off_form(const Expr& aggregate) const {
    if (aggregate.distinct) return OffForm::Distinct;
    if (aggregate.filter != 0) return OffForm::Filter;
    if (plain_.chooses()) return OffForm::Choice;
    return plain_.multiplies() ? OffForm::Product : OffForm::None;
  }

  void window(uint32_t index, const Place& place) {
    Place inside = place;
    inside.inside = Place::Window;
    for (const ExprId term : ast_.windows[index].partition) walk(term, inside);
    for (const ExprId term : ast_.windows[index].order) walk(term, inside);
  }

  const Ast& ast_;
  PlainArgument plain_;
  std::vector<Occurrence>& out_;
  std::vector<Counted>& counted_;
  std::vector<QueryId> around_;      // the SELECTs that the place at hand stands in, the innermost last
  std::vector<bool> names_outside_;  // by SELECT: it, or one in it, names something of a SELECT around it
};

}  // namespace

void read_roles(const Ast& ast, std::vector<Occurrence>& out, std::vector<Counted>& counted) {
  if (ast.root != 0) RoleReader(ast, out, counted).run();
}

}  // namespace pccsql::check_pg
