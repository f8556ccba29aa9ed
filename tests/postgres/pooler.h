// A pgbouncer of the test's own before its server, in transaction pooling: each transaction may get another connection to the
// server. Where none is installed, tests are skipped.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "postgres/server.h"

namespace pccsql {

class PgPooler {
 public:
  // `connections` to the server are all that its clients share. nullptr: there is none.
  static std::unique_ptr<PgPooler> start(const PgServer& server, const std::vector<std::string>& roles, int connections);
  ~PgPooler();
  PgPooler(const PgPooler&) = delete;
  PgPooler& operator=(const PgPooler&) = delete;

  std::string address(std::string_view database, std::string_view role) const;

 private:
  explicit PgPooler(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace pccsql
