#include "decode/subject.h"

#include <algorithm>

#include "dialect/dialect.h"
#include "engine/engine_impl.h"
#include "prompt/schema_text.h"

namespace pccsql {
namespace {

bool same_settings(const Settings& a, const Settings& b) {
  return a.language == b.language && a.profile == b.profile && a.aliases == b.aliases && a.style == b.style &&
         a.algorithm == b.algorithm && a.lookahead == b.lookahead && a.derived_names == b.derived_names &&
         a.refusal == b.refusal && a.token_budget == b.token_budget && a.memory_bytes == b.memory_bytes &&
         a.memory == b.memory;
}

// The checker's two ways to say that there is no tree.
bool is_syntax_error(std::string_view reason) {
  return reason.starts_with("syntax error") || reason.starts_with("unrecognized token");
}

}  // namespace

Subject::Subject(const Catalog& catalog, Policy policy, CheckSettings settings, const Prompts& prompts,
                 const std::optional<Policy>& masked_by, const ExampleValues& values, HiddenColumns hidden)
    : catalog_(catalog),
      policy_(std::move(policy)),
      masked_by_(masked_by.value_or(policy_)),
      settings_(settings),
      prompts_(prompts.about(catalog.dialect())),
      values_(values),
      hidden_(hidden),
      minimum_(settings.profile == Profile::Strict ? prompts.minimum_group(policy_) : ""),
      schema_((hidden == HiddenColumns::Named ? schema_text(catalog, policy_, values_)
                                              : schema_text(catalog, policy_, values_, open_columns(catalog, policy_))) +
              minimum_),
      checker_(make_checker(catalog, settings)) {}

PromptText Subject::prompt(std::string_view question, const std::optional<std::string>& evidence, size_t tokens,
                           const TokenCount& count, std::vector<std::string>& left_out) {
  // A token is a byte at least.
  if (schema_.size() > tokens && !schema_tokens_) schema_tokens_ = count(schema_);
  if (schema_tokens_.value_or(0) <= tokens) return prompts_.question(schema_, question, evidence);
  if (!chooser_) chooser_.emplace(catalog_, policy_, values_);
  SchemaChoice choice = chooser_->choose(std::string(question) + " " + evidence.value_or(""), tokens, count);
  const bool hides = hidden_ == HiddenColumns::LeftOut;
  for (TableId table = 0; table < catalog_.tables().size(); ++table) {
    for (ColumnIndex c = 0; hides && c < choice.columns[table].size(); ++c) {
      if (policy_.of({table, c}) == ColumnPolicy::Hidden) choice.columns[table][c] = false;
    }
    if (hides && policy_.all_hidden(table)) continue;
    if (!choice.has(table)) left_out.push_back(catalog_.table(table).name);
  }
  PromptText text = prompts_.question(schema_text(catalog_, policy_, values_, choice) + minimum_, question, evidence);
  text.stable_bytes = 0;  // another question gets another part
  return text;
}

void Subject::judge(std::string_view sql, Answer& answer) {
  const Judgement judgement = checker_->check(sql, policy_);
  answer.sql = std::string(sql);
  answer.reason = judgement.reason;
  answer.run.reset();
  answer.uses.clear();
  answer.violations.clear();
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    const AnswerUse made{use.column, use.role, judgement.policies[i], judgement.permitted[i]};
    if (std::ranges::find(answer.uses, made) != answer.uses.end()) continue;
    answer.uses.push_back(made);
    if (!made.permitted) answer.violations.push_back({column_text(catalog_, use.column), made.policy, use.role});
  }
  for (const NamedTable& mention : judgement.closed_tables) {
    const Violation made{name_in_sql(catalog_.table(mention.table).name, catalog_.dialect()), ColumnPolicy::Hidden, std::nullopt};
    if (std::ranges::find(answer.violations, made) == answer.violations.end()) answer.violations.push_back(made);
  }
  switch (judgement.verdict) {
    case Verdict::Safe:
      answer.outcome = Answer::Outcome::SafeSql;
      answer.cause = Cause::None;
      if (auto run = checker_->run_text(sql, policy_); run) {
        answer.run = std::move(*run);
      } else {
        answer.outcome = Answer::Outcome::Refuse;
        answer.cause = Cause::Fault;
        answer.reason = run.error().message;
        answer.withheld = std::move(answer.sql);
        answer.sql.reset();
      }
      break;
    case Verdict::Unsafe:
      answer.outcome = Answer::Outcome::UnsafeSql;
      answer.cause = Cause::None;
      break;
    case Verdict::Outside:
      answer.outcome = Answer::Outcome::Failure;
      answer.cause = Cause::OutsideLanguage;
      break;
    case Verdict::Error:
      answer.outcome = Answer::Outcome::Failure;
      answer.cause = is_syntax_error(judgement.reason) ? Cause::ParseError : Cause::NameError;
      break;
  }
}

Result<const Engine*> Subject::engine(const VocabularyIndex& vocabulary, Settings wanted) {
  wanted.profile = settings_.profile == Profile::Paper ? Settings::Profile::Paper : Settings::Profile::Strict;
  wanted.language = settings_.language == Language::Fragment ? Settings::Language::Fragment : Settings::Language::Full;
  const void* const index = &vocabulary.impl();
  for (const auto& compiled : engines_) {
    if (compiled->vocabulary == index && same_settings(compiled->settings, wanted)) return &compiled->engine;
  }
  auto made = make_engine(catalog_, masked_by_, vocabulary, wanted);
  if (!made) return made.error();
  engines_.push_back(std::make_unique<Compiled>(Compiled{index, wanted, std::move(*made)}));
  return &engines_.back()->engine;
}

}  // namespace pccsql
