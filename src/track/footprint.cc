// What a tracker holds in memory, and how it gives up what it only remembers: expectations, endings, moves of the grammar,
// stacks and texts that no prefix has any more. Whatever is given up is found out again when it is asked for.
#include "base/bytes.h"
#include "track/sql_tracker.h"

namespace pccsql::track {

void Expectation::drop_spare() {
  bare.drop_spare();
  quoted.drop_spare();
  own_bare.shrink_to_fit();
  own_quoted.shrink_to_fit();
  taken.shrink_to_fit();
}

size_t Expectation::bytes() const {
  size_t sum = sizeof *this + 6 * kAllocationBytes + bare.bytes() + quoted.bytes();
  for (const auto* names : {&own_bare, &own_quoted, &taken}) {
    sum += held_bytes(*names);
    for (const std::string& name : *names) sum += held_bytes(name);
  }
  return sum;
}

void Store::release(const Mark& mark) {
  names.truncate(mark.names);
  levels.resize(mark.levels);
  frames.resize(mark.frames);
  refs.resize(mark.refs);
  bindings.resize(mark.bindings);
  items.resize(mark.items);
  from.resize(mark.from);
  ctes.resize(mark.ctes);
  name_lists.resize(mark.name_lists);
  operators.resize(mark.operators);
  twins.resize(mark.twins);
  uses.resize(mark.uses);
  sources.resize(mark.sources);
  texts.truncate(mark.texts);
}

size_t Store::bytes() const {
  size_t sum = names.bytes();
  for_each_pool([&](const auto& pool) { sum += pool.size() * sizeof pool[0]; });
  sum += bindings.size() * (sizeof(ColumnRef) + kAllocationBytes);  // most have one column
  for (const Source& source : sources) sum += sizeof source + held_bytes(source.columns) + held_bytes(source.by_name);
  return sum;
}

size_t Store::kept_bytes() const {
  size_t sum = texts.bytes() + control.bytes();
  for_each_pool([&](const auto& pool) { sum += spare_bytes(pool); });
  return sum;
}

size_t SqlTracker::prefix_bytes() const {
  size_t sum = store_.bytes() + prefixes_.size() * sizeof(Prefix) + states_.size() * sizeof(StateEntry) +
               reads_.size() * sizeof(Read) + marks_.size() * sizeof(Mark) + journal_.size() * sizeof(PrefixId);
  for (const std::string& text : completions_) sum += sizeof text + held_bytes(text);
  return sum;
}

size_t SqlTracker::kept_bytes() const {
  return store_.kept_bytes() + held_bytes(expectations_) + expectation_bytes_ + held_bytes(endings_) + ending_bytes_ +
         spare_bytes(prefixes_) + spare_bytes(states_) + spare_bytes(reads_) + spare_bytes(marks_) +
         spare_bytes(journal_);
}

void SqlTracker::forget() {
  for (StateEntry& entry : states_) entry.expected = nullptr;
  drop_all(expectations_);
  drop_all(endings_);
  expectation_bytes_ = ending_bytes_ = 0;

  std::vector<char> held(store_.control.size());
  for (const StateEntry& entry : states_) held[entry.state.stack] = 1;
  const std::vector<StackId> stacks = store_.control.keep_only(std::move(held));
  for (StateEntry& entry : states_) entry.state.stack = stacks[entry.state.stack];

  drop_spare();
}

// A walk over a large vocabulary inside a name leaves as many texts behind.
void SqlTracker::drop_spare() {
  std::vector<char> held(store_.texts.size());
  for (const Prefix& prefix : prefixes_) held[prefix.lex.text] = 1;
  const std::vector<TextId> texts = store_.texts.keep_only(std::move(held));
  for (Prefix& prefix : prefixes_) prefix.lex.text = texts[prefix.lex.text];
  store_.for_each_pool([](auto& pool) { pccsql::drop_spare(pool); });
  pccsql::drop_spare(prefixes_);
  pccsql::drop_spare(states_);
  pccsql::drop_spare(reads_);
  pccsql::drop_spare(marks_);
  pccsql::drop_spare(journal_);
}

}  // namespace pccsql::track
