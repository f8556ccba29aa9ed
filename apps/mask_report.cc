#include "apps/mask_report.h"

#include <cstdio>

#include "base/json.h"
#include "base/times.h"

namespace pccsql {
namespace {

std::string indented(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : "%.1f", value);
  return text;
}

std::string times_text(const std::vector<uint64_t>& nanoseconds) {
  const TimeSummary times = summarise(nanoseconds);
  return "mask: " + std::to_string(times.count) + " steps, µs: mean " + number(times.mean) + ", p50 " +
         number(times.p50) + ", p90 " + number(times.p90) + ", p99 " + number(times.p99) + ", max " +
         number(times.max) + "\n";
}

Json times_json(const std::vector<uint64_t>& nanoseconds) {
  const TimeSummary times = summarise(nanoseconds);
  return {{"steps", times.count}, {"mean", times.mean}, {"p50", times.p50},
          {"p90", times.p90},     {"p99", times.p99},   {"max", times.max}};
}

std::string run_text(const MaskRun& run) {
  std::string text = "vocabulary " + printable(run.vocabulary) + ": " + std::to_string(run.tokens) + " tokens";
  if (!run.tokenisation.empty()) text += "; " + run.tokenisation;
  if (!run.settings.empty()) text += "\nsettings: " + run.settings;
  return text + "\n";
}

Json run_json(const MaskRun& run) {
  Json json{{"vocabulary", run.vocabulary}, {"vocabulary_size", run.tokens}};
  if (!run.tokenisation.empty()) json["tokenisation"] = run.tokenisation;
  json["seed"] = run.seed;
  json["settings"] = run.settings;
  return json;
}

// "canonical tokenisation", "random tokenisation 2"
std::string attempt_name(size_t index) {
  return index == 0 ? "first tokenisation" : "random tokenisation " + std::to_string(index);
}

std::string token_text(const Attempt& attempt, const Vocabulary& vocabulary) {
  if (attempt.stop->token >= attempt.tokens.size()) return "";
  return std::string(vocabulary.bytes(attempt.tokens[attempt.stop->token]));
}

std::string heading(const Replayed& query) {
  return "line " + std::to_string(query.line) + ", id " + printable(query.id) + ", " +
         std::string(to_string(query.verdict));
}

// One query with the place where it was stopped.
std::string stop_text(const Replayed& query, const Vocabulary& vocabulary, const Style& style) {
  const Attempt& attempt = query.attempts[query.shown];
  std::string out = heading(query) + ", " + attempt_name(query.shown) + "\n";
  if (!attempt.stop) {
    return out + underlined(query.sql, {}, style) + "  admitted to its end; check: " + printable(query.reason) + "\n";
  }
  const Stop& stop = *attempt.stop;
  const std::string token = token_text(attempt, vocabulary);
  const std::string what = stop.token >= attempt.tokens.size() ? "the end of the text" : "token `" + token + "`";
  const Span mark{stop.byte, std::max(stop.byte, stop.bytes.end)};
  return out + underlined(query.sql,
                          {{mark, {what + " refused at byte " + std::to_string(stop.byte) + ": " + stop.reason}}},
                          style);
}

Json attempt_json(const Attempt& attempt, const Vocabulary& vocabulary, bool times) {
  Json json{{"tokens", attempt.tokens.size()}, {"whole", !attempt.stop.has_value()}};
  if (attempt.stop) {
    const Stop& stop = *attempt.stop;
    const bool end = stop.token >= attempt.tokens.size();
    json["stop"] = {{"byte", stop.byte},
                    {"step", stop.token},
                    {"token", end ? Json(nullptr) : Json(attempt.tokens[stop.token])},
                    {"text", token_text(attempt, vocabulary)},
                    {"span", {stop.bytes.begin, stop.bytes.end}},
                    {"reason", stop.reason}};
  }
  if (attempt.contradiction) json["contradiction"] = true;
  if (times) json["nanoseconds"] = attempt.nanoseconds;
  return json;
}

Json counts_json(const ReplayTotals& totals) {
  return {{"safe", totals.verdicts[0]},
          {"admitted", totals.count(ReplayOutcome::Admitted)},
          {"bound", totals.count(ReplayOutcome::Bound)},
          {"refused", totals.count(ReplayOutcome::Refused)},
          {"unsafe", totals.verdicts[1]},
          {"outside", totals.verdicts[2]},
          {"error", totals.verdicts[3]},
          {"stopped", totals.count(ReplayOutcome::Stopped)},
          {"stopped_before", totals.places[0]},
          {"stopped_at", totals.places[1]},
          {"stopped_after", totals.places[2]},
          {"let_through", totals.count(ReplayOutcome::LetThrough)},
          {"unread", totals.count(ReplayOutcome::Unread)},
          {"attempts", totals.attempts},
          {"contradictions", totals.contradictions}};
}

std::string painted(const Style& style, size_t failures) {
  return failures == 0 ? "0" : style.red(std::to_string(failures));
}

}  // namespace

std::string settings_in_words(const Settings& settings) {
  std::string text;
  const auto add = [&text](bool unusual, std::string_view words) {
    if (unusual) text += (text.empty() ? "" : ", ") + std::string(words);
  };
  add(settings.algorithm == Settings::Algorithm::Paper, "the paper's algorithm");
  add(settings.language == Settings::Language::Fragment, "language fragment");
  add(settings.profile == Settings::Profile::Paper, "profile paper");
  add(!settings.lookahead, "no look-ahead");
  add(settings.derived_names, "derived names");
  add(settings.aliases == Settings::Aliases::Any, "any alias");
  add(settings.style == Settings::Style::Canonical, "canonical style");
  add(settings.token_budget != 0, "budget " + std::to_string(settings.token_budget));
  return text;
}

std::string replay_text(const MaskRun& run, const ReplayTotals& totals, const std::vector<Replayed>& queries,
                        const Vocabulary& vocabulary, const Style& style) {
  constexpr size_t kMostStops = 20;
  const auto list = [&](ReplayOutcome outcome, const std::string& title) {
    std::string out;
    for (const Replayed& query : queries) {
      if (query.outcome == outcome) out += "\n" + stop_text(query, vocabulary, style);
    }
    return out.empty() ? out : "\n" + title + out;
  };
  std::string out = run_text(run);
  out += list(ReplayOutcome::Refused, style.red("safe, but stopped:") + "\n");
  out += list(ReplayOutcome::LetThrough, style.red("not safe, but admitted to the end:") + "\n");
  out += list(ReplayOutcome::Bound, "safe, but over a bound of the decoder:\n");
  if (totals.count(ReplayOutcome::Stopped) <= kMostStops) out += list(ReplayOutcome::Stopped, "not safe, and stopped:\n");
  for (const Replayed& query : queries) {
    if (query.outcome != ReplayOutcome::Unread) continue;
    out += "\nnot replayed: line " + std::to_string(query.line) + ": " + printable(query.reason) + "\n";
  }
  for (const Replayed& query : queries) {
    for (const Attempt& attempt : query.attempts) {
      if (!attempt.contradiction) continue;
      out += "\n" + style.red("mask and accept contradict each other:") + " " + heading(query) + "\n";
      break;
    }
  }
  out += "\n" + std::to_string(totals.verdicts[0]) + " safe: " + std::to_string(totals.count(ReplayOutcome::Admitted)) +
         " admitted whole, " + std::to_string(totals.count(ReplayOutcome::Bound)) + " over a bound of the decoder, " +
         painted(style, totals.count(ReplayOutcome::Refused)) + " stopped\n";
  for (const auto& [bound, count] : totals.bounds) out += "  " + std::to_string(count) + " " + bound + "\n";
  const size_t others = totals.verdicts[1] + totals.verdicts[2] + totals.verdicts[3];
  out += std::to_string(others) + " not safe (" + std::to_string(totals.verdicts[1]) + " unsafe, " +
         std::to_string(totals.verdicts[2]) + " outside, " + std::to_string(totals.verdicts[3]) +
         " error): " + std::to_string(totals.count(ReplayOutcome::Stopped)) + " stopped, " +
         painted(style, totals.count(ReplayOutcome::LetThrough)) + " admitted to their end\n";
  if (totals.count(ReplayOutcome::Stopped) > 0) {
    out += "  stopped where the reason lies: " + std::to_string(totals.places[1]) +
           "; before: " + std::to_string(totals.places[0]) +
           "; after, where it became certain: " + std::to_string(totals.places[2]) + "\n";
  }
  if (const size_t unread = totals.count(ReplayOutcome::Unread)) out += std::to_string(unread) + " not replayed\n";
  return out + times_text(totals.nanoseconds);
}

std::string replay_json(const MaskRun& run, const ReplayTotals& totals, const std::vector<Replayed>& queries,
                        const Vocabulary& vocabulary, bool times) {
  Json json = run_json(run);
  json["fine"] = totals.fine();
  json["counts"] = counts_json(totals);
  json["bounds"] = Json::object();
  for (const auto& [bound, count] : totals.bounds) json["bounds"][bound] = count;
  json["mask_microseconds"] = times_json(totals.nanoseconds);
  json["queries"] = Json::array();
  for (const Replayed& query : queries) {
    Json own{{"line", query.line}, {"id", Json::parse(query.id, nullptr, false)}};
    own["verdict"] = to_string(query.verdict);
    own["outcome"] = to_string(query.outcome);
    if (!query.bound.empty()) own["bound"] = query.bound;
    if (!query.reason.empty()) own["reason"] = query.reason;
    if (!query.places.empty()) own["places"] = Json::array();
    for (const Span& place : query.places) own["places"].push_back({place.begin, place.end});
    if (query.outcome == ReplayOutcome::Stopped) own["place"] = to_string(place_of(query));
    own["attempts"] = Json::array();
    for (const Attempt& attempt : query.attempts) own["attempts"].push_back(attempt_json(attempt, vocabulary, times));
    json["queries"].push_back(std::move(own));
  }
  return indented(json);
}

std::string walk_text(const MaskRun& run, const WalkTotals& totals, bool interrupted, const Style& style) {
  std::string out = run_text(run);
  if (totals.first_bad) {
    const Walk& walk = *totals.first_bad;
    out += style.red(to_string(walk.end)) + " with seed " + std::to_string(walk.seed);
    if (!totals.first_bad_database.empty()) out += ", database " + printable(totals.first_bad_database);
    out += ", budget " + std::to_string(walk.budget) + ":\n" + underlined(walk.text, {}, style) + "  " +
           printable(walk.detail) + "\n";
  }
  const auto count = [&](WalkEnd end) { return painted(style, totals.count(end)); };
  if (interrupted) out += "interrupted; so far:\n";
  out += std::to_string(totals.walks) + " walks, " + std::to_string(totals.tokens) +
         " tokens: " + std::to_string(totals.count(WalkEnd::Good)) + " finished and good\n";
  out += "violations " + count(WalkEnd::Violation) + ", refused preparations " + count(WalkEnd::Unprepared) +
         ", uses that differ " + count(WalkEnd::OtherUses) + ", dead ends " + count(WalkEnd::DeadEnd) +
         ", unfinished at the budget " + count(WalkEnd::Unfinished) + "\n";
  if (const size_t none = totals.count(WalkEnd::NothingToAsk)) {
    out += std::to_string(none) + " not walked: policy and budget leave nothing to ask\n";
  }
  const auto rules = totals.coverage.rules();
  const auto edges = totals.coverage.edges();
  out += "grammar: " + std::to_string(rules.hit) + " of " + std::to_string(rules.all) + " rules, " +
         std::to_string(edges.hit) + " of " + std::to_string(edges.all) + " ways through them\n";
  std::string missed;
  for (const std::string& way : totals.coverage.missed()) missed += (missed.empty() ? "" : "; ") + way;
  if (!missed.empty()) out += style.dim("never: " + missed) + "\n";
  return out + times_text(totals.nanoseconds);
}

std::string walk_json(const MaskRun& run, const WalkTotals& totals, bool interrupted) {
  Json json = run_json(run);
  json["fine"] = totals.fine();
  json["interrupted"] = interrupted;
  json["walks"] = totals.walks;
  json["tokens"] = totals.tokens;
  for (const auto& [key, end] : {std::pair{"good", WalkEnd::Good},
                                 {"violations", WalkEnd::Violation},
                                 {"refused_preparations", WalkEnd::Unprepared},
                                 {"other_uses", WalkEnd::OtherUses},
                                 {"dead_ends", WalkEnd::DeadEnd},
                                 {"unfinished", WalkEnd::Unfinished},
                                 {"nothing_to_ask", WalkEnd::NothingToAsk}}) {
    json[key] = totals.count(end);
  }
  const auto rules = totals.coverage.rules();
  const auto edges = totals.coverage.edges();
  json["grammar"] = {{"rules", {{"hit", rules.hit}, {"all", rules.all}}},
                     {"ways", {{"hit", edges.hit}, {"all", edges.all}}},
                     {"never", totals.coverage.missed()}};
  if (totals.first_bad) {
    const Walk& walk = *totals.first_bad;
    json["first_bad"] = {{"kind", to_string(walk.end)}, {"seed", walk.seed}, {"database", totals.first_bad_database},
                         {"budget", walk.budget},       {"text", walk.text}, {"detail", walk.detail}};
  }
  json["mask_microseconds"] = times_json(totals.nanoseconds);
  return indented(json);
}

}  // namespace pccsql
