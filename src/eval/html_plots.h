// The plots of a report, as SVG that is part of the page. Colours come from the page's style sheet by class, so that
// light and dark look right; every mark has a title that says its figures.
#pragma once

#include <string>

#include "eval/report_data.h"

namespace pccsql {

// Answered (across) against right among answered (up), as the sign of doubt is made stricter. Empty where nothing was compared with gold.
std::string right_answered_plot(const EvalReport& report);
// Leak (across) against coverage (up), with intervals; the paper's rows as hollow marks.
std::string leak_coverage_plot(const EvalReport& report);
// Bars, one a row; rows without a SafeSql answer have none.
std::string tokens_per_safe_plot(const EvalReport& report);
// The four outcomes as parts of one bar, one bar a row.
std::string outcomes_plot(const EvalReport& report);
// How often a mask took how long, on a logarithmic axis. Empty where no run has masks.
std::string mask_time_plot(const EvalReport& report);

}  // namespace pccsql
