#include "check/check.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"
#include "check/ast.h"
#include "check/builder.h"
#include "check/issues.h"
#include "check/resolver.h"
#include "check/roles.h"
#include "check/run_text.h"
#include "check/work.h"
#include "syntax/parser.h"

namespace pccsql {
namespace {

// The words that begin a statement which is no query.
bool begins_other_statement(Terminal terminal) {
  switch (terminal) {
    case Terminal::kw_ALTER:
    case Terminal::kw_ANALYZE:
    case Terminal::kw_ATTACH:
    case Terminal::kw_BEGIN:
    case Terminal::kw_COMMIT:
    case Terminal::kw_CREATE:
    case Terminal::kw_DELETE:
    case Terminal::kw_DETACH:
    case Terminal::kw_DROP:
    case Terminal::kw_END:
    case Terminal::kw_EXPLAIN:
    case Terminal::kw_INSERT:
    case Terminal::kw_PRAGMA:
    case Terminal::kw_REINDEX:
    case Terminal::kw_RELEASE:
    case Terminal::kw_REPLACE:
    case Terminal::kw_ROLLBACK:
    case Terminal::kw_SAVEPOINT:
    case Terminal::kw_UPDATE:
    case Terminal::kw_VACUUM:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct SqliteChecker::Workspace {
  explicit Workspace(const Catalog& catalog)
      : grammar(sql_grammar()), functions(grammar), parser(grammar), names(catalog.names()) {
    for (const char* name : {"rowid", "oid", "_rowid_"}) names.intern(name);
    own_names = names.size();
    for (const Rule& rule : grammar.rules()) {
      marked.push_back(!rule.outside.empty() || !rule.beyond.empty());
    }
  }

  const Grammar& grammar;
  check::FunctionTable functions;
  Parser parser;
  Names names;  // the catalogue's, and on top those of the query in hand
  size_t own_names = 0;
  std::vector<bool> marked;  // rules that the language, or the fragment, leaves out
  check::Ast ast;
  check::Issues issues;
  check::Work budget;
  std::vector<Span> added;  // of the text in hand, where it is one to run
  Analysis analysis;
};

SqliteChecker::SqliteChecker(const Catalog& catalog, CheckSettings settings)
    : QueryChecker(catalog, settings), work_(std::make_unique<Workspace>(catalog)) {}
SqliteChecker::~SqliteChecker() = default;
SqliteChecker::SqliteChecker(SqliteChecker&&) noexcept = default;

namespace {

// A reason repeats names of the query, which may be as long as anyone likes.
std::string shortened(std::string reason) {
  constexpr size_t kLongestReason = 400;
  if (reason.size() <= kLongestReason) return reason;
  size_t end = kLongestReason;
  while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0) == 0x80) --end;  // not inside a character
  reason.resize(end);
  return reason + "…";
}

struct Refusal {
  Verdict verdict;
  Span where;
  std::string reason;
};

// What can be said from the lexemes alone: whether this is one query at all.
std::optional<Refusal> not_one_query(std::string_view sql, const std::vector<Lexeme>& lexemes, const LexResult& lexed) {
  const auto all = static_cast<uint32_t>(sql.size());
  if (const size_t nul = sql.find('\0'); nul != std::string_view::npos) {
    return Refusal{
        Verdict::Outside, {static_cast<uint32_t>(nul), static_cast<uint32_t>(nul) + 1}, "the text holds a NUL byte"};
  }
  if (const size_t bad = find_invalid_utf8(sql); bad != std::string_view::npos) {
    return Refusal{
        Verdict::Outside, {static_cast<uint32_t>(bad), static_cast<uint32_t>(bad) + 1}, "the text is not valid UTF-8"};
  }
  size_t first = 0;
  while (lexemes[first].terminal == Terminal::Semicolon) ++first;
  if (lexemes[first].terminal == Terminal::End) {
    if (lexed.unterminated_comment) return Refusal{Verdict::Outside, {0, all}, "an unterminated comment, and no query"};
    return Refusal{Verdict::Outside, {0, all}, "there is no query; one SELECT statement is expected"};
  }
  bool ended = false;
  for (size_t i = first; i < lexemes.size(); ++i) {
    const Terminal terminal = lexemes[i].terminal;
    if (ended && terminal != Terminal::Semicolon && terminal != Terminal::End) {
      return Refusal{Verdict::Outside, lexemes[i].span, "more than one statement; only one SELECT is allowed"};
    }
    ended |= terminal == Terminal::Semicolon;
  }
  if (begins_other_statement(lexemes[first].terminal)) {
    return Refusal{Verdict::Outside, lexemes[first].span,
                   "`" + std::string(lexemes[first].span.of(sql)) + "` begins no query; only one SELECT is allowed"};
  }
  return std::nullopt;
}

// The uses outside of what was added, where they stand in the query as written.
std::vector<Occurrence> uses_as_written(const std::vector<Occurrence>& uses, const RunText& run) {
  std::vector<Occurrence> written;
  for (Occurrence use : uses) {
    uint32_t added = 0;
    bool inside = false;
    for (const Span& span : run.added) {
      inside |= span.begin <= use.span.begin && use.span.end <= span.end;
      if (span.end > use.span.begin) break;
      added += span.end - span.begin;
    }
    if (inside) continue;
    use.span = {use.span.begin - added, use.span.end - added};
    written.push_back(use);
  }
  return written;
}

}  // namespace

const Analysis& SqliteChecker::analyze(std::string_view sql) {
  Workspace& work = *work_;
  Analysis& result = work.analysis;
  result.verdict = Verdict::Safe;
  result.reason.clear();
  result.where = {};
  result.uses.clear();
  result.tables.clear();
  result.counted.clear();
  const auto refuse = [&](Verdict verdict, Span where, std::string reason) -> const Analysis& {
    result.verdict = verdict;
    result.where = where;
    result.reason = shortened(std::move(reason));
    return result;
  };

  constexpr size_t kLongestQuery = 1 << 24;
  if (sql.size() > kLongestQuery) return refuse(Verdict::Outside, {0, 0}, "longer than 16 MB");
  check::Ast& ast = work.ast;
  ast.sql = sql;
  const LexResult lexed = lex(sql, ast.lexemes);
  if (auto refusal = not_one_query(sql, ast.lexemes, lexed)) {
    return refuse(refusal->verdict, refusal->where, std::move(refusal->reason));
  }
  size_t leading = 0;
  while (ast.lexemes[leading].terminal == Terminal::Semicolon) ++leading;
  if (leading > 0) ast.lexemes.erase(ast.lexemes.begin(), ast.lexemes.begin() + static_cast<std::ptrdiff_t>(leading));

  if (!work.parser.parse(ast.lexemes)) {
    const Lexeme& lexeme = ast.lexemes[work.parser.error_lexeme()];
    const bool after_with = ast.lexemes[0].terminal == Terminal::kw_WITH &&
                            (lexeme.terminal == Terminal::kw_INSERT || lexeme.terminal == Terminal::kw_UPDATE ||
                             lexeme.terminal == Terminal::kw_DELETE || lexeme.terminal == Terminal::kw_REPLACE);
    if (after_with) return refuse(Verdict::Outside, lexeme.span, "a WITH before something that is no query");
    if (lexeme.terminal == Terminal::Illegal) {
      const char begin = sql[lexeme.span.begin];
      const bool open = begin == '\'' || begin == '"' || begin == '`' || begin == '[';
      return refuse(Verdict::Error, lexeme.span,
                    open ? "unrecognized token: a quote that never ends" : "unrecognized token");
    }
    const std::string expected = work.parser.expected();
    return refuse(Verdict::Error, lexeme.span,
                  "syntax error near " +
                      (lexeme.terminal == Terminal::End ? std::string("the end of the query")
                                                        : "`" + std::string(lexeme.span.of(sql)) + "`") +
                      (expected.empty() ? "" : "; expected " + expected));
  }

  work.names.truncate(work.own_names);
  work.issues.clear();
  if (!check::build(work.grammar, work.parser.nodes(), ast, work.names, work.issues)) {
    const check::Issue& issue = *work.issues.reason();
    return refuse(Verdict::Error, issue.where, issue.message);
  }
  work.budget.refill();
  check::Resolver resolver(catalog(), work.functions, ast, work.names, work.issues, work.budget);
  resolver.set_suggested(settings().suggested);
  resolver.set_added(work.added);
  resolver.run();
  for (const Node& node : work.parser.nodes()) {
    if (!work.marked[node.rule]) continue;
    const Rule& rule = work.grammar.rules()[node.rule];
    const Span where = ast.span(node.first, node.last);
    if (!rule.outside.empty()) work.issues.outside(where, "outside the language: " + rule.outside);
    // Conditions of minimum groups are not the query's own: the smaller language is about what is written.
    const bool own = std::ranges::none_of(
        work.added, [&](Span added) { return added.begin <= where.begin && where.begin < added.end; });
    if (own && !rule.beyond.empty() && settings().language == Language::Fragment) {
      work.issues.outside(where, "outside the paper's fragment: " + rule.beyond);
    }
  }
  if (lexed.unterminated_comment)
    work.issues.outside({0, static_cast<uint32_t>(sql.size())}, "an unterminated comment");
  check::read_roles(catalog(), ast, settings().profile, work.added, result.uses, result.counted, work.budget);
  if (work.budget.spent()) {
    result.uses.clear();
    result.counted.clear();
    return refuse(Verdict::Outside, {0, static_cast<uint32_t>(sql.size())},
                  "too much to judge: its names, aliases and `*` stand for more than can be followed");
  }

  sort_uses(result.uses);
  for (const check::FromItem& item : ast.froms) {
    if (item.kind == check::SourceKind::Table) result.tables.push_back({item.table, ast.span_at(item.lexeme)});
  }
  if (const check::Issue* issue = work.issues.reason()) {
    return refuse(issue->error ? Verdict::Error : Verdict::Outside, issue->where, issue->message);
  }
  return result;
}

// The text with conditions is judged as well: it must be in the language, and use what the query uses where they are not.
Result<RunText> SqliteChecker::run_text(std::string_view sql, const Policy& policy) {
  const Judgement judgement = check(sql, policy);
  if (judgement.verdict != Verdict::Safe) return Error{"the query is not safe, so it is not run", {}, {}};
  const Workspace& work = *work_;
  const bool held = std::ranges::any_of(work.analysis.counted,
                                        [&](const Counted& one) { return is_grouped(policy, one.column); });
  if (!held) return RunText{std::string(sql), {}, {}, {}};
  auto run = check::write_run_text(catalog(), policy, work.ast, work.parser.nodes(), work.analysis.counted);
  if (!run) return run;
  work_->added = run->added;
  const Analysis& with = analyze(run->sql);
  work_->added.clear();
  if (with.verdict != Verdict::Safe) return check::run_text_fault("with them " + with.reason);
  // A FROM and WHERE that are repeated stand inside the SELECT that they are of. What was a string there, "x", must not mean
  // an alias of it now: the condition would be about other rows.
  const bool captured = std::any_of(with.counted.begin(), with.counted.end(),
                                    [](const Counted& one) { return one.off_form == OffForm::Outside; });
  if (captured) {
    return check::run_text_fault(
        "with them a word in FROM or WHERE would mean something else; write a string in single quotes, and what an alias of the "
        "select list stands for instead of the alias");
  }
  if (uses_as_written(with.uses, *run) != judgement.uses) return check::run_text_fault("with them it uses other columns");
  return run;
}

}  // namespace pccsql
