// What is kept stays within the bytes that the settings allow, whatever the schema; masks do not depend on it.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "engine/demo.h"
#include "engine/engine_impl.h"
#include "engine/oracle.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasures = false;  // sanitizers have allocators of their own
#else
constexpr bool kMeasures = true;
#endif

size_t allocated() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

// Tables of `each` columns, some of whose names occur in several tables.
Catalog wide_catalog(size_t columns, size_t each) {
  std::vector<Table> tables;
  for (size_t i = 0; i * each < columns; ++i) {
    Table table;
    table.name = "table_" + std::to_string(i);
    for (size_t c = 0; c < each; ++c) {
      Column column;
      column.name = c < 2 ? "shared_" + std::to_string(c) : "col_" + std::to_string(i) + "_" + std::to_string(c);
      column.type = "TEXT";
      table.columns.push_back(std::move(column));
    }
    tables.push_back(std::move(table));
  }
  return Catalog(std::move(tables), "wide");
}

Engine wide_engine(size_t columns, size_t each, size_t bytes) {
  const Catalog catalog = wide_catalog(columns, each);
  Settings settings;
  settings.memory_bytes = bytes;
  return *make_engine(catalog, Policy(catalog, ColumnPolicy::Public), builtin_index(), settings);
}

// One generation of at most `most` tokens, each chosen at random from the mask.
void generate(const Engine& engine, std::mt19937& random, int most) {
  const size_t width = engine.vocabulary().size();
  Matcher matcher = engine.new_matcher();
  for (int i = 0; i < most && !matcher.is_terminated(); ++i) {
    ASSERT_TRUE(matcher.accept_token(choose(mask_of(matcher, width), engine.vocabulary(), random)));
    ASSERT_FALSE(matcher.is_refused()) << matcher.refusal()->reason;
  }
}

struct Shape {
  size_t columns, each;
  int generations, tokens;
};

class LongRun : public testing::TestWithParam<Shape> {};

TEST_P(LongRun, StaysWithinItsBytes) {
  if (!kMeasures) GTEST_SKIP();
  constexpr size_t kBytes = size_t{16} << 20;
  const Engine engine = wide_engine(GetParam().columns, GetParam().each, kBytes);
  std::mt19937 random(5);
  generate(engine, random, 5);
  const size_t before = allocated();
  size_t most = 0;
  for (int i = 0; i < GetParam().generations; ++i) {
    generate(engine, random, GetParam().tokens);
    const size_t now = allocated();
    most = std::max(most, now > before ? now - before : 0);
  }
  EXPECT_LE(most, kBytes + kBytes / 2);
  const auto memory = engine.memory_statistics();
  const double mb = 1e6;
  std::printf("%zu columns: %.1f MB, now %.1f, counted %.1f: masks %.1f parts %.1f needs %.1f idle %.1f\n", GetParam().columns, static_cast<double>(most) / mb,
    static_cast<double>(allocated() - before)/mb, memory.used/mb, memory.masks/mb, memory.parts/mb, memory.needs/mb, memory.idle_trackers/mb);
}

INSTANTIATE_TEST_SUITE_P(Schemas, LongRun,
                         testing::Values(Shape{10, 10, 200, 120}, Shape{420, 20, 200, 120}, Shape{10000, 100, 40, 60}));

TEST(Forks, ADeadOneCostsNothing) {
  if (!kMeasures) GTEST_SKIP();
  const Engine engine = demo_engine(builtin_index(), {});
  Matcher matcher = engine.new_matcher();
  ASSERT_TRUE(matcher.accept_text("SELECT name FROM employee WHERE "));
  { const Matcher dead = matcher.fork(); }
  const auto pair = [&] {
    ASSERT_TRUE(matcher.accept_text("hire_date = 'x' AND "));
    ASSERT_TRUE(matcher.rollback(1));
  };
  for (int i = 0; i < 10; ++i) pair();
  const size_t before = allocated();
  for (int i = 0; i < 200'000; ++i) pair();
  EXPECT_LE(allocated(), before + (64 << 10));
}

}  // namespace
}  // namespace pccsql
