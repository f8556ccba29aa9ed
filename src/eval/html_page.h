// A report as one page of HTML: tables, plots, and every question with its prompt, output, uses and rows.
//
// The page is one file and asks the network for nothing; its content security policy would not let it. What runs bring
// (questions, queries, rows, names) is data, never markup: in the static part it is escaped, and what the drill-down
// shows travels as JSON without a `<` in it and is put on the page as text. The one script is named by its hash.
#pragma once

#include <string>
#include <string_view>

#include "eval/report_data.h"

namespace pccsql {

std::string html_page(const EvalReport& report);

// Text for an element or a quoted attribute.
std::string html_escaped(std::string_view text);

// JSON that may stand in a script element: no `<`, `>`, `&`, and none of the line ends that scripts know and JSON does
// not.
std::string script_json(const EvalReport& report);

}  // namespace pccsql
