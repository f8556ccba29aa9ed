// Conditions, for each SELECT that counts what is held to a minimum:
//
//   COUNT(DISTINCT CASE WHEN a IS NOT NULL THEN key END) >= k      in each group so many entities bring a value
//   COUNT(CASE WHEN (a IS NULL) <> (b IS NULL) THEN 1 END) = 0     two arguments with a value in common count the same rows
//   (SELECT COUNT(a) = COUNT(DISTINCT CASE WHEN a IS NOT NULL THEN row END) FROM … WHERE …)
//                                                                  before grouping, no row counts twice
//
// for each argument a and each item of FROM of which a counts a column. Without a HAVING they become one. A HAVING that is
// there is asked only where they hold, `CASE WHEN … THEN (…) ELSE FALSE END`: the server computes the sides of an AND in any
// order, and an error of a condition about a small group would tell of it.
#include "check_pg/run_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "check_pg/lexemes.h"

namespace pccsql::check_pg {
namespace {

// Copies of copies grow fast; nobody writes queries for which they come to that.
constexpr size_t kLongest = 1 << 20;

// What the Error of a query says that cannot be written so.
Error fault(const std::string& what) {
  return Error{"the conditions of its minimum group cannot be added, so it is not run: " + what, {}, {}};
}

struct Insertion {
  uint32_t at = 0;  // byte of the query as written
  std::string text;
};

// The text of one SELECT, clause by clause. A clause that is not there is empty.
struct SelectText {
  Span all, from, where, group_by;
  std::optional<Span> having;  // what follows the word
  // FROM and WHERE.
  Span source() const { return {from.begin, std::max(from.end, where.end)}; }
};

// Where the SELECTs of a text, and the arguments of its calls, begin and end.
class Layout {
 public:
  explicit Layout(std::string_view sql) : sql_(sql), lexemes_(lexemes_of(sql)) {
    group_.resize(lexemes_.size());
    closing_.resize(lexemes_.size(), lexemes_.size());
    std::vector<size_t> open;
    for (size_t i = 0; i < lexemes_.size(); ++i) {
      if (is_sign(i, ')') && !open.empty()) {
        closing_[open.back()] = i;
        open.pop_back();
      }
      group_[i] = open.empty() ? 0 : open.back() + 1;
      if (is_sign(i, '(')) open.push_back(i);
    }
  }

  // The innermost SELECT around a byte.
  std::optional<SelectText> select_around(uint32_t byte) const {
    std::optional<SelectText> found;
    for (size_t i = 0; i < lexemes_.size() && lexemes_[i].span.begin <= byte; ++i) {
      if (!is_keyword(i, "select")) continue;
      const SelectText text = select(i);
      if (byte < text.all.end) found = text;
    }
    return found;
  }

  // What stands between the parentheses of a call that begins at a byte; nothing where that is no call.
  std::optional<Span> argument(uint32_t byte) const {
    size_t i = 0;
    while (i < lexemes_.size() && lexemes_[i].span.begin < byte) ++i;
    const size_t open = i + 1;
    if (open >= lexemes_.size() || !is_sign(open, '(') || closing_[open] >= lexemes_.size()) return std::nullopt;
    size_t first = open + 1;
    if (is_keyword(first, "all")) ++first;
    if (first >= closing_[open]) return std::nullopt;
    return Span{lexemes_[first].span.begin, lexemes_[closing_[open] - 1].span.end};
  }

 private:
  bool is_sign(size_t i, char sign) const {
    return lexemes_[i].kind == Lexeme::Sign && sql_[lexemes_[i].span.begin] == sign;
  }
  bool is_word(size_t i, std::string_view word) const {
    return i < lexemes_.size() && lexemes_[i].kind == Lexeme::Word && equal_folded(lexemes_[i].span.of(sql_), word);
  }
  // All of those asked for are reserved: bare they are names after AS and a point alone.
  bool is_keyword(size_t i, std::string_view word) const {
    return is_word(i, word) && (i == 0 || (!is_word(i - 1, "as") && !is_sign(i - 1, '.')));
  }

  SelectText select(size_t begin) const {
    SelectText text;
    size_t last = begin;
    Span* clause = nullptr;
    const auto close = [&](size_t end) {
      if (clause != nullptr) clause->end = lexemes_[end - 1].span.end;
      clause = nullptr;
    };
    Span having;
    size_t i = begin + 1;
    for (; i < lexemes_.size(); ++i) {
      if (group_[i] < group_[begin]) break;
      if (group_[i] != group_[begin]) continue;
      if (is_sign(i, ';') || is_keyword(i, "union") || is_keyword(i, "intersect") || is_keyword(i, "except")) break;
      Span* next = nullptr;
      if (is_keyword(i, "from") && !is_word(i - 1, "distinct")) {
        next = &text.from;
      } else if (is_keyword(i, "where")) {
        next = &text.where;
      } else if (is_keyword(i, "group")) {
        next = &text.group_by;
      } else if (is_keyword(i, "having")) {
        next = &having;
      } else if (!is_keyword(i, "window") && !is_keyword(i, "order") && !is_keyword(i, "limit") &&
                 !is_keyword(i, "offset") && !is_keyword(i, "fetch") && !is_keyword(i, "for")) {
        continue;
      }
      close(i);
      clause = next;
      const bool after_word = next == &having && i + 1 < lexemes_.size();
      if (next != nullptr) next->begin = lexemes_[i + (after_word ? 1 : 0)].span.begin;
    }
    close(i);
    last = i - 1;
    text.all = {lexemes_[begin].span.begin, lexemes_[last].span.end};
    if (having.end != 0) text.having = having;
    return text;
  }

  std::string_view sql_;
  std::vector<Lexeme> lexemes_;
  std::vector<size_t> group_;    // 1 + the parenthesis that each stands in; 0: none
  std::vector<size_t> closing_;  // of an opening one
};

// An argument that counts columns of one item of FROM.
struct HeldArgument {
  std::string text;
  uint32_t item = 0;
  std::set<std::pair<uint32_t, uint32_t>> columns;  // those held to a minimum, of whichever item
  std::set<std::pair<uint32_t, uint32_t>> all;      // all of its columns
  friend bool operator<(const HeldArgument& a, const HeldArgument& b) {
    return std::tie(a.text, a.item) < std::tie(b.text, b.item);
  }
};

class Writer {
 public:
  Writer(const Catalog& catalog, const Policy& policy, const Ast& ast)
      : catalog_(catalog), policy_(policy), ast_(ast), layout_(ast.sql) {}

  Result<RunText> write(const std::vector<Counted>& counted) {
    std::map<QueryId, std::map<ExprId, std::vector<Counted>>> selects;  // its aggregates that count what is held
    RunText run;
    for (const Counted& one : counted) {
      if (!is_grouped(policy_, one.column)) continue;
      selects[one.select][one.call].push_back(one);
      const HeldTable held{one.column.table, policy_.group(one.column.table).minimum};
      if (std::ranges::find(run.held, held) == run.held.end()) run.held.push_back(held);
    }
    std::ranges::sort(run.held, {}, &HeldTable::table);
    // What is inserted into SELECTs nested in others is copied with them, so the shortest come first.
    std::vector<std::tuple<uint32_t, QueryId, SelectText>> by_length;
    for (const auto& [query, calls] : selects) {
      const FromItem& item = ast_.queries[query].from[calls.begin()->second.front().item];
      const auto text = layout_.select_around(item.span.begin);
      if (!text || text->from.end == 0) return fault("its SELECT cannot be told from the others");
      places_.push_back(item.span.begin);
      by_length.emplace_back(text->all.end - text->all.begin, query, *text);
    }
    std::ranges::sort(by_length, [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
    for (const auto& [length, query, text] : by_length) {
      std::vector<HeldArgument> arguments;
      for (const auto& [call, columns] : selects[query]) {
        const auto span = layout_.argument(ast_.exprs[call].span.begin);
        if (!span) return fault("what it counts cannot be told from the rest");
        add_arguments(columns, call, span->of(ast_.sql), arguments);
      }
      std::sort(arguments.begin(), arguments.end());
      arguments.erase(std::unique(arguments.begin(), arguments.end(),
                                  [](const auto& a, const auto& b) { return !(a < b) && !(b < a); }),
                      arguments.end());
      insert(query, text, arguments);
      size_t size = ast_.sql.size();
      for (const Insertion& insertion : insertions_) size += insertion.text.size();
      if (size > kLongest) return fault("the query would be too long");
    }
    for (const auto& [table, column] : admitted_) run.admitted.emplace_back(table, column);
    assemble(run);
    return run;
  }

  const std::vector<uint32_t>& places() const { return places_; }

 private:
  void add_arguments(const std::vector<Counted>& counted, ExprId call, std::string_view text,
                     std::vector<HeldArgument>& out) const {
    HeldArgument argument;
    argument.text = text;
    for (const Counted& one : counted) argument.columns.emplace(one.item, one.column.column);
    add_columns(ast_.kid(call, 0), argument.all);
    std::set<uint32_t> items;
    for (const auto& [item, column] : argument.columns) items.insert(item);
    for (const uint32_t item : items) {
      argument.item = item;
      out.push_back(argument);
    }
  }

  void add_columns(ExprId id, std::set<std::pair<uint32_t, uint32_t>>& out) const {
    const Expr& expr = ast_.exprs[id];
    for (uint32_t s = expr.sources; expr.op == Op::Column && s < expr.sources + expr.source_count; ++s) {
      out.emplace(ast_.sources[s].item, ast_.sources[s].column);
    }
    for (uint32_t i = 0; i < expr.count; ++i) add_columns(ast_.kid(id, i), out);
  }

  // What tells entities, or rows, of an item apart, as an expression.
  std::string key_of(const FromItem& item, bool row) {
    const Table& table = catalog_.table(item.table);
    const GroupRule& rule = policy_.group(item.table);
    const std::vector<std::string> columns = row ? row_columns(table, rule) : key_columns(table, rule);
    std::string text;
    for (const std::string& column : columns) {
      admitted_.emplace(table.name, column);
      text += (text.empty() ? "" : ", ") + quoted_identifier(item.name) + "." + quoted_identifier(column);
    }
    return columns.size() == 1 ? text : "ROW(" + text + ")";
  }

  void insert(QueryId query, const SelectText& text, const std::vector<HeldArgument>& arguments) {
    std::string groups;
    std::string rows;
    const auto add = [](std::string& conditions, const std::string& condition) {
      conditions += (conditions.empty() ? "" : " AND ") + condition;
    };
    for (const HeldArgument& argument : arguments) {
      const FromItem& item = ast_.queries[query].from[argument.item];
      const auto counted = [&](bool row) {
        return "COUNT(DISTINCT CASE WHEN (" + argument.text + ") IS NOT NULL THEN " + key_of(item, row) + " END)";
      };
      add(groups, counted(false) + " >= " + std::to_string(policy_.group(item.table).minimum));
      add(rows, "COUNT(" + argument.text + ") = " + counted(true));
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (arguments[i].text == arguments[k].text || !differ(query, arguments[i], arguments[k])) continue;
        add(groups, "COUNT(CASE WHEN ((" + arguments[k].text + ") IS NULL) <> ((" + arguments[i].text +
                        ") IS NULL) THEN 1 END) = 0");
      }
    }
    const std::string conditions = groups + " AND (SELECT " + rows + " " + copy(text.source()) + ")";
    if (text.having) {
      // HAVING(…)ORDER BY: blanks keep words apart.
      insertions_.push_back({text.having->begin, " CASE WHEN " + conditions + " THEN ("});
      insertions_.push_back({text.having->end, ") ELSE FALSE END "});
    } else {
      insertions_.push_back({std::max(text.source().end, text.group_by.end), " HAVING " + conditions});
    }
  }

  // Whether one could be NULL where the other is not, and both hold values whose sums their difference would tell. A plain
  // argument is NULL where one of its columns is.
  bool differ(QueryId query, const HeldArgument& a, const HeldArgument& b) const {
    if (a.all == b.all) return false;
    return std::ranges::any_of(a.columns, [&](const auto& column) {
      return std::ranges::any_of(b.columns, [&](const auto& other) { return may_be_made_of_one(query, column, other); });
    });
  }

  // Columns of a view, and generated ones, may be made of the same values under two names.
  bool may_be_made_of_one(QueryId query, const std::pair<uint32_t, uint32_t>& a,
                          const std::pair<uint32_t, uint32_t>& b) const {
    if (a == b) return true;
    if (a.first != b.first) return false;
    const Table& table = catalog_.table(ast_.queries[query].from[a.first].table);
    const auto generated = [&](uint32_t column) { return table.columns[column].generated != Generated::No; };
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
  Layout layout_;
  std::vector<Insertion> insertions_;
  std::vector<uint32_t> places_;
  std::set<std::pair<std::string, std::string>> admitted_;
};

// Compares trees; where something stands does not count.
class TreeComparison {
 public:
  explicit TreeComparison(const std::vector<uint32_t>& places) : places_(places) {}

  bool same(PgNode written, PgNode with) {
    if (written.key() != with.key() || written.text() != with.text()) return false;
    const bool changed = written["fromClause"] && names_a_place(written["fromClause"]);
    PgNode a = next_of(written.first(), changed), b = next_of(with.first(), changed);
    for (; a && b; a = next_of(a.next(), changed), b = next_of(b.next(), changed)) {
      if (!same(a, b)) return false;
    }
    if (a || b) return false;
    if (!changed) return true;
    ++changed_;
    return fine_having(written["havingClause"], with);
  }
  size_t changed() const { return changed_; }

 private:
  static bool is_place(std::string_view key) {
    return key == "location" || key == "stmt_location" || key == "stmt_len" || key == "list_start" || key == "list_end";
  }
  static PgNode next_of(PgNode node, bool changed) {
    while (node && (is_place(node.key()) || (changed && node.key() == "havingClause"))) node = node.next();
    return node;
  }

  // Whether a table of this FROM stands at one of the places; not of a SELECT nested in it.
  bool names_a_place(PgNode node) const {
    if (node.key() == "RangeSubselect" || node.key() == "SubLink") return false;
    if (node.key() == "RangeVar") {
      const auto at = node["location"].number(0);
      return std::ranges::any_of(places_, [&](uint32_t place) { return place == at; });
    }
    for (const PgNode child : node.items()) {
      if (names_a_place(child)) return true;
    }
    return false;
  }

  bool fine_having(PgNode old, PgNode select) {
    const PgNode having = select["havingClause"];
    if (!old) return fine_conditions(having, select);
    const PgNode choice = having["CaseExpr"];
    if (!choice || choice["arg"] || choice["args"].size() != 1) return false;
    const PgNode when = choice["args"].first()["CaseWhen"];
    const PgNode otherwise = choice["defresult"]["A_Const"]["boolval"];
    return otherwise && !otherwise["boolval"].is_true() && same_inside(old, when["result"]) &&
           fine_conditions(when["expr"], select);
  }
  // The same under another key.
  bool same_inside(PgNode a, PgNode b) {
    PgNode x = a.first(), y = b.first();
    for (; x && y; x = x.next(), y = y.next()) {
      if (!same(x, y)) return false;
    }
    return !x && !y;
  }

  // … AND (SELECT … FROM … WHERE …), over what the SELECT itself is over.
  static bool fine_conditions(PgNode conditions, PgNode select) {
    const PgNode all = conditions["BoolExpr"];
    if (all["boolop"].text() != "AND_EXPR") return false;
    PgNode last;
    for (const PgNode one : all["args"].items()) last = one;
    if (last["SubLink"]["subLinkType"].text() != "EXPR_SUBLINK") return false;
    const PgNode rows = last["SubLink"]["subselect"]["SelectStmt"];
    for (const PgNode field : rows.items()) {
      if (field.key() != "targetList" && field.key() != "fromClause" && field.key() != "whereClause" &&
          field.key() != "limitOption" && field.key() != "op") {
        return false;
      }
    }
    if (rows["targetList"].size() != 1) return false;
    const std::vector<uint32_t> nowhere;
    TreeComparison copies(nowhere);
    if (bool(rows["whereClause"]) != bool(select["whereClause"])) return false;
    return copies.same(select["fromClause"], rows["fromClause"]) &&
           (!rows["whereClause"] || copies.same(select["whereClause"], rows["whereClause"]));
  }

  const std::vector<uint32_t>& places_;
  size_t changed_ = 0;
};

}  // namespace

bool has_same_tree(PgNode written, PgNode with, const std::vector<uint32_t>& places) {
  TreeComparison comparison(places);
  return comparison.same(written, with) && comparison.changed() == places.size();
}

Result<RunText> write_run_text(const Catalog& catalog, const Policy& policy, const Ast& ast,
                               const std::vector<Counted>& counted) {
  Writer writer(catalog, policy, ast);
  auto run = writer.write(counted);
  if (!run || !run->changed()) return run;
  PgTree written, with;
  if (written.parse(ast.sql) != PgTree::Outcome::Parsed) return fault("it cannot be read twice");
  if (with.parse(run->sql) != PgTree::Outcome::Parsed) return fault("with them " + with.message());
  if (!has_same_tree(written.statements(), with.statements(), writer.places())) {
    return fault("with them it would be another query");
  }
  return run;
}

}  // namespace pccsql::check_pg
