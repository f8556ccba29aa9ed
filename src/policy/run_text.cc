#include "policy/run_text.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace pccsql {
namespace {

// Who is told apart by the key of a table: the table that it refers to, or the table itself.
std::string entity(const Catalog& catalog, const Policy& policy, TableId id) {
  const Table& table = catalog.table(id);
  const std::vector<ColumnIndex>& key = policy.group(id).key;
  for (const ForeignKey& reference : table.foreign_keys) {
    std::vector<ColumnIndex> columns = reference.columns;
    std::ranges::sort(columns);
    if (!key.empty() && columns == key) return reference.parent_table;
  }
  return table.name;
}

// A table's name as the word for several of what it holds.
std::string plural(std::string word) {
  std::ranges::replace(word, '_', ' ');
  if (word.empty()) return word;
  const char last = fold(word.back());
  if (last == 's') return word;
  const char before = word.size() > 1 ? fold(word[word.size() - 2]) : 'a';
  if (last == 'y' && std::string_view("aeiou").find(before) == std::string_view::npos) {
    word.pop_back();
    return word + "ies";
  }
  const bool hisses = last == 'x' || last == 'z' || (last == 'h' && (before == 'c' || before == 's'));
  return word + (hisses ? "es" : "s");
}

// "Groups of fewer than 5 employees", of several tables "Groups of fewer than 5 employees or 10 visits".
std::string small_groups(const Catalog& catalog, const Policy& policy, const RunText& run) {
  std::map<std::string, uint32_t> fewest;  // by entity
  std::vector<std::string> order;
  for (const HeldTable& held : run.held) {
    const std::string name = plural(entity(catalog, policy, held.table));
    const auto [known, fresh] = fewest.emplace(name, held.minimum);
    if (fresh) order.push_back(name);
    known->second = std::max(known->second, held.minimum);
  }
  std::string text = "roups of fewer than ";
  for (size_t i = 0; i < order.size(); ++i) {
    text += (i == 0 ? "" : " or ") + std::to_string(fewest[order[i]]) + " " + order[i];
  }
  return text;
}

}  // namespace

std::string said(const Catalog& catalog, const Policy& policy, const RunText& run) {
  if (!run.changed()) return {};
  return "G" + small_groups(catalog, policy, run) + " are left out, and nobody is counted twice.";
}

std::string said_if_empty(const Catalog& catalog, const Policy& policy, const RunText& run) {
  if (!run.changed()) return {};
  return "nothing is left to show: g" + small_groups(catalog, policy, run) +
         " are left out, and so is everything where somebody would be counted twice";
}

std::string marked(const RunText& run, std::string_view before, std::string_view after) {
  std::string text;
  uint32_t at = 0;
  for (const Span& span : run.added) {
    const size_t begin = std::min<size_t>(run.sql.find_first_not_of(' ', span.begin), span.end);
    text.append(run.sql, at, begin - at);
    text += before;
    text.append(run.sql, begin, span.end - begin);
    text += after;
    at = span.end;
  }
  return text.append(run.sql, at);
}

}  // namespace pccsql
