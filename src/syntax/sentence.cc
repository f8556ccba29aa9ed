#include "syntax/sentence.h"

#include <algorithm>

namespace pccsql {
namespace {

constexpr uint32_t kFar = 1'000'000;

}  // namespace

SentenceGenerator::SentenceGenerator(const Grammar& grammar, Fill fill, uint64_t seed, bool outside)
    : grammar_(grammar),
      fill_(std::move(fill)),
      random_(seed),
      rule_cost_(grammar.rules().size(), kFar),
      state_cost_(grammar.states().size(), kFar),
      entered_(grammar.rules().size(), 0) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t s = 0; s < state_cost_.size(); ++s) {
      const State& state = grammar_.states()[s];
      uint32_t least = state.final ? 0 : kFar;
      for (const Edge& edge : state.edges) {
        least = std::min(least, cost(edge));
      }
      if (least < state_cost_[s]) {
        state_cost_[s] = least;
        changed = true;
      }
    }
    for (size_t r = 0; r < rule_cost_.size(); ++r) {
      const Rule& rule = grammar_.rules()[r];
      if (outside || rule.outside.empty()) rule_cost_[r] = state_cost_[rule.start];
    }
  }
}

uint32_t SentenceGenerator::cost(const Edge& edge) const {
  return (edge.rule == kNone ? 1 : rule_cost_[edge.rule]) + state_cost_[edge.to];
}

std::string SentenceGenerator::next(int length) {
  std::string text;
  std::vector<StateId> stack{grammar_.rules()[0].start};
  ++entered_[0];
  int lexemes = 0;
  while (!stack.empty()) {
    const State& state = grammar_.states()[stack.back()];
    const bool hurry = lexemes + static_cast<int>(stack.size()) >= length;
    std::vector<const Edge*> ways;
    for (const Edge& edge : state.edges) {
      const uint32_t least = cost(edge);
      if (least < kFar && (!hurry || least <= state_cost_[stack.back()])) ways.push_back(&edge);
    }
    // Ending is one way among the others, a little more likely, so that sentences do not all run into the limit.
    const size_t choices = ways.size() + (state.final ? 1 + ways.size() / 2 : 0);
    const size_t choice = state.final && hurry ? ways.size() : random_() % std::max<size_t>(choices, 1);
    if (choice >= ways.size()) {
      stack.pop_back();
      continue;
    }
    const Edge& edge = *ways[choice];
    stack.back() = edge.to;
    if (edge.rule != kNone) {
      stack.push_back(grammar_.rules()[edge.rule].start);
      ++entered_[edge.rule];
      continue;
    }
    ++lexemes;
    if (!text.empty()) text += ' ';
    const bool open = edge.terminal == Terminal::Name || edge.terminal < Terminal::LeftParen;
    text += open ? fill_(edge.terminal, edge.slot, random_) : std::string(spelling(edge.terminal));
  }
  return text;
}

}  // namespace pccsql
