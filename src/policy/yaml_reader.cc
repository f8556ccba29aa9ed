// The policy file. Names are whatever text stands there: YAML's `no`, `null` and `12` are tables and columns like
// others.
//
// Beside its columns a table's map can hold `min_group`, `key` and `row`. A word that is the name of a column is the
// column; a table that has a column of such a name and needs the rule as well has its labels in a map of their own,
// `columns`, and then no other key of the table's is a column. Labels are never maps, so that `columns: Public` is a
// column and `columns: {…}` is not, and `accept` likewise.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "policy/policy_file.h"
#include "policy/unknown.h"
#include "policy/yaml_tree.h"
#include "schema/rules.h"

namespace pccsql {
namespace {

using Kind = YamlNode::Kind;

class PolicyReader {
 public:
  PolicyReader(const Catalog& catalog, const std::string& file) : catalog_(catalog), file_(file) {
    for (const Table& table : catalog.tables()) {
      notes_.sources.emplace_back(table.columns.size(), LabelSource::Default);
    }
  }

  PolicyNotes take_notes() { return std::move(notes_); }

  Result<Policy> read(const YamlNode& root) {
    if (root.kind != Kind::Map) {
      return error(root, "a policy is a map with " + std::string(kKeys));
    }
    const YamlNode* version = nullptr;
    const YamlNode* fallback = nullptr;
    const YamlNode* min_group = nullptr;
    const YamlNode* tables = nullptr;
    if (Failure failure = check_keys(root, "key")) return *failure;
    for (const auto& [key, value] : root.entries) {
      if (key.text == "version") {
        version = &value;
      } else if (key.text == "default") {
        fallback = &value;
      } else if (key.text == kMinGroup) {
        min_group = &value;
      } else if (key.text == "tables") {
        tables = &value;
      } else if (key.text == kAccept) {
        if (Failure failure = read_acceptances(value, std::nullopt)) return *failure;
      } else if (key.text == "opened") {
        if (Failure failure = read_opened(value)) return *failure;
      } else {
        return error(key, "unknown key " + shown(key.text) + "; a policy has " + std::string(kKeys));
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
    if (min_group) {
      GroupRule rule;
      if (Failure failure = read_minimum(*min_group, rule)) return *failure;
      for (TableId id = 0; id < catalog_.tables().size(); ++id) policy.set_group(id, rule);
    }
    if (tables) {
      if (Failure failure = read_tables(*tables, policy)) return *failure;
    }
    if (const std::optional<MissingKey> missing = find_missing_key(catalog_, policy)) {
      const auto at = places_.find(missing->table);
      return Error{missing->message, file_, at != places_.end() ? at->second : min_group->at};
    }
    return policy;
  }

  Result<GroupRule> read_group_rule(const YamlNode& map, TableId table) const {
    GroupRule rule;
    if (map.kind != Kind::Map) return error(map, "`min_group`, `key` and `row` are followed by `:` and a value");
    if (Failure failure = check_keys(map, "key")) return *failure;
    for (const auto& [name, value] : map.entries) {
      if (!is_rule(name.text)) {
        return error(name, "unknown key " + shown(name.text) + "; there are `min_group: …`, `key: …` and `row: …`");
      }
      if (Failure failure = read_rule(catalog_.table(table), name, value, rule)) return *failure;
    }
    return rule;
  }

 private:
  using Failure = std::optional<Error>;
  static constexpr std::string_view kMinGroup = "min_group";
  static constexpr std::string_view kKey = "key";
  static constexpr std::string_view kRow = "row";
  static constexpr std::string_view kColumns = "columns";
  static constexpr std::string_view kAccept = "accept";
  static constexpr std::string_view kKeys = "`version`, `default`, `min_group`, `accept`, `opened` and `tables`";

  Error error(const YamlNode& node, std::string message) const { return {std::move(message), file_, node.at}; }

  // Every key of the map is a scalar, and no two are the same name.
  Failure check_keys(const YamlNode& map, const std::string& what) const {
    std::map<std::string, Position> seen;
    for (const auto& [key, value] : map.entries) {
      if (key.kind != Kind::Scalar) return error(key, "a " + what + " was expected");
      const bool folds = catalog_.names().name_case() == NameCase::Folded;
      const auto [first, fresh] = seen.emplace(folds ? folded(key.text) : key.text, key.at);
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

  Failure read_minimum(const YamlNode& node, GroupRule& rule) const {
    const std::string& text = node.text;
    uint32_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = code == std::errc() && end == text.data() + text.size();
    if (node.kind != Kind::Scalar || !whole || value < 1 || value > kLargestMinimum) {
      return error(node, "`min_group` must be a whole number from 1, which is no minimum, to " +
                             std::to_string(kLargestMinimum) + ", such as `min_group: 5`");
    }
    rule.minimum = value;
    return std::nullopt;
  }

  // One column, or a list of them.
  Failure read_key(const Table& table, const YamlNode& name, const YamlNode& node,
                   std::vector<ColumnIndex>& columns) const {
    std::vector<const YamlNode*> parts;
    if (node.kind == Kind::Scalar) parts.push_back(&node);
    for (const YamlNode& item : node.items) parts.push_back(&item);
    if (parts.empty() || (node.kind == Kind::Scalar && node.text.empty())) {
      return error(node, shown(name.text) + " must be a column of the table, or a list of columns");
    }
    for (const YamlNode* part : parts) {
      if (part->kind != Kind::Scalar) return error(*part, "the name of a column was expected");
      const std::optional<ColumnIndex> column = table.find_column(catalog_.names().find(part->text));
      if (!column) return error(*part, unknown_column(table, part->text));
      if (std::ranges::find(columns, *column) != columns.end()) {
        return error(*part, "column " + shown(part->text) + " stands twice in " + shown(name.text));
      }
      columns.push_back(*column);
    }
    std::ranges::sort(columns);
    return std::nullopt;
  }

  // `rowid: "why"`, and in a table also `index: {email: "why"}`.
  Failure read_acceptances(const YamlNode& node, std::optional<TableId> table) {
    if (node.kind != Kind::Map) {
      return error(node, "`accept` must be a map from findings to reasons, such as `accept: {rowid: \"…\"}`");
    }
    if (Failure failure = check_keys(node, "finding")) return failure;
    for (const auto& [name, value] : node.entries) {
      const std::optional<Finding> finding = parse_finding(name.text);
      if (!finding) return error(name, unknown_finding(name.text));
      if (!can_be_accepted(*finding)) {
        return error(name, *finding == Finding::UnusedAcceptance
                               ? "`unused-acceptance` cannot be accepted; take out the acceptance that it is about"
                               : shown(name.text) + " cannot be accepted here; `pccsql policy diff --accept` records " +
                                     "what `*` and `default` open");
      }
      if (value.kind == Kind::Map && table) {
        if (Failure failure = check_keys(value, "column")) return failure;
        for (const auto& [column, reason] : value.entries) {
          const std::optional<ColumnIndex> index =
              catalog_.table(*table).find_column(catalog_.names().find(column.text));
          if (!index) return error(column, unknown_column(catalog_.table(*table), column.text));
          if (Failure failure = read_reason(reason, {*finding, table, index, {}, column.at})) return failure;
        }
        continue;
      }
      if (Failure failure = read_reason(value, {*finding, table, std::nullopt, {}, name.at})) return failure;
    }
    return std::nullopt;
  }

  Failure read_reason(const YamlNode& node, Acceptance acceptance) {
    if (node.kind != Kind::Scalar || node.null || trimmed(node.text).empty()) {
      return error(node, "to accept " + shown(to_string(acceptance.finding)) + " takes a reason, as text" +
                             (acceptance.table ? ", or a map from columns to reasons" : ""));
    }
    acceptance.reason = node.text;
    notes_.accepted.push_back(std::move(acceptance));
    return std::nullopt;
  }

  // What has gone from the schema since may stand there still.
  Failure read_opened(const YamlNode& node) {
    notes_.opened.emplace();
    if (node.kind == Kind::Scalar && node.null) return std::nullopt;
    if (node.kind != Kind::Map) return error(node, "`opened` must be a map from tables to lists of their columns");
    if (Failure failure = check_keys(node, "table")) return failure;
    for (const auto& [table, columns] : node.entries) {
      if (columns.kind != Kind::Sequence) return error(columns, "a list of columns was expected");
      PolicyNotes::OpenedTable opened{table.text, {}};
      for (const YamlNode& column : columns.items) {
        if (column.kind != Kind::Scalar) return error(column, "the name of a column was expected");
        opened.columns.push_back(column.text);
      }
      notes_.opened->push_back(std::move(opened));
    }
    return std::nullopt;
  }

  static bool is_rule(std::string_view word) { return word == kMinGroup || word == kKey || word == kRow; }

  Failure read_rule(const Table& table, const YamlNode& name, const YamlNode& value, GroupRule& rule) const {
    if (name.text == kMinGroup) return read_minimum(value, rule);
    return read_key(table, name, value, name.text == kKey ? rule.key : rule.row);
  }

  Failure read_tables(const YamlNode& tables, Policy& policy) {
    if (tables.kind == Kind::Scalar && tables.null) return std::nullopt;
    if (tables.kind != Kind::Map) return error(tables, "`tables` must be a map from tables to their columns");
    if (Failure failure = check_keys(tables, "table")) return failure;
    for (const auto& [name, columns] : tables.entries) {
      const std::optional<TableId> table = catalog_.find_table(name.text);
      if (!table && is_left_out(name.text)) continue;
      if (!table) return error(name, unknown_table(catalog_, name.text));
      places_[*table] = name.at;
      if (Failure failure = read_table(*table, columns, policy)) return failure;
    }
    return std::nullopt;
  }

  // A view of a server, where only its text is here: what types it has is not known, so no query may name it. The same policy
  // holds for the server.
  bool is_left_out(std::string_view name) const {
    return rules_of(catalog_).server && std::ranges::find(catalog_.unusable_views(), name) != catalog_.unusable_views().end();
  }

  Failure read_table(TableId id, const YamlNode& entry, Policy& policy) {
    const Table& table = catalog_.table(id);
    if (entry.kind == Kind::Scalar && entry.null) return std::nullopt;
    if (entry.kind != Kind::Map) {
      return error(entry,
                   "table " + shown(table.name) + " needs a map from columns to policies, such as `{\"*\": Public}`");
    }
    if (Failure failure = check_keys(entry, "column")) return failure;
    const auto is_labels = [](const YamlNode::Entry& e) { return e.key.text == kColumns && e.value.kind == Kind::Map; };
    const auto labels = std::ranges::find_if(entry.entries, is_labels);
    if (labels == entry.entries.end()) return read_columns(id, entry, policy);
    GroupRule rule = policy.group(id);
    for (const auto& [name, value] : entry.entries) {
      if (&value == &labels->value) continue;
      if (name.text == kAccept) {
        if (Failure failure = read_acceptances(value, id)) return failure;
        continue;
      }
      if (!is_rule(name.text)) {
        return error(name, "beside `columns` a table has `min_group`, `key`, `row` and `accept`; write " + shown(name.text) +
                               " under `columns`");
      }
      if (Failure failure = read_rule(table, name, value, rule)) return failure;
    }
    policy.set_group(id, std::move(rule));
    if (Failure failure = check_keys(labels->value, "column")) return failure;
    return read_columns(id, labels->value, policy, false);
  }

  // `with_rules`: what is not the name of a column may be a rule's.
  Failure read_columns(TableId id, const YamlNode& columns, Policy& policy, bool with_rules = true) {
    const Table& table = catalog_.table(id);
    // `*` first, so that every column named after or before it beats it.
    for (const auto& [name, value] : columns.entries) {
      if (name.text != "*") continue;
      const Result<ColumnPolicy> given = policy_of(value, "`*`");
      if (!given) return given.error();
      for (size_t i = 0; i < table.columns.size(); ++i) policy.set({id, static_cast<ColumnIndex>(i)}, *given);
      std::ranges::fill(notes_.sources[id], LabelSource::Star);
    }
    GroupRule rule = policy.group(id);
    for (const auto& [name, value] : columns.entries) {
      if (name.text == "*") continue;
      if (with_rules && name.text == kAccept && value.kind == Kind::Map) {
        if (Failure failure = read_acceptances(value, id)) return failure;
        continue;
      }
      const std::optional<ColumnIndex> column = table.find_column(catalog_.names().find(name.text));
      const bool clash = with_rules && column && is_rule(name.text);
      if (!column && with_rules && is_rule(name.text)) {
        if (Failure failure = read_rule(table, name, value, rule)) return failure;
        continue;
      }
      if (clash && (value.kind != Kind::Scalar || !parse_column_policy(value.text))) {
        return error(value, "table " + shown(table.name) + " has a column " + shown(name.text) +
                                ", so that this would be its label; to give the rule of that name, write the labels in "
                                "a map of their own: " +
                                shown(name.text + ": …, columns: {" + name.text + ": Hidden, …}"));
      }
      if (!column) return error(name, unknown_column(table, name.text));
      const Result<ColumnPolicy> given = policy_of(value, "column " + shown(name.text));
      if (!given) return given.error();
      policy.set({id, *column}, *given);
      notes_.sources[id][*column] = LabelSource::Named;
    }
    policy.set_group(id, std::move(rule));
    return std::nullopt;
  }

  const Catalog& catalog_;
  const std::string& file_;
  std::map<TableId, Position> places_;  // where the file names them
  PolicyNotes notes_;
};

}  // namespace

Result<Policy> parse_policy_yaml(std::string_view text, const Catalog& catalog, const std::string& file,
                                 PolicyNotes* notes) {
  const Result<YamlNode> root = parse_yaml(text, file);
  if (!root) return root.error();
  PolicyReader reader(catalog, file);
  Result<Policy> policy = reader.read(*root);
  if (policy && notes != nullptr) *notes = reader.take_notes();
  return policy;
}

Result<GroupRule> parse_group_rule(std::string_view text, const Catalog& catalog, TableId table) {
  const std::string file;
  const Result<YamlNode> map = parse_yaml("{" + std::string(text) + "}", file);
  if (!map) return map.error();
  return PolicyReader(catalog, file).read_group_rule(*map, table);
}

}  // namespace pccsql
