#include "lint/opened.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "policy/yaml_text.h"

namespace pccsql {
namespace {

constexpr std::string_view kRecordKey = "opened:";
constexpr std::string_view kRecordHead =
    "# What `*` and `default` open, as it was when somebody last looked; `pccsql policy diff --accept` writes this.\n";

bool opens(const Unnamed& unnamed) { return unnamed.label != ColumnPolicy::Hidden; }

// "`opened:` and a line for each table with something open."
std::string record_of(const Catalog& catalog, const std::vector<Unnamed>& columns) {
  std::string text(kRecordKey);
  std::optional<TableId> table;
  for (const Unnamed& unnamed : columns) {
    const std::string& name = catalog.column(unnamed.column).name;
    if (!opens(unnamed) || !is_writable(name) || !is_writable(catalog.table(unnamed.column.table).name)) continue;
    const bool first = table != unnamed.column.table;
    if (first) {
      text += (table ? "]\n  " : "\n  ") + yaml_name(catalog.table(unnamed.column.table).name) + ": [";
      table = unnamed.column.table;
    }
    text += (first ? "" : ", ") + yaml_name(name);
  }
  return text + (table ? "]\n" : " {}\n");
}

// Where the lines of the old record begin and end, with what was written above it; both at the end where there is none.
std::pair<size_t, size_t> old_record(std::string_view yaml) {
  for (size_t line = 0; line < yaml.size();) {
    const size_t next = std::min(yaml.find('\n', line), yaml.size() - 1) + 1;
    if (yaml.substr(line).starts_with(kRecordKey)) {
      size_t end = next;
      while (end < yaml.size() && yaml[end] == ' ') end = std::min(yaml.find('\n', end), yaml.size() - 1) + 1;
      const bool about = line >= kRecordHead.size() && yaml.substr(line - kRecordHead.size(), kRecordHead.size()) == kRecordHead;
      return {about ? line - kRecordHead.size() : line, end};
    }
    line = next;
  }
  return {yaml.size(), yaml.size()};
}

}  // namespace

std::vector<Unnamed> unnamed_columns(const Catalog& catalog, const Policy& policy, const PolicyNotes& notes) {
  std::vector<Unnamed> found;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    const Table& table = catalog.table(t);
    if (table.kind == TableKind::Virtual) continue;  // no query may name it
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      const LabelSource source = notes.sources[t][c];
      if (source == LabelSource::Named) continue;
      found.push_back({{t, c}, policy.of({t, c}), source, is_recorded(notes, table, table.columns[c])});
    }
  }
  return found;
}

std::vector<Warning> lint_opened(const Catalog& catalog, const Policy& policy, const PolicyNotes& notes) {
  std::vector<Warning> warnings;
  for (const Unnamed& unnamed : unnamed_columns(catalog, policy, notes)) {
    if (!opens(unnamed) || unnamed.recorded) continue;
    const Table& table = catalog.table(unnamed.column.table);
    const std::string& name = table.columns[unnamed.column.column].name;
    const std::string by = std::string(unnamed.source == LabelSource::Star ? "`\"*\": " : "`default: ") +
                           std::string(to_string(unnamed.label)) + "`";
    if (notes.opened) {
      warnings.push_back({Finding::NewColumn, table.name, name,
                          "`" + table.name + "." + name + "` was added since somebody last looked, and " + by +
                              " opens it; name it, or accept it with `pccsql policy diff --accept`",
                          unnamed.column.table, {unnamed.column.column}});
    } else if (!warnings.empty() && warnings.back().table_id == unnamed.column.table) {
      warnings.back().columns.push_back(unnamed.column.column);
    } else {
      warnings.push_back({Finding::Unrecorded, table.name, name,
                          by + " opens what `" + table.name + "` has and whatever is added to it, and the policy has " +
                              "no record of what that was meant for; `pccsql policy diff --accept` writes one",
                          unnamed.column.table, {unnamed.column.column}});
    }
  }
  return warnings;
}

Result<std::string> with_record(const std::string& yaml, const Catalog& catalog, const std::string& file) {
  PolicyNotes before;
  const Result<Policy> policy = parse_policy_yaml(yaml, catalog, file, &before);
  if (!policy) return policy.error();
  const std::string record = record_of(catalog, unnamed_columns(catalog, *policy, before));
  const auto [begin, end] = old_record(yaml);
  std::string text = yaml.substr(0, begin);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  if (begin == yaml.size()) text += '\n';
  text += std::string(kRecordHead) + record + yaml.substr(end);

  PolicyNotes after;
  const Result<Policy> again = parse_policy_yaml(text, catalog, file, &after);
  const auto left = [&] {
    return std::ranges::any_of(unnamed_columns(catalog, *again, after), [&](const Unnamed& unnamed) {
      return opens(unnamed) && !unnamed.recorded && is_writable(catalog.column(unnamed.column).name) &&
             is_writable(catalog.table(unnamed.column.table).name);
    });
  };
  if (!again || to_yaml(catalog, *again) != to_yaml(catalog, *policy) || left()) {
    return Error{"the record cannot be put in its place, as the file is no plain list of lines; write it yourself:\n" + record,
                 file,
                 {}};
  }
  return text;
}

}  // namespace pccsql
