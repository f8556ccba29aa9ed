#include "serve/body.h"

#include <algorithm>

#include "base/render.h"
#include "base/text.h"

namespace pccsql {
namespace {

bool has_type(const Json& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return true;
}

}  // namespace

std::optional<Reply> read_body(const std::string& text, const std::vector<Field>& fields, Json& into) {
  const auto json = parsed_json(text);
  return read_body(json ? *json : Json(nullptr), fields, into);
}

std::optional<Reply> read_body(const Json& json, const std::vector<Field>& fields, Json& into) {
  if (!json.is_object()) return refusal(400, "body_no_object", "this is no JSON object, or has a key twice in one, or is nested too deeply");
  for (const auto& [key, value] : json.items()) {
    const auto field = std::ranges::find(fields, key, &Field::name);
    if (field == fields.end()) {
      std::vector<std::string> known;
      for (const Field& one : fields) known.emplace_back(one.name);
      std::string all;
      for (const std::string& name : known) all += (all.empty() ? "`" : ", `") + name + "`";
      const std::string close = closest_match(key, known);
      return refusal(400, "field_unknown",
                     "unknown field `" + printable(key) + "`" + (close.empty() ? "; there are " + all : "; did you mean `" + close + "`?"));
    }
    if (!value.is_null() && !has_type(value, field->type)) {
      return refusal(400, "field_type", "`" + key + "` must be of type " + std::string(field->type));
    }
  }
  for (const Field& field : fields) {
    if (field.required && (!json.contains(field.name) || json[std::string(field.name)].is_null())) {
      return refusal(400, "field_missing", "`" + std::string(field.name) + "` is missing: " + std::string(field.about));
    }
  }
  into = json;
  return std::nullopt;
}

std::string text_field(const Json& body, std::string_view name) {
  const auto found = body.find(std::string(name));
  return found != body.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag_field(const Json& body, std::string_view name) {
  const auto found = body.find(std::string(name));
  return found != body.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace pccsql
