#include "decode/masked.h"

#include <algorithm>

#include "decode/common.h"
#include "decode/draft.h"
#include "decode/instead.h"
#include "decode/masked_run.h"

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

void MaskedDecoder::settle(Subject& subject, MaskedRun& run, const Listener& listener, Answer& answer) {
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
      if (!read.understood && reading.understood) continue;
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
  if (!run.counts_filled_rows() && keeps(reading, *answer.sql, answer.uses)) {
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
      begin_question(model_, sequence_, prompt_for(subject, question, answer));
  if (!room) return fail(answer, room.error(), listener);
  // The end of the text is a token of the budget, but needs no place in the context.
  const size_t budget = std::clamp<size_t>(std::min(settings_.max_tokens, *room + 1), 1, UINT32_MAX);
  MaskedRun run(model_, *sequence_, settings_, subject, (*engine)->new_matcher(static_cast<uint32_t>(budget)), listener, answer,
                paper ? MaskedRun::Care::None : MaskedRun::Care::Usual);
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
