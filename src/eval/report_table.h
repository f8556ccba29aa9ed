// The tables of a report, as text in rows and columns; how they look is for the renderers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eval/report_data.h"

namespace pccsql {

struct ReportTable {
  enum class Kind : uint8_t { Ours, Interval, Paper };
  struct Line {
    Kind kind = Kind::Ours;
    std::vector<std::string> cells;  // one for each heading
  };

  std::string title;
  std::vector<std::string> headings;
  size_t words = 1;  // so many columns on the left are text, the others numbers
  std::vector<Line> lines;
  std::vector<std::string> notes;
};

// A share as per cent with two decimals, a count of tokens without, anything else with two.
std::string shown(Metric metric, double value);
std::string shown(Metric metric, const Estimate& estimate);  // "–" where there is no value

// All tables that have something to say: right and honest, kinds of answers by gold label, right against answered; methods (tables 2,
// 3 and 10 of the paper), execution accuracy (table 11), outcomes by gold label, tokens, answers to Refuse-gold questions, mask
// times, one at a time against batches.
std::vector<ReportTable> report_tables(const EvalReport& report);

// One table a row of the report: classes of missed questions, the first `most` ids of each.
std::vector<ReportTable> missed_tables(const EvalReport& report, size_t most);

// Ids as a list; what is over `most` becomes "and 12 more".
std::string id_list(const std::vector<std::string>& ids, size_t most);

}  // namespace pccsql
