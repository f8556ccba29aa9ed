#include "decode/draft.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "prompt/schema_text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

enum class Clause : uint8_t { Items, From, Where, Group, Having, Order };

// A query's text with what can be said of it by its lexemes alone: where the outermost select list is, what its items are,
// and in which clause a place stands.
class Layout {
 public:
  explicit Layout(std::string_view sql) : sql_(sql) {
    lex(sql, lexemes_);
    lexemes_.pop_back();  // the end
    read();
  }

  // One SELECT, without WITH, set operations, and terms of GROUP BY and ORDER BY that count items.
  bool is_plain() const { return plain_; }
  const std::vector<Span>& items() const { return items_; }
  bool has_distinct() const { return distinct_; }
  bool has_clause(Clause clause) const { return clauses_.contains(clause); }

  // The item that a place is in.
  std::optional<size_t> item_at(Span place) const {
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].begin <= place.begin && place.end <= items_[i].end) return i;
    }
    return std::nullopt;
  }

  Clause clause_at(uint32_t offset) const {
    Clause found = Clause::Items;
    for (size_t i = 0; i < lexemes_.size() && lexemes_[i].span.begin <= offset; ++i) found = in_clause_[i];
    return found;
  }

  // The lexemes around a place, for what is written directly before it; nullptr where there is none.
  const Lexeme* before(uint32_t offset, size_t back) const {
    const auto at = std::ranges::find_if(lexemes_, [&](const Lexeme& l) { return l.span.begin >= offset; });
    const auto index = static_cast<size_t>(at - lexemes_.begin());
    return index >= back ? &lexemes_[index - back] : nullptr;
  }
  const Lexeme* after(uint32_t offset) const {
    const auto at = std::ranges::find_if(lexemes_, [&](const Lexeme& l) { return l.span.begin >= offset; });
    return at == lexemes_.end() ? nullptr : &*at;
  }

  // Numbers and strings as written, but for those inside the items named.
  std::vector<std::string> literals(const std::set<size_t>& without) const {
    std::vector<std::string> found;
    for (const Lexeme& lexeme : lexemes_) {
      if (lexeme.terminal != Terminal::String && lexeme.terminal != Terminal::Integer &&
          lexeme.terminal != Terminal::Float) {
        continue;
      }
      const auto item = item_at(lexeme.span);
      if (!item || !without.contains(*item)) found.emplace_back(lexeme.span.of(sql_));
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  void read() {
    std::vector<Clause> open;  // of the SELECTs and parentheses around
    Clause clause = Clause::Items;
    bool in_list = false;
    bool at_term = false;  // the next lexeme begins a term of GROUP BY or ORDER BY
    uint32_t begin = 0;
    plain_ = !lexemes_.empty() && lexemes_[0].terminal == Terminal::kw_SELECT;
    for (size_t i = 0; i < lexemes_.size(); ++i) {
      const Terminal terminal = lexemes_[i].terminal;
      const bool outermost = open.empty();
      if (outermost && at_term && terminal == Terminal::Integer) plain_ = false;
      at_term = false;
      switch (terminal) {
        case Terminal::LeftParen:
          open.push_back(clause);
          break;
        case Terminal::RightParen:
          if (open.empty()) {
            plain_ = false;
          } else {
            clause = open.back();
            open.pop_back();
          }
          break;
        case Terminal::kw_SELECT:
          clause = Clause::Items;
          if (outermost) {
            in_list = true;
            begin = lexemes_[i].span.end;
          }
          break;
        case Terminal::kw_DISTINCT:
        case Terminal::kw_ALL:
          if (outermost && in_list && items_.empty() && i > 0 && lexemes_[i - 1].terminal == Terminal::kw_SELECT) {
            distinct_ = terminal == Terminal::kw_DISTINCT;
            begin = lexemes_[i].span.end;
          }
          break;
        case Terminal::Comma:
          if (outermost && in_list) {
            items_.push_back({begin, lexemes_[i].span.begin});
            begin = lexemes_[i].span.end;
          }
          at_term = clause == Clause::Group || clause == Clause::Order;
          break;
        case Terminal::kw_FROM:
          if (outermost && in_list) items_.push_back({begin, lexemes_[i].span.begin});
          if (outermost) in_list = false;
          clause = Clause::From;
          break;
        case Terminal::kw_WHERE:
          clause = Clause::Where;
          break;
        case Terminal::kw_GROUP:
          clause = Clause::Group;
          break;
        case Terminal::kw_HAVING:
          clause = Clause::Having;
          break;
        case Terminal::kw_ORDER:
          clause = Clause::Order;
          break;
        case Terminal::kw_BY:
          at_term = true;
          break;
        case Terminal::kw_UNION:
        case Terminal::kw_INTERSECT:
        case Terminal::kw_EXCEPT:
          if (outermost) plain_ = false;
          break;
        default:
          break;
      }
      if (outermost && terminal != Terminal::LeftParen) clauses_.insert(clause);
      if (outermost && terminal == Terminal::kw_LIMIT) clauses_.insert(Clause::Order);  // which rows come counts, too
      in_clause_.push_back(clause);
    }
    if (in_list || items_.empty()) plain_ = false;
  }

  std::string_view sql_;
  std::vector<Lexeme> lexemes_;
  std::vector<Clause> in_clause_;  // per lexeme
  std::vector<Span> items_;
  std::set<Clause> clauses_;
  bool plain_ = false;
  bool distinct_ = false;
};

std::string_view clause_words(Clause clause, Role role, bool output) {
  if (output) return role == Role::Agg ? "in an aggregate of the output" : "output";
  if (role == Role::Join) return "a join";
  if (role == Role::Where) return "a filter";
  switch (clause) {
    case Clause::Group:
      return "grouping";
    case Clause::Order:
      return "ordering";
    case Clause::Having:
      return "a filter";
    default:
      return role == Role::Agg ? "an aggregate" : "output of a nested query";
  }
}

// COUNT of a key counts rows: where the key may not be counted, the rows may.
std::string with_counts_of_rows(const Catalog& catalog, const std::string& draft, const Judgement& judgement) {
  const Layout layout(draft);
  std::vector<Span> keys;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    if (judgement.permitted[i] || use.role != Role::Agg) continue;
    const Table& table = catalog.table(use.column.table);
    const bool key = table.primary_key.size() == 1 && table.primary_key[0] == use.column.column;
    const Lexeme* const open = layout.before(use.span.begin, 1);
    const Lexeme* const function = layout.before(use.span.begin, 2);
    const Lexeme* const close = layout.after(use.span.end);
    if (!key || open == nullptr || function == nullptr || close == nullptr) continue;
    if (open->terminal != Terminal::LeftParen || close->terminal != Terminal::RightParen) continue;
    if (equal_folded(function->span.of(draft), "count")) keys.push_back(use.span);
  }
  // A row that an outer join fills up has no key to count.
  const std::string words = folded(draft);
  const auto joins = [&](std::string_view side) { return words.find(side) != std::string::npos; };
  if (keys.empty() || joins("left ") || joins("right ") || joins("full ")) return draft;
  std::ranges::sort(keys, {}, &Span::begin);
  std::string text;
  uint32_t done = 0;
  for (const Span key : keys) {
    if (key.begin < done) continue;
    text += draft.substr(done, key.begin - done) + "*";
    done = key.end;
  }
  return text + draft.substr(done);
}

// The outermost select list with other items, in their order; what they hold is text.
std::string with_items(const std::string& draft, const Layout& layout, const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) list += (list.empty() ? " " : ", ") + item;
  return draft.substr(0, layout.items().front().begin) + list + " " + draft.substr(layout.items().back().end);
}

// What `*` or `t.*` stands for and may be shown.
std::string permitted_star(const Catalog& catalog, const Judgement& judgement, std::string_view star, Span span) {
  const std::string qualifier(star.substr(0, star.size() - 1));
  std::string columns;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    if (!use.star || !(use.span == span) || !judgement.permitted[i]) continue;
    columns += (columns.empty() ? "" : ", ") + qualifier + name_in_sql(catalog.column(use.column).name);
  }
  return columns;
}

}  // namespace

DraftReading read_draft(Subject& subject, std::string_view text) {
  DraftReading reading;
  const Catalog& catalog = subject.catalog();
  Judgement judgement = subject.judgement(text);
  if (judgement.verdict != Verdict::Safe && judgement.verdict != Verdict::Unsafe) return reading;
  std::string draft = with_counts_of_rows(catalog, std::string(text), judgement);
  if (draft != text) {
    Judgement counted = subject.judgement(draft);
    if (counted.verdict == Verdict::Safe || counted.verdict == Verdict::Unsafe) {
      judgement = std::move(counted);
    } else {
      draft = text;
    }
  }
  reading.understood = true;
  const Layout layout(draft);
  reading.outputs_only = layout.is_plain() && judgement.closed_tables.empty();
  std::set<size_t> lost;  // items with something that may not be shown
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    if (judgement.permitted[i]) continue;
    const auto item = layout.item_at(use.span);
    if (item) {
      lost.insert(*item);
      reading.lost.push_back(use.column);
    } else {
      reading.outputs_only = false;
    }
    WithheldUse made{column_text(catalog, use.column),
                     std::string(clause_words(layout.clause_at(use.span.begin), use.role, item.has_value())),
                     use.role, judgement.policies[i], item.has_value(), use.column, {}};
    if (std::ranges::find(reading.withheld, made) == reading.withheld.end()) reading.withheld.push_back(std::move(made));
  }
  for (const NamedTable& mention : judgement.closed_tables) {
    WithheldUse made{name_in_sql(catalog.table(mention.table).name), "a table to read from", std::nullopt,
                     ColumnPolicy::Hidden, false, {}, mention.table};
    if (std::ranges::find(reading.withheld, made) == reading.withheld.end()) reading.withheld.push_back(std::move(made));
  }
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const auto item = layout.item_at(judgement.uses[i].span);
    const Occurrence& use = judgement.uses[i];
    const AnswerUse made{use.column, use.role, judgement.policies[i], judgement.permitted[i]};
    const bool stays = made.permitted && (!item || !lost.contains(*item) || use.star);
    if (stays && std::ranges::find(reading.kept, made) == reading.kept.end()) reading.kept.push_back(made);
  }
  reading.literals = layout.literals(lost);
  if (judgement.verdict == Verdict::Safe) {
    reading.sql = draft;
    reading.complete = true;
    return reading;
  }
  if (!reading.outputs_only) return reading;

  std::vector<std::string> left;
  std::vector<std::string> averages;
  for (size_t i = 0; i < layout.items().size(); ++i) {
    const std::string item = trimmed(layout.items()[i].of(draft));
    if (!lost.contains(i)) {
      left.push_back(item);
      continue;
    }
    for (size_t u = 0; u < judgement.uses.size(); ++u) {
      const Occurrence& use = judgement.uses[u];
      if (layout.item_at(use.span) != i || judgement.permitted[u]) continue;
      if (use.star && item.ends_with('*')) {
        const std::string columns = permitted_star(catalog, judgement, item, use.span);
        if (!columns.empty()) left.push_back(columns);
        break;
      }
      const bool bare = use.role == Role::Sel && !use.minmax && trimmed(use.span.of(draft)) == item;
      if (bare && judgement.policies[u] == ColumnPolicy::AggregateOnly) averages.push_back("AVG(" + item + ")");
    }
  }
  // Where nothing but values remains that may only be averaged, their averages do: over the same rows, if nothing sorts,
  // groups or cuts them.
  const bool whole = !layout.has_distinct() && !layout.has_clause(Clause::Group) && !layout.has_clause(Clause::Order);
  if (left.empty() && whole && averages.size() == layout.items().size()) left = averages;
  if (left.empty()) return reading;
  std::string sql = with_items(draft, layout, left);
  if (subject.judgement(sql).verdict == Verdict::Safe) reading.sql = std::move(sql);
  return reading;
}

bool keeps(const DraftReading& draft, std::string_view sql, const std::vector<AnswerUse>& uses) {
  if (!draft.understood || draft.kept.empty()) return false;
  if (!draft.complete && !draft.outputs_only) return false;
  const auto used = [&](const AnswerUse& use) { return std::ranges::find(uses, use) != uses.end(); };
  const auto meant = [&](const AnswerUse& use) {
    if (std::ranges::find(draft.kept, use) != draft.kept.end()) return true;
    return use.role == Role::Agg && std::ranges::find(draft.lost, use.column) != draft.lost.end();
  };
  return std::ranges::all_of(draft.kept, used) && std::ranges::all_of(uses, meant) &&
         Layout(sql).literals({}) == draft.literals;
}

}  // namespace pccsql
