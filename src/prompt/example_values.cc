#include "prompt/example_values.h"

#include <charconv>
#include <variant>

#include "base/text.h"
#include "prompt/schema_text.h"

namespace pccsql {
namespace {

constexpr size_t kLongestText = 32;  // bytes of a value

// Cut where a character ends.
std::string cut(const std::string& text) {
  if (text.size() <= kLongestText) return text;
  size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

// What would end the comment, or the line, or is no text.
bool is_showable(const std::string& text) {
  if (find_invalid_utf8(text) != std::string_view::npos || text.find("*/") != std::string::npos) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  }
  return true;
}

}  // namespace

const std::vector<std::string>& ExampleValues::of(ColumnRef column) const {
  static const std::vector<std::string> none;
  if (column.table >= values_.size() || column.column >= values_[column.table].size()) return none;
  return values_[column.table][column.column];
}

void ExampleValues::set(ColumnRef column, std::vector<std::string> values) {
  if (column.table >= values_.size()) values_.resize(column.table + 1);
  auto& columns = values_[column.table];
  if (column.column >= columns.size()) columns.resize(column.column + 1);
  columns[column.column] = std::move(values);
}

std::string example_text(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, *number).ptr;
    return {digits, end};
  }
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || text->empty() || !is_showable(*text)) return "";
  std::string out = "'";
  for (const char c : cut(*text)) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

ExampleValues read_example_values(QueryRunner& runner, const Catalog& catalog, const Policy& policy, size_t most) {
  ExampleValues values;
  if (most == 0) return values;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    const Table& table = catalog.table(t);
    if (table.kind != TableKind::Table) continue;
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      if (policy.of({t, c}) != ColumnPolicy::Public) continue;
      const std::string column = name_in_sql(table.columns[c].name, catalog.dialect());
      const auto rows = runner.run("SELECT " + column + " FROM " + name_in_sql(table.name, catalog.dialect()) + " WHERE " +
                                   column + " IS NOT NULL GROUP BY " + column + " ORDER BY COUNT(*) DESC, " + column +
                                   " LIMIT " + std::to_string(most + 1));
      if (!rows) continue;
      std::vector<std::string> texts;
      size_t numbers = 0;
      for (const auto& row : rows->rows) {
        std::string text = row.empty() ? "" : example_text(row[0]);
        if (text.empty()) continue;
        numbers += text[0] != '\'';
        texts.push_back(std::move(text));
      }
      // Numbers that are measured say nothing; those of a code do.
      if (texts.size() > most && numbers == texts.size()) continue;
      if (texts.size() > most) texts.pop_back();
      values.set({t, c}, std::move(texts));
    }
  }
  return values;
}

}  // namespace pccsql
