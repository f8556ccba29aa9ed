// Subject: one database with its policy, ready to be asked about. What every method needs of it is made once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pccsql/engine.h>

#include "decode/answer.h"
#include "policy/judgement.h"
#include "policy/policy.h"
#include "prompt/example_values.h"
#include "prompt/prompts.h"
#include "prompt/schema_choice.h"
#include "schema/catalog.h"

namespace pccsql {

// What prompts hold of columns that may not be used at all.
enum class HiddenColumns : uint8_t { Named, LeftOut };

// Used by one thread at a time.
class Subject {
 public:
  // `masked_by`: the policy of the mask, where it shall be another than the one that queries are judged by, so that it
  // can be seen that a wrong mask is noticed. `values`: to be shown beside Public columns. PRE: `catalog` outlives it.
  Subject(const Catalog& catalog, Policy policy, CheckSettings settings = {},
          const Prompts& prompts = Prompts::standard(), const std::optional<Policy>& masked_by = {}, const ExampleValues& values = {},
          HiddenColumns hidden = HiddenColumns::Named);

  const Catalog& catalog() const { return catalog_; }
  const Policy& policy() const { return policy_; }
  const CheckSettings& settings() const { return settings_; }
  const Prompts& prompts() const { return prompts_; }
  const std::string& schema() const { return schema_; }  // all of it, as prompts have it where it is not too large

  // What a model is asked. Where the whole schema takes more than `tokens`, it has the part that the question seems to be
  // about, and `left_out` the names of the tables that are not in it; the mask knows them all the same.
  PromptText prompt(std::string_view question, const std::optional<std::string>& evidence, size_t tokens, const TokenCount& count,
                    std::vector<std::string>& left_out);

  // The verdict on a query, which is the checker's: fills outcome, sql, reason, uses and violations, and what is run for
  // it. What the checker calls outside the language or an error is a Failure; what is safe and cannot be run within the
  // policy's minimum groups is a Refuse.
  void judge(std::string_view sql, Answer& answer);
  Judgement judgement(std::string_view sql) { return checker_->check(sql, policy_); }

  // An Engine for this subject's profile and language, compiled when it is first asked for. `wanted`: what else it shall
  // be; its profile and language do not count.
  Result<const Engine*> engine(const VocabularyIndex& vocabulary, Settings wanted);

 private:
  struct Compiled {
    const void* vocabulary;
    Settings settings;
    Engine engine;
  };

  const Catalog& catalog_;
  Policy policy_;
  Policy masked_by_;
  CheckSettings settings_;
  Prompts prompts_;  // in the words of the catalogue's dialect
  ExampleValues values_;
  const HiddenColumns hidden_;
  std::string minimum_;  // what is said of minimum groups
  std::string schema_;
  std::optional<size_t> schema_tokens_;  // counted when it is first asked for
  std::optional<SchemaChooser> chooser_;
  std::unique_ptr<QueryChecker> checker_;
  std::vector<std::unique_ptr<Compiled>> engines_;
};

}  // namespace pccsql
