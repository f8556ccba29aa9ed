#include "base/names.h"

#include "base/text.h"

namespace pccsql {
namespace {

constexpr uint64_t kHashBegin = 0xcbf29ce484222325u;  // FNV-1a
constexpr uint64_t kHashFactor = 0x100000001b3u;

uint64_t hash_folded(std::string_view name) {
  uint64_t hash = kHashBegin;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(fold(c))) * kHashFactor;
  return hash ^ (hash >> 32);
}

uint64_t hash_exact(std::string_view name) {
  uint64_t hash = kHashBegin;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * kHashFactor;
  return hash ^ (hash >> 32);
}

}  // namespace

Names::Names(NameCase name_case) : case_(name_case), entries_(1), slots_(64, kNoName) {}

uint64_t Names::hash_of(std::string_view name) const {
  return case_ == NameCase::Folded ? hash_folded(name) : hash_exact(name);
}

// The slot that holds `name`, or the free one where it belongs.
size_t Names::slot_of(std::string_view name, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != kNoName) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash) {
      const std::string_view known = text(slots_[slot]);
      if (case_ == NameCase::Folded ? equal_folded(known, name) : known == name) break;
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}

NameId Names::find(std::string_view name) const { return slots_[slot_of(name, hash_of(name))]; }

NameId Names::intern(std::string_view name) {
  const uint64_t hash = hash_of(name);
  size_t slot = slot_of(name, hash);
  if (slots_[slot] != kNoName) return slots_[slot];
  if (entries_.size() * 2 >= slots_.size()) {
    grow();
    slot = slot_of(name, hash);
  }
  Entry entry{static_cast<uint32_t>(pool_.size()), static_cast<uint32_t>(name.size()), hash};
  for (const char c : name) pool_ += case_ == NameCase::Folded ? fold(c) : c;
  entries_.push_back(entry);
  slots_[slot] = static_cast<NameId>(entries_.size() - 1);
  return slots_[slot];
}

void Names::grow() {
  slots_.assign(slots_.size() * 2, kNoName);
  for (size_t id = 1; id < entries_.size(); ++id) {
    slots_[slot_of(text(static_cast<NameId>(id)), entries_[id].hash)] = static_cast<NameId>(id);
  }
}

void Names::truncate(size_t size) {
  // INVARIANT: dropping names newest first leaves every probe sequence of an older name whole, because an older name
  // was placed before the newer one took its slot.
  while (entries_.size() > size) {
    const auto id = static_cast<NameId>(entries_.size() - 1);
    slots_[slot_of(text(id), entries_[id].hash)] = kNoName;
    pool_.resize(entries_[id].begin);
    entries_.pop_back();
  }
}

}  // namespace pccsql
