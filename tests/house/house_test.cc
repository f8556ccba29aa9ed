// The house keeps its rules; and the rules notice a house that does not.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "house/house_rules.h"

namespace house {
namespace {

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = read_tree(PCCSQL_ROOT);
  return files;
}

std::string listed(const Problems& problems) {
  std::string text;
  for (const std::string& problem : problems) text += problem + "\n";
  return text;
}

TEST(House, TreeIsThere) {
  const auto has = [](const char* path) { return std::ranges::count(tree(), path, &SourceFile::path) == 1; };
  EXPECT_TRUE(has("src/base/result.h"));
  EXPECT_TRUE(has("src/check/check.h"));
  EXPECT_TRUE(has("tests/house/house_test.cc"));
  EXPECT_TRUE(has("pccsql"));
}

TEST(House, ModulesIncludeOnlyWhatStandsBelow) { EXPECT_EQ(listed(include_problems(tree())), ""); }

TEST(House, SourcesOpenWithTheirIdea) {
  const auto sources = sources_in(tree(), {"src/", "apps/", "include/", "tests/", "fuzz/", "perf/", "examples/"});
  EXPECT_EQ(listed(opening_problems(sources)), "");
}

TEST(House, SourcesAreShort) { EXPECT_EQ(listed(length_problems(sources_in(tree(), {"src/", "apps/"}), 500)), ""); }

TEST(House, HeadersAreQuicklyRead) {
  EXPECT_EQ(listed(heavy_header_problems(sources_in(tree(), {"src/", "apps/", "include/", "tests/"}),
                                         {"src/base/json.h", "apps/option_kinds.h", "src/model/llama/llama_handle.h",
                                          "tests/apps/program.h"})),
            "");
}

TEST(House, PrivateNamesDifferWithinAFolder) {
  EXPECT_EQ(listed(private_name_problems(sources_in(tree(), {"src/", "apps/"}))), "");
}

TEST(House, TypesAreDefinedOnce) {
  EXPECT_EQ(listed(shared_type_problems(sources_in(tree(), {"include/", "src/", "apps/"}))), "");
}

TEST(House, DialectsDifferInValues) { EXPECT_EQ(listed(dialect_problems(sources_in(tree(), {"src/", "apps/"}))), ""); }

TEST(House, NoMachinePathsNoLooseEnds) { EXPECT_EQ(listed(word_problems(tree())), ""); }

// A house of stubs: each module has one header, and the files given are added.
Problems with_includes(const std::vector<SourceFile>& added) {
  std::vector<SourceFile> files;
  for (const char* module :
       {"base", "syntax", "mask", "schema", "policy", "exec", "track", "check", "engine", "lint"}) {
    files.push_back({"src/" + std::string(module) + "/x.h", ""});
  }
  files.push_back({"apps/x.h", ""});
  files.insert(files.end(), added.begin(), added.end());
  return include_problems(files);
}

TEST(IncludeRule, AllowsOwnModuleAndLower) {
  EXPECT_EQ(
      listed(with_includes({{"src/check/a.cc", "#include \"check/x.h\"\n#include \"exec/x.h\"\n#include <vector>\n"},
                            {"src/engine/a.cc", "#include \"track/x.h\"\n#include \"mask/x.h\"\n"},
                            {"src/lint/a.cc", "#include \"check/x.h\"\n"},
                            {"apps/a.cc", "#include \"apps/x.h\"\n#include \"lint/x.h\"\n"}})),
      "");
}

TEST(IncludeRule, CatchesUpwardInclude) {
  EXPECT_EQ(with_includes({{"src/base/a.cc", "// idea\n#include \"policy/x.h\"\n"}}),
            Problems{"src/base/a.cc:2: `base` must not include `policy`, which stands above it"});
  EXPECT_EQ(with_includes({{"src/schema/a.h", "  #  include   \"check/x.h\"\n"}}).size(), 1u);
  EXPECT_EQ(with_includes({{"src/lint/a.cc", "#include \"apps/x.h\"\n"}}).size(), 1u);
}

TEST(IncludeRule, KeepsTheJudgesApart) {
  EXPECT_EQ(with_includes({{"src/check/a.cc", "#include \"track/x.h\"\n"}}),
            Problems{"src/check/a.cc:1: `check` must not include `track`, which stands beside it"});
  EXPECT_EQ(with_includes({{"src/track/a.cc", "#include \"check/x.h\"\n"}}).size(), 1u);
  EXPECT_EQ(with_includes({{"src/syntax/a.cc", "#include \"mask/x.h\"\n"}}).size(), 1u);
}

TEST(IncludeRule, CatchesStrayNames) {
  EXPECT_EQ(with_includes({{"src/base/a.cc", "#include \"x.h\"\n"}}).size(), 1u);
  EXPECT_EQ(with_includes({{"src/base/a.cc", "#include \"../check/x.h\"\n"}}).size(), 1u);
  EXPECT_EQ(with_includes({{"src/base/a.cc", "#include \"base/gone.h\"\n"}}),
            Problems{"src/base/a.cc:1: there is no `base/gone.h`"});
  EXPECT_EQ(with_includes({{"src/attic/a.cc", "#include \"base/x.h\"\n"}}),
            Problems{"src/attic/a.cc:1: module `attic` has no rank"});
}

TEST(OpeningRule, WantsTheIdeaFirst) {
  const SourceFile header{"src/base/a.h", "// What a is.\n#pragma once\n"};
  EXPECT_EQ(opening_problems({header, {"src/base/a.cc", "#include \"base/a.h\"\n"}}), Problems{});
  EXPECT_EQ(opening_problems({{"src/base/a.cc", "#include \"base/a.h\"\n"}}).size(), 1u);          // no such header
  EXPECT_EQ(opening_problems({header, {"src/base/b.cc", "#include \"base/a.h\"\n"}}).size(), 1u);  // another's header
  EXPECT_EQ(opening_problems({{"src/base/a.h", "#pragma once\n// What a is.\n"}}).size(), 1u);
  EXPECT_EQ(opening_problems({{"src/base/a.h", ""}}).size(), 1u);
  EXPECT_EQ(opening_problems({{"include/a.h", "/* What a is. */\n#ifndef A\n"}}), Problems{});
}

TEST(HeavyHeaderRule, IsForHeadersThatAreNotAllowedTo) {
  const std::string json = "// idea\n#include <nlohmann/json.hpp>\n";
  EXPECT_EQ(heavy_header_problems({{"src/base/a.h", json}}, {}),
            Problems{"src/base/a.h:2: a header must not include <nlohmann/json.hpp>"});
  EXPECT_EQ(heavy_header_problems({{"src/base/a.h", json}}, {"src/base/a.h"}), Problems{});
  EXPECT_EQ(heavy_header_problems({{"src/base/a.cc", json}, {"src/base/b.h", "#include <vector>\n"}}, {}), Problems{});
  EXPECT_EQ(heavy_header_problems({{"apps/a.h", "#include <CLI/CLI.hpp>\n#include <httplib.h>\n"}}, {}).size(), 2u);
}

TEST(PrivateNameRule, LooksIntoUnnamedNamespacesOfOneFolder) {
  const auto held = [](const std::string& text) { return "namespace {\n" + text + "\n}  // namespace\n"; };
  const auto clash = [&](const std::string& a, const std::string& b) {
    return private_name_problems({{"src/base/a.cc", a}, {"src/base/b.cc", b}}).size();
  };
  EXPECT_EQ(clash(held("bool is_digit(char c) {"), held("bool is_digit(char c) {")), 1u);
  EXPECT_EQ(clash(held("bool is_digit(char c) {"), held("bool is_digit(int c) {")), 0u);  // an overload
  EXPECT_EQ(clash(held("constexpr int kMost = 3;"), held("constexpr size_t kMost = 4;")), 1u);
  EXPECT_EQ(clash(held("class Finder {"), held("struct Finder {")), 1u);
  EXPECT_EQ(clash(held("class Finder {"), "class Finder {\n"), 0u);  // a public one
  EXPECT_EQ(private_name_problems({{"src/base/a.cc", held("class Finder {")}, {"src/mask/b.cc", held("class Finder {")}}),
            Problems{});
}

TEST(SharedTypeRule, FindsTypesThatTheLinkerTakesForOne) {
  const auto clash = [](const std::string& a, const std::string& b) {
    const auto held = [](const std::string& text) { return "namespace pccsql {\n" + text + "\n}  // namespace pccsql\n"; };
    return shared_type_problems({{"src/eval/a.h", held(a)}, {"src/serve/b.h", held(b)}});
  };
  EXPECT_EQ(clash("struct Seat {\n};", "struct Seat {\n};"), Problems{"src/serve/b.h:2: `pccsql::Seat` is defined in src/eval/a.h too"});
  EXPECT_EQ(clash("class Seat : public Place {\n};", "enum class Seat : uint8_t {\n};").size(), 1u);
  EXPECT_EQ(clash("struct Seat {\n};", "struct Seat;"), Problems{});
  EXPECT_EQ(clash("struct Seat {\n};", "namespace {\nstruct Seat {\n};\n}  // namespace"), Problems{});
  EXPECT_EQ(clash("struct Seat {\n};", "namespace serve {\nstruct Seat {\n};\n}  // namespace serve"), Problems{});
  EXPECT_EQ(clash("struct Seat {\n};", "class Room {\n  struct Seat {\n  };\n};"), Problems{});
}

TEST(LengthRule, CountsLines) {
  const std::string ten(10, '\n');
  EXPECT_EQ(length_problems({{"src/base/a.cc", ten}}, 10), Problems{});
  EXPECT_EQ(length_problems({{"src/base/a.cc", ten}}, 9).size(), 1u);
}

TEST(DialectRule, CatchesWhoAsks) {
  const auto caught = [](const std::string& path, const std::string& text) { return dialect_problems({{path, text + "\n"}}).size(); };
  EXPECT_EQ(caught("src/lint/a.cc", "if (catalog.dialect() == Dialect::Sqlite) f();"), 1u);
  EXPECT_EQ(caught("src/lint/a.cc", "if (dialect != Dialect::PostgreSql)\n  return Dialect::Sqlite != dialect;"), 2u);
  EXPECT_EQ(caught("src/dialect/a.cc", "if (catalog.dialect() == Dialect::Sqlite) f();"), 0u);
  EXPECT_EQ(caught("src/lint/a.cc", "Catalog made(tables, name, Dialect::PostgreSql);"), 0u);
}

TEST(WordRule, CatchesMachinePathsAndLooseEnds) {
  const auto caught = [](const std::string& text) { return word_problems({{"a.md", "fine\n" + text + "\n"}}).size(); };
  EXPECT_EQ(caught("see /"
                   "work/main/x"),
            1u);
  EXPECT_EQ(caught("\"/"
                   "root/x\""),
            1u);
  EXPECT_EQ(caught("cd /"
                   "home/ada/src"),
            1u);
  EXPECT_EQ(caught("// TO"
                   "DO: later"),
            1u);
  EXPECT_EQ(caught("as issue"
                   " #12 says"),
            1u);
  EXPECT_EQ(caught("\"$root/build\" and ${root}/x and the framework/root/file, work/life, todo lists"), 0u);
}

}  // namespace
}  // namespace house
