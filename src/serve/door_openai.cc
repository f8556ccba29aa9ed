// The second door: what clients of OpenAI's chat completions speak. A model is a database (`pccsql/hr`); the last message of
// the user is the question; the reply is the query, what is to be said of it and the rows as Markdown, and beside it, in
// `pccsql`, the JSON of `ask`. What cannot be had here is an error that says so, never passed over.
#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "base/render.h"
#include "base/text.h"
#include "serve/body.h"
#include "serve/doors.h"

namespace pccsql {
namespace {

Reply cannot(std::string_view field, const std::string& why) {
  Json json = *parsed_json(refusal(400, "unsupported", why).body);
  json["error"]["param"] = field;
  return {400, dumped(json)};
}

// What a client may ask for in general and not here. Values that ask for nothing are let be.
std::optional<Reply> unsupported(const Json& body) {
  const auto given = [&body](const char* name) { return body.contains(name) && !body[name].is_null(); };
  for (const char* name : {"tools", "tool_choice", "functions", "function_call", "logit_bias", "response_format", "audio", "modalities", "prediction", "web_search_options"}) {
    if (!given(name) || body[name].empty() || body[name] == "none") continue;
    if (std::string_view(name) == "response_format" && body[name] == Json{{"type", "text"}}) continue;
    if (std::string_view(name) == "modalities" && body[name] == Json::array({"text"})) continue;
    return cannot(name, "`" + std::string(name) + "` cannot be had here: the answer is a query and its rows; leave it out");
  }
  if (given("n") && body["n"] != 1) return cannot("n", "`n` can only be 1: a question has one answer here");
  for (const char* name : {"temperature", "presence_penalty", "frequency_penalty"}) {
    if (given(name) && body[name] != 0) {
      return cannot(name, "`" + std::string(name) + "` can only be 0: the model always writes what it holds most likely");
    }
  }
  if (given("top_p") && body["top_p"] != 1) return cannot("top_p", "`top_p` can only be 1: nothing is sampled");
  if (flag_field(body, "store")) return cannot("store", "`store` cannot be had here: the audit is the server's own");
  if (given("metadata") && !body["metadata"].empty()) return cannot("metadata", "`metadata` cannot be had here: nothing is kept with an answer");
  if (given("stream_options")) {
    for (const auto& [name, value] : body["stream_options"].items()) {
      if (name != "include_usage" && !(value.is_boolean() && !value.get<bool>())) return cannot("stream_options", "of `stream_options` only `include_usage` can be had here");
    }
  }
  if (flag_field(body, "logprobs") || given("top_logprobs")) return cannot("logprobs", "`logprobs` cannot be had here");
  if (given("stop") && !body["stop"].empty()) return cannot("stop", "`stop` cannot be had here: a query ends where it is whole");
  for (const char* name : {"max_tokens", "max_completion_tokens"}) {
    if (given(name)) return cannot(name, "`" + std::string(name) + "` cannot be had here: an answer is whole or none");
  }
  return std::nullopt;
}

std::optional<std::string> text_of_message(const Json& message) {
  const auto content = message.find("content");
  if (content == message.end()) return std::nullopt;
  if (content->is_string()) return content->get<std::string>();
  if (!content->is_array()) return std::nullopt;
  std::string text;
  for (const Json& part : *content) {
    if (!part.is_object() || text_field(part, "type") != "text" || !part.contains("text") || !part["text"].is_string()) return std::nullopt;
    text += part["text"].get<std::string>();
  }
  return text;
}

// The last message, which must be the user's. What systems and earlier turns say is no part of a question here.
std::variant<std::string, Reply> question_of(const Json& messages) {
  if (messages.empty() || !messages.back().is_object() || messages.back().value("role", Json()) != "user") {
    return cannot("messages", "the last of `messages` must be the user's: it is the question");
  }
  const auto text = text_of_message(messages.back());
  if (!text) return cannot("messages", "the question must be text alone");
  return *text;
}

std::string cell_text(const Json& value) {
  if (value.is_null()) return "NULL";
  std::string out;
  for (const char c : value.is_string() ? printable(value.get<std::string>()) : dumped(value)) {
    if (c == '|' || c == '\\' || c == '<' || c == '>' || c == '&' || c == '`' || c == '*' || c == '_' || c == '[') out += '\\';
    out += c;
  }
  return out;
}

// Up to so many rows; the whole is beside it.
std::string markdown_rows(const Json& answer) {
  constexpr size_t kMostRows = 100;
  std::string text = "|";
  std::string rule = "|";
  for (const Json& column : answer["columns"]) {
    text += " " + cell_text(column) + " |";
    rule += " --- |";
  }
  text += "\n" + rule + "\n";
  size_t shown = 0;
  for (const Json& row : answer["rows"]) {
    if (shown++ == kMostRows) break;
    text += "|";
    for (const Json& value : row) text += " " + cell_text(value) + " |";
    text += "\n";
  }
  const size_t all = answer["rows"].size();
  if (all > kMostRows) text += "\n" + std::to_string(all) + " rows, the first " + std::to_string(kMostRows) + " shown.\n";
  return text;
}

// What follows the query.
std::string markdown_after(const Json& answer) {
  std::string text;
  for (const Json& name : answer["blocked"]) {
    text += "The model wanted `" + name["name"].get<std::string>() + "`: " + name["why"].get<std::string>() + "\n\n";
  }
  const std::string left_out = answer["left_out"].get<std::string>();
  if (!left_out.empty()) text += left_out + "\n\n";
  const std::string kind = answer["kind"].get<std::string>();
  const std::string reason = answer["reason"].get<std::string>();
  if (kind == "refused" && reason != left_out) text += "Refused: " + reason + "\n\n";
  if (kind == "failed") text += "Not answered: " + reason + "\n\n";
  for (const Json& question : answer["instead"]) text += "May be asked instead: " + question.get<std::string>() + "\n\n";
  if (!answer["rows"].is_null()) text += markdown_rows(answer);
  return text;
}

std::string markdown(const Json& answer) {
  const std::string query = answer["sql"].is_null() ? "" : "```sql\n" + printable_lines(answer["sql"].get<std::string>()) + "\n```\n\n";
  return query + markdown_after(answer);
}

Json usage_of(const Json& answer) {
  const uint64_t prompt = answer["counts"]["prompt_tokens"].get<uint64_t>();
  const uint64_t written = answer["counts"]["generated_tokens"].get<uint64_t>();
  return {{"prompt_tokens", prompt},
          {"completion_tokens", written},
          {"total_tokens", prompt + written},
          {"prompt_tokens_details", {{"cached_tokens", answer["counts"]["cached_prompt_tokens"]}}}};
}

// What all objects of one reply have in common.
Json head(const std::string& model, std::string_view object) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  const auto id = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return {{"id", "chatcmpl-" + std::to_string(id)}, {"object", object}, {"created", seconds}, {"model", model}};
}

std::string data(const Json& json) { return "data: " + printable_json(dumped(json)) + "\n\n"; }

struct Chunks {
  Json common;
  const DoorReply::Send& send;
  bool begun = false;

  bool add(const std::string& text) {
    Json delta = begun ? Json{{"content", text}} : Json{{"role", "assistant"}, {"content", text}};
    begun = true;
    Json chunk = common;
    chunk["choices"] = Json::array({{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", nullptr}}});
    return send(data(chunk));
  }
};

// The query as it is written; then the rest. Where what was written is taken back, the query is told once it is whole.
void stream_answer(Service& service, Service::Turn& turn, Visit visit, const std::string& model, bool with_usage, const DoorReply::Send& send) {
  Chunks chunks{head(model, "chat.completion.chunk"), send};
  std::string told;
  bool taken_back = false;
  visit.tell = [&](std::string_view name, const std::string& json) {
    if (name != "token" || taken_back) return true;
    const auto token = parsed_json(json);
    if (token->contains("restart")) {
      taken_back = true;
      return true;
    }
    const std::string text = (*token)["text"].get<std::string>();
    const bool first = told.empty();
    told += text;
    return chunks.add((first ? "```sql\n" : "") + text);
  };
  const Reply reply = service.answer(visit, turn);
  if (!reply.ok()) {
    send("data: " + reply.body + "\n\n");
    return;
  }
  const Json answer = *parsed_json(reply.body);
  if (!told.empty()) chunks.add("\n```\n\n");
  const bool same = answer["sql"].is_string() && answer["sql"].get<std::string>() == told;
  if (!same && !told.empty()) chunks.add("What counts is this:\n\n");
  chunks.add(same ? markdown_after(answer) : markdown(answer));
  Json last = chunks.common;
  last["choices"] = Json::array({{{"index", 0}, {"delta", Json::object()}, {"finish_reason", "stop"}}});
  last["pccsql"] = answer;
  send(data(last));
  if (with_usage) {
    Json usage = chunks.common;
    usage["choices"] = Json::array();
    usage["usage"] = usage_of(answer);
    send(data(usage));
  }
  send("data: [DONE]\n\n");
}

}  // namespace

const std::vector<Field>& chat_fields() {
  static const std::vector<Field> fields{
      {"model", "string", true, "a database: `pccsql/hr`"},
      {"messages", "array", true, "the last one is the question"},
      {"stream", "boolean", false, "chunks, as they are written"},
      {"stream_options", "object", false, "`include_usage`"},
      {"user", "string", false, "says nothing here: who asks is known by the key"},
      {"seed", "integer", false, "says nothing here: nothing is sampled"},
      {"n", "integer", false, "1"},
      {"temperature", "number", false, "0"},
      {"top_p", "number", false, "1"},
      {"presence_penalty", "number", false, "0"},
      {"frequency_penalty", "number", false, "0"},
      {"tools", "array", false, "not to be had here"},
      {"tool_choice", "any", false, "not to be had here"},
      {"functions", "array", false, "not to be had here"},
      {"function_call", "any", false, "not to be had here"},
      {"logit_bias", "object", false, "not to be had here"},
      {"logprobs", "boolean", false, "not to be had here"},
      {"top_logprobs", "integer", false, "not to be had here"},
      {"response_format", "object", false, "not to be had here, but for text"},
      {"stop", "any", false, "not to be had here"},
      {"max_tokens", "integer", false, "not to be had here"},
      {"max_completion_tokens", "integer", false, "not to be had here"},
      {"audio", "object", false, "not to be had here"},
      {"modalities", "array", false, "text"},
      {"prediction", "object", false, "not to be had here"},
      {"web_search_options", "object", false, "not to be had here"},
      {"metadata", "object", false, "not to be had here"},
      {"store", "boolean", false, "not to be had here"}};
  return fields;
}

DoorReply openai_chat(Service& service, DoorRequest& request) {
  Json body;
  if (auto wrong = read_body(request.body, chat_fields(), body)) return as_door_reply(*std::move(wrong));
  if (auto wrong = unsupported(body)) return as_door_reply(*std::move(wrong));
  const std::string model = text_field(body, "model");
  constexpr std::string_view kPrefix = "pccsql/";
  if (!model.starts_with(kPrefix) || model.size() == kPrefix.size()) {
    return as_door_reply(cannot("model", "`model` is a database, as /v1/models lists them: `pccsql/hr`"));
  }
  auto question = question_of(body["messages"]);
  if (auto* wrong = std::get_if<Reply>(&question)) return as_door_reply(std::move(*wrong));
  auto admitted = service.admit(request.visit, model.substr(kPrefix.size()), std::get<std::string>(question), std::nullopt);
  if (auto* reply = std::get_if<Reply>(&admitted)) return as_door_reply(std::move(*reply));
  auto turn = std::get<std::shared_ptr<Service::Turn>>(admitted);
  if (flag_field(body, "stream")) {
    const bool usage = body.contains("stream_options") && body["stream_options"].is_object() && flag_field(body["stream_options"], "include_usage");
    DoorReply streamed;
    streamed.type = "text/event-stream";
    streamed.stream = [&service, turn, model, usage](Visit visit, const DoorReply::Send& send) {
      stream_answer(service, *turn, std::move(visit), model, usage, send);
    };
    return streamed;
  }
  Reply reply = service.answer(request.visit, *turn);
  if (!reply.ok()) return as_door_reply(std::move(reply));
  const Json answer = *parsed_json(reply.body);
  Json made = head(model, "chat.completion");
  made["choices"] = Json::array({{{"index", 0}, {"message", {{"role", "assistant"}, {"content", markdown(answer)}, {"refusal", nullptr}}}, {"logprobs", nullptr}, {"finish_reason", "stop"}}});
  made["usage"] = usage_of(answer);
  made["pccsql"] = answer;
  return as_door_reply({200, printable_json(dumped(made))});
}

}  // namespace pccsql
