#include "check/roles.h"

#include <algorithm>

#include "base/text.h"
#include "check/plain_argument.h"

namespace pccsql::check {
namespace {

// What an occurrence costs: it is listed, sorted and judged.
constexpr uint64_t kOccurrenceSteps = 120;

// Where an expression stands, as far as roles care.
struct Place {
  Role clause = Role::Sel;
  bool counted = true;     // profile paper does not count GROUP BY and ORDER BY
  bool condition = false;  // the whole of WHERE, HAVING or ON, or a part of it through AND, OR, NOT alone
  enum { Clause, Argument, Filter, Window } inside = Clause;  // of COUNT/SUM/AVG; of FILTER; of a window function
  bool predicate = false;  // inside an argument: more than the value itself is asked of the column
  bool minmax = false;     // inside an aggregate MIN or MAX
  bool on = false;
  CoreId owner = 0;            // Argument: the SELECT whose rows are aggregated
  ExprId aggregate = 0;        // Argument: the call
  OffForm off_form = OffForm::None;
  const Span* span = nullptr;  // set where an alias or ordinal stands for the expression
};

class RoleReader {
 public:
  RoleReader(const Catalog& catalog, const Ast& ast, Profile profile, std::span<const Span> added,
             std::vector<Occurrence>& out, std::vector<Counted>& counted, Work& work)
      : catalog_(catalog),
        ast_(ast),
        strict_(profile == Profile::Strict),
        carries_(ast, work),
        added_(added),
        out_(out),
        counted_(counted),
        work_(work),
        names_outside_(ast.cores.size(), false) {}

  void run() {
    query(1);
    for (Counted& counted : counted_) {
      if (counted.off_form == OffForm::None && names_outside_[counted.select]) counted.off_form = OffForm::Outside;
    }
  }

 private:
  // `compared`: a condition asks of its select lists and shows nothing of them.
  void query(QueryId id, const Span* span = nullptr, bool compared = false) {
    const Query& query = ast_.queries[id];
    if (!work_.spend(16)) return;
    for (Index i = query.ctes.first; i < query.ctes.end(); ++i) this->query(ast_.ctes[i].query, span);
    for (Index i = query.cores.first; i < query.cores.end(); ++i) core(i, span, compared && strict_);
    Place order;
    order.counted = strict_;
    order.span = span;
    if (query.cores.count == 1) {
      around_.push_back(query.cores.first);
      list(query.order_by, order);
      around_.pop_back();
    }
    for (Index i = query.branch_order.first; i < query.branch_order.end(); ++i) {
      around_.push_back(ast_.branch_terms[i].core);
      walk(ast_.branch_terms[i], order);
      around_.pop_back();
    }
    Place limit;
    limit.span = span;
    list(query.limit, limit);
  }

  void core(CoreId id, const Span* span, bool compared) {
    const Core& core = ast_.cores[id];
    around_.push_back(id);
    Place place;
    place.span = span;
    place.clause = compared ? Role::Where : Role::Sel;
    for (Index i = core.items.first; i < core.items.end(); ++i) {
      const Item& item = ast_.items[i];
      item.star ? star(core, item, place) : walk(item.expr, place);
    }
    place.clause = Role::Join;
    place.condition = true;
    place.on = true;
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      const FromItem& item = ast_.froms[i];
      if (item.query != 0) query(item.query, span);
      for (Index u = item.using_names.first; u < item.using_names.end(); ++u) merged(core, i, u, span);
      if (item.on != 0) walk(item.on, place);
    }
    place.clause = Role::Where;
    place.on = false;
    if (core.where != 0) walk(core.where, place);
    if (core.having != 0) walk(core.having, place);
    place.clause = Role::Sel;
    place.condition = false;
    place.counted = strict_;
    list(core.group_by, place);
    for (Index w = core.windows.first; w < core.windows.end(); ++w) window(ast_.windows[w], place);
    around_.pop_back();
  }

  // A name that means something of this SELECT: those inside it, which it stands in, name something outside themselves.
  void note_owner(CoreId owner) {
    const auto last = std::find(around_.rbegin(), around_.rend(), owner);
    if (last == around_.rend()) return;
    for (auto inner = around_.rbegin(); inner != last; ++inner) names_outside_[*inner] = true;
  }

  // Where something is that stands at `own`, and is meant by an alias or ordinal at `span`.
  Span place_of(Span own, const Span* span) const {
    if (span == nullptr) return own;
    const bool added = std::any_of(added_.begin(), added_.end(), [&](const Span& piece) {
      return piece.begin <= own.begin && own.end <= piece.end;
    });
    return added ? own : *span;
  }

  void list(ExprId first, const Place& place) {
    for (ExprId id = first; id != 0; id = ast_.exprs[id].next) walk(id, place);
  }

  void add(const SourceColumn& source, Role role, Span span, const Place& place, bool star = false) {
    const FromItem& item = ast_.froms[source.from];
    if (item.kind != SourceKind::Table) return;  // a derived column: its query has answered
    if (!work_.spend(kOccurrenceSteps)) return;
    out_.push_back({{item.table, source.column}, role, span, star, place.minmax, place.on});
  }

  void count(const SourceColumn& source, Span span, const Place& place) {
    const FromItem& item = ast_.froms[source.from];
    if (item.kind != SourceKind::Table || !work_.spend(kOccurrenceSteps)) return;
    counted_.push_back({{item.table, source.column}, span, place.off_form, place.owner, source.from, place.aggregate});
  }

  // Both sides of USING and NATURAL; on the left, every column merged before.
  void merged(const Core& core, Index right, Index name, const Span* span) {
    Place place;
    place.on = true;
    const Span where = place_of(ast_.span_at(ast_.using_lexemes[name]), span);
    for (Index i = core.from.first; i <= right; ++i) {
      const FromItem& item = ast_.froms[i];
      if (item.kind != SourceKind::Table) continue;
      const auto column = find_column(item, ast_.using_names[name]);
      if (column) add({i, *column}, Role::Join, where, place);
    }
  }

  void star(const Core& core, const Item& item, const Place& place) {
    const Span where = place_of(item.expr == 0 ? ast_.span_at(item.lexeme) : ast_.span(ast_.exprs[item.expr]), place.span);
    std::string a, b;
    const auto is_meant = [&](const FromItem& from) {
      if (item.expr == 0) return true;
      const Lexeme& qualifier = ast_.lexemes[ast_.exprs[item.expr].qualifier];
      return from.name != kNoName &&
             equal_folded(name_text(qualifier, ast_.sql, a), name_text(ast_.lexemes[from.alias_lexeme], ast_.sql, b));
    };
    for (Index i = core.from.first; i < core.from.end() && work_.spend(16); ++i) {
      const FromItem& from = ast_.froms[i];
      if (!is_meant(from)) continue;
      if (from.kind == SourceKind::Table) {
        const Table& table = catalog_.table(from.table);
        for (ColumnIndex c = 0; c < table.columns.size() && work_.spend(1); ++c) {
          if (table.columns[c].hidden) continue;
          add({i, c}, place.clause, where, place, true);
          if (item.expr != 0) partners(core, i, table.columns[c].id, where, place);
        }
      }
      for (Index o = from.outputs.first; o < from.outputs.end() && item.expr != 0 && work_.spend(1); ++o) {
        partners(core, i, ast_.output_names[o], where, place);
      }
    }
  }

  // `t.*` of a column merged by USING or NATURAL reaches every column it is merged with, on either side.
  void partners(const Core& core, Index self, NameId name, Span where, const Place& place) {
    bool merged = false;
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      const FromItem& item = ast_.froms[i];
      merged |= i >= self && merges(item, name);
    }
    if (!merged) return;
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      const FromItem& item = ast_.froms[i];
      if (i == self || item.kind != SourceKind::Table) continue;
      const auto column = find_column(item, name);
      if (column) add({i, *column}, place.clause, where, place, true);
    }
  }

  std::optional<ColumnIndex> find_column(const FromItem& item, NameId name) {
    const Table& table = catalog_.table(item.table);
    return work_.spend(1 + table.columns.size()) ? table.find_column(name) : std::nullopt;
  }

  bool merges(const FromItem& item, NameId name) const {
    work_.spend(item.using_names.count);
    const auto begin = ast_.using_names.begin() + item.using_names.first;
    return std::find(begin, begin + item.using_names.count, name) != begin + item.using_names.count;
  }

  void emit(const Expr& expr, const Place& place) {
    const Span where = place_of(ast_.span(expr), place.span);
    note_owner(expr.core);
    for (Index i = expr.bound; i < expr.bound + expr.bound_count; ++i) {
      const SourceColumn& source = ast_.sources[i];
      switch (place.inside) {
        case Place::Window:
          add(source, Role::Sel, where, place);
          break;
        case Place::Filter:
          add(source, Role::Where, where, place);
          if (strict_) add(source, Role::Agg, where, place);
          break;
        case Place::Argument:
          if (strict_ && expr.core != place.owner) {  // one value for all the rows aggregated: it comes out as it is
            add(source, Role::Sel, where, place);
            break;
          }
          add(source, Role::Agg, where, place);
          if (strict_ && place.predicate) add(source, Role::Where, where, place);
          if (strict_ && !place.predicate) count(source, where, place);
          break;
        case Place::Clause:
          if (place.minmax && strict_) add(source, Role::Sel, where, place);
          if (place.counted) add(source, place.clause, where, place);
          break;
      }
    }
  }

  void walk(ExprId id, const Place& place) { walk(ast_.exprs[id], place); }

  void walk(const Expr& expr, const Place& place) {
    if (!work_.spend(16)) return;
    if (expr.bind == Bind::Source) return emit(expr, place);
    if (expr.bind == Bind::Alias) {
      const Span own = ast_.span(expr);
      Place there = place;
      if (there.span == nullptr) there.span = &own;
      note_owner(expr.core);
      return walk(ast_.items[expr.bound].expr, there);
    }
    if (place.condition) return condition(expr, place);
    switch (expr.kind) {
      case ExprKind::Subquery:
      case ExprKind::Exists:
        return query(expr.data, place.span);
      case ExprKind::InQuery:
        query(expr.data, place.span);
        break;
      case ExprKind::Call:
        return call(expr, place);
      case ExprKind::Case:
        if (place.inside == Place::Argument) return case_in_argument(expr, place);
        break;
      default:
        break;
    }
    list(expr.child, place);
  }

  // A condition, or a part of one through AND, OR and NOT. What a nested SELECT that is compared there lists is not shown.
  void condition(const Expr& expr, const Place& place) {
    Place inner = place;
    inner.condition = false;
    switch (expr.kind) {
      case ExprKind::Unary:
        return list(expr.child, expr.op == Terminal::kw_NOT ? place : inner);
      case ExprKind::Binary:
        switch (expr.op) {
          case Terminal::kw_AND:
          case Terminal::kw_OR:
            return list(expr.child, place);
          case Terminal::Equal:
          case Terminal::NotEqual:
          case Terminal::Less:
          case Terminal::LessEqual:
          case Terminal::Greater:
          case Terminal::GreaterEqual:
          case Terminal::kw_IS:
            return operands(expr, inner);
          default:
            return list(expr.child, inner);
        }
      case ExprKind::Test:
      case ExprKind::Between:
        return operands(expr, inner);
      case ExprKind::Exists:
        return query(expr.data, place.span, true);
      case ExprKind::InQuery:
        query(expr.data, place.span, true);
        return list(expr.child, inner);
      case ExprKind::Subquery:
        return query(expr.data, place.span);
      case ExprKind::Call:
        return call(expr, inner);
      default:
        return list(expr.child, inner);
    }
  }

  void operands(const Expr& comparison, const Place& place) {
    for (ExprId operand = comparison.child; operand != 0; operand = ast_.exprs[operand].next) {
      // An alias is read as the expression that it stands for.
      Place there = place;
      Span own;
      ExprId id = operand;
      for (bool whole = true; whole;) {
        const Expr& expr = ast_.exprs[id];
        if (expr.bind == Bind::Alias) {
          note_owner(expr.core);
          if (there.span == nullptr) {
            own = ast_.span(expr);
            there.span = &own;
          }
          id = ast_.items[expr.bound].expr;
        } else if (expr.kind == ExprKind::Unary && is_sign(expr.op)) {
          id = expr.child;
        } else {
          whole = false;
        }
      }
      if (ast_.exprs[id].kind == ExprKind::Subquery) {
        query(ast_.exprs[id].data, there.span, true);
      } else {
        walk(operand, place);
      }
    }
  }

  // Inside COUNT, SUM, AVG: a CASE gives back its results, and asks the rest.
  void case_in_argument(const Expr& expr, const Place& place) {
    Place asked = place;
    asked.predicate = true;
    ExprId child = expr.child;
    if (expr.has_operand) {
      walk(child, asked);
      child = ast_.exprs[child].next;
    }
    for (bool when = true; child != 0; child = ast_.exprs[child].next, when = !when) {
      const bool result = !when || (expr.has_else && ast_.exprs[child].next == 0);
      walk(child, result ? place : asked);
    }
  }

  void call(const Expr& expr, const Place& place) {
    const Call& call = ast_.calls[expr.data];
    Place arguments = place;
    Place filter = place;
    filter.inside = Place::Filter;
    const std::string_view name = call.function == nullptr ? std::string_view{} : call.function->name;
    if (call.window != 0) {
      arguments.inside = filter.inside = Place::Window;
      window(ast_.windows[call.window], place);
    } else if (place.inside == Place::Window) {
      filter.inside = Place::Window;
    } else if (call.function != nullptr && call.function->kind == FunctionKind::Aggregate) {
      if (name == "count" || name == "sum" || name == "avg") {
        arguments.inside = Place::Argument;
        arguments.owner = call.owner;
        arguments.predicate = strict_ && expr.child != 0 && !carries_.value(expr.child, call.distinct);
        arguments.aggregate = static_cast<ExprId>(&expr - ast_.exprs.data());
        arguments.off_form = off_form(call);
      } else if (name == "min" || name == "max") {
        arguments.minmax = true;
      }
    } else if (place.inside == Place::Argument && name == "iif") {
      Place asked = place;
      asked.predicate = true;
      walk(expr.child, asked);
      return list(ast_.exprs[expr.child].next, place);
    }
    list(expr.child, arguments);
    if (call.filter != 0) walk(call.filter, filter);
  }

  // Of an aggregate whose argument is plain.
  OffForm off_form(const Call& call) const {
    if (call.distinct) return OffForm::Distinct;
    if (call.filter != 0) return OffForm::Filter;
    if (carries_.chooses()) return OffForm::Choice;
    if (carries_.multiplies()) return OffForm::Product;
    return call.owner == around_.back() ? OffForm::None : OffForm::Nested;
  }

  void window(const Window& window, const Place& place) {
    Place inside = place;
    inside.inside = Place::Window;
    list(window.partition, inside);
    list(window.order, inside);
    list(window.bounds, inside);
  }

  const Catalog& catalog_;
  const Ast& ast_;
  const bool strict_;
  PlainArgument carries_;
  std::span<const Span> added_;
  std::vector<Occurrence>& out_;
  std::vector<Counted>& counted_;
  Work& work_;
  std::vector<CoreId> around_;       // the SELECTs that the place at hand stands in, the innermost last
  std::vector<bool> names_outside_;  // by SELECT: it, or one in it, names something of a SELECT around it
};

}  // namespace

void read_roles(const Catalog& catalog, const Ast& ast, Profile profile, std::span<const Span> added,
                std::vector<Occurrence>& out, std::vector<Counted>& counted, Work& work) {
  RoleReader(catalog, ast, profile, added, out, counted, work).run();
}

}  // namespace pccsql::check
