// The tree of the text says where the label stands, or where one may be put. What comes out is read again and compared, so that
// a place that was misjudged is an error and never another policy.
#include "policy/policy_edit.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "policy/policy_file.h"
#include "policy/yaml_text.h"
#include "policy/yaml_tree.h"

namespace pccsql {
namespace {

const YamlNode* value_of(const YamlNode& map, const std::string& name) {
  for (const auto& [key, value] : map.entries) {
    if (key.kind == YamlNode::Kind::Scalar && equal_folded(key.text, name)) return &value;
  }
  return nullptr;
}

std::optional<size_t> offset_of(std::string_view text, Position at) {
  size_t line = 0;
  for (uint32_t i = 1; i < at.line; ++i) {
    const size_t end = text.find('\n', line);
    if (end == std::string_view::npos) return std::nullopt;
    line = end + 1;
  }
  const size_t offset = line + at.column - 1;
  return at.column > 0 && offset <= text.size() ? std::optional(offset) : std::nullopt;
}

// `entry` as the first one of a map, in the way the map is written.
std::optional<std::string> with_entry(const std::string& text, const YamlNode& map, const std::string& entry) {
  const auto at = offset_of(text, map.at);
  if (!at || map.kind != YamlNode::Kind::Map) return std::nullopt;
  if (*at < text.size() && text[*at] == '{') {
    return text.substr(0, *at + 1) + entry + (map.entries.empty() ? "" : ", ") + text.substr(*at + 1);
  }
  if (map.entries.empty()) return std::nullopt;
  const auto first = offset_of(text, map.entries.front().key.at);
  if (!first) return std::nullopt;
  const size_t line = *first == 0 ? 0 : text.rfind('\n', *first - 1) + 1;
  const std::string indent = text.substr(line, *first - line);
  if (indent.find_first_not_of(' ') != std::string::npos) return std::nullopt;
  return text.substr(0, *first) + entry + "\n" + indent + text.substr(*first);
}

std::optional<std::string> with_word(const std::string& text, const YamlNode& scalar, std::string_view word) {
  auto at = offset_of(text, scalar.at);
  if (!at || scalar.kind != YamlNode::Kind::Scalar) return std::nullopt;
  if (*at < text.size() && (text[*at] == '"' || text[*at] == '\'')) ++*at;
  if (text.compare(*at, scalar.text.size(), scalar.text) != 0) return std::nullopt;
  return text.substr(0, *at) + std::string(word) + text.substr(*at + scalar.text.size());
}

std::optional<std::string> edited(const std::string& text, const YamlNode& root, const Table& table, const Column& column,
                                  std::string_view label) {
  const std::string entry = yaml_name(column.name) + ": " + std::string(label);
  const YamlNode* const tables = value_of(root, "tables");
  if (tables == nullptr) {
    return text + (text.ends_with('\n') ? "" : "\n") + "tables:\n  " + yaml_name(table.name) + ": {" + entry + "}\n";
  }
  const YamlNode* labels = value_of(*tables, table.name);
  if (labels == nullptr) return with_entry(text, *tables, yaml_name(table.name) + ": {" + entry + "}");
  const YamlNode* const inner = value_of(*labels, "columns");
  if (inner != nullptr && inner->kind == YamlNode::Kind::Map) labels = inner;
  const YamlNode* const old = value_of(*labels, column.name);
  return old == nullptr ? with_entry(text, *labels, entry) : with_word(text, *old, label);
}

}  // namespace

Result<std::string> with_label(const std::string& yaml, const Catalog& catalog, ColumnRef column, ColumnPolicy label,
                               const std::string& file) {
  auto wanted = parse_policy_yaml(yaml, catalog, file);
  if (!wanted) return wanted.error();
  const auto root = parse_yaml(yaml, file);
  if (!root) return root.error();
  wanted->set(column, label);
  const auto text = edited(yaml, *root, catalog.table(column.table), catalog.column(column), to_string(label));
  if (text) {
    const auto again = parse_policy_yaml(*text, catalog, file);
    if (again && to_yaml(catalog, *again) == to_yaml(catalog, *wanted)) return *text;
    if (!again) return Error{"with this label the policy would be none: " + again.error().message, file, {}};
  }
  return Error{"the text is written so that this label cannot be put into it; change it by hand", file, {}};
}

}  // namespace pccsql
