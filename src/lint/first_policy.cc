// Each column is judged by itself, in the order of the rules below, and the first that speaks decides: what closes it, keys,
// names of people, free text, what names things, what is measured, its type. Then what the values show may close it, columns
// tied by foreign keys are brought to one label, and columns computed from others are closed where they would tell more than those.
#include "lint/first_policy.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "lint/derived.h"
#include "lint/families.h"
#include "lint/name_parts.h"
#include "lint/table_nature.h"
#include "lint/value_label.h"

namespace pccsql {
namespace {

using Decision = ColumnLabel;

// What a declared type says.
enum class TypeKind : uint8_t { Unknown, Text, Integer, Real, Flag, Time, Blob };

TypeKind kind_of_type(std::string_view type) {
  const std::string text = folded(type);
  const auto holds = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
  };
  if (holds({"bool", "bit"})) return TypeKind::Flag;
  if (holds({"date", "time", "year"})) return TypeKind::Time;
  if (holds({"char", "text", "clob", "string", "enum", "uuid", "json"})) return TypeKind::Text;
  if (holds({"real", "floa", "doub", "dec", "numeric", "money"})) return TypeKind::Real;
  if (holds({"int", "number", "serial"})) return TypeKind::Integer;
  if (holds({"blob", "binary", "bytea", "image"})) return TypeKind::Blob;
  return TypeKind::Unknown;
}

// The meanings that close a column wherever they stand in its name. The second list gives way where the name's head says
// that it is a kind, or a key that points elsewhere: `address_type`, `account_id`.
constexpr std::array kAlwaysClosed{Meaning::Identity, Meaning::Secret, Meaning::Birth,   Meaning::Body,
                                   Meaning::Health,   Meaning::Family, Meaning::Belief,  Meaning::Tracking};
constexpr std::array kClosed{Meaning::Contact, Meaning::Home, Meaning::Account, Meaning::Conduct, Meaning::Image};

class Proposer {
 public:
  Proposer(const Catalog& catalog, const std::vector<TableLook>& looks, const FirstPolicySettings& settings)
      : catalog_(catalog),
        looks_(looks),
        settings_(settings),
        names_(catalog),
        natures_(natures_of(catalog, names_)),
        first_{Policy(catalog, ColumnPolicy::Hidden), {}, {}} {}

  FirstPolicy propose() {
    for (TableId id = 0; id < catalog_.tables().size(); ++id) propose_table(id);
    join_families();
    close_derived();
    return std::move(first_);
  }

 private:
  void propose_table(TableId id) {
    const Table& table = catalog_.table(id);
    first_.reasons.emplace_back(table.columns.size());
    first_.key_reasons.emplace_back();
    propose_group(id);
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      const ColumnRef column{id, c};
      Decision decision = label_by_name(column);
      if (id < looks_.size() && looks_[id].looked) {
        const ValueContext context{natures_[id].about_somebody(), settings_.people == PeopleNames::Public};
        if (auto closed = label_by_values(decision, looks_[id].columns[c], context)) decision = std::move(*closed);
      }
      set(column, std::move(decision));
    }
    drop_idle_key(id);
  }

  // A key says nothing where nothing is added up.
  void drop_idle_key(TableId id) {
    for (ColumnIndex c = 0; c < catalog_.table(id).columns.size(); ++c) {
      if (first_.policy.of({id, c}) == ColumnPolicy::AggregateOnly) return;
    }
    first_.policy.set_group(id, {settings_.min_group, {}, {}});
    first_.key_reasons[id].clear();
  }

  void set(ColumnRef column, Decision decision) {
    first_.policy.set(column, decision.label);
    first_.reasons[column.table][column.column] = std::move(decision.reason);
  }

  void propose_group(TableId id) {
    const Table& table = catalog_.table(id);
    GroupRule rule;
    rule.minimum = settings_.min_group;
    const TableNature& nature = natures_[id];
    if (table.kind == TableKind::Table && nature.person && !nature.people) {
      rule.key = {*nature.person};
      first_.key_reasons[id] = "whom a group counts: rows of the same one count once";
    }
    first_.policy.set_group(id, std::move(rule));
  }

  static Decision hidden(std::string reason) { return {ColumnPolicy::Hidden, std::move(reason), Ground::Closed}; }
  static std::string because(const NameReading& name, Meaning meaning) {
    return "`" + std::string(name.word(meaning)) + "`: " + std::string(described(meaning));
  }

  bool is_foreign(ColumnRef column) const {
    return std::ranges::any_of(catalog_.table(column.table).foreign_keys, [&](const ForeignKey& key) {
      return std::ranges::find(key.columns, column.column) != key.columns.end();
    });
  }

  bool is_declared_key(ColumnRef column) const {
    const Table& table = catalog_.table(column.table);
    return std::ranges::find(table.primary_key, column.column) != table.primary_key.end() ||
           table.integer_primary_key == column.column || is_foreign(column);
  }

  Decision label_by_name(ColumnRef column) const {
    const Table& table = catalog_.table(column.table);
    const NameReading& name = names_.of(column);
    const TableNature& nature = natures_[column.table];
    const TypeKind type = kind_of_type(catalog_.column(column).type);
    const bool number = type == TypeKind::Integer || type == TypeKind::Real;
    if (table.kind == TableKind::Virtual) return hidden("of a virtual table, which no query may name");
    if (type == TypeKind::Blob) return hidden("binary data");

    const bool declared = is_declared_key(column);
    const bool key = declared || name.head_says(Meaning::Key);
    // A number that stands for a row elsewhere is no more than that: of a prescription the medication.
    const bool number_of_row = declared && number && is_foreign(column);
    for (const Meaning meaning : kAlwaysClosed) {
      if (name.says(meaning) && !(number_of_row && meaning == Meaning::Health)) return hidden(because(name, meaning));
    }
    for (const Meaning meaning : kClosed) {
      if (name.says(meaning) && !key && !name.head_says(Meaning::Kind)) return hidden(because(name, meaning));
    }
    for (const Meaning meaning : {Meaning::Physique, Meaning::Ambivalent}) {
      if (name.says(meaning) && !key && nature.about_somebody()) return hidden(because(name, meaning));
    }
    if (declared && name.says(Meaning::PersonName)) return person(because(name, Meaning::PersonName));
    if (key) return {ColumnPolicy::ConditionOnly, is_foreign(column) ? "a key of another table" : "a key", Ground::Key};

    if (name.says(Meaning::PersonName) && !names_a_thing(column)) return person(because(name, Meaning::PersonName));
    if (!number && name.head_says(Meaning::Role)) return person(because(name, Meaning::Role));
    if (name.head_says(Meaning::Name)) return named(column);
    if (name.head_says(Meaning::Text) && !number) return hidden(because(name, Meaning::Text));
    if (name.says(Meaning::Ambivalent)) return open(because(name, Meaning::Ambivalent));

    const bool measured = measure_of(name) != nullptr;
    if (measured && number) return measure(column, because(name, *measure_of(name)));
    for (const Meaning meaning : {Meaning::Place, Meaning::Category, Meaning::Kind, Meaning::Description, Meaning::Time, Meaning::Flag}) {
      if (name.head_says(meaning)) return harmless(meaning, name, nature);
    }
    if (measured) return measure(column, because(name, *measure_of(name)));
    return label_by_type(column, type);
  }

  // What stands before the head of a name: the `song` of `song_name`, the `building` of `building_full_name`.
  NameReading qualifier_of(ColumnRef column) const {
    std::vector<std::string> parts = name_parts(catalog_.column(column).name);
    std::string text;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      if (parts[i] != "full" && parts[i] != "short" && parts[i] != "display") text += parts[i] + " ";
    }
    return read_name(text);
  }

  static bool is_thing(const NameReading& name) {
    return name.head_says(Meaning::Place) || name.head_says(Meaning::Category) || name.head_says(Meaning::Thing);
  }
  static bool is_somebody(const NameReading& name) {
    return name.head_says(Meaning::Subject) || name.head_says(Meaning::Staff) || name.head_says(Meaning::Figure) ||
           name.head_says(Meaning::Role);
  }

  // `building_full_name`, and `full_name` in a table of things; not `first_name`, wherever it stands.
  bool names_a_thing(ColumnRef column) const {
    const NameReading& name = names_.of(column);
    if (name.word(Meaning::PersonName) != "full_name" && name.word(Meaning::PersonName) != "display_name") return false;
    const NameReading qualifier = qualifier_of(column);
    if (is_somebody(qualifier)) return false;
    return is_thing(qualifier) ||
           (!natures_[column.table].about_somebody() && is_thing(names_.tables[column.table]));
  }

  // A name, of people or of things. In a table of people `company_name` and `song_name` are no names of theirs; what is not
  // known to be a thing's is.
  Decision named(ColumnRef column) const {
    const NameReading& name = names_.of(column);
    const TableNature& nature = natures_[column.table];
    const NameReading qualifier = qualifier_of(column);
    if (is_somebody(qualifier) && !qualifier.head_says(Meaning::Thing)) return person("the name of a person");
    if (nature.people && !is_thing(qualifier) && !is_title(name)) {
      return person("the name of one of the people in this table");
    }
    if (nature.sensitive) return hidden("in a table of what is nobody's business");
    return open(nature.people && is_title(name) ? "a title" : "names something");
  }

  static bool is_title(const NameReading& name) {
    const std::string_view word = name.word(Meaning::Name);
    return word.find("tit") != std::string_view::npos;  // title, Titel, titre, título
  }

  Decision person(std::string reason) const {
    if (settings_.people == PeopleNames::Public) return {ColumnPolicy::Public, std::move(reason), Ground::PersonName};
    return {ColumnPolicy::Hidden, std::move(reason), Ground::PersonName};
  }

  static Decision open(std::string reason) { return {ColumnPolicy::Public, std::move(reason), Ground::Name}; }

  Decision harmless(Meaning meaning, const NameReading& name, const TableNature& nature) const {
    if (nature.sensitive) return hidden("in a table of what is nobody's business");
    const bool of_people = nature.people && (meaning == Meaning::Flag || (meaning == Meaning::Time && !nature.figures));
    if (of_people) return hidden(because(name, meaning) + ", of a person");
    if (meaning == Meaning::Description && nature.about_somebody()) return hidden("free text beside a person");
    const Ground ground = meaning == Meaning::Description ? Ground::Description
                          : meaning == Meaning::Time      ? Ground::Time
                          : meaning == Meaning::Place     ? Ground::Name
                                                          : Ground::Category;
    return {ColumnPolicy::Public, because(name, meaning), ground};
  }

  static const Meaning* measure_of(const NameReading& name) {
    static constexpr std::array kMeasures{Meaning::Pay, Meaning::Money, Meaning::Score, Meaning::Count, Meaning::Physique};
    const auto found = std::ranges::find_if(kMeasures, [&](Meaning meaning) { return name.says(meaning); });
    return found == kMeasures.end() ? nullptr : &*found;
  }

  // What may be added up needs something that tells people, or rows, apart.
  Decision measure(ColumnRef column, std::string reason) const {
    const Table& table = catalog_.table(column.table);
    const GroupRule& rule = first_.policy.group(column.table);
    if (key_columns(table, rule).empty() || row_columns(table, rule).empty()) {
      return hidden(reason + "; AggregateOnly, once the table has a `key` and a `row`");
    }
    return {ColumnPolicy::AggregateOnly, std::move(reason), Ground::Measure};
  }

  Decision label_by_type(ColumnRef column, TypeKind type) const {
    const TableNature& nature = natures_[column.table];
    const NameReading& name = names_.of(column);
    const bool number_of_something = name.says(Meaning::Key);
    if (!nature.about_somebody() && !number_of_something) {
      if (type == TypeKind::Real || type == TypeKind::Integer) return measure(column, "a number, in a table of things");
      if (type == TypeKind::Flag) return {ColumnPolicy::Public, "yes or no, in a table of things", Ground::Category};
      if (type == TypeKind::Time) return {ColumnPolicy::Public, "a time, in a table of things", Ground::Time};
    }
    if (nature.tied && type == TypeKind::Real) return measure(column, "a number with a fraction");
    return hidden("nothing says that it is harmless");
  }

  // A column and those that foreign keys tie to it hold the same values: none may permit more than another.
  void join_families() {
    for (const std::vector<ColumnRef>& family : column_families(catalog_)) {
      ColumnPolicy all = ColumnPolicy::Public;
      for (const ColumnRef column : family) all = intersection(all, first_.policy.of(column));
      for (const ColumnRef column : family) {
        if (first_.policy.of(column) == all) continue;
        set(column, {all, "has the values of a column that is closed", Ground::Closed});
      }
    }
  }

  void close_derived() {
    for (bool more = true; more;) {
      more = false;
      for (const GivenAway& given : find_given_away(catalog_, first_.policy)) {
        const Table& table = catalog_.table(given.table);
        for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
          const ColumnRef column{given.table, c};
          if ((given.column && *given.column != c) || first_.policy.of(column) == ColumnPolicy::Hidden) continue;
          set(column, hidden("computed from columns that may not be used so"));
          more = true;
        }
      }
      if (more) join_families();
    }
  }

  const Catalog& catalog_;
  const std::vector<TableLook>& looks_;
  const FirstPolicySettings& settings_;
  NameReadings names_;
  std::vector<TableNature> natures_;
  FirstPolicy first_;
};

}  // namespace

FirstPolicy first_policy(const Catalog& catalog, const std::vector<TableLook>& looks,
                         const FirstPolicySettings& settings) {
  return Proposer(catalog, looks, settings).propose();
}

}  // namespace pccsql
