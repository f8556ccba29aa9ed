// A ChatModel behind an endpoint that speaks OpenAI's chat API: POST …/chat/completions, one answer, temperature 0.
//
// An endpoint can be busy, broken or not what it was taken for. Busy (429, 5xx, a connection that breaks off): asked
// again after a pause that doubles, or that the endpoint itself names. Anything else is an Error that tells what came
// back. Redirections are not followed: the key is for the host that was named.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/chat.h"

namespace pccsql {

struct HttpOptions {
  std::string url;    // http://host:port/v1
  std::string model;  // the name that the endpoint knows it by
  std::string key;    // empty: none is sent
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds answer_timeout{300'000};  // for the whole answer
  size_t retries = 5;
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{60'000};  // an endpoint that asks for more is given up
};

// Whether what a user wrote for a model is meant as an endpoint.
bool is_url(std::string_view text);

// The key that the environment has for this endpoint: PCCSQL_API_KEY; else OPENAI_API_KEY, which many have for another
// purpose, and only where it cannot be overheard: over https, or on this machine.
std::string api_key_for(const std::string& url);

// Does not speak to the endpoint yet. An Error where the URL or the name of the model cannot be one.
Result<std::unique_ptr<ChatModel>> make_http_chat(const HttpOptions& options);

}  // namespace pccsql
