// The first door: JSON over HTTP. The answer's JSON is that of `pccsql ask --format json`, the verdict's that of
// `pccsql check --format json`; a question may also be followed as server-sent events while it is answered.
#include <memory>
#include <utility>
#include <variant>

#include "base/render.h"
#include "serve/body.h"
#include "serve/doors.h"
#include "serve/routes.h"

namespace pccsql {
namespace {

using Served = Reply (*)(Service& service, const Visit& visit, const Json& body);

// Reads the body by the route's own list of fields; what is wrong with it is a 400.
DoorReply with_body(Service& service, DoorRequest& request, std::string_view path, Served serve) {
  Json body;
  for (const Route& route : routes()) {
    if (route.path != path || route.method != "POST") continue;
    if (auto wrong = read_body(request.body, route.fields, body)) return as_door_reply(*std::move(wrong));
  }
  return as_door_reply(serve(service, request.visit, body));
}

std::string event(std::string_view name, std::string_view json) {
  return "event: " + std::string(name) + "\ndata: " + std::string(json) + "\n\n";
}

// What follows the tokens and what was blocked among them, in the order in which somebody wants to read it: notes, the verdict, the
// rows, and all of it.
void tell_answer(const Reply& reply, const DoorReply::Send& send) {
  if (!reply.ok()) {
    send(event("error", reply.body));
    return;
  }
  const auto json = parsed_json(reply.body);
  if (!json) return;
  const auto part = [&json](std::initializer_list<const char*> names) {
    Json some = Json::object();
    for (const char* name : names) some[name] = (*json)[name];
    return printable_json(dumped(some));
  };
  if (!(*json)["left_out"].get<std::string>().empty()) send(event("note", printable_json(dumped(Json{{"note", (*json)["left_out"]}}))));
  for (const Json& withheld : (*json)["withheld"]) send(event("note", printable_json(dumped(Json{{"withheld", withheld}}))));
  send(event("verdict", part({"kind", "sql", "run", "verdict", "reason", "uses", "instead"})));
  if (!(*json)["rows"].is_null()) send(event("rows", part({"columns", "rows"})));
  send(event("done", printable_json(dumped(*json))));
}

}  // namespace

DoorReply as_door_reply(Reply reply) {
  DoorReply made;
  made.status = reply.status;
  made.body = std::move(reply.body);
  made.noted = reply.noted;
  if (reply.retry_after > 0) made.headers.emplace_back("Retry-After", std::to_string(reply.retry_after));
  return made;
}

DoorReply http_ask(Service& service, DoorRequest& request) {
  Json body;
  if (auto wrong = read_body(request.body, ask_fields(), body)) return as_door_reply(*std::move(wrong));
  const std::string evidence = text_field(body, "evidence");
  auto admitted = service.admit(request.visit, text_field(body, "database"), text_field(body, "question"),
                                evidence.empty() ? std::nullopt : std::optional(evidence));
  if (auto* reply = std::get_if<Reply>(&admitted)) return as_door_reply(std::move(*reply));
  auto turn = std::get<std::shared_ptr<Service::Turn>>(admitted);
  if (!flag_field(body, "stream") && request.accept.find("text/event-stream") == std::string::npos) {
    return as_door_reply(service.answer(request.visit, *turn));
  }
  DoorReply streamed;
  streamed.type = "text/event-stream";
  streamed.stream = [&service, turn](Visit visit, const DoorReply::Send& send) {
    visit.tell = [&send](std::string_view name, const std::string& json) { return send(event(name, json)); };
    tell_answer(service.answer(visit, *turn), send);
  };
  return streamed;
}

DoorReply http_check(Service& service, DoorRequest& request) {
  return with_body(service, request, "/v1/check", [](Service& its, const Visit& visit, const Json& body) {
    return its.check(visit, text_field(body, "database"), text_field(body, "sql"), flag_field(body, "show_run"));
  });
}

DoorReply http_roles(Service& service, DoorRequest& request) {
  return with_body(service, request, "/v1/roles", [](Service& its, const Visit& visit, const Json& body) {
    return its.roles(visit, text_field(body, "database"), text_field(body, "sql"));
  });
}

DoorReply http_explain(Service& service, DoorRequest& request) {
  return with_body(service, request, "/v1/explain", [](Service& its, const Visit& visit, const Json& body) {
    return its.explain(visit, text_field(body, "database"), text_field(body, "prefix"));
  });
}

namespace {

std::variant<PolicyDraft, Reply> draft_in(const Json& body) {
  PolicyDraft draft{text_field(body, "database"), text_field(body, "policy"), std::nullopt, {}};
  if (body.contains("text") && body["text"].is_string()) draft.text = text_field(body, "text");
  if (!body.contains("labels") || body["labels"].is_null()) return draft;
  for (const Json& label : body["labels"]) {
    const bool good = label.is_object() && label.size() == 3 && !text_field(label, "table").empty() && !text_field(label, "column").empty();
    if (!good || text_field(label, "policy").empty()) {
      return refusal(400, "field_type", "each of `labels` is an object with `table`, `column` and `policy`");
    }
    draft.labels.push_back({text_field(label, "table"), text_field(label, "column"), text_field(label, "policy")});
  }
  return draft;
}

}  // namespace

DoorReply http_try_policy(Service& service, DoorRequest& request) {
  return with_body(service, request, "/v1/policy/try", [](Service& its, const Visit& visit, const Json& body) {
    const auto draft = draft_in(body);
    return std::holds_alternative<Reply>(draft) ? std::get<Reply>(draft) : its.try_policy(visit, std::get<PolicyDraft>(draft));
  });
}

DoorReply http_save_policy(Service& service, DoorRequest& request) {
  return with_body(service, request, "/v1/policy/save", [](Service& its, const Visit& visit, const Json& body) {
    const auto draft = draft_in(body);
    return std::holds_alternative<Reply>(draft) ? std::get<Reply>(draft) : its.save_policy(visit, std::get<PolicyDraft>(draft), text_field(body, "text_sha256"));
  });
}

DoorReply http_run(Service& service, DoorRequest& request) {
  return with_body(service, request, "/v1/run", [](Service& its, const Visit& visit, const Json& body) {
    return its.run(visit, text_field(body, "database"), text_field(body, "sql"));
  });
}

}  // namespace pccsql
