#include "paper/scope.h"

#include <algorithm>
#include <cstddef>

#include "base/bytes.h"
#include "base/text.h"
#include "syntax/grammar.h"
#include "track/hash.h"

namespace pccsql::paper {
namespace {

bool is_letter(char c) { return fold(c) >= 'a' && fold(c) <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether it can be written without quotes.
bool is_bare(std::string_view text) {
  if (text.empty() || is_digit(text[0]) || text[0] == '$') return false;
  for (const char c : text) {
    const bool word = is_letter(c) || is_digit(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
    if (!word) return false;
  }
  const Terminal keyword = terminal_of(text);
  return keyword == Terminal::Illegal || keyword_kind(keyword) != KeywordKind::Reserved;
}

// One or two letters, up to two digits.
bool is_short_alias(std::string_view text) {
  size_t letters = 0;
  while (letters < text.size() && is_letter(text[letters])) ++letters;
  if (letters < 1 || letters > 2 || text.size() - letters > 2) return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(letters), text.end(), is_digit);
}

void add(PaperWords& set, std::string_view text, uint8_t flags) {
  if (is_bare(text)) flags |= PaperWords::Bare;
  set.words.push_back({folded(text), flags});
  if (flags & PaperWords::Column) set.any_column = true;
}

void sort(PaperWords& set) {
  auto& words = set.words;
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.text < b.text; });
  size_t kept = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (kept > 0 && words[kept - 1].text == words[i].text) {
      words[kept - 1].flags |= words[i].flags;
    } else {
      if (kept != i) words[kept] = std::move(words[i]);
      ++kept;
    }
  }
  words.resize(kept);
}

}  // namespace

uint8_t PaperWords::find(std::string_view text) const {
  const auto found = std::lower_bound(words.begin(), words.end(), text,
                                      [](const Word& word, std::string_view wanted) { return word.text < wanted; });
  return found != words.end() && found->text == text ? found->flags : 0;
}

const PaperWords::Word* PaperWords::extension(std::string_view prefix, uint8_t all, uint8_t some) const {
  const Word* best = nullptr;
  auto at = std::lower_bound(words.begin(), words.end(), prefix,
                             [](const Word& word, std::string_view wanted) { return word.text < wanted; });
  for (; at != words.end() && at->text.starts_with(prefix); ++at) {
    if ((at->flags & all) != all || (at->flags & some) == 0) continue;
    if (best == nullptr || at->text.size() < best->text.size()) best = &*at;
  }
  return best;
}

PaperScopes::PaperScopes(const Catalog& catalog, const Policy& policy, TrackSettings settings, TextArena& texts)
    : catalog_(catalog), policy_(policy), settings_(settings), texts_(texts), selects_(1), hashes_(1) {
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    table_names_.push_back(texts_.folded(texts_.intern(catalog.table(table).name)));
    if (catalog.table(table).kind != TableKind::Virtual) tables_.push_back(table);
  }
  for (const Function& function : sql_grammar().functions()) {
    const bool inside = function.kind == FunctionKind::Scalar || function.kind == FunctionKind::Aggregate;
    if (inside) functions_.push_back(function.name);
  }
}

SelectId PaperScopes::intern(PaperSelect select) {
  const auto [entry, added] = ids_.try_emplace(std::move(select), static_cast<SelectId>(selects_.size()));
  if (added) {
    selects_.push_back(&entry->first);
    bytes_ += sizeof *entry + held_bytes(entry->first.items) + held_bytes(entry->first.references) + 8 * kAllocationBytes;
    hashes_.push_back(content_hash(entry->first));
  }
  return entry->second;
}

Key PaperScopes::content_hash(const PaperSelect& select) const {
  Hasher hasher;
  hasher.add(hashes_[select.parent].high);
  hasher.add(hashes_[select.parent].low);
  hasher.add(static_cast<uint64_t>(select.clause) | uint64_t{select.parens} << 8 | uint64_t{select.filter} << 16 |
             uint64_t{select.from_begun} << 24 | uint64_t{select.from_closed} << 25 | uint64_t{select.natural} << 26);
  hasher.add(select.aggregates);
  for (const PaperItem& item : select.items) {
    hasher.add(item.table);
    hasher.add(texts_.str(item.name));
    hasher.add(item.natural);
  }
  // By content: the order of ids is the order in which one object met the names.
  Key sum;
  for (const PaperReference& reference : select.references) {
    Hasher one;
    one.add(texts_.str(reference.qualifier));
    one.add(texts_.str(reference.name));
    one.add(static_cast<uint64_t>(reference.need));
    sum.high += one.key().high;
    sum.low += one.key().low;
  }
  hasher.add(select.items.size());
  hasher.add(sum.high);
  hasher.add(sum.low);
  return hasher.key();
}

Need PaperScopes::need(SelectId id) const {
  const PaperSelect& select = at(id);
  if (select.aggregates != 0) return Need::Agg;
  if (select.filter != 0) return Need::Where;
  switch (select.clause) {
    case PaperClause::SelectList:
      return Need::Sel;
    case PaperClause::On:
    case PaperClause::Using:
      return Need::Join;
    case PaperClause::Where:
    case PaperClause::Having:
      return Need::Where;
    case PaperClause::GroupBy:
    case PaperClause::OrderBy:
      return settings_.profile == Profile::Strict ? Need::Sel : Need::Nothing;
    default:
      return Need::NoColumn;
  }
}

bool PaperScopes::permits(ColumnRef column, Need need) const {
  if (need == Need::Nothing) return true;
  return need != Need::NoColumn && permitted(policy_.of(column), static_cast<Role>(need));
}

TableId PaperScopes::find_table(TextId name) const {
  const auto found = catalog_.find_table(texts_.str(name));
  return found && catalog_.table(*found).kind != TableKind::Virtual ? *found : kDerivedTable;
}

const PaperWords& PaperScopes::words(SelectId id, Need need, TextId qualifier) {
  std::vector<std::vector<PaperItem>> levels;
  for (SelectId level = id; level != kNoSelect; level = at(level).parent) levels.push_back(at(level).items);
  const auto key = std::tuple(std::move(levels), at(id).from_begun, need, qualifier);
  if (const auto found = words_.find(key); found != words_.end()) return found->second;
  PaperWords set = qualifier == kEmptyText ? plain_words(id, need) : qualified_words(id, need, qualifier);
  sort(set);
  word_bytes_ += sizeof key + sizeof set + held_bytes(set.words) + 16 * kAllocationBytes;
  for (const PaperWords::Word& word : set.words) word_bytes_ += held_bytes(word.text);
  return words_.emplace(key, std::move(set)).first->second;
}

PaperWords PaperScopes::plain_words(SelectId id, Need need) const {
  PaperWords set;
  const auto add_table = [&](TableId table, std::string_view name) {
    bool any = false;
    const auto& columns = catalog_.table(table).columns;
    for (ColumnIndex i = 0; i < columns.size(); ++i) {
      if (!permits({table, i}, need)) continue;
      add(set, columns[i].name, PaperWords::Column);
      any = true;
    }
    if (any) add(set, name, PaperWords::Qualifier);
  };
  if (!at(id).from_begun) {
    for (const TableId table : tables_) add_table(table, catalog_.table(table).name);
  }
  for (SelectId level = id; level != kNoSelect; level = at(level).parent) {
    for (const PaperItem& item : at(level).items) {
      if (item.table != kDerivedTable) add_table(item.table, texts_.str(item.name));
    }
  }
  for (const std::string& function : functions_) add(set, function, PaperWords::Function);
  return set;
}

PaperWords PaperScopes::qualified_words(SelectId id, Need need, TextId qualifier) const {
  PaperWords set;
  const auto add_table = [&](TableId table) {
    const auto& columns = catalog_.table(table).columns;
    for (ColumnIndex i = 0; i < columns.size(); ++i) {
      if (permits({table, i}, need)) add(set, columns[i].name, PaperWords::Column);
    }
  };
  if (!at(id).from_begun) {
    const TableId named = find_table(qualifier);
    for (const TableId table : tables_) {
      if (named == kDerivedTable || table == named) add_table(table);
    }
  }
  for (SelectId level = id; level != kNoSelect; level = at(level).parent) {
    for (const PaperItem& item : at(level).items) {
      if (item.table != kDerivedTable && item.name == qualifier) add_table(item.table);
    }
  }
  return set;
}

bool PaperScopes::may_introduce(SelectId id, std::string_view text) const {
  return could_introduce(id, text) && catalog_.names().find(text) == kNoName;
}

bool PaperScopes::could_introduce(SelectId id, std::string_view prefix) const {
  return !at(id).from_begun && (settings_.aliases == Aliases::Any || is_short_alias(prefix));
}

bool PaperScopes::in_scope(SelectId id, TextId name) const {
  const NameId wanted = catalog_.names().find(texts_.str(name));
  if (wanted == kNoName) return false;
  if (!at(id).from_closed) {
    return std::any_of(tables_.begin(), tables_.end(),
                       [&](TableId table) { return catalog_.table(table).find_column(wanted).has_value(); });
  }
  for (SelectId level = id; level != kNoSelect; level = at(level).parent) {
    if (!columns(at(level).items, {kEmptyText, name, Need::Nothing}).empty()) return true;
  }
  return false;
}

bool PaperScopes::is_visible(SelectId id, TableId table) const {
  if (!at(id).from_begun && catalog_.table(table).kind != TableKind::Virtual) return true;
  for (SelectId level = id; level != kNoSelect; level = at(level).parent) {
    const auto& items = at(level).items;
    if (std::any_of(items.begin(), items.end(), [&](const PaperItem& item) { return item.table == table; }))
      return true;
  }
  return false;
}

std::vector<ColumnRef> PaperScopes::columns(const std::vector<PaperItem>& items,
                                            const PaperReference& reference) const {
  std::vector<ColumnRef> found;
  const NameId name = catalog_.names().find(texts_.str(reference.name));
  if (name == kNoName) return found;
  for (const PaperItem& item : items) {
    if (item.table == kDerivedTable) continue;
    if (reference.qualifier != kEmptyText && reference.qualifier != item.name) continue;
    if (const auto column = catalog_.table(item.table).find_column(name)) found.push_back({item.table, *column});
  }
  return found;
}

PaperScopes::Answer PaperScopes::resolve(const PaperSelect& select, const PaperReference& reference,
                                         std::vector<Use>* uses) const {
  if (reference.name == kEmptyText) return star(select, reference, uses);
  for (const PaperSelect* level = &select; level != nullptr; level = selects_[level->parent]) {
    const std::vector<ColumnRef> found = columns(level->items, reference);
    if (found.empty()) continue;
    for (const ColumnRef column : found) {
      if (!permits(column, reference.need)) return Answer::Forbidden;
      const bool counted = reference.need < Need::Nothing;
      if (uses != nullptr && counted) uses->push_back({column, static_cast<Role>(reference.need)});
    }
    return Answer::Permitted;
  }
  return Answer::OutOfScope;
}

PaperScopes::Answer PaperScopes::star(const PaperSelect& select, const PaperReference& reference,
                                      std::vector<Use>* uses) const {
  bool any = false;
  for (const PaperItem& item : select.items) {
    if (reference.qualifier != kEmptyText && reference.qualifier != item.name) continue;
    any = true;
    if (item.table == kDerivedTable) continue;
    const auto& columns = catalog_.table(item.table).columns;
    for (ColumnIndex i = 0; i < columns.size(); ++i) {
      if (columns[i].hidden) continue;
      if (!permits({item.table, i}, Need::Sel)) return Answer::Forbidden;
      if (uses != nullptr) uses->push_back({{item.table, i}, Role::Sel});
    }
  }
  return any ? Answer::Permitted : Answer::OutOfScope;
}

PaperScopes::Answer PaperScopes::natural(const PaperSelect& select, std::vector<Use>* uses) const {
  for (size_t i = 0; i < select.items.size(); ++i) {
    const PaperItem& item = select.items[i];
    if (!item.natural || item.table == kDerivedTable) continue;
    const auto& columns_here = catalog_.table(item.table).columns;
    for (ColumnIndex c = 0; c < columns_here.size(); ++c) {
      for (size_t left = 0; left < i; ++left) {
        const TableId other = select.items[left].table;
        if (other == kDerivedTable) continue;
        const auto same = catalog_.table(other).find_column(columns_here[c].id);
        if (!same) continue;
        for (const ColumnRef column : {ColumnRef{item.table, c}, ColumnRef{other, *same}}) {
          if (!permits(column, Need::Join)) return Answer::Forbidden;
          if (uses != nullptr) uses->push_back({column, Role::Join});
        }
      }
    }
  }
  return Answer::Permitted;
}

PaperScopes::Answer PaperScopes::close(const PaperSelect& select, std::vector<Use>* uses) const {
  Answer worst = natural(select, uses);
  for (const PaperReference& reference : select.references) {
    const Answer answer = resolve(select, reference, uses);
    if (answer == Answer::OutOfScope) return answer;
    if (answer == Answer::Forbidden) worst = answer;
  }
  return worst;
}

}  // namespace pccsql::paper
