// The doors: what each route does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/routes.h"

namespace pccsql {

const std::vector<Field>& ask_fields();
DoorReply http_ask(Service& service, DoorRequest& request);
DoorReply http_check(Service& service, DoorRequest& request);
DoorReply http_roles(Service& service, DoorRequest& request);
DoorReply http_explain(Service& service, DoorRequest& request);
DoorReply http_run(Service& service, DoorRequest& request);
DoorReply http_try_policy(Service& service, DoorRequest& request);
DoorReply http_save_policy(Service& service, DoorRequest& request);

const std::vector<Field>& chat_fields();
DoorReply openai_chat(Service& service, DoorRequest& request);

DoorReply mcp_post(Service& service, DoorRequest& request);
// One message of the Model Context Protocol, from wherever it came: the answer to it, nothing where it wants none.
std::optional<std::string> mcp_message(Service& service, const Visit& visit, std::string_view message);

}  // namespace pccsql
