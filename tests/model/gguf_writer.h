// Writes small GGUF files for tests: metadata only, in the order given, right or wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

class GgufWriter {
 public:
  GgufWriter& text(std::string_view key, std::string_view value) {
    begin(key, 8);
    put_text(value);
    return *this;
  }
  GgufWriter& number(std::string_view key, uint32_t value) {
    begin(key, 4);
    put(value);
    return *this;
  }
  GgufWriter& fraction(std::string_view key, float value) {
    begin(key, 6);
    put(value);
    return *this;
  }
  GgufWriter& flag(std::string_view key, bool value) {
    begin(key, 7);
    put(static_cast<uint8_t>(value));
    return *this;
  }
  GgufWriter& texts(std::string_view key, const std::vector<std::string>& values) {
    begin_list(key, 8, values.size());
    for (const std::string& value : values) put_text(value);
    return *this;
  }
  GgufWriter& numbers(std::string_view key, const std::vector<int32_t>& values) {
    begin_list(key, 5, values.size());
    for (const int32_t value : values) put(value);
    return *this;
  }
  GgufWriter& fractions(std::string_view key, const std::vector<float>& values) {
    begin_list(key, 6, values.size());
    for (const float value : values) put(value);
    return *this;
  }

  std::string bytes(uint32_t version = 3) const {
    GgufWriter header;
    header.put(version);
    header.put(uint64_t{0});
    header.put(count_);
    return "GGUF" + header.body_ + body_;
  }

 private:
  template <typename T>
  void put(T value) {
    body_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(std::string_view value) {
    put(static_cast<uint64_t>(value.size()));
    body_ += value;
  }
  void begin(std::string_view key, uint32_t type) {
    ++count_;
    put_text(key);
    put(type);
  }
  void begin_list(std::string_view key, uint32_t of, uint64_t size) {
    begin(key, 9);
    put(of);
    put(size);
  }

  uint64_t count_ = 0;
  std::string body_;
};

}  // namespace pccsql
