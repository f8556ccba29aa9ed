// Policies as comments in DDL: `salary INT, -- AggregateOnly`, and as prompts write it, `salary INT -- AggregateOnly,`
// with the comma inside the comment. A comment speaks of the column whose definition or comma it follows on its line.
//
// A comment is a policy if it is a policy's name and nothing else, punctuation aside, or if it begins with `pccsql:`.
// Prose is none: `-- Public holidays are listed elsewhere` says nothing about who may see the column.
//
// A comment between the opening parenthesis and the first column that begins with `pccsql:` and one of the words
// `min_group`, `key` and `row` is the table's group rule: `-- pccsql: min_group: 5, key: employee_id`, read as YAML.
//
// Only the list in the parentheses of CREATE TABLE is looked at. There a policy that follows no column is an error, and
// what a person will have meant as one but did not spell so; likewise prose that begins with a policy other than
// Public, because passing over it could lift a restriction.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "policy/policy_file.h"
#include "policy/sql_cursor.h"
#include "policy/unknown.h"
#include "schema/comments.h"

namespace pccsql {
namespace {

bool is_word_byte(char c) { return (fold(c) >= 'a' && fold(c) <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view first_word(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && is_word_byte(text[end])) ++end;
  return text.substr(0, end);
}

// Public and Hidden are words of everyday language; the others are not.
bool is_short(std::string_view policy_name) { return policy_name.size() <= 8; }

enum class Among { AllNames, LongNames };

// Whether a person who wrote `word` will have meant a policy: another case, a slip or two.
bool resembles_policy(std::string_view word, size_t slips_in_long_names, Among names) {
  constexpr size_t kLongestWorthComparing = 20;
  if (word.size() > kLongestWorthComparing) return false;
  for (const ColumnPolicy policy : kColumnPolicies) {
    const std::string_view name = to_string(policy);
    if (names == Among::LongNames && is_short(name)) continue;
    // One slip in the short names, lest `publish` be taken for Public.
    if (edit_distance(word, name) <= (is_short(name) ? 1 : slips_in_long_names)) return true;
  }
  return false;
}

// What follows `pccsql:` at the beginning of a comment.
std::optional<std::string> after_marker(std::string_view text) {
  constexpr std::string_view kMarker = "pccsql";
  if (!equal_folded(text.substr(0, kMarker.size()), kMarker)) return std::nullopt;
  const std::string rest = trimmed(text.substr(kMarker.size()));
  if (rest.empty() || rest[0] != ':') return std::nullopt;
  return trimmed(std::string_view(rest).substr(1));
}

std::string_view without_punctuation(std::string_view text) {
  constexpr std::string_view kPunctuation = " \t\r\n.,;:!*-()[]";
  const size_t begin = std::min(text.find_first_not_of(kPunctuation), text.size());
  const size_t end = text.find_last_not_of(kPunctuation);
  return begin == text.size() ? std::string_view() : text.substr(begin, end + 1 - begin);
}

// `Aggregate only` and `aggregate-only`: two words that would be one policy.
std::string first_two_words_joined(std::string_view text) {
  const std::string_view first = first_word(text);
  std::string_view rest = text.substr(first.size());
  if (rest.empty() || (rest[0] != ' ' && rest[0] != '-')) return {};
  return std::string(first) + std::string(first_word(rest.substr(1)));
}

class CommentReader {
 public:
  CommentReader(std::string_view ddl, const Catalog& catalog, const std::string& file)
      : cursor_(ddl, file), catalog_(catalog) {
    for (const Table& table : catalog.tables()) given_.emplace_back(table.columns.size());
    rules_.resize(catalog.tables().size());
  }

  Result<Policy> read(ColumnPolicy otherwise) {
    if (Failure failure = cursor_.check()) return *failure;
    while (!cursor_.at_end()) {
      if (Failure failure = read_statement()) return *failure;
    }
    Policy policy(catalog_, otherwise);
    for (size_t t = 0; t < given_.size(); ++t) {
      for (size_t c = 0; c < given_[t].size(); ++c) {
        if (given_[t][c]) policy.set({static_cast<TableId>(t), static_cast<ColumnIndex>(c)}, *given_[t][c]);
      }
      policy.set_group(static_cast<TableId>(t), rules_[t]);
    }
    return policy;
  }

 private:
  using Failure = std::optional<Error>;

  Failure read_statement() {
    const bool create = cursor_.take_word("CREATE");
    if (create && (cursor_.at_word("TEMP") || cursor_.at_word("TEMPORARY"))) cursor_.advance();
    if (!create || !cursor_.take_word("TABLE")) {
      cursor_.skip_statement();
      return std::nullopt;
    }
    if (cursor_.take_word("IF")) {
      cursor_.take_word("NOT");
      cursor_.take_word("EXISTS");
    }
    uint32_t at = cursor_.next().span.begin;
    std::optional<std::string> name = cursor_.take_name();
    while (name && cursor_.take(Terminal::Dot)) {
      at = cursor_.next().span.begin;
      name = cursor_.take_name();
    }
    if (!name) return cursor_.error("the name of a table was expected");
    const std::optional<TableId> table = catalog_.find_table(*name);
    if (!table) return cursor_.error_at(at, unknown_table(catalog_, *name));
    if (cursor_.at(Terminal::LeftParen)) {
      if (Failure failure = read_list(*table)) return failure;
    }
    cursor_.skip_statement();
    return std::nullopt;
  }

  // ( column, column, …, constraint ): stands at the parenthesis, ends past its partner.
  Failure read_list(TableId table) {
    cursor_.advance();
    table_ = table;
    if (Failure failure = read_comments(std::nullopt, nullptr)) return failure;
    table_.reset();
    while (true) {
      std::optional<ColumnRef> column;
      if (Failure failure = begin_item(table, column)) return failure;
      if (Failure failure = finish_item(column)) return failure;
      const bool closes = cursor_.at(Terminal::RightParen);
      if (closes || cursor_.at(Terminal::Comma)) {
        cursor_.advance();
        // After the last parenthesis no column is near enough to be meant.
        if (Failure failure = read_comments_on_line(closes ? std::nullopt : column, closes)) return failure;
      }
      if (closes) return std::nullopt;
    }
  }

  // The name of a column, which is looked up, or the first word of a table constraint, which is no column.
  Failure begin_item(TableId table, std::optional<ColumnRef>& column) {
    for (const std::string_view word : {"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}) {
      if (cursor_.take_word(word)) return std::nullopt;
    }
    const uint32_t at = cursor_.next().span.begin;
    const std::optional<std::string> name = cursor_.take_name();
    if (!name) return cursor_.error("the name of a column was expected");
    const std::optional<ColumnIndex> index = catalog_.table(table).find_column(catalog_.names().find(*name));
    if (!index) return cursor_.error_at(at, unknown_column(catalog_.table(table), *name));
    column = ColumnRef{table, *index};
    return std::nullopt;
  }

  // Ends at the comma or parenthesis after the item, or past a comment that swallowed the comma.
  Failure finish_item(std::optional<ColumnRef> column) {
    size_t depth = 0;
    while (true) {
      bool swallowed = false;
      if (Failure failure = read_comments(column, depth == 0 ? &swallowed : nullptr)) return failure;
      const Terminal terminal = cursor_.next().terminal;
      if (terminal == Terminal::End || terminal == Terminal::Semicolon) return cursor_.error("a `)` is missing");
      if (swallowed || (depth == 0 && (terminal == Terminal::Comma || terminal == Terminal::RightParen)))
        return std::nullopt;
      if (terminal == Terminal::LeftParen) ++depth;
      if (terminal == Terminal::RightParen) --depth;
      cursor_.advance();
    }
  }

  // The gap between the lexeme just taken and the next one.
  std::vector<Comment> comments_here() const {
    return comments_in(cursor_.sql(), {cursor_.lexeme(cursor_.place() - 1).span.end, cursor_.next().span.begin});
  }

  // Sets `swallowed`, if given, when one of the comments holds the comma that ends the item.
  Failure read_comments(std::optional<ColumnRef> column, bool* swallowed) {
    const bool comma_is_missing = !cursor_.at(Terminal::Comma) && !cursor_.at(Terminal::RightParen);
    for (const Comment& comment : comments_here()) {
      if (Failure failure = apply(comment, column)) return failure;
      if (swallowed && comma_is_missing && comment.ends_with_comma(cursor_.sql())) {
        *swallowed = true;
        column.reset();  // what follows stands on a line of its own
      }
    }
    return std::nullopt;
  }

  // After a comma or the last parenthesis: on the same line `column` is meant, below it none is.
  Failure read_comments_on_line(std::optional<ColumnRef> column, bool only_this_line) {
    const uint32_t begin = cursor_.lexeme(cursor_.place() - 1).span.end;
    for (const Comment& comment : comments_here()) {
      const bool same_line = Span{begin, comment.span.begin}.of(cursor_.sql()).find('\n') == std::string_view::npos;
      if (!same_line && only_this_line) break;
      if (Failure failure = apply(comment, same_line ? column : std::nullopt)) return failure;
    }
    return std::nullopt;
  }

  // The policy that a comment is, if it is one.
  Failure read_policy(const Comment& comment, std::optional<ColumnPolicy>& policy) const {
    const std::string text = trimmed(comment.text.of(cursor_.sql()));
    const auto mistaken = [&](std::string_view word) -> Failure {
      return cursor_.error_at(comment.span.begin, unknown_policy(word));
    };
    if (const std::optional<std::string> marked = after_marker(text)) {
      const std::string_view word = first_word(*marked);
      policy = parse_column_policy(word);
      return policy ? std::nullopt : mistaken(word);
    }
    const std::string_view whole = without_punctuation(text);
    policy = parse_column_policy(whole);
    if (policy) return std::nullopt;
    const std::string_view word = first_word(whole);
    const bool alone = word.size() == whole.size();
    const std::optional<ColumnPolicy> begins_with = parse_column_policy(word);
    const bool hidden = !alone && equal_folded(word, to_string(ColumnPolicy::Hidden));
    if (hidden || (begins_with && *begins_with != ColumnPolicy::Public)) {
      const std::string name(hidden ? to_string(ColumnPolicy::Hidden) : word);
      return cursor_.error_at(comment.span.begin,
                              "a policy stands alone in its comment; write " + shown("pccsql: " + name) +
                                  " before what else there is to say, or begin the comment with another word");
    }
    if (begins_with) return std::nullopt;
    if (resembles_policy(word, 3, alone ? Among::AllNames : Among::LongNames)) return mistaken(word);
    const std::string joined = first_two_words_joined(whole);
    return resembles_policy(joined, 2, Among::LongNames) ? mistaken(joined) : std::nullopt;
  }

  // Sets `is_rule` if the comment is a group rule. What stands in it is what would stand in a policy file.
  Failure read_rule(const Comment& comment, bool& is_rule) {
    const std::optional<std::string> marked = after_marker(trimmed(comment.text.of(cursor_.sql())));
    if (!marked) return std::nullopt;
    const std::string_view word = first_word(*marked);
    is_rule = word == "min_group" || word == "key" || word == "row";
    if (!is_rule) return std::nullopt;
    const auto wrong = [&](const std::string& message) -> Failure {
      return cursor_.error_at(comment.span.begin, message);
    };
    if (!table_) {
      return wrong("the rule " + shown(word) +
                   " follows no table; write it behind the parenthesis that begins its columns");
    }
    Result<GroupRule> rule = parse_group_rule(*marked, catalog_, *table_);
    if (rule) rule = intersection(catalog_.table(*table_), rules_[*table_], *rule);
    if (!rule) return wrong(rule.error().message);
    rules_[*table_] = std::move(*rule);
    return std::nullopt;
  }

  Failure apply(const Comment& comment, std::optional<ColumnRef> column) {
    bool is_rule = false;
    if (Failure failure = read_rule(comment, is_rule)) return failure;
    if (is_rule) return std::nullopt;
    std::optional<ColumnPolicy> policy;
    if (Failure failure = read_policy(comment, policy)) return failure;
    if (!policy) return std::nullopt;
    if (!column) {
      return cursor_.error_at(comment.span.begin, "the policy " + shown(to_string(*policy)) +
                                                      " follows no column; write it behind the column, on its line");
    }
    std::optional<ColumnPolicy>& given = given_[column->table][column->column];
    given = given ? intersection(*given, *policy) : *policy;
    return std::nullopt;
  }

  SqlCursor cursor_;
  const Catalog& catalog_;
  std::vector<std::vector<std::optional<ColumnPolicy>>> given_;
  std::vector<GroupRule> rules_;  // per table
  std::optional<TableId> table_;  // between its opening parenthesis and its first column
};

}  // namespace

Result<Policy> parse_policy_ddl(std::string_view ddl, const Catalog& catalog, ColumnPolicy otherwise,
                                const std::string& file) {
  return CommentReader(ddl, catalog, file).read(otherwise);
}

}  // namespace pccsql
