#include "decode/instead.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "prompt/schema_text.h"

namespace pccsql {
namespace {

constexpr size_t kMostListed = 3;

// "hire_date" -> "hire date"
std::string plain_words(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

class Proposals {
 public:
  explicit Proposals(Subject& subject) : subject_(subject), catalog_(subject.catalog()) {}

  void about(TableId table, const std::optional<ColumnRef>& withheld) {
    const Table& here = catalog_.table(table);
    const std::string from = " FROM " + name_in_sql(here.name);
    std::vector<std::string> shown;
    std::vector<std::string> columns;
    for (ColumnIndex c = 0; c < here.columns.size() && shown.size() < kMostListed; ++c) {
      if (subject_.policy().of({table, c}) != ColumnPolicy::Public || here.columns[c].hidden) continue;
      shown.push_back(plain_words(here.columns[c].name));
      columns.push_back(name_in_sql(here.columns[c].name));
    }
    if (withheld && subject_.policy().of(*withheld) == ColumnPolicy::AggregateOnly) {
      const std::string& name = catalog_.column(*withheld).name;
      const std::string average = "AVG(" + name_in_sql(name) + ")";
      add("What is the average " + plain_words(name) + " in " + plain_words(here.name) + "?", "SELECT " + average + from);
    }
    if (!shown.empty()) {
      std::string list;
      std::string names;
      for (size_t i = 0; i < shown.size(); ++i) {
        names += (i == 0 ? "" : ", ") + columns[i];
        list += (i == 0 ? "" : i + 1 == shown.size() ? " and " : ", ") + shown[i];
      }
      add("What are the " + list + " of all " + plain_words(here.name) + "?", "SELECT " + names + from);
    }
    add("How many rows does " + plain_words(here.name) + " have?", "SELECT COUNT(*)" + from);
  }

  std::vector<Instead> take() { return std::move(made_); }

 private:
  void add(std::string question, std::string sql) {
    const bool known = std::ranges::find(made_, sql, &Instead::sql) != made_.end();
    if (!known && subject_.judgement(sql).verdict == Verdict::Safe) made_.push_back({std::move(question), std::move(sql)});
  }

  Subject& subject_;
  const Catalog& catalog_;
  std::vector<Instead> made_;
};

}  // namespace

std::vector<Instead> questions_instead(Subject& subject, const std::vector<WithheldUse>& withheld) {
  constexpr size_t kMost = 3;
  Proposals proposals(subject);
  for (const WithheldUse& use : withheld) {
    if (use.column) {
      proposals.about(use.column->table, use.column);
    } else if (use.table) {
      proposals.about(*use.table, std::nullopt);
    }
  }
  std::vector<Instead> made = proposals.take();
  if (made.size() > kMost) made.resize(kMost);
  return made;
}

}  // namespace pccsql
