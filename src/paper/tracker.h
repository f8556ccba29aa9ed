// PaperTracker: the decoder of the paper that this project starts from, to the letter of its appendix B, as a second,
// separate mask. It is what ours is compared with, so it is kept simple, and nothing in it is tuned.
//
// At a column slot a word may stand if it leads to a column of Scope that the role permits; everywhere else the grammar
// of the fragment alone decides. There is no look-ahead, so a text can come to a dead end. Four triggers put it into the
// Refuse state, where no byte may follow:
//   out-of-fragment prefix       a set operation, WITH, a window or CASE begins: at the last letter of its keyword
//   out-of-scope reference …     FROM has closed, and a select list names a column that no table of it has
//   failed terminal validation   what is written can no longer be safe, whatever follows: an unknown table, `*` or
//                                NATURAL over a forbidden column, a name that turned out to mean one
//   empty allowed set …          a column slot is reached, and Allowed is empty; not after COUNT(, where `*` may stand
//
// What the paper leaves open is read in the plainest way:
// - Before a SELECT's own FROM its scope is the whole schema, together with what enclosing FROMs have introduced: else
//   the first column of every query would be refused. "The position where the SELECT-list closes" is the end of FROM,
//   where the scope is known. In ON the scope is what stands left of it.
// - An alias may qualify a column before FROM introduces it (setting `aliases` says which), with any column that some
//   table permits. FROM then has to bear it out.
// - Scope holds columns of the schema. Select aliases and the outputs of derived tables are none, and cannot be named.
// - The aggregates are COUNT, SUM and AVG; everything between their parentheses is Agg, a nested SELECT aside, which
//   begins afresh. MIN and MAX have the role of their clause. In FILTER (WHERE …) the role is Where.
// - GROUP BY and ORDER BY are Sel, as the paper's section 3 says; under profile paper they are not counted, as its
//   figures have it. LIMIT has no column slot. USING is Join.
// - A name that two tables of one FROM hold may be written if one of them permits it; all must, or validation fails.
// - `"x"` is a string where no column in scope has that name; before FROM has closed, where none of the schema has.
// - Table names are not masked. Validation does not run the query: what the database would refuse (ambiguous names,
//   misplaced aggregates) is not looked at.
// Of the settings only profile and aliases count. Bounds: blanks, literals, names, nesting; no comments; one `;` at the
// end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "track/control.h"
#include "paper/scope.h"
#include "track/tracker.h"

namespace pccsql::paper {

enum class PaperTrigger : uint8_t { None, OutOfFragment, OutOfScope, TerminalValidation, EmptyAllowed };
std::string_view to_string(PaperTrigger trigger);  // the paper's words; empty for None

class PaperTracker final : public Tracker {
 public:
  // Keeps references to both: they must outlive it.
  PaperTracker(const Catalog& catalog, const Policy& policy, TrackSettings settings = {});

  PrefixId start() override { return 1; }
  PrefixId push(PrefixId prefix, uint8_t byte) override;
  bool may_end(PrefixId prefix) override { return end_trigger(prefix) == PaperTrigger::None; }
  Key key(PrefixId prefix) override;
  // What closes the open lexeme and frames soonest, with tables that bear out the select list, taken greedily.
  std::optional<std::string> completion(PrefixId prefix) override;
  uint32_t completion_bound(PrefixId prefix) override;
  FreeText free_text(PrefixId prefix) override;
  uint32_t room(PrefixId prefix) override;
  track::Explanation explain(PrefixId prefix) override;
  std::vector<Use> uses(PrefixId prefix) override;
  uint32_t mark() override { return static_cast<uint32_t>(states_.size()); }
  void release(uint32_t mark) override { states_.resize(mark); }
  size_t prefix_bytes() const override { return states_.size() * sizeof(State); }
  size_t kept_bytes() const override;
  // Texts and SELECTs that were met stay until the tracker goes, which is with its generation if they are many.
  void forget() override;

  // Which trigger has put the prefix into the Refuse state; empty: none.
  std::string refusal(PrefixId prefix) const { return std::string(to_string(states_[prefix].refused)); }
  // Which trigger the end of the text would be here; empty: the text is a whole query.
  std::string refusal_at_end(PrefixId prefix) { return std::string(to_string(end_trigger(prefix))); }

 private:
  friend class PaperCompletion;

  static constexpr uint8_t kStringFlag = 16;  // beside the flags of PaperWords: `"x"` that is a string

  struct State {
    LexState lex;
    uint16_t length = 0;  // bytes of the open lexeme
    PaperTrigger refused = PaperTrigger::None;
    bool ended = false;  // `;` was read
    StackId stack = kDeadStack;
    SelectId select = kNoSelect;
    TextId name = kEmptyText;       // an operand's first name, until the next lexeme tells what it is
    uint8_t name_flags = 0;         // what it could be; 0: there is none
    TextId qualifier = kEmptyText;  // after its dot
    uint32_t uses = 0;
  };

  // All of these give false where the text cannot go on so.
  bool read(State& state, const EndedLexeme& lexeme);
  bool settle_name(State& state, Terminal terminal, RuleId rule);
  bool read_name(State& state, const EndedLexeme& lexeme, Slot slot);
  bool read_operand_name(State& state, const EndedLexeme& lexeme, TextId name);
  void read_keyword(PaperSelect& select, Terminal terminal, RuleId rule);
  bool add_reference(State& state, TextId qualifier, TextId name, Need need);
  bool open_paren(State& state, bool aggregate);
  bool close_paren(State& state, RuleId rule);
  bool close_from(State& state);
  bool may_begin(State& state);
  bool word_may_go_on(State& state);
  bool name_may_go_on(const State& state, std::string_view text);
  bool within_bounds(const State& state) const;
  void refuse_if_empty(State& state);
  PaperTrigger end_trigger(PrefixId prefix);
  void explain_names(const State& state, track::Explanation& told);
  void add_uses(State& state, const std::vector<Use>& uses);
  const std::vector<std::string>& keywords(StackId stack);
  bool begins_keyword(StackId stack, std::string_view prefix);
  RuleId rule_of(StackId stack, Terminal terminal) { return control_.events(stack, terminal).back().rule; }
  RuleId rule(std::string_view name) const { return grammar_.rule_id(name); }

  const Grammar& grammar_;
  TextArena texts_;
  Control control_;
  PaperScopes scopes_;
  uint32_t longest_name_ = 0;
  std::vector<State> states_;  // by PrefixId; the first is no prefix
  struct UseNode {
    uint32_t previous = 0;
    Use use;
  };
  std::vector<UseNode> uses_;
  std::map<std::pair<uint32_t, Use>, uint32_t> use_ids_;
  std::unordered_map<StackId, std::vector<std::string>> keywords_;
  struct KeyHash {
    size_t operator()(const Key& key) const { return static_cast<size_t>(key.low); }
  };
  std::unordered_map<Key, std::string, KeyHash> completions_;
  // The rules whose lexemes mean something here.
  RuleId select_item_, from_, join_, join_condition_, using_, where_, filter_, group_by_, having_, order_by_, limit_,
      derived_, operand_, call_;
};

}  // namespace pccsql::paper
