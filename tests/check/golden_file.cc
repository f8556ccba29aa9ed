#include "check/golden_file.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql::golden {
namespace {

bool starts_expectation(std::string_view line) {
  return line.starts_with("both:") || line.starts_with("strict:") || line.starts_with("paper:");
}

std::optional<Verdict> parse_verdict(std::string_view word) {
  for (const Verdict verdict : {Verdict::Safe, Verdict::Unsafe, Verdict::Outside, Verdict::Error}) {
    if (word == to_string(verdict)) return verdict;
  }
  return std::nullopt;
}

// `unsafe "piece of the reason"  a.b Sel | a.c Sel !`
std::optional<Expectation> parse_expectation(std::string_view text) {
  std::string rest = trimmed(text);
  const size_t word_end = std::min(rest.find(' '), rest.size());
  const auto verdict = parse_verdict(std::string_view(rest).substr(0, word_end));
  if (!verdict) return std::nullopt;
  Expectation expected{*verdict, {}, {}};
  rest = trimmed(std::string_view(rest).substr(word_end));
  if (rest.starts_with('"')) {
    const size_t close = rest.find('"', 1);
    if (close == std::string::npos) return std::nullopt;
    expected.reason = rest.substr(1, close - 1);
    rest = trimmed(std::string_view(rest).substr(close + 1));
  }
  while (!rest.empty()) {
    const size_t bar = rest.find(" | ");
    expected.uses.push_back(trimmed(std::string_view(rest).substr(0, bar)));
    if (bar == std::string::npos) break;
    rest = rest.substr(bar + 3);
  }
  return expected;
}

// `[7,11) [13,19)`
std::optional<std::vector<Span>> parse_spans(const std::string& text) {
  std::vector<Span> spans;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    Span span;
    char comma = 0;
    char close = 0;
    std::istringstream numbers(word.substr(1));
    if (word[0] != '[' || !(numbers >> span.begin >> comma >> span.end >> close) || comma != ',' || close != ')') {
      return std::nullopt;
    }
    spans.push_back(span);
  }
  return spans;
}

std::string render_spans(const std::vector<Occurrence>& uses) {
  std::string text = "spans:";
  for (const Occurrence& use : uses) {
    text += " [" + std::to_string(use.span.begin) + "," + std::to_string(use.span.end) + ")";
  }
  return text;
}

Error broken(const File& file, size_t line, const std::string& message) {
  return Error{message, file.path, Position{static_cast<uint32_t>(line + 1), 1}};
}

// Reads up to `---`; gives the index of the line after it.
Result<size_t> read_head(File& file) {
  std::string* part = nullptr;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    if (line == "---") return i + 1;
    if (line == "schema:") {
      part = &file.schema;
    } else if (line == "policy:") {
      part = &file.policy;
    } else if (line == "language: fragment") {
      file.language = Language::Fragment;
    } else if (part != nullptr && line.starts_with("  ")) {
      *part += line.substr(2) + "\n";
    } else if (!line.empty() && !line.starts_with("#")) {
      return broken(file, i, "expected `schema:`, `policy:`, `language: fragment` or `---`");
    }
  }
  return broken(file, file.lines.size(), "the head must end with a line `---`");
}

// The lines after the query: expectations and spans.
Result<size_t> read_expectations(File& file, Case& one, size_t i) {
  one.first = i;
  for (; i < file.lines.size() && !file.lines[i].empty(); ++i) {
    const std::string& line = file.lines[i];
    const size_t colon = line.find(':');
    if (line.starts_with("spans:")) {
      const auto spans = parse_spans(line.substr(colon + 1));
      if (!spans) return broken(file, i, "spans are written `[7,11) [13,19)`");
      one.spans = *spans;
      continue;
    }
    if (!starts_expectation(line)) return broken(file, i, "expected `both:`, `strict:`, `paper:` or `spans:`");
    const auto expected = parse_expectation(line.substr(colon + 1));
    if (!expected) return broken(file, i, "expected a verdict: safe, unsafe, outside or error");
    if (!line.starts_with("paper:")) one.strict = expected;
    if (!line.starts_with("strict:")) one.paper = expected;
  }
  one.last = i;
  if (!one.strict && !one.paper) return broken(file, one.line, "the query has no expectation");
  return i;
}

}  // namespace

Result<File> read(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  File file;
  file.path = path;
  file.name = std::filesystem::path(path).stem().string();
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);

  const Result<size_t> body = read_head(file);
  if (!body) return body.error();
  for (size_t i = *body; i < file.lines.size();) {
    const std::string& line = file.lines[i];
    if (line.empty() || line.starts_with("#")) {
      ++i;
      continue;
    }
    if (!line.starts_with("> ")) return broken(file, i, "expected `> ` and a query");
    Case one;
    one.line = i + 1;
    one.sql = line.substr(2);
    for (++i; i < file.lines.size() && file.lines[i].starts_with("  "); ++i)
      one.sql.append("\n").append(file.lines[i], 2);
    const Result<size_t> next = read_expectations(file, one, i);
    if (!next) return next.error();
    i = *next;
    file.cases.push_back(std::move(one));
  }
  return file;
}

const std::vector<File>& all_files() {
  static const std::vector<File> files = [] {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(PCCSQL_ROOT "/tests/check/golden")) {
      if (entry.path().extension() == ".txt") paths.push_back(entry.path().string());
    }
    std::ranges::sort(paths);
    std::vector<File> all;
    for (const std::string& path : paths) {
      Result<File> file = read(path);
      if (!file) {
        std::fprintf(stderr, "%s\n", file.error().to_string().c_str());
        std::exit(2);
      }
      all.push_back(std::move(*file));
    }
    return all;
  }();
  return files;
}

World::World(Catalog from, Policy with, Language language)
    : catalog(std::move(from)),
      policy(std::move(with)),
      strict(catalog, CheckSettings{Profile::Strict, language}),
      paper(catalog, CheckSettings{Profile::Paper, language}) {}

Result<std::unique_ptr<World>> make_world(const File& file) {
  Result<Catalog> catalog = read_ddl_catalog(file.schema, file.path);
  if (!catalog) return catalog.error();
  Result<Policy> policy = parse_policy_yaml(file.policy, *catalog, file.path);
  if (!policy) return policy.error();
  return std::make_unique<World>(std::move(*catalog), std::move(*policy), file.language);
}

std::string render(const Catalog& catalog, const Occurrence& use, bool permitted) {
  std::string text = catalog.table(use.column.table).name + "." + catalog.column(use.column).name + " ";
  text += to_string(use.role);
  return permitted ? text : text + " !";
}

std::vector<std::string> render(const Catalog& catalog, const Judgement& judgement) {
  std::vector<std::string> uses;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    uses.push_back(render(catalog, judgement.uses[i], judgement.permitted[i]));
  }
  return uses;
}

std::string line_of(Verdict verdict, const std::string& reason, const std::vector<std::string>& uses) {
  std::string line(to_string(verdict));
  if (!reason.empty()) line += " \"" + reason + "\"";
  for (size_t i = 0; i < uses.size(); ++i) line += (i == 0 ? "  " : " | ") + uses[i];
  return line;
}

std::string difference(const Catalog& catalog, const File& file, const Case& expected, Profile profile,
                       const Judgement& actual) {
  const Expectation& want = profile == Profile::Strict ? *expected.strict : *expected.paper;
  const std::vector<std::string> uses = render(catalog, actual);
  const bool runs = want.verdict == Verdict::Safe || want.verdict == Verdict::Unsafe;
  const bool same_uses = (!runs && want.uses.empty()) || uses == want.uses;
  const bool compare_spans = profile == Profile::Strict && !expected.spans.empty();
  const bool same_spans =
      !compare_spans || std::ranges::equal(actual.uses, expected.spans, {}, &Occurrence::span, std::identity{});
  const bool same_reason = actual.reason.find(want.reason) != std::string::npos;
  if (actual.verdict == want.verdict && same_uses && same_spans && same_reason) return "";

  std::string text = file.path + ":" + std::to_string(expected.line) + "\n  " + expected.sql;
  text += "\n  expected: " + line_of(want.verdict, want.reason, want.uses);
  text += "\n  actual:   " + line_of(actual.verdict, actual.reason, uses);
  if (!same_spans) text += "\n  actual    " + render_spans(actual.uses);
  return text + "\n";
}

std::string updated(const File& file, World& world) {
  std::string text;
  size_t at = 0;
  const auto copy_to = [&](size_t line) {
    for (; at < line; ++at) text += file.lines[at] + "\n";
  };
  for (const Case& one : file.cases) {
    copy_to(one.first);
    at = one.last;
    const auto line_for = [&](const Expectation& old, const Judgement& now) {
      const bool runs = now.verdict == Verdict::Safe || now.verdict == Verdict::Unsafe;
      const bool keeps_reason = now.reason.find(old.reason) != std::string::npos;
      const bool lists = runs || !old.uses.empty();
      return line_of(now.verdict, keeps_reason ? old.reason : "",
                     lists ? render(world.catalog, now) : std::vector<std::string>{});
    };
    std::string strict;
    std::string paper;
    const Judgement now = world.strict.check(one.sql, world.policy);
    if (one.strict) strict = line_for(*one.strict, now);
    if (one.paper) paper = line_for(*one.paper, world.paper.check(one.sql, world.policy));
    if (strict == paper) {
      text += "both: " + strict + "\n";
    } else {
      if (one.strict) text += "strict: " + strict + "\n";
      if (one.paper) text += "paper: " + paper + "\n";
    }
    if (!one.spans.empty()) text += render_spans(now.uses) + "\n";
  }
  copy_to(file.lines.size());
  return text;
}

}  // namespace pccsql::golden
