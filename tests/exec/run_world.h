// A database with a policy, for tests that run queries on it.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

#include "exec/runner.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {

inline Runner open_runner(const std::string& path, std::string_view yaml, RunLimits limits = {},
                          Profile profile = Profile::Strict) {
  const auto catalog = read_sqlite_catalog(path);
  if (!catalog) throw std::runtime_error(catalog.error().to_string());
  const auto policy = parse_policy_yaml(yaml, *catalog);
  if (!policy) throw std::runtime_error(policy.error().to_string());
  auto made = Runner::open(path, *catalog, *policy, profile, limits);
  if (!made) throw std::runtime_error(made.error().to_string());
  return std::move(*made);
}

// Empty: it ran.
inline std::string message_of(Runner& runner, std::string_view sql, const std::atomic<bool>* cancel = nullptr) {
  const auto rows = runner.run(sql, cancel);
  return rows ? "" : rows.error().message;
}

// The rows of a query of one column, as text, with blanks between.
inline std::string column_of(Runner& runner, std::string_view sql) {
  const auto rows = runner.run(sql);
  if (!rows) return rows.error().message;
  std::string text;
  for (const auto& row : rows->rows) {
    if (!text.empty()) text += ' ';
    if (const auto* integer = std::get_if<int64_t>(&row[0])) text += std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&row[0])) text += "r" + std::to_string(static_cast<int64_t>(*real));
    if (const auto* words = std::get_if<std::string>(&row[0])) text += *words;
    if (const auto* blob = std::get_if<Blob>(&row[0])) text += "x'" + blob->bytes + "'";
    if (std::holds_alternative<Null>(row[0])) text += "NULL";
  }
  return text;
}

// Changes a database behind a runner's back.
inline void change(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  const bool ok = sqlite3_open(path.c_str(), &db) == SQLITE_OK &&
                  sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  const std::string message = sqlite3_errmsg(db);
  sqlite3_close(db);
  if (!ok) throw std::runtime_error(message);
}

}  // namespace pccsql
