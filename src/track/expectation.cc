// What may come next: every kind of lexeme and every name is tried on a copy, once for each distinct state.
#include <algorithm>

#include "base/text.h"
#include "track/hash.h"
#include "track/sql_tracker.h"

namespace pccsql::track {
namespace {

bool has_folded_bare_shape(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool letter = (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
    if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '$'))) return false;
  }
  return !text.empty() && find_invalid_utf8(text) == std::string_view::npos && !text.starts_with("\xEF\xBB\xBF");
}

// The first of the lexemes that a step treats alike, where the same rules end and begin with them.
Terminal first_alike(Terminal terminal) {
  switch (terminal) {
    case Terminal::NotEqual:
      return Terminal::Equal;
    case Terminal::LessEqual:
    case Terminal::Greater:
    case Terminal::GreaterEqual:
      return Terminal::Less;
    case Terminal::Bar:
    case Terminal::ShiftLeft:
    case Terminal::ShiftRight:
      return Terminal::Ampersand;
    case Terminal::Arrow:
    case Terminal::LongArrow:
      return Terminal::Concat;
    case Terminal::Blob:
    case Terminal::kw_CURRENT_DATE:
    case Terminal::kw_CURRENT_TIME:
    case Terminal::kw_CURRENT_TIMESTAMP:
      return Terminal::String;
    case Terminal::kw_NOTNULL:
      return Terminal::kw_ISNULL;
    default:
      return terminal;
  }
}

// Of a number, the one that fits wherever any does.
Word example_of(Terminal terminal) {
  Word word;
  word.terminal = terminal;
  if (terminal == Terminal::Integer || terminal == Terminal::Float) {
    word.literal.value = 1;
    word.literal.digits = 1;
    word.literal.integer = terminal == Terminal::Integer;
  }
  return word;
}

Key content_of(const Expectation& next) {
  Hasher hash;
  uint64_t word = 0;
  for (size_t t = 0; t < kTerminals; ++t) {
    word |= uint64_t{next.terminals[t]} << (t % 64);
    if (t % 64 != 63 && t + 1 != kTerminals) continue;
    hash.add(word);
    word = 0;
  }
  for (const RankSet* ranks : {&next.bare, &next.quoted}) {
    hash.add(ranks->words().size());
    for (const uint64_t bits : ranks->words()) hash.add(bits);
  }
  for (const auto* names : {&next.own_bare, &next.own_quoted}) {
    hash.add(names->size());
    for (const std::string& name : *names) hash.add(name);
  }
  hash.add(uint64_t{next.free_word} | uint64_t{next.free_quoted} << 1 | uint64_t{next.free_string} << 2 |
           uint64_t{next.alias} << 3 | uint64_t{next.some_alias} << 5 | uint64_t{next.glued} << 6 |
           uint64_t{next.most_digits} << 8 | uint64_t{next.most_value} << 32);
  hash.add(next.taken.size());
  for (const std::string& name : next.taken) hash.add(name);
  return hash.key();
}

}  // namespace

// Whether a lexeme of this kind may come next. Names are told by what they are.
bool SqlTracker::follows(Index state_id, Terminal terminal) {
  StateEntry& entry = states_[state_id];
  const auto t = static_cast<size_t>(terminal);
  if (entry.expected != nullptr && entry.expected->whole) {
    store_.asked |= entry.expected->asked[t];
    return entry.expected->terminals[t];
  }
  if (entry.tried[t]) {
    store_.asked |= entry.asked[t];
    return entry.fits[t];
  }
  const State state = entry.state;
  bool fits = false;
  const bool asked = store_.control.viable(state.stack)[t] && asks([&] {
    if (terminal == Terminal::End) {
      const Store::Mark mark = store_.mark();
      fits = Step(store_, state).end();
      store_.release(mark);
    } else {
      fits = takes(state, example_of(terminal));
    }
  });
  states_[state_id].tried.set(t);
  states_[state_id].fits[t] = fits;
  states_[state_id].asked[t] = asked;
  return fits;
}

bool SqlTracker::takes(const State& state, const Word& word) {
  const Store::Mark mark = store_.mark();
  const bool fits = Step(store_, state).read(word);
  store_.release(mark);
  return fits;
}

// A number that is a whole term of a compound's ORDER BY is a place in its output; in an argument that must stay plain
// numbers have a few digits in all.
NumberKinds SqlTracker::number_kinds(Index state_id) {
  if (const Expectation* known = states_[state_id].expected; known != nullptr && known->whole) {
    store_.asked |= known->asked[static_cast<size_t>(Terminal::Integer)];
    return known->numbers();
  }
  if (!states_[state_id].numbers_known) {
    NumberKinds kinds;
    const bool asked = asks([&] { kinds = tried_numbers(state_id); });
    states_[state_id].numbers = kinds;
    states_[state_id].numbers_known = true;
    states_[state_id].numbers_asked = asked;
  }
  store_.asked |= states_[state_id].numbers_asked;
  return states_[state_id].numbers;
}

NumberKinds SqlTracker::tried_numbers(Index state_id) {
  NumberKinds kinds;
  kinds.integer = follows(state_id, Terminal::Integer);
  kinds.real = follows(state_id, Terminal::Float);
  const State state = states_[state_id].state;
  if (kinds.integer && store_.levels[state.level].branches > 1) {
    const Store::Mark mark = store_.mark();
    Step step(store_, state);
    if (step.read(example_of(Terminal::Integer)) && step.compound_term()) kinds.most_value = step.level().width;
    store_.release(mark);
  }
  if ((kinds.integer || kinds.real) && kinds.most_value == 0) {
    Word number = example_of(kinds.real ? Terminal::Float : Terminal::Integer);
    number.literal.odd = true;
    if (!takes(state, number)) {
      number.literal.odd = false;
      for (number.literal.digits = Argument::kMostDigits; number.literal.digits > 1 && !takes(state, number);) {
        --number.literal.digits;
      }
      kinds.most_digits = static_cast<uint8_t>(number.literal.digits);
    }
  }
  return kinds;
}

Expectation& SqlTracker::expectation(Index state_id) {
  if (states_[state_id].expected != nullptr) return *states_[state_id].expected;
  const Key key = expectation_key(state_id);
  auto known = expectations_.find(key);
  if (known == expectations_.end()) {
    auto made = std::make_unique<Expectation>();
    if (store_.control.viable(states_[state_id].state.stack)[static_cast<size_t>(Terminal::Name)]) {
      const Store::Mark mark = store_.mark();
      expect_names(state_id, *made);
      store_.release(mark);
    }
    made->drop_spare();
    expectation_bytes_ += made->bytes();
    known = expectations_.emplace(key, std::move(made)).first;
  }
  states_[state_id].expected = known->second.get();
  return *known->second;
}

const Expectation& SqlTracker::expected_names(Index state_id) { return expectation(state_id); }

const Expectation& SqlTracker::expected(Index state_id) {
  Expectation& next = expectation(state_id);
  if (next.whole) return next;
  const size_t before = next.bytes();
  const State state = states_[state_id].state;
  const TerminalSet viable = store_.control.viable(state.stack);
  for (size_t t = 0; t < kTerminals; ++t) {
    const auto terminal = static_cast<Terminal>(t);
    if (!viable[t] || terminal == Terminal::Name) continue;
    const Terminal first = first_alike(terminal);
    const bool alike = first != terminal && viable[static_cast<size_t>(first)] &&
                       store_.control.moves_alike(state.stack, first, terminal);
    if (alike) {
      next.terminals[t] = next.terminals[static_cast<size_t>(first)];
      next.asked[t] = next.asked[static_cast<size_t>(first)];
    } else {
      next.asked[t] = asks([&] { next.terminals[t] = follows(state_id, terminal); });
    }
    if (next.terminals[t] && world_.rank(terminal) != kNoRank) next.bare.insert(world_.rank(terminal));
  }
  NumberKinds numbers;
  if (asks([&] { numbers = number_kinds(state_id); })) next.asked.set(static_cast<size_t>(Terminal::Integer));
  next.most_digits = numbers.most_digits;
  next.most_value = numbers.most_value;
  const Frame& frame = store_.frames[state.frame];
  const bool after_dot = state.open > 0 && frame.kind == Frame::Expr && frame.name.qualifier != kNoName && !frame.expr.after;
  TerminalSet dot;
  dot.set(static_cast<size_t>(Terminal::Dot));
  next.glued = world_.settings().style == Style::Canonical && (after_dot || next.terminals == dot);
  next.content = content_of(next);
  RankSet language = next.bare;
  language &= world_.language_words();
  for (const Rank rank : language) next.language += world_.language_number(rank);
  next.whole = true;
  next.drop_spare();
  expectation_bytes_ += next.bytes() - before;
  return next;
}

void SqlTracker::expect_names(Index state_id, Expectation& next) {
  const State state = states_[state_id].state;
  const Slot slot = store_.control.name_slot(state.stack);
  const auto bare_fits = [&](NameId name) {
    const Terminal keyword =
        world_.rank(name) != kNoRank ? world_.keyword(name) : terminal_of(store_.names.text(name));
    if (keyword == Terminal::Illegal) return true;
    if (store_.control.read(state.stack, keyword) != kDeadStack) return false;
    const KeywordKind kind = keyword_kind(keyword);
    if (world_.settings().language == Language::Fragment && keyword == Terminal::kw_WITH) return false;
    if (kind == KeywordKind::Reserved || kind == KeywordKind::Window) return false;
    if (slot == Slot::Alias || slot == Slot::NewName) return false;
    return kind != KeywordKind::JoinWord || slot != Slot::Type;
  };
  // In canonical style quotes are for names that need them.
  const bool canonical = world_.settings().style == Style::Canonical;
  const auto add = [&](NameId name, bool quotable) {
    const Rank rank = world_.rank(name);
    if (rank != kNoRank) {
      const bool bare = world_.is_bare(name) && bare_fits(name);
      if (bare) next.bare.insert(rank);
      if (quotable && !(bare && canonical)) next.quoted.insert(rank);
      return;
    }
    const std::string text(store_.names.text(name));
    const bool bare = has_folded_bare_shape(text) && bare_fits(name);
    if (bare) next.own_bare.push_back(text);
    if (quotable && !(bare && canonical)) next.own_quoted.push_back(text);
  };
  const auto add_new = [&] {
    next.free_word = true;
    next.free_quoted = !canonical;
  };
  // The rules that begin with this lexeme must have begun before a name can be asked about.
  Step step(store_, state);
  if (slot == Slot::Name || slot == Slot::Column || slot == Slot::Table || slot == Slot::Alias ||
      slot == Slot::NewName) {
    bool ready = false;
    if (asks([&] { ready = step.prepare_name(); })) next.asked_all = true;
    if (!ready) return;
  }
  // In canonical style a column is one item of a SELECT, unless nothing else is left: models that may not write what they
  // want would else repeat what they may write.
  const auto add_new_items = [&](NameId qualifier, const std::vector<NameId>& names) {
    const NameIndex written = canonical ? step.item_columns() : NameIndex();
    const auto repeats = [&](NameId name) { return written.find(qualifier, name).has_value(); };
    const bool all = std::ranges::all_of(names, repeats);
    for (const NameId name : names) {
      if (all || !repeats(name)) add(name, true);
    }
  };
  // In canonical style a table of which nothing may be used stands alone, unless nothing else is left: models that may not
  // have its columns would else join it on whatever comes to mind.
  const auto add_tables = [&] {
    const bool alone = step.level().from == 0 && step.pending(step.level()).empty();
    std::vector<NameId> closed;
    bool others = false;
    for (const Source& source : world_.sources().all()) {
      if (!source.nameable || !step.table_fits(source.name)) continue;
      if (canonical && source.closed && !alone) {
        closed.push_back(source.name);
      } else {
        add(source.name, true);
        others = true;
      }
    }
    for (const Source* source : step.ctes(step.level())) {
      if (!step.table_fits(source->name)) continue;
      add(source->name, true);
      others = true;
    }
    for (const NameId name : closed) {
      if (!others) add(name, true);
    }
  };
  switch (slot) {
    case Slot::Name: {
      const std::vector<NameId> names = step.plain_names();
      if (step.asks_supply()) {
        add_new_items(kNoName, step.supplied(kNoName, names, false));
      } else {
        for (const NameId name : names) {
          if ((step.readings(name, Quote::Backtick) & (AsColumn | AsAlias)) != 0) add(name, true);
        }
      }
      const std::vector<NameId> exhausted = canonical ? step.exhausted_qualifiers() : std::vector<NameId>{};
      for (const NameId name : step.qualifiers()) {
        if (std::ranges::find(exhausted, name) == exhausted.end() && step.qualifier_fits(name)) add(name, true);
      }
      for (const World::FunctionGroup& group : world_.function_groups()) {
        bool fits = false;
        const bool asked = asks([&] { fits = step.function_fits_here(*group.like); });
        if (asked) {
          next.asked_words |= group.words;
          for (const NameId name : group.keywords) next.asked_words.insert(world_.rank(name));
        }
        if (!fits) continue;
        next.bare |= group.words;
        for (const NameId name : group.keywords) add(name, false);
      }
      for (const NameId name : {world_.true_name(), world_.false_name()}) {
        if ((step.readings(name, Quote::None) & AsBoolean) != 0) add(name, false);
      }
      next.alias = step.fresh_qualifier_fits();
      if (next.alias && !exhausted.empty()) {
        next.alias = false;
        next.some_alias = true;
        for (const NameId name : exhausted) next.taken.emplace_back(store_.names.text(name));
        std::sort(next.taken.begin(), next.taken.end());
      }
      next.free_string = !canonical && (step.readings(store_.names.intern("\x01"), Quote::Double) & AsString) != 0;
      if (world_.settings().derived_names && step.names_unsettled() &&
          (step.readings(store_.names.intern("\x01"), Quote::Backtick) & AsColumn) != 0) {
        add_new();
      }
      break;
    }
    case Slot::Column:
      if (step.in_frame() && step.frame().kind == Frame::Expr) {
        const NameId qualifier = step.frame().name.qualifier;
        const std::vector<NameId> columns = step.columns_of(qualifier);
        if (step.asks_supply()) {
          add_new_items(qualifier, step.supplied(qualifier, columns, false));
        } else {
          for (const NameId name : columns) {
            if (step.qualified_fits(qualifier, name)) add(name, true);
          }
        }
        if (world_.settings().derived_names && step.names_unsettled() &&
            step.qualified_fits(qualifier, store_.names.intern("\x01"))) {
          add_new();
        }
      } else {
        for (const NameId name : step.using_candidates()) {
          if (step.using_fits(name)) add(name, true);
        }
      }
      break;
    case Slot::Table:
      add_tables();
      break;
    case Slot::Alias:
    case Slot::NewName:
      if (canonical && slot == Slot::Alias) break;  // with AS
      if (step.names_from_item()) {
        next.asked_new = true;
        const std::vector<Obligation> pending = step.pending(step.level());
        const auto fits = [&](const Obligation& wanted) {
          return wanted.qualifier != kNoName && step.alias_fits(wanted.qualifier);
        };
        const bool fresh = step.fresh_alias_fits();
        if (fresh && !canonical) add_new();
        next.some_alias = fresh && canonical;
        for (const Obligation& wanted : pending) {
          if (fits(wanted)) add(wanted.qualifier, true);
        }
        if (!next.some_alias) break;
        for (const NameId name : step.names_in_use()) {
          if (!step.alias_fits(name)) next.taken.emplace_back(store_.names.text(name));
        }
        std::sort(next.taken.begin(), next.taken.end());
      } else if (slot == Slot::NewName || world_.settings().aliases == Aliases::Any) {
        add_new();
      }
      break;
    case Slot::Collation:
      for (const NameId name : world_.collations()) add(name, false);
      break;
    case Slot::Type: {
      for (const NameId name : world_.type_names()) {
        Word word;
        word.terminal = Terminal::Name;
        word.name = name;
        Step copy(store_, state);
        bool fits = false;
        if (asks([&] { fits = copy.read(word); })) next.asked_words.insert(world_.rank(name));
        if (fits) add(name, false);
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace pccsql::track
