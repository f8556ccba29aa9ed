#include "track/control.h"

namespace pccsql::track {

Control::Control(const Grammar& grammar) : grammar_(grammar), nodes_(2) {
  start_ = push(grammar_.rules()[0].start, kEmptyStack);
}

StackId Control::push(StateId state, StackId below) {
  const uint64_t key = (uint64_t{below} << 16) | state;
  const auto [entry, added] = pushes_.try_emplace(key, static_cast<StackId>(nodes_.size()));
  if (added) nodes_.push_back({state, below, nodes_[below].depth + 1});
  return entry->second;
}

StackId Control::read(StackId stack, Terminal terminal) {
  const uint64_t key = (uint64_t{stack} << 8) | static_cast<uint8_t>(terminal);
  if (const auto found = reads_.find(key); found != reads_.end()) return found->second;
  StackId at = stack;
  StackId result = kDeadStack;
  while (at != kDeadStack && at != kEmptyStack) {
    const Node node = nodes_[at];
    const Action& action = grammar_.action(node.state, terminal);
    if (action.kind == Action::Shift) {
      result = push(action.next, node.below);
      break;
    }
    if (action.kind == Action::Call) {
      if (!is_inside(action.rule)) break;
      at = push(grammar_.rules()[action.rule].start, push(action.next, node.below));
    } else {
      at = is_final(node.state) ? node.below : kDeadStack;
    }
  }
  reads_.emplace(key, result);
  return result;
}

StackId Control::read(StackId stack, const EndedLexeme& lexeme, const TextArena& texts) {
  if (lexeme.terminal != Terminal::Name || lexeme.quote != Quote::None) return read(stack, lexeme.terminal);
  const Terminal keyword = terminal_of(texts.str(lexeme.text));
  if (keyword == Terminal::Illegal) return read(stack, Terminal::Name);
  if (const StackId next = read(stack, keyword); next != kDeadStack) return next;
  switch (keyword_kind(keyword)) {
    case KeywordKind::Reserved:
      return kDeadStack;
    case KeywordKind::JoinWord: {
      const Slot slot = name_slot(stack);
      if (slot == Slot::Alias || slot == Slot::Type) return kDeadStack;
      break;
    }
    default:
      break;
  }
  return read(stack, Terminal::Name);
}

bool Control::may_end(StackId stack) const {
  while (stack != kDeadStack && stack != kEmptyStack) {
    if (!is_final(nodes_[stack].state)) return false;
    stack = nodes_[stack].below;
  }
  return stack == kEmptyStack;
}

const TerminalSet& Control::viable(StackId stack) {
  if (const auto found = viable_.find(stack); found != viable_.end()) return found->second;
  TerminalSet set;
  for (size_t t = 0; t < kTerminals; ++t) set[t] = read(stack, static_cast<Terminal>(t)) != kDeadStack;
  set[static_cast<size_t>(Terminal::End)] = may_end(stack);
  return viable_.emplace(stack, set).first->second;
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

}  // namespace pccsql::track
