// SHA-256 (FIPS 180-4): how models, prompts and policies are told apart.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pccsql {

class Sha256 {
 public:
  void add(std::string_view bytes);
  Result<Done> add_file(const std::string& path);
  std::string hex();  // of all that was added; the object is then spent

 private:
  void block(const uint8_t* bytes);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> partial_{};
  uint64_t length_ = 0;  // bytes
};

std::string sha256_hex(std::string_view bytes);

}  // namespace pccsql
