// MaskedRun: one generation under a mask, greedy, with a memory of what the model wanted and was not let write.
//
// Some choices that the mask admits are bad ones, and here they are made better, without a second call of the model:
// - where the text has lost its way (lost_way.h) it is taken back to where it did, and goes on with another token;
// - COUNT of a key that may not be counted becomes COUNT(*), so that FROM need not bring another table that has such a column;
// - a table of a FROM gets the alias that its columns were given before it, where no other table could;
// - under --blocked answer, a key that is looked up in a nested query and may not be shown there becomes EXISTS (reworded.h);
// - a join is on keys of each other where the two tables have some (key_joins.h).
// After the policy took something away the text has to come to an end soon: what models then write at length is about nothing.
// What is written is still what the mask admits, token by token.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pccsql/engine.h>
#include <pccsql/matcher.h>

#include "decode/answer.h"
#include "decode/decoder.h"
#include "decode/subject.h"
#include "model/model.h"

namespace pccsql {

class MaskedRun {
 public:
  // None: every choice is the most likely token that the mask admits.
  enum class Care : uint8_t { None, Usual };

  // `budget`: tokens that the text may have. PRE: the sequence holds the prompt; all of these outlive this.
  MaskedRun(Model& model, Sequence& sequence, const DecodeSettings& settings, Subject& subject, const Engine& engine, uint32_t budget,
            const Listener& listener, Answer& answer, Care care);

  // The finished text; nothing: the answer says why.
  std::optional<std::string> text();

  // Where the mask first took away what the model wanted, and where it first did so by policy if that was later. What
  // merely does not fit may be kept from fitting by the policy: a table, or its alias, whose columns were named before
  // it and are closed.
  struct Turn {
    std::vector<TokenId> tokens;  // after the prompt
    std::string text;
    TokenId wanted = 0;
    bool by_policy = false;
  };
  const std::vector<Turn>& turns() const { return turns_; }
  // Rows are counted where a key was to be, and an outer join brings rows without one. There is a turn then.
  bool counts_filled_rows() const { return counts_filled_rows_; }

  // What the model would have written from there on without a mask; nothing where it comes to no end, or fails. Nothing is
  // generated after it.
  std::optional<std::string> draft(const Turn& turn);

 private:
  struct Taken {
    TokenId id = 0;
    size_t begin = 0;  // of its bytes in the text
    bool forced = false;
  };

  // Each gives false where the generation is over; then the answer says why.
  bool step();
  bool fill();
  bool take(TokenId token, bool forced);
  bool refuse_as_matcher();
  bool failed(const Error& error);

  // Nothing: the generation is over, or, with `again_`, was taken back to be gone on with from an earlier place.
  std::optional<TokenId> choose();
  std::optional<TokenId> key_join(std::span<const float> logits, TokenId chosen) const;
  void note_wanted(TokenId wanted);
  // What is written after the policy took away what was wanted seldom comes to anything if it is long.
  void shorten();
  size_t most_backups() const;
  void trace(TraceStep::Kind kind, TokenId token, TokenId wanted, double removed);

  bool is_admitted(TokenId token) const { return (words_[token / 32] >> (token % 32) & 1U) != 0; }
  bool is_barred(TokenId token) const;
  // What was taken from there on is taken back.
  void back_to(size_t token);
  // Goes back where the text has lost its way. Whether it did.
  bool find_way(bool ended);
  // Where something written before keeps what is wanted from being written, and could as well be written otherwise, it is.
  bool make_room(TokenId wanted);
  bool count_rows(TokenId wanted);
  bool counts_closed_key() const;
  bool rename_table(TokenId wanted);
  bool test_existence(TokenId wanted);
  bool rewrite(size_t from, const std::string& text, std::optional<TokenId> wanted);
  std::vector<TokenId> tokens_taken() const;
  // The text as the model goes on with it by itself, from that token on.
  std::optional<std::string> unmasked(std::string text, TokenId token);

  Model& model_;
  Sequence& sequence_;
  const DecodeSettings& settings_;
  Subject& subject_;
  const Engine& engine_;
  const Vocabulary& vocabulary_;
  Matcher matcher_;
  const Listener& listener_;
  Answer& answer_;
  const Care care_;
  std::vector<uint32_t> words_;

  std::vector<Taken> taken_;  // since the prompt
  const size_t prompt_;       // tokens
  // By how many tokens were taken before: what may not be taken there again, and where nothing else may be.
  std::map<size_t, std::vector<TokenId>> barred_;
  bool taken_away_ = false;  // by the policy, and something that was wanted
  bool shortened_ = false;
  size_t backups_ = 0;
  size_t looked_up_ = 0;  // where in the text a nested query began that EXISTS was tried for
  size_t lexemes_seen_ = 0;
  bool again_ = false;
  size_t looked_at_ = 0;
  std::vector<Turn> turns_;
  std::optional<Turn> counted_;  // where a key was to be counted, and rows are
  bool counts_filled_rows_ = false;
};

}  // namespace pccsql
