// The contract of Model and Sequence, on the model that needs no weights: what is evaluated when, what it costs, what
// comes back after a rollback; and greedy chat on top of it.
#include "model/scripted.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace pccsql {
namespace {

std::vector<TokenId> tokens_of(const Model& model, std::string_view text) {
  auto tokens = model.tokenize(text, false);
  EXPECT_TRUE(tokens) << (tokens ? "" : tokens.error().message);
  return tokens ? *tokens : std::vector<TokenId>();
}

std::unique_ptr<Sequence> begun(Model& model, std::string_view prompt) {
  auto sequence = model.new_sequence();
  EXPECT_TRUE(sequence);
  EXPECT_TRUE((*sequence)->set_prompt({tokens_of(model, prompt), 0}));
  return *std::move(sequence);
}

TokenId wanted(Sequence& sequence, const Model& model) {
  const auto logits = sequence.logits();
  EXPECT_TRUE(logits);
  return logits ? greedy_choice(*logits, model.vocabulary()) : 0;
}

TEST(ScriptedModel, TokenisesToTheLongestPieces) {
  const ScriptedModel model(builtin_vocabulary(), {"x"});
  const std::string text = "SELECT name FROM employee WHERE n = 'ä'";
  const auto tokens = tokens_of(model, text);
  EXPECT_EQ(text_of(tokens, model.vocabulary()), text);
  EXPECT_LT(tokens.size(), text.size() / 2);
}

TEST(ScriptedModel, NamesOfControlTokensAreTextUnlessTheyAreToBeParsed) {
  const ScriptedModel model(builtin_vocabulary(), {"x"});
  const std::string text = "a<|endoftext|>";
  EXPECT_EQ(text_of(tokens_of(model, text), model.vocabulary()), text);
  const auto parsed = model.tokenize(text, true);
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 2U);
  EXPECT_TRUE(model.vocabulary().is_end_of_text((*parsed)[1]));
}

TEST(ScriptedModel, WantsItsTextAndThenTheEnd) {
  ScriptedModel model(builtin_vocabulary(), {"SELECT 1"});
  auto sequence = begun(model, "q");
  std::string text;
  for (int i = 0; i < 100; ++i) {
    const TokenId token = wanted(*sequence, model);
    if (model.vocabulary().is_end_of_text(token)) break;
    text += model.vocabulary().bytes(token);
    ASSERT_TRUE(sequence->append(token));
  }
  EXPECT_EQ(text, "SELECT 1");
}

TEST(ScriptedModel, EndsWhereTheTextIsNotItsOwn) {
  ScriptedModel model(builtin_vocabulary(), {"SELECT 1"});
  auto sequence = begun(model, "q");
  ASSERT_TRUE(sequence->append(tokens_of(model, "WITH")));
  EXPECT_TRUE(model.vocabulary().is_end_of_text(wanted(*sequence, model)));
}

TEST(ScriptedModel, PaddingIsNeverChosen) {
  ScriptedModel model(builtin_vocabulary(), {"SELECT 1"}, {.padding = 7});
  auto sequence = begun(model, "q");
  ASSERT_EQ(sequence->logits()->size(), model.vocabulary().size() + 7);
  EXPECT_EQ(model.vocabulary().bytes(wanted(*sequence, model))[0], 'S');
}

TEST(Sequence, IsEvaluatedOnlyWhenLogitsAreWanted) {
  ScriptedModel model(builtin_vocabulary(), {"abc"});
  auto sequence = begun(model, "prompt");
  ASSERT_TRUE(sequence->append(tokens_of(model, "a")));
  EXPECT_EQ(sequence->work().forward_passes, 0U);
  (void)wanted(*sequence, model);
  (void)wanted(*sequence, model);
  EXPECT_EQ(sequence->work().forward_passes, 1U);
  EXPECT_EQ(sequence->work().generated_tokens, 1U);
}

TEST(Sequence, RollsBackToTheSameLogits) {
  ScriptedModel model(builtin_vocabulary(), {"abc"});
  auto sequence = begun(model, "prompt");
  const size_t length = sequence->length();
  const auto before = sequence->logits();
  const std::vector<float> first(before->begin(), before->end());
  ASSERT_TRUE(sequence->append(tokens_of(model, "ab")));
  (void)wanted(*sequence, model);
  sequence->truncate(length);
  EXPECT_EQ(sequence->length(), length);
  const auto after = sequence->logits();
  EXPECT_EQ(std::vector<float>(after->begin(), after->end()), first);
  EXPECT_EQ(sequence->work().discarded_tokens, tokens_of(model, "ab").size());
  EXPECT_EQ(sequence->work().forward_passes, 3U);  // prompt, `ab`, the prompt's last token again
}

TEST(Sequence, TakingBackWhatWasNeverEvaluatedCostsNothing) {
  ScriptedModel model(builtin_vocabulary(), {"abc"});
  auto sequence = begun(model, "prompt");
  (void)wanted(*sequence, model);
  ASSERT_TRUE(sequence->append(tokens_of(model, "x")));
  sequence->truncate(sequence->prompt_length());
  EXPECT_EQ(model.vocabulary().bytes(wanted(*sequence, model))[0], 'a');
  EXPECT_EQ(sequence->work().forward_passes, 1U);
}

TEST(Sequence, NothingIsTakenOffThePrompt) {
  ScriptedModel model(builtin_vocabulary(), {"abc"});
  auto sequence = begun(model, "prompt");
  sequence->truncate(0);
  EXPECT_EQ(sequence->length(), sequence->prompt_length());
}

TEST(Sequence, KeepsTheSharedPartOfAPromptAndNothingElse) {
  ScriptedModel model(builtin_vocabulary(), {"abc"});
  auto sequence = *model.new_sequence();
  uint64_t cached = 0;
  const auto kept = [&](std::string_view prompt, size_t shared) {
    EXPECT_TRUE(sequence->set_prompt({tokens_of(model, prompt), shared}));
    (void)wanted(*sequence, model);
    return sequence->work().cached_prompt_tokens - std::exchange(cached, sequence->work().cached_prompt_tokens);
  };
  EXPECT_EQ(kept("%%%%1?", 4), 0U);
  EXPECT_EQ(kept("%%%%1!", 4), 4U);  // what comes after it is evaluated again, though it is the same
  EXPECT_EQ(kept("%%%%", 4), 3U);    // the last token is wanted for its logits
  EXPECT_EQ(kept("%%%%1", 4), 4U);
  EXPECT_EQ(kept("%%%%1", 3), 0U);  // evaluated with other borders
  EXPECT_EQ(kept("%%%&1", 3), 3U);
  EXPECT_EQ(kept("%%&&1", 3), 0U);
  EXPECT_EQ(kept("%%&&1", 0), 0U);
  EXPECT_EQ(kept("%%&&1", 99), 0U);
  EXPECT_EQ(kept("%%&&1", 99), 4U);
  EXPECT_EQ(sequence->work().calls, 10U);
  EXPECT_EQ(sequence->work().prompt_tokens, 51U);
}

TEST(Sequence, PromptsAndTokensThatCannotBeAreErrors) {
  ScriptedModel model(builtin_vocabulary(), {"abc"}, {.context_size = 6});
  auto sequence = begun(model, "%%%%1");
  const auto id = static_cast<TokenId>(model.vocabulary().size());
  EXPECT_FALSE(sequence->append(id));
  EXPECT_EQ(sequence->length(), 5U);
  ASSERT_TRUE(sequence->append(TokenId{'a'}));
  const auto full = sequence->append(TokenId{'a'});
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("7 are needed"), std::string::npos) << full.error().message;
  EXPECT_EQ(sequence->length(), 6U);

  const auto long_prompt = sequence->set_prompt({tokens_of(model, "%%%%%1"), 0});
  ASSERT_FALSE(long_prompt);
  EXPECT_NE(long_prompt.error().message.find("more than 6 tokens"), std::string::npos) << long_prompt.error().message;
  EXPECT_FALSE(sequence->logits());
  EXPECT_FALSE(sequence->set_prompt({{}, 0}));
  EXPECT_FALSE(sequence->set_prompt({{id}, 0}));
  EXPECT_FALSE(sequence->append(TokenId{'a'}));
  EXPECT_TRUE(sequence->set_prompt({tokens_of(model, "%"), 0}));
  EXPECT_TRUE(sequence->logits());
}

TEST(Sequence, SeveralLiveAtOnceAndCanBeEvaluatedTogether) {
  ScriptedModel model(builtin_vocabulary(), {"abc", "xyz"});
  auto first = begun(model, "p");
  auto second = begun(model, "q");
  ASSERT_TRUE(first->append(tokens_of(model, "a")));
  Sequence* const both[] = {first.get(), second.get()};
  ASSERT_TRUE(model.evaluate(both));
  EXPECT_EQ(first->work().forward_passes, 1U);
  EXPECT_EQ(model.vocabulary().bytes(wanted(*first, model))[0], 'b');
  EXPECT_EQ(model.vocabulary().bytes(wanted(*second, model))[0], 'x');
  EXPECT_EQ(second->work().forward_passes, 1U);
}

TEST(Model, TheSharedPartOfAPromptDoesNotDependOnTheQuestion) {
  const ScriptedModel model(builtin_vocabulary(), {"x"});
  const std::string stable = "CREATE TABLE employee\nQuestion:";
  const auto prompt = [&](const std::string& question) {
    const std::vector<Message> messages{{Speaker::System, "rules"}, {Speaker::User, stable + question}};
    return *model.chat_prompt(messages, stable.size());
  };
  const Prompt one = prompt(" Who earns most?");
  const Prompt other = prompt("\nlist all");
  EXPECT_EQ(one.shared, other.shared);
  const std::string shared = text_of(std::span(one.tokens).first(one.shared), model.vocabulary());
  EXPECT_EQ(shared, "[system]\nrules\n[user]\nCREATE TABLE employee\nQuestion:");
  EXPECT_TRUE(std::equal(one.tokens.begin(), one.tokens.begin() + static_cast<std::ptrdiff_t>(one.shared),
                         other.tokens.begin()));
}

TEST(GreedyChat, WritesUntilTheEnd) {
  ScriptedModel model(builtin_vocabulary(), {"SELECT 1", "REFUSE"});
  GreedyChat chat(model);
  const std::vector<Message> messages{{Speaker::System, "rules"}, {Speaker::User, "q"}};
  std::string streamed;
  CompletionOptions options;
  options.on_text = [&](std::string_view text) { streamed += text; };
  options.stable_bytes = 1;
  const auto first = chat.complete(messages, options);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "SELECT 1");
  EXPECT_EQ(streamed, "SELECT 1");
  EXPECT_TRUE(first->finished);
  EXPECT_EQ(first->work.calls, 1U);
  EXPECT_EQ(first->work.forward_passes, first->work.generated_tokens + 1);
  const auto second = chat.complete(messages, options);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "REFUSE");
  EXPECT_GT(second->work.cached_prompt_tokens, second->work.prompt_tokens / 2);
}

TEST(GreedyChat, StopsAtTheMostTokensAndAtTheEndOfTheContext) {
  ScriptedModel model(builtin_vocabulary(), {std::string(100, '%')}, {.context_size = 40});
  GreedyChat chat(model);
  const std::vector<Message> messages{{Speaker::User, "%"}};
  CompletionOptions options;
  options.max_tokens = 3;
  auto cut = chat.complete(messages, options);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->text, "%%%");
  EXPECT_FALSE(cut->finished);
  options.max_tokens = 1000;
  cut = chat.complete(messages, options);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->work.prompt_tokens + cut->work.generated_tokens, 40U);
  EXPECT_FALSE(cut->finished);
}

TEST(GreedyChat, AFaultAtAnyCallOfTheModelIsAnError) {
  const std::vector<Message> messages{{Speaker::User, "q"}};
  size_t calls = 0;
  {
    ScriptedModel model(builtin_vocabulary(), {"SELECT 1"});
    GreedyChat chat(model);
    ASSERT_TRUE(chat.complete(messages, {}));
    calls = model.fallible_calls();
  }
  ASSERT_GE(calls, 5U);
  for (size_t n = 1; n <= calls; ++n) {
    ScriptedModel model(builtin_vocabulary(), {"SELECT 1"});
    model.fail_from_call(n);
    GreedyChat chat(model);
    const auto failed = chat.complete(messages, {});
    ASSERT_FALSE(failed) << n;
    EXPECT_NE(failed.error().message.find("call " + std::to_string(n)), std::string::npos);
  }
}

TEST(GreedyChat, IsStoppedByTheFlag) {
  ScriptedModel model(builtin_vocabulary(), {std::string(100, '%')});
  GreedyChat chat(model);
  std::atomic<bool> stop = false;
  chat.stop_on(&stop);
  CompletionOptions options;
  size_t pieces = 0;
  options.on_text = [&](std::string_view) { stop = ++pieces == 4; };
  const std::vector<Message> messages{{Speaker::User, "q"}};
  EXPECT_FALSE(chat.complete(messages, options));
  EXPECT_EQ(pieces, 4U);
  stop = false;
  pieces = 100;
  EXPECT_TRUE(chat.complete(messages, options));
}

TEST(GreedyChoice, FindsTheHighestWhereverItStands) {
  const Vocabulary vocabulary = builtin_vocabulary();
  for (TokenId best = 0; best < vocabulary.size(); ++best) {
    std::vector<float> logits(vocabulary.size(), -3.0F);
    logits[best] = -2;
    ASSERT_EQ(greedy_choice(logits, vocabulary), best);
  }
  const std::vector<float> lowest(vocabulary.size(), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(greedy_choice(lowest, vocabulary), 0U);
}

TEST(GreedyChoice, OfEqualsTakesTheLowestId) {
  const Vocabulary vocabulary = builtin_vocabulary();
  std::vector<float> logits(vocabulary.size() + 3, -1.0F);
  logits[7] = logits[9] = 2;
  logits.back() = 100;
  EXPECT_EQ(greedy_choice(logits, vocabulary), 7U);
}

TEST(ScriptedChat, AnswersInOrderAndRemembersWhatItWasAsked) {
  ScriptedChat chat({"one", "two"});
  for (const char* expected : {"one", "two", "two"}) {
    const std::vector<Message> messages{{Speaker::User, expected}};
    const auto answer = chat.complete(messages, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->text, expected);
  }
  ASSERT_EQ(chat.asked().size(), 3U);
  EXPECT_EQ(chat.asked()[1][0].text, "two");
  chat.fail_from_call(4);
  EXPECT_FALSE(chat.complete(std::vector<Message>{{Speaker::User, "x"}}, {}));
}

}  // namespace
}  // namespace pccsql
