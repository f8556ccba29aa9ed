#include "verify/coverage.h"

#include <algorithm>
#include <set>

namespace pccsql {
namespace {

std::string_view slot_name(Slot slot) {
  switch (slot) {
    case Slot::Name:
      return "<name>";
    case Slot::Table:
      return "<table>";
    case Slot::Column:
      return "<column>";
    case Slot::Alias:
      return "<alias>";
    case Slot::NewName:
      return "<new_name>";
    case Slot::Window:
      return "<window>";
    case Slot::Collation:
      return "<collation>";
    case Slot::Type:
      return "<type>";
    case Slot::Index:
      return "<index>";
    case Slot::None:
      break;
  }
  return "a name";
}

bool is_call(const Edge& edge) { return edge.rule != kNone; }

}  // namespace

Coverage::Coverage(const Grammar& grammar, Language language) : grammar_(grammar), parser_(grammar) {
  const auto& rules = grammar.rules();
  const auto& states = grammar.states();
  size_t edges = 0;
  for (const State& state : states) {
    first_edge_.push_back(static_cast<uint32_t>(edges));
    edges += state.edges.size();
  }
  taken_.assign(edges, 0);
  entered_.assign(rules.size(), 0);
  inside_.assign(rules.size(), false);
  open_.assign(edges, false);
  std::vector<bool> seen(states.size(), false);
  std::vector<StateId> open;
  const auto reach = [&](StateId state) {
    if (seen[state]) return;
    seen[state] = true;
    open.push_back(state);
  };
  inside_[0] = true;
  reach(rules[0].start);
  while (!open.empty()) {
    const StateId state = open.back();
    open.pop_back();
    for (uint32_t i = 0; i < states[state].edges.size(); ++i) {
      const Edge& edge = states[state].edges[i];
      if (left_out({state, i})) continue;
      if (is_call(edge)) {
        const Rule& rule = rules[edge.rule];
        if (!rule.outside.empty() || (language == Language::Fragment && !rule.beyond.empty())) continue;
        inside_[edge.rule] = true;
        reach(rule.start);
      }
      open_[first_edge_[state] + i] = true;
      reach(edge.to);
    }
  }
}

void Coverage::follow(uint32_t index) {
  const Node& node = parser_.nodes()[index];
  ++entered_[node.rule];
  StateId state = grammar_.rules()[node.rule].start;
  uint32_t child = index + 1;
  for (uint32_t at = node.first; at < node.last;) {
    const bool call = child < node.next && parser_.nodes()[child].first == at;
    const auto& edges = grammar_.states()[state].edges;
    const auto find = [&](Terminal terminal) {
      return std::ranges::find_if(edges, [&](const Edge& e) { return !is_call(e) && e.terminal == terminal; });
    };
    auto edge = edges.end();
    if (call) {
      const RuleId rule = parser_.nodes()[child].rule;
      edge = std::ranges::find_if(edges, [&](const Edge& e) { return e.rule == rule; });
      at = parser_.nodes()[child].last;
      child = parser_.nodes()[child].next;
    } else {
      edge = find(lexemes_[at].terminal);
      if (edge == edges.end()) edge = find(Terminal::Name);  // a keyword that was read as a name
      ++at;
    }
    if (edge == edges.end()) return;
    ++taken_[first_edge_[state] + static_cast<size_t>(edge - edges.begin())];
    state = edge->to;
  }
}

bool Coverage::add(std::string_view sql) {
  lex(sql, lexemes_);
  if (!parser_.parse(lexemes_)) return false;
  for (uint32_t i = 0; i < parser_.nodes().size(); ++i) follow(i);
  return true;
}

void Coverage::add(const Coverage& other) {
  for (size_t i = 0; i < entered_.size(); ++i) entered_[i] += other.entered_[i];
  for (size_t i = 0; i < taken_.size(); ++i) taken_[i] += other.taken_[i];
}

std::string Coverage::what(const Edge& edge) const {
  if (is_call(edge)) return grammar_.rules()[edge.rule].name;
  return std::string(edge.terminal == Terminal::Name ? slot_name(edge.slot) : spelling(edge.terminal));
}

std::string Coverage::label(const Place& place) const {
  const State& state = grammar_.states()[place.state];
  const Rule& rule = grammar_.rules()[state.rule];
  std::string text = rule.name + ": " + what(state.edges[place.edge]);
  if (rule.start == place.state) return text;
  for (StateId from = 0; from < first_edge_.size(); ++from) {
    for (uint32_t i = 0; i < grammar_.states()[from].edges.size(); ++i) {
      const Edge& edge = grammar_.states()[from].edges[i];
      if (edge.to == place.state && open_[first_edge_[from] + i]) return text + " after " + what(edge);
    }
  }
  return text;
}

// What no text of the decoder takes: windows by name, row values, a second semicolon.
bool Coverage::left_out(const Place& place) const {
  const State& state = grammar_.states()[place.state];
  const Edge& edge = state.edges[place.edge];
  const std::string& rule = grammar_.rules()[state.rule].name;
  if (is_call(edge)) return grammar_.rules()[edge.rule].name == "windows";
  if (edge.terminal == Terminal::Name) return edge.slot == Slot::Window;
  if (rule == "operand") return edge.terminal == Terminal::Comma;
  return rule == "statement" && edge.terminal == Terminal::Semicolon && edge.to == place.state;
}

Coverage::Count Coverage::rules() const {
  Count count;
  for (size_t rule = 0; rule < inside_.size(); ++rule) {
    if (!inside_[rule]) continue;
    ++count.all;
    count.hit += entered_[rule] > 0;
  }
  return count;
}

Coverage::Count Coverage::edges() const {
  Count count;
  for (size_t edge = 0; edge < open_.size(); ++edge) {
    if (!open_[edge]) continue;
    ++count.all;
    count.hit += taken_[edge] > 0;
  }
  return count;
}

std::vector<std::string> Coverage::missed() const {
  std::set<std::string> missed;
  for (StateId state = 0; state < first_edge_.size(); ++state) {
    for (uint32_t i = 0; i < grammar_.states()[state].edges.size(); ++i) {
      const size_t edge = first_edge_[state] + i;
      if (open_[edge] && taken_[edge] == 0) missed.insert(label({state, i}));
    }
  }
  return {missed.begin(), missed.end()};
}

}  // namespace pccsql
