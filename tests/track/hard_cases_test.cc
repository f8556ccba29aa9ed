// The hard cases of the language, as text files, against the tracker. Beside what a case says: every query that is
// admitted is safe to the checker and prepared by SQLite, both judges see the same uses in it, every prefix of it has a
// completion, and the query that it completes to is safe and prepared too. What is stopped without being a bound of the
// decoder is not safe; what is a bound is one that is documented.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "check/check.h"
#include "exec/database.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "syntax/lexer.h"
#include "verify/bounds.h"
#include "track/hard_case_file.h"
#include "track/sql_tracker.h"

namespace pccsql::hard {
namespace {

using track::kDead;
using track::PrefixId;

constexpr size_t kLongestCompleted = 400;  // beyond that, completions of every prefix would take long

std::vector<File> all_files() {
  std::vector<File> files;
  for (const auto& entry : std::filesystem::directory_iterator(PCCSQL_ROOT "/tests/track/hard_cases")) {
    if (entry.path().extension() != ".txt") continue;
    auto file = read(entry.path().string());
    if (!file) {
      ADD_FAILURE() << file.error().to_string();
      continue;
    }
    files.push_back(std::move(*file));
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

// A block's judges.
struct Court {
  Catalog catalog;
  Policy policy;
  SqliteChecker checker;
  Database database;
  std::shared_ptr<const track::World> world;
  track::SqlTracker tracker;

  Court(Catalog c, Database d, const Block& block)
      : catalog(std::move(c)),
        policy(parsed(block.policy, catalog)),
        checker(catalog, {block.settings.profile, block.settings.language}),
        database(std::move(d)),
        world(track::World::make(catalog, policy, block.settings)),
        tracker(*world) {}

  static Policy parsed(const std::string& yaml, const Catalog& catalog) {
    auto policy = parse_policy_yaml(yaml, catalog);
    EXPECT_TRUE(policy) << policy.error().to_string();
    return policy ? std::move(*policy) : Policy(catalog, ColumnPolicy::Hidden);
  }
};

class Trial {
 public:
  Trial(Court& court, const Block& block) : court_(court), settings_(block.settings) {}

  void run(const Case& made) {
    switch (made.kind) {
      case Case::Admit:
      case Case::End:
      case Case::NoEnd:
      case Case::Prefix:
        return taken(made);
      case Case::Stop:
        return stopped(made);
      case Case::Refuse:
        EXPECT_LT(reach(made.before).taken, made.before.size()) << "was taken to its end";
        if (made.decoder) {
          EXPECT_EQ(judged(made.before), "safe");
          EXPECT_NE(bound_at(made.before, reach(made.before).taken), "") << "no bound that is documented";
        } else {
          EXPECT_FALSE(judged(made.before) == "safe" && prepared(made.before).empty());
        }
        return;
      case Case::May:
        EXPECT_EQ(names(made.before), made.names);
        return;
    }
  }

 private:
  struct Reach {
    size_t taken = 0;
    std::vector<PrefixId> prefixes;  // after each byte; the first before all
  };

  Reach reach(std::string_view text) {
    Reach reached;
    reached.prefixes.push_back(court_.tracker.start());
    for (const char c : text) {
      const PrefixId next = court_.tracker.push(reached.prefixes.back(), static_cast<uint8_t>(c));
      if (next == kDead) break;
      reached.prefixes.push_back(next);
      ++reached.taken;
    }
    return reached;
  }

  std::string judged(const std::string& sql) {
    const Judgement judgement = court_.checker.check(sql, court_.policy);
    return std::string(to_string(judgement.verdict)) + (judgement.reason.empty() ? "" : ": " + judgement.reason);
  }
  // SQLite's complaint; empty: none.
  std::string prepared(const std::string& sql) {
    const Prepared made = court_.database.prepare(sql);
    return made.ok ? "" : made.message;
  }

  void taken(const Case& made) {
    const Reach reached = reach(made.before);
    ASSERT_EQ(reached.taken, made.before.size())
        << "refused at: " << made.before.substr(0, reached.taken) << "<!>" << made.before.substr(reached.taken);
    const bool whole = made.kind == Case::Admit || made.kind == Case::End;
    if (made.kind != Case::Prefix) {
      EXPECT_EQ(court_.tracker.may_end(reached.prefixes.back()), whole);
    }
    if (whole) {
      EXPECT_EQ(judged(made.before), "safe");
    }
    if (made.kind == Case::Admit) {
      EXPECT_EQ(prepared(made.before), "");
    }
    if (whole && !made.before.ends_with(';')) {
      EXPECT_EQ(tracked_uses(reached.prefixes.back()), checked_uses(made.before));
    }
    if (!settings_.lookahead || made.before.size() > kLongestCompleted) return;
    const auto first_problem = [&](auto problem_of) {
      std::string problem;
      for (size_t i = 0; i < reached.prefixes.size() && problem.empty(); ++i) {
        problem = problem_of(made.before.substr(0, i), reached.prefixes[i]);
      }
      return problem;
    };
    EXPECT_EQ(first_problem([&](const std::string& text, PrefixId at) { return completion_problem(text, at); }), "");
    EXPECT_EQ(first_problem([&](const std::string& text, PrefixId at) { return budget_problem(text, at); }), "");
  }

  // `person.name Sel`, each once, sorted.
  using Uses = std::set<std::string>;
  std::string shown(ColumnRef column, Role role) const {
    return court_.catalog.table(column.table).name + "." + court_.catalog.column(column).name + " " +
           std::string(to_string(role));
  }
  // With a semicolon, which closes the last FROM.
  Uses tracked_uses(PrefixId prefix) {
    Uses all;
    const PrefixId ended = court_.tracker.push(prefix, ';');
    EXPECT_NE(ended, kDead) << "may end, but not with a semicolon";
    if (ended == kDead) return all;
    for (const track::Use& use : court_.tracker.uses(ended)) all.insert(shown(use.column, use.role));
    return all;
  }
  Uses checked_uses(const std::string& sql) {
    Uses all;
    for (const Occurrence& use : court_.checker.analyze(sql).uses) all.insert(shown(use.column, use.role));
    return all;
  }

  // What is wrong with the completion of a prefix; empty: nothing.
  std::string completion_problem(const std::string& text, PrefixId prefix) {
    const auto rest = court_.tracker.completion(prefix);
    if (!rest) return "no completion of: " + text;
    const std::string whole = text + *rest;
    const std::string shown = text + "<!>" + *rest;
    if (judged(whole) != "safe") return judged(whole) + ": " + shown;
    if (const std::string complaint = prepared(whole); !complaint.empty()) return complaint + ": " + shown;
    const Reach reached = reach(whole);
    if (reached.taken < whole.size()) return "its own completion is refused: " + shown;
    return court_.tracker.may_end(reached.prefixes.back()) ? "" : "its own completion may not end: " + shown;
  }

  // A budget is held against the bound, and on its own way a completion must get shorter with every byte.
  std::string budget_problem(const std::string& text, PrefixId prefix) {
    const auto rest = court_.tracker.completion(prefix);
    if (!rest || rest->empty()) return "";
    const std::string shown = text + "<!>" + *rest;
    if (rest->size() > court_.tracker.completion_bound(prefix)) return "longer than its bound: " + shown;
    const PrefixId next = court_.tracker.push(prefix, static_cast<uint8_t>((*rest)[0]));
    const auto then = next == kDead ? std::nullopt : court_.tracker.completion(next);
    if (then && then->size() < rest->size()) return "";
    return "the completion gets no shorter on its way: " + shown + " then " + then.value_or("nothing");
  }

  void stopped(const Case& made) {
    const std::string whole = made.before + made.after;
    const size_t taken = reach(whole).taken;
    const std::string where = whole.substr(0, taken) + "<!>" + whole.substr(taken);
    EXPECT_GE(taken, made.before.size()) << "refused too early: " << where;
    size_t latest = made.before.size();
    if (!made.at_once) {
      std::vector<Lexeme> lexemes;
      lex(made.after, lexemes);
      latest += lexemes[0].span.end;
      ASSERT_LT(latest, whole.size()) << "a byte must follow that ends the lexeme after the mark";
    }
    EXPECT_LE(taken, latest) << (taken == whole.size() ? "not refused: " : "refused too late: ") << where;
    if (made.decoder) {
      EXPECT_EQ(judged(whole), "safe") << "a bound of the decoder, of a text that is not safe";
      EXPECT_NE(bound_at(whole, taken), "") << "no bound that is documented: " << where;
    } else {
      EXPECT_NE(judged(whole), "safe") << "the checker takes what should be stopped";
    }
  }

  // The bound that stopped the text at this byte: one that its construct shows, or one that a setting lifts; "" for none.
  std::string bound_at(const std::string& sql, size_t taken) {
    const auto at = static_cast<uint32_t>(taken);
    const auto found = verify::find_bounds(court_.catalog, settings_, sql, sets_minimum(court_.policy));
    if (const verify::Bound* bound = verify::bound_that_stopped(found, {at, at + 1}, true)) {
      return std::string(bound->name);
    }
    const auto passes = [&](const track::TrackSettings& settings) {
      const auto world = track::World::make(court_.catalog, court_.policy, settings);
      track::SqlTracker tracker(*world);
      PrefixId prefix = tracker.start();
      for (const char c : sql) prefix = tracker.push(prefix, static_cast<uint8_t>(c));
      return prefix != kDead && tracker.may_end(prefix);
    };
    for (const verify::SettingBound& lifted : verify::setting_bounds()) {
      track::TrackSettings open = settings_;
      open.derived_names |= lifted.derived_names;
      if (lifted.any_alias) open.aliases = track::Aliases::Any;
      if (passes(open)) return std::string(lifted.name);
    }
    track::TrackSettings any_style = settings_;
    any_style.style = track::Style::Any;
    return passes(any_style) ? "one canonical form" : "";
  }

  // Names of the catalogue that can stand where the text breaks off.
  std::vector<std::string> names(const std::string& text) {
    size_t begin = text.size();
    std::string quote;
    const size_t open = text.find_last_of("\"`[");
    const bool inside =
        open != std::string::npos && (text[open] == '[' ? text.find(']', open) == std::string::npos
                                                        : std::count(text.begin(), text.end(), text[open]) % 2 == 1);
    if (inside) {
      begin = open + 1;
      quote = text[open] == '[' ? "]" : text.substr(open, 1);
    } else {
      while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) || text[begin - 1] == '_'))
        --begin;
    }
    const std::string written = folded(text.substr(begin));
    std::set<std::string> found;
    const Reach reached = reach(text);
    EXPECT_EQ(reached.taken, text.size())
        << "refused at: " << text.substr(0, reached.taken) << "<!>" << text.substr(reached.taken);
    const auto try_name = [&](const std::string& name) {
      if (!folded(name).starts_with(written)) return;
      const std::string rest = name.substr(written.size()) + quote;
      const Reach on = reach(text + rest);
      if (on.taken < text.size() + rest.size()) return;
      bool ends = court_.tracker.may_end(on.prefixes.back());
      for (const char c : std::string_view(" ,.)")) {
        ends |= court_.tracker.push(on.prefixes.back(), static_cast<uint8_t>(c)) != kDead;
      }
      if (ends) found.insert(name);
    };
    for (const Table& table : court_.catalog.tables()) {
      try_name(table.name);
      for (const Column& column : table.columns) try_name(column.name);
    }
    return {found.begin(), found.end()};
  }

  Court& court_;
  const track::TrackSettings settings_;
};

class HardCases : public testing::TestWithParam<File> {};

TEST_P(HardCases, AreJudgedByTheirRules) {
  for (const Block& block : GetParam().blocks) {
    auto catalog = read_ddl_catalog(block.schema);
    ASSERT_TRUE(catalog) << catalog.error().to_string();
    auto database = Database::in_memory(block.schema);
    ASSERT_TRUE(database) << database.error().to_string();
    Court court(std::move(*catalog), std::move(*database), block);
    Trial trial(court, block);
    for (const Case& made : block.cases) {
      SCOPED_TRACE(GetParam().path + ":" + std::to_string(made.line) + ": " + made.rule + "\n  " +
                   (made.before + made.after).substr(0, 400));
      trial.run(made);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, HardCases, testing::ValuesIn(all_files()),
                         [](const auto& file) { return std::filesystem::path(file.param.path).stem().string(); });

}  // namespace
}  // namespace pccsql::hard
