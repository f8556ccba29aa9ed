#include "prompt/template.h"

#include <algorithm>

#include "base/span.h"

namespace pccsql {
namespace {

std::string listed(const std::vector<std::string>& places) {
  if (places.empty()) return "there are none here; `{{` writes a brace";
  std::string text;
  for (const std::string& place : places) text += (text.empty() ? "" : ", ") + ("`{" + place + "}`");
  return "there are " + text + "; `{{` writes a brace";
}

}  // namespace

Result<Template> Template::parse(std::string_view text, const std::vector<std::string>& places,
                                 const std::string& file) {
  Template made;
  Part part;
  std::vector<size_t> first_seen;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto error = [&](std::string message) {
      return Error{std::move(message), file, position_of(text, static_cast<uint32_t>(i))};
    };
    if (c != '{' && c != '}') {
      part.text += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      part.text += c;
      ++i;
      continue;
    }
    if (c == '}') return error("a `}` without a `{`; `}}` writes a brace");
    const size_t end = text.find('}', i);
    if (end == std::string_view::npos) return error("a `{` without a `}`; `{{` writes a brace");
    const std::string name(text.substr(i + 1, end - i - 1));
    const auto found = std::ranges::find(places, name);
    if (found == places.end()) return error("unknown placeholder `{" + name + "}`; " + listed(places));
    part.place = static_cast<size_t>(found - places.begin());
    if (std::ranges::find(first_seen, part.place) == first_seen.end()) first_seen.push_back(part.place);
    made.parts_.push_back(std::move(part));
    part = {};
    i = end;
  }
  made.parts_.push_back(std::move(part));
  for (size_t i = 0; i < places.size(); ++i) {
    if (std::ranges::find(first_seen, i) == first_seen.end()) {
      return Error{"has no placeholder `{" + places[i] + "}`, which it needs", file, {}};
    }
    if (first_seen[i] != i) {
      return Error{"has its placeholders in another order than it needs: " + listed(places), file, {}};
    }
  }
  return made;
}

std::string Template::fill(const std::vector<std::string_view>& values) const {
  std::string text;
  for (const Part& part : parts_) {
    text += part.text;
    if (part.place != kNoPlace) text += values[part.place];
  }
  return text;
}

size_t Template::bytes_before(size_t place, const std::vector<std::string_view>& values) const {
  size_t bytes = 0;
  for (const Part& part : parts_) {
    bytes += part.text.size();
    if (part.place == place || part.place == kNoPlace) break;
    bytes += values[part.place].size();
  }
  return bytes;
}

}  // namespace pccsql
