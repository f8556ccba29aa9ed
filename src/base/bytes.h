// How many bytes containers hold, the allocator's share included: what a budget of memory is held against.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace pccsql {

// What an allocation takes beside the bytes that were asked for.
inline constexpr size_t kAllocationBytes = 16;

template <typename T>
size_t held_bytes(const std::vector<T>& items) {
  return items.capacity() * sizeof(T);
}
inline size_t held_bytes(const std::string& text) { return text.capacity() > 15 ? text.capacity() : 0; }
// Without what the entries themselves allocate.
template <typename K, typename V, typename H>
size_t held_bytes(const std::unordered_map<K, V, H>& entries) {
  constexpr size_t kNode = sizeof(std::pair<const K, V>) + 2 * sizeof(void*) + kAllocationBytes;
  return entries.size() * kNode + entries.bucket_count() * sizeof(void*);
}

// Allocated, and not in use.
template <typename T>
size_t spare_bytes(const std::vector<T>& items) {
  return (items.capacity() - items.size()) * sizeof(T);
}
// Gives that back, unless it is little.
template <typename T>
void drop_spare(std::vector<T>& items) {
  if (items.capacity() > 2 * items.size() + 64) items.shrink_to_fit();
}

// Empties the container and gives its memory back.
template <typename Container>
void drop_all(Container& items) {
  Container().swap(items);
}

}  // namespace pccsql
