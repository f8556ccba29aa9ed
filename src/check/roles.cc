#include "check/roles.h"

#include <algorithm>

#include "base/text.h"

namespace pccsql::check {
namespace {

constexpr size_t kMostOccurrences = 2'000'000;

// Where an expression stands, as far as roles care.
struct Place {
  Role clause = Role::Sel;
  bool counted = true;                                      // profile paper does not count GROUP BY and ORDER BY
  enum { Plain, Argument, Filter, Window } inside = Plain;  // of COUNT/SUM/AVG; of FILTER; of a window function
  bool predicate = false;  // inside an argument: more than the value itself is asked of the column
  bool minmax = false;     // inside an aggregate MIN or MAX
  bool on = false;
  CoreId owner = 0;            // Argument: the SELECT whose rows are aggregated
  const Span* span = nullptr;  // set where an alias or ordinal stands for the expression
};

// Over 15 digits, in hex or with an exponent: arithmetic with such a number can be made to overflow, which tells.
bool is_extreme(std::string_view literal) {
  size_t digits = 0;
  for (const char c : literal) {
    if (c >= '0' && c <= '9') ++digits;
    if (fold(c) == 'x' || fold(c) == 'e') return true;
  }
  return digits > 15;
}

class RoleReader {
 public:
  RoleReader(const Catalog& catalog, const Ast& ast, Profile profile, std::vector<Occurrence>& out)
      : catalog_(catalog), ast_(ast), strict_(profile == Profile::Strict), out_(out) {}

  bool run() {
    query(1);
    return out_.size() < kMostOccurrences;
  }

 private:
  void query(QueryId id, const Span* span = nullptr) {
    const Query& query = ast_.queries[id];
    for (Index i = query.ctes.first; i < query.ctes.end(); ++i) this->query(ast_.ctes[i].query, span);
    for (Index i = query.cores.first; i < query.cores.end(); ++i) core(i, span);
    Place order;
    order.counted = strict_;
    order.span = span;
    // After a set operation the terms are output columns, which the branches have answered for.
    if (query.cores.count == 1) list(query.order_by, order);
    Place limit;
    limit.span = span;
    list(query.limit, limit);
  }

  void core(CoreId id, const Span* span) {
    const Core& core = ast_.cores[id];
    Place place;
    place.span = span;
    for (Index i = core.items.first; i < core.items.end(); ++i) {
      const Item& item = ast_.items[i];
      item.star ? star(core, item, span) : walk(item.expr, place);
    }
    place.clause = Role::Join;
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
    place.counted = strict_;
    list(core.group_by, place);
    for (Index w = core.windows.first; w < core.windows.end(); ++w) window(ast_.windows[w], place);
  }

  void list(ExprId first, const Place& place) {
    for (ExprId id = first; id != 0; id = ast_.exprs[id].next) walk(id, place);
  }

  void add(const SourceColumn& source, Role role, Span span, const Place& place, bool star = false) {
    const FromItem& item = ast_.froms[source.from];
    if (item.kind != SourceKind::Table || out_.size() >= kMostOccurrences)
      return;  // a derived column: its query has answered
    out_.push_back({{item.table, source.column}, role, span, star, place.minmax, place.on});
  }

  // Both sides of USING and NATURAL; on the left, every column merged before.
  void merged(const Core& core, Index right, Index name, const Span* span) {
    Place place;
    place.on = true;
    const Span where = span != nullptr ? *span : ast_.span_at(ast_.using_lexemes[name]);
    for (Index i = core.from.first; i <= right; ++i) {
      const FromItem& item = ast_.froms[i];
      if (item.kind != SourceKind::Table) continue;
      const auto column = catalog_.table(item.table).find_column(ast_.using_names[name]);
      if (column) add({i, *column}, Role::Join, where, place);
    }
  }

  void star(const Core& core, const Item& item, const Span* span) {
    const Span where = span != nullptr  ? *span
                       : item.expr == 0 ? ast_.span_at(item.lexeme)
                                        : ast_.span(ast_.exprs[item.expr]);
    std::string a, b;
    const auto is_meant = [&](const FromItem& from) {
      if (item.expr == 0) return true;
      const Lexeme& qualifier = ast_.lexemes[ast_.exprs[item.expr].qualifier];
      return from.name != kNoName &&
             equal_folded(name_text(qualifier, ast_.sql, a), name_text(ast_.lexemes[from.alias_lexeme], ast_.sql, b));
    };
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      const FromItem& from = ast_.froms[i];
      if (!is_meant(from)) continue;
      if (from.kind == SourceKind::Table) {
        const Table& table = catalog_.table(from.table);
        for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
          if (table.columns[c].hidden) continue;
          add({i, c}, Role::Sel, where, {}, true);
          if (item.expr != 0) partners(core, i, table.columns[c].id, where);
        }
      }
      for (Index o = from.outputs.first; o < from.outputs.end() && item.expr != 0; ++o) {
        partners(core, i, ast_.output_names[o], where);
      }
    }
  }

  // `t.*` of a column merged by USING or NATURAL reaches every column it is merged with, on either side.
  void partners(const Core& core, Index self, NameId name, Span where) {
    bool merged = false;
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      const FromItem& item = ast_.froms[i];
      merged |= i >= self && merges(item, name);
    }
    if (!merged) return;
    for (Index i = core.from.first; i < core.from.end(); ++i) {
      const FromItem& item = ast_.froms[i];
      if (i == self || item.kind != SourceKind::Table) continue;
      const auto column = catalog_.table(item.table).find_column(name);
      if (column) add({i, *column}, Role::Sel, where, {}, true);
    }
  }

  bool merges(const FromItem& item, NameId name) const {
    const auto begin = ast_.using_names.begin() + item.using_names.first;
    return std::find(begin, begin + item.using_names.count, name) != begin + item.using_names.count;
  }

  void emit(const Expr& expr, const Place& place) {
    const Span where = place.span != nullptr ? *place.span : ast_.span(expr);
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
          break;
        case Place::Plain:
          if (place.minmax && strict_) add(source, Role::Sel, where, place);
          if (place.counted) add(source, place.clause, where, place);
          break;
      }
    }
  }

  void walk(ExprId id, const Place& place) {
    const Expr& expr = ast_.exprs[id];
    if (expr.bind == Bind::Source) return emit(expr, place);
    if (expr.bind == Bind::Alias) {
      const Span own = ast_.span(expr);
      Place there = place;
      if (there.span == nullptr) there.span = &own;
      return walk(ast_.items[expr.bound].expr, there);
    }
    switch (expr.kind) {
      case ExprKind::Subquery:
      case ExprKind::Exists:
        return query(expr.data, place.span);
      case ExprKind::InQuery:
        query(expr.data, place.span);
        break;
      case ExprKind::Call:
        return call(expr, place);
      default:
        break;
    }
    if (place.inside == Place::Argument && !place.predicate) return value(expr, place);
    list(expr.child, place);
  }

  // Inside COUNT, SUM, AVG: what hands the column's value on leaves it a value, anything else asks a question of it.
  void value(const Expr& expr, const Place& place) {
    Place asked = place;
    asked.predicate = true;
    switch (expr.kind) {
      case ExprKind::Collate:
      case ExprKind::Cast:
        return list(expr.child, place);
      case ExprKind::Unary:
        return list(expr.child, expr.op == Terminal::Minus || expr.op == Terminal::Plus ? place : asked);
      case ExprKind::Binary: {
        const bool arithmetic = expr.op == Terminal::Plus || expr.op == Terminal::Minus || expr.op == Terminal::Star ||
                                expr.op == Terminal::Slash;
        if (!arithmetic || has_extreme_literal(expr)) return list(expr.child, asked);
        walk(expr.child, place);
        return walk(ast_.exprs[expr.child].next, expr.op == Terminal::Slash ? asked : place);
      }
      case ExprKind::Case: {
        ExprId child = expr.child;
        if (expr.has_operand) {
          walk(child, asked);
          child = ast_.exprs[child].next;
        }
        for (bool when = true; child != 0; child = ast_.exprs[child].next, when = !when) {
          const bool result = !when || (expr.has_else && ast_.exprs[child].next == 0);
          walk(child, result ? place : asked);
        }
        return;
      }
      default:
        return list(expr.child, asked);
    }
  }

  bool has_extreme_literal(const Expr& expr) const {
    for (uint32_t i = expr.first; i < expr.last; ++i) {
      const Lexeme& lexeme = ast_.lexemes[i];
      const bool number = lexeme.terminal == Terminal::Integer || lexeme.terminal == Terminal::Float;
      // A string is a number to arithmetic, if it looks like one.
      if ((number || lexeme.terminal == Terminal::String) && is_extreme(lexeme.span.of(ast_.sql))) return true;
    }
    return false;
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
        arguments.predicate = false;
      } else if (name == "min" || name == "max") {
        arguments.minmax = true;
      }
    } else if (place.inside == Place::Argument && !place.predicate) {
      return value_call(expr, name, place);
    }
    list(expr.child, arguments);
    if (call.filter != 0) walk(call.filter, filter);
  }

  // A function inside COUNT, SUM, AVG: a few hand a value on.
  void value_call(const Expr& expr, std::string_view name, const Place& place) {
    Place asked = place;
    asked.predicate = true;
    const bool all = name == "coalesce" || name == "ifnull";
    for (ExprId id = expr.child; id != 0; id = ast_.exprs[id].next) {
      const bool first = id == expr.child;
      const bool handed_on = all || (name == "round" && first) || (name == "iif" && !first);
      walk(id, handed_on ? place : asked);
    }
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
  std::vector<Occurrence>& out_;
};

}  // namespace

bool read_roles(const Catalog& catalog, const Ast& ast, Profile profile, std::vector<Occurrence>& out) {
  return RoleReader(catalog, ast, profile, out).run();
}

}  // namespace pccsql::check
