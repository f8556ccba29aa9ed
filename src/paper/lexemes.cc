// What each lexeme does to the paper's state: clauses, scopes, references, and the triggers that a lexeme can set off.
#include <algorithm>

#include "paper/tracker.h"

namespace pccsql::paper {
namespace {

using Words = PaperWords;

constexpr uint32_t kDeepestStack = 200;
constexpr uint8_t kMostParens = 60;

PaperTrigger trigger_of(PaperScopes::Answer answer) {
  if (answer == PaperScopes::Answer::OutOfScope) return PaperTrigger::OutOfScope;
  return answer == PaperScopes::Answer::Forbidden ? PaperTrigger::TerminalValidation : PaperTrigger::None;
}

}  // namespace

bool PaperTracker::read(State& state, const EndedLexeme& lexeme) {
  const Terminal terminal = control_.read_as(state.stack, lexeme, texts_);
  if (terminal == Terminal::Illegal || state.ended) return false;
  const StackId next = control_.read(state.stack, terminal);
  if (next == kDeadStack || control_.depth(next) > kDeepestStack) return false;
  for (const Event& event : control_.events(state.stack, terminal)) {
    if (event.kind == Event::Enter && !grammar_.rules()[event.rule].beyond.empty()) {
      state.refused = PaperTrigger::OutOfFragment;
      return true;
    }
  }
  const RuleId rule = rule_of(state.stack, terminal);
  const Slot slot = control_.name_slot(state.stack);
  const std::string called = terminal == Terminal::LeftParen && rule == call_ ? texts_.str(state.name) : "";
  const bool count = called == "count";
  if (!settle_name(state, terminal, rule)) return false;
  if (state.refused != PaperTrigger::None) return true;
  state.stack = next;

  switch (terminal) {
    case Terminal::Name:
      if (!read_name(state, lexeme, slot)) return false;
      break;
    case Terminal::LeftParen:
      if (!open_paren(state, count || called == "sum" || called == "avg")) return false;
      break;
    case Terminal::RightParen:
      close_paren(state, rule);
      break;
    case Terminal::Semicolon:
      close_from(state);
      state.ended = true;
      break;
    case Terminal::Star:
      if (rule == select_item_ || rule == operand_) add_reference(state, state.qualifier, kEmptyText, Need::Sel);
      if (rule == operand_) state.qualifier = kEmptyText;
      break;
    case Terminal::kw_SELECT: {
      PaperSelect nested;
      nested.parent = state.select;
      state.select = scopes_.intern(std::move(nested));
      break;
    }
    default: {
      const bool ends_from =
          rule == where_ || rule == group_by_ || rule == having_ || rule == order_by_ || rule == limit_;
      if (ends_from) close_from(state);
      if (ends_from || rule == from_ || rule == join_ || rule == join_condition_ || rule == using_ || rule == filter_) {
        PaperSelect select = scopes_.at(state.select);
        read_keyword(select, terminal, rule);
        state.select = scopes_.intern(std::move(select));
      }
      break;
    }
  }
  if (state.refused == PaperTrigger::None && !count) refuse_if_empty(state);
  return true;
}

void PaperTracker::read_keyword(PaperSelect& select, Terminal terminal, RuleId rule) {
  const auto is = [&](Terminal wanted, RuleId in) { return terminal == wanted && rule == in; };
  if (is(Terminal::kw_FROM, from_)) {
    select.clause = PaperClause::From;
    select.from_begun = true;
  } else if (is(Terminal::kw_NATURAL, join_)) {
    select.natural = true;
  } else if (rule == join_) {
    select.clause = PaperClause::From;
  } else if (is(Terminal::kw_ON, join_condition_)) {
    select.clause = PaperClause::On;
  } else if (is(Terminal::kw_USING, using_)) {
    select.clause = PaperClause::Using;
  } else if (is(Terminal::kw_WHERE, where_)) {
    select.clause = PaperClause::Where;
  } else if (is(Terminal::kw_WHERE, filter_)) {
    select.filter = select.parens;
  } else if (is(Terminal::kw_GROUP, group_by_)) {
    select.clause = PaperClause::GroupBy;
  } else if (is(Terminal::kw_HAVING, having_)) {
    select.clause = PaperClause::Having;
  } else if (is(Terminal::kw_ORDER, order_by_)) {
    select.clause = PaperClause::OrderBy;
  } else if (is(Terminal::kw_LIMIT, limit_)) {
    select.clause = PaperClause::Limit;
  }
}

// The lexeme after an operand's first name tells whether that was a qualifier, a function or a column.
bool PaperTracker::settle_name(State& state, Terminal terminal, RuleId rule) {
  if (state.name_flags == 0) return true;
  const uint8_t could_be = state.name_flags;
  const TextId name = state.name;
  state.name = kEmptyText;
  state.name_flags = 0;
  if (terminal == Terminal::Dot && rule == operand_) {
    state.qualifier = name;
    return (could_be & Words::Qualifier) != 0;
  }
  if (terminal == Terminal::LeftParen && rule == call_) return (could_be & Words::Function) != 0;
  if (could_be & kStringFlag) return true;
  return (could_be & Words::Column) != 0 && add_reference(state, kEmptyText, name, scopes_.need(state.select));
}

bool PaperTracker::read_name(State& state, const EndedLexeme& lexeme, Slot slot) {
  const TextId name = texts_.folded(lexeme.text);
  if (slot == Slot::Name) return read_operand_name(state, lexeme, name);
  if (slot == Slot::Column) {
    const TextId qualifier = state.qualifier;
    const Need need = scopes_.need(state.select);
    state.qualifier = kEmptyText;
    const uint8_t flags = scopes_.words(state.select, need, qualifier).find(texts_.str(name));
    return (flags & Words::Column) != 0 && add_reference(state, qualifier, name, need);
  }
  PaperSelect select = scopes_.at(state.select);
  if (slot == Slot::Table) {
    const TableId table = scopes_.find_table(name);
    if (table == kDerivedTable) {
      state.refused = PaperTrigger::TerminalValidation;
      return true;
    }
    select.items.push_back({table, name, select.natural});
    select.natural = false;
  } else if (select.clause == PaperClause::From && (slot == Slot::Alias || slot == Slot::NewName)) {
    select.items.back().name = name;
  }
  state.select = scopes_.intern(std::move(select));
  return true;
}

bool PaperTracker::read_operand_name(State& state, const EndedLexeme& lexeme, TextId name) {
  const std::string text = texts_.str(name);
  const bool bare = lexeme.quote == Quote::None;
  uint8_t flags = scopes_.words(state.select, scopes_.need(state.select)).find(text);
  flags &= static_cast<uint8_t>(Words::Column | Words::Qualifier | (bare ? Words::Function : 0));
  if (scopes_.may_introduce(state.select, text)) flags |= Words::Qualifier;
  const bool string =
      lexeme.quote == Quote::Double && !(flags & Words::Column) && !scopes_.in_scope(state.select, name);
  if (string) flags |= kStringFlag;
  state.name = name;
  state.name_flags = flags;
  return flags != 0;
}

bool PaperTracker::add_reference(State& state, TextId qualifier, TextId name, Need need) {
  PaperSelect select = scopes_.at(state.select);
  const PaperReference reference{qualifier, name, need};
  if (select.from_closed) {
    std::vector<Use> uses;
    state.refused = trigger_of(scopes_.resolve(select, reference, &uses));
    add_uses(state, uses);
    return true;
  }
  auto& known = select.references;
  const auto place = std::lower_bound(known.begin(), known.end(), reference);
  if (place == known.end() || *place != reference) known.insert(place, reference);
  state.select = scopes_.intern(std::move(select));
  return true;
}

bool PaperTracker::open_paren(State& state, bool aggregate) {
  PaperSelect select = scopes_.at(state.select);
  if (select.parens == kMostParens) return false;
  ++select.parens;
  select.aggregates = select.aggregates << 1 | (aggregate ? 1u : 0u);
  state.select = scopes_.intern(std::move(select));
  return true;
}

bool PaperTracker::close_paren(State& state, RuleId rule) {
  if (scopes_.at(state.select).parens == 0) {
    close_from(state);
    if (state.refused != PaperTrigger::None) return true;
    state.select = scopes_.at(state.select).parent;
  }
  PaperSelect select = scopes_.at(state.select);
  if (select.filter == select.parens) select.filter = 0;
  --select.parens;
  select.aggregates >>= 1;
  if (rule == derived_) {
    select.items.push_back({kDerivedTable, kEmptyText, select.natural});
    select.natural = false;
  } else if (rule == using_) {
    select.clause = PaperClause::From;
  }
  state.select = scopes_.intern(std::move(select));
  return true;
}

bool PaperTracker::close_from(State& state) {
  PaperSelect select = scopes_.at(state.select);
  if (select.from_closed) return true;
  std::vector<Use> uses;
  state.refused = trigger_of(scopes_.close(select, &uses));
  add_uses(state, uses);
  select.from_begun = select.from_closed = true;
  select.references.clear();
  state.select = scopes_.intern(std::move(select));
  return state.refused == PaperTrigger::None;
}

void PaperTracker::refuse_if_empty(State& state) {
  if (state.select == kNoSelect) return;
  const Slot slot = control_.name_slot(state.stack);
  if (slot != Slot::Name && slot != Slot::Column) return;
  const Need need = scopes_.need(state.select);
  if (need == Need::NoColumn) return;
  if (!scopes_.words(state.select, need, state.qualifier).any_column) state.refused = PaperTrigger::EmptyAllowed;
}

}  // namespace pccsql::paper
