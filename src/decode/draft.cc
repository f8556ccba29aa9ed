#include "decode/draft.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "decode/reworded.h"
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
  const auto resolves = [](const Judgement& judged) { return judged.verdict == Verdict::Safe || judged.verdict == Verdict::Unsafe; };
  std::string draft(text);
  Judgement judgement = subject.judgement(draft);
  if (judgement.verdict == Verdict::Error) {
    draft = with_owners(catalog, draft);
    reading.repaired = true;
    judgement = subject.judgement(draft);
  }
  if (!resolves(judgement)) return reading;
  for (const auto reworded : {with_counts_of_rows, with_existence}) {
    const std::string other = reworded(catalog, draft, judgement);
    if (other == draft) continue;
    Judgement judged = subject.judgement(other);
    if (!resolves(judged)) continue;
    judgement = std::move(judged);
    draft = other;
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

Kept keeps(const Catalog& catalog, const DraftReading& draft, std::string_view sql, const std::vector<AnswerUse>& uses) {
  if (!draft.understood || draft.kept.empty()) return Kept::No;
  if (!draft.complete && !draft.outputs_only) return Kept::No;
  if (Layout(sql).literals({}) != draft.literals) return Kept::No;
  const auto used = [&](const AnswerUse& use) { return std::ranges::find(uses, use) != uses.end(); };
  if (!std::ranges::all_of(draft.kept, used)) return Kept::No;
  // A reference that may not be shown, and a column of its name in the table that it refers to, which may.
  const auto stands_for = [&](ColumnRef lost, ColumnRef shown) {
    if (lost.table == shown.table || !equal_folded(catalog.column(lost).name, catalog.column(shown).name)) return false;
    // The answer joins the two by it; or the schema says so.
    const auto joined_by = [&](const AnswerUse& use) { return use.role == Role::Join && use.column == lost; };
    const auto joined_to = [&](const AnswerUse& use) { return use.role == Role::Join && use.column.table == shown.table; };
    if (std::ranges::any_of(uses, joined_by) && std::ranges::any_of(uses, joined_to)) return true;
    return std::ranges::any_of(catalog.table(lost.table).foreign_keys, [&](const ForeignKey& key) {
      return key.columns.size() == 1 && key.columns[0] == lost.column &&
             equal_folded(key.parent_table, catalog.table(shown.table).name);
    });
  };
  size_t replaced = 0;
  std::vector<ColumnRef> joined;
  for (const ColumnRef lost : draft.lost) {
    for (const AnswerUse& use : uses) {
      if (use.role != Role::Sel || !stands_for(lost, use.column)) continue;
      ++replaced;
      joined.push_back(lost);
      joined.push_back(use.column);
      break;
    }
  }
  bool aggregated = false;
  for (const AnswerUse& use : uses) {
    if (std::ranges::find(draft.kept, use) != draft.kept.end()) continue;
    const bool shown = use.role == Role::Sel && std::ranges::find(joined, use.column) != joined.end();
    const bool reference = use.role == Role::Join && std::ranges::any_of(joined, [&](ColumnRef one) { return one.table == use.column.table; });
    const bool counted = use.role == Role::Agg && std::ranges::find(draft.lost, use.column) != draft.lost.end();
    if (!shown && !reference && !counted) return Kept::No;
    aggregated |= counted;
  }
  const bool whole = draft.complete || (replaced == draft.lost.size() && replaced > 0 && !aggregated);
  return whole ? Kept::Whole : Kept::InPart;
}

}  // namespace pccsql
