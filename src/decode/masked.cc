#include "decode/masked.h"

#include <algorithm>

#include "decode/choice.h"
#include "decode/common.h"
#include "decode/draft.h"
#include "decode/instead.h"
#include "decode/wanted.h"
#include "mask/bitmask.h"
#include "prompt/output.h"

namespace pccsql {
namespace {

Settings engine_settings(Method method, const DecodeSettings& settings) {
  Settings made;
  if (method == Method::PccPaper) made.algorithm = Settings::Algorithm::Paper;
  made.refusal = settings.allow_refuse;
  made.memory = settings.memory;
  // What a model wants most and may not write often begins like something it could: a name like an alias, a keyword like
  // a new name. One form for each thing leaves fewer such beginnings.
  made.style = Settings::Style::Canonical;
  if (method == Method::Pcc) made.lookahead = settings.lookahead;
  return made;
}

// Of a name whose use is known by its place alone.
WithheldUse withheld_use(const Catalog& catalog, const BlockedName& name) {
  WithheldUse made;
  made.name = name.name;
  const size_t dot = name.name.find('.');
  if (dot != std::string::npos) made.column = catalog.find_column(name.name.substr(0, dot), name.name.substr(dot + 1));
  for (const Role role : kRoles) {
    if (name.role.find(to_string(role)) == std::string::npos) continue;
    if (!made.role) made.role = role;
    made.use += (made.use.empty() ? "" : " and ") + std::string(in_words(role));
  }
  if (!made.role) made.use = in_words(std::nullopt);
  for (const ColumnPolicy policy : kColumnPolicies) {
    if (name.why.starts_with(to_string(policy))) made.policy = policy;
  }
  return made;
}

// "`employee.salary` as ordering, `employee.ssn` as a filter"
std::string in_words(const std::vector<WithheldUse>& uses) {
  std::string text;
  for (const WithheldUse& use : uses) text += (text.empty() ? "`" : ", `") + use.name + "` as " + use.use;
  return text;
}

std::vector<std::string> texts_of(const std::vector<Explanation::Name>& names) {
  std::vector<std::string> texts;
  for (const Explanation::Name& name : names) texts.push_back(name.text);
  return texts;
}

}  // namespace

// One generation. Each function gives false where it is over; then the answer says why.
class MaskedDecoder::Run {
 public:
  Run(MaskedDecoder& decoder, Matcher matcher, const Listener& listener, Answer& answer)
      : model_(decoder.model_),
        sequence_(*decoder.sequence_),
        settings_(decoder.settings_),
        vocabulary_(decoder.model_.vocabulary()),
        matcher_(std::move(matcher)),
        listener_(listener),
        answer_(answer),
        words_(bitmask_words(decoder.model_.logits_width())) {}

  // The finished text; nothing: the answer says why.
  std::optional<std::string> text() {
    while (!matcher_.is_terminated()) {
      if (step()) continue;
      answer_.output = matcher_.text();
      return std::nullopt;
    }
    answer_.output = matcher_.text();
    if (auto sql = matcher_.sql()) return sql;
    refuse_as_matcher();
    return std::nullopt;
  }

  // Where the mask first took away what the model wanted, and where it first did so by policy if that was later. What
  // merely does not fit may be kept from fitting by the policy: a table, or its alias, whose columns were named before
  // it and are closed.
  struct Turn {
    size_t length = 0;  // of the sequence
    std::string text;
    TokenId wanted = 0;
    bool by_policy = false;
  };
  const std::vector<Turn>& turns() const { return turns_; }

  // What the model would have written from there on without a mask; nothing where it comes to no end, or fails. PRE: the
  // turns that are asked about come from last to first.
  std::optional<std::string> draft(const Turn& turn) {
    const size_t longest = std::min<size_t>(192, settings_.max_tokens);
    sequence_.truncate(turn.length);
    std::string text = turn.text;
    TokenId token = turn.wanted;
    for (size_t i = 0; i < longest && !is_stopped(listener_); ++i) {
      if (vocabulary_.is_end_of_text(token)) return sql_of_output(text);
      if (!vocabulary_.is_text(token)) return std::nullopt;
      text += vocabulary_.bytes(token);
      if (text.ends_with(";") || text.ends_with("\n\n") || text.ends_with("```")) return sql_of_output(text);
      if (!sequence_.append(token)) return std::nullopt;
      ++answer_.counts.draft_tokens;
      const auto logits = sequence_.logits();
      if (!logits || logits->size() < vocabulary_.size()) return std::nullopt;
      token = free_choice(logits->first(vocabulary_.size()));
    }
    return std::nullopt;
  }

 private:
  bool step() {
    if (matcher_.is_refused()) return refuse_as_matcher();
    if (is_stopped(listener_)) return failed(Error{"stopped", {}, {}});
    if (!fill()) return false;
    std::optional<TokenId> token = only_choice(words_);
    const bool forced = token.has_value();
    if (!forced) {
      token = choose();
      if (!token) return false;
    } else if (settings_.trace) {
      trace(TraceStep::Kind::Forced, *token, *token, 0);
    }
    return take(*token, forced);
  }

  bool fill() {
    const uint64_t before = answer_.counts.mask_ns;
    const auto filled = [this] {
      const Stopwatch watch(answer_.counts.mask_ns);
      return matcher_.fill_next_token_bitmask(words_.data(), model_.logits_width());
    }();
    answer_.mask_ns.push_back(answer_.counts.mask_ns - before);
    if (!filled) {
      refuse(answer_, Cause::Fault, "no mask, so no token: " + filled.error().to_string());
      return false;
    }
    return !matcher_.is_refused() || refuse_as_matcher();
  }

  std::optional<TokenId> choose() {
    const auto logits = sequence_.logits();
    if (!logits || logits->size() < vocabulary_.size() || logits->size() > words_.size() * 32) {
      failed(logits ? Error{"it gave logits of another width than it said", {}, {}} : logits.error());
      return std::nullopt;
    }
    const Stopwatch watch(answer_.counts.choice_ns);
    const auto chosen = masked_choice(*logits, words_);
    if (!chosen) {
      refuse(answer_, Cause::Fault, "internal error: the mask admits no token");
      return std::nullopt;
    }
    const TokenId wanted = free_choice(logits->first(vocabulary_.size()));
    if (settings_.trace) {
      trace(TraceStep::Kind::Token, *chosen, wanted, removed_probability(*logits, vocabulary_.size(), words_));
    }
    if (wanted != *chosen) note_wanted(wanted);
    return chosen;
  }

  bool take(TokenId token, bool forced) {
    {
      const Stopwatch watch(answer_.counts.mask_ns);
      if (!matcher_.accept_token(token)) return refuse_as_matcher();
    }
    if (vocabulary_.is_end_of_text(token)) return true;
    if (const auto appended = sequence_.append(token); !appended) return failed(appended.error());
    if (forced) ++answer_.counts.forced_tokens;
    if (listener_.on_text) listener_.on_text(vocabulary_.bytes(token));
    return true;
  }

  // The model's own choice was another one. Only text that the mask does not admit is worth telling: a tie is none.
  void note_wanted(TokenId wanted) {
    constexpr size_t kMostLookedAt = 200;  // a model that wants something else at each step must not become slow
    const bool admitted = (words_[wanted / 32] >> (wanted % 32) & 1U) != 0;
    if (admitted || !vocabulary_.is_text(wanted) || looked_at_ == kMostLookedAt) return;
    ++looked_at_;
    const std::string_view piece = vocabulary_.bytes(wanted);
    if (begins_refusal(matcher_.text(), piece)) answer_.wanted_to_refuse = true;
    bool by_policy = false;
    for (BlockedName& name : wanted_names(matcher_, piece)) {
      by_policy |= name.by_policy;
      if (std::ranges::find(answer_.blocked, name) == answer_.blocked.end()) answer_.blocked.push_back(std::move(name));
    }
    if (turns_.empty() || (by_policy && !turns_.back().by_policy)) {
      turns_.push_back({sequence_.length(), std::string(matcher_.text()), wanted, by_policy});
    }
  }

  void trace(TraceStep::Kind kind, TokenId token, TokenId wanted, double removed) {
    const auto shown = [this](TokenId id) {
      return vocabulary_.is_end_of_text(id) ? std::string() : std::string(vocabulary_.bytes(id));
    };
    const Explanation explanation = explain_word(matcher_, shown(token));
    TraceStep step;
    step.kind = kind;
    step.text = matcher_.text();
    step.token = shown(token);
    step.id = token;
    step.wanted = shown(wanted);
    step.removed = removed;
    step.clause = explanation.clause;
    step.role = explanation.role;
    step.allowed = texts_of(explanation.allowed);
    step.blocked = texts_of(explanation.blocked);
    answer_.trace.push_back(std::move(step));
  }

  bool refuse_as_matcher() {
    const Refusal* refusal = matcher_.refusal();
    if (refusal == nullptr) {
      refuse(answer_, Cause::Fault, "internal error: a token of the mask was not accepted");
      return false;
    }
    refuse(answer_, cause_of(*refusal), refusal->reason);
    if (refusal->cause == RefusalCause::Fault) answer_.errors.push_back(refusal->reason);
    return false;
  }

  bool failed(const Error& error) {
    fail(answer_, error, listener_);
    return false;
  }

  Model& model_;
  Sequence& sequence_;
  const DecodeSettings& settings_;
  const Vocabulary& vocabulary_;
  Matcher matcher_;
  const Listener& listener_;
  Answer& answer_;
  std::vector<uint32_t> words_;
  size_t looked_at_ = 0;
  std::vector<Turn> turns_;
};

bool MaskedDecoder::admits(Subject& subject, std::string_view sql) {
  Settings settings = engine_settings(method(), settings_);
  settings.style = Settings::Style::Any;
  settings.aliases = Settings::Aliases::Any;
  const auto engine = subject.engine(vocabulary_, settings);
  if (!engine) return false;
  Matcher matcher = (*engine)->new_matcher();
  return matcher.accept_text(sql) && matcher.explain().may_end;
}

void MaskedDecoder::settle(Subject& subject, Run& run, const Listener& listener, Answer& answer) {
  const auto withhold = [&] {
    const std::string written = answer.sql.value_or("");
    refuse(answer, Cause::Withheld, "it needs " + in_words(answer.withheld_uses) + ", which the policy does not permit");
    answer.withheld = written;
    for (const Instead& instead : questions_instead(subject, answer.withheld_uses)) {
      if (admits(subject, instead.sql)) answer.instead.push_back(instead.question);
    }
  };
  const bool by_policy = run.turns().back().by_policy;
  DraftReading reading;
  if (settings_.blocked == Blocked::Part) {
    for (size_t i = run.turns().size(); i-- > 0;) {  // the earlier one knows better what was meant, if it makes sense
      const auto draft = run.draft(run.turns()[i]);
      if (is_stopped(listener)) return fail(answer, Error{"stopped", {}, {}}, listener);
      if (!draft) continue;
      DraftReading read = read_draft(subject, *draft);
      if (!read.understood) continue;
      reading = std::move(read);
      answer.draft = draft;
    }
  }
  if (!by_policy && !reading.understood) return;  // something did not fit, and that is all
  answer.withheld_uses = reading.withheld;
  if (!reading.understood) {
    for (const BlockedName& name : answer.blocked) {
      if (name.by_policy) answer.withheld_uses.push_back(withheld_use(subject.catalog(), name));
    }
    return withhold();
  }
  if (keeps(reading, *answer.sql, answer.uses)) {
    answer.partial = !reading.complete;
  } else if (reading.sql && admits(subject, *reading.sql)) {
    subject.judge(*reading.sql, answer);
    answer.partial = !reading.complete;
  } else {
    withhold();
  }
}

void MaskedDecoder::decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) {
  const bool paper = method() == Method::PccPaper;
  const StopFlag stop(model_, listener);
  const auto engine = subject.engine(vocabulary_, engine_settings(method(), settings_));
  if (!engine) return refuse(answer, Cause::Fault, engine.error().to_string());
  const Work before = sequence_ ? sequence_->work() : Work();
  const auto room =
      begin_question(model_, sequence_, subject.prompts().question(subject.schema(), question.text, question.evidence));
  if (!room) return fail(answer, room.error(), listener);
  // The end of the text is a token of the budget, but needs no place in the context.
  const size_t budget = std::clamp<size_t>(std::min(settings_.max_tokens, *room + 1), 1, UINT32_MAX);
  Run run(*this, (*engine)->new_matcher(static_cast<uint32_t>(budget)), listener, answer);
  const std::optional<std::string> text = run.text();
  answer.counts.work = sequence_->work() - before;
  if (!text) return;

  subject.judge(*text, answer);
  if (answer.outcome == Answer::Outcome::SafeSql) {
    if (!paper && settings_.blocked != Blocked::Answer && !run.turns().empty()) settle(subject, run, listener, answer);
    answer.counts.work = sequence_->work() - before;
    return;
  }
  if (paper && answer.violations.empty()) return;
  refuse(answer, paper ? Cause::RefusedByCheck : Cause::Fault,
         (paper ? "failed terminal validation: " : "internal error: the two judges disagree: ") + answer.reason);
  answer.withheld = *text;
  if (!paper) answer.errors.push_back(answer.reason + ", on `" + *text + "`");
}

}  // namespace pccsql
