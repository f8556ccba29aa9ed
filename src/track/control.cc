#include "track/control.h"

#include <algorithm>

#include "base/bytes.h"

namespace pccsql::track {

Control::Control(const Grammar& grammar, Language language) : grammar_(grammar), language_(language), nodes_(2) {
  start_ = push(grammar_.rules()[0].start, kEmptyStack);
}

StackId Control::push(StateId state, StackId below) {
  const uint64_t key = (uint64_t{below} << 16) | state;
  const auto [entry, added] = pushes_.try_emplace(key, static_cast<StackId>(nodes_.size()));
  if (added) {
    uint64_t hash = (nodes_[below].hash ^ (state + 1u)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
    nodes_.push_back({state, below, nodes_[below].depth + 1, hash});
  }
  return entry->second;
}

// As move(), without making any stack. Most lexemes cannot follow, and of those nothing is kept.
bool Control::can_read(StackId stack, Terminal terminal) {
  if (stack == kDeadStack || stack == kEmptyStack) return false;
  called_.clear();  // where the rules that were begun go on
  StateId at = nodes_[stack].state;
  for (;;) {
    const Action& action = grammar_.action(at, terminal);
    if (action.kind == Action::Shift) return true;
    if (action.kind == Action::Call) {
      if (!is_inside(action.rule)) return false;
      called_.push_back(action.next);
      at = grammar_.rules()[action.rule].start;
      continue;
    }
    if (!is_final(at)) return false;
    if (!called_.empty()) {
      at = called_.back();
      called_.pop_back();
      continue;
    }
    stack = nodes_[stack].below;
    if (stack == kDeadStack || stack == kEmptyStack) return false;
    at = nodes_[stack].state;
  }
}

const Control::Move& Control::move(StackId stack, Terminal terminal) {
  static const Move kNowhere;
  const uint64_t key = (uint64_t{stack} << 8) | static_cast<uint8_t>(terminal);
  if (const auto found = moves_.find(key); found != moves_.end()) return found->second;
  if (!viable(stack)[static_cast<size_t>(terminal)]) return kNowhere;
  Move move;
  move.first = static_cast<uint32_t>(events_.size());
  StackId at = stack;
  while (at != kDeadStack && at != kEmptyStack) {
    const Node node = nodes_[at];
    const pccsql::State& state = grammar_.states()[node.state];
    const Action& action = grammar_.action(node.state, terminal);
    if (action.kind == Action::Shift) {
      events_.push_back({Event::Shift, state.rule});
      move.next = push(action.next, node.below);
      break;
    }
    if (action.kind == Action::Call) {
      if (!is_inside(action.rule)) break;
      events_.push_back({Event::Enter, action.rule});
      at = push(grammar_.rules()[action.rule].start, push(action.next, node.below));
    } else {
      events_.push_back({Event::Exit, state.rule});
      at = state.final ? node.below : kDeadStack;
    }
  }
  if (terminal == Terminal::End && at == kEmptyStack) move.next = kEmptyStack;
  if (move.next == kDeadStack) events_.resize(move.first);
  move.count = static_cast<uint32_t>(events_.size()) - move.first;
  return moves_.emplace(key, move).first->second;
}

StackId Control::read(StackId stack, Terminal terminal) {
  return terminal == Terminal::End ? kDeadStack : move(stack, terminal).next;
}

std::span<const Event> Control::events(StackId stack, Terminal terminal) {
  const Move& made = move(stack, terminal);
  return std::span(events_).subspan(made.first, made.count);
}

bool Control::moves_alike(StackId stack, Terminal a, Terminal b) {
  const Move first = move(stack, a);
  const Move second = move(stack, b);
  return first.count == second.count &&
         std::equal(events_.begin() + first.first, events_.begin() + first.first + first.count,
                    events_.begin() + second.first);
}

Terminal Control::read_as(StackId stack, const EndedLexeme& lexeme, const TextArena& texts) {
  if (lexeme.terminal != Terminal::Name || lexeme.quote != Quote::None) return lexeme.terminal;
  const Terminal keyword = terminal_of(texts.str(lexeme.text));
  if (keyword == Terminal::Illegal) return Terminal::Name;
  if (read(stack, keyword) != kDeadStack) return keyword;
  // What only the fragment leaves out is a keyword to the database all the same.
  if (language_ == Language::Fragment && keyword == Terminal::kw_WITH) return Terminal::Illegal;
  switch (keyword_kind(keyword)) {
    case KeywordKind::Reserved:
      return Terminal::Illegal;
    case KeywordKind::JoinWord: {
      const Slot slot = name_slot(stack);
      return slot == Slot::Alias || slot == Slot::Type ? Terminal::Illegal : Terminal::Name;
    }
    default:
      return Terminal::Name;
  }
}

StackId Control::read(StackId stack, const EndedLexeme& lexeme, const TextArena& texts) {
  const Terminal terminal = read_as(stack, lexeme, texts);
  return terminal == Terminal::Illegal ? kDeadStack : read(stack, terminal);
}

bool Control::may_end(StackId stack) const {
  while (stack != kDeadStack && stack != kEmptyStack) {
    if (!is_final(nodes_[stack].state)) return false;
    stack = nodes_[stack].below;
  }
  return stack == kEmptyStack;
}

const TerminalSet& Control::viable(StackId stack) {
  if (stack < viable_.size() && viable_[stack].known) return viable_[stack].set;
  if (stack >= viable_.size()) viable_.resize(nodes_.size());
  TerminalSet set;
  for (size_t t = 0; t < kTerminals; ++t) set[t] = can_read(stack, static_cast<Terminal>(t));
  set[static_cast<size_t>(Terminal::End)] = may_end(stack);
  viable_[stack] = {set, true};
  return viable_[stack].set;
}

Slot Control::name_slot(StackId stack) const {
  while (stack != kDeadStack && stack != kEmptyStack) {
    StateId state = nodes_[stack].state;
    Action action = grammar_.action(state, Terminal::Name);
    while (action.kind == Action::Call && is_inside(action.rule)) {
      state = grammar_.rules()[action.rule].start;
      action = grammar_.action(state, Terminal::Name);
    }
    if (action.kind == Action::Shift) return grammar_.states()[state].slot;
    if (action.kind == Action::Call || !is_final(state)) return Slot::None;
    stack = nodes_[stack].below;
  }
  return Slot::None;
}

size_t Control::bytes() const {
  return held_bytes(nodes_) + held_bytes(pushes_) + held_bytes(moves_) + held_bytes(events_) + held_bytes(viable_);
}

std::vector<StackId> Control::keep_only(std::vector<char> held) {
  for (const StackId always : {kDeadStack, kEmptyStack, start_}) held[always] = 1;
  // A stack is made after the one below it.
  for (size_t id = nodes_.size(); id-- > 2;) {
    if (held[id] != 0) held[nodes_[id].below] = 1;
  }
  std::vector<StackId> renamed(nodes_.size(), kDeadStack);
  std::vector<Node> kept;
  decltype(pushes_) pushes;
  for (size_t id = 0; id < nodes_.size(); ++id) {
    if (held[id] == 0) continue;
    Node node = nodes_[id];
    node.below = renamed[node.below];
    renamed[id] = static_cast<StackId>(kept.size());
    if (id >= 2) pushes.emplace((uint64_t{node.below} << 16) | node.state, renamed[id]);
    kept.push_back(node);
  }
  nodes_ = std::move(kept);
  pushes_ = std::move(pushes);
  drop_all(moves_);
  drop_all(events_);
  drop_all(viable_);
  start_ = renamed[start_];
  return renamed;
}

}  // namespace pccsql::track
