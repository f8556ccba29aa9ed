// The functions of the language, and what they take and give. A list: what is not on it is outside.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "check_pg/ast.h"

namespace pccsql::check_pg {

// How the kind of the result comes from the arguments.
enum class Gives : uint8_t {
  Text,
  Integer,
  Bigint,
  Numeric,
  Float,
  Boolean,
  Date,
  Timestamp,
  Interval,
  First,     // as the first argument
  Rounded,   // numeric of numeric, else double precision
  Powered,   // numeric if one is numeric and none double precision, else double precision
  Modulo,    // as `%`
  Sum,       // integer to bigint, bigint to numeric, else the same
  Average,   // numeric of what is exact, else the same
  Deviation  // numeric of what is exact, else double precision
};

// Parameters, a letter each, those after `|` may be left out:
//   T text  I integer  N a number  M a number that is no double precision  D date or timestamp  B boolean
//   X any kind that is not opaque  A anything  U the name of a unit, as a literal  * as the one before, any number of times
//   S what SUM and AVG take: a number or an interval   L what MIN and MAX take
struct Function {
  std::string_view name;
  CallKind kind;
  std::string_view parameters;
  Gives gives;
  bool prints = false;  // its error shows what it was given
};

// All of that name; a name that is not in the language has none.
std::vector<const Function*> find_functions(std::string_view name);
const std::vector<Function>& all_functions();

// The parameters' letters for `count` arguments; nothing: it does not take so many.
std::optional<std::string> letters_for(const Function& function, size_t count);

// What a call gives, the arguments being of kinds that it takes.
Type result_of(const Function& function, const std::vector<Type>& arguments);

// Units of EXTRACT, DATE_PART, DATE_TRUNC. Some have a meaning for timestamps alone.
bool is_unit(std::string_view unit, std::string_view function, PgKind of);

}  // namespace pccsql::check_pg
