// The service's questions and queries: judged, run behind the fence, written down, told.
#include <utility>

#include "base/json.h"
#include "base/render.h"
#include "base/text.h"
#include "eval/machine.h"
#include "schema/pg_connection.h"
#include "serve/estate.h"
#include "serve/service.h"

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLongestQuestion = 8192;

}  // namespace

std::variant<std::shared_ptr<Service::Turn>, Reply> Service::admit(const Visit& visit, const std::string& database,
                                                                   const std::string& question,
                                                                   const std::optional<std::string>& evidence) {
  auto found = access(visit.caller, database);
  if (auto* reply = std::get_if<Reply>(&found)) return *reply;
  auto& its = std::get<std::shared_ptr<Access>>(found);
  const auto turned_away = [&](Reply reply) { return failed(visit, *its, std::move(reply), "question", question); };
  if (trimmed(question).empty()) return turned_away(refusal(400, "question_empty", "the question is empty"));
  if (question.size() + evidence.value_or("").size() > kLongestQuestion) {
    return turned_away(refusal(400, "question_long", "a question has at most " + std::to_string(kLongestQuestion) + " bytes"));
  }
  if (find_invalid_utf8(question + evidence.value_or("")) != std::string::npos) return turned_away(refusal(400, "not_utf8", "the question is not UTF-8"));
  if (model_ == nullptr) {
    return turned_away(refusal(503, "no_model", "this server has no model; queries can be checked and run, questions cannot be asked"));
  }
  const ServeLimits limits = estate()->config.limits;
  if (const unsigned wait = minutes_.ask(visit.caller.name, limits.questions_per_minute); wait > 0) {
    return turned_away(refusal(429, "too_many_questions", "at most " + std::to_string(limits.questions_per_minute) + " questions a minute", wait));
  }
  const auto deadline = Clock::now() + std::chrono::seconds(limits.seconds);
  if (auto refused = enter(answers_, visit, deadline)) return turned_away(*std::move(refused));
  (void)tellings_.enter(deadline, nullptr);
  return std::make_shared<Turn>(*this, its, trimmed(question), evidence, deadline);
}

Reply Service::answer(const Visit& visit, Turn& turn) {
  Watch::Watched watched(watch_, turn.deadline, visit.gone);
  std::shared_ptr<Access> its = turn.access;
  std::shared_ptr<Seat> seat = its->seat(hidden_for(visit.caller));
  const std::string said = turn.question + "\n" + turn.evidence.value_or("");
  const Spoken spoken(said);
  const bool hides = covers(visit.caller);

  const auto tell = [&](std::string_view event, const std::string& json) {
    if (visit.tell && !visit.tell(event, json)) watched.leave();
  };
  CoveredStream stream(hides ? &its->hidden() : nullptr, spoken);
  std::string written;
  const auto tell_token = [&](const std::string& text) {
    if (!text.empty()) tell("token", printable_json(dumped(Json{{"text", text}})));
  };
  Listener listener;
  listener.stop = &watched.stop();
  if (visit.tell) {
    listener.on_text = [&](std::string_view piece) {
      written += piece;
      tell_token(stream.add(piece));
    };
    listener.on_discard = [&](size_t bytes) {
      written.resize(written.size() - std::min(bytes, written.size()));
      stream = CoveredStream(hides ? &its->hidden() : nullptr, spoken);
      tell("token", printable_json(dumped(Json{{"restart", true}, {"text", stream.add(written)}})));
    };
    listener.on_blocked = [&](const BlockedName& name) {
      const Json json{{"name", name.name}, {"role", name.role}, {"why", name.why}};
      tell("blocked", printable_json(covered(visit.caller, *its, dumped(json), said)));
    };
  }

  Asked asked;
  asked.question = turn.question;
  {
    const std::shared_ptr<Decoder> decoder = decoders_->take(its->database().method);
    asked.answer = decoder->answer(seat->subject, {turn.question, turn.evidence}, listener);
  }
  if (!asked.answer.stopped) {
    tell_token(stream.end());
    run_query(hidden_for(visit.caller), its, seat, asked, watched.stop());
  }
  turn.place.reset();
  asked.catalog = &its->catalog();
  asked.policy = &its->policy();
  if (watched.stop()) {
    meter_.count_late();
    const Reply reply = watched.late() ? refusal(504, "late", "no answer in time; ask for less, or try again later", 10)
                                       : refusal(499, "gone", "the caller has left");
    return failed(visit, *its, reply, "question", turn.question);
  }
  return finish(visit, *its, asked, said);
}

Reply Service::ask(const Visit& visit, const std::string& database, const std::string& question,
                   const std::optional<std::string>& evidence) {
  auto turn = admit(visit, database, question, evidence);
  if (auto* reply = std::get_if<Reply>(&turn)) return *reply;
  return answer(visit, *std::get<std::shared_ptr<Turn>>(turn));
}

Reply Service::run(const Visit& visit, const std::string& database, const std::string& sql) {
  auto found = access(visit.caller, database);
  if (auto* reply = std::get_if<Reply>(&found)) return *reply;
  auto its = std::get<std::shared_ptr<Access>>(found);
  const auto deadline = Clock::now() + std::chrono::seconds(estate()->config.limits.seconds);
  if (auto refused = enter(queries_, visit, deadline)) return failed(visit, *its, *std::move(refused), "sql", sql);
  const GatePlace place(queries_);
  Watch::Watched watched(watch_, deadline, visit.gone);
  std::shared_ptr<Seat> seat = its->seat(hidden_for(visit.caller));
  Asked asked;
  seat->subject.judge(sql, asked.answer);
  run_query(hidden_for(visit.caller), its, seat, asked, watched.stop());
  asked.catalog = &its->catalog();
  asked.policy = &its->policy();
  if (watched.stop()) {
    meter_.count_late();
    const Reply reply = watched.late() ? refusal(504, "late", "the query did not end in time", 10) : refusal(499, "gone", "the caller has left");
    return failed(visit, *its, reply, "sql", sql);
  }
  return finish(visit, *its, asked, sql);
}

// As `ask` does it: where the schema is no longer the one that the query was judged by, or the database another one, it is read and
// the query judged again.
void Service::run_query(HiddenColumns hidden, std::shared_ptr<Access>& its, std::shared_ptr<Seat>& seat, Asked& asked, const std::atomic<bool>& stop) {
  constexpr int kAttempts = 3;
  for (int attempt = 0; asked.answer.outcome == Answer::Outcome::SafeSql && !stop; ++attempt) {
    Result<RowSet> rows = Error{std::string(kSchemaChanged), {}, {}};
    if (!its->replaced()) {
      const auto runner = its->runner(*seat);
      if (!runner && is_pg_address(its->database().place.address)) {
        // Why is the owner's to know: a server's words name its address and its roles.
        asked.problem = Error{"the database cannot be asked now; try again later, or tell who runs this server", {}, {}};
        return;
      }
      rows = runner ? (*runner)->run(*asked.answer.sql, *asked.answer.run, &stop) : Result<RowSet>(runner.error());
    }
    if (rows) {
      asked.nothing_left = asked.answer.run->changed() && rows->rows.empty();
      if (!asked.nothing_left) asked.rows = *std::move(rows);
      return;
    }
    asked.problem = rows.error();
    if (rows.error().message != kSchemaChanged || attempt == kAttempts) return;
    auto fresh = renewed(its);
    if (!fresh) {
      // What no longer fits may be a name that is kept from him, and one that is new would not be covered.
      const std::string why = hidden == HiddenColumns::Named ? ": " + fresh.error().message : "; tell who runs this server";
      asked.problem = Error{"the database's schema has changed, and what there is now cannot be asked" + why, {}, {}};
      return;
    }
    its = *std::move(fresh);
    seat = its->seat(hidden);
    asked.problem.reset();
    seat->subject.judge(std::string(*asked.answer.sql), asked.answer);
  }
}

Reply Service::finish(const Visit& visit, const Access& its, Asked& asked, const std::string& spoken) {
  const AskedBy by{visit.caller.name, visit.door, its.database().name, its.policy_name()};
  if (const auto written = write_down(audit_line(asked, asked.question ? model_name_ : "", asked.question ? model_hash_ : "",
                                                 asked.question ? adapter_hash_ : "",
                                                 its.policy_hash(), by));
      !written) {
    // Never the file's path: that is the server's own business.
    return refusal(500, "audit_failed", "the answer could not be written down, so it is not shown");
  }
  meter_.count_answer(asked, visit.door);
  if (asked.problem) asked.problem->file.clear();
  return {200, covered(visit.caller, its, to_json(asked), spoken)};
}

Reply Service::failed(const Visit& visit, const Access& its, Reply reply, const std::string& what, const std::string& text) {
  meter_.count_refused(reply.status);
  const auto told = parsed_json(reply.body);
  const Json line{{"time", now_utc()},
                  {"who", visit.caller.name},
                  {"door", visit.door},
                  {"database", its.database().name},
                  {"policy", its.policy_name()},
                  {"kind", "turned away"},
                  {what, text},
                  {"policy_hash", its.policy_hash()},
                  {"status", reply.status},
                  {"reason", told && told->contains("error") ? (*told)["error"]["message"] : Json("")}};
  (void)write_down(printable_json(dumped(line)) + "\n");
  reply.noted = true;
  return reply;
}

}  // namespace pccsql
