// PgChecker: the judge of finished queries in PostgreSQL's dialect.
//
// It reads the server's own parser's tree, resolves names and types by itself, and shares catalogue and policy with the rest
// of the project and nothing else. Whatever it cannot type is outside; a connection, where there is one, can tell which of
// those the server would refuse (exec/pg_witness.h). It knows profile strict and the full language alone.
#pragma once

#include <memory>
#include <string_view>

#include "policy/judgement.h"
#include "schema/catalog.h"

namespace pccsql {

class PgChecker final : public QueryChecker {
 public:
  // PRE: the catalogue is of PostgreSQL's dialect.
  explicit PgChecker(const Catalog& catalog);
  ~PgChecker() override;
  PgChecker(PgChecker&&) noexcept;

  const Analysis& analyze(std::string_view sql) override;
  Result<RunText> run_text(std::string_view sql, const Policy& policy) override;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

}  // namespace pccsql
