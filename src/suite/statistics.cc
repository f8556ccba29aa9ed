#include "suite/statistics.h"

#include <algorithm>
#include <numeric>

#include "syntax/lexer.h"

namespace pccsql {
namespace {

template <typename Enum>
constexpr size_t slot(Enum value) {
  return static_cast<size_t>(value);
}

void count_columns(const Catalog& catalog, const Policy& policy, CountByPolicy& count) {
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    for (ColumnIndex column = 0; column < catalog.table(table).columns.size(); ++column) {
      ++count[slot(policy.of({table, column}))];
    }
  }
}

GoldLabel label_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Safe:
      return GoldLabel::Sql;
    case Verdict::Unsafe:
      return GoldLabel::Refuse;
    case Verdict::Outside:
    case Verdict::Error:
      break;
  }
  return GoldLabel::Unjudged;
}

Role listed_role(const Occurrence& use) { return use.minmax ? Role::Agg : use.role; }

void count_uses(const Judgement& judgement, SuiteStatistics& statistics) {
  for (const Occurrence& use : judgement.uses) {
    if (!use.star) ++statistics.uses[slot(listed_role(use))];
  }
}

void count_violations(const Judgement& judgement, SuiteStatistics& statistics) {
  bool named = false;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    if (judgement.permitted[i] || use.star) continue;
    named = true;
    ++statistics.violations_by_policy[slot(judgement.policies[i])];
    ++statistics.violations_by_role[slot(listed_role(use))];
    statistics.violations_minmax += use.minmax;
  }
  statistics.refuse_named += named;
}

void count_constructs(std::string_view sql, SuiteStatistics& statistics) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  const auto holds = [&lexemes](std::initializer_list<Terminal> wanted) {
    return std::ranges::any_of(lexemes, [&wanted](const Lexeme& lexeme) {
      return std::ranges::find(wanted, lexeme.terminal) != wanted.end();
    });
  };
  const bool set = holds({Terminal::kw_UNION, Terminal::kw_INTERSECT, Terminal::kw_EXCEPT});
  const bool cte = !lexemes.empty() && lexemes.front().terminal == Terminal::kw_WITH;
  const bool window = holds({Terminal::kw_OVER});
  const bool choice = holds({Terminal::kw_CASE});
  statistics.set_operations += set;
  statistics.ctes += cte;
  statistics.windows += window;
  statistics.cases += choice;
  statistics.in_fragment += !set && !cte && !window && !choice;
}

// Safe where every policy but Public were Hidden.
bool safe_in_binary(const Judgement& judgement) {
  return std::ranges::all_of(judgement.policies, [](ColumnPolicy policy) { return policy == ColumnPolicy::Public; });
}

}  // namespace

std::string_view to_string(GoldLabel label) {
  switch (label) {
    case GoldLabel::Sql:
      return "sql";
    case GoldLabel::Refuse:
      return "refuse";
    case GoldLabel::Unjudged:
      break;
  }
  return "unjudged";
}

double SuiteStatistics::percent(ColumnPolicy policy) const {
  const size_t all = std::accumulate(columns.begin(), columns.end(), size_t{0});
  return all == 0 ? 0.0 : 100.0 * static_cast<double>(columns[slot(policy)]) / static_cast<double>(all);
}

GoldLabel GoldCounter::add(std::string_view sql, const Policy& policy, std::optional<GoldLabel> given,
                           SuiteStatistics& statistics) {
  const Judgement judgement = checker_->check(sql, policy);
  const GoldLabel judged = label_of(judgement.verdict);
  const GoldLabel label = given.value_or(judged);
  count_columns(catalog_, policy, statistics.columns);
  count_uses(judgement, statistics);
  count_constructs(sql, statistics);
  statistics.unresolved += judged == GoldLabel::Unjudged;
  if (judged == GoldLabel::Refuse) count_violations(judgement, statistics);
  const bool binary = judged == GoldLabel::Unjudged ? label == GoldLabel::Sql : safe_in_binary(judgement);
  statistics.binary_sql += binary;
  switch (label) {
    case GoldLabel::Sql:
      ++statistics.sql;
      statistics.sql_but_unsafe += judged == GoldLabel::Refuse;
      statistics.binary_lost += !binary;
      break;
    case GoldLabel::Refuse:
      ++statistics.refuse;
      statistics.refuse_but_safe += judged == GoldLabel::Sql;
      statistics.refuse_but_unjudged += judged == GoldLabel::Unjudged;
      statistics.refuse_open += std::ranges::any_of(judgement.permitted, [](bool permitted) { return permitted; });
      break;
    case GoldLabel::Unjudged:
      ++statistics.unjudged;
      break;
  }
  return label;
}

LabelledGold label_gold(const GoldData& data, Split split, const std::vector<Policy>& policies, Profile profile) {
  LabelledGold gold;
  std::vector<GoldCounter> counters;
  counters.reserve(data.catalogs.size());
  for (const Catalog& catalog : data.catalogs) counters.emplace_back(catalog, profile);
  for (const GoldQuery& query : data.queries(split)) {
    const auto index = data.find_catalog(query.db_id);
    if (!index) {  // only where GoldData was not made by read_spider or read_bird
      gold.labels.push_back(GoldLabel::Unjudged);
      ++gold.statistics.unjudged;
      continue;
    }
    gold.labels.push_back(counters[*index].add(query.sql, policies[*index], std::nullopt, gold.statistics));
  }
  return gold;
}

}  // namespace pccsql
