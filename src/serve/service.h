// Service: what every door of the server does for a caller. HTTP, the OpenAI-compatible door, MCP and the page only put it
// into their own words, so that one rule holds at all of them.
//
// A caller is a person of the server's file, and so a policy; what that policy does not open is not there for him. Answers
// are made by as many at once as the file lets, on one model, whose passes they share (model/batched.h); who comes beyond
// waits in a bounded queue. No row leaves before its answer is in the audit.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "decode/decoder.h"
#include "model/batched.h"
#include "serve/access.h"
#include "serve/ask_report.h"
#include "serve/audit_file.h"
#include "serve/config.h"
#include "serve/gate.h"
#include "serve/meter.h"
#include "serve/watch.h"

namespace pccsql {

struct Caller {
  std::string name;  // empty: everybody is the one policy
  std::string policy;
  bool admin = false;
};

// What goes back to a caller: JSON, with the status that HTTP gives it.
struct Reply {
  int status = 200;
  std::string body;
  unsigned retry_after = 0;  // seconds; 0: says nothing of it
  bool noted = false;        // of a refusal: it is in the audit

  bool ok() const { return status < 400; }
};

// `{"error": {"message", "type", "param", "code"}}`, as clients of chat endpoints read it, too.
Reply refusal(int status, std::string_view code, std::string_view message, unsigned retry_after = 0);

// One request, from where it came in.
struct Visit {
  Caller caller;
  std::string door;            // "http", "openai", "mcp", "page"
  std::function<bool()> gone;  // the caller has left; may be asked by another thread
  // Events of an answer as they happen, with their JSON; false: he cannot be told any more.
  std::function<bool(std::string_view event, const std::string& json)> tell;
};

// A change to a policy that is tried, or saved.
struct PolicyDraft {
  struct Label {
    std::string table, column, policy;
  };
  std::string database, policy;     // as of Service::policy
  std::optional<std::string> text;  // nothing: the one that holds
  std::vector<Label> labels;        // put into the text
};

class Service {
 public:
  // `model` may be nullptr: then nothing is asked. PRE: it outlives the service.
  static Result<std::unique_ptr<Service>> open(ServeConfig config, Model* model, const std::string& model_file);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Takes up another configuration, whole or not at all.
  Result<Done> reload(ServeConfig config);
  // No new questions and queries; those that run may end until the deadline, and are then stopped.
  void drain(std::chrono::steady_clock::time_point deadline);

  ServeConfig config() const;
  bool knows_people() const;

  // Who shows this key; without people everybody, whatever he shows.
  std::optional<Caller> caller_of(std::string_view key) const;

  Reply databases(const Visit& visit) const;
  Reply models(const Visit& visit) const;
  Reply schema(const Visit& visit, const std::string& database) const;
  // `policy`: admins may look at another than their own.
  Reply policy(const Visit& visit, const std::string& database, const std::string& policy) const;
  // Tables and columns whose names, types or comments hold one of the words; all of them where there are no words.
  Reply search(const Visit& visit, const std::string& database, const std::string& words) const;

  Reply check(const Visit& visit, const std::string& database, const std::string& sql, bool with_run);
  Reply roles(const Visit& visit, const std::string& database, const std::string& sql);
  Reply explain(const Visit& visit, const std::string& database, const std::string& prefix);
  Reply run(const Visit& visit, const std::string& database, const std::string& sql);

  // A question in two steps: whether it may be asked now, which can take a while, and the answer. In between a door can say
  // that an answer is coming.
  class Turn;
  std::variant<std::shared_ptr<Turn>, Reply> admit(const Visit& visit, const std::string& database, const std::string& question,
                                                   const std::optional<std::string>& evidence);
  Reply answer(const Visit& visit, Turn& turn);
  Reply ask(const Visit& visit, const std::string& database, const std::string& question,
            const std::optional<std::string>& evidence);

  // For admins: the last lines of the audit, the newest first.
  Reply audit(const Visit& visit, size_t most) const;
  // For admins: another text for a policy, with what lint says of it and which past answers it would change.
  Reply try_policy(const Visit& visit, const PolicyDraft& draft);
  // For admins: takes the text up and writes it into the policy's file, whole or not at all. `based_on` is the `text_sha256` that
  // the draft began with: what somebody else has saved meanwhile is not undone.
  Reply save_policy(const Visit& visit, const PolicyDraft& draft, const std::string& based_on);

  // The same reply; in the audit, where it refuses something and is not there yet.
  Reply noted(const Visit& visit, Reply reply, std::string_view what);
  std::string metrics() const;

 private:
  struct Estate;  // one configuration with all that was opened for it

  Service(Model* model, const ServeLimits& limits);
  static Result<std::shared_ptr<Estate>> open_estate(ServeConfig config);
  std::shared_ptr<Estate> estate() const;

  // The caller's access to a database; where he has one alone it need not be named.
  std::variant<std::shared_ptr<Access>, Reply> access(const Caller& caller, const std::string& database) const;
  // That of another policy, for admins.
  std::variant<std::shared_ptr<Access>, Reply> access(const Caller& caller, const std::string& database, const std::string& policy) const;
  // The database's schema is no longer the one that was read: the access is opened anew.
  Result<std::shared_ptr<Access>> renewed(const std::shared_ptr<Access>& old);

  std::optional<Reply> enter(Gate& gate, const Visit& visit, std::chrono::steady_clock::time_point deadline) const;
  // Runs what was judged safe. `access` and `seat` are others afterwards where the schema had changed.
  void run_query(HiddenColumns hidden, std::shared_ptr<Access>& access, std::shared_ptr<Seat>& seat, Asked& asked, const std::atomic<bool>& stop);
  // Written down first; then what may be told.
  Reply finish(const Visit& visit, const Access& access, Asked& asked, const std::string& spoken);
  // A question or query that had no answer.
  Reply failed(const Visit& visit, const Access& access, Reply reply, const std::string& what, const std::string& text);
  // A query that was judged, or a beginning that was looked at, and not run.
  Result<Done> write_judged(const Visit& visit, const Access& access, std::string_view kind, std::string_view what, const std::string& text,
                            std::string_view verdict, const std::string& reason);
  // Whether names of Hidden columns are kept from him; and so what a model that answers him may be told.
  bool covers(const Caller& caller) const;
  HiddenColumns hidden_for(const Caller& caller) const { return covers(caller) ? HiddenColumns::LeftOut : HiddenColumns::Named; }
  std::string covered(const Caller& caller, const Access& access, std::string json, const std::string& spoken) const;
  Result<Done> write_down(const std::string& line);

  class Decoders;

  BatchedModel* batched() const { return batched_.get(); }

  Model* const model_;
  std::string model_name_, model_hash_, adapter_hash_;
  std::unique_ptr<BatchedModel> batched_;
  std::unique_ptr<Decoders> decoders_;

  mutable std::mutex mutex_;  // around the estate
  std::shared_ptr<Estate> estate_;
  std::mutex change_mutex_;  // around whatever puts another configuration, or another text of a policy, in its place

  std::mutex audit_mutex_;
  std::optional<AuditFile> audit_;
  MinuteLimit strangers_;  // lines of the audit for those that nobody knows
  std::atomic<uint64_t> strangers_left_out_ = 0;

  Gate answers_, queries_;
  Gate tellings_{SIZE_MAX, 0};  // of questions: asked and not yet told to the end; nobody waits for these
  MinuteLimit minutes_;
  Watch watch_;
  mutable Meter meter_;
};

}  // namespace pccsql
