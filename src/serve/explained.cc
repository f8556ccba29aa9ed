#include "serve/explained.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "verify/replay.h"

namespace pccsql {

Explained explain(const Engine& engine, std::string prefix) {
  Explained result;
  result.prefix = std::move(prefix);
  Matcher matcher = engine.new_matcher();
  if (matcher.is_refused()) {
    result.reason = matcher.refusal()->reason;
    return result;
  }
  const std::string_view text = result.prefix;
  for (uint32_t i = 0; i < text.size(); ++i) {
    if (matcher.accept_text(text.substr(i, 1))) continue;
    result.byte = i;
    matcher.rollback(1);
    result.reason = why_stopped(matcher, text, i);
    result.explanation = matcher.explain();
    return result;
  }
  result.admitted = true;
  result.explanation = matcher.explain();
  return result;
}

std::string to_json(const Explained& result) {
  const Explanation& e = result.explanation;
  const auto names = [](const std::vector<Explanation::Name>& list) {
    Json out = Json::array();
    for (const Explanation::Name& name : list) out.push_back({{"text", name.text}, {"detail", name.detail}});
    return out;
  };
  Json json{{"prefix", result.prefix}, {"admitted", result.admitted}};
  if (!result.admitted) {
    json["byte"] = result.byte;
    json["reason"] = result.reason;
  }
  json["clause"] = e.clause;
  json["role"] = e.role;
  json["scope"] = e.scope;
  json["obligations"] = e.obligations;
  json["may_end"] = e.may_end;
  json["lexemes"] = e.lexemes;
  json["allowed"] = names(e.allowed);
  json["blocked"] = names(e.blocked);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pccsql
