// CAST and `::`: which there are, and which of them print the value that they could not cast.
#include "base/text.h"
#include "check_pg/resolver.h"
#include "check_pg/types.h"

namespace pccsql::check_pg {

// The types that CAST may name. `modified`: with a length or a precision.
bool Resolver::cast_type(PgNode type, Type& out, bool& modified, uint64_t& identity, std::string& problem) const {
  std::vector<std::string_view> names;
  for (const PgNode name : type["names"].items()) names.push_back(name["String"]["sval"].text());
  const bool known = names.size() == 1 || (names.size() == 2 && names[0] == "pg_catalog");
  const PgKind kind = known ? kind_of_type(names.back()) : PgKind::Opaque;
  if (kind == PgKind::Opaque || kind == PgKind::Uuid || type["arrayBounds"] || type["setof"] || type["pct_type"]) {
    problem = "CAST to this type is outside the language";
    return false;
  }
  out = Type::of(kind);
  out.small = names.back() == "int2";
  std::vector<int64_t> numbers;
  for (const PgNode modifier : type["typmods"].items()) {
    const PgNode constant = modifier["A_Const"];
    numbers.push_back(constant["ival"] ? constant["ival"]["ival"].number() : -1);
  }
  modified = !numbers.empty();
  for (const char c : names.empty() ? std::string_view() : names.back())
    identity = identity * 131 + static_cast<unsigned char>(c);
  for (const int64_t number : numbers) identity = identity * 20'000'003 + static_cast<uint64_t>(number) + 1;
  if (!modified) return true;
  const bool length = (names.back() == "varchar" || names.back() == "bpchar") && numbers.size() == 1 &&
                      numbers[0] >= 1 && numbers[0] <= 10'485'760;
  const bool precision = kind == PgKind::Numeric && numbers.size() <= 2 && numbers[0] >= 1 && numbers[0] <= 1000 &&
                         (numbers.size() == 1 || (numbers[1] >= 0 && numbers[1] <= numbers[0]));
  if (!length && !precision) problem = "this length or precision of a type is outside the language";
  return length || precision;
}

ExprId Resolver::cast(PgNode node, const Place& place) {
  Expr made;
  const PgNode type = node["typeName"];
  made.span = node["location"].number(0) < 0 ? span_of(type) : span_of(node);
  Type target;
  bool modified = false;
  std::string problem;
  const bool good = cast_type(type, target, modified, made.identity, problem);
  const ExprId arg = expr(node["arg"], place);
  if (!good) {
    outside(made.span, problem);
    return broken(made.span, {arg});
  }
  if (at(arg).op == Op::Broken) return broken(made.span, {arg});
  const auto refuse = [&](bool exists) {
    const std::string message = "there is no CAST of " + described(arg) + " to " + std::string(to_string(target.kind)) +
                                (exists ? " in the language" : "");
    exists ? outside(made.span, message) : error(made.span, message);
    return broken(made.span, {arg});
  };
  made.op = Op::Cast;
  made.type = target;
  const Type from = at(arg).type;
  if (from.state == Type::String) {
    if (fold(made.span.of(ast_.sql).substr(0, 1).empty() ? ' ' : made.span.of(ast_.sql)[0]) == 'n' &&
        target.kind == PgKind::Text) {
      return outside(made.span, "N'…' is outside the language");
    }
    if (!settle(arg, target)) {
      return outside(made.span, "this string is not read as a value of type " + std::string(to_string(target.kind)));
    }
    return add(made, {arg});
  }
  if (from.state == Type::Null) {
    at(arg).type = target;
    return add(made, {arg});
  }
  const PgKind a = from.kind, b = target.kind;
  if (a == PgKind::Opaque) return refuse(true);
  if (b == PgKind::Text || a == b || (is_number(a) && is_number(b)) || (is_date(a) && is_date(b))) {
    made.plain_cast = is_number(a) && !modified && (b == PgKind::Numeric || (b == PgKind::Float && type_is_double(type)));
    made.always = made.plain_cast || b == PgKind::Text || (a == PgKind::Integer && b == PgKind::Bigint) ||
                  (a == PgKind::Timestamp && b == PgKind::Date);
    return add(made, {arg});
  }
  made.always = true;
  if (a == PgKind::Timestamp && b == PgKind::Time) return add(made, {arg});
  if (a == PgKind::Boolean && b == PgKind::Integer && !target.small) return add(made, {arg});
  if (a == PgKind::Integer && b == PgKind::Boolean && !from.small) return add(made, {arg});
  made.always = false;
  if (a == PgKind::Text) {
    made.prints = true;
    return add(made, {arg});
  }
  return refuse(a == PgKind::Time || a == PgKind::Interval);
}

bool Resolver::type_is_double(PgNode type) {
  std::string_view last;
  for (const PgNode name : type["names"].items()) last = name["String"]["sval"].text();
  return last == "float8";
}

}  // namespace pccsql::check_pg
