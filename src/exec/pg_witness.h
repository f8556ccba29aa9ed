// PgWitness: the server as outside evidence. It prepares and plans a query without running it.
#pragma once

#include <string>
#include <string_view>

#include "exec/pg_session.h"

namespace pccsql {

class PgWitness {
 public:
  static Result<PgWitness> open(const std::string& address, const std::string& schema);

  // Whether the server would take the text as one query: it prepares, and there is a plan for it.
  Result<bool> takes(std::string_view sql);

 private:
  explicit PgWitness(PgSession session) : session_(std::move(session)) {}
  PgSession session_;
};

}  // namespace pccsql
