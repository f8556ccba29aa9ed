// QueryGenerator: random queries that mostly resolve, because they are written with their scopes in mind, and that
// gather where checkers of SQL go wrong. A random sentence of a grammar rarely repeats a select item word for word in
// ORDER BY, names a window that exists, or has an alias, an aggregate and an outer column meet; here these are ordinary.
//
// Every column has a label, and the generator mostly writes a column where its label permits that. Now and then it does
// not, in a place that is close to one that would be permitted: what is wrong with a query is then one thing alone.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace pccsql {

// The tables that the queries are about, as DDL. No key and no index: the order of rows follows no column.
extern const std::string_view kGeneratorSchema;
// The labels that the generator keeps to.
Policy generator_policy(const Catalog& catalog);

// What the queries are rich in.
enum class Emphasis : uint8_t { Windows, SetOperations, Aliases, Aggregates };

// A query, and on what its answer hangs beyond what it names. Values of restricted columns may decide the order of rows
// in ways that are not promised to be unseen, so whoever runs it on databases that differ there must know.
struct GeneratedQuery {
  std::string sql;
  bool compares_order = false;   // <, BETWEEN, MAX(x, y) …, or the first row of a set operation, which SQLite sorts
  bool hangs_on_order = false;   // a column beside GROUP BY that is no term of it, or GROUP_CONCAT
  bool counts_distinct = false;  // an aggregate with DISTINCT
};

class QueryGenerator {
 public:
  QueryGenerator(Emphasis emphasis, uint64_t seed);

  GeneratedQuery next();

 private:
  struct Column {
    std::string name;
    ColumnPolicy label;
  };
  struct Source {
    std::string name;
    std::vector<Column> columns;
  };
  // One SELECT that is being written.
  struct Level {
    std::vector<Source> from;
    std::vector<std::string> merged;   // names joined by USING or NATURAL
    std::vector<std::string> aliases;  // of the select items written so far
    std::vector<std::string> windows;  // defined in its WINDOW clause
    std::vector<std::string> groups;   // columns that it groups by
    bool grouped = false;              // what is being written sees groups, not rows
  };
  // Where an expression stands: in which role its columns are used, and what else may stand there.
  struct Place {
    Role role = Role::Sel;
    bool aggregates = false;
    bool windows = false;
    bool numbers = false;  // under arithmetic, where a ConditionOnly value would no longer be compared as a whole
  };
  enum class Kind : uint8_t { Outermost, Scalar, In, Exists, Derived };

  std::string query(Kind kind, Role role, size_t width, int depth, std::vector<std::string>* names = nullptr);
  std::string select(Kind kind, Role role, size_t width, int depth, bool compound, std::vector<std::string>& items,
                     std::vector<std::string>& names);
  std::string from(int depth);
  std::string from_item(int depth, Source& source);
  std::string item(const Place& place, int depth);
  std::string condition_of_outer_row();
  std::string group_term(const std::vector<std::string>& items, const std::vector<std::string>& names,
                         const std::vector<bool>& varies);
  std::string order_by(const std::vector<std::string>& items, const std::vector<std::string>& names, bool compound,
                       const Place& place, int depth);

  std::string value(const Place& place, int depth);
  std::string operand(const Place& place, int depth);
  std::string predicate(const Place& place, int depth);
  std::string subquery(Kind kind, const Place& place, int depth);
  std::string column(const Place& place);
  std::string column_of(Level& level, const Place& place);
  std::string literal();
  std::string aggregate(int depth);
  std::string plain(int depth);
  std::string nearly_plain();
  std::string window_call(const Place& place, int depth);
  std::string window(const Place& place, int depth);
  std::string recased(std::string text);
  std::string requalified(const std::string& text);

  // How many FROM items a plain name could mean.
  size_t holders(const Level& level, const std::string& name) const;

  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  bool emphasised(Emphasis emphasis, int often, int seldom) { return chance(emphasis_ == emphasis ? often : seldom); }
  template <size_t N>
  std::string one_of(const char* const (&choices)[N]) {
    return choices[random_() % N];
  }
  const std::string& one_of(const std::vector<std::string>& choices) { return choices[random_() % choices.size()]; }
  std::string new_name();

  Emphasis emphasis_;
  std::mt19937_64 random_;
  GeneratedQuery made_;
  std::vector<Level> levels_;  // outermost first
  std::vector<Source> ctes_;
  int room_ = 0;           // how much more may be written
  int temptation_ = 0;     // how often, of a hundred columns, one that is not permitted is written
  bool ordering_ = false;  // whether values may be compared by their order
  int named_ = 0;          // names made so far
  int columns_ = 0;        // columns and aliases written so far
};

}  // namespace pccsql
