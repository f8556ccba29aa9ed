// A tracker that forgets all it can after every byte answers as one that never does.
#include <gtest/gtest.h>

#include <random>

#include "schema/reader.h"
#include "track/sql_tracker.h"
#include "track/world.h"

namespace pccsql::track {
namespace {

const Catalog& shop() {
  static const Catalog catalog = *read_ddl_catalog(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);\n"
      "CREATE TABLE sale (item_id INTEGER, amount INTEGER, \"two words\" TEXT);\n");
  return catalog;
}

class Forget : public testing::TestWithParam<Style> {};

TEST_P(Forget, ChangesNoAnswer) {
  const Policy policy(shop(), ColumnPolicy::Public);
  TrackSettings settings;
  settings.style = GetParam();
  const auto world = World::make(shop(), policy, settings);
  std::mt19937 random(23);
  for (int text = 0; text < 12; ++text) {
    SqlTracker keeps(*world), forgets(*world);
    struct Place {
      PrefixId a, b;
      uint32_t mark_a, mark_b;
    };
    std::vector<Place> path{{keeps.start(), forgets.start(), keeps.mark(), forgets.mark()}};
    std::string written;
    for (int i = 0; i < 120; ++i) {
      const Place here = path.back();
      ASSERT_EQ(keeps.key(here.a), forgets.key(here.b)) << written;
      ASSERT_EQ(keeps.may_end(here.a), forgets.may_end(here.b)) << written;
      const uint32_t mark_a = keeps.mark(), mark_b = forgets.mark();
      ASSERT_EQ(keeps.completion(here.a), forgets.completion(here.b)) << written;
      std::vector<int> admitted;
      for (int byte = 1; byte < 128; ++byte) {
        const bool one = keeps.push(here.a, static_cast<uint8_t>(byte)) != kDead;
        ASSERT_EQ(forgets.push(here.b, static_cast<uint8_t>(byte)) != kDead, one) << written << static_cast<char>(byte);
        if (one) admitted.push_back(byte);
      }
      keeps.release(mark_a), forgets.release(mark_b);
      if (admitted.empty()) break;
      if (random() % 10 == 0 && path.size() > 3) {  // back by a byte or three
        for (size_t back = 1 + random() % 3; back > 0; --back) {
          keeps.release(path.back().mark_a), forgets.release(path.back().mark_b);
          path.pop_back();
          written.pop_back();
        }
        continue;
      }
      const auto byte = static_cast<uint8_t>(admitted[random() % admitted.size()]);
      Place next{0, 0, keeps.mark(), forgets.mark()};
      next.a = keeps.push(here.a, byte), next.b = forgets.push(here.b, byte);
      path.push_back(next);
      written += static_cast<char>(byte);
      const size_t before = forgets.kept_bytes();
      forgets.forget();
      EXPECT_LE(forgets.kept_bytes(), before);
      EXPECT_LE(forgets.kept_bytes(), size_t{128} << 10);
    }
    EXPECT_LT(forgets.kept_bytes(), keeps.kept_bytes());
  }
}

INSTANTIATE_TEST_SUITE_P(Styles, Forget, testing::Values(Style::Any, Style::Canonical));

}  // namespace
}  // namespace pccsql::track
