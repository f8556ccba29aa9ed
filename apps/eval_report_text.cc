#include "apps/eval_report_text.h"

#include <algorithm>

namespace pccsql {
namespace {

// The last column may be as long as it likes: nothing stands right of it.
std::string line_text(const ReportTable& table, const std::vector<std::string>& cells,
                      const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool last = i + 1 == cells.size();
    const bool number = i >= table.words && table.headings[i] != "which";
    const size_t width = std::min(display_width(cells[i]), widths[i]);
    if (i > 0) line += "  ";
    if (number) line += std::string(widths[i] - width, ' ');
    line += number || last ? printable(cells[i]) : padded(cells[i], widths[i]);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string table_text(const ReportTable& table, const Style& style) {
  std::string out = printable(table.title) + "\n";
  std::vector<size_t> widths;
  for (size_t i = 0; i < table.headings.size(); ++i) {
    size_t width = display_width(table.headings[i]);
    for (const ReportTable::Line& line : table.lines) width = std::max(width, display_width(line.cells[i]));
    widths.push_back(width);
  }
  if (!table.lines.empty()) out += "  " + style.dim(line_text(table, table.headings, widths)) + "\n";
  for (const ReportTable::Line& line : table.lines) {
    const std::string text = line_text(table, line.cells, widths);
    if (text.empty()) continue;
    out += "  " + (line.kind == ReportTable::Kind::Ours ? text : style.dim(text)) + "\n";
  }
  for (const std::string& note : table.notes) out += "  " + printable(note) + "\n";
  return out;
}

std::string tables_text(const std::vector<std::string>& warnings, const std::vector<ReportTable>& tables,
                        const Style& style) {
  std::string out;
  for (const std::string& warning : warnings) out += style.yellow("warning: " + printable(warning)) + "\n";
  if (!warnings.empty()) out += "\n";
  for (size_t i = 0; i < tables.size(); ++i) out += (i == 0 ? "" : "\n") + table_text(tables[i], style);
  return out;
}

}  // namespace pccsql
