// Random queries over a catalogue of PostgreSQL's dialect: mostly of the language and of fitting types, now and then neither.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "schema/catalog.h"

namespace pccsql {

class PgQueryGenerator {
 public:
  PgQueryGenerator(const Catalog& catalog, uint64_t seed) : catalog_(catalog), random_(seed) {}

  std::string query();

 private:
  struct Name {
    std::string text;
    PgKind kind = PgKind::Opaque;
  };
  struct Source {
    std::string alias;
    std::vector<Name> columns;
  };
  using Scope = std::vector<Source>;

  size_t below(size_t n) { return n == 0 ? 0 : std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  PgKind some_kind();
  std::string literal(PgKind kind);
  std::string column(PgKind kind);
  std::string value(PgKind kind, int depth);
  std::string condition(int depth);
  std::string aggregate(PgKind kind, int depth);
  std::string scalar_query(PgKind kind, int depth);
  std::string select(int depth, std::vector<PgKind> wanted, bool in_set, std::vector<Name>* outputs = nullptr);
  std::string from_item(Scope& scope, int depth);
  std::string from(Scope& scope, int depth);
  std::string window(int depth);

  const Catalog& catalog_;
  std::mt19937_64 random_;
  std::vector<Scope> scopes_;  // the innermost last
  std::vector<Source> ctes_;
  bool grouped_ = false;
  int aliases_ = 0;
};

}  // namespace pccsql
