#include "apps/policy_warning.h"

#include <algorithm>
#include <vector>

#include "base/render.h"
#include "lint/opened.h"

namespace pccsql {

std::string warning_of_new_columns(const Source& source, const Catalog& catalog, const Policy& policy) {
  constexpr size_t kMostNamed = 5;
  const auto notes = source.notes(catalog);
  if (!notes || !notes->opened) return {};
  const std::vector<Warning> added = lint_opened(catalog, policy, *notes);
  if (added.empty()) return {};
  std::string names;
  for (size_t i = 0; i < std::min(added.size(), kMostNamed); ++i) {
    names += (i == 0 ? "`" : ", `") + added[i].table + "." + added[i].column + "`";
  }
  if (added.size() > kMostNamed) names += " and " + std::to_string(added.size() - kMostNamed) + " more";
  return printable("warning: the policy opens columns that were added since somebody last looked: " + names +
                   "; `pccsql policy diff` tells by which line");
}

}  // namespace pccsql
