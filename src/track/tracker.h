// Tracker: the incremental judge. Knows, after any prefix of a text, whether and how it can still be finished.
//
// A prefix is a small integer: copying a state, going back to an older one and comparing are all free. Two trackers
// stand behind this interface: ours (sql_tracker.h), which admits a byte only if the text with it can still become a
// permitted query that the database runs, and the paper's (paper/tracker.h), which masks column slots and refuses at
// a dead end. Neither knows tokens.
#pragma once

#include <bitset>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "policy/policy.h"
#include "syntax/grammar.h"
#include "track/word_trie.h"

namespace pccsql::track {

enum class Aliases : uint8_t { Short, Any };    // what may qualify a column before FROM has introduced it
enum class Style : uint8_t { Any, Canonical };  // Canonical: one form for each thing, docs/decoder.md says which

inline constexpr int kDeepest = 78;          // of the database's parser stack of 100
inline constexpr uint16_t kMostTables = 60;  // of a SELECT: of the database's 64, counted through derived tables

struct TrackSettings {
  Language language = Language::Full;
  Profile profile = Profile::Strict;
  bool lookahead = true;       // off: a name is admitted without asking whether some FROM can supply it
  bool derived_names = false;  // a name before FROM may be one that only a derived table will introduce
  Aliases aliases = Aliases::Short;
  Style style = Style::Any;
  // Less where tests look at what happens near them.
  uint16_t most_tables = kMostTables;
  int deepest = kDeepest;
};

using PrefixId = uint32_t;
inline constexpr PrefixId kDead = 0;

// Equal keys mean equal futures, in every tracker made from one world: what a cache across generations may use.
struct Key {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const Key&, const Key&) = default;
};

// Inside free text nearly every byte may follow, and the same ones wherever it stands.
enum class FreeText : uint8_t {
  None,
  String,   // inside '…'
  NewName,  // inside a bare word that introduces a name, whatever it will be
  Quoted,   // inside a quoted name that introduces a name
};

struct Use {
  ColumnRef column;
  Role role = Role::Sel;
  friend auto operator<=>(const Use& a, const Use& b) {
    return std::tuple(a.column.table, a.column.column, a.role) <=> std::tuple(b.column.table, b.column.column, b.role);
  }
  friend bool operator==(const Use& a, const Use& b) { return a.column == b.column && a.role == b.role; }
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
};

// What may begin with a letter or a digit between two lexemes, or go on with one inside a word or a quoted name.
struct WordSet {
  // The remaining bytes of each dictionary word that may stand here, none where the open word may end; owned by the World.
  std::vector<std::string_view> known;
  // Or, instead: the words that are `allowed`, from this node of the dictionary on. In any case.
  const WordTrie* trie = nullptr;
  const RankSet* allowed = nullptr;
  uint32_t node = 0;
  // Where that is all of the dictionary: those of them that are the language's, and a number for these which is the same in
  // every schema.
  const RankSet* language_words = nullptr;
  uint64_t language = 0;
  bool any_case = true;                 // letters of `known` stand for both cases
  std::vector<std::string> own;         // likewise, of names that the text brought; always in any case
  std::string begun;                    // what there is of the open word
  // Besides: words and numbers that rest_takes() takes. Equal values take equal ones.
  uint64_t rest = 0;
  uint64_t schema_rest = 0;  // likewise; what these take is another matter for each schema
  uint32_t new_name = 0;  // of `rest`: any letters and digits go on the open word; bytes that it surely has room for
  bool more = false;      // and some that only push() can tell; also where none of this is known
  bool any_word = false;  // a new name of any letters may stand here
};

// Of the words that may begin between two lexemes, those that are the language's and no name of the schema.
struct LanguageWords {
  const WordTrie* trie = nullptr;
  RankSet words;        // but for those that the schema must be asked about
  uint64_t number = 0;  // the same in every schema where `words` are the same
  std::bitset<kTerminals> asked;  // keywords that it must be asked about
  bool numbers_asked = false;     // and about numbers: see number_rest()
  bool all_asked = false;         // it must be asked about more than these
  bool new_asked = false;         // and whether any new name may begin there: it is not in `rest`, but in that of other_words()
  // As in WordSet.
  uint64_t rest = 0;
  uint32_t new_name = 0;
  bool any_word = false;
  Key names;  // equal for two places after one state: the same names may begin there
};

// What may stand in quotes between two lexemes, in any case.
struct QuotedNames {
  const RankSet* allowed = nullptr;  // words of the dictionary
  std::vector<std::string> own;      // names that the text brought
  uint64_t rest = 0;                 // besides: names that rest_takes() takes
  bool any_new = false;              // or any name at all
  bool string = false;               // or, in double quotes, a string
};

// How many tokens a text takes at most, for whoever writes tokens.
class TokenCounter {
 public:
  virtual ~TokenCounter() = default;
  virtual uint32_t tokens(std::string_view text) = 0;
};

class Tracker {
 public:
  virtual ~Tracker() = default;

  virtual PrefixId start() = 0;
  // The text goes on with `byte`; kDead if no permitted query could come of it.
  virtual PrefixId push(PrefixId prefix, uint8_t byte) = 0;
  // Whether the text is a whole query as it stands.
  virtual bool may_end(PrefixId prefix) = 0;
  virtual Key key(PrefixId prefix) = 0;
  // A text that finishes the prefix. A budget admits a token only if `token_bound` after it still fits. INVARIANT: after the first
  // byte of it, what remains of it (or something no longer) is the completion again. Nothing: a dead end, which only a
  // tracker without look-ahead can have.
  virtual std::optional<std::string> completion(PrefixId prefix) = 0;
  virtual uint32_t completion_bound(PrefixId prefix) = 0;  // on its length
  // A bound on the tokens of completion() that is quick to find: it may be far too large, never too small. Nothing, where a
  // tracker has none but the completion itself.
  virtual std::optional<uint32_t> token_bound(PrefixId, TokenCounter&) { return std::nullopt; }
  // How many more than that are needed, at most, once a word, name or string has been begun there, or written.
  virtual uint32_t word_tokens(TokenCounter&) { return 0; }
  // And how many beyond those, where a word can ask for as many outputs again as there are: a set operation.
  virtual uint32_t outputs_tokens(PrefixId, TokenCounter&) { return 0; }
  virtual FreeText free_text(PrefixId prefix) = 0;
  // How many more bytes the open literal, name or run of blanks may have; what is longer must be judged byte by byte.
  virtual uint32_t room(PrefixId prefix) = 0;

  // For masks that are put together from parts. A tracker that has none leaves them as they are.
  virtual bool has_parts() const { return false; }
  // Where the open lexeme has ended and nothing came after it; the prefix itself between lexemes; kDead if it cannot end.
  virtual PrefixId after_lexeme(PrefixId) { return kDead; }
  // Whether a letter or digit that came next would belong to the open lexeme.
  virtual bool takes_word_bytes(PrefixId) { return true; }
  // Whether the words that may begin here are more than a WordSet can tell.
  virtual bool words_are_many(PrefixId) { return false; }
  // Between lexemes: equal keys, equal words().
  virtual Key word_key(PrefixId) { return {}; }
  // Between lexemes, after blanks: the same place before them. kDead elsewhere.
  virtual PrefixId before_blanks(PrefixId) { return kDead; }
  // Between lexemes: how many blanks there are, as far as more of them may come.
  virtual uint32_t blanks(PrefixId) { return 0; }
  // Likewise: how many more may come, and whether these must be spaces.
  struct BlankRoom {
    uint32_t most = 0;
    bool spaces = false;
  };
  virtual BlankRoom blank_room(PrefixId) { return {}; }
  // `listed`: what is known, as a list.
  virtual WordSet words(PrefixId, [[maybe_unused]] bool listed = true) { return {}; }
  // Inside a word, a quoted name or a string: where it began. kDead elsewhere.
  virtual PrefixId word_start(PrefixId) { return kDead; }
  // Whether a word or number that begins so is one of `rest`. Once false, false for everything that begins so.
  virtual bool rest_takes(uint64_t, std::string_view) { return false; }

  // For parts of masks that are the same in every schema. Equal shapes between lexemes: the same words of the language, signs
  // and literals may follow, one after the other, and where names may come these have one key in LanguageWords::names; but for
  // lexemes of which has_asked() says, after heed(), that the schema at large was asked. Nothing: this prefix has none.
  virtual std::optional<Key> shape(PrefixId) { return std::nullopt; }
  // Whether a shape can be learned from this schema: no name of it is a word of the language, too.
  virtual bool tells_language() { return false; }
  virtual void heed() {}
  virtual bool has_asked() const { return false; }
  virtual LanguageWords language_words(PrefixId) { return {}; }
  // The other words, those of `asked` among them. Good until the next call.
  virtual WordSet other_words(PrefixId, [[maybe_unused]] const std::bitset<kTerminals>& asked) { return {}; }
  // WordSet::rest of the numbers that may begin there.
  virtual uint64_t number_rest(PrefixId) { return 0; }
  // LanguageWords::names, where nothing else is asked.
  virtual Key names_key(PrefixId) { return {}; }
  // Between lexemes: what may stand in quotes there. Good until the next call.
  virtual QuotedNames quoted_names(PrefixId) { return {}; }
  // A word of the dictionary, folded.
  virtual std::string_view dictionary_word(Rank) { return {}; }
  // Whether the schema or the text has anything of this name, in any case.
  virtual bool knows_name(std::string_view) { return true; }
  // What is written of the open word or quoted name.
  virtual std::string open_text(PrefixId) { return {}; }
  // What is missing of the words that begin so, in any case and with something missing: of the dictionary, and as below.
  virtual void for_each_word_after(std::string_view, const std::function<void(std::string_view)>&) {}
  // Inside a new name or a quoted string, exactly: how many more bytes it may get.
  virtual uint32_t bytes_left(PrefixId) { return 0; }
  // Whether any word or name is called so, in any case.
  virtual bool knows_word(std::string_view) { return true; }
  // The quote that has just closed a string or a name, and doubled would not; 0: none has.
  virtual char closing_quote(PrefixId) { return 0; }
  // Names that the text brought, and perhaps others that were asked about.
  virtual void for_each_own_name(const std::function<void(std::string_view)>&) {}
  // The quote with which the quoted name began that it stands in; 0: it stands in none.
  virtual char open_quote(PrefixId) { return 0; }
  // Whether any sign or blank that came next would not belong to the open lexeme, but for a point after digits.
  virtual bool signs_end(PrefixId) { return false; }

  virtual Explanation explain(PrefixId prefix) = 0;
  // Columns used so far, each with its role once, sorted; names before their FROM are not among them.
  virtual std::vector<Use> uses(PrefixId prefix) = 0;

  // What was made after `mark()` is forgotten by `release(mark)`: its prefixes must not be used again. `mark()` right after
  // `release(mark)` gives that mark again.
  virtual uint32_t mark() = 0;
  virtual void release(uint32_t mark) = 0;

  // Bytes of the prefixes that were made and not released. Quick to tell, as is the next.
  virtual size_t prefix_bytes() const { return 0; }
  // Bytes of all else that it has found out on the way, and of room that stands empty.
  virtual size_t kept_bytes() const { return 0; }
  // Gives up what is quickly made again; or all that it can of that. Prefixes and marks stay good, and every answer about them stays the
  // same.
  virtual void drop_spare() {}
  virtual void forget() {}
};

}  // namespace pccsql::track
