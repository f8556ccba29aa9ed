// SELECTs inside expressions: as a value, under EXISTS, right of IN, ANY and ALL.
#include "check_pg/resolver.h"
#include "check_pg/types.h"

namespace pccsql::check_pg {

// `IN ((SELECT …))`: the server may read it as a subquery, another reader as a list of one.
bool Resolver::doubly_parenthesised(PgNode link) const {
  std::string_view rest = ast_.sql.substr(span_at(link["location"].number()).begin);
  size_t opened = 0;
  bool started = false;
  for (size_t i = 0; i < rest.size() && opened < 2; ++i) {
    const char c = rest[i];
    if (c == '(') {
      ++opened;
      started = true;
    } else if (started && c != ' ' && (c < '\t' || c > '\r')) {
      // A comment between the two parentheses counts as a second one: it is not worth reading.
      return c == '-' || c == '/';
    }
  }
  return opened >= 2;
}

ExprId Resolver::subquery(PgNode node, const Place& place) {
  const std::string_view type = node["subLinkType"].text();
  Expr made;
  made.span = span_of(node);
  const PgNode select = node["subselect"]["SelectStmt"];
  const bool exists = type == "EXISTS_SUBLINK";
  const bool any = type == "ANY_SUBLINK", all = type == "ALL_SUBLINK";
  if (!exists && !any && !all && type != "EXPR_SUBLINK")
    return outside(made.span, "ARRAY (SELECT …) is outside the language");
  std::vector<ExprId> kids;
  if (any || all) kids.push_back(expr(node["testexpr"], place));
  made.query = query(select, place.scope, place.ctes, false);
  const Query& inner = ast_.queries[made.query];
  made.type = Type::of(PgKind::Boolean);
  if (exists) {
    made.op = Op::Exists;
    return add(made);
  }
  if (inner.columns.size() != 1) {
    error(made.span, "this SELECT must have one column, not " + std::to_string(inner.columns.size()));
    made.op = any || all ? Op::InQuery : Op::Scalar;
    made.type = Type();
    return add(made, kids);
  }
  if (type == "EXPR_SUBLINK") {
    made.op = Op::Scalar;
    made.type = inner.columns[0].type;
    return add(made);
  }
  // OPERATOR (schema.=) is whatever that schema makes of the sign.
  std::string_view op = "=";
  for (const PgNode name : node["operName"].items()) op = name["String"]["sval"].text();
  if (node["operName"].size() > 1) {
    outside(made.span, "an operator with a schema is outside the language");
  } else if (!is_comparison(op)) {
    outside(made.span, "the operator `" + std::string(op) + "` takes no ANY or ALL in the language");
  }
  if (any && !node["operName"] && doubly_parenthesised(node)) {
    outside(made.span, "`IN ((SELECT …))` is outside the language; write one pair of parentheses");
  }
  // The column stands for the subquery's side.
  Expr column;
  column.op = Op::Constant;
  column.type = inner.columns[0].type;
  column.span = made.span;
  compare(kids[0], add(column), made.span);
  made.op = any && !node["operName"] ? Op::InQuery : Op::Quantified;
  made.text = op;
  return add(made, kids);
}

}  // namespace pccsql::check_pg
