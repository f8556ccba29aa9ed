// The third door: the Model Context Protocol, for agents. Revision 2026-07-28, in which every request stands alone and says
// in `_meta` what it speaks; and those before it, which begin with a handshake. Both come by the same door, and nothing is kept
// between two messages of either.
//
// What a policy does not permit is a result that an agent can act on, with the reason and what may be asked instead; an
// error of the protocol is kept for messages that are none.
#include <algorithm>
#include <array>
#include <utility>

#include "base/render.h"
#include "base/text.h"
#include "serve/body.h"
#include "serve/doors.h"

namespace pccsql {
namespace {

constexpr std::string_view kModern = "2026-07-28";
constexpr std::array<std::string_view, 4> kHandshakes{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

enum Code : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kHeaderMismatch = -32020,
  kUnsupportedVersion = -32022
};

struct Fault {
  int code;
  std::string message;
  Json data = nullptr;
};
using Outcome = std::variant<Json, Fault>;

Json server_info() { return {{"name", "pccsql"}, {"title", "pccsql"}, {"version", PCCSQL_VERSION}}; }

constexpr std::string_view kInstructions =
    "Databases under column-use policies: each column says what it may be used for (Sel: shown, grouped, ordered by; Join; "
    "Where: a condition; Agg: inside COUNT, SUM, AVG). Look with search_objects first. A query that uses a column otherwise is "
    "not run, and the result says why; answer with what the policy permits, and do not try to work around it.";

Json object_schema(Json properties, std::initializer_list<const char*> required) {
  Json schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (required.size() > 0) schema["required"] = required;
  return schema;
}

Json text_schema(std::string_view about) { return {{"type", "string"}, {"description", about}}; }
Json nullable(std::string_view type) { return {{"type", Json::array({type, "null"})}}; }

Json answer_schema() {
  return {{"type", "object"},
          {"properties",
           {{"kind", {{"type", "string"}, {"enum", {"answered", "partial", "refused", "failed"}}}},
            {"sql", nullable("string")},
            {"verdict", {{"type", "string"}, {"enum", {"safe", "unsafe", "refuse", "failure"}}}},
            {"reason", {{"type", "string"}}},
            {"computed", {{"type", "string"}}},
            {"left_out", {{"type", "string"}}},
            {"blocked", {{"type", "array"}}},
            {"withheld", {{"type", "array"}}},
            {"instead", {{"type", "array"}, {"items", {{"type", "string"}}}}},
            {"columns", nullable("array")},
            {"rows", nullable("array")}}},
          {"required", {"kind", "sql", "verdict", "reason", "columns", "rows"}}};
}

Json check_schema() {
  return {{"type", "object"},
          {"properties",
           {{"verdict", {{"type", "string"}, {"enum", {"safe", "unsafe", "outside", "error"}}}},
            {"uses", {{"type", "array"}}},
            {"reason", {{"type", "string"}}}}},
          {"required", {"verdict", "uses", "reason"}}};
}

Json tools() {
  const Json hints{{"readOnlyHint", true}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}};
  const Json database = text_schema("one of the databases; may be left out where there is one alone");
  const Json sql = text_schema("one SELECT, in the database's dialect (SQLite)");
  Json list = Json::array();
  list.push_back({{"name", "ask_database"},
                  {"title", "Ask a database"},
                  {"description", "Answers a question in words: a query is written within the policy, run, and its rows come back with what was withheld."},
                  {"inputSchema", object_schema({{"question", text_schema("in words")}, {"database", database}}, {"question"})},
                  {"outputSchema", answer_schema()},
                  {"annotations", hints}});
  list.push_back({{"name", "run_query"},
                  {"title", "Run a query"},
                  {"description", "Checks a query against the policy first and runs it only if it is safe. Groups that are too small are left out, which the result says."},
                  {"inputSchema", object_schema({{"sql", sql}, {"database", database}}, {"sql"})},
                  {"outputSchema", answer_schema()},
                  {"annotations", hints}});
  list.push_back({{"name", "check_query"},
                  {"title", "Check a query"},
                  {"description", "Says whether the policy permits a query, which columns it uses and what for, without running it."},
                  {"inputSchema", object_schema({{"sql", sql}, {"database", database}}, {"sql"})},
                  {"outputSchema", check_schema()},
                  {"annotations", hints}});
  list.push_back({{"name", "search_objects"},
                  {"title", "Search tables and columns"},
                  {"description", "Tables and columns that may be used, each with what for. Without words: all of them. Without a database where there are several: their names."},
                  {"inputSchema", object_schema({{"words", text_schema("parts of names")}, {"database", database}}, {})},
                  {"outputSchema", {{"type", "object"}}},
                  {"annotations", hints}});
  return list;
}

// What went wrong so that no answer came, as a result: an agent reads it and can do better.
Json tool_error(Service& service, const Visit& visit, const std::string& tool, Reply refused) {
  const Reply reply = service.noted(visit, std::move(refused), tool);
  const auto json = parsed_json(reply.body);
  const std::string message = json && json->contains("error") ? (*json)["error"]["message"].get<std::string>() : "no answer";
  return {{"content", Json::array({{{"type", "text"}, {"text", message}}})}, {"isError", true}};
}

Json tool_result(Service& service, const Visit& visit, const std::string& tool, Reply reply) {
  if (!reply.ok()) return tool_error(service, visit, tool, std::move(reply));
  Json structured = *parsed_json(reply.body);
  // Texts of a database stay texts, whatever a terminal would make of them.
  return {{"content", Json::array({{{"type", "text"}, {"text", printable_json(dumped(structured))}}})}, {"structuredContent", std::move(structured)}, {"isError", false}};
}

Outcome call_tool(Service& service, const Visit& visit, const Json& params) {
  const std::string name = text_field(params, "name");
  const Json list = tools();
  const auto tool = std::ranges::find_if(list, [&name](const Json& one) { return one["name"] == name; });
  if (tool == list.end()) return Fault{kInvalidParams, "unknown tool `" + printable(name) + "`"};
  const Json arguments = params.contains("arguments") && !params["arguments"].is_null() ? params["arguments"] : Json::object();
  std::vector<std::string> names;
  std::vector<Field> fields;
  for (const auto& [key, schema] : (*tool)["inputSchema"]["properties"].items()) names.push_back(key);
  const Json& input = (*tool)["inputSchema"];
  for (const std::string& key : names) {
    const bool required = input.contains("required") && std::ranges::find(input["required"], Json(key)) != input["required"].end();
    fields.push_back({key, "string", required, "a text"});
  }
  Json read;
  if (auto wrong = read_body(arguments, fields, read)) return tool_error(service, visit, name, *std::move(wrong));
  const std::string database = text_field(read, "database");
  const auto result = [&](Reply reply) { return tool_result(service, visit, name, std::move(reply)); };
  if (name == "ask_database") return result(service.ask(visit, database, text_field(read, "question"), std::nullopt));
  if (name == "run_query") return result(service.run(visit, database, text_field(read, "sql")));
  if (name == "check_query") return result(service.check(visit, database, text_field(read, "sql"), false));
  Reply found = service.search(visit, database, text_field(read, "words"));
  return result(database.empty() && !found.ok() ? service.databases(visit) : std::move(found));
}

Outcome initialize(const Json& params) {
  const std::string wanted = text_field(params, "protocolVersion");
  if (wanted.empty()) return Fault{kInvalidParams, "`protocolVersion` is missing"};
  const bool known = std::ranges::find(kHandshakes, wanted) != kHandshakes.end();
  return Json{{"protocolVersion", known ? wanted : std::string(kHandshakes.back())},
              {"capabilities", {{"tools", {{"listChanged", false}}}}},
              {"serverInfo", server_info()},
              {"instructions", kInstructions}};
}

Outcome answer_method(Service& service, const Visit& visit, const std::string& method, const Json& params, bool modern) {
  const auto cacheable = [modern](Json result) {
    if (modern) {
      result["ttlMs"] = 0;
      result["cacheScope"] = "private";
    }
    return result;
  };
  if (method == "tools/list") return cacheable({{"tools", tools()}});
  if (method == "tools/call") return call_tool(service, visit, params);
  if (modern && method == "server/discover") {
    Json versions = Json::array({kModern});
    for (const std::string_view version : kHandshakes) versions.push_back(version);
    return cacheable({{"supportedVersions", std::move(versions)}, {"capabilities", {{"tools", Json::object()}}}, {"instructions", kInstructions}});
  }
  if (!modern && method == "initialize") return initialize(params);
  if (!modern && method == "ping") return Json::object();
  return Fault{kMethodNotFound, "there is no method `" + printable(method) + "`"};
}

std::string answered(const Json& id, Outcome outcome) {
  Json reply{{"jsonrpc", "2.0"}, {"id", id}};
  if (auto* fault = std::get_if<Fault>(&outcome)) {
    reply["error"] = {{"code", fault->code}, {"message", fault->message}};
    if (!fault->data.is_null()) reply["error"]["data"] = std::move(fault->data);
  } else {
    reply["result"] = std::move(std::get<Json>(outcome));
  }
  return dumped(reply);
}

// The revision that a request says it speaks; empty: it says nothing, as those with a handshake do.
std::string version_in(const Json& params) {
  const auto meta = params.find("_meta");
  return meta != params.end() && meta->is_object() ? text_field(*meta, kVersionKey) : "";
}

Fault unsupported_version(const std::string& wanted) {
  return {kUnsupportedVersion, "Unsupported protocol version", {{"supported", Json::array({kModern})}, {"requested", wanted}}};
}

std::optional<Fault> wrong_envelope(const Json& params, bool modern) {
  if (!modern) return std::nullopt;
  const std::string version = version_in(params);
  if (version.empty()) return Fault{kInvalidParams, "`" + std::string(kVersionKey) + "` is missing from `_meta`"};
  if (version != kModern) return unsupported_version(version);
  const Json& meta = params["_meta"];
  if (!meta.contains(kCapabilitiesKey) || !meta[std::string(kCapabilitiesKey)].is_object()) {
    return Fault{kInvalidParams, "`" + std::string(kCapabilitiesKey) + "` is missing from `_meta`"};
  }
  return std::nullopt;
}

bool is_request(const Json& message) {
  const auto version = message.find("jsonrpc");
  const auto method = message.find("method");
  return version != message.end() && *version == "2.0" && method != message.end() && method->is_string() &&
         (!message.contains("params") || message["params"].is_object());
}

// A parsed request: the fault or the result, in the form of the revision it speaks.
Outcome handle(Service& service, const Visit& visit, const Json& message, bool modern) {
  const Json params = message.contains("params") ? message["params"] : Json::object();
  if (auto wrong = wrong_envelope(params, modern)) return *std::move(wrong);
  Outcome outcome = answer_method(service, visit, message["method"].get<std::string>(), params, modern);
  if (auto* result = std::get_if<Json>(&outcome); result != nullptr && modern) {
    (*result)["resultType"] = "complete";
    (*result)["_meta"] = {{"io.modelcontextprotocol/serverInfo", server_info()}};
  }
  return outcome;
}

// What the headers say of a message must be what it says itself: whoever looks at one alone must not be misled.
std::optional<Fault> wrong_headers(const DoorRequest& request, const Json& message, const Json& params) {
  const auto differs = [&](std::string_view header, const std::string& said) {
    size_t times = 0;
    for (const auto& [name, value] : request.headers) times += name == header ? 1 : 0;
    return times != 1 || request.header(header) != said;
  };
  if (differs("mcp-protocol-version", version_in(params))) return Fault{kHeaderMismatch, "the header MCP-Protocol-Version is not what `_meta` says"};
  if (differs("mcp-method", message["method"].get<std::string>())) return Fault{kHeaderMismatch, "the header Mcp-Method is not the message's method"};
  if (message["method"] == "tools/call" && differs("mcp-name", text_field(params, "name"))) {
    return Fault{kHeaderMismatch, "the header Mcp-Name is not the tool's name"};
  }
  return std::nullopt;
}

int http_status(const Outcome& outcome, bool modern) {
  const auto* fault = std::get_if<Fault>(&outcome);
  if (fault == nullptr) return 200;
  if (fault->code == kParseError || fault->code == kInvalidRequest) return 400;
  if (!modern) return 200;
  return fault->code == kMethodNotFound ? 404 : 400;
}

// A fault of the protocol is written down like any other refusal, whatever status carries it.
void note_fault(Service& service, const Visit& visit, const Outcome& outcome, std::string_view method) {
  const auto* fault = std::get_if<Fault>(&outcome);
  if (fault != nullptr) (void)service.noted(visit, refusal(400, "mcp", fault->message), method.empty() ? "mcp" : method);
}

DoorReply posted(Service& service, const Visit& visit, const Json& id, Outcome outcome, bool modern, std::string_view method = {}) {
  note_fault(service, visit, outcome, method);
  DoorReply reply;
  reply.noted = true;
  reply.status = http_status(outcome, modern);
  reply.body = answered(id, std::move(outcome));
  return reply;
}

}  // namespace

DoorReply mcp_post(Service& service, DoorRequest& request) {
  const auto message = parsed_json(request.body);
  std::string method;
  const auto reply = [&](const Json& to, Outcome outcome, bool of_modern) { return posted(service, request.visit, to, std::move(outcome), of_modern, method); };
  if (!message) return reply(nullptr, Fault{kParseError, "the body is no JSON"}, true);
  if (!message->is_object()) return reply(nullptr, Fault{kInvalidRequest, "the body must be one JSON-RPC message"}, true);
  const std::string named = request.header("mcp-protocol-version");
  const bool known = named.empty() || named == kModern || std::ranges::find(kHandshakes, named) != kHandshakes.end();
  const Json id = message->contains("id") ? (*message)["id"] : Json(nullptr);
  if (!message->contains("method") || !message->contains("id")) {
    // A notification, or a response to nothing that was asked: taken note of.
    if (!known) return reply(nullptr, unsupported_version(named), true);
    DoorReply accepted;
    accepted.status = 202;
    return accepted;
  }
  if (!is_request(*message) || !(id.is_string() || id.is_number_integer())) return reply(nullptr, Fault{kInvalidRequest, "this is no JSON-RPC request"}, true);
  method = (*message)["method"].get<std::string>();
  const Json params = message->contains("params") ? (*message)["params"] : Json::object();
  const std::string spoken = version_in(params);
  const bool modern = named == kModern || !spoken.empty();
  if (!spoken.empty() && !named.empty() && spoken != named) {
    return reply(id, Fault{kHeaderMismatch, "the header MCP-Protocol-Version is not what `_meta` says"}, true);
  }
  if (!known) return reply(id, unsupported_version(named), true);
  if (modern) {
    if (auto wrong = wrong_envelope(params, true)) return reply(id, *std::move(wrong), true);
    if (auto wrong = wrong_headers(request, *message, params)) return reply(id, *std::move(wrong), true);
  }
  return reply(id, handle(service, request.visit, *message, modern), modern);
}

std::optional<std::string> mcp_message(Service& service, const Visit& visit, std::string_view text) {
  const auto message = parsed_json(text);
  const auto answer = [&](const Json& to, Outcome outcome) {
    note_fault(service, visit, outcome, "");
    return answered(to, std::move(outcome));
  };
  if (!message) return answer(nullptr, Fault{kParseError, "the line is no JSON"});
  if (!message->is_object()) return answer(nullptr, Fault{kInvalidRequest, "a line holds one JSON-RPC message"});
  if (!message->contains("id") || !message->contains("method")) return std::nullopt;
  const Json& id = (*message)["id"];
  if (!is_request(*message) || !(id.is_string() || id.is_number_integer())) return answer(nullptr, Fault{kInvalidRequest, "this is no JSON-RPC request"});
  const Json params = message->contains("params") ? (*message)["params"] : Json::object();
  return answer(id, handle(service, visit, *message, !version_in(params).empty()));
}

}  // namespace pccsql
