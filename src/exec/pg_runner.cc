#include "exec/pg_runner.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "exec/pg_role.h"
#include "exec/row_order.h"
#include "pgtree/pg_tree.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

// oids of pg_type that stay what they are.
enum Oid : unsigned { kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kFloat4 = 700, kFloat8 = 701, kNumeric = 1700 };

std::optional<int64_t> whole_number(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A numeric: whole where it is, else the nearest floating-point number; one that is too large for either (or NaN) stays as it is.
std::optional<Value> value_of_numeric(std::string text) {
  const size_t point = text.find('.');
  if (point != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  if (const auto value = whole_number(text)) return *value;
  constexpr size_t kWholeDigits = 12;  // with these a floating-point number still tells thousandths apart
  if (point == std::string::npos || point > kWholeDigits) return std::nullopt;
  const auto value = decimal(text);
  return value ? std::optional<Value>(*value) : std::nullopt;
}

// What has no place among numbers stays the text that the server printed.
Value value_of(std::optional<std::string>& text, unsigned type) {
  if (!text) return Null{};
  switch (type) {
    case kBool:
      return std::string(*text == "t" ? "true" : "false");
    case kInt2:
    case kInt4:
    case kInt8:
      if (const auto value = whole_number(*text)) return *value;
      break;
    case kFloat4:
    case kFloat8:
      if (const auto value = decimal(*text)) return *value;
      break;
    case kNumeric:
      if (const auto value = value_of_numeric(*text)) return *value;
      break;
    default:
      break;
  }
  return std::move(*text);
}

bool orders_rows(const std::string& sql) {
  PgTree tree;
  if (tree.parse(sql) != PgTree::Outcome::Parsed) return false;
  return bool(tree.statements().first()["stmt"]["SelectStmt"]["sortClause"]);
}

Error over(const std::string& limit, const std::string& amount) {
  return {"the query is over the " + limit + " limit of " + amount, {}, {}};
}

// ROLLBACK on every way out.
class Transaction {
 public:
  explicit Transaction(PgSession& session) : session_(session) {}
  ~Transaction() { session_.rollback(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

 private:
  PgSession& session_;
};

}  // namespace

Result<std::unique_ptr<PgRunner>> PgRunner::open(const std::string& address, const std::string& schema,
                                                 const Catalog& catalog, const Policy& policy, RunLimits limits) {
  auto runner = open_unchecked(address, schema, limits);
  if (!runner) return runner.error();
  if (auto fine = check_role((*runner)->session_.connection(), schema, catalog, policy); !fine) {
    return Error{fine.error().message, shown_pg_address(address), {}};
  }
  (*runner)->stamp_ = catalog.stamp();
  return runner;
}

Result<std::unique_ptr<PgRunner>> PgRunner::open_unchecked(const std::string& address, const std::string& schema,
                                                           RunLimits limits) {
  auto session = PgSession::open(address, schema);
  if (!session) return session.error();
  return std::unique_ptr<PgRunner>(new PgRunner(std::move(*session), limits));
}

Result<RowSet> PgRunner::run(std::string_view sql, const std::atomic<bool>* cancel) {
  return run_both(nullptr, std::string(sql), cancel);
}

Result<RowSet> PgRunner::run(std::string_view sql, const RunText& text, const std::atomic<bool>* cancel) {
  if (!text.changed()) return run(sql, cancel);
  const std::string judged(sql);
  return run_both(&judged, text.sql, cancel);
}

// `judged`: where `sql` is that with conditions, the query as it was judged, which must be permitted by itself.
Result<RowSet> PgRunner::run_both(const std::string* judged, const std::string& sql, const std::atomic<bool>* cancel) {
  if (sql.size() > limits_.statement) return over("statement", std::to_string(limits_.statement) + " bytes");
  if (sql.find('\0') != std::string::npos)
    return Error{"the database refused the query: it holds a NUL byte", {}, {}};
  const auto begun = std::chrono::steady_clock::now();
  if (auto done = session_.begin({limits_.time, cancel}); !done) return done.error();
  const Transaction transaction(session_);
  auto rows = attempt(judged, sql);
  if (!rows) return rows.error();
  if (!orders_rows(sql)) sort_by_values(rows->rows);
  rows->took = std::chrono::steady_clock::now() - begun;
  return rows;
}

Result<RowSet> PgRunner::attempt(const std::string* judged, const std::string& sql) {
  if (stamp_) {
    auto stamp = session_.value(pg_stamp_query(), {session_.schema()});
    if (!stamp) return stamp.error();
    if (pg_stamp(*stamp) != *stamp_) return Error{std::string(kSchemaChanged), {}, {}};
  }
  if (judged != nullptr) {
    if (auto prepared = session_.prepare(*judged); !prepared) return prepared.error();
    if (auto planned = session_.plan(*judged); !planned) return planned.error();
  }
  auto columns = session_.prepare(sql);
  if (!columns) return columns.error();
  if (auto planned = session_.plan(sql); !planned) return planned.error();
  if (auto declared = session_.declare_cursor(sql); !declared) return declared.error();
  RowSet set;
  for (const PgSession::Column& column : *columns) set.columns.push_back(column.name);
  size_t bytes = 0;
  constexpr size_t kAtOnce = 500;
  while (true) {
    const size_t wanted = std::min(kAtOnce, limits_.rows + 1 - set.rows.size());
    auto rows = session_.fetch(wanted);
    if (!rows) return rows.error();
    for (PgConnection::Row& row : *rows) {
      if (set.rows.size() == limits_.rows) return over("row", std::to_string(limits_.rows) + " rows");
      std::vector<Value>& values = set.rows.emplace_back();
      values.reserve(row.size());
      for (size_t i = 0; i < row.size(); ++i) {
        bytes += sizeof(Value) + (row[i] ? row[i]->size() : 0);
        values.push_back(value_of(row[i], i < columns->size() ? (*columns)[i].type : 0));
      }
      if (bytes > limits_.memory) return over("memory", std::to_string(limits_.memory) + " bytes");
    }
    if (rows->size() < wanted) return set;
  }
}

}  // namespace pccsql
