// SqlTracker: our tracker. Admits a byte only if the text with it can still become a permitted query that the database runs.
//
// Bytes become lexemes (lexical.h), lexemes take a step (step.h), and inside a lexeme a set of expected words says which
// bytes lead anywhere. That set is computed once for each state and kept by the state's key, so that a later state with the
// same future finds it again.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "track/step.h"
#include "track/tracker.h"

namespace pccsql::track {

struct NumberKinds {
  bool integer = false, real = false;
  uint8_t most_digits = 0;  // if not 0: of no more digits than these, without hex and exponent
  uint32_t most_value = 0;  // if not 0: an integer from 1 to this
};

// What may come next, at the beginning of a lexeme. Which names, calls and types may is found out first, since inside
// quotes nothing else is asked; the rest when it is.
struct Expectation {
  NumberKinds numbers() const {
    return {terminals[static_cast<size_t>(Terminal::Integer)], terminals[static_cast<size_t>(Terminal::Float)],
            most_digits, most_value};
  }

  bool whole = false;                 // all of it is known; else not yet what is marked [whole], and no keyword is in `bare`
  TerminalSet terminals;              // [whole] of these kinds; End: the text may end
  RankSet bare;                       // words of the world, keywords included
  RankSet quoted;                     // names of the world that may stand in quotes
  std::vector<std::string> own_bare;  // names that the text itself brought, folded
  std::vector<std::string> own_quoted;
  bool free_word = false;    // any new name
  bool free_quoted = false;  // any new name in quotes
  bool free_string = false;  // "…" may be a string
  bool alias = false;        // anything of an alias's shape, to qualify a column
  bool some_alias = false;   // likewise, or to name an item of FROM, except
  std::vector<std::string> taken;
  bool glued = false;       // [whole] no blank before it, in canonical style: around a `.`
  uint8_t most_digits = 0;  // [whole] of NumberKinds
  uint32_t most_value = 0;  // [whole] if not 0: an integer from 1 to this
  // What was found out by asking the schema at large (Store::asked): [whole] lexemes, an integer for what it may be; words of
  // the language other than keywords; new names.
  TerminalSet asked;
  RankSet asked_words;
  bool asked_all = false;  // whether a name may stand here at all
  bool asked_new = false;  // whether it may be any new one
  Key content;              // [whole] of all of it
  uint64_t language = 0;    // [whole] which words of `bare` are the language's: equal in two schemas where these are the same

  void drop_spare();
  size_t bytes() const;
};

struct KeyHash {
  size_t operator()(const Key& key) const { return key.high; }
};

class SqlTracker final : public Tracker {
 public:
  // Keeps a reference.
  explicit SqlTracker(const World& world);

  PrefixId start() override { return 1; }
  PrefixId push(PrefixId prefix, uint8_t byte) override;
  bool may_end(PrefixId prefix) override;
  Key key(PrefixId prefix) override;
  std::optional<std::string> completion(PrefixId prefix) override;
  uint32_t completion_bound(PrefixId prefix) override;
  std::optional<uint32_t> token_bound(PrefixId prefix, TokenCounter& counter) override;
  uint32_t word_tokens(TokenCounter& counter) override;
  uint32_t outputs_tokens(PrefixId prefix, TokenCounter& counter) override;
  FreeText free_text(PrefixId prefix) override;
  uint32_t room(PrefixId prefix) override;
  bool has_parts() const override { return true; }
  PrefixId after_lexeme(PrefixId prefix) override;
  bool takes_word_bytes(PrefixId prefix) override;
  bool words_are_many(PrefixId prefix) override { return expected(prefixes_[prefix].state_id).some_alias; }
  PrefixId before_blanks(PrefixId prefix) override;
  Key word_key(PrefixId prefix) override;
  uint32_t blanks(PrefixId prefix) override;
  BlankRoom blank_room(PrefixId prefix) override;
  WordSet words(PrefixId prefix, bool listed) override;
  PrefixId word_start(PrefixId prefix) override;
  bool rest_takes(uint64_t rest, std::string_view beginning) override;
  std::optional<Key> shape(PrefixId prefix) override;
  bool tells_language() override { return world_.tells_language(); }
  void heed() override { store_.asked = false; }
  bool has_asked() const override { return store_.asked; }
  LanguageWords language_words(PrefixId prefix) override;
  WordSet other_words(PrefixId prefix, const TerminalSet& asked) override;
  Key names_key(PrefixId prefix) override { return expectation_key(prefixes_[prefix].state_id); }
  QuotedNames quoted_names(PrefixId prefix) override;
  std::string open_text(PrefixId prefix) override { return store_.texts.str(prefixes_[prefix].lex.text); }
  void for_each_word_after(std::string_view begun, const std::function<void(std::string_view)>& visit) override;
  uint32_t bytes_left(PrefixId prefix) override;
  bool knows_word(std::string_view text) override { return store_.names.find(text) != kNoName; }
  char closing_quote(PrefixId prefix) override;
  bool knows_name(std::string_view name) override;
  void for_each_own_name(const std::function<void(std::string_view)>& visit) override;
  std::string_view dictionary_word(Rank rank) override { return world_.names().text(world_.word(rank)); }
  char open_quote(PrefixId prefix) override {
    const LexState& lex = prefixes_[prefix].lex;
    return lex.kind == LexState::Kind::Quoted ? static_cast<char>(lex.quote) : '\0';
  }
  uint64_t number_rest(PrefixId prefix) override;
  bool signs_end(PrefixId prefix) override;
  Explanation explain(PrefixId prefix) override;
  std::vector<Use> uses(PrefixId prefix) override;
  uint32_t mark() override;
  void release(uint32_t mark) override;
  size_t prefix_bytes() const override;
  size_t kept_bytes() const override;
  void drop_spare() override;
  void forget() override;

  const World& world() const { return world_; }

 private:
  friend class Completer;
  struct Prefix {
    LexState lex;
    Index state_id = 0;
    Index ended = 0;  // the state after the open lexeme: 0 not computed, kNever none
    bool ended_asked = false;
    Literal literal;
    uint16_t length = 0;  // bytes of the open lexeme
    bool started = false;
    uint32_t node = 1;       // of the dictionary, for an open word or quoted name; 0: no word of it begins so
    Index completion = 0;    // of completions_, the one that the text is on the way of
    uint32_t completed = 0;  // bytes of it that the text has
  };
  static constexpr Index kNever = UINT32_MAX;
  struct StateEntry {
    State state;
    Expectation* expected = nullptr;
    TerminalSet tried, fits, asked;  // lexemes that were asked about one by one
    bool numbers_asked = false;
    bool shaped = false;
    std::optional<Key> shape;
    NumberKinds numbers;
    bool numbers_known = false;
    bool keyed = false, near_keyed = false;
    Key key, near_key;
    Index reads = 0;  // of reads_, the newest from here
  };
  // What was read before: blanks or not, and whatever follows, the same lexeme leads to the same state.
  struct Read {
    Index from = 0;
    Terminal terminal = Terminal::End;
    Index to = 0;
    Index previous = 0;  // from the same state
    bool asked = false;
  };

  const Expectation& expected(Index state_id);
  const Expectation& expected_names(Index state_id);  // of which no more need be known than the names
  Expectation& expectation(Index state_id);
  // Parts of it, found out where it is not known as a whole.
  bool follows(Index state_id, Terminal terminal);
  NumberKinds number_kinds(Index state_id);
  NumberKinds tried_numbers(Index state_id);
  bool takes(const State& state, const Word& word);
  void expect_names(Index state_id, Expectation& expectation);
  Key state_key(Index state_id);
  Key expectation_key(Index state_id);
  // How far ahead two states that hash alike have the same future: to the end of the text; for one lexeme; for one lexeme
  // where an operand must come.
  enum class Ahead : uint8_t { Text, Lexeme, Operand };
  Key hash_of(const State& state, Ahead ahead);
  Key near_key(Index state_id);
  bool names_something(const State& state, NameId name) const;
  Index read(Index state_id, const EndedLexeme& lexeme, const Literal& literal);
  Index read_word(Index state_id, const Word& word);
  Index ended(PrefixId prefix);  // kNever if the open lexeme cannot end here
  bool open_fits(const Prefix& prefix);
  bool word_fits(const Prefix& prefix);
  bool leads_to_no_word(const Prefix& before, uint8_t byte);
  bool quoted_fits(const Prefix& prefix, bool more);
  bool number_fits(const Prefix& prefix, const NumberKinds& kinds) const;
  bool is_canonical_name(const Expectation& next, const std::string& text, Quote quote) const;
  bool alias_free(const Expectation& next, const std::string& text) const;
  bool canonical_byte(const Prefix& before, const Prefix& after, uint8_t byte);
  bool is_alias_prefix(std::string_view folded) const;
  bool alias_fits(const std::string& folded) const;
  PrefixId add(const Prefix& prefix);
  PrefixId pushed(PrefixId prefix, uint8_t byte);
  struct Effort;
  class Shape;
  // Runs `body`; gives whether it has asked the schema at large.
  template <typename Body>
  bool asks(const Body& body) {
    const bool before = std::exchange(store_.asked, false);
    body();
    const bool asked = store_.asked;
    store_.asked |= before;
    return asked;
  }
  Effort effort_of(Index state_id);
  uint32_t lexeme_tokens(TokenCounter& counter);
  std::string catalog_name(TableId table) const;

  const World& world_;
  Store store_;
  std::vector<Prefix> prefixes_;
  std::vector<StateEntry> states_;
  std::vector<Read> reads_ = std::vector<Read>(1);
  std::unordered_map<Key, std::unique_ptr<Expectation>, KeyHash> expectations_;
  size_t expectation_bytes_ = 0;  // of what its entries allocate
  struct Mark {
    Store::Mark store;
    size_t prefixes, states, journal, completions, reads;
  };
  std::vector<Mark> marks_;
  std::unordered_map<Key, std::string, KeyHash> endings_;  // what finishes a text, by the key of where it stands
  size_t ending_bytes_ = 0;
  std::vector<std::string> completions_ = std::vector<std::string>(1);
  RankSet other_words_;            // of other_words()
  uint32_t lexeme_tokens_ = 0;     // of the longest lexeme that a completion is made of, names aside
  std::vector<PrefixId> journal_;  // whose `ended` was computed, in order
};

}  // namespace pccsql::track
