#include "base/json.h"

#include <set>
#include <vector>

namespace pccsql {

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::optional<Json> parsed_json(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  constexpr int kDeepest = 200;
  bool repeated = false, deep = false;
  const auto look = [&](int depth, Json::parse_event_t event, Json& value) {
    deep = deep || depth > kDeepest;
    if (deep) return false;
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) repeated = true;
    return true;
  };
  Json json = Json::parse(text.begin(), text.end(), look, false);
  if (deep || json.is_discarded() || repeated) return std::nullopt;
  return json;
}

}  // namespace pccsql
