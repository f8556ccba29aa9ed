// Golden files: text files of a schema, a policy and queries with what the definition says of each.
//
//   # what the file is about
//   schema:
//     CREATE TABLE … (indented by two)
//   language: fragment          (only where it is not the full one)
//   policy:
//     version: 1 … (indented by two)
//   ---
//   # the rule that the case is about; `unlike SQLite: …` where the definition is stricter than the database
//   > SELECT name, salary FROM employee
//     WHERE … (goes on over lines indented by two)
//   strict: unsafe  employee.name Sel | employee.salary Sel !
//   paper: unsafe  employee.name Sel | employee.salary Sel !
//   spans: [7,11) [13,19)       (of the strict uses, on some cases)
//
// `both:` stands for two equal lines, and a profile without a line is not judged. After the verdict may follow, in double
// quotes, a piece of the reason. `!` marks a use that is not permitted. The uses of outside and error are compared only
// where the line lists some.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/check.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql::golden {

struct Expectation {
  Verdict verdict = Verdict::Safe;
  std::string reason;             // a piece of it, or empty
  std::vector<std::string> uses;  // "employee.salary Sel !"
};

struct Case {
  size_t line = 0;  // of the `>`
  std::string sql;
  std::optional<Expectation> strict;
  std::optional<Expectation> paper;
  std::vector<Span> spans;  // empty: not compared
  size_t first = 0;         // lines [first, last) of the file hold the expectations and spans
  size_t last = 0;
};

struct File {
  std::string path;
  std::string name;  // of the file, without its ending
  std::vector<std::string> lines;
  std::string schema;
  std::string policy;
  Language language = Language::Full;
  std::vector<Case> cases;
};

Result<File> read(const std::string& path);

// All golden files of the repository, by name. A broken one ends the program with a message: its tests have no names.
const std::vector<File>& all_files();

// What a file's queries are judged with.
struct World {
  Catalog catalog;
  Policy policy;
  SqliteChecker strict;
  SqliteChecker paper;

  World(Catalog from, Policy with, Language language);
};
Result<std::unique_ptr<World>> make_world(const File& file);

std::string render(const Catalog& catalog, const Occurrence& use, bool permitted);
std::vector<std::string> render(const Catalog& catalog, const Judgement& judgement);
// `unsafe  employee.name Sel | employee.salary Sel !`
std::string line_of(Verdict verdict, const std::string& reason, const std::vector<std::string>& uses);

// Empty when the judgement is what the case expects, else what differs, with the query.
std::string difference(const Catalog& catalog, const File& file, const Case& expected, Profile profile,
                       const Judgement& actual);

// The file again, with the expectations that the world gives.
std::string updated(const File& file, World& world);

}  // namespace pccsql::golden
