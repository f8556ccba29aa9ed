// The policy file. Names are whatever text stands there: YAML's `no`, `null` and `12` are tables and columns like
// others.
#include <map>
#include <optional>

#include "base/text.h"
#include "policy/policy_file.h"
#include "policy/unknown.h"
#include "policy/yaml_tree.h"

namespace pccsql {
namespace {

using Kind = YamlNode::Kind;

class PolicyReader {
 public:
  PolicyReader(const Catalog& catalog, const std::string& file) : catalog_(catalog), file_(file) {}

  Result<Policy> read(const YamlNode& root) {
    if (root.kind != Kind::Map) return error(root, "a policy is a map with `version`, `default` and `tables`");
    const YamlNode* version = nullptr;
    const YamlNode* fallback = nullptr;
    const YamlNode* tables = nullptr;
    if (Failure failure = check_keys(root, "key")) return *failure;
    for (const auto& [key, value] : root.entries) {
      if (key.text == "version") {
        version = &value;
      } else if (key.text == "default") {
        fallback = &value;
      } else if (key.text == "tables") {
        tables = &value;
      } else {
        return error(key, "unknown key " + shown(key.text) + "; a policy has `version`, `default` and `tables`");
      }
    }
    if (!version) return error(root, "`version` is missing; write `version: 1`");
    if (version->kind != Kind::Scalar || version->text != "1") {
      return error(*version, "unsupported version" + (version->kind == Kind::Scalar ? " " + shown(version->text) : "") +
                                 "; this program reads `version: 1`");
    }
    ColumnPolicy everywhere = ColumnPolicy::Hidden;
    if (fallback) {
      const Result<ColumnPolicy> given = policy_of(*fallback, "`default`");
      if (!given) return given.error();
      everywhere = *given;
    }
    Policy policy(catalog_, everywhere);
    if (tables) {
      if (Failure failure = read_tables(*tables, policy)) return *failure;
    }
    return policy;
  }

 private:
  using Failure = std::optional<Error>;

  Error error(const YamlNode& node, std::string message) const { return {std::move(message), file_, node.at}; }

  // Every key of the map is a scalar, and no two are the same name.
  Failure check_keys(const YamlNode& map, const std::string& what) const {
    std::map<std::string, Position> seen;
    for (const auto& [key, value] : map.entries) {
      if (key.kind != Kind::Scalar) return error(key, "a " + what + " was expected");
      const auto [first, fresh] = seen.emplace(folded(key.text), key.at);
      if (!fresh) {
        return error(key, "duplicate " + what + " " + shown(key.text) + "; it is first given in line " +
                              std::to_string(first->second.line));
      }
    }
    return std::nullopt;
  }

  Result<ColumnPolicy> policy_of(const YamlNode& node, const std::string& of_what) const {
    if (node.kind != Kind::Scalar || node.text.empty()) {
      return error(node,
                   "the policy of " + of_what + " must be `Public`, `ConditionOnly`, `AggregateOnly` or `Hidden`");
    }
    const std::optional<ColumnPolicy> policy = parse_column_policy(node.text);
    if (!policy) return error(node, unknown_policy(node.text));
    return *policy;
  }

  Failure read_tables(const YamlNode& tables, Policy& policy) const {
    if (tables.kind == Kind::Scalar && tables.null) return std::nullopt;
    if (tables.kind != Kind::Map) return error(tables, "`tables` must be a map from tables to their columns");
    if (Failure failure = check_keys(tables, "table")) return failure;
    for (const auto& [name, columns] : tables.entries) {
      const std::optional<TableId> table = catalog_.find_table(name.text);
      if (!table) return error(name, unknown_table(catalog_, name.text));
      if (Failure failure = read_columns(*table, columns, policy)) return failure;
    }
    return std::nullopt;
  }

  Failure read_columns(TableId id, const YamlNode& columns, Policy& policy) const {
    const Table& table = catalog_.table(id);
    if (columns.kind == Kind::Scalar && columns.null) return std::nullopt;
    if (columns.kind != Kind::Map) {
      return error(columns,
                   "table " + shown(table.name) + " needs a map from columns to policies, such as `{\"*\": Public}`");
    }
    if (Failure failure = check_keys(columns, "column")) return failure;
    // `*` first, so that every column named after or before it beats it.
    for (const auto& [name, value] : columns.entries) {
      if (name.text != "*") continue;
      const Result<ColumnPolicy> given = policy_of(value, "`*`");
      if (!given) return given.error();
      for (size_t i = 0; i < table.columns.size(); ++i) policy.set({id, static_cast<ColumnIndex>(i)}, *given);
    }
    for (const auto& [name, value] : columns.entries) {
      if (name.text == "*") continue;
      const std::optional<ColumnIndex> column = table.find_column(catalog_.names().find(name.text));
      if (!column) return error(name, unknown_column(table, name.text));
      const Result<ColumnPolicy> given = policy_of(value, "column " + shown(name.text));
      if (!given) return given.error();
      policy.set({id, *column}, *given);
    }
    return std::nullopt;
  }

  const Catalog& catalog_;
  const std::string& file_;
};

}  // namespace

Result<Policy> parse_policy_yaml(std::string_view text, const Catalog& catalog, const std::string& file) {
  const Result<YamlNode> root = parse_yaml(text, file);
  if (!root) return root.error();
  return PolicyReader(catalog, file).read(*root);
}

}  // namespace pccsql
