// SqliteChecker: the first judge of SQLite's dialect. A finished query -> what it uses, column by column and role by role, and a
// verdict.
//
// It works from the definition in docs/policy.md on its own: it shares grammar, lexer, catalogue and policy with the
// tracker, and nothing else.
#pragma once

#include <memory>
#include <string_view>

#include "policy/judgement.h"
#include "schema/catalog.h"

namespace pccsql {

class SqliteChecker final : public QueryChecker {
 public:
  explicit SqliteChecker(const Catalog& catalog, CheckSettings settings = {});
  ~SqliteChecker() override;
  SqliteChecker(SqliteChecker&&) noexcept;

  const Analysis& analyze(std::string_view sql) override;
  Result<RunText> run_text(std::string_view sql, const Policy& policy) override;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

}  // namespace pccsql
