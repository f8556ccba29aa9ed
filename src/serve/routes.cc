#include "serve/routes.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "serve/doors.h"
#include "serve/page_files.h"

namespace pccsql {
namespace {

constexpr Field kDatabase{"database", "string", false, "one of /v1/databases; may be left out where there is one alone"};
constexpr Field kPolicy{"policy", "string", false, "of the server's file; for admins, whose own it is else"};
constexpr Field kDraft{"text", "string", false, "a policy file; without it the one that holds"};
constexpr Field kLabels{"labels", "array", false, "objects of `table`, `column` and `policy`, put into the text"};
constexpr Field kSql{"sql", "string", true, "one SELECT"};

DoorReply get_health(Service&, DoorRequest&) {
  DoorReply reply;
  reply.body = R"({"status":"ok"})";
  return reply;
}

DoorReply get_databases(Service& service, DoorRequest& request) { return as_door_reply(service.databases(request.visit)); }
DoorReply get_models(Service& service, DoorRequest& request) { return as_door_reply(service.models(request.visit)); }
DoorReply get_schema(Service& service, DoorRequest& request) {
  return as_door_reply(service.schema(request.visit, request.parameter("database")));
}
DoorReply get_policy(Service& service, DoorRequest& request) {
  return as_door_reply(service.policy(request.visit, request.parameter("database"), request.parameter("policy")));
}

DoorReply get_audit(Service& service, DoorRequest& request) {
  const std::string text = request.parameter("limit");
  size_t most = 100;
  if (!text.empty()) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), most);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || most < 1 || most > 10'000) {
      return as_door_reply(refusal(400, "parameter", "`limit` is a whole number from 1 to 10000"));
    }
  }
  return as_door_reply(service.audit(request.visit, most));
}

DoorReply get_metrics(Service& service, DoorRequest&) {
  DoorReply reply;
  reply.type = "text/plain; version=0.0.4";
  reply.body = service.metrics();
  return reply;
}

DoorReply get_page(Service&, DoorRequest& request) {
  const auto file = std::ranges::find(page_files(), std::string_view(request.path), &PageFile::path);
  if (file == page_files().end()) return as_door_reply(refusal(404, "no_such_path", "the page has no such file"));
  DoorReply reply;
  reply.type = file->type;
  reply.body = file->text;
  // Nothing but this server's own files runs or is asked, whatever a cell of a database holds.
  reply.headers.emplace_back("Content-Security-Policy",
                             "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'");
  return reply;
}

DoorReply get_openapi(Service&, DoorRequest&) {
  DoorReply reply;
  reply.body = openapi_json(PCCSQL_VERSION);
  return reply;
}

Json schema_of(const std::vector<Field>& fields) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : fields) {
    Json& property = properties[std::string(field.name)];
    if (field.type != "any") property["type"] = field.type;
    property["description"] = field.about;
    if (field.required) required.push_back(field.name);
  }
  Json schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json content(std::string_view type, Json schema) { return {{std::string(type.substr(0, type.find(';'))), {{"schema", std::move(schema)}}}}; }

}  // namespace

std::string DoorRequest::parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return "";
}

std::string DoorRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return "";
}

const std::vector<Field>& ask_fields() {
  static const std::vector<Field> fields{{"question", "string", true, "in words"},
                                         kDatabase,
                                         {"evidence", "string", false, "what the question's words mean in this database"},
                                         {"stream", "boolean", false, "server-sent events, as with `Accept: text/event-stream`"}};
  return fields;
}

namespace {

std::vector<Route> door_routes() {
  return {
      {"POST", "/v1/ask", "Answers a question: a query within the caller's policy, and its rows.", ask_fields(), {}, "application/json", false, http_ask},
      {"POST", "/v1/check", "Judges a query by the caller's policy, without running it.", {kSql, kDatabase, {"show_run", "boolean", false, "also what is run for it"}}, {}, "application/json", false, http_check},
      {"POST", "/v1/roles", "Tells which columns a query uses, and what for.", {kSql, kDatabase}, {}, "application/json", false, http_roles},
      {"POST", "/v1/explain", "Tells what may come after the beginning of a query.", {{"prefix", "string", true, "may be empty"}, kDatabase}, {}, "application/json", false, http_explain},
      {"POST", "/v1/run", "Judges a query of the caller's own and runs it, if it is safe.", {kSql, kDatabase}, {}, "application/json", false, http_run},
      {"POST", "/v1/policy/try", "What another text for a policy would change: labels, findings, past answers; for admins.", {kDatabase, kPolicy, kDraft, kLabels}, {}, "application/json", false, http_try_policy},
      {"POST", "/v1/policy/save", "Takes a policy up and writes it into its file; for admins.", {{"text_sha256", "string", true, "of the text that the draft began with, as /v1/policy gives it"}, kDatabase, kPolicy, kDraft, kLabels}, {}, "application/json", false, http_save_policy},
      {"POST", "/v1/chat/completions", "The same as /v1/ask, for clients of OpenAI's chat completions.", chat_fields(), {}, "application/json", false, openai_chat},
      {"POST", "/mcp", "The Model Context Protocol.", {{"jsonrpc", "string", true, "2.0"}, {"id", "any", false, "of a request"}, {"method", "string", false, ""}, {"params", "object", false, ""}}, {}, "application/json", false, mcp_post},
      {"GET", "/v1/databases", "The databases that the caller may ask.", {}, {}, "application/json", false, get_databases},
      {"GET", "/v1/schema", "What the caller may use of a database, each column with what for.", {}, {kDatabase}, "application/json", false, get_schema},
      {"GET", "/v1/policy", "The caller's policy for a database.", {}, {kDatabase, kPolicy}, "application/json", false, get_policy},
      {"GET", "/v1/models", "The databases, as models of the OpenAI-compatible door.", {}, {}, "application/json", false, get_models},
      {"GET", "/v1/audit", "The last lines of the audit, the newest first; for admins.", {}, {{"limit", "integer", false, "at most so many (100)"}}, "application/json", false, get_audit},
      {"GET", "/health", "Whether the server is up.", {}, {}, "application/json", true, get_health},
      {"GET", "/metrics", "Counts and seconds, as Prometheus reads them.", {}, {}, "text/plain; version=0.0.4", false, get_metrics},
      {"GET", "/openapi.json", "This list.", {}, {}, "application/json", true, get_openapi},
  };
}

}  // namespace

const std::vector<Route>& routes() {
  static const std::vector<Route> all = [] {
    std::vector<Route> made = door_routes();
    for (const PageFile& file : page_files()) made.push_back({"GET", file.path, "A file of the page.", {}, {}, file.type, true, get_page});
    return made;
  }();
  return all;
}

std::string openapi_json(std::string_view version) {
  Json paths = Json::object();
  const Json error = content("application/json", {{"$ref", "#/components/schemas/Error"}});
  for (const Route& route : routes()) {
    std::string method(route.method);
    std::ranges::transform(method, method.begin(), [](char c) { return static_cast<char>(c | 0x20); });
    Json& operation = paths[std::string(route.path)][method];
    operation["summary"] = route.about;
    if (route.open) operation["security"] = Json::array();
    for (const Field& parameter : route.parameters) {
      operation["parameters"].push_back({{"name", parameter.name},
                                         {"in", "query"},
                                         {"required", parameter.required},
                                         {"description", parameter.about},
                                         {"schema", {{"type", parameter.type}}}});
    }
    if (!route.fields.empty()) {
      operation["requestBody"] = {{"required", true}, {"content", content("application/json", schema_of(route.fields))}};
    }
    Json& responses = operation["responses"];
    responses["200"] = {{"description", "as the manual has it"},
                        {"content", content(route.reply, route.reply.starts_with("text/") ? Json{{"type", "string"}} : Json{{"type", "object"}})}};
    responses["default"] = {{"description", "what is wrong, and what would be right"}, {"content", error}};
  }
  const Json json{
      {"openapi", "3.1.0"},
      {"info", {{"title", "pccsql"}, {"version", version}, {"description", "Questions and queries within column-use policies."}}},
      {"security", {{{"key", Json::array()}}}},
      {"paths", std::move(paths)},
      {"components",
       {{"securitySchemes", {{"key", {{"type", "http"}, {"scheme", "bearer"}}}}},
        {"schemas",
         {{"Error",
           {{"type", "object"},
            {"properties",
             {{"error",
               {{"type", "object"},
                {"properties",
                 {{"message", {{"type", "string"}}},
                  {"type", {{"type", "string"}}},
                  {"param", {{"type", Json::array({"string", "null"})}}},
                  {"code", {{"type", "string"}}}}}}}}}}}}}}}};
  return dumped(json);
}

}  // namespace pccsql
