// Three questions to each table that has AggregateOnly columns, each answered by counting.
#include "lint/data_lint.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"
#include "lint/table_nature.h"

namespace pccsql {
namespace {

// Below so many entities anything names each of them.
constexpr int64_t kFewest = 5;

class DataLinter {
 public:
  DataLinter(const Catalog& catalog, const Policy& policy, DataLook& data)
      : catalog_(catalog), policy_(policy), data_(data), names_(catalog), natures_(natures_of(catalog, names_)) {}

  std::vector<Warning> run() {
    for (TableId id = 0; id < catalog_.tables().size(); ++id) {
      const Table& table = catalog_.table(id);
      if (table.kind == TableKind::Virtual || find_invalid_utf8(table.name) != std::string::npos) continue;
      std::vector<ColumnIndex> summed;
      for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
        if (policy_.of({id, c}) == ColumnPolicy::AggregateOnly) summed.push_back(c);
      }
      if (!summed.empty()) examine(id, summed[0]);
    }
    return std::move(warnings_);
  }

 private:
  std::string name(TableId table, ColumnIndex column) const {
    return "`" + catalog_.table(table).name + "." + catalog_.table(table).columns[column].name + "`";
  }

  // The entity of a row as one value; empty where it is the row itself.
  std::string entity(const std::vector<std::string>& key) const {
    if (key.size() == 1) return key[0] == "rowid" || key[0] == "oid" || key[0] == "_rowid_" ? "" : quoted_identifier(key[0]);
    std::string text;
    for (const std::string& column : key) {
      text += (text.empty() ? "" : " || ',' || ") + data_.rules().written(quoted_identifier(column));
    }
    return text;
  }

  void examine(TableId id, ColumnIndex summed) {
    const Table& table = catalog_.table(id);
    const GroupRule& rule = policy_.group(id);
    const std::vector<std::string> key = key_columns(table, rule);
    const bool by_rowid = rule.key.empty() && table.primary_key.empty() && !table.integer_primary_key;
    const std::string who = by_rowid ? "" : entity(key);
    const std::string from = " FROM " + quoted_identifier(table.name);
    const std::string number_of = who.empty() ? "COUNT(*)" : "COUNT(DISTINCT " + who + ")";
    const auto entities = data_.number("SELECT " + number_of + from);
    if (!entities || *entities == 0) return;
    if (rule.minimum > 1 && *entities < static_cast<int64_t>(rule.minimum)) {
      add(Finding::SmallTable, id, summed,
          "`" + table.name + "` holds fewer than the " + std::to_string(rule.minimum) +
              " entities that `min_group` wants: whatever counts or sums " + name(id, summed) + " brings nothing");
    }
    if (rule.minimum > 1) find_other_person(id, summed, key, who);
    if (*entities < kFewest) return;
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) find_name_of_entity(id, c, summed, key, who, from);
  }

  bool is_in(const std::vector<std::string>& key, TableId id, ColumnIndex column) const {
    return std::ranges::any_of(
        key, [&](const std::string& part) { return equal_folded(part, catalog_.table(id).columns[column].name); });
  }

  // A Public column every value of which goes with one entity, and every entity with one value.
  void find_name_of_entity(TableId id, ColumnIndex column, ColumnIndex summed, const std::vector<std::string>& key,
                           const std::string& who, const std::string& from) {
    if (policy_.of({id, column}) != ColumnPolicy::Public || is_in(key, id, column)) return;
    const std::string& column_name = catalog_.table(id).columns[column].name;
    if (find_invalid_utf8(column_name) != std::string::npos) return;
    const std::string value = quoted_identifier(column_name);
    const std::string pairs = who.empty() ? "COUNT(" + value + ")"
                                          : "COUNT(DISTINCT " + data_.rules().written(value) + " || ',' || " +
                                                data_.rules().written(who) + ")";
    const std::string entities = who.empty() ? "COUNT(*)" : "COUNT(DISTINCT " + who + ")";
    const auto each = data_.number("SELECT CAST((COUNT(DISTINCT " + data_.rules().distinct(value) + ") = " + pairs + " AND " + pairs +
                                   " = " + entities + ") AS integer)" + from + " WHERE " + value + " IS NOT NULL" +
                                   (who.empty() ? "" : " AND " + who + " IS NOT NULL") + " HAVING " + entities +
                                   " >= " + std::to_string(kFewest));
    if (!each || *each == 0) return;
    const bool grouped = policy_.group(id).minimum > 1;
    add(Finding::OneToOne, id, column,
        name(id, column) + " is Public, and in these data every value of it stands for one entity, beside " +
            name(id, summed) + ", which is AggregateOnly: " +
            (grouped ? "who picks groups by it can make two that differ by one, and so by that one's value"
                     : "grouped by it, every sum is one entity's value"));
  }

  // Rows of one person that stand under several keys: a group of k keys may be one person.
  void find_other_person(TableId id, ColumnIndex summed, const std::vector<std::string>& key, const std::string& who) {
    const Table& table = catalog_.table(id);
    const TableNature& nature = natures_[id];
    const bool names_a_person = std::ranges::any_of(policy_.group(id).key, [&](ColumnIndex c) {
      return nature.person == c || points_at_people({id, c});
    });
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      if (is_in(key, id, c) || find_invalid_utf8(table.columns[c].name) != std::string::npos) continue;
      const NameReading& reading = names_.of({id, c});
      const bool identifies = reading.says(Meaning::Identity) || reading.word(Meaning::Contact).find("mail") != std::string_view::npos;
      const bool ties = !nature.people && (nature.person == c) && !names_a_person;
      if (!identifies && !ties) continue;
      const std::string person = quoted_identifier(table.columns[c].name);
      const std::string keys = who.empty() ? "COUNT(*)" : "COUNT(DISTINCT " + who + ")";
      const auto several = data_.number("SELECT CAST(EXISTS (SELECT 1 FROM " + quoted_identifier(table.name) + " WHERE " + person +
                                        " IS NOT NULL GROUP BY " + data_.rules().distinct(person) + " HAVING " + keys +
                                        " > 1) AS integer)");
      if (!several || *several == 0) continue;
      add(Finding::KeyNotPerson, id, summed,
          "groups of " + name(id, summed) + " count " + described(id) + ", and in these data rows of one " + name(id, c) +
              " stand under several: a group can be one person; `key: " + table.columns[c].name + "` counts people");
      return;
    }
  }

  bool points_at_people(ColumnRef column) const {
    for (const ForeignKey& key : catalog_.table(column.table).foreign_keys) {
      if (key.columns.size() != 1 || key.columns[0] != column.column) continue;
      const auto parent = catalog_.find_table(key.parent_table);
      if (parent && natures_[*parent].people) return true;
    }
    return false;
  }

  std::string described(TableId id) const {
    const std::vector<ColumnIndex>& key = policy_.group(id).key;
    if (key.empty()) return "rows of `" + catalog_.table(id).name + "`";
    std::string text;
    for (const ColumnIndex c : key) text += (text.empty() ? "" : ", ") + name(id, c);
    return text;
  }

  void add(Finding kind, TableId id, ColumnIndex column, std::string message) {
    const Table& table = catalog_.table(id);
    warnings_.push_back({kind, table.name, table.columns[column].name, std::move(message), id, {column}});
  }

  const Catalog& catalog_;
  const Policy& policy_;
  DataLook& data_;
  NameReadings names_;
  std::vector<TableNature> natures_;
  std::vector<Warning> warnings_;
};

}  // namespace

std::vector<Warning> lint_data(const Catalog& catalog, const Policy& policy, DataLook& data) {
  return DataLinter(catalog, policy, data).run();
}

}  // namespace pccsql
