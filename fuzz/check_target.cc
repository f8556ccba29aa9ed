#include "fuzz/check_target.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/file.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

// A fuzzer that cannot read the demo would fuzz nothing, so it stops.
template <typename T>
T or_stop(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  std::abort();
}

std::string demo_file(const char* name) { return or_stop(read_file(std::string(PCCSQL_ROOT "/examples/hr/") + name)); }

// Everything an input needs, made once. One checker per setting, since a checker keeps its own.
struct World {
  World()
      : catalog(or_stop(read_ddl_catalog(demo_file("schema.sql"), "schema.sql"))),
        database(or_stop(Database::in_memory(demo_file("schema.sql")))),
        all_public(catalog, ColumnPolicy::Public),
        demo(or_stop(parse_policy_yaml(demo_file("policy.yaml"), catalog, "policy.yaml"))) {}

  SqliteChecker& checker(CheckSettings settings) {
    auto& made = checkers[static_cast<size_t>(settings.profile) * 2 + static_cast<size_t>(settings.language)];
    if (!made) made = std::make_unique<SqliteChecker>(catalog, settings);
    return *made;
  }

  Catalog catalog;
  Database database;
  Policy all_public;
  Policy demo;
  std::array<std::unique_ptr<SqliteChecker>, 4> checkers;
};

World& world() {
  static World made;
  return made;
}

std::string complaint_about_uses(const FuzzInput& input, const Judgement& judgement) {
  const size_t uses = judgement.uses.size();
  if (judgement.policies.size() != uses || judgement.permitted.size() != uses) return "uses and policies do not match";
  for (const Occurrence& use : judgement.uses) {
    if (use.span.begin > use.span.end || use.span.end > input.sql.size()) return "a use lies outside the text";
  }
  if (judgement.where.begin > judgement.where.end || judgement.where.end > input.sql.size()) {
    return "the reason's place lies outside the text";
  }
  return "";
}

}  // namespace

FuzzInput read_fuzz_input(std::string_view input) {
  FuzzInput result;
  if (input.empty()) return result;
  const unsigned bits = static_cast<unsigned char>(input[0]);
  if (bits & 1u) result.settings.profile = Profile::Paper;
  if (bits & 2u) result.settings.language = Language::Fragment;
  result.demo_policy = (bits & 4u) != 0;
  result.sql = input.substr(1);
  return result;
}

std::string complaint_about(const FuzzInput& input, const Judgement& judgement, const Prepared& prepared,
                            const Catalog& catalog, const Policy& policy) {
  if (std::string problem = complaint_about_uses(input, judgement); !problem.empty()) return problem;
  const bool runs = judgement.verdict == Verdict::Safe || judgement.verdict == Verdict::Unsafe;
  if (judgement.verdict != Verdict::Safe && judgement.reason.empty()) return "a refusal without a reason";
  if (!runs) return "";
  if (!prepared.ok)
    return "called " + std::string(to_string(judgement.verdict)) + ", but SQLite says: " + prepared.message;
  if (judgement.verdict == Verdict::Unsafe) return "";
  for (const bool permitted : judgement.permitted) {
    if (!permitted) return "called safe with a use that is not permitted";
  }
  if (input.settings.profile == Profile::Paper) return "";  // it does not count GROUP BY and ORDER BY
  for (const auto& [table, column] : prepared.reads) {
    const auto read = catalog.find_column(table, column);
    if (read && policy.of(*read) == ColumnPolicy::Hidden) {
      return "called safe, but SQLite reads the Hidden column " + table + "." + column;
    }
  }
  return "";
}

FuzzAnswer check_fuzz_input(std::string_view text) {
  World& w = world();
  const FuzzInput input = read_fuzz_input(text);
  const Policy& policy = input.demo_policy ? w.demo : w.all_public;
  SqliteChecker& checker = w.checker(input.settings);
  const Judgement judgement = checker.check(input.sql, policy);
  const Judgement again = checker.judge(checker.analyze(input.sql), policy);
  if (again.verdict != judgement.verdict || again.uses != judgement.uses || again.reason != judgement.reason) {
    return {judgement.verdict, "asked twice, answered differently"};
  }
  const bool runs = judgement.verdict == Verdict::Safe || judgement.verdict == Verdict::Unsafe;
  const Prepared prepared = runs ? w.database.prepare(input.sql) : Prepared{};
  std::string complaint = complaint_about(input, judgement, prepared, w.catalog, policy);
  if (!complaint.empty() && !judgement.reason.empty()) complaint += " (reason given: " + judgement.reason + ")";
  return {judgement.verdict, std::move(complaint)};
}

}  // namespace pccsql
