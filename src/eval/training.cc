#include "eval/training.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/json.h"
#include "check/check.h"
#include "decode/common.h"
#include "exec/runner.h"
#include "prompt/output.h"
#include "prompt/prompts.h"
#include "prompt/schema_text.h"
#include "suite/canonical_sql.h"
#include "suite/column_policies.h"
#include "track/sql_tracker.h"
#include "track/world.h"

namespace pccsql {
namespace {

// SplitMix64: the same numbers on every machine.
class Luck {
 public:
  explicit Luck(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  size_t below(size_t bound) { return static_cast<size_t>(next() % bound); }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  uint64_t state_;
};

struct TaughtQuestion {
  size_t number = 0;  // in the training part
  std::string target;
};

// One database with the questions about it that can be taught.
struct Taught {
  size_t catalog = 0;
  std::vector<TaughtQuestion> questions;
  ExampleValues values;
  bool has_values = false;
};

class TrainingBuilder {
 public:
  TrainingBuilder(const GoldData& data, const Model& model, const TrainingOptions& options)
      : data_(data), model_(model), options_(options), luck_(options.seed), policies_(column_policies(data)) {}

  Result<TrainingData> build() {
    if (auto found = find_end(); !found) return found.error();
    std::map<size_t, std::vector<size_t>> by_catalog;
    for (size_t i = 0; i < data_.train.size(); ++i) by_catalog[*data_.find_catalog(data_.train[i].db_id)].push_back(i);
    std::vector<Taught> all;
    for (const auto& [catalog, questions] : by_catalog) all.push_back(taught(catalog, questions));
    choose_aside(all);
    for (size_t round = 0; round < options_.rounds; ++round) {
      std::vector<size_t> order(all.size());
      std::iota(order.begin(), order.end(), size_t{0});
      luck_.shuffle(order);
      for (const size_t index : order) {
        if (round > 0 && aside_.contains(all[index].catalog)) continue;
        if (auto done = add_groups(all[index], round); !done) return done.error();
      }
    }
    return std::move(made_);
  }

 private:
  // The token that ends an answer: of a chat in which one has been given, the last that ends a text; where the template
  // writes none, the vocabulary's first.
  Result<Done> find_end() {
    const std::vector<Message> chat{{Speaker::User, "a"}, {Speaker::Assistant, "b"}};
    const auto tokens = model_.chat_tokens(chat);
    if (!tokens) return tokens.error();
    end_ = model_.vocabulary().end_of_text().front();
    for (const TokenId token : *tokens) {
      if (model_.vocabulary().is_end_of_text(token)) end_ = token;
    }
    return Done{};
  }

  Taught taught(size_t catalog_index, const std::vector<size_t>& questions) {
    const Catalog& catalog = data_.catalogs[catalog_index];
    Taught made{.catalog = catalog_index, .questions = {}, .values = {}, .has_values = false};
    const Policy open(catalog, ColumnPolicy::Public);
    track::TrackSettings settings;
    settings.profile = Profile::Paper;
    settings.style = track::Style::Canonical;
    const auto world = track::World::make(catalog, open, settings);
    SqliteChecker checker(catalog, {.profile = Profile::Strict});
    for (const size_t number : questions) {
      const Analysis& analysis = checker.analyze(data_.train[number].sql);
      if (analysis.verdict != Verdict::Safe) {
        ++made_.left_out[analysis.verdict == Verdict::Error ? "gold does not run" : "gold is outside the language"];
        continue;
      }
      const std::string target = canonical_sql(data_.train[number].sql, catalog, analysis);
      if (!admitted(*world, target)) {
        ++made_.left_out["gold has no canonical form that is written"];
        continue;
      }
      made.questions.push_back({number, target});
    }
    made_.questions += made.questions.size();
    if (const auto file = data_.database_path(catalog.name()); file && options_.values > 0) {
      if (auto runner = Runner::open(*file, catalog, open, Profile::Strict); runner) {
        made.values = read_example_values(*runner, catalog, open, options_.values);
        made.has_values = true;
      }
    }
    return made;
  }

  static bool admitted(const track::World& world, std::string_view text) {
    track::SqlTracker tracker(world);
    track::PrefixId at = tracker.start();
    for (const char c : text) {
      at = tracker.push(at, static_cast<uint8_t>(c));
      if (at == track::kDead) return false;
    }
    return tracker.may_end(at);
  }

  void choose_aside(const std::vector<Taught>& all) {
    std::vector<size_t> some;
    for (const Taught& one : all) {
      if (one.questions.size() >= 20) some.push_back(one.catalog);
    }
    luck_.shuffle(some);
    some.resize(std::min(some.size(), options_.aside));
    aside_ = {some.begin(), some.end()};
  }

  Result<Done> add_groups(const Taught& database, size_t round) {
    std::vector<TaughtQuestion> questions = database.questions;
    luck_.shuffle(questions);
    for (size_t begin = 0; begin < questions.size(); begin += options_.group) {
      const size_t count = std::min(options_.group, questions.size() - begin);
      const bool all_public = luck_.below(4) == 0;
      const bool values = luck_.below(2) == 0;
      const bool evidence = luck_.below(3) == 0;
      auto done = add_group(database, std::span(questions).subspan(begin, count), round, all_public, values, evidence);
      if (!done) return done.error();
    }
    return Done{};
  }

  Policy policy_of(const Taught& database, std::span<const TaughtQuestion> questions, bool all_public, bool refuse) const {
    const Catalog& catalog = data_.catalogs[database.catalog];
    if (all_public) return Policy(catalog, ColumnPolicy::Public);
    Policy policy = policies_[database.catalog];
    if (refuse) return policy;
    SqliteChecker checker(catalog, {.profile = Profile::Paper});
    for (const TaughtQuestion& question : questions) {
      const Judgement judgement = checker.check(question.target, policy);
      for (size_t i = 0; i < judgement.uses.size(); ++i) {
        if (!judgement.permitted[i]) policy.set(judgement.uses[i].column, ColumnPolicy::Public);
      }
    }
    return policy;
  }

  Result<Done> add_group(const Taught& database, std::span<const TaughtQuestion> questions, size_t round, bool all_public,
                         bool values, bool evidence) {
    const Catalog& catalog = data_.catalogs[database.catalog];
    const bool refuse = options_.refuse && !all_public && luck_.below(2) == 0;
    const Policy policy = policy_of(database, questions, all_public, refuse);
    SqliteChecker checker(catalog, {.profile = Profile::Paper});
    const bool shown = values && database.has_values;
    const std::string schema = schema_text(catalog, policy, shown ? database.values : ExampleValues());
    TrainingGroup group{.db_id = catalog.name(),
                        .aside = aside_.contains(database.catalog),
                        .round = round,
                        .all_public = all_public,
                        .evidence = evidence,
                        .values = shown ? options_.values : 0,
                        .prompt = {},
                        .items = {}};
    for (const TaughtQuestion& question : questions) {
      const GoldQuery& gold = data_.train[question.number];
      const PromptText text =
          Prompts::standard().question(schema, gold.question, evidence ? gold.evidence : std::nullopt);
      const std::vector<Message> messages = messages_of(text);
      auto prompt = model_.chat_tokens(messages);
      if (!prompt) return prompt.error();
      const bool forbidden = refuse && checker.check(question.target, policy).verdict != Verdict::Safe;
      auto answer = model_.tokenize(forbidden ? std::string(kRefuse) : question.target, false);
      if (!answer) return answer.error();
      answer->push_back(end_);
      group.items.push_back(
          {data_.name + "-train-" + std::to_string(question.number), *std::move(prompt), *std::move(answer)});
    }
    group.prompt = group.items.front().asked;
    for (const TrainingItem& item : group.items) {
      const auto [here, there] = std::ranges::mismatch(group.prompt, item.asked);
      group.prompt.resize(static_cast<size_t>(here - group.prompt.begin()));
    }
    // Something is asked after what all have in common, also where all ask the same.
    if (group.prompt.size() == group.items.front().asked.size()) group.prompt.pop_back();
    if (group.prompt.size() > options_.longest_prompt) {
      if (round == 0) made_.left_out["the schema takes more tokens than a prompt may"] += questions.size();
      return Done{};
    }
    for (TrainingItem& item : group.items) {
      item.asked.erase(item.asked.begin(), item.asked.begin() + static_cast<std::ptrdiff_t>(group.prompt.size()));
    }
    made_.groups.push_back(std::move(group));
    if (options_.done) options_.done(made_.groups.size());
    return Done{};
  }

  const GoldData& data_;
  const Model& model_;
  const TrainingOptions& options_;
  Luck luck_;
  std::vector<Policy> policies_;
  std::set<size_t> aside_;
  TokenId end_ = 0;
  TrainingData made_;
};

}  // namespace

Result<TrainingData> training_data(const GoldData& data, const Model& model, const TrainingOptions& options) {
  return TrainingBuilder(data, model, options).build();
}

std::string to_text(const TrainingData& data) {
  std::string text;
  for (const TrainingGroup& group : data.groups) {
    Json line{{"db_id", group.db_id},         {"aside", group.aside},       {"round", group.round},
              {"all_public", group.all_public}, {"evidence", group.evidence}, {"values", group.values},
              {"prompt", group.prompt},       {"items", Json::array()}};
    for (const TrainingItem& item : group.items) {
      line["items"].push_back(Json{{"id", item.id}, {"asked", item.asked}, {"answer", item.answer}});
    }
    text += dumped(line) + "\n";
  }
  return text;
}

}  // namespace pccsql
