// The first policy as a file for a person to go through.
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "base/text.h"
#include "lint/first_policy.h"
#include "policy/policy_file.h"

namespace pccsql {
namespace {

using Counts = std::array<size_t, kColumnPolicies.size()>;

constexpr size_t kNarrowest = 5;   // of the column with the tables' names
constexpr size_t kWidest = 40;

// How many characters a terminal shows, near enough.
size_t width_of(std::string_view text) {
  size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0u) == 0x80u ? 0u : 1u;
  return width;
}

std::string line(const std::string& name, size_t width, const Counts& counts) {
  std::string text = "#   " + name + std::string(width - std::min(width, width_of(name)), ' ');
  for (size_t i = 0; i < counts.size(); ++i) {
    const std::string number = std::to_string(counts[i]);
    const size_t column = to_string(kColumnPolicies[i]).size() + 2;
    text += std::string(column - std::min(column, number.size()), ' ') + number;
  }
  return text + "\n";
}

// The name on one line, whatever is in it.
std::string shown_name(const std::string& name) {
  std::string text;
  for (const char c : name) text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  if (find_invalid_utf8(text) != std::string::npos) return "(a name that is not UTF-8)";
  return text;
}

// What the guesses rest on.
std::string what_was_seen(const Catalog& catalog, const std::vector<TableLook>& looks) {
  if (looks.empty()) return "# Guessed from names, types and keys alone: there were no data to look at.\n";
  std::string missing;
  for (TableId t = 0; t < looks.size(); ++t) {
    if (looks[t].looked || catalog.table(t).kind == TableKind::Virtual) continue;
    missing += "#   " + shown_name(catalog.table(t).name) + "\n";
  }
  return "# Guessed from names, types, keys, and the values of some rows of each table.\n" +
         (missing.empty() ? "" : "# No values were seen, in the time that there was, of\n" + missing);
}

std::string table_of_counts(const Catalog& catalog, const Policy& policy) {
  std::vector<std::pair<std::string, Counts>> lines;
  Counts all{};
  size_t width = kNarrowest;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    Counts counts{};
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
      ++counts[static_cast<size_t>(policy.of({t, c}))];
      ++all[static_cast<size_t>(policy.of({t, c}))];
    }
    lines.emplace_back(shown_name(catalog.table(t).name), counts);
    width = std::max(width, std::min(kWidest, width_of(lines.back().first)));
  }
  std::string text = "\n# What is what:\n#   " + std::string(width, ' ');
  for (const ColumnPolicy label : kColumnPolicies) text += "  " + std::string(to_string(label));
  text += "\n";
  for (const auto& [name, counts] : lines) text += line(name, width, counts);
  return text + line("all", width, all);
}

}  // namespace

std::string to_yaml(const Catalog& catalog, const FirstPolicy& first, const FirstPolicySettings& settings,
                    const std::vector<TableLook>& looks) {
  PolicyRemarks remarks;
  const bool hidden = settings.people == PeopleNames::Hidden;
  remarks.head =
      "# A first policy, closed but for what is known to be harmless. Go through it line by line: the reasons are guesses.\n"
      "# `pccsql policy lint` then warns of policies that leak by construction.\n"
      "#\n"
      "#   Public         any use\n"
      "#   ConditionOnly  only in WHERE, HAVING and JOIN conditions; never shown\n"
      "#   AggregateOnly  only inside COUNT, SUM and AVG, over `min_group` of whom `key` tells apart, at the least\n"
      "#   Hidden         no use at all; also what every column is that is not listed here\n"
      "#\n";
  remarks.head += hidden ? "# Names of people are Hidden; `policy init --people public` makes them Public.\n"
                         : "# Names of people are Public; `policy init --people hidden` makes them Hidden.\n";
  remarks.head += what_was_seen(catalog, looks);
  remarks.min_group = settings.min_group;
  remarks.keys = first.key_reasons;
  remarks.columns = first.reasons;
  remarks.tail = table_of_counts(catalog, first.policy);
  for (const Table& table : catalog.tables()) {
    remarks.tables.push_back(table.kind == TableKind::View      ? "a view: see what it is computed from"
                             : table.kind == TableKind::Virtual ? "a virtual table: no query may name it, whatever stands here"
                                                                : "");
  }
  return to_yaml(catalog, first.policy, remarks);
}

}  // namespace pccsql
