// Policies written as files: every column of every table has its line, so that nothing hangs on a default. The one
// column that cannot be named in a policy file is one that is really called `*`; but where all others are named, the
// line for `*` speaks of it alone, and so the file still reads back to the same policy. A name that is not valid UTF-8
// has no line: no policy file can hold it, no query can name it, and it falls to the default, Hidden.
#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "policy/policy_file.h"
#include "policy/yaml_text.h"

namespace pccsql {
namespace {

bool is_plain_name(std::string_view name) {
  constexpr std::string_view kMeaningToYaml[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  for (const std::string_view word : kMeaningToYaml) {
    if (equal_folded(name, word)) return false;
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    if (!((fold(c) >= 'a' && fold(c) <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

}  // namespace

std::string yaml_name(std::string_view name) {
  if (is_plain_name(name)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02X", static_cast<unsigned>(byte));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

bool is_writable(std::string_view name) { return find_invalid_utf8(name) == name.npos; }

namespace {

// Calls begin_table(id) and column(ref, written name) for whatever a policy file can hold, in the catalogue's order.
template <typename BeginTable, typename EachColumn>
void for_each_writable(const Catalog& catalog, const BeginTable& begin_table, const EachColumn& each_column) {
  for (size_t t = 0; t < catalog.tables().size(); ++t) {
    const auto id = static_cast<TableId>(t);
    const Table& table = catalog.table(id);
    // A second table or column of one name can neither be found nor listed twice.
    if (table.columns.empty() || !is_writable(table.name) || catalog.find_table(table.id) != id) continue;
    begin_table(id);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const auto column = static_cast<ColumnIndex>(c);
      if (!is_writable(table.columns[c].name) || table.find_column(table.columns[c].id) != column) continue;
      each_column(ColumnRef{id, column}, yaml_name(table.columns[c].name));
    }
  }
}

}  // namespace

std::string to_yaml(const Catalog& catalog, const Policy& policy, const PolicyRemarks& remarks) {
  std::string tables;
  std::string indent;
  const auto list = [](const Table& table, const std::vector<ColumnIndex>& columns) {
    std::string text;
    for (const ColumnIndex column : columns) text += (text.empty() ? "" : ", ") + yaml_name(table.columns[column].name);
    return columns.size() == 1 ? text : "[" + text + "]";
  };
  const auto remark = [](const std::vector<std::string>& texts, size_t number) {
    return number < texts.size() && !texts[number].empty() ? "  # " + texts[number] : std::string();
  };
  for_each_writable(
      catalog,
      [&](TableId id) {
        const Table& table = catalog.table(id);
        const GroupRule& rule = policy.group(id);
        tables += (remarks.columns.empty() ? "  " : "\n  ") + yaml_name(table.name) + ":" + remark(remarks.tables, id) + "\n";
        std::string rules;
        if (rule.minimum != remarks.min_group) rules += "    min_group: " + std::to_string(rule.minimum) + "\n";
        if (!rule.key.empty()) rules += "    key: " + list(table, rule.key) + remark(remarks.keys, id) + "\n";
        if (!rule.row.empty()) rules += "    row: " + list(table, rule.row) + "\n";
        // Labels go to a map of their own where a column is called like a rule.
        const bool apart = !rules.empty() && std::ranges::any_of(table.columns, [](const Column& column) {
          return equal_folded(column.name, "min_group") || equal_folded(column.name, "key") ||
                 equal_folded(column.name, "row");
        });
        tables += rules + (apart ? "    columns:\n" : "");
        indent = apart ? "      " : "    ";
      },
      [&](ColumnRef column, const std::string& name) {
        tables += indent + name + ": " + std::string(to_string(policy.of(column)));
        if (column.table < remarks.columns.size()) tables += remark(remarks.columns[column.table], column.column);
        tables += "\n";
      });
  return remarks.head + "version: 1\ndefault: Hidden\n" +
         (remarks.min_group == 1 ? "" : "min_group: " + std::to_string(remarks.min_group) + "\n") +
         (tables.empty() ? std::string() : "tables:\n" + tables) + remarks.tail;
}

}  // namespace pccsql
