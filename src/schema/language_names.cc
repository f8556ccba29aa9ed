#include "schema/language_names.h"

namespace pccsql {

std::vector<std::string_view> language_functions() {
  return {"abs",        "age",         "avg",        "bool_and",   "bool_or",   "btrim",        "ceil",
          "ceiling",    "char_length", "concat",     "count",      "cume_dist", "date",         "date_part",
          "date_trunc", "dense_rank",  "every",      "exp",        "extract",   "first_value",  "floor",
          "initcap",    "lag",         "last_value", "lead",       "left",      "length",       "like_escape",
          "ln",         "log",         "lower",      "lpad",       "ltrim",     "make_date",    "max",
          "min",        "mod",         "now",        "nth_value",  "ntile",     "percent_rank", "position",
          "power",      "rank",        "replace",    "reverse",    "right",     "round",        "row_number",
          "rpad",       "rtrim",       "sign",       "split_part", "sqrt",      "starts_with",  "stddev",
          "stddev_pop", "stddev_samp", "string_agg", "strpos",     "substr",    "substring",    "sum",
          "to_char",    "to_date",     "trunc",      "upper",      "var_pop",   "var_samp",     "variance"};
}

std::vector<std::string_view> language_operators() {
  return {"=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "~~", "!~~", "~~*", "!~~*"};
}

}  // namespace pccsql
