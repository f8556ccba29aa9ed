// The Checker of the public API: the judge of SQLite's dialect, with the words of the library's users.
#include <pccsql/checker.h>

#include <mutex>
#include <utility>

#include "check/check.h"
#include "engine/read_sources.h"

namespace pccsql {
namespace {

CheckSettings check_settings(const Settings& settings) {
  CheckSettings made;
  made.profile = settings.profile == Settings::Profile::Strict ? Profile::Strict : Profile::Paper;
  made.language = settings.language == Settings::Language::Full ? Language::Full : Language::Fragment;
  return made;
}

Checker::Verdict public_verdict(Verdict verdict) {
  switch (verdict) {
    case Verdict::Safe:
      return Checker::Verdict::Safe;
    case Verdict::Unsafe:
      return Checker::Verdict::Unsafe;
    case Verdict::Outside:
      return Checker::Verdict::Outside;
    case Verdict::Error:
      break;
  }
  return Checker::Verdict::Error;
}

Checker::Role public_role(Role role) {
  switch (role) {
    case Role::Join:
      return Checker::Role::Join;
    case Role::Where:
      return Checker::Role::Where;
    case Role::Agg:
      return Checker::Role::Agg;
    case Role::Sel:
      break;
  }
  return Checker::Role::Sel;
}

Checker::ColumnPolicy public_policy(ColumnPolicy policy) {
  switch (policy) {
    case ColumnPolicy::Public:
      return Checker::ColumnPolicy::Public;
    case ColumnPolicy::ConditionOnly:
      return Checker::ColumnPolicy::ConditionOnly;
    case ColumnPolicy::AggregateOnly:
      return Checker::ColumnPolicy::AggregateOnly;
    case ColumnPolicy::Hidden:
      break;
  }
  return Checker::ColumnPolicy::Hidden;
}

}  // namespace

// A judge is for one thread; those that no thread is using wait here for the next.
class Checker::Impl {
 public:
  Impl(Catalog catalog, Policy policy, CheckSettings settings)
      : catalog_(std::move(catalog)), policy_(std::move(policy)), settings_(settings) {}

  Result<Checker::RunText> run_text(std::string_view sql) {
    std::unique_ptr<SqliteChecker> judge = take();
    auto run = judge->run_text(sql, policy_);
    give_back(std::move(judge));
    if (!run) return run.error();
    return Checker::RunText{run->sql, said(catalog_, policy_, *run), said_if_empty(catalog_, policy_, *run)};
  }

  Checker::Judgement check(std::string_view sql) {
    std::unique_ptr<SqliteChecker> judge = take();
    const pccsql::Judgement found = judge->check(sql, policy_);
    give_back(std::move(judge));
    Checker::Judgement told;
    told.verdict = public_verdict(found.verdict);
    told.reason = found.reason;
    told.where = {found.where.begin, found.where.end};
    for (size_t i = 0; i < found.uses.size(); ++i) {
      const Occurrence& use = found.uses[i];
      told.uses.push_back({catalog_.table(use.column.table).name, catalog_.column(use.column).name, public_role(use.role),
                           {use.span.begin, use.span.end}, public_policy(found.policies[i]), found.permitted[i]});
    }
    return told;
  }

 private:
  std::unique_ptr<SqliteChecker> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto judge = std::move(idle_.back());
        idle_.pop_back();
        return judge;
      }
    }
    return std::make_unique<SqliteChecker>(catalog_, settings_);
  }
  void give_back(std::unique_ptr<SqliteChecker> judge) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(judge));
  }

  const Catalog catalog_;
  const Policy policy_;
  const CheckSettings settings_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SqliteChecker>> idle_;
};

Result<Checker> Checker::make(const SchemaSource& schema, const PolicySource& policy, const Settings& settings) {
  auto catalog = read_schema(schema);
  if (!catalog) return catalog.error();
  auto permitted = read_policy(policy, *catalog);
  if (!permitted) return permitted.error();
  return Checker(std::make_shared<Impl>(std::move(*catalog), std::move(*permitted), check_settings(settings)));
}

Checker::Judgement Checker::check(std::string_view sql) const { return impl_->check(sql); }
Result<Checker::RunText> Checker::run_text(std::string_view sql) const { return impl_->run_text(sql); }

const char* to_string(Checker::Verdict verdict) {
  constexpr const char* kNames[] = {"safe", "unsafe", "outside", "error"};
  return kNames[static_cast<size_t>(verdict)];
}
const char* to_string(Checker::Role role) {
  constexpr const char* kNames[] = {"Sel", "Join", "Where", "Agg"};
  return kNames[static_cast<size_t>(role)];
}
const char* to_string(Checker::ColumnPolicy policy) {
  constexpr const char* kNames[] = {"Public", "ConditionOnly", "AggregateOnly", "Hidden"};
  return kNames[static_cast<size_t>(policy)];
}

}  // namespace pccsql
