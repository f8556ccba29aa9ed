#include "apps/session.h"

#include <utility>

namespace pccsql {

CheckSession::CheckSession(const Source& source, CheckSettings settings, bool with_policy, bool with_run,
                 std::optional<PgWitness> server)
    : source_(source),
      settings_(settings),
      with_policy_(with_policy),
      with_run_(with_run),
      server_(std::move(server)) {}

Verdict CheckSession::settled(Verdict verdict, const std::string& sql) {
  if (!server_ || verdict == Verdict::Safe || verdict == Verdict::Unsafe) return verdict;
  const auto takes = server_->takes(sql);
  if (!takes) return verdict;
  return *takes ? Verdict::Outside : Verdict::Error;
}

Result<CheckSession::Seat*> CheckSession::seat_for(const std::optional<std::string>& db_id) {
  const std::string key = db_id ? "=" + *db_id : "";
  const auto known = seat_of_.find(key);
  if (known != seat_of_.end()) return known->second;
  auto catalog = source_.catalog(db_id);
  if (!catalog) return catalog.error();
  if (auto unknown = unknown_settings(**catalog, settings_)) return *unknown;
  for (Seat& seat : seats_) {
    if (&seat.catalog == *catalog) return seat_of_[key] = &seat;
  }
  seats_.emplace_back(**catalog, settings_);
  return seat_of_[key] = &seats_.back();
}

const Result<Policy>& CheckSession::policy_for(Seat& seat, const std::optional<std::string>& brought) {
  if (!brought) {
    if (!seat.policy) seat.policy = source_.policy(seat.catalog);
    return *seat.policy;
  }
  constexpr size_t kKept = 4096;  // a run in which every line brings a policy of its own must not fill the memory
  auto known = seat.brought.find(*brought);
  if (known == seat.brought.end()) {
    if (seat.brought.size() >= kKept) seat.brought.clear();
    known = seat.brought.emplace(*brought, source_.policy(seat.catalog, *brought)).first;
  }
  return known->second;
}

Report CheckSession::answer(const Request& request) {
  Report report;
  report.id = request.id;
  report.sql = request.sql;
  report.with_policy = with_policy_;
  report.reason = request.error;
  if (!request.error.empty()) return report;
  auto found = seat_for(request.db_id);
  if (!found) {
    report.reason = found.error().to_string();
    return report;
  }
  Seat& seat = **found;
  const Policy* policy = nullptr;
  if (with_policy_) {
    const Result<Policy>& its = policy_for(seat, request.policy);
    if (!its) {
      report.reason = (request.policy ? "the line's policy: " : "") + its.error().to_string();
      return report;
    }
    policy = &*its;
  }
  Report made = report_on(request.sql, seat.catalog, *seat.checker, policy, with_run_);
  made.id = request.id;
  made.verdict = settled(made.verdict, request.sql);
  return made;
}

}  // namespace pccsql
