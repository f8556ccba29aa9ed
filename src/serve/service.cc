#include "serve/service.h"

#include "base/file.h"
#include "base/json.h"
#include "base/render.h"
#include "base/text.h"
#include "eval/machine.h"
#include "model/sha256.h"
#include "serve/estate.h"
#include "serve/keys.h"

namespace pccsql {

Reply refusal(int status, std::string_view code, std::string_view message, unsigned retry_after) {
  const Json json{{"error",
                   {{"message", message},
                    {"type", status < 500 ? "invalid_request_error" : "server_error"},
                    {"param", nullptr},
                    {"code", code}}}};
  return {status, dumped(json), retry_after};
}

Service::Service(Model* model, const ServeLimits& limits)
    : model_(model), answers_(limits.at_once, limits.queue), queries_(limits.at_once, limits.queue) {
  if (model_ != nullptr) batched_ = std::make_unique<BatchedModel>(*model_);
}

Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::open(ServeConfig config, Model* model, const std::string& model_file) {
  auto estate = open_estate(std::move(config));
  if (!estate) return estate.error();
  const ServeConfig& opened = (*estate)->config;
  std::unique_ptr<Service> service(new Service(model, opened.limits));
  if (opened.audit) {
    auto audit = AuditFile::open(*opened.audit);
    if (!audit) return audit.error();
    service->audit_.emplace(*std::move(audit));
    if (model != nullptr) {
      const auto hash = model->hash();
      if (!hash) return Error{hash.error().message, model_file, {}};
      service->model_hash_ = *hash;
      const auto adapter = model->adapter_hash();
      if (!adapter) return adapter.error();
      service->adapter_hash_ = *adapter;
    }
  }
  if (model != nullptr) {
    service->model_name_ = model->name();
    service->decoders_ = std::make_unique<Decoders>(*service);
  }
  service->estate_ = *std::move(estate);
  return service;
}

// Every policy for every database that it opens: what does not fit is found before anybody asks.
Result<std::shared_ptr<Service::Estate>> Service::open_estate(ServeConfig config) {
  auto made = std::make_shared<Estate>();
  made->config = std::move(config);
  for (const ServedPolicy& policy : made->config.policies) {
    for (const auto& [database, file] : policy.files) {
      const ServedDatabase* const served = made->config.database(database);
      if (served == nullptr) return Error{"there is no database `" + database + "`", made->config.file, policy.at};
      const auto text = read_file(file);
      if (!text) return text.error();
      auto access = Access::open(*served, policy.name, file, *text);
      if (!access) return access.error();
      made->accesses[{policy.name, database}] = *std::move(access);
    }
  }
  return made;
}

std::shared_ptr<Service::Estate> Service::estate() const {
  const std::lock_guard lock(mutex_);
  return estate_;
}

ServeConfig Service::config() const { return estate()->config; }

bool Service::knows_people() const { return !estate()->config.people.empty(); }

Result<Done> Service::reload(ServeConfig config) {
  const std::lock_guard changing(change_mutex_);
  const std::string fixed = needs_restart(estate()->config, config);
  if (!fixed.empty()) return Error{fixed + " cannot change while the server runs; start it again", config.file, {}};
  auto opened = open_estate(std::move(config));
  if (!opened) return opened.error();
  if (const auto& path = (*opened)->config.audit) {
    // The file may have been moved aside, for a new one to begin.
    auto audit = AuditFile::open(*path);
    if (!audit) return audit.error();
    const std::lock_guard lock(audit_mutex_);
    audit_.emplace(*std::move(audit));
  }
  const std::lock_guard lock(mutex_);
  estate_ = *std::move(opened);
  return Done{};
}

void Service::drain(std::chrono::steady_clock::time_point deadline) {
  answers_.close();
  queries_.close();
  watch_.hurry(deadline);
  const auto last = deadline + std::chrono::seconds(2);  // who was stopped needs a moment
  answers_.wait_until_empty(last);
  queries_.wait_until_empty(last);
  tellings_.wait_until_empty(last);
}

std::optional<Caller> Service::caller_of(std::string_view key) const {
  const auto now = estate();
  if (now->config.people.empty()) return Caller{"", now->config.policies.front().name, false};
  const std::string digest = sha256_hex(key);
  std::optional<Caller> found;
  for (const Person& person : now->config.people) {  // all of them, whoever it is
    if (same_digest(person.key_sha256, digest)) found = Caller{person.name, person.policy, person.admin};
  }
  return found;
}

std::variant<std::shared_ptr<Access>, Reply> Service::access(const Caller& caller, const std::string& database) const {
  return access(caller, database, caller.policy);
}

std::variant<std::shared_ptr<Access>, Reply> Service::access(const Caller& caller, const std::string& database,
                                                             const std::string& policy) const {
  if (policy != caller.policy && !caller.admin) return refusal(403, "admins_only", "another policy than one's own is for admins");
  const auto now = estate();
  const std::lock_guard lock(now->mutex);
  std::vector<std::string> opened;
  for (const auto& [key, access] : now->accesses) {
    if (key.first == policy) opened.push_back(key.second);
  }
  if (opened.empty()) return refusal(404, "policy_unknown", "there is no policy `" + printable(policy) + "`");
  if (database.empty() && opened.size() != 1) {
    std::string names;
    for (const std::string& name : opened) names += (names.empty() ? "`" : ", `") + name + "`";
    return refusal(400, "database_missing", "which database? Name one of " + names + " as `database`");
  }
  const auto found = now->accesses.find({policy, database.empty() ? opened.front() : database});
  if (found != now->accesses.end()) return found->second;
  const std::string close = closest_match(database, opened);
  return refusal(404, "database_unknown",
                 "there is no database `" + printable(database) + "`" + (close.empty() ? "" : "; did you mean `" + close + "`?"));
}

Result<std::shared_ptr<Access>> Service::renewed(const std::shared_ptr<Access>& old) {
  auto fresh = Access::open(old->database(), old->policy_name(), old->policy_file(), old->policy_text());
  if (!fresh) return fresh.error();
  const auto now = estate();
  const std::lock_guard lock(now->mutex);
  const auto found = now->accesses.find({old->policy_name(), old->database().name});
  // Another caller may have been here first, or the configuration may be another one: then that is what counts.
  if (found != now->accesses.end() && found->second == old) found->second = *fresh;
  return fresh;
}

std::optional<Reply> Service::enter(Gate& gate, const Visit& visit, std::chrono::steady_clock::time_point deadline) const {
  switch (gate.enter(deadline, visit.gone)) {
    case Gate::Entry::In:
      return std::nullopt;
    case Gate::Entry::Full:
      return refusal(429, "busy", "too many are waiting already; try again in a few seconds", 5);
    case Gate::Entry::Late:
      return refusal(429, "busy", "no place became free in time; try again later", 10);
    case Gate::Entry::Gone:
      return refusal(499, "gone", "the caller has left");
    case Gate::Entry::Closed:
      break;
  }
  return refusal(503, "stopping", "the server is stopping", 30);
}

bool Service::covers(const Caller& caller) const { return !caller.admin && !estate()->config.name_hidden; }

std::string Service::covered(const Caller& caller, const Access& access, std::string json, const std::string& spoken) const {
  if (!covers(caller) || access.hidden().none()) return json;
  return access.hidden().cover_json(json, Spoken(spoken));
}

Result<Done> Service::write_down(const std::string& line) {
  const std::lock_guard lock(audit_mutex_);  // around the question, too: while the file is opened anew there is none for a moment
  return audit_ ? audit_->add(line) : Result<Done>(Done{});
}

Reply Service::noted(const Visit& visit, Reply reply, std::string_view what) {
  if (reply.ok() || reply.noted) return reply;
  constexpr size_t kStrangersAMinute = 600;  // who has no key must not be able to fill the disk
  constexpr size_t kLongestWhat = 256;
  reply.noted = true;
  meter_.count_refused(reply.status);
  if (visit.caller.name.empty() && strangers_.ask("", kStrangersAMinute) > 0) {
    ++strangers_left_out_;
    return reply;
  }
  const auto told = parsed_json(reply.body);
  Json line{{"time", now_utc()},
            {"who", visit.caller.name},
            {"door", visit.door},
            {"policy", visit.caller.policy},
            {"kind", "turned away"},
            {"what", what.substr(0, kLongestWhat)},
            {"status", reply.status},
            {"reason", told && told->contains("error") ? (*told)["error"]["message"] : Json("")}};
  if (const uint64_t left_out = strangers_left_out_.exchange(0); left_out > 0) line["left_out_before"] = left_out;
  // What cannot be written down here has had no answer either.
  (void)write_down(printable_json(dumped(line)) + "\n");
  return reply;
}

Reply Service::audit(const Visit& visit, size_t most) const {
  if (!visit.caller.admin) return refusal(403, "admins_only", "the audit is for admins");
  const auto path = estate()->config.audit;
  if (!path) return refusal(404, "no_audit", "this server keeps no audit; name a file as `audit` in its configuration");
  const auto text = last_lines(*path, most);
  if (!text) return refusal(500, "audit_unreadable", "the audit cannot be read back");
  Json lines = Json::array();
  for (const std::string& one : *text) {
    if (auto line = parsed_json(one)) lines.push_back(*std::move(line));
  }
  return {200, printable_json(dumped(Json{{"lines", std::move(lines)}}))};
}

Service::Decoders::Decoders(Service& service) : service_(service) { settings_.memory = Memory(size_t{256} << 20); }

std::shared_ptr<Decoder> Service::Decoders::take(Method method) {
  std::unique_ptr<Decoder> decoder;
  {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[method];
    if (!idle.empty()) {
      decoder = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!decoder) decoder = make_decoder(method, *service_.batched(), settings_);
  return {decoder.release(), [this, method](Decoder* back) {
            std::unique_ptr<Decoder> owned(back);
            const std::lock_guard lock(mutex_);
            idle_[method].push_back(std::move(owned));
          }};
}

}  // namespace pccsql
