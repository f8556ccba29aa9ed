#include "apps/session.h"

#include <utility>

namespace pccsql {

Session::Session(const Source& source, CheckSettings settings, bool with_policy, bool with_run,
                 std::optional<PgWitness> server)
    : source_(source),
      settings_(settings),
      with_policy_(with_policy),
      with_run_(with_run),
      server_(std::move(server)) {}

Verdict Session::settled(Verdict verdict, const std::string& sql) {
  if (!server_ || verdict == Verdict::Safe || verdict == Verdict::Unsafe) return verdict;
  const auto takes = server_->takes(sql);
  if (!takes) return verdict;
  return *takes ? Verdict::Outside : Verdict::Error;
}

Result<Session::Seat*> Session::seat_for(const std::optional<std::string>& db_id) {
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

const Result<Policy>& Session::policy_for(Seat& seat, const std::optional<std::string>& brought) {
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

Report Session::answer(const Request& request) {
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
  const auto describe = [&](const Occurrence& use) {
    const Table& table = seat.catalog.table(use.column.table);
    return UseReport{table.name, table.columns[use.column.column].name, use.role, use.span};
  };
  if (!with_policy_) {
    const Analysis& analysis = seat.checker->analyze(request.sql);
    report.verdict = settled(analysis.verdict, request.sql);
    report.reason = analysis.reason;
    report.where = analysis.where;
    for (const Occurrence& use : analysis.uses) report.uses.push_back(describe(use));
    return report;
  }
  const Result<Policy>& policy = policy_for(seat, request.policy);
  if (!policy) {
    report.reason = (request.policy ? "the line's policy: " : "") + policy.error().to_string();
    return report;
  }
  const Analysis& analysis = seat.checker->analyze(request.sql);
  Judgement judgement = seat.checker->judge(analysis, *policy);
  report.verdict = settled(judgement.verdict, request.sql);
  report.reason = std::move(judgement.reason);
  report.where = judgement.where;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    report.uses.push_back(describe(use));
    report.uses.back().policy = judgement.policies[i];
    report.uses.back().permitted = judgement.permitted[i];
    if (judgement.permitted[i]) continue;
    report.complaints.push_back({use.span, complaint(seat.catalog, use, judgement.policies[i])});
  }
  for (const NamedTable& mention : judgement.closed_tables) {
    report.complaints.push_back({mention.span, complaint(seat.catalog, mention)});
  }
  if (!with_run_ || report.verdict != Verdict::Safe) return report;
  if (auto run = seat.checker->run_text(request.sql, *policy); run) {
    report.said = said(seat.catalog, *policy, *run);
    report.run = std::move(*run);
  } else {
    report.run_problem = run.error().message;
  }
  return report;
}

}  // namespace pccsql
