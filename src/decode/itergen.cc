#include "decode/itergen.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "decode/choice.h"
#include "decode/common.h"
#include "decode/name_check.h"
#include "decode/syntax_follower.h"

namespace pccsql {
namespace {

// Which tokens were tried after which: a tree over everything that was written so far, rolled back or not.
class Tried {
 public:
  std::vector<TokenId> at(size_t node) const {
    std::vector<TokenId> tokens;
    for (const auto& [token, child] : nodes_[node]) tokens.push_back(token);
    return tokens;
  }
  size_t go(size_t node, TokenId token) {
    const auto [entry, added] = nodes_[node].try_emplace(token, nodes_.size());
    const size_t child = entry->second;
    if (added) nodes_.emplace_back();
    return child;
  }

 private:
  std::vector<std::map<TokenId, size_t>> nodes_{1};
};

}  // namespace

class IterGenDecoder::Run {
 public:
  Run(IterGenDecoder& decoder, Language language, NameCheck check, size_t room, const Listener& listener,
      Answer& answer)
      : sequence_(*decoder.sequence_),
        settings_(decoder.settings_),
        vocabulary_(decoder.model_.vocabulary()),
        prompt_(sequence_.length()),
        most_tokens_(std::min(settings_.max_tokens, room)),
        follower_(language),
        check_(std::move(check)),
        listener_(listener),
        answer_(answer) {
    places_.push_back({follower_.start(), 0, 0});
  }

  // The output; nothing: the answer says why.
  std::optional<std::string> text() {
    bool ended = false;
    while (!ended && answer_.counts.iterations < settings_.itergen_iterations && places_.size() <= most_tokens_) {
      const auto token = choose();
      if (!token) return std::nullopt;
      ended = vocabulary_.is_end_of_text(*token);
      names_.clear();
      const Place here = places_.back();
      const size_t node = tried_.go(here.node, *token);
      if (ended) {
        follower_.may_end(here.state, names_);
      } else {
        const std::string_view bytes = vocabulary_.bytes(*token);
        const auto state = follower_.follow(here.state, bytes, names_);
        if (const auto appended = sequence_.append(*token); !appended || !state) {
          fail(answer_, appended ? Error{"internal error: a token that parses does not", {}, {}} : appended.error(),
               listener_);
          return std::nullopt;
        }
        text_ += bytes;
        places_.push_back({*state, node, text_.size()});
        if (listener_.on_text) listener_.on_text(bytes);
      }
      if (settings_.trace) note(TraceStep::Kind::Token, text_.substr(0, here.bytes), *token);
      if (const auto failed = first_failure()) {
        ended = false;
        go_back(*failed);
      }
    }
    return text_;
  }

 private:
  struct Place {
    SyntaxFollower::State state;
    size_t node;
    size_t bytes;  // of the text
  };

  bool parses(TokenId token) {
    names_.clear();
    if (vocabulary_.is_end_of_text(token)) return follower_.may_end(places_.back().state, names_);
    if (!vocabulary_.is_text(token)) return false;
    return follower_.follow(places_.back().state, vocabulary_.bytes(token), names_).has_value();
  }

  std::optional<TokenId> choose() {
    if (is_stopped(listener_)) {
      fail(answer_, Error{"stopped", {}, {}}, listener_);
      return std::nullopt;
    }
    const auto logits = sequence_.logits();
    if (!logits || logits->size() < vocabulary_.size()) {
      fail(answer_, logits ? Error{"it gave fewer logits than it has tokens", {}, {}} : logits.error(), listener_);
      return std::nullopt;
    }
    const Stopwatch watch(answer_.counts.choice_ns);
    scores_.assign(logits->begin(), logits->begin() + static_cast<std::ptrdiff_t>(vocabulary_.size()));
    for (const TokenId token : tried_.at(places_.back().node)) scores_[token] *= settings_.recurrence_penalty;
    const TokenId best = free_choice(scores_);
    if (parses(best)) return best;

    const Stopwatch mask_watch(answer_.counts.mask_ns);
    ids_.resize(scores_.size());
    std::iota(ids_.begin(), ids_.end(), TokenId{0});
    const auto lower = [this](TokenId a, TokenId b) {
      return scores_[a] < scores_[b] || (scores_[a] == scores_[b] && a > b);
    };
    std::ranges::make_heap(ids_, lower);
    for (auto end = ids_.end(); end != ids_.begin(); --end) {
      std::pop_heap(ids_.begin(), end, lower);
      if (parses(*(end - 1))) return *(end - 1);
    }
    fail(answer_, Error{"internal error: no token parses", {}, {}}, listener_);
    return std::nullopt;
  }

  // The first name of the last token that does not pass. Each is an iteration.
  std::optional<NameEnd> first_failure() {
    const Stopwatch watch(answer_.counts.mask_ns);
    for (const NameEnd& name : names_) {
      if (answer_.counts.iterations == settings_.itergen_iterations) return std::nullopt;
      ++answer_.counts.iterations;
      if (!check_.passes(text_, name)) return name;
    }
    return std::nullopt;
  }

  // To before the token in which the name begins.
  void go_back(const NameEnd& name) {
    const size_t before = text_.size();
    while (places_.size() > 1 && places_.back().bytes > name.span.begin) places_.pop_back();
    text_.resize(places_.back().bytes);
    sequence_.truncate(prompt_ + places_.size() - 1);
    check_.go_back(text_.size());
    if (listener_.on_discard && before > text_.size()) listener_.on_discard(before - text_.size());
    if (settings_.trace) note(TraceStep::Kind::Rollback, text_, 0);
  }

  void note(TraceStep::Kind kind, std::string text, TokenId token) {
    TraceStep step;
    step.kind = kind;
    step.text = std::move(text);
    step.id = token;
    if (kind == TraceStep::Kind::Token && !vocabulary_.is_end_of_text(token)) step.token = vocabulary_.bytes(token);
    answer_.trace.push_back(std::move(step));
  }

  Sequence& sequence_;
  const DecodeSettings& settings_;
  const Vocabulary& vocabulary_;
  const size_t prompt_;
  const size_t most_tokens_;
  SyntaxFollower follower_;
  NameCheck check_;
  const Listener& listener_;
  Answer& answer_;
  Tried tried_;
  std::vector<Place> places_;  // before the first token, and after each
  std::string text_;
  std::vector<NameEnd> names_;  // that the last token ended
  std::vector<float> scores_;
  std::vector<TokenId> ids_;
};

void IterGenDecoder::decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) {
  const StopFlag stop(model_, listener);
  std::optional<Matcher> matcher;
  if (!settings_.itergen_names_only) {
    Settings wanted;
    wanted.lookahead = false;
    const auto engine = subject.engine(vocabulary_, wanted);
    if (!engine) return refuse(answer, Cause::Fault, engine.error().to_string());
    matcher = (*engine)->new_matcher(0);
    if (matcher->is_refused()) return refuse(answer, cause_of(*matcher->refusal()), matcher->refusal()->reason);
  }
  const Work before = sequence_ ? sequence_->work() : Work();
  const auto room =
      begin_question(model_, sequence_, prompt_for(subject, question, answer));
  if (!room) return fail(answer, room.error(), listener);
  Run run(*this, subject.settings().language, NameCheck(subject.catalog(), std::move(matcher)), *room, listener,
          answer);
  const std::optional<std::string> text = run.text();
  answer.counts.work = sequence_->work() - before;
  if (!text) return;
  answer.output = *text;
  subject.judge(*text, answer);
  if (answer.violations.empty()) return;
  refuse(answer, Cause::RefusedByCheck, "the query that was generated is not permitted: " + answer.reason);
  answer.withheld = *text;
}

}  // namespace pccsql
