// Matcher: one generation. Says which tokens may come next, takes the one that came, and goes back where asked.
//
// The state is a list of small integers, one a token: going back costs nothing, and the mask never looks at the text
// again. Whatever goes wrong ends in a refusal: then the masks admit the end of the text alone, and there is no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pccsql/result.h>
#include <pccsql/vocabulary.h>

namespace pccsql {

enum class RefusalCause : uint8_t {
  ByChoice,      // the model wrote REFUSE, where the settings let it
  NothingToAsk,  // the policy leaves nothing that could be asked; without look-ahead also: nothing that could follow
  Budget,        // the token budget cannot hold the shortest query, or is used up
  Fault,         // an internal error, or a token that the mask does not admit
};
const char* to_string(RefusalCause cause);  // "by choice", "nothing to ask", "budget", "fault"

struct Refusal {
  RefusalCause cause = RefusalCause::Fault;
  std::string reason;  // for people
};

// One column that the query uses, in one role.
struct ColumnUse {
  std::string table;
  std::string column;
  std::string role;  // "Sel", "Join", "Where", "Agg"
  friend bool operator==(const ColumnUse&, const ColumnUse&) = default;
};

// What a person would want to know about a prefix.
struct Explanation {
  struct Name {
    std::string text;    // as it would be written: `name`, `T1.name`
    std::string detail;  // the table it belongs to and its policy; for a blocked one, why it may not stand here
  };
  std::string clause;                    // "select list", "FROM", "WHERE", …; empty before SELECT
  std::string role;                      // what a column written here would be used as: "Sel", "Agg and Where"
  std::vector<std::string> scope;        // "singer AS T1"; innermost SELECT first
  std::vector<std::string> obligations;  // "T1.name (Sel)": named before a FROM that must supply them
  std::vector<std::string> lexemes;      // keywords, punctuation, kinds of literals that may come next
  std::vector<Name> allowed;             // names that may come next (or be finished, inside a word)
  std::vector<Name> blocked;             // names the catalogue has that may not, and why
  bool may_end = false;                  // the text is a whole query as it stands
};

// Made by Engine::new_matcher(). Moves, does not copy (see fork()). One thread at a time may use a Matcher; different
// ones, forks of each other too, may be used by different threads at once. A moved-from Matcher may only be destroyed
// or assigned to.
class Matcher {
 public:
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;
  ~Matcher();

  // Writes which tokens may come next: bit `id` of `words`, 32 a word, least significant first, 1 = allowed. There must
  // be room for one bit a logit, rounded up to words; all of them are written. Ids beyond the vocabulary are never
  // allowed. End-of-text tokens are allowed only where the text is a whole query, or alone after a refusal. At least one
  // token is always allowed: where none could be, the generation is refused, and the end of the text is allowed.
  //
  // Fewer logits than tokens is an Error: no bit is set then, and the state stays as it was.
  Result<Done> fill_next_token_bitmask(uint32_t* words, size_t logits_width);

  // The model chose `id`. Takes just the tokens that fill_next_token_bitmask allows, whether it was called or not; any
  // other is a step too, into a refusal, and gives false.
  bool accept_token(TokenId id);

  // The text goes on with `bytes`, whatever tokens they would be. One step for rollback(); against the budget it counts
  // as the tokens of a greedy cut. False, and a refusal, where no query could come of it. Empty text is no step.
  bool accept_text(std::string_view bytes);

  // Takes back the last `steps` steps (tokens, or texts), with the refusal or the end that they led to. More than there
  // are: false, and nothing changes. A refusal by an exception inside stays: nothing that was computed is trusted then.
  bool rollback(size_t steps);

  // A second generation with the same text so far. The two are independent from now on, and each may go to its own
  // thread. Costs a copy of the list of steps; what both need of the tracker is shared, under a lock, and what either
  // takes back is freed.
  Matcher fork();

  // The end-of-text token was accepted: the generation is over, as a query or as a refusal.
  bool is_terminated() const;
  bool is_refused() const;
  const Refusal* refusal() const;  // nullptr where is_refused() is false

  // The text so far; empty after a refusal.
  std::string_view text() const;
  // The query: only if the generation is over and was not refused.
  std::optional<std::string> sql() const;
  // Steps so far: what rollback() could take back.
  size_t steps() const;
  // What is left of the budget in tokens; nothing: there is no limit.
  std::optional<uint32_t> tokens_left() const;

  // The longest text that must come next whatever the model wants: at each of its bytes just one byte can follow, and
  // the text cannot end. Empty after a refusal. Callers that tokenise it themselves should know that a model may expect
  // its last bytes to be one token with what follows.
  std::string find_jump_forward_string();

  // Tokens that must come next whatever the model wants: as long as the mask has just one bit. This is the one case in
  // which no other tokenisation exists, so that the canonical one cannot differ; with vocabularies that can write most
  // words in several ways it is rare. An end-of-text token is never among them.
  std::vector<TokenId> find_jump_forward_tokens();

  // After a refusal: empty.
  Explanation explain();
  // Columns used so far, each with its role once, sorted by table and column; names before their FROM are not among
  // them. After a refusal: none.
  std::vector<ColumnUse> uses();

  class Impl;
  explicit Matcher(std::unique_ptr<Impl> impl);
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace pccsql
