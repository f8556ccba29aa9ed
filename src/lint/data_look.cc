// A sample is some hundred rows. Where the rowid has a column they are taken from places all over the table, so that
// what the first years of a database look like does not pass for all of it; elsewhere they are the first that come.
#include "lint/data_look.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "base/text.h"
#include "policy/policy.h"

namespace pccsql {
namespace {

constexpr size_t kSampledRows = 500;         // of a sample
constexpr int64_t kSampledPlaces = 20;       // of the table that they are taken from
constexpr size_t kColumnsAtATime = 60;       // asked for at a time
constexpr std::chrono::milliseconds kQueryTime{2'000};

size_t words_in(std::string_view text) {
  size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    words += !blank && !inside ? 1u : 0u;
    inside = !blank;
  }
  return words;
}

// What one value adds to the look; its text, for telling values apart.
std::string note(const Value& value, ColumnLook& look) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    ++look.values;
    ++look.numbers;
    std::string text = std::to_string(*number);
    // A bare number can be a card's or a person's, by its check digits; it is no telephone number yet.
    if (is_card_number(text)) {
      ++look.of_kind[static_cast<size_t>(ValueKind::Card)];
    } else if (is_national_id(text)) {
      ++look.of_kind[static_cast<size_t>(ValueKind::NationalId)];
    }
    return text;
  }
  if (const auto* number = std::get_if<double>(&value)) {
    ++look.values;
    ++look.numbers;
    return std::to_string(*number);
  }
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || trimmed(*text).empty()) return {};
  ++look.values;
  const std::string bare = trimmed(*text);
  ++look.of_kind[static_cast<size_t>(kind_of(bare))];
  if (is_number(bare)) ++look.numbers;
  if (bare.size() >= 60 && words_in(bare) >= 8) ++look.long_texts;
  if (const auto year = year_of_date(bare)) {
    look.first_year = look.dates == 0 ? *year : std::min(look.first_year, *year);
    look.last_year = look.dates == 0 ? *year : std::max(look.last_year, *year);
    ++look.dates;
  }
  return bare;
}

}  // namespace

DataLook::DataLook(const Catalog& catalog, std::string schema, std::unique_ptr<QueryRunner> runner,
                   std::chrono::steady_clock::time_point end)
    : catalog_(&catalog),
      rules_(&rules_of(catalog)),
      schema_(std::move(schema)),
      runner_(std::move(runner)),
      end_(end) {}
DataLook::DataLook(DataLook&&) noexcept = default;
DataLook::~DataLook() = default;

Result<DataLook> DataLook::open(const DatabasePlace& place, const Catalog& catalog, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  RunLimits limits;
  limits.rows = 2 * kSampledRows;
  limits.time = std::min(time, kQueryTime);
  auto runner = open_owners_runner(place, catalog, limits);
  if (!runner) return runner.error();
  return DataLook(catalog, place.schema, *std::move(runner), end);
}

bool DataLook::has_time() {
  if (std::chrono::steady_clock::now() < end_) return true;
  incomplete_ = true;
  return false;
}

std::optional<int64_t> DataLook::number(const std::string& sql) {
  if (!has_time()) return std::nullopt;
  const auto rows = runner_->run(sql);
  if (!rows || rows->rows.size() != 1 || rows->rows[0].size() != 1) {
    incomplete_ = true;
    return std::nullopt;
  }
  const auto* value = std::get_if<int64_t>(&rows->rows[0][0]);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

// WHERE that takes rows from places all over the table, where its rows have numbers.
std::string DataLook::places_by_key(const Table& table) {
  if (!table.integer_primary_key || table.without_rowid) return "";
  const std::string name = quoted_identifier(table.name);
  const std::string key = quoted_identifier(table.columns[*table.integer_primary_key].name);
  const auto least = number("SELECT MIN(" + key + ") FROM " + name);
  const auto most = number("SELECT MAX(" + key + ") FROM " + name);
  if (!least || !most || *most / 2 - *least / 2 <= static_cast<int64_t>(kSampledRows)) return "";
  const int64_t step = *most / kSampledPlaces - *least / kSampledPlaces;
  std::string where;
  for (int64_t place = 0; place < kSampledPlaces; ++place) {
    const std::string from = std::to_string(*least + place * step);
    const std::string upto = std::to_string(place + 1 == kSampledPlaces ? *most : *least + (place + 1) * step - 1);
    where += (place == 0 ? "" : " UNION ALL ") + std::string("SELECT k FROM (SELECT ") + key + " AS k FROM " + name + " WHERE " +
             key + " BETWEEN " + from + " AND " + upto + " LIMIT " +
             std::to_string(kSampledRows / static_cast<size_t>(kSampledPlaces)) + ")";
  }
  return " WHERE " + key + " IN (" + where + ")";
}

// The dialect's own way to take such rows, where it has one and the table is large: four times as many as are wanted.
std::string DataLook::part_of(const Table& table) {
  if (rules_->estimate == nullptr || table.kind != TableKind::Table) return "";
  constexpr int64_t kWanted = 4 * static_cast<int64_t>(kSampledRows);
  const auto rows = number(rules_->estimate(table.name, schema_));
  if (!rows || *rows <= kSampledPlaces * kWanted) return "";
  return rules_->part(std::max<int64_t>(1, kWanted * 1'000'000 / *rows));
}

TableLook DataLook::sample(TableId id) {
  const Table& table = catalog_->table(id);
  TableLook look;
  look.columns.resize(table.columns.size());
  if (table.kind == TableKind::Virtual || find_invalid_utf8(table.name) != std::string_view::npos) return look;
  const std::string name = quoted_identifier(table.name);
  const std::string where = part_of(table) + places_by_key(table);
  std::vector<size_t> readable;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (find_invalid_utf8(table.columns[c].name) == std::string_view::npos) readable.push_back(c);
  }
  look.looked = true;
  for (size_t first = 0; first < readable.size(); first += kColumnsAtATime) {
    const size_t count = std::min(kColumnsAtATime, readable.size() - first);
    std::string items;
    for (size_t i = 0; i < count; ++i) {
      items += (i == 0 ? "" : ", ") + rules_->shortened(table.columns[readable[first + i]]);
    }
    std::optional<RowSet> rows;
    if (has_time()) {
      auto ran = runner_->run("SELECT " + items + " FROM " + name + where + " LIMIT " + std::to_string(kSampledRows));
      if (ran) rows = std::move(*ran);
    }
    if (!rows) {
      look.looked = false;
      incomplete_ = true;
      return look;
    }
    look.rows = rows->rows.size();
    for (size_t i = 0; i < count; ++i) {
      ColumnLook& column = look.columns[readable[first + i]];
      std::set<std::string> seen;
      for (const auto& row : rows->rows) {
        const size_t before = column.values;
        std::string text = note(row[i], column);
        if (column.values > before) seen.insert(std::move(text));
      }
      column.distinct = seen.size();
    }
  }
  return look;
}

}  // namespace pccsql
