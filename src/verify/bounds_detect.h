// The detectors behind bounds.h. Each is asked for every node of a query, and notes where its construct stands there.
#pragma once

#include <vector>

#include "verify/bounds.h"
#include "verify/bounds_tree.h"

namespace pccsql::verify {

class Finder {
 public:
  Finder(const QueryTree& tree_in, const Bound& bound, std::vector<BoundFound>& found)
      : tree(tree_in), bound_(bound), found_(found) {}

  const QueryTree& tree;
  void at(Span span) { found_.push_back({&bound_, span, false}); }
  void at_or_later(Span span) { found_.push_back({&bound_, span, true}); }

 private:
  const Bound& bound_;
  std::vector<BoundFound>& found_;
};

using Detector = void (*)(Finder& finder, uint32_t node);

namespace detect {

// bounds_lexemes.cc: lexemes, lengths and counts
void comments(Finder& finder, uint32_t node);
void semicolons(Finder& finder, uint32_t node);
void long_blanks(Finder& finder, uint32_t node);
void long_strings(Finder& finder, uint32_t node);
void long_numbers(Finder& finder, uint32_t node);
void long_new_names(Finder& finder, uint32_t node);
void tall_expressions(Finder& finder, uint32_t node);
void many_conditions(Finder& finder, uint32_t node);
void many_tables(Finder& finder, uint32_t node);
void many_outputs(Finder& finder, uint32_t node);
void many_names(Finder& finder, uint32_t node);
void many_branches(Finder& finder, uint32_t node);
void many_arguments(Finder& finder, uint32_t node);

// bounds_depth.cc
void deep_nesting(Finder& finder, uint32_t node);

// bounds_names.cc: columns, aliases and strings that look like them
void select_aliases_without_as(Finder& finder, uint32_t node);
void keywords_as_new_names(Finder& finder, uint32_t node);
void booleans_as_new_names(Finder& finder, uint32_t node);
void qualifiers_of_other_items(Finder& finder, uint32_t node);
void rowids_before_from(Finder& finder, uint32_t node);
void quoted_strings(Finder& finder, uint32_t node);
void booleans(Finder& finder, uint32_t node);
void aliases_in_on(Finder& finder, uint32_t node);
void aggregate_aliases_in_subqueries(Finder& finder, uint32_t node);
void aliases_of_outer_columns(Finder& finder, uint32_t node);
void outer_items_grouped_beside_windows(Finder& finder, uint32_t node);
void outer_names_in_aggregates(Finder& finder, uint32_t node);
void names_in_frames(Finder& finder, uint32_t node);

// bounds_queries.cc: queries and their clauses
void repeated_ctes(Finder& finder, uint32_t node);
void repeated_cte_columns(Finder& finder, uint32_t node);
void stars_joined_naturally(Finder& finder, uint32_t node);
void stars_over_outer_merges(Finder& finder, uint32_t node);
void outer_joins_beside_union_all(Finder& finder, uint32_t node);
void aggregates_in_windows_alone(Finder& finder, uint32_t node);
void stars_as_values(Finder& finder, uint32_t node);
void stars_of_fixed_width(Finder& finder, uint32_t node);
void order_by_expressions_of_sets(Finder& finder, uint32_t node);

// bounds_roles.cc: arguments of aggregates, SELECTs that are compared
void aliases_of_expressions_in_aggregates(Finder& finder, uint32_t node);
void aliases_of_selects_in_conditions(Finder& finder, uint32_t node);
void names_that_from_decides_in_aggregates(Finder& finder, uint32_t node);
void qualifiers_beside_in_aggregates(Finder& finder, uint32_t node);
void counted_views_named_again(Finder& finder, uint32_t node);
void names_of_several_tables_in_aggregates(Finder& finder, uint32_t node);
void selects_before_their_comparison(Finder& finder, uint32_t node);
void sorted_selects_in_comparisons(Finder& finder, uint32_t node);
void outer_names_in_compared_selects(Finder& finder, uint32_t node);

// bounds_expressions.cc: expressions and calls
void row_values(Finder& finder, uint32_t node);
void empty_in_lists(Finder& finder, uint32_t node);
void nots_in_patterns(Finder& finder, uint32_t node);
void zeros_beside_and(Finder& finder, uint32_t node);
void cast_types(Finder& finder, uint32_t node);
void quoted_collations(Finder& finder, uint32_t node);
void quoted_functions(Finder& finder, uint32_t node);
void stars_in_calls(Finder& finder, uint32_t node);
void distinct_in_scalars(Finder& finder, uint32_t node);
void windows_by_name(Finder& finder, uint32_t node);

}  // namespace detect
}  // namespace pccsql::verify
