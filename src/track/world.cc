#include "track/world.h"

#include <algorithm>

#include "base/text.h"
#include "policy/held_families.h"

namespace pccsql::track {
namespace {

// Types that CAST is written with; the database would take any word.
constexpr std::string_view kTypes[] = {
    "BIGINT", "BLOB", "BOOL", "BOOLEAN", "CHAR", "CHARACTER", "CLOB", "DATE", "DATETIME", "DECIMAL", "DOUBLE",
    "FLOAT", "INT", "INT2", "INT8", "INTEGER", "MEDIUMINT", "NCHAR", "NUMBER", "NUMERIC", "NVARCHAR",
    "PRECISION", "REAL", "SIGNED", "SMALLINT", "STRING", "TEXT", "TIME", "TIMESTAMP", "TINYINT", "UNSIGNED",
    "VARCHAR", "YEAR"};
constexpr std::string_view kCollations[] = {"BINARY", "NOCASE", "RTRIM"};
constexpr std::string_view kUsualFunctions[] = {
    "abs",          "avg",     "coalesce", "count",      "date",      "datetime", "dense_rank",   "first_value",
    "group_concat", "ifnull",  "iif",      "instr",      "julianday", "lag",      "last_value",   "lead",
    "length",       "lower",   "ltrim",    "max",        "min",       "nullif",   "percent_rank", "printf",
    "rank",         "replace", "round",    "row_number", "rtrim",     "strftime", "substr",       "substring",
    "sum",          "time",    "total",    "trim",       "upper"};
constexpr std::string_view kRowids[] = {"rowid", "oid", "_rowid_"};
constexpr std::string_view kRealTypes[] = {"real", "float", "double"};

bool has_bare_shape(std::string_view text) {
  if (text.empty()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '$'))) return false;
  }
  return find_invalid_utf8(text) == std::string_view::npos && !text.starts_with("\xEF\xBB\xBF");
}

std::string capitals(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
  return result;
}

}  // namespace

std::shared_ptr<const World> World::make(const Catalog& catalog, const Policy& policy, TrackSettings settings) {
  return std::shared_ptr<const World>(new World(catalog, policy, settings));
}

void World::add_word(std::string_view text, std::string_view canonical) {
  const NameId name = names_.intern(text);
  if (canonical_.size() <= name) canonical_.resize(name + 1);
  if (capitals_.size() <= name) capitals_.resize(name + 1);
  if (canonical_[name].empty()) {
    canonical_[name] = canonical;
  } else if (canonical_[name] != canonical) {
    capitals_[name] = canonical;
  }
}

World::World(const Catalog& catalog, const Policy& policy, TrackSettings settings)
    : catalog_(catalog),
      policy_(policy),
      settings_(settings),
      names_(catalog.names()),
      sources_(catalog, policy, settings.profile, most_tables()) {
  for (const Table& table : catalog.tables()) {
    add_word(table.name, table.name);
    for (const Column& column : table.columns) add_word(column.name, column.name);
  }
  capitals_.clear();  // the same name declared in two ways is written as it was first
  for (size_t t = 0; t < kTerminals; ++t) {
    const std::string_view text = spelling(static_cast<Terminal>(t));
    if (has_bare_shape(text) && terminal_of(text) == static_cast<Terminal>(t)) add_word(text, text);
  }
  for (const std::string_view text : kRowids) add_word(text, text);
  for (const std::string_view text : {"TRUE", "FALSE"}) add_word(text, text);
  add_functions();
  const std::vector<std::string> also = capitals_;
  for (const std::string_view text : kTypes) add_word(text, text);  // YEAR, and a column that is called Year
  for (const std::string_view text : kCollations) add_word(text, text);
  capitals_ = also;

  const size_t count = names_.size();
  canonical_.resize(count);
  capitals_.resize(count);
  bare_.resize(count);
  is_column_.resize(count);
  keyword_.resize(count, Terminal::Illegal);
  rank_.resize(count, kNoRank);
  by_rank_.reserve(count);
  for (NameId name = 1; name < count; ++name) {
    const std::string_view text = names_.text(name);
    if (canonical_[name].empty()) canonical_[name] = text;
    bare_[name] = has_bare_shape(text);
    keyword_[name] = terminal_of(text);
    by_rank_.push_back(name);
  }
  std::sort(by_rank_.begin(), by_rank_.end(), [&](NameId a, NameId b) { return names_.text(a) < names_.text(b); });
  for (Rank rank = 0; rank < by_rank_.size(); ++rank) rank_[by_rank_[rank]] = rank;

  for (const NameId name : by_rank_) trie_.add(names_.text(name));
  tells_language_ = std::ranges::all_of(capitals_, &std::string::empty);
  language_number_.resize(count);
  for (Rank rank = 0; rank < by_rank_.size(); ++rank) {
    if (by_rank_[rank] < catalog.names().size()) continue;
    const std::string_view text = names_.text(by_rank_[rank]);
    // Where these may come hangs on the schema.
    if (text == "true" || text == "false" || std::ranges::find(kRowids, text) != std::end(kRowids)) continue;
    language_words_.insert(rank);
    uint64_t number = 0;
    for (const char c : text) {
      number = (number ^ static_cast<unsigned char>(c)) * 0x9E3779B97F4A7C15u;
      number ^= number >> 32;
    }
    language_number_[rank] = number;
  }
  for (size_t t = 0; t < kTerminals; ++t) {
    const auto terminal = static_cast<Terminal>(t);
    const std::string_view text = spelling(terminal);
    const bool word = has_bare_shape(text) && terminal_of(text) == terminal;
    keyword_rank_[t] = word ? rank_[names_.find(text)] : kNoRank;
  }
  group_functions();
  for (const Source& source : sources_.all()) {
    if (!source.nameable) continue;
    anything_to_ask_ = true;
    for (const Source::Column& column : source.columns) {
      if (!is_column_[column.name]) column_names_.push_back(column.name);
      is_column_[column.name] = true;
    }
  }
  for (const std::string_view text : kTypes) type_names_.push_back(names_.find(text));
  for (const std::string_view text : kCollations) collations_.push_back(names_.find(text));
  for (size_t i = 0; i < 3; ++i) rowid_[i] = names_.find(kRowids[i]);
  for (size_t i = 0; i < 3; ++i) real_types_[i] = names_.find(kRealTypes[i]);
  true_ = names_.find("true");
  false_ = names_.find("false");
  if (strict()) add_minimums();
}

void World::add_minimums() {
  if (!pccsql::sets_minimum(policy_)) return;
  const HeldFamilies families(catalog_, policy_);
  grouped_families_.resize(names_.size());
  family_bit_.resize(catalog_.tables().size());
  int count = 0;
  for (TableId id = 0; id < catalog_.tables().size(); ++id) {
    const Table& table = catalog_.table(id);
    uint64_t& bit = family_bit_[families.of(id)];
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      if (!is_grouped(policy_, {id, c})) continue;
      if (bit == 0) bit = uint64_t{1} << std::min(count++, 63);
      const auto note = [&](NameId name) {
        grouped_families_[name] |= bit;
        grouped_holders_.emplace_back(name, id);
      };
      note(table.columns[c].id);
      if (table.integer_primary_key != c) continue;
      for (const NameId rowid : rowid_) note(rowid);
    }
  }
  for (TableId id = 0; id < family_bit_.size(); ++id) {
    family_bit_[id] = family_bit_[families.of(id)];
    const uint64_t view = sources_.all()[id].view_bit;
    if (view != 0 && family_bit_[id] != 0) family_views_.emplace_back(family_bit_[id], view);
  }
  std::ranges::sort(grouped_holders_);
  const auto [first, last] = std::ranges::unique(grouped_holders_);
  grouped_holders_.erase(first, last);
}

uint64_t World::grouped_family(const ColumnRef& column) const {
  return sets_minimum() && is_grouped(policy_, column) ? family_bit_[column.table] : 0;
}

std::span<const std::pair<NameId, TableId>> World::grouped_holders(NameId name) const {
  return std::ranges::equal_range(grouped_holders_, name, {}, &std::pair<NameId, TableId>::first);
}

bool World::are_of_one_item(NameId a, NameId b) const {
  const auto holds = [&](std::span<const std::pair<NameId, TableId>> holders, TableId table) {
    return std::ranges::any_of(holders, [&](const auto& holder) { return holder.second == table; });
  };
  const auto of_a = grouped_holders(a);
  const auto of_b = grouped_holders(b);
  const auto lacks = [&](const auto& these, const auto& others, uint64_t family) {
    return std::ranges::any_of(these, [&](const auto& holder) {
      return family_bit_[holder.second] == family && !holds(others, holder.second);
    });
  };
  return std::ranges::none_of(of_a, [&](const auto& holder) {
    const uint64_t family = family_bit_[holder.second];
    return lacks(of_a, of_b, family) && lacks(of_b, of_a, family);
  });
}

uint64_t World::views_of(uint64_t families) const {
  uint64_t views = 0;
  for (const auto& [family, view] : family_views_) views |= (family & families) != 0 ? view : 0;
  return views;
}

// The last bit may be another view's as well.
uint64_t World::own_view(TableId table) const { return sources_.all()[table].view_bit & ~(uint64_t{1} << 63); }

uint64_t World::own_views(std::span<const NameId> names) const {
  uint64_t views = 0;
  if (family_views_.empty()) return views;
  const auto holds = [&](NameId name, TableId table) {
    return std::ranges::any_of(grouped_holders(name), [&](const auto& holder) { return holder.second == table; });
  };
  // Whether each of the names that the table's family has is a column of this one.
  const auto has_all = [&](TableId table) {
    return std::ranges::all_of(names, [&](NameId name) {
      return holds(name, table) || (grouped_families(name) & family_bit_[table]) == 0;
    });
  };
  for (const NameId name : names) {
    for (const auto& [held, table] : grouped_holders(name)) {
      if (own_view(table) == 0 || !has_all(table)) continue;
      const bool alone = std::ranges::none_of(grouped_holders(name), [&](const auto& other) {
        return other.second != table && family_bit_[other.second] == family_bit_[table] && has_all(other.second);
      });
      if (alone) views |= own_view(table);
    }
  }
  return views;
}

void WordTrie::add(std::string_view word) {
  const Rank rank = nodes_[kRoot].last;
  size_t shared = 0;
  while (shared < word.size() && shared + 1 < path_.size() && nodes_[path_[shared + 1]].byte == word[shared]) ++shared;
  path_.resize(shared + 1);
  for (size_t i = shared; i < word.size(); ++i) {
    Node made;
    made.first = rank;
    made.byte = word[i];
    made.next = nodes_[path_.back()].child;
    const auto node = static_cast<uint32_t>(nodes_.size());
    nodes_[path_.back()].child = node;
    nodes_.push_back(made);
    path_.push_back(node);
  }
  nodes_[path_.back()].ends_word = true;
  for (const uint32_t node : path_) nodes_[node].last = rank + 1;
}

void World::add_functions() {
  functions_.emplace_back();
  for (const Function& function : sql_grammar().functions()) {
    const bool beyond = function.kind == FunctionKind::Window && settings_.language == Language::Fragment;
    if (function.kind == FunctionKind::Outside || beyond) continue;
    add_word(function.name, capitals(function.name));
    const NameId name = names_.find(function.name);
    if (function_of_.size() <= name) function_of_.resize(name + 1);
    const std::string_view text = function.name;
    if (function_of_[name] != 0) {  // min and max have two entries
      Callable& known = functions_[function_of_[name]];
      known.least = std::min(known.least, function.least);
      known.most = std::max(known.most, function.most);
      known.mode = Callable::MinMax;
      continue;
    }
    Callable callable;
    callable.name = text;
    callable.least = function.least;
    callable.most = function.most;
    callable.star = text == "count";
    if (function.kind == FunctionKind::Window) callable.mode = Callable::Window;
    if (function.kind == FunctionKind::Aggregate) {
      callable.mode = text == "count" || text == "sum" || text == "avg" ? Callable::Sums : Callable::Aggregate;
    }
    if (text == "coalesce" || text == "ifnull") callable.hands = Callable::All;
    if (text == "iif") callable.hands = Callable::NotFirst;
    callable.usual =
        std::find(std::begin(kUsualFunctions), std::end(kUsualFunctions), text) != std::end(kUsualFunctions);
    function_of_[name] = static_cast<uint16_t>(functions_.size());
    functions_.push_back(callable);
    function_names_.push_back(name);
  }
}

void World::group_functions() {
  for (const NameId name : function_names_) {
    const Callable& callable = functions_[function_of_[name]];
    if (settings_.style == Style::Canonical && !callable.usual) continue;
    const auto alike = [&](const FunctionGroup& group) {
      return group.like->mode == callable.mode &&
             (group.like->hands == Callable::None) == (callable.hands == Callable::None);
    };
    auto group = std::ranges::find_if(function_groups_, alike);
    if (group == function_groups_.end()) {
      group = function_groups_.insert(group, FunctionGroup{});
      group->like = &callable;
    }
    if (keyword_[name] == Terminal::Illegal && bare_[name]) {
      group->words.insert(rank_[name]);
    } else {
      group->keywords.push_back(name);
    }
  }
}

std::pair<Rank, Rank> World::range(std::string_view prefix) const {
  const auto begin = std::lower_bound(by_rank_.begin(), by_rank_.end(), prefix,
                                      [&](NameId name, std::string_view text) { return names_.text(name) < text; });
  const auto end = std::upper_bound(begin, by_rank_.end(), prefix, [&](std::string_view text, NameId name) {
    return text < names_.text(name).substr(0, text.size());
  });
  return {static_cast<Rank>(begin - by_rank_.begin()), static_cast<Rank>(end - by_rank_.begin())};
}

}  // namespace pccsql::track
