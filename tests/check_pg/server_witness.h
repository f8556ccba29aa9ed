// What PostgreSQL itself makes of a query: whether it prepares and plans, and which columns it says that it reads.
//
// The server prints the tree that its analysis gives when debug_print_parse is on; `:relid` and `:selectedCols` there are
// tables and columns, those of USING, of unused CTEs and of stars among them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "schema/catalog.h"
#include "schema/pg_connection.h"

namespace pccsql {

class ServerWitness {
 public:
  ServerWitness(PgConnection& connection, const Catalog& catalog);
  ServerWitness(const ServerWitness&) = delete;
  ServerWitness& operator=(const ServerWitness&) = delete;

  using Columns = std::set<std::pair<TableId, ColumnIndex>>;
  struct Opinion {
    bool prepares = false;
    bool plans = false;  // or fails in planning on constants alone
    bool whole_row = false;
    std::string state;  // SQLSTATE of what was refused
    std::string message;
    Columns columns;  // of what prepares
  };
  Opinion ask(const std::string& sql);

 private:
  void read_tree();

  PgConnection& connection_;
  std::map<std::string, std::pair<TableId, std::map<int, ColumnIndex>>> tables_;  // by oid; columns by attnum
  std::string tree_;
  Opinion opinion_;
};

}  // namespace pccsql
