// Expressions: what the parser's nodes mean in the language, and of which type each is.
#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "check_pg/resolver.h"
#include "check_pg/types.h"

namespace pccsql::check_pg {
namespace {

std::string_view operator_of(PgNode node) {
  std::string_view last;
  size_t parts = 0;
  for (const PgNode part : node["name"].items()) {
    last = part["String"]["sval"].text();
    ++parts;
  }
  return parts == 1 ? last : std::string_view("?");
}

}  // namespace

Span Resolver::span_at(int64_t location, size_t length) const {
  const auto size = static_cast<int64_t>(ast_.sql.size());
  const int64_t begin = std::clamp<int64_t>(location, 0, size);
  return {static_cast<uint32_t>(begin),
          static_cast<uint32_t>(std::min<int64_t>(begin + static_cast<int64_t>(length), size))};
}

// The lexeme at the node's place.
Span Resolver::span_of(PgNode node) const {
  const PgNode location = node["location"];
  if (location && location.number() < 0) return {};
  const Span begin = span_at(location.number());
  size_t length = 0;
  const std::string_view rest = ast_.sql.substr(begin.begin);
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  while (length < rest.size() && is_word(rest[length])) ++length;
  return span_at(begin.begin, std::max<size_t>(length, rest.empty() ? 0 : 1));
}

std::string Resolver::described(ExprId id) const {
  const Expr& expr = ast_.exprs[id];
  if (expr.type.state == Type::String) return "a string";
  if (expr.type.state == Type::Null) return "NULL";
  return expr.type.kind == PgKind::Opaque ? "a type that is only shown" : std::string(to_string(expr.type.kind));
}

bool Resolver::settle(ExprId id, const Type& type) {
  Expr& literal = at(id);
  if (literal.type.state == Type::String && !is_value(literal.text, type, catalog_)) return false;
  if (type.kind == PgKind::Opaque) return false;
  literal.type = type;
  return true;
}

void Resolver::settle_text(ExprId id) {
  if (!at(id).type.known()) at(id).type = Type::of(PgKind::Text);
}

// Both sides of a comparison; notes what is wrong with them.
bool Resolver::compare(ExprId a, ExprId b, Span where) {
  if (at(a).op == Op::Broken || at(b).op == Op::Broken) return false;
  if (!at(a).type.known() && !at(b).type.known()) {
    settle_text(a);
    settle_text(b);
    return true;
  }
  if (!at(a).type.known() || !at(b).type.known()) {
    const ExprId literal = at(a).type.known() ? b : a;
    const Type type = at(at(a).type.known() ? a : b).type;
    if (settle(literal, type)) return true;
    if (type.kind == PgKind::Opaque) {
      outside(where, "comparing values of a type that is only shown is outside the language");
    } else {
      outside(at(literal).span, "this string is not read as a value of type " + std::string(to_string(type.kind)) +
                                    ", which it stands beside");
    }
    return false;
  }
  if (one_group(at(a).type, at(b).type)) return true;
  if (at(a).type.kind == PgKind::Opaque || at(b).type.kind == PgKind::Opaque) {
    outside(where, "comparing values of a type that is only shown is outside the language");
  } else {
    error(where, "there is no comparison of " + described(a) + " with " + described(b) + "; CAST one of them");
  }
  return false;
}

// Results of one CASE and their like.
bool Resolver::one_kind(const std::vector<ExprId>& ids, Type& out, Span where) {
  std::optional<Type> common;
  for (const ExprId id : ids) {
    if (at(id).op == Op::Broken) return false;
    const Type& type = at(id).type;
    if (!type.known()) continue;
    if (common && !one_group(*common, type)) {
      if (common->kind == PgKind::Opaque || type.kind == PgKind::Opaque) {
        outside(where, "values of a type that is only shown cannot be results here");
      } else {
        error(where, "values of two types cannot be results of one expression: " +
                         std::string(to_string(common->kind)) + " and " + described(id));
      }
      return false;
    }
    common = common ? later(*common, type) : type;
  }
  if (!common) common = Type::of(PgKind::Text);
  if (common->kind == PgKind::Opaque) {
    outside(where, "values of a type that is only shown cannot be results here");
    return false;
  }
  for (const ExprId id : ids) {
    if (at(id).type.known()) continue;
    if (!settle(id, *common)) {
      outside(at(id).span, "this string is not read as a value of type " + std::string(to_string(common->kind)));
      return false;
    }
  }
  out = *common;
  return true;
}

ExprId Resolver::condition(PgNode node, const Place& place, std::string_view what) {
  const ExprId made = expr(node, place);
  if (at(made).op != Op::Broken && !at(made).type.is(PgKind::Boolean)) {
    error(at(made).span, std::string(what) + " needs a condition, not " + described(made));
  }
  return made;
}

ExprId Resolver::expr(PgNode node, const Place& place) {
  if (too_much_) return 0;
  if (++nesting_ > kDeepest) {
    --nesting_;
    return outside({}, "nested too deep to be followed");
  }
  const ExprId made = read_expr(node.kind(), node.inner(), place);
  --nesting_;
  return made;
}

ExprId Resolver::read_expr(std::string_view kind, PgNode node, const Place& place) {
  if (kind == "ColumnRef") return column(node, place);
  if (kind == "A_Const") return constant(node);
  if (kind == "A_Expr") return operation(node, place);
  if (kind == "FuncCall") return call(node, place);
  if (kind == "BoolExpr") return logic(node, place);
  if (kind == "TypeCast") return cast(node, place);
  if (kind == "SubLink") return subquery(node, place);
  if (kind == "CaseExpr") return case_expr(node, place);
  if (kind == "CoalesceExpr") return list_of_one_kind(Op::Coalesce, node, place);
  if (kind == "MinMaxExpr") return list_of_one_kind(Op::Extreme, node, place);
  Expr made;
  made.span = span_of(node);
  if (kind == "NullTest") {
    const ExprId arg = expr(node["arg"], place);
    settle_text(arg);
    made.op = Op::Test;
    made.text = node["nulltesttype"].text();
    made.type = Type::of(PgKind::Boolean);
    return add(made, {arg});
  }
  if (kind == "BooleanTest") {
    const ExprId arg = expr(node["arg"], place);
    if (at(arg).op != Op::Broken && !at(arg).type.is(PgKind::Boolean)) {
      return error(made.span, "IS TRUE and its like take a boolean, not " + described(arg));
    }
    made.op = Op::Test;
    made.text = node["booltesttype"].text();
    made.type = Type::of(PgKind::Boolean);
    return add(made, {arg});
  }
  if (kind == "SQLValueFunction") {
    const std::string_view op = node["op"].text();
    made.op = Op::Constant;
    made.text = op;
    if (op == "SVFOP_CURRENT_DATE") {
      made.type = Type::of(PgKind::Date);
      return add(made);
    }
    if (op == "SVFOP_CURRENT_TIMESTAMP" || op == "SVFOP_LOCALTIMESTAMP") {
      made.type = Type::of(PgKind::Timestamp);
      return add(made);
    }
    return outside(made.span,
                   "`" + std::string(made.span.of(ast_.sql)) +
                       "` tells of the session, which is outside the language; a column of that name is written "
                       "in double quotes");
  }
  if (kind == "ParamRef") return outside(made.span, "parameters are outside the language");
  if (kind == "A_Indirection") return outside(made.span, "fields and subscripts are outside the language");
  if (kind == "A_ArrayExpr") return outside(made.span, "arrays are outside the language");
  if (kind == "RowExpr") return outside(made.span, "row values are outside the language");
  if (kind == "CollateClause") return outside(made.span, "COLLATE is outside the language");
  if (kind == "GroupingFunc") return outside(made.span, "GROUPING is outside the language");
  if (kind == "SetToDefault") return error(made.span, "DEFAULT is no value");
  return outside(made.span, "this expression is outside the language");
}

ExprId Resolver::constant(PgNode node) {
  Expr made;
  made.op = Op::Constant;
  made.span = span_of(node);
  if (node["isnull"].is_true()) {
    made.type = Type::as_written(Type::Null);
    return add(made);
  }
  if (const PgNode text = node["sval"]) {
    made.text = text["sval"].text();
    made.quoted = true;
    made.type = Type::as_written(Type::String);
    return add(made);
  }
  if (const PgNode boolean = node["boolval"]) {
    made.text = boolean["boolval"].is_true() ? "true" : "false";
    made.type = Type::of(PgKind::Boolean);
    return add(made);
  }
  const bool integer = bool(node["ival"]);
  if (!integer && !node["fval"]) return outside(made.span, "bit strings are outside the language");
  // As written: what the parser makes of other bases and of `1_000` is not what every server makes of it.
  size_t begin = made.span.begin;
  const std::string_view sql = ast_.sql;
  while (begin < sql.size() && (sql[begin] < '0' || sql[begin] > '9') && sql[begin] != '.') ++begin;
  size_t end = begin;
  bool decimal = true;
  while (end < sql.size()) {
    const char c = fold(sql[end]);
    if ((c >= '0' && c <= '9') || c == '.' || c == 'e') {
      ++end;
    } else if (c == '_' || (c >= 'a' && c <= 'z')) {
      decimal = false;
      ++end;
    } else {
      break;
    }
  }
  made.span = {std::min(made.span.begin, static_cast<uint32_t>(begin)), static_cast<uint32_t>(end)};
  if (!decimal) return outside(made.span, "numbers are decimal in the language");
  made.text = sql.substr(begin, end - begin);
  // The digits are not all of it: a sign, which the parser takes into the number, and one of an exponent.
  if (integer) {
    made.type = Type::of(PgKind::Integer);
    made.identity = static_cast<uint64_t>(node["ival"]["ival"].number());
  } else {
    const std::string_view value = node["fval"]["fval"].text();
    made.type = number_type(value);
    made.identity = std::hash<std::string_view>()(value);
  }
  return add(made);
}

ExprId Resolver::operation(PgNode node, const Place& place) {
  const std::string_view kind = node["kind"].text();
  const std::string_view op = operator_of(node);
  const Span where = span_of(node);
  Expr made;
  made.span = where;
  made.text = op;
  made.type = Type::of(PgKind::Boolean);
  if (kind == "AEXPR_OP") {
    if (node["lexpr"]) return binary(op, node, place, where);
    const ExprId operand = expr(node["rexpr"], place);
    if (at(operand).op == Op::Broken) return broken(where);
    if (op != "-" && op != "+") return outside(where, "the operator `" + std::string(op) + "` is outside the language");
    const Type& type = at(operand).type;
    if (!type.known() || !is_number(type.kind))
      return outside(where, "a sign takes a number, not " + described(operand));
    made.op = Op::Sign;
    made.type = type;
    return add(made, {operand});
  }
  if (kind == "AEXPR_DISTINCT" || kind == "AEXPR_NOT_DISTINCT") {
    const ExprId left = expr(node["lexpr"], place), right = expr(node["rexpr"], place);
    if (!compare(left, right, where)) return broken(where);
    made.op = Op::Compare;
    made.text = kind;
    return add(made, {left, right});
  }
  if (kind == "AEXPR_NULLIF") {
    const ExprId left = expr(node["lexpr"], place), right = expr(node["rexpr"], place);
    if (!compare(left, right, where)) return broken(where);
    made.op = Op::NullIf;
    made.type = later(at(left).type, at(right).type);
    return add(made, {left, right});
  }
  if (kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") {
    std::vector<ExprId> kids{expr(node["lexpr"], place)};
    for (const PgNode bound : node["rexpr"]["List"]["items"].items()) kids.push_back(expr(bound, place));
    if (kids.size() != 3) return outside(where, "this form of BETWEEN is outside the language");
    // With a string at its left, both bounds must read it alike.
    const bool first = compare(kids[0], kids[1], where);
    if (!first || !compare(kids[0], kids[2], where)) return broken(where);
    made.op = Op::Compare;
    made.text = kind;
    return add(made, kids);
  }
  if (kind == "AEXPR_IN") {
    std::vector<ExprId> kids{expr(node["lexpr"], place)};
    for (const PgNode member : node["rexpr"]["List"]["items"].items()) kids.push_back(expr(member, place));
    if (at(kids[0]).type.known()) {
      for (size_t i = 1; i < kids.size(); ++i) {
        if (!compare(kids[0], kids[i], where)) return broken(where);
      }
    } else {
      Type ignored;
      if (!one_kind(kids, ignored, where)) return broken(where);
    }
    made.op = Op::Compare;
    made.text = op == "=" ? "IN" : "NOT IN";
    return add(made, kids);
  }
  if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE") {
    const ExprId left = expr(node["lexpr"], place), right = expr(node["rexpr"], place);
    if (at(left).op == Op::Broken || at(right).op == Op::Broken) return broken(where);
    for (const ExprId side : {left, right}) {
      if (at(side).type.state == Type::Null) return outside(where, "LIKE takes texts, not NULL");
      settle_text(side);
      if (!at(side).type.is(PgKind::Text)) return error(where, "LIKE takes texts, not " + described(side));
    }
    made.op = Op::Like;
    return add(made, {left, right});
  }
  if (kind == "AEXPR_OP_ANY" || kind == "AEXPR_OP_ALL") return outside(where, "arrays are outside the language");
  return outside(where, "this form of comparison is outside the language");
}

ExprId Resolver::binary(std::string_view op, PgNode node, const Place& place, Span where) {
  const ExprId left = expr(node["lexpr"], place), right = expr(node["rexpr"], place);
  if (at(left).op == Op::Broken || at(right).op == Op::Broken) return broken(where, {left, right});
  Expr made;
  made.span = where;
  made.text = op;
  if (is_comparison(op)) {
    if (!compare(left, right, where)) return broken(where, {left, right});
    made.op = Op::Compare;
    made.type = Type::of(PgKind::Boolean);
    return add(made, {left, right});
  }
  const Type l = at(left).type, r = at(right).type;
  if (op == "||") {
    const auto joins = [](const Type& type) {
      return type.state == Type::String || (type.known() && type.kind != PgKind::Opaque);
    };
    const bool text = l.is(PgKind::Text) || r.is(PgKind::Text) || l.state == Type::String || r.state == Type::String;
    if (!text || !joins(l) || !joins(r)) {
      if (l.known() && r.known() && l.kind != PgKind::Opaque && r.kind != PgKind::Opaque) {
        return error(where, "`||` needs a text beside it, not " + described(left) + " and " + described(right));
      }
      return outside(where,
                     "`||` joins a text with another value, not " + described(left) + " with " + described(right));
    }
    settle_text(left);
    settle_text(right);
    made.op = Op::Concat;
    made.type = Type::of(PgKind::Text);
    return add(made, {left, right});
  }
  static constexpr std::array<std::string_view, 5> kArithmetic{"+", "-", "*", "/", "%"};
  if (std::ranges::find(kArithmetic, op) == kArithmetic.end()) {
    return outside(where, "the operator `" + std::string(op) + "` is outside the language");
  }
  if (!l.known() || !r.known()) {
    return outside(where,
                   "`" + std::string(op) + "` takes no string and no NULL; write a number, or DATE '…', INTERVAL '…'");
  }
  const std::optional<Type> type = arithmetic(op, l, r);
  if (!type) {
    if (l.kind == PgKind::Opaque || r.kind == PgKind::Opaque) {
      return outside(where, "arithmetic over a type that is only shown is outside the language");
    }
    return outside(where, "there is no `" + std::string(op) + "` of " + described(left) + " and " + described(right) +
                              " in the language");
  }
  made.op = Op::Arithmetic;
  made.type = *type;
  return add(made, {left, right});
}

ExprId Resolver::logic(PgNode node, const Place& place) {
  Expr made;
  made.span = span_of(node);
  made.op = node["boolop"].text() == "NOT_EXPR" ? Op::Not : Op::And;
  made.text = node["boolop"].text();
  made.type = Type::of(PgKind::Boolean);
  std::vector<ExprId> kids;
  for (const PgNode arg : node["args"].items()) {
    kids.push_back(condition(arg, place, made.op == Op::Not ? "NOT" : "AND and OR"));
  }
  return add(made, kids);
}

ExprId Resolver::case_expr(PgNode node, const Place& place) {
  Expr made;
  made.op = Op::Case;
  made.span = span_of(node);
  std::vector<ExprId> kids, results;
  if (const PgNode operand = node["arg"]) {
    made.has_operand = true;
    kids.push_back(expr(operand, place));
    if (at(kids[0]).type.state == Type::Null) return outside(made.span, "CASE NULL is outside the language");
    settle_text(kids[0]);
  }
  bool good = true;
  for (const PgNode entry : node["args"].items()) {
    const PgNode when = entry["CaseWhen"];
    if (made.has_operand) {
      const ExprId value = expr(when["expr"], place);
      good &= compare(kids[0], value, made.span);
      kids.push_back(value);
    } else {
      kids.push_back(condition(when["expr"], place, "WHEN"));
    }
    kids.push_back(expr(when["result"], place));
    results.push_back(kids.back());
  }
  if (const PgNode otherwise = node["defresult"]) {
    made.has_else = true;
    kids.push_back(expr(otherwise, place));
    results.push_back(kids.back());
  }
  good &= one_kind(results, made.type, made.span);
  if (!good) made.op = Op::Broken;
  return add(made, kids);
}

ExprId Resolver::list_of_one_kind(Op op, PgNode node, const Place& place) {
  Expr made;
  made.op = op;
  made.span = span_of(node);
  made.text = op == Op::Extreme ? node["op"].text() : std::string_view();
  std::vector<ExprId> kids;
  for (const PgNode arg : node["args"].items()) kids.push_back(expr(arg, place));
  if (!one_kind(kids, made.type, made.span)) made.op = Op::Broken;
  return add(made, kids);
}

}  // namespace pccsql::check_pg
