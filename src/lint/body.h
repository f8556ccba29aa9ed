// The parts of CREATE statements that lint looks into: the SELECT of a view, its select items, and the expression of a
// generated column. SQLite has accepted these texts already, so only their outline is read here, by lexemes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace pccsql {

// The SELECT inside `CREATE VIEW … AS SELECT …`; empty when there is none.
std::string_view view_body(std::string_view create_view);

// One SELECT of a body; several where set operations join them.
struct Branch {
  std::vector<Span> items;  // of its select list, without `AS` and alias
  Span select_list;
};

// Empty when the body begins with WITH or VALUES: then no item can be told to be one column.
std::vector<Branch> branches(std::string_view body);

// How deep in parentheses the byte at `offset` stands.
size_t depth_at(std::string_view sql, uint32_t offset);

// Whether one of the lexemes in `span` is the bare word.
bool has_word(std::string_view sql, Span span, std::string_view word);

// `a + b` of `c INT GENERATED ALWAYS AS (a + b) STORED` in a CREATE TABLE.
std::optional<std::string> generated_expression(std::string_view create_table, std::string_view column);

}  // namespace pccsql
