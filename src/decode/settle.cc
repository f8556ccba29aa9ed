#include "decode/settle.h"

#include <algorithm>

#include "base/text.h"
#include "decode/common.h"
#include "decode/draft.h"
#include "decode/instead.h"
#include "decode/mention.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

// Of a name whose use is known by its place alone.
WithheldUse withheld_use(const Catalog& catalog, const BlockedName& name) {
  WithheldUse made;
  made.name = name.name;
  const size_t dot = name.name.find('.');
  if (dot != std::string::npos) made.column = catalog.find_column(name.name.substr(0, dot), name.name.substr(dot + 1));
  for (const Role role : kRoles) {
    if (name.role.find(to_string(role)) == std::string::npos) continue;
    if (!made.role) made.role = role;
    made.use += (made.use.empty() ? "" : " and ") + std::string(in_words(role));
  }
  if (!made.role) made.use = in_words(std::nullopt);
  for (const ColumnPolicy policy : kColumnPolicies) {
    if (name.why.starts_with(to_string(policy))) made.policy = policy;
  }
  return made;
}

// "`employee.salary` as ordering, `employee.ssn` as a filter"
std::string in_words(const std::vector<WithheldUse>& uses) {
  std::string text;
  for (const WithheldUse& use : uses) text += (text.empty() ? "`" : ", `") + use.name + "` as " + use.use;
  return text;
}

// PRE: withheld_uses says what is missing.
void withhold(Subject& subject, const std::function<bool(std::string_view sql)>& admits, Answer& answer) {
  const std::string written = answer.sql.value_or("");
  refuse(answer, Cause::Withheld, "it needs " + in_words(answer.withheld_uses) + ", which the policy does not permit");
  answer.withheld = written;
  for (const Instead& instead : questions_instead(subject, answer.withheld_uses)) {
    if (admits(instead.sql)) answer.instead.push_back(instead.question);
  }
}

// A name is taken away at its first letters, when only its beginning is known: whether one of those that it could have been is what
// the draft goes on to write there, or, where it is all of another name that may be written, has written there.
bool is_confirmed(const Wish::Draft& draft, const std::vector<BlockedName>& blocked) {
  std::vector<Lexeme> lexemes;
  lex(draft.text, lexemes);
  auto wanted = std::ranges::find_if(lexemes, [&](const Lexeme& lexeme) {
    return lexeme.terminal == Terminal::Name && lexeme.span.end >= draft.wanted;
  });
  // `T1` before `.name` was wanted is none of it.
  const bool qualifies = wanted != lexemes.end() && wanted->span.end == draft.wanted && std::next(wanted)->terminal == Terminal::Dot;
  if (qualifies) wanted = std::find_if(std::next(wanted), lexemes.end(), [](const Lexeme& lexeme) { return lexeme.terminal == Terminal::Name; });
  if (wanted == lexemes.end()) return true;
  std::string buffer;
  const std::string name(name_text(*wanted, draft.text, buffer));
  return std::ranges::any_of(blocked, [&](const BlockedName& one) {
    return one.by_policy && (one.name == "*" || equal_folded(one.name.substr(one.name.find('.') + 1), name));
  });
}

}  // namespace

void settle(Subject& subject, const Wish& wish, const std::function<bool(std::string_view sql)>& admits, Answer& answer) {
  DraftReading reading;
  for (const Wish::Draft& draft : wish.drafts) {
    answer.draft = draft.text;
    reading = read_draft(subject, draft.text);
    if (reading.understood) break;
  }
  const bool by_policy = wish.by_policy && (wish.drafts.empty() || is_confirmed(wish.drafts.back(), answer.blocked));
  if (!by_policy && !reading.understood) return;  // something did not fit, and that is all
  answer.withheld_uses = reading.withheld;
  if (!reading.understood) {
    for (const BlockedName& name : answer.blocked) {
      if (name.by_policy) answer.withheld_uses.push_back(withheld_use(subject.catalog(), name));
    }
    return withhold(subject, admits, answer);
  }
  // What merely was named wrongly the mask has put right in its own way.
  if (reading.repaired && reading.complete && !wish.by_policy) return;
  const Kept kept = wish.counts_filled_rows ? Kept::No : keeps(subject.catalog(), reading, *answer.sql, answer.uses);
  if (kept != Kept::No) {
    answer.partial = kept == Kept::InPart;
    if (!answer.partial) answer.withheld_uses.clear();
  } else if (reading.sql && admits(*reading.sql)) {
    subject.judge(*reading.sql, answer);
    answer.partial = !reading.complete;
  } else {
    withhold(subject, admits, answer);
  }
}

void withhold_if_mentioned(Subject& subject, const std::string& question, const std::function<bool(std::string_view sql)>& admits,
                           Answer& answer) {
  if (auto use = mentioned_and_closed(subject.catalog(), subject.policy(), question, *answer.sql)) {
    answer.withheld_uses = {*std::move(use)};
    withhold(subject, admits, answer);
  }
}

}  // namespace pccsql
