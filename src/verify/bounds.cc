#include "verify/bounds.h"

#include <algorithm>
#include <array>

#include "verify/bounds_detect.h"
#include "track/world.h"

namespace pccsql::verify {

using namespace track;
namespace {

struct Entry {
  Bound bound;
  Detector detector;
};

// The sentences below say these figures.
static_assert(kLongestBlank == 32 && kLongestLiteral == 256 && kLongestNumber == 40 && kLongestNewName == 64);
static_assert(kDeepest == 78 && kTallest == 900 && kMostTables == 60 && kMostOutputs == 2000);
static_assert(kMostBranches == 480 && kMostArguments == 100 && kMostOwed == 2048);

constexpr auto kEntries = std::to_array<Entry>({
    {{"comment", "comments are not written"}, detect::comments},
    {{"second semicolon", "one `;` may end the query, none stands before it"}, detect::semicolons},
    {{"long run of blanks", "blanks in a row are at most 32"}, detect::long_blanks},
    {{"long string", "a string has at most 254 bytes, one in double quotes 57"}, detect::long_strings},
    {{"long number", "a number has at most 40 characters"}, detect::long_numbers},
    {{"long new name", "a new name has at most 62 bytes, in quotes 57"}, detect::long_new_names},
    {{"deep nesting", "what nests may take 78 of the database's parser stack of 100"}, detect::deep_nesting},
    {{"tall expression", "an expression has at most 900 operators"}, detect::tall_expressions},
    {{"many tables", "a query names at most 60 tables, those inside derived tables and CTEs counted"},
     detect::many_tables},
    {{"many select items", "a SELECT has at most 2,000 items"}, detect::many_outputs},
    {{"many names", "a SELECT names at most 2,048 different columns before its FROM"}, detect::many_names},
    {{"many conditions", "ON, USING and WHERE of a SELECT have at most 900 operators and merged columns together"},
     detect::many_conditions},
    {{"many set operations", "a query has at most 480 branches"}, detect::many_branches},
    {{"many arguments", "a call has at most 100 arguments, a CTE 100 named columns"}, detect::many_arguments},

    {{"select alias without AS", "a select alias is written with AS", true}, detect::select_aliases_without_as},
    {{"keyword as a new name", "an alias or a CTE's name is no keyword, unless quoted"}, detect::keywords_as_new_names},
    {{"TRUE or FALSE as a new name", "nothing new is called true or false"}, detect::booleans_as_new_names},
    {{"table's name for another item", "before FROM, a table's name means that table"},
     detect::qualifiers_of_other_items},
    {{"rowid before FROM closes",
      "rowid, oid and _rowid_ have a table's name or alias before them until FROM has closed"},
     detect::rowids_before_from},
    {{"\"x\" as a string",
      "a string in double quotes is written only where every FROM it could need a column from has "
      "closed, not in LIMIT and not in a CTE; single quotes do everywhere"},
     detect::quoted_strings},
    {{"TRUE or FALSE",
      "TRUE and FALSE are written 1 and 0 inside a CTE, and before FROM closes if a table has a column of that name"},
     detect::booleans},
    {{"select alias in ON", "ON names columns"}, detect::aliases_in_on},
    {{"alias of an aggregate in a subquery", "the alias of an aggregate or window function is used in its own SELECT"},
     detect::aggregate_aliases_in_subqueries},
    {{"alias of an outer column",
      "an alias whose expression names a column of an enclosing SELECT is for sorting and "
      "grouping only"},
     detect::aliases_of_outer_columns},
    {{"outer column in GROUP BY beside windows",
      "a SELECT with window functions is not grouped by an item that names a column of an enclosing SELECT"},
     detect::outer_items_grouped_beside_windows},
    {{"outer name in an aggregate",
      "names inside an aggregate are columns of its own SELECT; so are those in the first "
      "argument of MIN and MAX"},
     detect::outer_names_in_aggregates},
    {{"name in a window's frame", "the bounds of a frame are numbers"}, detect::names_in_frames},
    {{"alias of an expression in an aggregate",
      "in COUNT, SUM and AVG an alias stands for a column; for anything else its expression is written again",
      false, true},
     detect::aliases_of_expressions_in_aggregates},
    {{"alias of a SELECT in a condition",
      "WHERE, HAVING and ON do not use the alias of an item that holds a SELECT", false, true},
     detect::aliases_of_selects_in_conditions},
    {{"names of one aggregate that FROM decides about",
      "one name under two qualifiers in an argument of COUNT, SUM or AVG, or a name from a CTE or derived table beside "
      "others, is written before FROM where the first choice of tables that holds them permits it",
      false, true},
     detect::names_that_from_decides_in_aggregates},
    {{"two qualifiers of one table in aggregates",
      "where a minimum group holds for a column, COUNT, SUM and AVG before FROM name its table by one qualifier, or none",
      false, true, true},
     detect::qualifiers_beside_in_aggregates},
    {{"name of several tables in an aggregate",
      "a name before FROM in COUNT, SUM or AVG is held to a minimum group if a column of that name is in any table",
      false, true, true},
     detect::names_of_several_tables_in_aggregates},
    {{"view that is counted and named again",
      "where a minimum group holds for a column of a view, one SELECT names the view if it counts the column",
      false, true, true},
     detect::counted_views_named_again},

    {{"repeated CTE name", "each CTE of a statement has a name of its own"}, detect::repeated_ctes},
    {{"repeated CTE column", "the names in a CTE's column list differ"}, detect::repeated_cte_columns},
    {{"* under NATURAL JOIN", "a derived table that NATURAL joins names its columns"}, detect::stars_joined_naturally},
    {{"* over merged columns of RIGHT or FULL", "`*` does not meet RIGHT or FULL JOIN together with USING or NATURAL"},
     detect::stars_over_outer_merges},
    {{"RIGHT or FULL beside a nested UNION ALL",
      "a statement has RIGHT or FULL JOIN or a UNION ALL in a nested query, not both; views count with what their "
      "bodies "
      "hold, all of them, and are not asked if they hold both"},
     detect::outer_joins_beside_union_all},
    {{"aggregate in a window alone",
      "in a derived table or CTE, an aggregate inside OVER stands beside GROUP BY or an aggregate that is not, if a window is "
      "partitioned"},
     detect::aggregates_in_windows_alone},
    {{"* as one value", "a subquery that is a value, or that IN asks, names its column"}, detect::stars_as_values},
    {{"* where the width is fixed",
      "after the first branch of a set operation, in a CTE with a column list, and in a "
      "derived table under a `*` of such a width, there is no `q.*` and one `*` at most, and names beside it "
      "are not made to come to the width by derived tables or merged columns"},
     detect::stars_of_fixed_width},
    {{"ORDER BY of a set operation", "a set operation is sorted by numbers and by names that a branch puts out"},
     detect::order_by_expressions_of_sets},
    {{"SELECT before its comparison",
      "a SELECT to the left of what it is compared with lists what may be shown; to the right, what may be tested",
      false, true},
     detect::selects_before_their_comparison},
    {{"sorted SELECT in a comparison",
      "where a SELECT is compared, a set operation is not sorted, and what `*` lists or an enclosing SELECT gives is "
      "not sorted or grouped by",
      false, true},
     detect::sorted_selects_in_comparisons},
    {{"outer name in a compared SELECT",
      "what a compared SELECT lists of an enclosing one before that one's FROM has closed is compared and nothing else",
      false, true},
     detect::outer_names_in_compared_selects},

    {{"row value", "rows in parentheses are not written, nor subqueries of several columns as values"},
     detect::row_values},
    {{"empty IN list", "`IN ()` has at least one value"}, detect::empty_in_lists},
    {{"NOT in a pattern", "NOT after LIKE, GLOB or ESCAPE stands in parentheses"}, detect::nots_in_patterns},
    {{"0 beside AND", "the number 0 does not stand alone beside AND"}, detect::zeros_beside_and},
    {{"CAST to another type", "CAST names up to three words of the usual types, without quotes"}, detect::cast_types},
    {{"quoted collation", "a collation is written without quotes"}, detect::quoted_collations},
    {{"quoted function", "a function's name is written without quotes"}, detect::quoted_functions},
    {{"* in a call", "only COUNT takes `*`"}, detect::stars_in_calls},
    {{"DISTINCT in a scalar call", "DISTINCT and ALL are for aggregates"}, detect::distinct_in_scalars},
    {{"window by name", "OVER is followed by the window itself, and there is no WINDOW clause"},
     detect::windows_by_name},
});

constexpr auto kSettingBounds = std::to_array<SettingBound>({
    {"name that only a derived table introduces (--derived-names)",
     "a name before FROM is a column of some table or CTE", true, false},
    {"long alias before its FROM (--aliases any)",
     "an alias that is used before its FROM is one or two letters and up to two digits", false, true},
    {"both of --derived-names and --aliases any", "a name and an alias of these kinds", true, true},
});

constexpr auto kBounds = [] {
  std::array<Bound, kEntries.size()> bounds{};
  for (size_t i = 0; i < bounds.size(); ++i) bounds[i] = kEntries[i].bound;
  return bounds;
}();

}  // namespace

std::span<const Bound> decoder_bounds() { return kBounds; }
std::span<const SettingBound> setting_bounds() { return kSettingBounds; }

std::vector<BoundFound> find_bounds(const Catalog& catalog, const TrackSettings& settings, std::string_view sql,
                                    bool sets_minimum) {
  std::vector<BoundFound> found;
  const QueryTree tree(catalog, sql);
  for (size_t i = 0; i < kEntries.size(); ++i) {
    if (kBounds[i].any_alias_lifts && settings.aliases == Aliases::Any) continue;
    if (kBounds[i].strict_alone && settings.profile != Profile::Strict) continue;
    if (kBounds[i].minimum_alone && !sets_minimum) continue;
    Finder finder(tree, kBounds[i], found);
    for (uint32_t node = 0; node < tree.nodes.size(); ++node) kEntries[i].detector(finder, node);
  }
  return found;
}

const Bound* bound_that_stopped(const std::vector<BoundFound>& found, Span bytes, bool later) {
  for (const BoundFound& each : found) {
    // A name is judged by the byte after it, hence `>`.
    const bool after = bytes.begin > each.at.end;
    if (bytes.end > each.at.begin && (!after || (later && each.later))) return each.bound;
  }
  return nullptr;
}

}  // namespace pccsql::verify
