// A report as Markdown and as JSON. (As text for a terminal it is in apps, as a page in eval/html_page.h.)
#pragma once

#include <string>

#include "eval/report_data.h"
#include "eval/report_table.h"

namespace pccsql {

// A table of GitHub's Markdown. What runs bring (names, ids) is escaped.
std::string markdown(const ReportTable& table);
std::string markdown_report(const EvalReport& report, size_t most_ids);

// Everything the report knows, one object: `suite`, `bootstrap`, `warnings`, `definitions`, `rows`, `batches`, `paper`. Shares are
// between 0 and 1, except under `paper`, which has them as printed.
std::string json_report(const EvalReport& report);

}  // namespace pccsql
