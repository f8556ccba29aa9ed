// How much a completion takes at most, counted instead of written: what closes each thing that is open, and the FROM that is
// owed, by one question to the search. The completion itself is tried lexeme by lexeme; a mask near the end of a budget
// needs this for each of hundreds of tokens.
#include <algorithm>

#include "track/completion.h"
#include "track/sql_tracker.h"

namespace pccsql::track {
namespace {

// Lexemes that end what a frame holds, once what is inside it has ended.
uint32_t closing_lexemes(const Frame& frame) {
  switch (frame.kind) {
    case Frame::Expr:
      return 5;  // an operand, or `.` and a name; `AND x` of BETWEEN
    case Frame::Paren:
    case Frame::InSet:
    case Frame::Exists:
    case Frame::Term:
      return 3;
    case Frame::Call: {
      const uint32_t missing = frame.call.function == nullptr || frame.call.arguments >= frame.call.function->least
                                   ? 0
                                   : uint32_t{frame.call.function->least} - frame.call.arguments;
      return 2 + 2 * missing + (frame.call.over != Call::None ? 4 : 0);  // OVER ()
    }
    case Frame::Filter:
      return 5;  // (WHERE x)
    case Frame::Case:
      return 7;  // WHEN x THEN x END
    case Frame::Cast:
      return 6;  // x AS INT )
    case Frame::Window:
      return 24;  // bounds of a frame, of long words
    case Frame::CteHead:
      return 12;  // (x) AS (SELECT 1), and what uses it
    case Frame::DerivedTable:
      return 5;
  }
  return 12;
}

// Of a name that holds quotes: they are doubled, which cuts it into other tokens.
uint32_t tokens_in_quotes(std::string_view text, TokenCounter& counter) {
  uint32_t most = 0;
  for (const char quote : {'"', '`'}) {
    if (text.find(quote) == std::string_view::npos) continue;
    std::string written{' ', quote};
    for (const char c : text) written.append(c == quote ? 2 : 1, c);
    most = std::max(most, counter.tokens(written + quote));
  }
  return most;
}

}  // namespace

struct SqlTracker::Effort {
  uint32_t lexemes = 0;
  std::vector<NameId> names;
};

SqlTracker::Effort SqlTracker::effort_of(Index id) {
  Effort effort;
  const State& state = states_[id].state;
  const Step step(store_, state);
  effort.lexemes = 2;
  const Level& inner = step.level();
  if (inner.branches == 0) effort.lexemes += 10;  // in WITH: x AS (SELECT 1) SELECT
  if (inner.settled && store_.control.viable(state.stack)[static_cast<size_t>(Terminal::kw_SELECT)]) {
    effort.lexemes += 4 + 2 * uint32_t{inner.width};  // after UNION
  }
  Index frame = state.frame;
  uint32_t open = state.open;
  bool in_body = false;  // of a CTE, whose level knows how many outputs it has
  const std::vector<std::optional<Witness>> witnesses = step.witnesses();
  size_t further = 0;
  for (Index at = state.level; at != 0; at = store_.levels[at].parent) {
    const Level level = store_.levels[at];
    const std::optional<Witness>& witness = witnesses[further++];
    const auto add = [&](NameId name) {
      if (name != kNoName) effort.names.push_back(name);
    };
    for (; open > 0; --open, frame = store_.frames[frame].below) {
      const Frame& f = store_.frames[frame];
      effort.lexemes += closing_lexemes(f);
      if (f.kind == Frame::CteHead && !in_body) {  // as many outputs as it has names
        effort.lexemes += 2 * store_.name_lists[level.declared].count;
      }
      in_body = false;
      if (f.kind == Frame::Expr && !level.settled) {  // what qualifies a name must come again in FROM
        add(f.name.name);
        add(f.name.qualifier);
      }
    }
    open = level.outer_open;
    in_body = level.kind == Level::Cte;
    effort.lexemes += level.kind == Level::Statement ? 2 : 4;
    if (step.owes_group(level)) effort.lexemes += 3;  // GROUP BY NULL
    if (level.settled) continue;
    const auto items = store_.items[level.items].count;
    const uint32_t width = std::max<uint32_t>(level.width, 1);
    if (level.star) {
      effort.lexemes += 8 * width;
    } else {
      effort.lexemes += items < width ? 2 * (width - items) : 0;
    }
    if (!witness) continue;
    effort.lexemes += 3;
    add(witness->open_name);
    for (const NameId name : witness->open_merged) add(name);
    effort.lexemes += 2 * static_cast<uint32_t>(witness->open_merged.size());
    for (const FromChoice& choice : witness->from) {
      effort.lexemes += 9 + 2 * static_cast<uint32_t>(choice.merged.size()) +
                        4 * static_cast<uint32_t>(choice.outputs.size()) + (choice.source == nullptr ? 6 : 0);
      if (choice.source != nullptr) add(choice.source->name);
      add(choice.alias);
      for (const NameId name : choice.merged) add(name);
      for (const NameId name : choice.outputs) add(name);
    }
  }
  return effort;
}

uint32_t SqlTracker::lexeme_tokens(TokenCounter& counter) {
  if (lexeme_tokens_ != 0) return lexeme_tokens_;
  for (const std::string_view text : {" SELECT", " NULL", " FROM", " JOIN", " LEFT", " USING", " WHERE", " THEN", " WHEN",
                                      " END", " AND", " AS", " BY", " (", ")", ",", " +", " x"}) {
    lexeme_tokens_ = std::max(lexeme_tokens_, counter.tokens(text));
  }
  lexeme_tokens_ *= 2;  // some are longer: OVER, '', 1.5
  return lexeme_tokens_;
}

// What one word can bring: CASE or a window to be finished, or one table more in FROM, joined by a name or two.
uint32_t SqlTracker::word_tokens(TokenCounter& counter) {
  constexpr uint32_t kLexemes = 10, kNames = 3, kOwnName = 8;
  uint32_t longest = kOwnName;
  for (Rank rank = 0; rank < world_.words(); ++rank) {
    for (const std::string_view text : world_.spellings(world_.word(rank), false)) {
      longest = std::max(longest, counter.tokens(text) + 3);
    }
  }
  return kLexemes * lexeme_tokens(counter) + kNames * longest;
}

uint32_t SqlTracker::outputs_tokens(PrefixId id, TokenCounter& counter) {
  const State& state = states_[prefixes_[id].state_id].state;
  const Step step(store_, state);
  int widest = 0;
  for (Index at = state.level; at != 0; at = store_.levels[at].parent) {
    const Level& level = at == state.level ? step.level() : store_.levels[at];
    widest = std::max({widest, int{level.width}, step.width_now(level) + 1});  // with the item at hand
  }
  return 2 * static_cast<uint32_t>(widest) * lexeme_tokens(counter);
}

std::optional<uint32_t> SqlTracker::token_bound(PrefixId id, TokenCounter& counter) {
  constexpr uint32_t kNone = UINT32_MAX;
  if (id == kDead) return kNone;
  const uint32_t mark = this->mark();
  uint32_t bound = kNone;
  if (const auto rest = Completer(*this).finish_lexeme(id)) {
    PrefixId at = id;
    for (const char c : *rest) at = push(at, static_cast<uint8_t>(c));
    const Index state_id = at == kDead ? kNever : ended(at);
    if (state_id != kNever) {
      const Effort effort = effort_of(state_id);
      uint64_t sum = counter.tokens(*rest) + uint64_t{effort.lexemes} * lexeme_tokens(counter);
      for (const NameId name : effort.names) {
        const std::string_view text = name < world_.names().size() ? world_.canonical(name) : store_.names.text(name);
        sum += std::max(counter.tokens(text) + 3, tokens_in_quotes(text, counter));  // with a blank, and quotes
      }
      bound = static_cast<uint32_t>(std::min<uint64_t>(sum, kNone - 1));
    }
  }
  release(mark);
  return bound;
}

}  // namespace pccsql::track
