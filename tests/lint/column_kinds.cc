#include "lint/column_kinds.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"

namespace pccsql {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(trimmed(part));
  return parts;
}

std::optional<ColumnKind> kind_named(std::string_view name) {
  const auto found = std::ranges::find(kColumnKinds, name);
  if (found == kColumnKinds.end()) return std::nullopt;
  return static_cast<ColumnKind>(found - kColumnKinds.begin());
}

}  // namespace

std::vector<ListedDatabase> read_column_kinds(const std::string& path) {
  std::vector<ListedDatabase> databases;
  const auto text = read_file(path);
  EXPECT_TRUE(text) << path;
  if (!text) return databases;
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) {
    if (trimmed(line).empty() || line[0] == '#') continue;
    if (line.starts_with("database ") || line.starts_with("held ")) {
      databases.push_back({trimmed(line.substr(line.find(' '))), line.starts_with("held "), {}});
      continue;
    }
    const size_t colon = line.find(':');
    auto& table = databases.back().tables[folded(line.substr(0, colon))];
    for (const std::string& group : split(line.substr(colon + 1), ';')) {
      const size_t blank = group.find(' ');
      const auto kind = kind_named(group.substr(0, blank));
      EXPECT_TRUE(kind) << path << ": " << line;
      if (!kind) continue;
      for (const std::string& column : split(group.substr(blank), ',')) {
        EXPECT_TRUE(table.emplace(folded(column), *kind).second) << path << ": `" << column << "` twice: " << line;
      }
    }
  }
  return databases;
}

std::vector<std::vector<ColumnKind>> kinds_for(const Catalog& catalog, const ListedDatabase& listed) {
  std::vector<std::vector<ColumnKind>> kinds;
  size_t found = 0, written = 0;
  for (const auto& [name, columns] : listed.tables) written += columns.size();
  for (const Table& table : catalog.tables()) {
    std::vector<ColumnKind>& of_table = kinds.emplace_back();
    const auto list = listed.tables.find(folded(table.name));
    for (const Column& column : table.columns) {
      of_table.push_back(ColumnKind::Unclear);
      if (table.kind == TableKind::Virtual) continue;
      const auto kind = list == listed.tables.end() ? std::map<std::string, ColumnKind>::const_iterator()
                                                    : list->second.find(folded(column.name));
      const bool known = list != listed.tables.end() && kind != list->second.end();
      EXPECT_TRUE(known) << listed.name << ": " << table.name << "." << column.name << " is not in the list";
      if (!known) continue;
      of_table.back() = kind->second;
      ++found;
    }
  }
  EXPECT_EQ(found, written) << listed.name << ": the list has columns that the database lacks";
  return kinds;
}

}  // namespace pccsql
