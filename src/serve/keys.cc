#include "serve/keys.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace pccsql {

Result<std::string> make_key() {
  std::array<unsigned char, 32> bytes{};
  std::ifstream random("/dev/urandom", std::ios::binary);
  if (!random.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) {
    return Error{std::string("no random numbers: ") + std::strerror(errno), "/dev/urandom", {}};
  }
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string key = "pccsql_";
  uint32_t pending = 0;
  int bits = 0;
  for (const unsigned char byte : bytes) {
    pending = pending << 8 | byte;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      key += kDigits[pending >> bits & 63];
    }
  }
  if (bits > 0) key += kDigits[pending << (6 - bits) & 63];
  return key;
}

bool same_digest(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace pccsql
