#include "model/http/chat_protocol.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

namespace pccsql {
namespace {

using nlohmann::json;

// The beginning of it, on one line.
std::string excerpt(std::string_view text) {
  constexpr size_t kMost = 200;
  std::string line(text.substr(0, kMost));
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text.size() > kMost ? line + "…" : line;
}

uint64_t count_at(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

// null where there is none; never throws.
const json& member(const json& object, const char* name) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view url) {
  const auto wrong = [&](const char* what) {
    return Error{"`" + std::string(url) + "` " + what + "; an endpoint is http://host:port/v1, or https", "", {}};
  };
  Endpoint endpoint;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    endpoint.secure = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return wrong("is neither http nor https");
  }
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  std::string_view path = rest.substr(authority.size());
  if (path.find_first_of("?#") != std::string_view::npos) return wrong("has a query or a fragment");
  if (authority.find('@') != std::string_view::npos) {
    return wrong("holds a user name; a key goes into the variable PCCSQL_API_KEY");
  }
  if (url.find_first_of(" \t\r\n") != std::string_view::npos) return wrong("holds a blank");
  const size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return wrong("has a `[` without a `]`");
  const size_t colon = authority.find(':', bracket);
  endpoint.host = authority.substr(0, colon);
  if (bracket > 0) endpoint.host = authority.substr(1, bracket - 1);
  if (endpoint.host.empty()) return wrong("names no host");
  if (colon != std::string_view::npos) {
    const std::string_view digits = authority.substr(colon + 1);
    uint32_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size() || port == 0 || port > 65535) {
      return wrong("has no port between 1 and 65535");
    }
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  constexpr std::string_view kCall = "/chat/completions";
  if (path.ends_with(kCall)) path.remove_suffix(kCall.size());
  endpoint.origin = std::string(endpoint.secure ? "https://" : "http://") + std::string(authority);
  endpoint.path = (path.empty() ? "/v1" : std::string(path)) + std::string(kCall);
  return endpoint;
}

std::string chat_request(const std::string& model, std::span<const Message> messages, size_t max_tokens) {
  auto list = nlohmann::ordered_json::array();
  for (const Message& message : messages) {
    list.push_back({{"role", to_string(message.speaker)}, {"content", message.text}});
  }
  const nlohmann::ordered_json request{
      {"model", model}, {"messages", list}, {"temperature", 0}, {"max_tokens", max_tokens}, {"stream", false}};
  return request.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<Completion> parse_chat_answer(std::string_view body) {
  const json answer = json::parse(body, nullptr, false);
  const auto wrong = [&](const char* what) {
    return Error{std::string("the endpoint's answer ") + what + ": `" + excerpt(body) + "`", "", {}};
  };
  if (answer.is_discarded()) return wrong("is no JSON");
  const json& choices = member(answer, "choices");
  if (!choices.is_array() || choices.empty()) return wrong("has no `choices`");
  const json& content = member(member(choices[0], "message"), "content");
  if (!content.is_string()) return wrong("has no text in `choices[0].message.content`");
  Completion completion;
  completion.text = content.get<std::string>();
  const json& reason = member(choices[0], "finish_reason");
  completion.finished = !reason.is_string() || reason.get<std::string>() == "stop";
  const json& usage = member(answer, "usage");
  completion.work.calls = 1;
  completion.work.prompt_tokens = count_at(usage, "prompt_tokens");
  completion.work.generated_tokens = count_at(usage, "completion_tokens");
  completion.work.cached_prompt_tokens =
      std::min(completion.work.prompt_tokens, count_at(member(usage, "prompt_tokens_details"), "cached_tokens"));
  return completion;
}

std::string told_by(std::string_view body) {
  const json answer = json::parse(body, nullptr, false);
  const json& error = member(answer, "error");
  for (const json* told : {&member(error, "message"), &error, &member(answer, "message"), &member(answer, "detail")}) {
    if (told->is_string()) return excerpt(told->get<std::string>());
  }
  return excerpt(body);
}

}  // namespace pccsql
