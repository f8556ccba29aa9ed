// Conditions, for each SELECT that counts what is held to a minimum, joined by AND to its HAVING. What stood there is asked only
// where they hold, `AND CASE WHEN … THEN (…) ELSE 0 END`: it may fail on purpose, or take long, for a value that it must not
// even see, and of the two sides of an AND newer SQLite (3.54.1 does) evaluates the one that holds no SELECT first.
//
//   COUNT(DISTINCT CASE WHEN a IS NOT NULL THEN key END) >= k      in each group so many entities bring a value
//   (SELECT COUNT(a) = COUNT(DISTINCT CASE WHEN a IS NOT NULL THEN row END) FROM … WHERE …)
//                                                                  before grouping, no row counts twice
//   COUNT(CASE WHEN (a IS NULL) <> (b IS NULL) THEN 1 END) = 0     two arguments with a value in common count the same
//                                                                  rows: else their difference is of those that one
//                                                                  of them leaves out
//
// for each argument a and each item of FROM of which a counts a column, where key and row are that item's. The second
// reads the FROM and WHERE of the SELECT once more, and names nothing outside itself: it is evaluated once. What is
// inserted into SELECTs nested in them is copied with them, so the innermost SELECTs come first.
#include "check/run_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql::check {
namespace {

// Copies of copies grow fast; nobody writes queries for which they come to that.
constexpr size_t kLongest = 4 << 20;

struct Insertion {
  uint32_t at = 0;  // byte of the query as written
  std::string text;
};

// An argument that counts columns of one item of FROM.
struct HeldArgument {
  std::string text;
  Index item = 0;
  std::set<std::pair<Index, ColumnIndex>> columns;  // those held to a minimum, of whichever item
  std::set<std::pair<Index, ColumnIndex>> all;      // all of its columns
  friend bool operator<(const HeldArgument& a, const HeldArgument& b) {
    return std::tie(a.text, a.item) < std::tie(b.text, b.item);
  }
};

std::string name_of(const std::string& column) {
  const auto word = [](char c) { return (fold(c) >= 'a' && fold(c) <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  const bool bare = !column.empty() && std::ranges::all_of(column, word) && !(column[0] >= '0' && column[0] <= '9');
  return bare && terminal_of(column) == Terminal::Illegal ? column : quoted_identifier(column);
}

class Writer {
 public:
  Writer(const Catalog& catalog, const Policy& policy, const Ast& ast, const std::vector<Node>& nodes)
      : catalog_(catalog), policy_(policy), ast_(ast), nodes_(nodes) {
    for (const char* rule : {"select", "select_item", "from", "where", "group_by", "having", "call", "expr"}) {
      for (RuleId id = 0; id < sql_grammar().rules().size(); ++id) {
        if (sql_grammar().rules()[id].name == rule) rules_[rule] = id;
      }
    }
  }

  Result<RunText> write(const std::vector<Counted>& counted) {
    std::map<CoreId, std::set<uint32_t>> calls;  // of each SELECT that counts something held to a minimum
    std::map<uint32_t, std::vector<Counted>> of_call;
    RunText run;
    for (const Counted& one : counted) {
      if (!is_grouped(policy_, one.column)) continue;
      calls[one.select].insert(one.call);
      of_call[one.call].push_back(one);
      const HeldTable held{one.column.table, policy_.group(one.column.table).minimum};
      if (std::ranges::find(run.held, held) == run.held.end()) run.held.push_back(held);
    }
    std::ranges::sort(run.held, {}, &HeldTable::table);
    std::vector<std::pair<uint32_t, CoreId>> selects;  // by how long they are
    for (const auto& [core, its_calls] : calls) {
      const uint32_t node = select_node(core);
      selects.emplace_back(nodes_[node].last - nodes_[node].first, core);
    }
    std::ranges::sort(selects);
    for (const auto& [length, core] : selects) {
      std::vector<HeldArgument> arguments;
      for (const uint32_t call : calls[core]) add_arguments(of_call[call], call, arguments);
      std::sort(arguments.begin(), arguments.end());
      arguments.erase(std::unique(arguments.begin(), arguments.end(),
                                  [](const auto& a, const auto& b) { return !(a < b) && !(b < a); }),
                      arguments.end());
      insert(core, arguments);
      size_t size = ast_.sql.size();
      for (const Insertion& insertion : insertions_) size += insertion.text.size();
      if (size > kLongest) return run_text_fault("the query would be too long");
    }
    for (const auto& [table, column] : admitted_) run.admitted.emplace_back(table, column);
    assemble(run);
    return run;
  }

 private:
  // The node of a rule that begins at a lexeme; no two of one of these rules do.
  uint32_t node_at(const char* rule, uint32_t lexeme) const {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].rule == rules_.at(rule) && nodes_[i].first == lexeme) return i;
    }
    return 0;
  }
  uint32_t select_node(CoreId core) const { return node_at("select", ast_.cores[core].lexeme); }
  // The first part of a node that is of a rule, as lexemes; empty where it has none.
  Range clause(uint32_t node, const char* rule) const {
    for (uint32_t i = node + 1; i < nodes_[node].next; i = nodes_[i].next) {
      if (nodes_[i].rule == rules_.at(rule)) return {nodes_[i].first, nodes_[i].last - nodes_[i].first};
    }
    return {};
  }

  void add_arguments(const std::vector<Counted>& counted, uint32_t call, std::vector<HeldArgument>& out) const {
    HeldArgument argument;
    const Expr& expr = ast_.exprs[call];
    argument.text = text_of(expr.child, clause(node_at("call", ast_.calls[expr.data].name + 1), "expr"));
    for (const Counted& one : counted) argument.columns.emplace(one.item, one.column.column);
    add_columns(ast_.exprs[call].child, argument.all);
    for (const auto& [item, column] : argument.columns) {
      argument.item = item;
      out.push_back(argument);
    }
  }

  // An expression as it was written, with what stands behind its aliases written out: a nested SELECT sees none of them.
  std::string text_of(ExprId id, Range lexemes) const {
    std::vector<ExprId> aliases;
    find_aliases(id, aliases);
    const Span span = ast_.span(lexemes.first, lexemes.end());
    std::string text;
    uint32_t at = span.begin;
    std::ranges::sort(aliases, {}, [&](ExprId alias) { return ast_.exprs[alias].first; });
    for (const ExprId alias : aliases) {
      const Span own = ast_.span(ast_.exprs[alias]);
      text.append(ast_.sql.substr(at, own.begin - at));
      const Item& item = ast_.items[ast_.exprs[alias].bound];
      text += "(" + text_of(item.expr, clause(node_at("select_item", item.lexeme), "expr")) + ")";
      at = own.end;
    }
    return text.append(ast_.sql.substr(at, span.end - at));
  }
  void find_aliases(ExprId id, std::vector<ExprId>& out) const {
    const Expr& expr = ast_.exprs[id];
    if (expr.bind == Bind::Alias) {
      out.push_back(id);
      return;
    }
    for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) find_aliases(child, out);
  }

  void add_columns(ExprId id, std::set<std::pair<Index, ColumnIndex>>& out) const {
    const Expr& expr = ast_.exprs[id];
    if (expr.bind == Bind::Alias) return add_columns(ast_.items[expr.bound].expr, out);
    for (Index i = expr.bound; expr.bind == Bind::Source && i < expr.bound + expr.bound_count; ++i) {
      out.emplace(ast_.sources[i].from, ast_.sources[i].column);
    }
    for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) add_columns(child, out);
  }

  // What tells entities, or rows, of an item apart, as an expression.
  std::string key_of(Index item, bool row) {
    const FromItem& from = ast_.froms[item];
    const Table& table = catalog_.table(from.table);
    const GroupRule& rule = policy_.group(from.table);
    const std::string called(ast_.span_at(from.alias_lexeme).of(ast_.sql));
    const std::vector<std::string> columns = row ? row_columns(table, rule) : key_columns(table, rule);
    std::string text;
    for (const std::string& column : columns) {
      const bool real = std::ranges::any_of(table.columns, [&](const Column& c) { return c.name == column; });
      admitted_.emplace(table.name, real ? column : "rowid");
      const std::string name = called + "." + name_of(column);
      if (columns.size() == 1) return name;
      text += (text.empty() ? "" : " || ',' || ") + ("quote(" + name + ")");
    }
    return text;
  }

  void insert(CoreId core, const std::vector<HeldArgument>& arguments) {
    const uint32_t select = select_node(core);
    std::string groups;
    std::string rows;
    const auto add = [](std::string& conditions, const std::string& condition) {
      conditions += (conditions.empty() ? "" : " AND ") + condition;
    };
    for (const HeldArgument& argument : arguments) {
      const auto counted = [&](bool row) {
        return "COUNT(DISTINCT CASE WHEN " + argument.text + " IS NOT NULL THEN " + key_of(argument.item, row) + " END)";
      };
      const uint32_t minimum = policy_.group(ast_.froms[argument.item].table).minimum;
      add(groups, counted(false) + " >= " + std::to_string(minimum));
      add(rows, "COUNT(" + argument.text + ") = " + counted(true));
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (arguments[i].text == arguments[k].text || !differ(arguments[i], arguments[k])) continue;
        add(groups, "COUNT(CASE WHEN (" + arguments[k].text + " IS NULL) <> (" + arguments[i].text +
                        " IS NULL) THEN 1 END) = 0");
      }
    }
    const Range from = clause(select, "from");
    const Range where = clause(select, "where");
    const Range group = clause(select, "group_by");
    const Range having = clause(select, "having");
    const Span source = ast_.span(from.first, where.count != 0 ? where.end() : from.end());
    const std::string once = "(SELECT " + rows + " " + copy(source) + ")";
    if (having.count == 0) {
      const uint32_t at = group.count != 0 ? ast_.span(group.first, group.end()).end : source.end;
      insertions_.push_back({at, " HAVING " + groups + " AND " + once});
      return;
    }
    const Span old = ast_.span(having.first + 1, having.end());
    const bool meets = old.end == ast_.lexemes[having.end()].span.begin;
    const bool touches = old.begin == ast_.span(having.first, having.first + 1).end;  // HAVING(…)ORDER BY
    insertions_.push_back({old.begin, (touches ? " " : "") + groups + " AND CASE WHEN " + once + " THEN ("});
    insertions_.push_back({old.end, ") ELSE 0 END" + std::string(meets ? " " : "")});
  }

  // Whether one could be NULL where the other is not, and both hold values whose sums their difference would tell. A plain
  // argument is NULL where one of its columns is.
  bool differ(const HeldArgument& a, const HeldArgument& b) const {
    if (a.all == b.all) return false;
    return std::ranges::any_of(a.columns, [&](const auto& column) {
      return std::ranges::any_of(b.columns, [&](const auto& other) { return may_be_made_of_one(column, other); });
    });
  }

  // Columns of a view, and generated ones, may be made of the same values under two names.
  bool may_be_made_of_one(const std::pair<Index, ColumnIndex>& a, const std::pair<Index, ColumnIndex>& b) const {
    if (a == b) return true;
    if (a.first != b.first) return false;
    const Table& table = catalog_.table(ast_.froms[a.first].table);
    const auto generated = [&](ColumnIndex column) { return table.columns[column].generated != Generated::No; };
    return table.kind == TableKind::View || generated(a.second) || generated(b.second);
  }

  // A piece of the query with what was inserted into it.
  std::string copy(Span span) const {
    std::vector<const Insertion*> inside;
    for (const Insertion& insertion : insertions_) {
      if (insertion.at >= span.begin && insertion.at <= span.end) inside.push_back(&insertion);
    }
    std::ranges::stable_sort(inside, {}, &Insertion::at);
    std::string text;
    uint32_t at = span.begin;
    for (const Insertion* insertion : inside) {
      text.append(ast_.sql.substr(at, insertion->at - at));
      text += insertion->text;
      at = insertion->at;
    }
    return text.append(ast_.sql.substr(at, span.end - at));
  }

  void assemble(RunText& run) {
    std::ranges::stable_sort(insertions_, {}, &Insertion::at);
    uint32_t at = 0;
    for (const Insertion& insertion : insertions_) {
      run.sql.append(ast_.sql.substr(at, insertion.at - at));
      const auto begin = static_cast<uint32_t>(run.sql.size());
      run.sql += insertion.text;
      run.added.push_back({begin, static_cast<uint32_t>(run.sql.size())});
      at = insertion.at;
    }
    run.sql.append(ast_.sql.substr(at));
  }

  const Catalog& catalog_;
  const Policy& policy_;
  const Ast& ast_;
  const std::vector<Node>& nodes_;
  std::map<std::string, RuleId> rules_;
  std::vector<Insertion> insertions_;
  std::set<std::pair<std::string, std::string>> admitted_;
};

}  // namespace

Error run_text_fault(const std::string& what) {
  return Error{"the conditions of its minimum group cannot be added, so it is not run: " + what, {}, {}};
}

Result<RunText> write_run_text(const Catalog& catalog, const Policy& policy, const Ast& ast,
                               const std::vector<Node>& nodes, const std::vector<Counted>& counted) {
  auto run = Writer(catalog, policy, ast, nodes).write(counted);
  if (run && run->changed() && !has_same_tree(ast, nodes, *run)) {
    return run_text_fault("with them it would be another query");
  }
  return run;
}

bool has_same_tree(const Ast& ast, const std::vector<Node>& nodes, const RunText& run) {
  std::vector<Lexeme> lexemes;
  lex(run.sql, lexemes);
  size_t leading = 0;
  while (lexemes[leading].terminal == Terminal::Semicolon) ++leading;
  lexemes.erase(lexemes.begin(), lexemes.begin() + static_cast<std::ptrdiff_t>(leading));
  Parser parser(sql_grammar());
  if (!parser.parse(lexemes)) return false;

  // What was written, lexeme by lexeme; `written[i]` counts those before the i-th of the new text.
  std::vector<uint32_t> written(lexemes.size() + 1, 0);
  std::vector<bool> is_added(lexemes.size(), false);
  size_t span = 0;
  for (size_t i = 0; i < lexemes.size(); ++i) {
    const Lexeme& lexeme = lexemes[i];
    while (span < run.added.size() && run.added[span].end <= lexeme.span.begin) ++span;
    is_added[i] = span < run.added.size() && run.added[span].begin <= lexeme.span.begin &&
                  lexeme.span.end <= run.added[span].end;
    const uint32_t before = written[i];
    written[i + 1] = before + (is_added[i] ? 0 : 1);
    if (is_added[i]) continue;
    if (before >= ast.lexemes.size() || ast.lexemes[before].terminal != lexeme.terminal) return false;
    if (ast.lexemes[before].span.of(ast.sql) != lexeme.span.of(run.sql)) return false;
  }
  if (written.back() != ast.lexemes.size()) return false;

  // A rule that begins with what was added is of the conditions.
  size_t next = 0;
  for (const Node& node : parser.nodes()) {
    if (node.first < lexemes.size() && is_added[node.first]) continue;
    if (next == nodes.size()) return false;
    const Node& old = nodes[next++];
    if (old.rule != node.rule || old.first != written[node.first] || old.last != written[node.last]) return false;
  }
  return next == nodes.size();
}

}  // namespace pccsql::check
