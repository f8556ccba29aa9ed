// Tables of reports as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "base/render.h"
#include "eval/report_table.h"

namespace pccsql {

// Columns are as wide as what stands in them; nothing of a run reaches a terminal unseen (see apps/render.h).
std::string table_text(const ReportTable& table, const Style& style);
std::string tables_text(const std::vector<std::string>& warnings, const std::vector<ReportTable>& tables,
                        const Style& style);

}  // namespace pccsql
