#include "check_pg/check_pg.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "check_pg/ast.h"
#include "check_pg/resolver.h"
#include "check_pg/roles.h"
#include "check_pg/run_text.h"
#include "pgtree/pg_tree.h"

namespace pccsql {

struct PgChecker::Workspace {
  PgTree tree;
  check_pg::Ast ast;
  Analysis analysis;
};

PgChecker::PgChecker(const Catalog& catalog) : QueryChecker(catalog, {}), work_(std::make_unique<Workspace>()) {}
PgChecker::~PgChecker() = default;
PgChecker::PgChecker(PgChecker&&) noexcept = default;

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

}  // namespace

const Analysis& PgChecker::analyze(std::string_view sql) {
  Workspace& work = *work_;
  Analysis& result = work.analysis;
  result = {};
  const auto refuse = [&](Verdict verdict, Span where, std::string reason) -> const Analysis& {
    result.verdict = verdict;
    result.where = where;
    result.reason = shortened(std::move(reason));
    return result;
  };
  const auto at = [&](size_t byte) {
    return Span{static_cast<uint32_t>(byte), static_cast<uint32_t>(std::min(byte + 1, sql.size()))};
  };
  const Span all{0, static_cast<uint32_t>(std::min<size_t>(sql.size(), UINT32_MAX))};
  if (const size_t nul = sql.find('\0'); nul != std::string_view::npos) {
    return refuse(Verdict::Outside, at(nul), "the text holds a NUL byte");
  }
  if (const size_t bad = find_invalid_utf8(sql); bad != std::string_view::npos) {
    return refuse(Verdict::Outside, at(bad), "the text is not valid UTF-8");
  }
  switch (work.tree.parse(sql)) {
    case PgTree::Outcome::Parsed:
      break;
    case PgTree::Outcome::SyntaxError:
      return refuse(Verdict::Error, at(work.tree.error_at()), work.tree.message());
    case PgTree::Outcome::TooLarge:
    case PgTree::Outcome::Unavailable:
      return refuse(Verdict::Outside, {0, 0}, work.tree.message());
  }
  const PgNode statements = work.tree.statements();
  const PgNode first = statements.first();
  if (!first) return refuse(Verdict::Outside, all, "there is no query; one SELECT statement is expected");
  if (const PgNode second = first.next()) {
    return refuse(Verdict::Outside, at(static_cast<size_t>(second["stmt_location"].number())),
                  "more than one statement; only one SELECT is allowed");
  }
  const PgNode select = first["stmt"]["SelectStmt"];
  if (!select) return refuse(Verdict::Outside, all, "it is no query; only one SELECT is allowed");

  work.ast.clear();
  work.ast.sql = sql;
  check_pg::Resolver resolver(catalog(), work.ast);
  resolver.run(select);
  if (resolver.too_much()) {
    return refuse(Verdict::Outside, all, "too much to judge: its names and `*` stand for more than can be followed");
  }
  check_pg::read_roles(work.ast, result.uses, result.counted);
  sort_uses(result.uses);
  for (const check_pg::Query& query : work.ast.queries) {
    for (const check_pg::FromItem& item : query.from) {
      if (item.query == 0) result.tables.push_back({item.table, item.span});
    }
  }
  std::ranges::stable_sort(result.tables, {}, [](const NamedTable& table) { return table.span.begin; });
  if (resolver.error()) return refuse(Verdict::Error, resolver.error()->where, resolver.error()->message);
  if (resolver.outside()) return refuse(Verdict::Outside, resolver.outside()->where, resolver.outside()->message);
  return result;
}

Result<RunText> PgChecker::run_text(std::string_view sql, const Policy& policy) {
  if (check(sql, policy).verdict != Verdict::Safe) return Error{"the query is not safe, so it is not run", {}, {}};
  const bool held = std::ranges::any_of(work_->analysis.counted,
                                        [&](const Counted& one) { return is_grouped(policy, one.column); });
  if (!held) return RunText{std::string(sql), {}, {}, {}};
  return check_pg::write_run_text(catalog(), policy, work_->ast, work_->analysis.counted);
}

}  // namespace pccsql
