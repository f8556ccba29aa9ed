#include "model/prefix_store.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "model/sha256.h"

namespace pccsql {
namespace {

namespace fs = std::filesystem;

// How a file begins. All but the state itself, so that a file can be refused before it is read.
struct Header {
  std::array<char, 8> magic{'p', 'c', 'c', 's', 'q', 'l', 'p', '1'};
  std::array<char, 64> key{};
  uint64_t size = 0;
  uint64_t checksum = 0;
};
static_assert(sizeof(Header) == 88, "written as it lies in memory");

// Against damage, not against people. Eight bytes at a time: the states are large.
uint64_t checksum_of(std::span<const uint8_t> bytes) {
  uint64_t sum = bytes.size();
  const auto mix = [&sum](uint64_t word) {
    sum = (sum ^ word) * 0x9E3779B97F4A7C15;
    sum ^= sum >> 29;
  };
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    mix(word);
  }
  for (; at < bytes.size(); ++at) mix(bytes[at]);
  return sum;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::optional<std::vector<uint8_t>> read_state(const File& file, const std::string& key, uint64_t file_size) {
  Header header;
  const auto magic = header.magic;
  if (std::fread(&header, sizeof header, 1, file.get()) != 1) return std::nullopt;
  if (header.magic != magic || std::string_view(header.key.data(), header.key.size()) != key) return std::nullopt;
  if (header.size != file_size - sizeof header) return std::nullopt;
  std::vector<uint8_t> state(header.size);
  if (std::fread(state.data(), 1, state.size(), file.get()) != state.size()) return std::nullopt;
  if (checksum_of(state) != header.checksum) return std::nullopt;
  return state;
}

}  // namespace

std::string PrefixStore::key(std::string_view made_by, std::span<const TokenId> tokens) {
  Sha256 hash;
  hash.add(std::to_string(made_by.size()) + ":");
  hash.add(made_by);
  hash.add({reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes()});
  return hash.hex();
}

std::optional<std::vector<uint8_t>> PrefixStore::load(const std::string& key) const {
  const std::string path = path_of(key);
  std::error_code code;
  const uint64_t size = fs::file_size(path, code);
  if (code) return std::nullopt;
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return std::nullopt;
  auto state = read_state(file, key, size);
  if (state) {
    fs::last_write_time(path, fs::file_time_type::clock::now(), code);
  } else {
    fs::remove(path, code);
  }
  return state;
}

bool PrefixStore::save(const std::string& key, std::span<const uint8_t> state) const {
  Header header;
  if (key.size() != header.key.size() || state.size() + sizeof header > most_bytes_) return false;
  std::ranges::copy(key, header.key.begin());
  header.size = state.size();
  header.checksum = checksum_of(state);
  std::error_code code;
  if (fs::create_directories(folder_, code)) {
    fs::permissions(folder_, fs::perms::owner_all, code);  // a schema can be a secret
  }
  make_room(state.size() + sizeof header);
  std::string content(reinterpret_cast<const char*>(&header), sizeof header);
  content.append(reinterpret_cast<const char*>(state.data()), state.size());
  return static_cast<bool>(write_file(path_of(key), content));
}

void PrefixStore::make_room(uint64_t bytes) const {
  struct Kept {
    fs::file_time_type used;
    uint64_t size = 0;
    fs::path path;
  };
  std::vector<Kept> kept;
  uint64_t total = bytes;
  std::error_code code;
  const auto now = fs::file_time_type::clock::now();
  for (auto entry = fs::directory_iterator(folder_, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    std::error_code gone;  // another process may have deleted it
    Kept one{entry->last_write_time(gone), gone ? 0 : entry->file_size(gone), entry->path()};
    if (gone) continue;
    const std::string name = one.path.filename().string();
    if (name.find(".state.tmp") != std::string::npos && now - one.used > std::chrono::hours(1)) {
      fs::remove(one.path, gone);  // left by a process that was killed
    } else if (name.ends_with(".state")) {
      total += one.size;
      kept.push_back(std::move(one));
    }
  }
  std::ranges::sort(kept, {}, &Kept::used);
  for (size_t i = 0; i < kept.size() && total > most_bytes_; ++i) {
    total -= kept[i].size;
    fs::remove(kept[i].path, code);
  }
}

}  // namespace pccsql
