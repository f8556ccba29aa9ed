#include "check/builder.h"

#include <algorithm>

#include "check/expr_builder.h"

namespace pccsql::check {

// SQLite's parser keeps a stack of a hundred symbols. These are the symbols that stand on it, below the expression or
// the nested query being read, in each clause of a SELECT.
namespace on_stack {
constexpr int kSelectItem = 4;  // SELECT distinct items before
constexpr int kFromItem = 5;    // SELECT distinct items FROM joins
constexpr int kOn = 9;          // … table schema alias ON
constexpr int kWhere = 5;       // SELECT distinct items from WHERE
constexpr int kGroupBy = 9;     // … where GROUP BY terms ,
constexpr int kHaving = 7;      // … group HAVING
constexpr int kWindow = 12;     // … having WINDOW definitions , name AS (
constexpr int kOrderBy = 11;    // … having ORDER BY terms ,
constexpr int kLimit = 11;      // … order LIMIT expr OFFSET
constexpr int kCte = 9;         // WITH ctes , name columns AS MATERIALIZED (
constexpr int kCompound = 2;    // query UNION
}  // namespace on_stack

class Builder {
 public:
  Builder(const Grammar& grammar, const std::vector<Node>& nodes, Ast& ast, Names& names, Issues& issues)
      : rules_(grammar),
        nodes_(nodes),
        ast_(ast),
        names_(names),
        issues_(issues),
        exprs_(rules_, nodes, ast, names, issues, *this) {}

  QueryId query(uint32_t node, int depth) {
    const auto id = static_cast<QueryId>(ast_.queries.size());
    ast_.queries.emplace_back();
    if (exprs_.too_deep(depth, node)) return id;
    TreeCursor cursor(nodes_, node);
    Query query;
    query.lexeme = cursor.lexeme();
    if (cursor.at(rules_.with)) {
      with(cursor.child(), query, depth);
      depth += 2;  // WITH and its list stay below the SELECT
    }
    const uint32_t branches = 1 + cursor.count(rules_.compound);
    query.cores = {static_cast<Index>(ast_.cores.size()), branches};
    ast_.cores.resize(ast_.cores.size() + branches);
    core(cursor.child(), query.cores.first, Terminal::End, depth);
    for (uint32_t i = 1; i < branches; ++i) {
      TreeCursor branch(nodes_, cursor.child());
      const Terminal op = ast_.lexemes[branch.take()].terminal;
      if (!branch.at_node()) branch.take();  // ALL
      core(branch.child(), query.cores.first + i, op, depth + on_stack::kCompound);
    }
    if (cursor.at(rules_.order_by))
      query.order_by = exprs_.order_terms(cursor.child(), depth + on_stack::kOrderBy).first;
    if (cursor.at(rules_.limit)) query.limit = exprs_.list(cursor.child(), depth + on_stack::kLimit).first;
    ast_.queries[id] = query;
    return id;
  }

  bool finish() {
    exprs_.reject_stray_stars();
    return !exprs_.too_tall();
  }

 private:
  NameId new_name(uint32_t lexeme) { return exprs_.new_name(lexeme); }

  void with(uint32_t node, Query& query, int depth) {
    TreeCursor cursor(nodes_, node);
    const uint32_t count = cursor.count(rules_.cte);
    query.ctes = {static_cast<Index>(ast_.ctes.size()), count};
    ast_.ctes.resize(ast_.ctes.size() + count);
    Index next = query.ctes.first;
    while (!cursor.done()) {
      if (!cursor.at(rules_.cte)) {
        cursor.at_node() ? cursor.child() : cursor.take();
        continue;
      }
      TreeCursor part(nodes_, cursor.child());
      Cte cte;
      cte.lexeme = nodes_[part.child()].first;
      cte.name = new_name(cte.lexeme);
      for (Index k = query.ctes.first; k < next; ++k) {
        if (ast_.ctes[k].name != cte.name) continue;
        issues_.error(ast_.span_at(cte.lexeme),
                      "duplicate WITH table name: `" + std::string(names_.text(cte.name)) + "`");
      }
      if (part.at(rules_.cte_columns)) {
        TreeCursor columns(nodes_, part.child());
        cte.has_columns = true;
        cte.columns.first = static_cast<Index>(ast_.cte_columns.size());
        while (!columns.done()) {
          if (!columns.at_node()) {
            columns.take();
            continue;
          }
          ast_.cte_columns.push_back(new_name(nodes_[columns.child()].first));
          ++cte.columns.count;
        }
      }
      while (!part.at(rules_.query)) part.take();
      cte.query = this->query(part.child(), depth + on_stack::kCte);
      ast_.ctes[next++] = std::move(cte);
    }
  }

  void core(uint32_t node, CoreId id, Terminal op, int depth) {
    TreeCursor cursor(nodes_, node);
    Core core;
    core.lexeme = cursor.lexeme();
    core.set_operator = op;
    if (cursor.at(rules_.values)) {  // outside the language: not looked into
      core.values = true;
      core.width_known = false;
      ast_.cores[id] = core;
      return;
    }
    cursor.take();
    if (!cursor.at_node()) cursor.take();  // DISTINCT, ALL
    core.items = {static_cast<Index>(ast_.items.size()), cursor.count(rules_.select_item)};
    ast_.items.resize(ast_.items.size() + core.items.count);
    Index next_item = core.items.first;
    while (!cursor.done()) {
      if (!cursor.at_node()) {
        cursor.take();
        continue;
      }
      const RuleId rule = cursor.rule();
      const uint32_t child = cursor.child();
      if (rule == rules_.select_item) {
        select_item(child, next_item++, depth + on_stack::kSelectItem);
      } else if (rule == rules_.from) {
        core.from = from(child, depth);
      } else if (rule == rules_.where) {
        core.where = exprs_.list(child, depth + on_stack::kWhere).first;
      } else if (rule == rules_.group_by) {
        core.group_by = exprs_.list(child, depth + on_stack::kGroupBy).first;
        core.grouped = true;
      } else if (rule == rules_.having) {
        core.having = exprs_.list(child, depth + on_stack::kHaving).first;
      } else if (rule == rules_.windows) {
        core.windows = windows(child, depth + on_stack::kWindow);
      }
    }
    ast_.cores[id] = core;
  }

  void select_item(uint32_t node, Index id, int depth) {
    TreeCursor cursor(nodes_, node);
    Item item;
    item.lexeme = cursor.lexeme();
    if (!cursor.at_node()) {
      item.star = true;
    } else {
      item.expr = exprs_.expr(cursor.child(), depth);
      Expr& expr = ast_.exprs[item.expr];
      item.star = expr.whole_item = expr.kind == ExprKind::Star && !expr.parenthesised && !cursor.at(rules_.alias);
      if (cursor.at(rules_.alias)) item.alias = new_name(alias_lexeme(cursor.child()));
    }
    ast_.items[id] = item;
  }

  uint32_t alias_lexeme(uint32_t node) const { return nodes_[node].last - 1; }

  Range from(uint32_t node, int depth) {
    TreeCursor cursor(nodes_, node);
    const Range range{static_cast<Index>(ast_.froms.size()), cursor.count(rules_.from_item)};
    ast_.froms.resize(ast_.froms.size() + range.count);
    cursor.take();  // FROM
    from_items(cursor, range.first, depth);
    return range;
  }

  void from_items(TreeCursor& cursor, Index next, int depth) {
    FromItem joined;
    while (!cursor.done()) {
      const RuleId rule = cursor.rule();
      const uint32_t child = cursor.child();
      if (rule == rules_.join) {
        joined = {};
        join(child, joined);
      } else if (rule == rules_.from_item) {
        from_item(child, joined, depth + on_stack::kFromItem);
        ast_.froms[next++] = joined;
      } else {
        join_condition(child, next - 1, depth + on_stack::kOn);
      }
    }
  }

  // The words before JOIN add up, in any order: LEFT and RIGHT together are FULL.
  void join(uint32_t node, FromItem& item) {
    item.join_lexeme = nodes_[node].first;
    item.join = JoinKind::Inner;
    bool left = false;
    bool right = false;
    for (uint32_t i = nodes_[node].first; i < nodes_[node].last; ++i) {
      const Terminal word = ast_.lexemes[i].terminal;
      item.natural |= word == Terminal::kw_NATURAL;
      left |= word == Terminal::kw_LEFT || word == Terminal::kw_FULL;
      right |= word == Terminal::kw_RIGHT || word == Terminal::kw_FULL;
      if (word == Terminal::Comma) item.join = JoinKind::Comma;
      if (word == Terminal::kw_CROSS) item.join = JoinKind::Cross;
    }
    if (left || right) item.join = !right ? JoinKind::Left : left ? JoinKind::Full : JoinKind::Right;
  }

  void from_item(uint32_t node, FromItem& item, int depth) {
    TreeCursor cursor(nodes_, node);
    item.lexeme = cursor.lexeme();
    while (!cursor.done()) {
      const RuleId rule = cursor.rule();
      const uint32_t child = cursor.child();
      if (rule == rules_.table_name) {
        item.named = true;
        item.lexeme = item.alias_lexeme = nodes_[child].last - 1;
        item.qualified = nodes_[child].last - nodes_[child].first > 1;
      } else if (rule == rules_.table_arguments) {
        item.function = true;
      } else if (rule == rules_.derived) {
        TreeCursor inner(nodes_, child);
        inner.take();
        if (inner.at(rules_.query)) item.query = query(inner.child(), depth + 1);
      } else if (rule == rules_.alias) {
        item.alias_lexeme = alias_lexeme(child);
        item.name = new_name(item.alias_lexeme);
      }
    }
    if (item.name == kNoName && item.named) item.name = new_name(item.lexeme);
  }

  void join_condition(uint32_t node, Index item, int depth) {
    TreeCursor cursor(nodes_, node);
    if (!cursor.at(rules_.using_)) {
      ast_.froms[item].on = exprs_.list(node, depth).first;
      return;
    }
    TreeCursor names(nodes_, cursor.child());
    FromItem& from = ast_.froms[item];
    from.has_using = true;
    from.using_names.first = static_cast<Index>(ast_.using_names.size());
    names.take();
    for (; !names.done();) {
      const uint32_t lexeme = names.at_node() ? nodes_[names.child()].first : names.take();
      const Terminal terminal = ast_.lexemes[lexeme].terminal;
      if (terminal == Terminal::LeftParen || terminal == Terminal::RightParen || terminal == Terminal::Comma) continue;
      ast_.using_names.push_back(new_name(lexeme));
      ast_.using_lexemes.push_back(lexeme);
      ++from.using_names.count;
    }
  }

  Range windows(uint32_t node, int depth) {
    TreeCursor cursor(nodes_, node);
    const Range range{static_cast<Index>(ast_.windows.size()), cursor.count(rules_.window_definition)};
    ast_.windows.resize(ast_.windows.size() + range.count);
    Index next = range.first;
    while (!cursor.done()) {
      if (!cursor.at_node()) {
        cursor.take();
        continue;
      }
      TreeCursor definition(nodes_, cursor.child());
      const uint32_t lexeme = definition.at_node() ? nodes_[definition.child()].first : definition.take();
      definition.take();  // AS
      Window window = exprs_.window(definition.child(), depth);
      window.name = new_name(lexeme);
      ast_.windows[next++] = window;
    }
    return range;
  }

  RuleIds rules_;
  const std::vector<Node>& nodes_;
  Ast& ast_;
  Names& names_;
  Issues& issues_;
  ExprBuilder exprs_;
};

QueryId build_query(Builder& builder, uint32_t node, int depth) { return builder.query(node, depth); }

bool build(const Grammar& grammar, const std::vector<Node>& nodes, Ast& ast, Names& names, Issues& issues) {
  ast.clear();
  Builder builder(grammar, nodes, ast, names, issues);
  builder.query(1, 0);  // node 0 is the statement, its first child the query
  return builder.finish();
}

}  // namespace pccsql::check
