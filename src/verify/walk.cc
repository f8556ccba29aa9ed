#include "verify/walk.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>

namespace pccsql {
namespace {

using UseText = std::tuple<std::string, std::string, std::string>;

std::string listed(const std::set<UseText>& uses) {
  std::string text;
  for (const auto& [table, column, role] : uses) text += (text.empty() ? "" : ", ") + table + "." + column + " " + role;
  return text.empty() ? "none" : text;
}

}  // namespace

std::string_view to_string(WalkEnd end) {
  switch (end) {
    case WalkEnd::Good:
      return "good";
    case WalkEnd::Violation:
      return "violation";
    case WalkEnd::Unprepared:
      return "refused preparation";
    case WalkEnd::OtherUses:
      return "other uses";
    case WalkEnd::DeadEnd:
      return "dead end";
    case WalkEnd::Unfinished:
      return "unfinished";
    case WalkEnd::NothingToAsk:
      break;
  }
  return "nothing to ask";
}

Walker::Walker(MaskWorld& world, const TokenClasses& classes, WalkLogits logits, uint32_t longest, size_t width)
    : world_(world), chooser_(classes, world.catalog(), world.policy(), logits), longest_(longest), width_(width) {
  BitmaskBuffer mask(width);
  for (uint32_t budget = 1; budget <= longest; ++budget) {
    Matcher matcher = world.engine().new_matcher(budget);
    if (!matcher.fill_next_token_bitmask(mask.view().words().data(), width) || matcher.is_refused()) continue;
    shortest_ = budget;
    break;
  }
}

Walk Walker::walk(uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  Walk walk;
  walk.seed = seed;
  if (shortest_ == 0) {
    walk.end = WalkEnd::NothingToAsk;
    return walk;
  }
  std::mt19937_64 random(seed);
  chooser_.start(random);
  const auto draw = [&random](uint32_t least, uint32_t most) {
    return std::uniform_int_distribution<uint32_t>(least, most)(random);
  };
  // One in eight has hardly more than the shortest query needs: there the budget decides everything. Half have all there
  // is, so that long texts come about.
  const uint32_t kind = draw(0, 7);
  const uint32_t tight = std::min(longest_, shortest_ + 4);
  walk.budget = kind == 0 ? draw(shortest_, tight) : kind < 4 ? draw(shortest_, longest_) : longest_;

  const Vocabulary& vocabulary = world_.engine().vocabulary();
  BitmaskBuffer mask(width_);
  Matcher matcher = world_.engine().new_matcher(walk.budget);
  const auto refused = [&] {
    if (!matcher.is_refused()) return false;
    walk.end = WalkEnd::DeadEnd;
    walk.detail = std::string(to_string(matcher.refusal()->cause)) + ": " + matcher.refusal()->reason;
    return true;
  };
  while (!matcher.is_terminated()) {
    if (walk.tokens == walk.budget) {
      walk.end = WalkEnd::Unfinished;
      walk.detail = "the budget of " + std::to_string(walk.budget) + " tokens is used up";
      return walk;
    }
    const auto start = Clock::now();
    const auto filled = matcher.fill_next_token_bitmask(mask.view().words().data(), width_);
    const auto taken = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
    walk.nanoseconds.push_back(static_cast<uint64_t>(taken.count()));
    if (!filled) {
      walk.end = WalkEnd::DeadEnd;
      walk.detail = filled.error().to_string();
      return walk;
    }
    if (refused()) return walk;
    if (mask.view().count() == 0) {
      walk.end = WalkEnd::DeadEnd;
      walk.detail = "the mask is empty";
      return walk;
    }
    if (watcher_) watcher_(matcher, mask.view());
    const TokenId id = chooser_.choose(mask.view(), random);
    const bool end = vocabulary.is_end_of_text(id);
    ++walk.tokens;
    if (!matcher.accept_token(id)) {
      if (!refused()) {
        walk.end = WalkEnd::DeadEnd;
        walk.detail = "not accepted";
      }
      walk.detail +=
          "; the mask admitted token " + std::to_string(id) + ", `" + std::string(vocabulary.bytes(id)) + "`";
      return walk;
    }
    if (end) break;
    walk.text += vocabulary.bytes(id);
    chooser_.wrote(vocabulary.bytes(id));
  }
  if (!refused()) judge(walk, matcher);
  return walk;
}

void Walker::judge(Walk& walk, Matcher& matcher) {
  const auto bad = [&walk](WalkEnd end, std::string detail) {
    walk.end = end;
    walk.detail = std::move(detail);
  };
  const auto sql = matcher.sql();
  if (!sql || *sql != walk.text) return bad(WalkEnd::Violation, "the matcher's text is not what the tokens wrote");
  const Judgement judgement = world_.judge(walk.text);
  if (judgement.verdict != Verdict::Safe) {
    return bad(WalkEnd::Violation, std::string(to_string(judgement.verdict)) + ": " + judgement.reason);
  }
  auto database = world_.database();
  if (!database) return bad(WalkEnd::Unprepared, database.error().to_string());
  if (const Prepared prepared = (*database)->prepare(walk.text); !prepared.ok) {
    return bad(WalkEnd::Unprepared, prepared.message);
  }
  std::set<UseText> tracked;
  for (const ColumnUse& use : matcher.uses()) tracked.emplace(use.table, use.column, use.role);
  std::set<UseText> checked;
  for (const Occurrence& use : judgement.uses) {
    const Table& table = world_.catalog().table(use.column.table);
    checked.emplace(table.name, table.columns[use.column.column].name, std::string(to_string(use.role)));
  }
  if (tracked != checked) {
    bad(WalkEnd::OtherUses, "the tracker saw " + listed(tracked) + "; check sees " + listed(checked));
  }
}

void WalkTotals::add(Walk walk, const std::string& database) {
  ++walks;
  ++ends[static_cast<size_t>(walk.end)];
  tokens += walk.tokens;
  nanoseconds.insert(nanoseconds.end(), walk.nanoseconds.begin(), walk.nanoseconds.end());
  if (walk.end == WalkEnd::Good) {
    coverage.add(walk.text);
  } else if (walk.end != WalkEnd::NothingToAsk && !first_bad) {
    first_bad = std::move(walk);
    first_bad_database = database;
  }
}

}  // namespace pccsql
