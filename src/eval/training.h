// Training data for an adapter: the training questions of a benchmark with the prompt that `ask` and `eval` send, as the
// tokens of a model, and gold in canonical style as the answer.
//
// A policy that gold breaks would teach that policies do not count. So questions are put into groups that share a prompt
// up to the question, and what the gold queries of a group use although the policy forbids it is Public there; some groups
// have nothing but Public columns. Which questions meet in a group is drawn anew each round, and with it the policies
// that they are seen under.
//
// A model may also be taught to refuse what its policy forbids. The adapter that comes with pccsql is not: what a model never wants is
// never taken away from it, and that is the better sign.
//
// Some databases are kept aside, with all of their questions: to choose by. The dev part is never looked at but for the
// policies, which the benchmark derives from both parts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "suite/gold.h"

namespace pccsql {

struct TrainingOptions {
  size_t rounds = 2;           // how often each question is seen
  size_t group = 16;           // questions that share a prompt, at most
  size_t aside = 10;           // databases of each benchmark
  size_t values = 3;           // example values beside a column, in half of the groups that have a database
  size_t longest_prompt = 2600;  // tokens up to the question; where a schema takes more its questions are left out
  bool refuse = false;  // every other group keeps its policy, and what it forbids is to be refused
  uint64_t seed = 42;
  std::function<void(size_t)> done;  // called with the number of groups so far
};

struct TrainingItem {
  std::string id;               // "spider-train-17"
  std::vector<TokenId> asked;   // what follows the common part of the group's prompts
  std::vector<TokenId> answer;  // and the end of the text
};

struct TrainingGroup {
  std::string db_id;
  bool aside = false;
  size_t round = 0;
  bool all_public = false;
  bool evidence = false;
  size_t values = 0;
  std::vector<TokenId> prompt;
  std::vector<TrainingItem> items;
};

struct TrainingData {
  std::vector<TrainingGroup> groups;
  std::map<std::string, size_t> left_out;  // questions, by reason
  size_t questions = 0;                    // that are in
};

// Of the training part. PRE: `model` can tokenise chats.
Result<TrainingData> training_data(const GoldData& data, const Model& model, const TrainingOptions& options);

// A line of JSON for each group.
std::string to_text(const TrainingData& data);

}  // namespace pccsql
