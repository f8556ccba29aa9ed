// Functions, aggregates and whose rows they aggregate, window functions.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "check_pg/resolver.h"
#include "check_pg/types.h"

namespace pccsql::check_pg {
namespace {

// What the parser makes of EXTRACT (…), TRIM (…) and their like.
bool is_syntax_function(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames{"extract", "position", "substring",
                                                          "btrim",   "ltrim",    "rtrim"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

// Whether the arguments are what the letters ask for; literals are typed by them.
bool Resolver::fits(std::string_view letters, const Function& function, const std::vector<ExprId>& arguments) {
  for (size_t i = 0; i < letters.size(); ++i) {
    const Expr& argument = at(arguments[i]);
    const Type& type = argument.type;
    const bool text = type.state == Type::String;
    const bool known = type.known();
    bool good = false;
    switch (letters[i]) {
      case 'T':
        good = text || type.is(PgKind::Text);
        break;
      case 'I':
        good = type.is(PgKind::Integer);
        break;
      case 'N':
        good = known && is_number(type.kind);
        break;
      case 'M':
        good = known && is_number(type.kind) && type.kind != PgKind::Float;
        break;
      case 'D':
        good = known && is_date(type.kind);
        break;
      case 'B':
        good = type.is(PgKind::Boolean);
        break;
      case 'X':
        good = (known && type.kind != PgKind::Opaque) || (text && function.name == "concat");
        break;
      case 'A':
        good = known || text;
        break;
      case 'U':
        good = text && argument.op == Op::Constant && i + 1 < arguments.size() &&
               is_unit(argument.text, function.name, at(arguments[i + 1]).type.kind);
        break;
      case 'S':
        good = known && (is_number(type.kind) || type.kind == PgKind::Interval);
        break;
      case 'L':
        good = known && type.kind != PgKind::Opaque && type.kind != PgKind::Boolean && type.kind != PgKind::Uuid;
        break;
      default:
        break;
    }
    if (!good) return false;
  }
  return true;
}

ExprId Resolver::call(PgNode node, const Place& place) {
  std::vector<std::string_view> names;
  for (const PgNode part : node["funcname"].items()) names.push_back(part["String"]["sval"].text());
  Expr made;
  made.op = Op::Call;
  made.span = span_of(node);
  const bool syntax = node["funcformat"].text() == "COERCE_SQL_SYNTAX";
  made.text = names.back();
  const std::string shown = "`" + std::string(made.text) + "`";
  const std::vector<const Function*> candidates = find_functions(made.text);
  const bool listed = syntax ? is_syntax_function(made.text) : names.size() == 1;
  const PgNode over_clause = node["over"];
  const bool aggregate = !candidates.empty() && candidates.front()->kind == CallKind::Aggregate;

  // Arguments first, even of what is refused, so that their columns are listed.
  const bool plain_aggregate = aggregate && !over_clause;
  if (plain_aggregate) {
    aggregates_.push_back({place.query, ast_.queries[place.query].depth, 0, false});
  }
  if (over_clause) open_windows_.push_back(place.query);
  std::vector<ExprId> arguments;
  bool readable = true;
  for (const PgNode arg : node["args"].items()) {
    arguments.push_back(expr(arg, place));
    readable &= at(arguments.back()).op != Op::Broken;
  }
  if (const PgNode filter = node["agg_filter"]) made.filter = condition(filter, place, "FILTER");
  if (over_clause) open_windows_.pop_back();
  OpenAggregate frame;
  if (plain_aggregate) {
    frame = aggregates_.back();
    aggregates_.pop_back();
  }
  const auto refuse = [&](bool wrong, const std::string& message) {
    wrong ? error(made.span, message) : outside(made.span, message);
    made.op = Op::Broken;
    return add(made, arguments);
  };
  constexpr size_t kMostArguments = 100;  // as PostgreSQL has it
  if (arguments.size() > kMostArguments) return refuse(true, "a function takes at most 100 arguments");
  if (!listed) return refuse(false, "the function " + shown + ", written so, is outside the language");
  if (candidates.empty()) return refuse(false, "the function " + shown + " is outside the language");
  if (node["agg_order"]) return refuse(false, "ORDER BY inside a call is outside the language");
  if (node["agg_within_group"].is_true()) return refuse(false, "WITHIN GROUP is outside the language");
  if (node["func_variadic"].is_true()) return refuse(false, "VARIADIC is outside the language");
  const CallKind kind = candidates.front()->kind;
  made.call = kind;
  if (kind == CallKind::Scalar && over_clause) return refuse(true, shown + " is no window function and takes no OVER");
  if (kind == CallKind::Window && !over_clause) return refuse(true, shown + " needs an OVER");
  if (kind != CallKind::Aggregate) {
    if (node["agg_distinct"].is_true()) return refuse(true, shown + " takes no DISTINCT");
    if (made.filter != 0) return refuse(true, shown + " takes no FILTER");
  }
  made.distinct = node["agg_distinct"].is_true();
  if (made.distinct && over_clause) return refuse(true, "DISTINCT in a window function is not supported");
  if (node["agg_star"].is_true()) {
    if (made.text != "count") return refuse(true, shown + " takes no `*`");
    made.row_count = true;
    made.type = Type::of(PgKind::Bigint);
  } else {
    if (!readable) {
      made.op = Op::Broken;
    } else {
      const Function* chosen = nullptr;
      bool counts = false;
      for (const Function* function : candidates) {
        const auto letters = letters_for(*function, arguments.size());
        counts |= letters.has_value();
        if (chosen == nullptr && letters && fits(*letters, *function, arguments)) chosen = function;
      }
      if (!counts) return refuse(true, shown + " does not take " + std::to_string(arguments.size()) + " arguments");
      if (chosen == nullptr) {
        std::string given;
        bool typed = true;
        for (const ExprId argument : arguments) {
          given += (given.empty() ? "" : ", ") + described(argument);
          typed &= at(argument).type.known() && at(argument).type.kind != PgKind::Opaque;
        }
        return refuse(typed,
                      "there is no " + std::string(made.text) + "(" + given + ")" + (typed ? "" : " in the language"));
      }
      std::vector<Type> types;
      for (const ExprId argument : arguments) {
        settle_text(argument);
        types.push_back(at(argument).type);
      }
      made.type = result_of(*chosen, types);
      made.prints = chosen->prints;
      if (made.distinct && !types.empty() && !types.front().sortable) {
        return refuse(false, "DISTINCT over a type that is only shown is outside the language");
      }
    }
  }
  if (kind == CallKind::Aggregate) {
    made.minmax = made.text == "min" || made.text == "max";
    made.counted = made.text == "count" || made.text == "sum" || made.text == "avg";
  }
  if (over_clause) {
    over(over_clause, place, made);
  } else if (kind == CallKind::Aggregate) {
    aggregate_level(frame, place, made.span);
    made.query = place.query;
  }
  return add(made, arguments);
}

void Resolver::over(PgNode definition, const Place& place, Expr& made) {
  made.over = true;
  const Span where = made.span;
  switch (place.clause) {
    case Clause::Where:
    case Clause::On:
    case Clause::GroupBy:
    case Clause::Having:
      error(where, "a window function may stand in the select list and in ORDER BY alone");
      break;
    default:
      break;
  }
  if (std::ranges::find(open_windows_, place.query) != open_windows_.end()) {
    error(where, "a window function may not stand inside another one");
  }
  if (std::ranges::find(aggregates_, place.query, &OpenAggregate::query) != aggregates_.end()) {
    error(where, "a window function may not stand inside an aggregate");
  }
  if (const PgNode name = definition["name"]) {
    wanted_windows_.emplace_back(place.query, name.text());
    return;
  }
  ast_.windows.emplace_back();
  made.window = static_cast<uint32_t>(ast_.windows.size() - 1);
  Place inside = place;
  window_terms(definition, inside, ast_.windows[made.window]);
}

// An aggregate belongs to the innermost SELECT that a column inside it is of; without any, to where it stands.
void Resolver::aggregate_level(const OpenAggregate& frame, const Place& place, Span where) {
  if (frame.any && frame.deepest < frame.depth) {
    outside(where,
            "an aggregate over columns of an enclosing query alone counts that query's rows, which is outside the "
            "language");
    return;
  }
  if (std::ranges::find(aggregates_, place.query, &OpenAggregate::query) != aggregates_.end()) {
    error(where, "an aggregate may not stand inside another one");
  }
  switch (place.clause) {
    case Clause::Where:
      error(where, "an aggregate may not stand in WHERE; HAVING is for conditions on groups");
      break;
    case Clause::On:
      error(where, "an aggregate may not stand in ON");
      break;
    case Clause::GroupBy:
      error(where, "an aggregate may not stand in GROUP BY");
      break;
    default:
      break;
  }
  ast_.queries[place.query].aggregated = true;
}

}  // namespace pccsql::check_pg
