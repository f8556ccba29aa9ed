// YAML text as a small tree that keeps every place: the only door to the YAML library. Anchors, aliases and a second
// document are errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pccsql {

struct YamlNode {
  enum class Kind { Scalar, Map, Sequence };
  Kind kind = Kind::Scalar;
  bool null = false;  // a plain `null`, `~` or nothing at all; `text` is still what was written
  std::string text;   // of a scalar, whatever type YAML would give it
  Position at;
  struct Entry;
  std::vector<Entry> entries;   // of a map, in order, duplicates too
  std::vector<YamlNode> items;  // of a sequence
};

struct YamlNode::Entry {
  YamlNode key;
  YamlNode value;
};

// The one document of the text. Text without a document is an Error.
Result<YamlNode> parse_yaml(std::string_view text, const std::string& file);

}  // namespace pccsql
