#include "track/attack/replay.h"

#include <algorithm>

#include "syntax/lexer.h"
#include "track/attack/oracle.h"
#include "verify/bounds.h"

namespace pccsql::attack {
namespace {

// The lexeme that holds or follows the byte.
std::string lexeme_at(const std::string& text, size_t at) {
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.span.end <= at) continue;
    if (lexeme.terminal == Terminal::Name) return "a name";
    return std::string(spelling(lexeme.terminal));
  }
  return "the end";
}

}  // namespace

Replay::Replay(Ground& ground, const MakeTracker& make, bool ask_settings)
    : ground_(ground), tracker_(make()), ask_settings_(ask_settings) {}

std::string Replay::excuse(const std::string& sql, size_t at) {
  const auto stopped = [&](const TrackSettings& settings, size_t byte, bool later) -> std::string {
    const Span refused{static_cast<uint32_t>(byte), static_cast<uint32_t>(byte) + 1};
    const verify::Bound* found = verify::bound_that_stopped(verify::find_bounds(ground_.catalog(), settings, sql, sets_minimum(ground_.policy)), refused, later);
    return found != nullptr ? std::string(found->name) : "";
  };
  // A construct at the very place says most; a setting that lets the text through comes next.
  if (std::string bound = stopped(ground_.settings, at, false); !bound.empty()) return bound;
  std::string further;
  for (size_t i = 0; ask_settings_ && i < verify::setting_bounds().size(); ++i) {
    const verify::SettingBound& lifted = verify::setting_bounds()[i];
    if (opened_.size() == i) {
      TrackSettings settings = ground_.settings;
      settings.derived_names |= lifted.derived_names;
      if (lifted.any_alias) settings.aliases = Aliases::Any;
      auto open = std::make_unique<Ground>(ground_.name, ground_.schema, ground_.policy, settings);
      auto tracker = sql_trackers(*open)();
      opened_.push_back({std::move(open), std::move(tracker)});
    }
    Tracker& tracker = *opened_[i].tracker;
    const uint32_t mark = tracker.mark();
    size_t byte = 0;
    const PrefixId end = push_all(tracker, tracker.start(), sql, &byte);
    const bool through = end != kDead && tracker.may_end(end);
    tracker.release(mark);
    if (through) return std::string(lifted.name);
    // It may get further, to where a construct stops it.
    if (further.empty() && byte > at) further = stopped(opened_[i].ground->settings, byte, true);
  }
  if (std::string bound = stopped(ground_.settings, at, true); !bound.empty()) return bound;
  return further;
}

void Replay::text(const std::string& sql) {
  const Judgement judgement = ground_.checker.check(sql, ground_.policy);
  const bool safe = judgement.verdict == Verdict::Safe;
  const uint32_t mark = tracker_->mark();
  size_t at = 0;
  const PrefixId end = push_all(*tracker_, tracker_->start(), sql, &at);
  const bool admitted = end != kDead && tracker_->may_end(end);
  count_.safe += safe;
  if (admitted) {
    const std::string wrong = Oracle(ground_, *tracker_).ask_finished(end, sql);
    if (!wrong.empty()) count_.wrongly_admitted.push_back({ground_.name, sql, sql.size(), wrong});
    count_.admitted += wrong.empty();
  }
  tracker_->release(mark);
  if (!safe) {
    count_.stopped += !admitted;
    return;
  }
  if (admitted) return;
  const std::string bound = excuse(sql, at);
  if (!bound.empty()) {
    ++count_.excused[bound];
    return;
  }
  count_.wrongly_refused.push_back({ground_.name, sql, at, "safe, but stopped"});
}

void Replay::Count::add(const Count& other) {
  safe += other.safe;
  admitted += other.admitted;
  stopped += other.stopped;
  for (const auto& [bound, times] : other.excused) excused[bound] += times;
  wrongly_refused.insert(wrongly_refused.end(), other.wrongly_refused.begin(), other.wrongly_refused.end());
  wrongly_admitted.insert(wrongly_admitted.end(), other.wrongly_admitted.begin(), other.wrongly_admitted.end());
}

std::string report(const Replay::Count& count, size_t most) {
  std::string text = std::to_string(count.safe) + " safe: " + std::to_string(count.admitted) + " admitted, " +
                     std::to_string(count.wrongly_refused.size()) + " refused";
  for (const auto& [bound, times] : count.excused)
    text += ", " + std::to_string(times) + " by the bound `" + bound + "`";
  text += "; others: " + std::to_string(count.stopped) + " stopped, " + std::to_string(count.wrongly_admitted.size()) +
          " admitted or with wrong uses\n";
  for (size_t i = 0; i < std::min(most, count.wrongly_admitted.size()); ++i) {
    const Miss& miss = count.wrongly_admitted[i];
    text += "  admitted [" + miss.ground + "] " + miss.text + "\n    " + miss.what + "\n";
  }
  std::map<std::string, std::vector<const Miss*>> groups;
  for (const Miss& miss : count.wrongly_refused) groups[lexeme_at(miss.text, miss.at)].push_back(&miss);
  for (auto& [lexeme, misses] : groups) {
    std::ranges::stable_sort(misses, {}, [](const Miss* miss) { return miss->text.size(); });
    text += "  " + std::to_string(misses.size()) + " stopped at " + lexeme + "\n";
    for (size_t i = 0; i < std::min(most, misses.size()); ++i) {
      text += "    [" + misses[i]->ground + "] " + misses[i]->text.substr(0, misses[i]->at) + " <<<HERE>>> " +
              misses[i]->text.substr(misses[i]->at) + "\n";
    }
  }
  return text;
}

}  // namespace pccsql::attack
