// A question is answered by a search that is as wide as it has names.
#include "track/supply.h"

#include <memory>

#include "track/supply_search.h"

namespace pccsql::track {
namespace {

// can_pass may ask a question of its own while one is under way: each depth has buffers of its own.
template <size_t Words>
std::optional<Witness> search(const Sources& sources, const SupplyQuestion& question) {
  thread_local std::vector<std::unique_ptr<Search<Words>>> searches;
  thread_local size_t depth = 0;
  if (depth == searches.size()) searches.push_back(std::make_unique<Search<Words>>());
  Search<Words>& search = *searches[depth++];
  std::optional<Witness> witness = search.run(sources, question);
  --depth;
  return witness;
}

}  // namespace

// The names that `q.*` merges are counted with the others, though they may be among them: a wider search is only slower.
std::optional<Witness> discharge(const Sources& sources, const SupplyQuestion& question) {
  size_t names = question.pending.size() + question.passed.size();
  for (const FromItem& item : question.present) names += item.merged.size();
  if (names <= Bits<1>::kMost) return search<1>(sources, question);
  if (names <= Bits<kWide>::kMost) return search<kWide>(sources, question);
  return search<kWidest>(sources, question);
}

}  // namespace pccsql::track
