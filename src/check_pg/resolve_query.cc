// SELECTs: clauses in the order in which the server reads them, terms of ORDER BY and GROUP BY, set operations, WITH.
#include <algorithm>

#include "check_pg/could_fail.h"
#include "check_pg/resolver.h"
#include "check_pg/types.h"

namespace pccsql::check_pg {
namespace {

constexpr size_t kMostExpressions = 500'000;  // `*` over wide tables makes a short text a long list

constexpr size_t kWidest = 1664;  // as PostgreSQL has it

constexpr int64_t kRows = 0x4, kGroups = 0x8, kOffsets = 0x7800, kExcludes = 0x38000;

}  // namespace

ExprId Resolver::error(Span where, std::string message) {
  if (!error_) error_ = Issue{where, std::move(message)};
  return broken(where);
}

ExprId Resolver::outside(Span where, std::string message) {
  if (!outside_) outside_ = Issue{where, std::move(message)};
  return broken(where);
}

ExprId Resolver::broken(Span where, const std::vector<ExprId>& kids) {
  Expr made;
  made.span = where;
  return add(made, kids);
}

ExprId Resolver::add(Expr made, const std::vector<ExprId>& kids) {
  if (ast_.exprs.size() > kMostExpressions) {
    too_much_ = true;
    return 0;
  }
  made.first = static_cast<uint32_t>(ast_.kids.size());
  made.count = static_cast<uint32_t>(kids.size());
  ast_.kids.insert(ast_.kids.end(), kids.begin(), kids.end());
  ast_.exprs.push_back(made);
  return static_cast<ExprId>(ast_.exprs.size() - 1);
}

void Resolver::run(PgNode select) {
  ast_.root = query(select, nullptr, nullptr, false);
  const std::optional<Span> telling = leaky_ && !error_ && !outside_ ? could_fail(ast_) : std::nullopt;
  if (telling) {
    outside(*telling,
            "over a view that leaves rows out this could fail on one of those rows, and tell of it; make it a view WITH "
            "(security_barrier)");
  }
}

QueryId Resolver::query(PgNode select, const Scope* outer, const Ctes* ctes, bool keep_literals) {
  const auto id = static_cast<QueryId>(ast_.queries.size());
  ast_.queries.emplace_back();
  if (++nesting_ > kDeepest) {
    outside({}, "nested too deep to be followed");
    --nesting_;
    return id;
  }
  uint32_t depth = 1;
  for (const Scope* scope = outer; scope != nullptr; scope = scope->outer) ++depth;
  ast_.queries[id].depth = depth;
  if (select["lockingClause"]) outside({}, "FOR UPDATE and its like lock rows, which is outside the language");
  if (select["intoClause"]) outside({}, "SELECT INTO makes a table, which is outside the language");
  if (select["valuesLists"]) outside({}, "VALUES is outside the language");
  Ctes own{ctes, {}};
  if (const PgNode with = select["withClause"]) with_clause(id, with, outer, own);
  if (select["larg"]) {
    set_operation(id, select, outer, &own);
  } else {
    simple(id, select, outer, &own, keep_literals);
  }
  limit(select);
  --nesting_;
  return id;
}

void Resolver::with_clause(QueryId id, PgNode with, const Scope* outer, Ctes& ctes) {
  if (with["recursive"].is_true()) outside({}, "WITH RECURSIVE is outside the language");
  Scope closed;
  closed.outer = outer;
  closed.query = id;
  closed.closed = true;
  for (const PgNode entry : with["ctes"].items()) {
    const PgNode cte = entry["CommonTableExpr"];
    const std::string_view name = cte["ctename"].text();
    const Span where = span_of(cte);
    if (cte["aliascolnames"]) outside(where, "new names for the columns of a WITH table are outside the language");
    if (cte["search_clause"] || cte["cycle_clause"]) outside(where, "SEARCH and CYCLE are outside the language");
    if (catalog_.find_table(name)) {
      outside(where, "a WITH table may not have the name of a table of the database, " + quoted(name));
    }
    for (const Ctes* level = &ctes; level != nullptr; level = level->outer) {
      if (std::ranges::find(level->entries, name, &std::pair<std::string_view, QueryId>::first) !=
          level->entries.end()) {
        outside(where, "two WITH tables of the name " + quoted(name) + " are outside the language");
      }
    }
    const PgNode body = cte["ctequery"]["SelectStmt"];
    if (!body) {
      outside(where, "a WITH table that writes is outside the language");
      continue;
    }
    const QueryId made = query(body, &closed, &ctes, false);
    ast_.queries[id].ctes.push_back(made);
    ctes.entries.emplace_back(name, made);
  }
}

void Resolver::set_operation(QueryId id, PgNode select, const Scope* outer, const Ctes* ctes) {
  const QueryId left = query(select["larg"], outer, ctes, true);
  const QueryId right = query(select["rarg"], outer, ctes, true);
  ast_.queries[id].left = left;
  ast_.queries[id].right = right;
  Query& a = ast_.queries[left];
  Query& b = ast_.queries[right];
  if (a.columns.size() != b.columns.size()) {
    error({}, "the SELECTs of a set operation have " + std::to_string(a.columns.size()) + " and " +
                  std::to_string(b.columns.size()) + " columns; they must have as many as each other");
  }
  const size_t width = std::min(a.columns.size(), b.columns.size());
  for (size_t i = 0; i < width; ++i) {
    Type& l = a.columns[i].type;
    Type& r = b.columns[i].type;
    const auto literal = [&](const Query& query) { return query.is_set_operation() ? 0 : query.outputs[i].expr; };
    if (!l.known() && !r.known()) {
      l = r = Type::of(PgKind::Text);
      for (const Query* side : {&a, &b}) {
        if (const ExprId expr = literal(*side); expr != 0) settle_text(expr);
      }
    } else if (!l.known() || !r.known()) {
      const Type& known = l.known() ? l : r;
      const ExprId expr = literal(l.known() ? b : a);
      const bool opaque = known.kind == PgKind::Opaque;
      if (expr == 0 || opaque || !settle(expr, known)) {
        error(
            expr == 0 ? Span{} : at(expr).span,
            "this literal is no value of the type of the other SELECT's column, " + std::string(to_string(known.kind)));
      }
      (l.known() ? r : l) = known;
    } else if (!one_group(l, r)) {
      if (l.kind == PgKind::Opaque || r.kind == PgKind::Opaque) {
        outside({}, "a set operation over a column of a type that is only shown is outside the language");
      } else {
        error({}, "the columns of a set operation differ in type: " + std::string(to_string(l.kind)) + " and " +
                      std::string(to_string(r.kind)));
      }
    }
    ast_.queries[id].columns.push_back({a.columns[i].name, later(l, r)});
  }
  order_of_set(id, select["sortClause"]);
}

void Resolver::order_of_set(QueryId id, PgNode terms) {
  Query& query = ast_.queries[id];
  for (const PgNode entry : terms.items()) {
    const PgNode sort = entry["SortBy"];
    const PgNode node = sort["node"];
    if (sort["sortby_dir"].text() == "SORTBY_USING") outside({}, "ORDER BY … USING is outside the language");
    const Span where = span_of(node.inner());
    uint32_t output = kNone;
    if (const PgNode constant = node["A_Const"]) {
      const int64_t number = constant["ival"] ? constant["ival"]["ival"].number() : 0;
      if (constant["ival"] && number >= 1 && number <= static_cast<int64_t>(query.columns.size())) {
        output = static_cast<uint32_t>(number - 1);
      }
    } else if (const PgNode ref = node["ColumnRef"]; ref && ref["fields"].size() == 1) {
      const std::string_view name = ref["fields"].first()["String"]["sval"].text();
      for (uint32_t i = 0; i < query.columns.size() && !name.empty(); ++i) {
        if (query.columns[i].name != name) continue;
        if (output != kNone) error(where, "ORDER BY " + quoted(name) + " is ambiguous");
        output = i;
      }
    }
    if (output == kNone) {
      error(where, "after a set operation ORDER BY takes the name or the number of a column of the result");
      continue;
    }
    query.order_by.push_back({0, output, where});
  }
}

void Resolver::simple(QueryId id, PgNode select, const Scope* outer, const Ctes* ctes, bool keep_literals) {
  std::vector<Element> elements;
  from(id, select["fromClause"], outer, ctes, elements);
  Scope scope;
  scope.outer = outer;
  scope.query = id;
  scope.elements = &elements;
  Place place{&scope, ctes, id, Clause::Where};
  if (const PgNode where = select["whereClause"]) ast_.queries[id].where = condition(where, place, "WHERE");

  place.clause = Clause::Items;
  if (select["groupDistinct"].is_true()) outside({}, "GROUP BY DISTINCT is outside the language");
  items(id, select["targetList"], place, elements);
  for (const PgNode node : select["groupClause"].items()) {
    ast_.queries[id].grouped_by = true;
    if (node.kind() == "GroupingSet") {
      outside({}, "grouping sets are outside the language");
      continue;
    }
    place.clause = Clause::GroupBy;
    ast_.queries[id].group_by.push_back(term(id, node, place, true));
  }
  place.clause = Clause::Having;
  if (const PgNode having = select["havingClause"]) {
    const ExprId made = condition(having, place, "HAVING");
    ast_.queries[id].having = made;
  }
  named_windows(id, select["windowClause"], place);
  place.clause = Clause::OrderBy;
  for (const PgNode entry : select["sortClause"].items()) {
    const PgNode sort = entry["SortBy"];
    if (sort["sortby_dir"].text() == "SORTBY_USING") outside({}, "ORDER BY … USING is outside the language");
    ast_.queries[id].order_by.push_back(term(id, sort["node"], place, false));
  }
  if (const PgNode distinct = select["distinctClause"]) {
    ast_.queries[id].distinct = true;
    for (const PgNode on : distinct.items()) {
      if (on.first()) outside({}, "DISTINCT ON is outside the language");
    }
    check_distinct(id);
  }
  check_wanted_windows(id);
  check_width(id);
  settle_columns(id, keep_literals);
  check_grouping(id);
}

// What is grouped, sorted or partitioned by and is no item of the select list is one more item to the server.
void Resolver::check_width(QueryId id) {
  const Query& query = ast_.queries[id];
  size_t width = query.outputs.size();
  for (const auto* terms : {&query.group_by, &query.order_by}) {
    width += static_cast<size_t>(std::ranges::count(*terms, kNone, &Term::output));
  }
  for (const Window& window : ast_.windows) {
    if (width <= kWidest) width += window.partition.size() + window.order.size();
  }
  if (width > kWidest) outside({}, "a SELECT has at most " + std::to_string(kWidest) + " columns, those that it is grouped and sorted by among them");
}

void Resolver::items(QueryId id, PgNode targets, const Place& place, const std::vector<Element>& elements) {
  if (!targets.first()) {
    outside({}, "a SELECT without columns is outside the language");
    return;
  }
  for (const PgNode entry : targets.items()) {
    const PgNode target = entry["ResTarget"];
    const PgNode value = target["val"];
    if (const PgNode ref = value["ColumnRef"]) {
      bool star = false;
      for (const PgNode field : ref["fields"].items()) star |= field.kind() == "A_Star" || bool(field["A_Star"]);
      if (star) {
        star_item(id, ref, elements);
        continue;
      }
    }
    if (target["indirection"]) outside(span_of(target), "fields of a column are outside the language");
    const ExprId made = expr(value, place);
    int strength = 0;
    std::string_view name = target["name"] ? target["name"].text() : figure_name(value, made, strength);
    if (name.empty()) name = "?column?";
    ast_.queries[id].outputs.push_back({name, made});
  }
}

void Resolver::star_item(QueryId id, PgNode ref, const std::vector<Element>& elements) {
  const size_t parts = ref["fields"].size();
  const Span where = name_span(ref, parts);
  if (parts > 2) {
    outside(where, "names with a schema are outside the language");
    return;
  }
  const auto show = [&](const Visible& visible) {
    const ExprId made = bind(visible, id, where);
    at(made).star = true;
    ast_.queries[id].outputs.push_back({visible.name, made});
  };
  if (parts == 1) {
    if (elements.empty()) error(where, "`*` needs a FROM");
    for (const Element& element : elements) {
      for (const Visible& visible : element.columns) {
        if (too_much_) return;
        show(visible);
      }
    }
    return;
  }
  const std::string_view name = ref["fields"].first()["String"]["sval"].text();
  const std::vector<FromItem> from = ast_.queries[id].from;
  for (uint32_t i = 0; i < from.size(); ++i) {
    if (from[i].name != name) continue;
    const auto take = [&](uint32_t c, std::string_view column, const Type& type) {
      Visible visible{column, static_cast<uint32_t>(ast_.sources.size()), 1, type, uint64_t{i} << 32 | c};
      ast_.sources.push_back({i, c});
      show(visible);
    };
    if (from[i].query == 0) {
      const Table& table = catalog_.table(from[i].table);
      for (uint32_t c = 0; c < table.columns.size() && !too_much_; ++c) {
        Type type;
        static_cast<ValueType&>(type) = table.columns[c].value;
        take(c, table.columns[c].name, type);
      }
    } else {
      const std::vector<OutputType>& columns = ast_.queries[from[i].query].columns;
      for (uint32_t c = 0; c < columns.size() && !too_much_; ++c) take(c, columns[c].name, columns[c].type);
    }
    return;
  }
  outside(where, "there is no table or alias " + quoted(name) + " in this FROM");
}

void Resolver::limit(PgNode select) {
  if (select["limitOption"].text() == "LIMIT_OPTION_WITH_TIES") {
    outside({}, "WITH TIES counts rows of equal rank, which is outside the language");
  }
  for (const char* part : {"limitCount", "limitOffset"}) {
    const PgNode node = select[part];
    if (!node) continue;
    const PgNode constant = node["A_Const"];
    if (!constant || !constant["ival"] || constant["ival"]["ival"].number() < 0) {
      outside(span_of(node.inner()), "LIMIT and OFFSET take a whole number that is not negative");
    }
  }
}

// A whole term that is a name or a number may stand for an output.
Term Resolver::term(QueryId id, PgNode node, Place place, bool group_by) {
  // A literal that is grouped or sorted by is text from then on.
  const auto chosen = [&](uint32_t output, Span where) {
    settle_text(ast_.queries[id].outputs[output].expr);
    return Term{ast_.queries[id].outputs[output].expr, output, where};
  };
  const auto size = static_cast<uint32_t>(ast_.queries[id].outputs.size());
  if (const PgNode ref = node["ColumnRef"]; ref && ref["fields"].size() == 1 && ref["fields"].first()["String"]) {
    const std::string_view name = ref["fields"].first()["String"]["sval"].text();
    const Span where = name_span(ref, 1);
    bool ambiguous = false;
    const bool own_column = group_by && place.scope->elements != nullptr &&
                            (find_bare(name, *place.scope->elements, where, ambiguous) != nullptr || ambiguous);
    uint32_t found = kNone;
    for (uint32_t i = 0; i < size && !own_column; ++i) {
      const Output& output = ast_.queries[id].outputs[i];
      if (output.name != name || output.name == "?column?") continue;
      if (found != kNone && !equal(ast_.queries[id].outputs[found].expr, output.expr)) {
        error(where, std::string(group_by ? "GROUP BY " : "ORDER BY ") + quoted(name) + " is ambiguous");
        break;
      }
      if (found == kNone) found = i;
    }
    if (found != kNone) {
      if (group_by) {
        // What is grouped by an alias is the item as written.
        walk_aggregates_in_group(ast_.queries[id].outputs[found].expr, where);
      }
      return chosen(found, where);
    }
  }
  if (const PgNode constant = node["A_Const"]) {
    const Span where = span_of(constant);
    const int64_t number = constant["ival"] ? constant["ival"]["ival"].number() : 0;
    if (!constant["ival"] || number < 1 || number > size) {
      error(where, std::string(group_by ? "GROUP BY" : "ORDER BY") + " takes numbers of columns from 1 to " +
                       std::to_string(size) + ", names and expressions, no other constants");
      return {broken(where), kNone, where};
    }
    const auto output = static_cast<uint32_t>(number - 1);
    if (group_by) walk_aggregates_in_group(ast_.queries[id].outputs[output].expr, where);
    return chosen(output, where);
  }
  const ExprId made = expr(node, place);
  settle_text(made);
  const Type& type = at(made).type;
  if (type.known() && !type.sortable && at(made).op != Op::Broken) {
    outside(at(made).span, "ORDER BY and GROUP BY of a type that is only shown are outside the language");
  }
  return {made, kNone, at(made).span};
}

// An item that GROUP BY names by its number or alias may hold no aggregate and no window function.
void Resolver::walk_aggregates_in_group(ExprId id, Span where) {
  const Expr& expr = at(id);
  if (expr.op == Op::Call && (expr.call != CallKind::Scalar || expr.over)) {
    error(where, "GROUP BY may not name an item that holds an aggregate or a window function");
    return;
  }
  for (uint32_t i = 0; i < expr.count; ++i) walk_aggregates_in_group(ast_.kid(id, i), where);
}

void Resolver::named_windows(QueryId id, PgNode windows, const Place& place) {
  std::vector<std::string_view> names;
  Place inside = place;
  inside.clause = Clause::Window;
  for (const PgNode entry : windows.items()) {
    const PgNode definition = entry["WindowDef"];
    const std::string_view name = definition["name"].text();
    if (std::ranges::find(names, name) != names.end())
      error(span_of(definition), "window " + quoted(name) + " is there twice");
    names.push_back(name);
    ast_.windows.emplace_back();
    Window& window = ast_.windows.back();
    window.name = name;
    const auto index = static_cast<uint32_t>(ast_.windows.size() - 1);
    window_terms(definition, inside, ast_.windows[index]);
    ast_.queries[id].windows.push_back(index);
  }
}

void Resolver::check_wanted_windows(QueryId id) {
  for (const auto& [owner, wanted] : wanted_windows_) {
    if (owner != id) continue;
    const bool there = std::ranges::any_of(ast_.queries[id].windows,
                                           [&](uint32_t window) { return ast_.windows[window].name == wanted; });
    if (!there) error({}, "there is no window " + quoted(wanted));
  }
  std::erase_if(wanted_windows_, [id](const auto& entry) { return entry.first == id; });
}

void Resolver::window_terms(PgNode definition, const Place& place, Window& window) {
  if (definition["refname"]) outside(span_of(definition), "a window made from another one is outside the language");
  open_windows_.push_back(place.query);
  const auto one = [&](PgNode node) {
    const ExprId made = expr(node, place);
    settle_text(made);
    if (at(made).type.known() && !at(made).type.sortable && at(made).op != Op::Broken) {
      outside(at(made).span, "a window over a type that is only shown is outside the language");
    }
    return made;
  };
  for (const PgNode node : definition["partitionClause"].items()) window.partition.push_back(one(node));
  for (const PgNode entry : definition["orderClause"].items()) {
    if (entry["SortBy"]["sortby_dir"].text() == "SORTBY_USING") outside({}, "ORDER BY … USING is outside the language");
    window.order.push_back(one(entry["SortBy"]["node"]));
  }
  open_windows_.pop_back();
  check_frame(definition, window);
}

void Resolver::check_frame(PgNode definition, const Window& window) {
  const int64_t options = definition["frameOptions"].number();
  const Span where = span_of(definition);
  if ((options & kExcludes) != 0) outside(where, "EXCLUDE is outside the language");
  if ((options & kOffsets) != 0 && (options & kRows) == 0)
    outside(where, "RANGE and GROUPS take no offsets in the language");
  if ((options & kGroups) != 0 && window.order.empty()) error(where, "GROUPS needs an ORDER BY in its window");
  for (const char* bound : {"startOffset", "endOffset"}) {
    const PgNode node = definition[bound];
    if (!node) continue;
    const PgNode constant = node["A_Const"];
    if (!constant || !constant["ival"] || constant["ival"]["ival"].number() < 0) {
      outside(where, "a frame's offset must be a whole number that is not negative");
    }
  }
}

void Resolver::check_distinct(QueryId id) {
  const Query& query = ast_.queries[id];
  for (const Output& output : query.outputs) {
    settle_text(output.expr);  // here, too
    const Type& type = at(output.expr).type;
    if (type.known() && !type.sortable && at(output.expr).op != Op::Broken) {
      outside(at(output.expr).span, "DISTINCT over a type that is only shown is outside the language");
    }
  }
  for (const Term& term : query.order_by) {
    const bool shown = term.output != kNone || std::ranges::any_of(query.outputs, [&](const Output& output) {
                         return equal(output.expr, term.expr);
                       });
    if (!shown) error(term.span, "with SELECT DISTINCT, ORDER BY may only name what is selected");
  }
}

// A literal that nothing has typed is text, but for one that a set operation will type.
void Resolver::settle_columns(QueryId id, bool keep_literals) {
  Query& query = ast_.queries[id];
  for (const Output& output : query.outputs) {
    if (!keep_literals) settle_text(output.expr);
    query.columns.push_back({output.name, at(output.expr).type});
  }
}

}  // namespace pccsql::check_pg
