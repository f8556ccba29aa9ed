// Routes: what the server answers to over HTTP. One table, from which requests are sent to their doors, and from which
// /openapi.json is written, so that the one is true of the other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/service.h"

namespace pccsql {

// A request as the doors see it, whatever carried it here.
struct DoorRequest {
  Visit visit;
  std::string path;
  std::string body;
  std::string accept;                                         // its header of that name
  std::vector<std::pair<std::string, std::string>> query;     // of the address
  std::vector<std::pair<std::string, std::string>> headers;   // those of MCP, lower case

  std::string parameter(std::string_view name) const;
  std::string header(std::string_view name) const;
};

// What goes back. `stream`, where there is one, writes the body piece by piece once the head has gone: it is called with
// a function that sends a piece and says whether anybody is still there.
struct DoorReply {
  using Send = std::function<bool(std::string_view)>;

  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::function<void(Visit visit, const Send& send)> stream;
  bool noted = false;  // of a refusal: it is in the audit
};

DoorReply as_door_reply(Reply reply);

struct Field {
  std::string_view name;
  std::string_view type;  // of JSON
  bool required = false;
  std::string_view about;
};

struct Route {
  std::string_view method;
  std::string_view path;
  std::string_view about;
  std::vector<Field> fields;      // of the body, which is a JSON object; none: there is no body
  std::vector<Field> parameters;  // of the address
  std::string_view reply;         // its content type
  bool open = false;              // whoever has no key may ask, too
  DoorReply (*answer)(Service& service, DoorRequest& request);
};

const std::vector<Route>& routes();
// OpenAPI 3.1 of all routes.
std::string openapi_json(std::string_view version);

}  // namespace pccsql
