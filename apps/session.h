// CheckSession: answers requests. It keeps one checker per database and every policy it has read, so that a long run reads
// each once.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "apps/jsonl.h"
#include "serve/report.h"
#include "apps/source.h"
#include "dialect/dialect.h"
#include "exec/pg_witness.h"

namespace pccsql {

class CheckSession {
 public:
  // Without `with_policy` it tells what a query uses, and judges nothing. PRE: `source` outlives the session.
  // `with_run`: also of what is run for a query. A `server`, where the source is one, is asked which word is right for a query
  // that is refused: the judge alone cannot always tell what is outside the language from what PostgreSQL would not take.
  CheckSession(const Source& source, CheckSettings settings, bool with_policy, bool with_run = false,
          std::optional<PgWitness> server = {});

  // Whatever is wrong with a request is in its report, as verdict Error. The report's names are good as long as the
  // source.
  Report answer(const Request& request);

 private:
  struct Seat {
    Seat(const Catalog& its_catalog, CheckSettings settings)
        : catalog(its_catalog), checker(make_checker(its_catalog, settings)) {}

    const Catalog& catalog;
    std::unique_ptr<QueryChecker> checker;
    std::optional<Result<Policy>> policy;                     // of the file
    std::unordered_map<std::string, Result<Policy>> brought;  // by text, of the lines
  };

  Verdict settled(Verdict verdict, const std::string& sql);
  Result<Seat*> seat_for(const std::optional<std::string>& db_id);
  const Result<Policy>& policy_for(Seat& seat, const std::optional<std::string>& brought);

  const Source& source_;
  CheckSettings settings_;
  bool with_policy_;
  bool with_run_;
  std::optional<PgWitness> server_;
  std::deque<Seat> seats_;
  std::unordered_map<std::string, Seat*> seat_of_;  // by `=` and the db_id; "" is for requests that name none
};

}  // namespace pccsql
