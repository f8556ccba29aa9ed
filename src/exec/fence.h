// Fence: the authorizer of a connection that runs queries, behind the checker and independent of it.
//
// SQLite asks it about every column that a statement reads and everything else that it does. It denies Hidden columns,
// tables that the catalogue does not have, and whatever is not a read. Other policies depend on roles, which SQLite does
// not tell: they are the checker's. What a view reads is the view's own business, if the policy opens the view.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "exec/fence_rules.h"

struct sqlite3;

namespace pccsql {

class Fence {
 public:
  // Asks the database which tables and views it has, and which views stand inside others. Keeps no reference.
  static Result<Fence> make(sqlite3* db, const FenceRules& rules);

  // From now on, until it is lifted, `db` is fenced. PRE: the fence stays where it is meanwhile.
  void guard(sqlite3* db);
  static void lift(sqlite3* db);
  // What is allowed beside the rules from now on, until others are. `rowid` stands for each of its names.
  void admit(const Admitted& columns);

  // A name of the query that SQLite would take for one of an open view, so that what it reads would pass for the view's
  // own: `WITH staff AS (…)`. Empty: there is none. To be asked before the query is prepared.
  std::string disguise(std::string_view sql) const;

  // What was denied since the last call of this; empty: nothing.
  std::string take_denial();

 private:
  struct Columns {
    bool closed = false;                        // the table may not be named
    bool open_view = false;                     // a view that the policy lets queries name
    std::unordered_map<std::string, bool> may;  // by folded name, whether a query may read it
  };

  static int authorize(void* fence, int action, const char* a, const char* b, const char* schema, const char* view);
  bool allows(int action, std::string_view a, std::string_view b, std::string_view schema, std::string_view view) const;
  bool allows_read(std::string_view table, std::string_view column) const;
  bool is_open_view(const std::string& folded_name) const;

  std::unordered_map<std::string, Columns> tables_;  // by folded name
  std::set<std::string> present_;                    // folded names of all that the database has
  std::set<std::string> inner_views_;                // views that open views read
  std::set<std::string> functions_;
  std::set<std::pair<std::string, std::string>> admitted_;  // folded
  std::string denial_;
};

}  // namespace pccsql
