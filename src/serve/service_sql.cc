// The service's judgements: what the checker says of a query, what it uses, what may come after a beginning. Nothing is run.
#include "base/json.h"
#include "base/render.h"
#include "eval/machine.h"
#include "serve/estate.h"
#include "serve/explained.h"
#include "serve/report.h"
#include "serve/service.h"

namespace pccsql {
namespace {

// Never the file's path: that is the server's own business.
Reply unwritten() { return refusal(500, "audit_failed", "the answer could not be written down, so it is not shown"); }

}  // namespace

Result<Done> Service::write_judged(const Visit& visit, const Access& its, std::string_view kind, std::string_view what, const std::string& text,
                                   std::string_view verdict, const std::string& reason) {
  const Json line{{"time", now_utc()},
                  {"who", visit.caller.name},
                  {"door", visit.door},
                  {"database", its.database().name},
                  {"policy", its.policy_name()},
                  {"kind", kind},
                  {what, text},
                  {"verdict", verdict},
                  {"reason", reason},
                  {"policy_hash", its.policy_hash()}};
  return write_down(printable_json(dumped(line)) + "\n");
}

Reply Service::check(const Visit& visit, const std::string& database, const std::string& sql, bool with_run) {
  const auto found = access(visit.caller, database);
  if (const auto* reply = std::get_if<Reply>(&found)) return *reply;
  const Access& its = *std::get<std::shared_ptr<Access>>(found);
  const std::shared_ptr<Seat> seat = its.seat(hidden_for(visit.caller));
  const Report report = report_on(sql, its.catalog(), *seat->checker, &its.policy(), with_run);
  const std::string verdict(to_string(report.verdict));
  if (!write_judged(visit, its, "checked", "sql", sql, verdict, report.reason)) return unwritten();
  meter_.count_verdict(verdict);
  return {200, covered(visit.caller, its, to_json(report), sql)};
}

Reply Service::roles(const Visit& visit, const std::string& database, const std::string& sql) {
  const auto found = access(visit.caller, database);
  if (const auto* reply = std::get_if<Reply>(&found)) return *reply;
  const Access& its = *std::get<std::shared_ptr<Access>>(found);
  const std::shared_ptr<Seat> seat = its.seat(hidden_for(visit.caller));
  const Report report = report_on(sql, its.catalog(), *seat->checker, nullptr, false);
  if (!write_judged(visit, its, "roles", "sql", sql, to_string(report.verdict), report.reason)) return unwritten();
  return {200, covered(visit.caller, its, to_json(report), sql)};
}

Reply Service::explain(const Visit& visit, const std::string& database, const std::string& prefix) {
  constexpr size_t kLongest = size_t{16} << 10;
  const auto found = access(visit.caller, database);
  if (const auto* reply = std::get_if<Reply>(&found)) return *reply;
  if (prefix.size() > kLongest) {
    return refusal(400, "prefix_long", "a beginning of a query has at most " + std::to_string(kLongest) + " bytes here");
  }
  const Access& its = *std::get<std::shared_ptr<Access>>(found);
  const auto engine = its.completer();
  if (!engine) return refusal(500, "no_engine", engine.error().message);
  Explained explained = pccsql::explain(**engine, prefix);
  if (!write_judged(visit, its, "explained", "prefix", prefix, explained.admitted ? "admitted" : "stopped", explained.reason)) return unwritten();
  if (covers(visit.caller)) {
    // What he may not use is no completion, and its name would say that it is there.
    const Spoken spoken(prefix);
    std::erase_if(explained.explanation.blocked,
                  [&](const Explanation::Name& name) { return its.hidden().cover(name.text, spoken) != name.text; });
  }
  return {200, covered(visit.caller, its, to_json(explained), prefix)};
}

}  // namespace pccsql
