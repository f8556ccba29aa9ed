#include "track/attack/walker.h"

#include <algorithm>

namespace pccsql::attack {
namespace {

constexpr int kTriesPerStep = 300;
constexpr size_t kMostFailures = 10;

}  // namespace

LexemeWalker::LexemeWalker(Ground& ground, Tracker& tracker, Coverage& coverage, uint64_t seed)
    : ground_(ground),
      tracker_(tracker),
      coverage_(coverage),
      random_(seed),
      source_(ground.catalog(), ground.settings.style, seed + 1),
      oracle_(ground, tracker) {}

std::string LexemeWalker::proposal() {
  if (!favourites_.empty() && random_() % 3 == 0) return favourites_[random_() % favourites_.size()];
  if (random_() % 2 == 0) return source_.any(source_.any_class(), text_);
  return rare_proposal();
}

// Of a few lexemes that the grammar could read here, the one whose place has been read least.
std::string LexemeWalker::rare_proposal() {
  Trace trace(sql_grammar());
  if (!trace.read(text_)) return source_.any(source_.any_class(), text_);
  Terminal best = Terminal::Name;
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 60; ++i) {
    const auto terminal = static_cast<Terminal>(2 + random_() % (kTerminals - 2));
    const Place place = trace.place_of(terminal);
    if (place.first == kNone || terminal == Terminal::Parameter) continue;
    const uint64_t hits = coverage_.hits(place);
    if (hits < least) {
      least = hits;
      best = terminal;
    }
  }
  if (random_() % 3 == 0) best = Terminal::Name;
  return source_.of(best, trace.name_slot(), text_);
}

bool LexemeWalker::can_end(PrefixId prefix) {
  if (tracker_.may_end(prefix)) return true;
  for (const char c : std::string_view(" (,).;=")) {
    if (tracker_.push(prefix, static_cast<uint8_t>(c)) != kDead) return true;
  }
  return false;
}

void LexemeWalker::ask(PrefixId prefix, const std::string& text) {
  if (on_prefix_) on_prefix_(prefix, text);
  std::string wrong = oracle_.ask_prefix(prefix, text);
  if (!wrong.empty()) failures_.push_back({text, std::move(wrong)});
}

// Whether the lexeme was written.
bool LexemeWalker::take(const std::string& lexeme) {
  if (lexeme == ";" && random_() % 20 != 0) return false;  // nothing can follow it
  ++tries_;
  const bool meet = !text_.empty() && is_word_byte(text_.back()) && is_word_byte(lexeme[0]);
  const bool apart = meet || (!text_.empty() && random_() % 2 == 0);
  const std::string bytes = (apart ? source_.blank() : "") + lexeme;
  const uint32_t mark = tracker_.mark();
  size_t admitted = 0;
  const PrefixId end = push_all(tracker_, prefix_, bytes, &admitted);
  const bool taken = end != kDead && can_end(end);
  // What was admitted of it must be alive, inside it too, whether it can be written whole or not.
  if (admitted > 1 && random_() % 4 == 0) {
    const size_t cut = 1 + random_() % admitted;
    ask(push_all(tracker_, prefix_, bytes.substr(0, cut)), text_ + bytes.substr(0, cut));
  }
  if (!taken) {
    tracker_.release(mark);
    return false;
  }
  prefix_ = end;
  text_ += bytes;
  ++steps_;
  ask(prefix_, text_);
  return true;
}

std::vector<WalkFailure> LexemeWalker::walk(int lexemes) {
  failures_.clear();
  text_.clear();
  prefix_ = tracker_.start();
  if (prefix_ == kDead) return {{"", "nothing can be written at all"}};
  ask(prefix_, text_);
  // Half of the walks take a few lexemes again and again: what is rare twice over comes about in some.
  favourites_.clear();
  for (size_t wanted = random_() % 2 * (2 + random_() % 5); favourites_.size() < wanted;) {
    const std::string lexeme = source_.any(source_.any_class(), text_);
    if (lexeme != ";") favourites_.push_back(lexeme);
  }
  for (int i = 0; i < lexemes && failures_.size() < kMostFailures; ++i) {
    bool taken = false;
    for (int t = 0; t < kTriesPerStep && !taken; ++t) taken = take(proposal());
    if (!taken) {
      ++stuck_;
      break;
    }
  }
  // Where there is no completion, the oracle has said whether that is allowed.
  if (const auto completion = tracker_.completion(prefix_)) coverage_.add(text_ + *completion);
  return failures_;
}

}  // namespace pccsql::attack
