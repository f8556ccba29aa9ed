#include "check_pg/server_witness.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>

namespace pccsql {
namespace {

constexpr size_t kLongestTree = size_t{64} << 20;

void keep_tree(void* tree, const PGresult* result) {
  const char* const detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
  const char* const message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (detail == nullptr || message == nullptr || std::string(message) != "parse tree:") return;
  auto& text = *static_cast<std::string*>(tree);
  if (text.size() < kLongestTree) text += detail;
}

std::string field(const PgResult& result, int code) {
  const char* const text = PQresultErrorField(result.get(), code);
  return text == nullptr ? "" : text;
}

}  // namespace

ServerWitness::ServerWitness(PgConnection& connection, const Catalog& catalog) : connection_(connection) {
  const auto rows = connection.query(
      "SELECT c.oid, c.relname, a.attnum, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
      "WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped");
  for (const auto& row : *rows) {
    const auto column = catalog.find_column(*row[1], *row[3]);
    if (!column) continue;
    auto& table = tables_[*row[0]];
    table.first = column->table;
    table.second[std::atoi(row[2]->c_str())] = column->column;
  }
  for (const char* setting : {"SET debug_pretty_print = off", "SET client_min_messages = log"})
    (void)connection.run(setting);
  PQsetNoticeReceiver(connection.get(), keep_tree, &tree_);
}

ServerWitness::Opinion ServerWitness::ask(const std::string& sql) {
  opinion_ = {};
  tree_.clear();
  pg_conn* const db = connection_.get();
  (void)connection_.run("SET debug_print_parse = on");
  tree_.clear();
  const PgResult prepared(PQprepare(db, "", sql.c_str(), 0, nullptr));
  opinion_.prepares = PQresultStatus(prepared.get()) == PGRES_COMMAND_OK;
  if (!opinion_.prepares) {
    opinion_.state = field(prepared, PG_DIAG_SQLSTATE);
    opinion_.message = field(prepared, PG_DIAG_MESSAGE_PRIMARY);
  }
  (void)connection_.run("SET debug_print_parse = off");
  if (!opinion_.prepares) return opinion_;
  read_tree();
  const PgResult planned(PQexecParams(db, ("EXPLAIN " + sql).c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
  opinion_.plans = PQresultStatus(planned.get()) == PGRES_TUPLES_OK;
  if (!opinion_.plans) {
    opinion_.state = field(planned, PG_DIAG_SQLSTATE);
    opinion_.message = field(planned, PG_DIAG_MESSAGE_PRIMARY);
    opinion_.plans = opinion_.state.starts_with("22");
  }
  return opinion_;
}

// Up to 15 the columns that are read stand with each table, later in a list of their own.
void ServerWitness::read_tree() {
  std::replace(tree_.begin(), tree_.end(), '\n', ' ');  // the server breaks its lines
  const bool apart = PQserverVersion(connection_.get()) >= 160000;
  const std::string before = apart ? "{RTEPERMISSIONINFO :relid " : ":rtekind 0 :relid ";
  size_t at = 0;
  while ((at = tree_.find(before, at)) != std::string::npos) {
    at += before.size();
    const std::string oid = tree_.substr(at, tree_.find(' ', at) - at);
    const size_t columns = tree_.find(":selectedCols (b", at);
    if (columns == std::string::npos) return;
    const auto table = tables_.find(oid);
    size_t digit = columns + 16;
    while (digit < tree_.size() && tree_[digit] != ')') {
      if (tree_[digit] == ' ') {
        ++digit;
        continue;
      }
      const int number = std::atoi(tree_.c_str() + digit) - 7;
      while (tree_[digit] >= '0' && tree_[digit] <= '9') ++digit;
      if (number <= 0) {
        opinion_.whole_row = true;
      } else if (table != tables_.end()) {
        opinion_.columns.emplace(table->second.first, table->second.second[number]);
      }
    }
    at = digit;
  }
}

}  // namespace pccsql
