// What PostgreSQL's operators take and give, kind by kind; and which strings can be read as a value of a kind.
//
// Everything here is narrower than the server or just as wide: what is not listed is not in the language.
#pragma once

#include <optional>
#include <string_view>

#include "check_pg/ast.h"

namespace pccsql::check_pg {

bool is_comparison(std::string_view op);  // `=` and its like

bool is_number(PgKind kind);
bool is_date(PgKind kind);  // date or timestamp

// Whether values of the two can be compared, and be results of one CASE: both numbers, both dates, or of one kind.
bool one_group(const Type& a, const Type& b);
// Of two of one group, the one that holds both.
Type later(const Type& a, const Type& b);

// The result of `left op right`, both known; nothing: there is no such operator.
std::optional<Type> arithmetic(std::string_view op, const Type& left, const Type& right);

// Whether the text of a string literal is a value of the type, so that the server takes it there.
bool is_value(std::string_view text, const Type& type, const Catalog& catalog);
bool is_interval(std::string_view text);  // `3 days`, of one unit

// The kind of a number as written.
Type number_type(std::string_view digits);

}  // namespace pccsql::check_pg
