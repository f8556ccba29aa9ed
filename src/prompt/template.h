// Template: a text with places for values, `{name}`. `{{` and `}}` write a brace. What is put in stays as it is: braces
// in a question are never read as places.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pccsql {

struct NamedText {
  std::string name;
  std::string text;
};

class Template {
 public:
  // Every place must be one of `places`, and each of these must be there, in their order of first appearance. `file` is
  // for messages.
  static Result<Template> parse(std::string_view text, const std::vector<std::string>& places, const std::string& file);

  // `values` by place, as parse() had them.
  std::string fill(const std::vector<std::string_view>& values) const;
  // How many bytes of fill(values) stand before the first appearance of this place.
  size_t bytes_before(size_t place, const std::vector<std::string_view>& values) const;

 private:
  struct Part {
    std::string text;
    size_t place = kNoPlace;  // what comes after the text
  };
  static constexpr size_t kNoPlace = static_cast<size_t>(-1);

  std::vector<Part> parts_;
};

// The templates that come with the program, by name.
const std::vector<NamedText>& standard_templates();

}  // namespace pccsql
