#include "verify/replay.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "mask/bitmask.h"
#include "verify/bounds.h"

namespace pccsql {
namespace {

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (fold(c) >= 'a' && fold(c) <= 'z') || c == '_' || static_cast<uint8_t>(c) >= 0x80;
}

// The word of the query that holds the byte, or ends at it.
std::string_view word_at(std::string_view sql, size_t byte) {
  size_t begin = std::min(byte, sql.size());
  if ((begin == sql.size() || !is_word(sql[begin])) && begin > 0 && is_word(sql[begin - 1])) --begin;
  size_t end = begin;
  while (begin > 0 && is_word(sql[begin - 1])) --begin;
  while (end < sql.size() && is_word(sql[end])) ++end;
  return sql.substr(begin, end - begin);
}

// Goes byte by byte through the token that was refused. `at` stands before it.
void explain_stop(Matcher& at, std::string_view sql, std::string_view piece, Stop& stop) {
  for (uint32_t i = 0; i < piece.size(); ++i) {
    if (at.accept_text(piece.substr(i, 1))) continue;
    stop.byte = std::min(stop.bytes.begin + i, stop.bytes.end);
    at.rollback(1);
    stop.reason = why_stopped(at, sql, stop.byte);
    return;
  }
  stop.byte = stop.bytes.end;
  stop.reason = "each of its bytes can follow, but not the token: it does not fit the budget that is left";
}

}  // namespace

std::string why_stopped(Matcher& before, std::string_view sql, uint32_t byte) {
  constexpr size_t kMostNext = 12;
  const Explanation explanation = before.explain();
  const std::string_view word = word_at(sql, byte);
  for (const Explanation::Name& name : explanation.blocked) {
    const std::string_view own = std::string_view(name.text).substr(name.text.rfind('.') + 1);
    if (word.empty() || !(equal_folded(own, word) || equal_folded(name.text, word))) continue;
    return "`" + name.text + "`: " + name.detail;
  }
  std::string next;
  for (const std::string& lexeme : explanation.lexemes) {
    if (explanation.lexemes.size() <= kMostNext) next += (next.empty() ? "" : ", ") + lexeme;
  }
  const std::string place = explanation.clause.empty() ? "" : " in the " + explanation.clause;
  const std::string what = word.empty() ? "this" : "`" + std::string(word) + "`";
  return what + " leads to no permitted query" + place + (next.empty() ? "" : "; lexemes that can follow: " + next);
}

std::string_view to_string(ReplayOutcome outcome) {
  switch (outcome) {
    case ReplayOutcome::Admitted:
      return "admitted";
    case ReplayOutcome::Bound:
      return "bound";
    case ReplayOutcome::Refused:
      return "refused";
    case ReplayOutcome::Stopped:
      return "stopped";
    case ReplayOutcome::LetThrough:
      return "let through";
    case ReplayOutcome::Unread:
      break;
  }
  return "unread";
}

std::string_view to_string(Place place) {
  switch (place) {
    case Place::Before:
      return "before";
    case Place::At:
      return "at";
    case Place::After:
      break;
  }
  return "after";
}

Place place_of(const Replayed& query) {
  const Attempt& attempt = query.attempts[query.shown];
  if (!attempt.stop || query.places.empty()) return Place::At;
  bool after = false;
  for (const Span& place : query.places) {
    // A name is judged by the byte that ends it at the latest.
    if (attempt.stop->bytes.end >= place.begin && attempt.stop->byte <= place.end) return Place::At;
    after = after || place.end < attempt.stop->byte;
  }
  return after ? Place::After : Place::Before;
}

Attempt replay(const Engine& engine, const Cut& cut, std::string_view sql, size_t width) {
  using Clock = std::chrono::steady_clock;
  const Vocabulary& vocabulary = engine.vocabulary();
  const uint32_t budget = engine.settings().token_budget;
  Attempt attempt;
  attempt.tokens = cut.tokens;
  attempt.nanoseconds.reserve(cut.tokens.size() + 1);
  BitmaskBuffer mask(width);
  Matcher matcher = engine.new_matcher();
  uint32_t written = 0;
  const auto place = [&](uint32_t offset) {
    return std::min(static_cast<uint32_t>(sql.size()), offset - std::min(offset, cut.lead));
  };
  for (size_t i = 0; i <= cut.tokens.size(); ++i) {
    const auto start = Clock::now();
    const bool filled = static_cast<bool>(matcher.fill_next_token_bitmask(mask.view().words().data(), width));
    const auto taken = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
    attempt.nanoseconds.push_back(static_cast<uint64_t>(taken.count()));
    const bool end = i == cut.tokens.size();
    const TokenId id = end ? vocabulary.end_of_text().front() : cut.tokens[i];
    const std::string_view piece = end ? std::string_view() : vocabulary.bytes(id);
    // After a refusal the end of text is admitted, and it is no end of a query.
    const bool admitted = filled && !matcher.is_refused() && mask.view().test(id);
    const auto length = static_cast<uint32_t>(piece.size());
    Stop stop{i, {place(written), place(written + length)}, place(written), {}};
    if (matcher.is_refused()) {
      stop.reason = matcher.refusal()->reason;
      attempt.stop = stop;
      return attempt;
    }
    const bool accepted = matcher.accept_token(id);
    attempt.contradiction = accepted != admitted;
    if (admitted && accepted) {
      written += length;
      continue;
    }
    matcher.rollback(1);
    if (end) {
      stop.reason = "the query is not complete: more must follow";
    } else {
      explain_stop(matcher, sql, piece, stop);
    }
    if (budget != 0 && cut.tokens.size() + 1 > budget) {
      stop.reason += " (the query has " + std::to_string(cut.tokens.size() + 1) + " tokens with its end, the budget " +
                     std::to_string(budget) + ")";
    }
    attempt.stop = std::move(stop);
    return attempt;
  }
  return attempt;
}

std::string Replayer::excuse(MaskWorld& world, const Cut& cut, std::string_view sql, const Stop& stop) const {
  const uint32_t budget = world.engine().settings().token_budget;
  if (budget != 0 && cut.tokens.size() + 1 > budget) return "";
  // A construct at the very place says most; a setting that lets the query through comes next.
  const Settings& settings = world.engine().settings();
  track::TrackSettings asked;
  if (settings.aliases == Settings::Aliases::Any) asked.aliases = track::Aliases::Any;
  const auto found = verify::find_bounds(world.catalog(), asked, sql, sets_minimum(world.policy()));
  // The end of the text counts as one byte.
  const Span token{stop.byte, std::max(stop.bytes.end, stop.byte + 1)};
  if (const auto* bound = verify::bound_that_stopped(found, token, false)) return std::string(bound->name);
  const bool opened = settings.derived_names && settings.aliases == Settings::Aliases::Any;
  if (!opened && settings.algorithm == Settings::Algorithm::Pcc) {
    for (const verify::SettingBound& lifted : verify::setting_bounds()) {
      const auto what = lifted.derived_names && lifted.any_alias ? MaskWorld::Both
                        : lifted.any_alias                       ? MaskWorld::AnyAlias
                                                                 : MaskWorld::DerivedNames;
      auto engine = world.opened(what);
      if (engine && !replay(**engine, cut, sql, width_).stop) return std::string(lifted.name);
    }
  }
  const verify::Bound* bound = verify::bound_that_stopped(found, token, true);
  return bound != nullptr ? std::string(bound->name) : "";
}

void Replayer::run(MaskWorld& world, std::string_view sql, Replayed& result) {
  result.sql = sql;
  const Judgement judgement = world.judge(sql);
  result.verdict = judgement.verdict;
  result.reason = judgement.reason;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    if (result.verdict == Verdict::Unsafe && !judgement.permitted[i]) result.places.push_back(judgement.uses[i].span);
  }
  for (const NamedTable& mention : judgement.closed_tables) result.places.push_back(mention.span);
  if (result.verdict == Verdict::Outside || result.verdict == Verdict::Error) result.places = {judgement.where};
  const bool safe = result.verdict == Verdict::Safe;
  result.outcome = safe ? ReplayOutcome::Admitted : ReplayOutcome::Stopped;

  std::vector<std::optional<Cut>> cuts{tokens_.canonical(sql)};
  for (size_t i = 0; i < random_cuts_; ++i) cuts.push_back(tokens_.random(sql, random_));
  for (const std::optional<Cut>& cut : cuts) {
    if (!cut) {
      result.outcome = ReplayOutcome::Unread;
      result.reason = "the vocabulary cannot spell it";
      return;
    }
    result.attempts.push_back(replay(world.engine(), *cut, sql, width_));
    const Attempt& attempt = result.attempts.back();
    if (result.outcome == ReplayOutcome::Refused || result.outcome == ReplayOutcome::LetThrough) continue;
    const size_t index = result.attempts.size() - 1;
    if (!safe && !attempt.stop) {
      result.outcome = ReplayOutcome::LetThrough;
      result.shown = index;
    } else if (safe && attempt.stop) {
      std::string bound = excuse(world, *cut, sql, *attempt.stop);
      if (bound.empty() || result.outcome == ReplayOutcome::Admitted) result.shown = index;
      result.outcome = bound.empty() ? ReplayOutcome::Refused : ReplayOutcome::Bound;
      result.bound = std::move(bound);
    }
  }
}

void ReplayTotals::add(const Replayed& query) {
  ++outcomes[static_cast<size_t>(query.outcome)];
  if (query.outcome == ReplayOutcome::Unread) return;
  ++verdicts[static_cast<size_t>(query.verdict)];
  if (query.outcome == ReplayOutcome::Bound) ++bounds[query.bound];
  if (query.outcome == ReplayOutcome::Stopped) ++places[static_cast<size_t>(place_of(query))];
  attempts += query.attempts.size();
  for (const Attempt& attempt : query.attempts) {
    contradictions += attempt.contradiction;
    nanoseconds.insert(nanoseconds.end(), attempt.nanoseconds.begin(), attempt.nanoseconds.end());
  }
}

}  // namespace pccsql
