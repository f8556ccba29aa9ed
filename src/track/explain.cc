// What a person would want to know about a prefix: clause, role, scope, what is owed, what may come and what may not, and why.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "track/sql_tracker.h"

namespace pccsql::track {
namespace {

std::string_view clause_name(Clause clause) {
  switch (clause) {
    case Clause::Items:
      return "select list";
    case Clause::From:
      return "FROM";
    case Clause::On:
      return "ON";
    case Clause::Where:
      return "WHERE";
    case Clause::Group:
      return "GROUP BY";
    case Clause::Having:
      return "HAVING";
    case Clause::Order:
      return "ORDER BY";
    case Clause::Limit:
      return "LIMIT";
    case Clause::Done:
      return "after a query";
  }
  return "";
}

std::string roles_text(RoleSet roles) {
  std::string text;
  for (const Role role : kRoles) {
    if ((roles & role_bit(role)) == 0) continue;
    text += (text.empty() ? "" : " and ") + std::string(to_string(role));
  }
  return text.empty() ? "none" : text;
}

std::string permitted_text(ColumnPolicy policy) {
  switch (policy) {
    case ColumnPolicy::Public:
      return "may be used in every role";
    case ColumnPolicy::ConditionOnly:
      return "may only be used in WHERE, HAVING and joins";
    case ColumnPolicy::AggregateOnly:
      return "may only be used inside COUNT, SUM, AVG";
    case ColumnPolicy::Hidden:
      return "may not be used at all";
  }
  return "";
}

// What was named before FROM, for a sentence; nothing, if there is nothing.
std::string named_before(const std::vector<Obligation>& wanted, const LocalNames& names) {
  constexpr size_t kMost = 3;
  std::vector<std::string> parts;
  for (const Obligation& one : wanted) {
    if (one.name == kNoName) continue;
    const std::string part = "`" + std::string(names.text(one.name)) + "`";
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  }
  if (parts.size() > kMost) {
    const size_t more = parts.size() - kMost;
    parts.resize(kMost);
    parts.push_back(std::to_string(more) + " more");
  }
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return text;
}

}  // namespace

Explanation SqlTracker::explain(PrefixId id) {
  Explanation result;
  if (id == kDead) return result;
  const Prefix prefix = prefixes_[id];
  const uint32_t kept = mark();
  // Inside a word the question is what the word may become; otherwise what may come next.
  const bool inside = prefix.lex.kind == LexState::Kind::Word || prefix.lex.kind == LexState::Kind::Quoted;
  const std::string begun = inside ? folded(store_.texts.str(prefix.lex.text)) : "";
  const Index open = inside ? prefix.state_id : ended(id);
  const Index at = open == kNever ? prefix.state_id : open;
  const Expectation next = expected(at);
  const State state = states_[at].state;
  const Slot slot = store_.control.name_slot(state.stack);
  Step step(store_, state);
  const bool operand = slot == Slot::Name && step.prepare_name();
  if (state.level != 0 || operand) {
    result.clause = clause_name(step.level().clause);
    const Place place = step.operand_place();
    if (operand || slot == Slot::Column) result.role = roles_text(step.roles_at(place));
  }
  for (Index level = state.level; level != 0; level = store_.levels[level].parent) {
    for (const FromItem& item : step.from_items(store_.levels[level])) {
      const std::string source = item.source->table  ? catalog_name(*item.source->table)
                                 : item.source->name ? std::string(store_.names.text(item.source->name))
                                                     : "(SELECT …)";
      const std::string alias(item.name == kNoName ? "" : store_.names.text(item.name));
      result.scope.push_back(alias.empty() || equal_folded(alias, source) ? source : source + " AS " + alias);
    }
    for (const Obligation& wanted : step.pending(store_.levels[level])) {
      if (store_.levels[level].settled) break;
      const std::string qualifier =
          wanted.qualifier == kNoName ? "" : std::string(store_.names.text(wanted.qualifier)) + ".";
      const std::string column = wanted.name == kNoName ? "*" : std::string(store_.names.text(wanted.name));
      result.obligations.push_back(qualifier + column + " (" + roles_text(wanted.roles) + ")");
    }
  }
  for (size_t t = 0; t < kTerminals; ++t) {
    const auto terminal = static_cast<Terminal>(t);
    if (!next.terminals[t]) continue;
    if (terminal == Terminal::End) {
      if (!inside) result.lexemes.emplace_back("the end of the text");
      continue;
    }
    const std::string text(spelling(terminal));
    if (begun.empty() || folded(text).compare(0, begun.size(), begun) == 0) result.lexemes.push_back(text);
  }
  const bool in_word = prefix.lex.kind == LexState::Kind::Word;
  if (next.free_string && !in_word) result.lexemes.emplace_back("a string in double quotes");
  const bool qualifies = next.alias || (next.some_alias && operand);
  if (next.free_word || next.free_quoted || (next.some_alias && !operand)) result.lexemes.emplace_back("a new name");
  if (qualifies) result.lexemes.emplace_back("an alias of a table that FROM will bring");

  std::vector<NameId> allowed;
  for (const Rank rank : next.bare) allowed.push_back(world_.word(rank));
  for (const Rank rank : next.quoted) allowed.push_back(world_.word(rank));
  std::sort(allowed.begin(), allowed.end());
  allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
  const auto matches = [&](NameId name) { return world_.names().text(name).substr(0, begun.size()) == begun; };
  for (const NameId name : allowed) {
    const bool may_call = operand && prefix.lex.kind != LexState::Kind::Quoted;
    if (!may_call || !matches(name) || world_.function(name) == nullptr) continue;
    std::string call(world_.names().text(name));
    for (char& c : call) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    result.lexemes.push_back(call + "(");
  }
  // After FROM, what the catalogue says of a column in the tables that were brought; before it, in every table that has one.
  std::vector<TableId> brought;
  for (Index level = step.level().from != 0 ? state.level : 0; level != 0; level = store_.levels[level].parent) {
    for (const FromItem& item : step.from_items(store_.levels[level])) {
      if (item.source->table) brought.push_back(*item.source->table);
    }
  }
  std::map<std::string, std::string> detail;
  for (const Source& source : world_.sources().all()) {
    if (!source.table) continue;
    if (!brought.empty() && std::find(brought.begin(), brought.end(), *source.table) == brought.end()) continue;
    for (size_t c = 0; c < source.columns.size(); ++c) {
      const ColumnRef column{*source.table, static_cast<ColumnIndex>(c)};
      std::string& text = detail[world_.catalog().column(column).name];
      text += (text.empty() ? "" : ", ") + catalog_name(*source.table) + ": " +
              std::string(to_string(world_.policy().of(column)));
    }
  }
  for (const NameId name : allowed) {
    if (!matches(name) || !(world_.is_column_name(name) || world_.sources().find(name) != nullptr)) continue;
    if (world_.keyword(name) != Terminal::Illegal &&
        !next.quoted.contains(world_.rank(name)))
      continue;
    const std::string text(world_.canonical(name));
    const Source* const table = world_.sources().find(name);
    result.allowed.push_back({text, world_.is_column_name(name) ? detail[text] : table != nullptr ? "table" : ""});
  }
  for (const std::string& own : next.own_bare) {
    if (own.compare(0, begun.size(), begun) == 0) result.allowed.push_back({own, "a name of this text"});
  }
  const std::string before =
      step.level().settled ? std::string() : named_before(step.pending(step.level()), store_.names);
  if (operand || slot == Slot::Column) {
    for (const Source& source : world_.sources().all()) {
      if (!source.table) continue;
      for (size_t c = 0; c < source.columns.size(); ++c) {
        const ColumnRef column{*source.table, static_cast<ColumnIndex>(c)};
        const NameId name = source.columns[c].name;
        if (!matches(name) || std::binary_search(allowed.begin(), allowed.end(), name)) continue;
        const ColumnPolicy policy = world_.policy().of(column);
        const RoleSet roles = step.roles_at(step.operand_place());
        std::string why;
        if (!source.nameable) {
          why = "no column of `" + catalog_name(*source.table) + "` may be used";
        } else if ((source.columns[c].permitted & roles) != roles) {
          why = std::string(to_string(policy)) + ": " + permitted_text(policy);
        } else if (step.level().settled || step.level().from_open) {
          why = "not in scope, or ambiguous there";
        } else {
          why = before.empty() ? "no table of this database has it in a way that this policy permits"
                               : "no tables of this database have it beside " + before +
                                     " in a way that this policy permits";
        }
        result.blocked.push_back({catalog_name(*source.table) + "." + world_.catalog().column(column).name, why});
      }
    }
  } else if (slot == Slot::Table) {
    for (const Source& source : world_.sources().all()) {
      if (!source.table || !matches(source.name) || std::binary_search(allowed.begin(), allowed.end(), source.name))
        continue;
      std::string why = !source.nameable ? "no column of it may be used, so it cannot be named"
                        : before.empty() ? "it cannot stand beside what FROM has"
                                         : "beside it no tables of this database have " + before +
                                               " in a way that this policy permits";
      if (source.nameable && source.closed && step.table_fits(source.name))
        why = "no column of it may be used, so it stands alone in its FROM";
      if (source.nameable && step.level().plain_star &&
          !source.expands_to(step.level().compared ? Role::Where : Role::Sel))
        why = "`*` would put out columns that are not Public";
      result.blocked.push_back({catalog_name(*source.table), why});
    }
  }
  release(kept);
  return result;
}

std::string SqlTracker::catalog_name(TableId table) const { return world_.catalog().table(table).name; }

}  // namespace pccsql::track
