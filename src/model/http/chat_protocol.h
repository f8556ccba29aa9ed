// The text of OpenAI's chat API: what is asked, and what an answer means. No network here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/chat.h"

namespace pccsql {

struct Endpoint {
  std::string origin;  // "http://host:port"
  std::string path;    // "/v1/chat/completions"
  std::string host;    // without brackets
  bool secure = false;
};

// http or https, a host, perhaps a port, perhaps a path; a path that is missing is `/v1`.
Result<Endpoint> parse_endpoint(std::string_view url);

std::string chat_request(const std::string& model, std::span<const Message> messages, size_t max_tokens);

// Of an answer with status 200.
Result<Completion> parse_chat_answer(std::string_view body);

// What an answer with another status says of itself, in one line; empty if nothing.
std::string told_by(std::string_view body);

}  // namespace pccsql
