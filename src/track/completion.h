// Completer: writes a short text that finishes a prefix, as the proof that one exists.
//
// First the lexeme that is open, then lexeme by lexeme whatever closes what stands open: a 1 for an operand, the witness for a
// FROM that is owed, commas for outputs that are missing. Each lexeme is read by the tracker itself, so a completion
// that is returned is one that the tracker admits.
#pragma once

#include <optional>
#include <string>

#include "track/sql_tracker.h"

namespace pccsql::track {

class Completer {
 public:
  explicit Completer(SqlTracker& tracker) : tracker_(tracker), store_(tracker.store_) {}

  std::optional<std::string> complete(PrefixId prefix);
  // The first part of it. Nothing missing is an empty text; no way to end the lexeme is nothing.
  std::optional<std::string> finish_lexeme(PrefixId prefix);

 private:
  struct Choice {
    Word word;
    std::string text;
  };
  std::optional<std::string> finish(Index state_id, bool parted);
  bool is_expected(const Expectation& next, uint32_t node, const std::string& text, bool quoted) const;
  std::optional<std::string> shortest_word(const Expectation& next, const std::string& prefix, bool quoted,
                                           Quote quote = Quote::None) const;
  std::optional<Choice> next(Index state_id);
  std::optional<Choice> next_in_from(Step& step);
  bool expects(NameId name);
  bool table_fits(Step& step, const FromChoice& choice);
  std::optional<Choice> next_name();
  std::optional<Choice> fresh_name(Index state_id);
  std::optional<NameId> owed_output(Step& step, bool after_as);
  bool owes_more(Step& step);
  uint16_t frames_open(Index state_id) const;
  bool has_zero(Step& step) const;
  Choice word(Terminal terminal) const;
  Choice name(std::string_view text) const;
  Choice number(Terminal terminal, std::string_view text) const;
  // Whether this kind of lexeme can come next at `at_`. Only what is asked is tried: the whole expectation of each state on the
  // way would cost far more.
  bool allows(Terminal terminal) { return tracker_.follows(at_, terminal); }
  PrefixId pushed(PrefixId prefix, std::string_view text);
  // The first of these that ends the open lexeme.
  template <typename Ways>
  std::optional<std::string> ending(PrefixId prefix, const Ways& ways) {
    for (const std::string_view way : ways) {
      const PrefixId at = pushed(prefix, way);
      if (at != kDead && tracker_.ended(at) != SqlTracker::kNever) return std::string(way);
    }
    return std::nullopt;
  }

  SqlTracker& tracker_;
  Store& store_;
  Index at_ = 0;  // the state that a lexeme is chosen for
};

}  // namespace pccsql::track
