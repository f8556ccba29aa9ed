#include "decode/masked.h"

#include <algorithm>

#include "decode/common.h"
#include "decode/masked_run.h"
#include "decode/settle.h"

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

}  // namespace

bool MaskedDecoder::admits(Subject& subject, std::string_view sql) {
  Settings settings = engine_settings(method(), settings_);
  settings.style = Settings::Style::Any;
  settings.aliases = Settings::Aliases::Any;
  const auto engine = subject.engine(vocabulary_, settings);
  if (!engine) return false;
  Matcher matcher = (*engine)->new_matcher();
  return matcher.accept_text(sql) && matcher.explain().may_end;
}

void MaskedDecoder::settle(Subject& subject, const Question& question, MaskedRun& run, const Listener& listener,
                           Answer& answer) {
  Wish wish;
  wish.question = question.text;
  wish.by_policy = run.turns().back().by_policy;
  wish.counts_filled_rows = run.counts_filled_rows();
  if (settings_.blocked == Blocked::Part) {
    // The earlier one knows better what was meant, if it makes sense; the sequence is cut back from the later one.
    for (size_t i = run.turns().size(); i-- > 0;) {
      auto draft = run.draft(run.turns()[i]);
      if (is_stopped(listener)) return fail(answer, Error{"stopped", {}, {}}, listener);
      if (draft) wish.drafts.insert(wish.drafts.begin(), {*std::move(draft), run.turns()[i].text.size()});
    }
  }
  pccsql::settle(subject, wish, [&](std::string_view sql) { return admits(subject, sql); }, answer);
}

void MaskedDecoder::decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) {
  const bool paper = method() == Method::PccPaper;
  const StopFlag stop(model_, listener);
  const auto engine = subject.engine(vocabulary_, engine_settings(method(), settings_));
  if (!engine) return refuse(answer, Cause::Fault, engine.error().to_string());
  const Work before = sequence_ ? sequence_->work() : Work();
  const auto room =
      begin_question(model_, sequence_, prompt_for(subject, question, answer));
  if (!room) return fail(answer, room.error(), listener);
  // The end of the text is a token of the budget, but needs no place in the context.
  const size_t budget = std::clamp<size_t>(std::min(settings_.max_tokens, *room + 1), 1, UINT32_MAX);
  MaskedRun run(model_, *sequence_, settings_, subject, **engine, static_cast<uint32_t>(budget), listener, answer,
                paper || settings_.mask_alone ? MaskedRun::Care::None : MaskedRun::Care::Usual);
  const std::optional<std::string> text = run.text();
  answer.counts.work = sequence_->work() - before;
  if (!text) return;

  subject.judge(*text, answer);
  if (answer.outcome == Answer::Outcome::SafeSql) {
    if (!paper && settings_.blocked != Blocked::Answer && !run.turns().empty()) settle(subject, question, run, listener, answer);
    if (!paper && settings_.blocked == Blocked::Part && kind_of(answer) == AnswerKind::Answered) {
      withhold_if_mentioned(subject, question.text, [&](std::string_view sql) { return admits(subject, sql); }, answer);
    }
    // Whoever watches sees the answer, not what it was before.
    if (answer.sql != text && listener.on_discard) listener.on_discard(text->size());
    if (answer.sql && answer.sql != text && listener.on_text) listener.on_text(*answer.sql);
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
