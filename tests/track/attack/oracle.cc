#include "track/attack/oracle.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace pccsql::attack {
namespace {

std::string listed(const Catalog& catalog, const std::set<Use>& uses) {
  std::string text;
  for (const Use& use : uses) {
    text += (text.empty() ? "" : ", ") + catalog.table(use.column.table).name + "." + catalog.column(use.column).name +
            " " + std::string(to_string(use.role));
  }
  return "{" + text + "}";
}

// Tokens much as a model's: a blank goes with the letters after it, five of them at most; everything else stands alone.
class WordCounter final : public TokenCounter {
 public:
  uint32_t tokens(std::string_view text) override {
    uint32_t count = 0;
    for (size_t i = 0; i < text.size(); ++count) {
      size_t end = i + (text[i] == ' ' ? 1 : 0);
      const size_t letters = end;
      while (end < text.size() && end < letters + 5 && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
      i = std::max(end, i + 1);
    }
    return count;
  }
};

}  // namespace

PrefixId push_all(Tracker& tracker, PrefixId prefix, std::string_view text, size_t* refused_at) {
  for (size_t i = 0; i < text.size(); ++i) {
    prefix = tracker.push(prefix, static_cast<uint8_t>(text[i]));
    if (prefix == kDead) {
      if (refused_at) *refused_at = i;
      return kDead;
    }
  }
  if (refused_at) *refused_at = text.size();
  return prefix;
}

std::string Oracle::ask_prefix(PrefixId prefix, const std::string& text) {
  ++prefixes_;
  const uint32_t mark = tracker_.mark();
  std::string wrong = ask_completion(prefix, text);
  tracker_.release(mark);
  if (wrong.empty() && tracker_.may_end(prefix)) wrong = ask_finished(prefix, text);
  return wrong;
}

std::string Oracle::ask_completion(PrefixId prefix, const std::string& text) {
  const auto completion = tracker_.completion(prefix);
  if (!completion) {
    ++dead_ends_;
    return ground_.settings.lookahead ? "dead end: there is no completion" : "";
  }
  const uint32_t bound = tracker_.completion_bound(prefix);
  if (bound < completion->size()) {
    return "the bound " + std::to_string(bound) + " is less than the completion's " +
           std::to_string(completion->size()) + " bytes: `" + *completion + "`";
  }
  WordCounter counter;
  const auto tokens = tracker_.token_bound(prefix, counter);
  if (tokens && *tokens < counter.tokens(*completion)) {
    return "the bound of " + std::to_string(*tokens) + " tokens is less than the completion's " +
           std::to_string(counter.tokens(*completion)) + ": `" + *completion + "`";
  }
  PrefixId at = prefix;
  for (size_t i = 0; i < completion->size(); ++i) {
    at = tracker_.push(at, static_cast<uint8_t>((*completion)[i]));
    if (at == kDead) return "its own completion `" + *completion + "` is refused at byte " + std::to_string(i);
    const size_t left = completion->size() - i - 1;
    const auto again = tracker_.completion(at);
    if (!again) return "no completion is left after `" + completion->substr(0, i + 1) + "` of `" + *completion + "`";
    if (again->size() > left) {
      return "the completion grew to `" + *again + "` after `" + completion->substr(0, i + 1) + "` of `" + *completion +
             "`";
    }
    if (tracker_.completion_bound(at) < again->size()) {
      return "the bound is less than the completion `" + *again + "` after `" + completion->substr(0, i + 1) +
             "` of `" + *completion + "`";
    }
  }
  if (!tracker_.may_end(at)) return "the text may not end after its completion `" + *completion + "`";
  const std::string wrong = ask_finished(at, text + *completion);
  return wrong.empty() ? "" : "completed with `" + *completion + "`: " + wrong;
}

std::string Oracle::ask_finished(PrefixId end, const std::string& text) {
  ++finished_;
  const Judgement judgement = ground_.checker.check(text, ground_.policy);
  if (judgement.verdict != Verdict::Safe) {
    return "finished, but " + std::string(to_string(judgement.verdict)) + ": " + judgement.reason;
  }
  const Prepared prepared = ground_.schema->database.prepare(text);
  if (!prepared.ok) return "finished, but SQLite does not prepare it: " + prepared.message;
  return ask_uses(end, judgement);
}

std::string Oracle::ask_uses(PrefixId end, const Judgement& judgement) {
  const std::vector<Use> told = tracker_.uses(end);
  if (!std::is_sorted(told.begin(), told.end())) return "the uses are not sorted";
  const std::set<Use> ours(told.begin(), told.end());
  if (ours.size() != told.size()) return "a use is told twice: " + listed(ground_.catalog(), ours);
  std::set<Use> theirs;
  for (const Occurrence& use : judgement.uses) theirs.insert({use.column, use.role});
  if (ours == theirs) return "";
  return "the uses differ: tracker " + listed(ground_.catalog(), ours) + ", checker " +
         listed(ground_.catalog(), theirs);
}

}  // namespace pccsql::attack
