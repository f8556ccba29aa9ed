#include "track/attack/list_tracker.h"

namespace pccsql::attack {

ListTracker::ListTracker(Ground& ground, const std::vector<std::string>& texts, Fault fault)
    : fault_(fault), nodes_(2) {
  for (const std::string& text : texts) add(ground, text);
  shortest_from(start());
  // Every text has this prefix of its own; the fault is planted in the middle of the first.
  victim_ = start();
  for (size_t i = 0; i + 4 < texts[0].size(); ++i) {
    victim_ = nodes_[victim_].children[static_cast<uint8_t>(texts[0][i])];
  }
}

void ListTracker::add(Ground& ground, const std::string& text) {
  PrefixId at = start();
  for (const char c : text) {
    PrefixId& next = nodes_[at].children[static_cast<uint8_t>(c)];
    const bool is_new = next == kDead;
    if (is_new) next = static_cast<PrefixId>(nodes_.size());
    at = next;
    if (is_new) nodes_.emplace_back();
  }
  nodes_[at].whole = true;
  std::set<Use> uses;
  for (const Occurrence& use : ground.checker.check(text, ground.policy).uses) uses.insert({use.column, use.role});
  nodes_[at].uses.assign(uses.begin(), uses.end());
}

std::string ListTracker::shortest_from(PrefixId prefix) {
  std::optional<std::string> best;
  if (nodes_[prefix].whole) best = "";
  for (const auto& [byte, child] : nodes_[prefix].children) {
    const std::string rest = std::string(1, static_cast<char>(byte)) + shortest_from(child);
    if (!best || rest.size() < best->size()) best = rest;
  }
  return nodes_[prefix].shortest = *best;
}

PrefixId ListTracker::push(PrefixId prefix, uint8_t byte) {
  ++asked_;
  const auto found = nodes_[prefix].children.find(byte);
  const PrefixId next = found == nodes_[prefix].children.end() ? kDead : found->second;
  if ((fault_ == Fault::RefusesOwn || fault_ == Fault::StopsShort) && prefix == victim_) return kDead;
  if (fault_ == Fault::ForgetsOldOnes && nodes_[prefix].children.size() > 1) {
    if (next == kDead || forgotten_.contains(next)) return kDead;
    PrefixId& taken = taken_[prefix];
    if (taken != kDead && taken != next) forgotten_.insert(taken);
    taken = next;
  }
  return next;
}

bool ListTracker::may_end(PrefixId prefix) { return nodes_[prefix].whole && fault_ != Fault::NoEnd; }

Key ListTracker::key(PrefixId prefix) {
  if (fault_ == Fault::OneKey && prefix == victim_) return {0, start()};
  if (fault_ == Fault::KeyOfHistory) return {asked_ / 1000, prefix};
  return {0, prefix};
}

std::optional<std::string> ListTracker::completion(PrefixId prefix) {
  if (fault_ == Fault::DeadEnd && prefix == victim_) return std::nullopt;
  if (fault_ == Fault::GrowingText && prefix == victim_) return nodes_[prefix].shortest + " ";
  return nodes_[prefix].shortest;
}

uint32_t ListTracker::completion_bound(PrefixId prefix) {
  const auto size = static_cast<uint32_t>(nodes_[prefix].shortest.size());
  return fault_ == Fault::LowBound ? size / 2 : size + 3;
}

std::vector<Use> ListTracker::uses(PrefixId prefix) {
  std::vector<Use> uses = nodes_[prefix].uses;
  if (fault_ == Fault::MissingUse && !uses.empty()) uses.pop_back();
  if (fault_ == Fault::ExtraUse) uses.insert(uses.begin(), {{0, 0}, Role::Sel});
  return uses;
}

}  // namespace pccsql::attack
