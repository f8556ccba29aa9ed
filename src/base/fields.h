// Fields: those of a plain struct, one after the other as they are declared. Who looks at a struct so, to hash it say, cannot forget
// one that is added.
#pragma once

#include <cstddef>
#include <utility>

namespace pccsql {
namespace fields_detail {

struct Anything {
  template <typename T>
  operator T() const;
};

template <typename Record, typename... Known>
constexpr size_t count() {
  if constexpr (requires { Record{std::declval<Known>()..., Anything{}}; }) {
    return count<Record, Known..., Anything>();
  } else {
    return sizeof...(Known);
  }
}

}  // namespace fields_detail

// `visit(field)` for each. A struct of more than sixteen is several.
template <typename Record, typename Visit>
void for_each_field(const Record& record, Visit&& visit) {
  constexpr size_t count = fields_detail::count<Record>();
  static_assert(count >= 1 && count <= 16);
  const auto all = [&](const auto&... fields) { (visit(fields), ...); };
  if constexpr (count == 1) {
    const auto& [a] = record;
    all(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = record;
    all(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = record;
    all(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = record;
    all(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = record;
    all(a, b, c, d, e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = record;
    all(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    const auto& [a, b, c, d, e, f, g] = record;
    all(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    const auto& [a, b, c, d, e, f, g, h] = record;
    all(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = record;
    all(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    const auto& [a, b, c, d, e, f, g, h, i, j] = record;
    all(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k] = record;
    all(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = record;
    all(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = record;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = record;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = record;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = record;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

}  // namespace pccsql
