// In two passes: which tables are about people, by their own names and columns; then which tables belong to those, by
// foreign keys, by columns called like one, and by the table's name. What belongs to something that belongs to somebody who
// is served belongs to that somebody as well, in turn; whom a department is led by does not make it his.
#include "lint/table_nature.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "lint/name_parts.h"

namespace pccsql {
namespace {

bool says_any(const NameReading& name, std::initializer_list<Meaning> meanings) {
  return std::ranges::any_of(meanings, [&](Meaning meaning) { return name.says(meaning); });
}
bool head_says_any(const NameReading& name, std::initializer_list<Meaning> meanings) {
  return std::ranges::any_of(meanings, [&](Meaning meaning) { return name.head_says(meaning); });
}

// `Highschooler`: a word that no list has, formed like those for people.
bool is_formed_like_a_person(std::string_view table) {
  const std::vector<std::string> parts = name_parts(table);
  if (parts.empty()) return false;
  std::string word = parts.back();
  if (word.ends_with('s')) word.pop_back();
  if (word.size() < 5) return false;
  return std::ranges::any_of(std::initializer_list<std::string_view>{"er", "or", "ist", "ian", "eur", "eer"},
                             [&](std::string_view ending) { return word.ends_with(ending); });
}

class NatureFinder {
 public:
  NatureFinder(const Catalog& catalog, const NameReadings& names)
      : catalog_(catalog), names_(names), natures_(catalog.tables().size()) {}

  std::vector<TableNature> find() {
    for (TableId id = 0; id < natures_.size(); ++id) find_people(id);
    for (TableId id = 0; id < natures_.size(); ++id) find_unlisted_people(id);
    for (TableId id = 0; id < natures_.size(); ++id) tie_to_people(id);
    for (bool more = true; more;) {
      more = false;
      for (TableId id = 0; id < natures_.size(); ++id) more = tie_to_tied(id) || more;
    }
    return std::move(natures_);
  }

 private:
  void find_people(TableId id) {
    const NameReading& name = names_.tables[id];
    TableNature& nature = natures_[id];
    nature.kinds = name.head_says(Meaning::NotAboutPeople);
    const bool named = head_says_any(name, {Meaning::Subject, Meaning::Staff, Meaning::Figure});
    const bool other = nature.kinds || name.head_says(Meaning::Thing) || only_ties_others(id);
    if (other) return;
    size_t personal = 0;
    for (const NameReading& column : names_.columns[id]) {
      if (says_any(column, {Meaning::PersonName, Meaning::Birth, Meaning::Body, Meaning::Family, Meaning::Identity})) {
        ++personal;
      }
    }
    nature.people = named || personal >= 2;
    nature.figures = nature.people && name.head_says(Meaning::Figure) && !name.head_says(Meaning::Subject);
    nature.sensitive = nature.people && name.says(Meaning::Sensitive);
  }

  // A word that is formed like those for people may be one for something that happens to them: `encounter`.
  void find_unlisted_people(TableId id) {
    const NameReading& name = names_.tables[id];
    TableNature& nature = natures_[id];
    if (nature.people || nature.kinds || !is_formed_like_a_person(catalog_.table(id).name)) return;
    if (head_says_any(name, {Meaning::Thing, Meaning::Place, Meaning::Category, Meaning::Time, Meaning::Name, Meaning::Money,
                             Meaning::Count, Meaning::Score, Meaning::Home, Meaning::Text})) {
      return;
    }
    const bool of_people = std::ranges::any_of(catalog_.table(id).foreign_keys, [&](const ForeignKey& key) {
      const auto parent = parent_of(key);
      return parent && *parent != id && natures_[*parent].people;
    });
    nature.people = !of_people && !only_ties_others(id);
  }

  // `film_actor`: its key is made of those of other tables.
  bool only_ties_others(TableId id) const {
    const Table& table = catalog_.table(id);
    return table.primary_key.size() > 1 && std::ranges::all_of(table.primary_key, [&](ColumnIndex column) {
      return std::ranges::any_of(table.foreign_keys, [&](const ForeignKey& key) {
        return std::ranges::find(key.columns, column) != key.columns.end();
      });
    });
  }

  std::optional<TableId> parent_of(const ForeignKey& key) const {
    return key.columns.size() == 1 ? catalog_.find_table(key.parent_table) : std::nullopt;
  }

  void tie_to_people(TableId id) {
    TableNature& nature = natures_[id];
    if (nature.people || nature.kinds) return;
    const Table& table = catalog_.table(id);
    int best = 0;  // 1: one who serves, 2: one who is served
    const auto tie = [&](ColumnIndex column, bool served, bool sensitive) {
      nature.tied = true;
      nature.sensitive = nature.sensitive || sensitive;
      const int rank = served ? 2 : 1;
      if (rank <= best) return;
      best = rank;
      nature.person = column;
    };
    for (const ForeignKey& key : table.foreign_keys) {
      const auto parent = parent_of(key);
      if (!parent || !natures_[*parent].people || natures_[*parent].figures) continue;
      const bool serves = names_.tables[*parent].head_says(Meaning::Staff);
      tie(key.columns[0], !serves, natures_[*parent].sensitive);
    }
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      const NameReading& name = names_.columns[id][c];
      const bool is_key = name.head_says(Meaning::Key) && says_any(name, {Meaning::Subject, Meaning::Staff});
      if (!is_key && !name.whole_says(Meaning::Subject) && !name.whole_says(Meaning::Staff)) continue;
      tie(c, name.says(Meaning::Subject), name.says(Meaning::Sensitive));
    }
    const NameReading& name = names_.tables[id];
    if (says_any(name, {Meaning::Subject, Meaning::Staff}) && !name.head_says(Meaning::Thing)) nature.tied = true;
    if (nature.tied && name.says(Meaning::Sensitive)) nature.sensitive = true;
    served_[id] = best == 2;
  }

  bool tie_to_tied(TableId id) {
    TableNature& nature = natures_[id];
    if (nature.people || nature.kinds || nature.person) return false;
    for (const ForeignKey& key : catalog_.table(id).foreign_keys) {
      const auto parent = parent_of(key);
      if (!parent || *parent == id || !served_[*parent]) continue;
      nature.tied = true;
      nature.sensitive = nature.sensitive || natures_[*parent].sensitive;
      nature.person = key.columns[0];
      served_[id] = true;
      return true;
    }
    return false;
  }

  const Catalog& catalog_;
  const NameReadings& names_;
  std::vector<TableNature> natures_;
  std::vector<bool> served_ = std::vector<bool>(natures_.size());  // tied to somebody who is served
};

}  // namespace

NameReadings::NameReadings(const Catalog& catalog) {
  for (const Table& table : catalog.tables()) {
    tables.push_back(read_name(table.name));
    std::vector<NameReading>& of_table = columns.emplace_back();
    of_table.reserve(table.columns.size());
    for (const Column& column : table.columns) of_table.push_back(read_name(column.name));
  }
}

std::vector<TableNature> natures_of(const Catalog& catalog, const NameReadings& names) {
  return NatureFinder(catalog, names).find();
}

}  // namespace pccsql
