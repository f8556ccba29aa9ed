// What a judge finds in a finished query: which column it uses in which role, and whether a policy permits that.
//
// There is a judge for each dialect (check, check_pg); what they share is these words, the catalogue and the policy. The
// verdicts in order: not one query -> Outside; what the database would refuse to prepare -> Error; anything else outside
// the language -> Outside; a use that is not permitted -> Unsafe; else Safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/span.h"
#include "policy/policy.h"
#include "policy/run_text.h"
#include "schema/catalog.h"
#include "syntax/grammar.h"

namespace pccsql {

enum class Verdict : uint8_t { Safe, Unsafe, Outside, Error };
std::string_view to_string(Verdict verdict);  // "safe", "unsafe", "outside", "error"

struct CheckSettings {
  Profile profile = Profile::Strict;
  Language language = Language::Full;
  // A name that is not known may be a misspelt one, and the message says of which: never of one that this policy hides, as that
  // would tell it bit by bit to whoever tries enough of them. nullptr: of any. PRE: it outlives the judge.
  const Policy* suggested = nullptr;
};

// Why a column that is held to a minimum group (policy/group_rule.h) is more than counted where COUNT, SUM or AVG holds it.
enum class OffForm : uint8_t {
  None,
  Distinct,     // the aggregate has DISTINCT
  Filter,       // or FILTER
  Choice,       // its argument holds CASE, COALESCE, IFNULL or IIF
  Product,      // or two columns that are multiplied
  Nested,       // it is written in a SELECT nested in the one whose rows it aggregates
  Outside,      // that SELECT names something of an enclosing one
  SecondItem,    // that SELECT counts the table, or one of its family, under another name as well
  SecondSelect,  // another SELECT of the statement counts the table, or one of its family, as well
  View           // the statement names a view of its family, which may show sums of the same values
};

// One occurrence of a column in a role. A place that counts twice (Agg and Where) is two occurrences.
struct Occurrence {
  ColumnRef column;
  Role role = Role::Sel;
  Span span;            // of the name as written: `T1.salary`, `*`, the alias that stands for it
  bool star = false;    // came from `*` or `t.*`
  bool minmax = false;  // argument of an aggregate MIN or MAX (benchmark statistics list those apart)
  bool on = false;      // written in ON or USING, or joined by NATURAL
  OffForm off_form = OffForm::None;  // of Where: it is that alone which makes it one
  friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

// A table or view where a FROM names it.
struct NamedTable {
  TableId table = 0;
  Span span;
};

// A column in the plain argument of a COUNT, SUM or AVG, with what a minimum group asks of it.
struct Counted {
  ColumnRef column;
  Span span;                         // of the name as written
  OffForm off_form = OffForm::None;  // what can be said without a policy, and of this aggregate alone
  uint32_t select = 0;               // whose rows are aggregated, of the judge's numbering, as the next two
  uint32_t item = 0;                 // of its FROM, the column's
  uint32_t call = 0;                 // the aggregate
};

// What can be said of a query without a policy.
struct Analysis {
  Verdict verdict = Verdict::Safe;  // Safe here means: in the language and would run
  std::string reason;               // empty when Safe
  Span where;                       // the place the reason is about
  std::vector<Occurrence> uses;     // by place; what could be resolved, also with Outside and Error
  std::vector<NamedTable> tables;   // each mention, by place
  std::vector<Counted> counted;     // under profile strict
};

struct Judgement {
  Verdict verdict = Verdict::Safe;
  std::string reason;
  Span where;
  std::vector<Occurrence> uses;
  std::vector<ColumnPolicy> policies;     // parallel to uses
  std::vector<bool> permitted;            // parallel to uses
  std::vector<NamedTable> closed_tables;  // mentions that strict forbids: all columns of the table are Hidden
};

// What is wrong with a use that `policy` does not permit, and what would be allowed.
std::string complaint(const Catalog& catalog, const Occurrence& use, ColumnPolicy policy);
std::string complaint(const Catalog& catalog, const NamedTable& mention);

// By place, each once.
void sort_uses(std::vector<Occurrence>& uses);

// A judge of finished queries, made once per catalogue and used for many. Not for use by two threads at once.
class QueryChecker {
 public:
  virtual ~QueryChecker();

  // The (column, role) occurrences alone. The reference is good until the next call.
  virtual const Analysis& analyze(std::string_view sql) = 0;

  // Adds the policy to an analysis of this judge's.
  Judgement judge(const Analysis& analysis, const Policy& policy) const;
  Judgement check(std::string_view sql, const Policy& policy) { return judge(analyze(sql), policy); }

  // What is run for a query that is safe under the policy; an Error for any other, and where the conditions of a minimum
  // group cannot be added. An analysis that was got before is no longer good.
  virtual Result<RunText> run_text(std::string_view sql, const Policy& policy);

 protected:
  QueryChecker(const Catalog& catalog, CheckSettings settings) : catalog_(&catalog), settings_(settings) {}
  QueryChecker(QueryChecker&&) = default;
  QueryChecker& operator=(QueryChecker&&) = default;

  const Catalog& catalog() const { return *catalog_; }
  const CheckSettings& settings() const { return settings_; }

 private:
  const Catalog* catalog_;
  CheckSettings settings_;
};

}  // namespace pccsql
