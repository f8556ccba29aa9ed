// The golden files, one test a query: what the checker says is what the definition says. `golden_test --update` (or
// PCCSQL_UPDATE=1) writes what the checker says into the files instead; read the difference before you keep it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <ostream>
#include <set>

#include "base/file.h"
#include "check/golden_file.h"

namespace pccsql::golden {
namespace {

struct Named {
  const File* file;
  const Case* one;
};

// gtest prints the parameters of failing tests.
void PrintTo(const Named& named, std::ostream* out) { *out << named.one->sql; }

std::vector<Named> all_cases() {
  std::vector<Named> cases;
  for (const File& file : all_files()) {
    for (const Case& one : file.cases) cases.push_back({&file, &one});
  }
  return cases;
}

Result<World*> world_of(const File& file) {
  static std::map<const File*, std::unique_ptr<World>> worlds;
  std::unique_ptr<World>& world = worlds[&file];
  if (!world) {
    Result<std::unique_ptr<World>> made = make_world(file);
    if (!made) return made.error();
    world = std::move(*made);
  }
  return world.get();
}

class Golden : public testing::TestWithParam<Named> {};

TEST_P(Golden, IsAsDefined) {
  const auto& [file, one] = GetParam();
  const Result<World*> found = world_of(*file);
  ASSERT_TRUE(found) << found.error().to_string();
  World& world = **found;
  for (const Profile profile : {Profile::Strict, Profile::Paper}) {
    const bool strict = profile == Profile::Strict;
    if (!(strict ? one->strict : one->paper)) continue;
    const Judgement actual = (strict ? world.strict : world.paper).check(one->sql, world.policy);
    const std::string wrong = difference(world.catalog, *file, *one, profile, actual);
    EXPECT_TRUE(wrong.empty()) << (strict ? "strict" : "paper") << " at " << wrong;
  }
}

std::string name_of(const testing::TestParamInfo<Named>& info) {
  return info.param.file->name + "_line_" + std::to_string(info.param.one->line);
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(all_cases()), name_of);

TEST(GoldenFiles, CoverTheFourVerdictsAndEveryRole) {
  std::set<std::string> seen;
  size_t cases = 0;
  for (const File& file : all_files()) {
    cases += file.cases.size();
    for (const Case& one : file.cases) {
      for (const auto& expected : {one.strict, one.paper}) {
        if (!expected) continue;
        seen.insert(std::string(to_string(expected->verdict)));
        for (const std::string& use : expected->uses) {
          const bool refused = use.ends_with(" !");
          const std::string shown = refused ? use.substr(0, use.size() - 2) : use;
          seen.insert(shown.substr(shown.rfind(' ') + 1) + (refused ? " refused" : " permitted"));
        }
      }
    }
  }
  const std::set<std::string> all{"safe",          "unsafe",      "outside",        "error",
                                  "Sel permitted", "Sel refused", "Join permitted", "Join refused",
                                  "Agg permitted", "Agg refused", "Where refused",  "Where permitted"};
  EXPECT_EQ(seen, all);
  EXPECT_GE(cases, 300u);
}

TEST(GoldenFiles, AWrongExpectationIsNoticed) {
  const File& file = all_files().front();
  const Result<std::unique_ptr<World>> world = make_world(file);
  ASSERT_TRUE(world) << world.error().to_string();
  Case one;
  one.sql = "SELECT 1";
  one.strict = Expectation{Verdict::Safe, "", {}};
  const Judgement actual = (*world)->strict.check(one.sql, (*world)->policy);
  const auto wrong = [&](const Case& other) {
    return difference((*world)->catalog, file, other, Profile::Strict, actual);
  };
  EXPECT_EQ(wrong(one), "");
  Case verdict = one;
  verdict.strict->verdict = Verdict::Unsafe;
  EXPECT_NE(wrong(verdict), "");
  Case uses = one;
  uses.strict->uses = {"employee.name Sel"};
  EXPECT_NE(wrong(uses), "");
  Case reason = one;
  reason.strict->reason = "no such column";
  EXPECT_NE(wrong(reason), "");
  Case spans = one;
  spans.spans = {Span{0, 1}};
  EXPECT_NE(wrong(spans), "");
}

int update_all() {
  for (const File& file : all_files()) {
    const Result<World*> world = world_of(file);
    if (!world) {
      std::fprintf(stderr, "%s\n", world.error().to_string().c_str());
      return 2;
    }
    const Result<Done> written = write_file(file.path, updated(file, **world));
    if (!written) {
      std::fprintf(stderr, "%s\n", written.error().to_string().c_str());
      return 2;
    }
  }
  return 0;
}

}  // namespace
}  // namespace pccsql::golden

int main(int argc, char** argv) {
  const char* wanted = std::getenv("PCCSQL_UPDATE");
  bool update = wanted != nullptr && std::string_view(wanted) == "1";
  for (int i = 1; i < argc; ++i) update = update || std::string_view(argv[i]) == "--update";
  if (update) return pccsql::golden::update_all();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
