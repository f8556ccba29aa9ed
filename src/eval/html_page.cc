#include "eval/html_page.h"

#include <algorithm>

#include "base/json.h"
#include "eval/html_assets.h"
#include "eval/html_plots.h"
#include "eval/report_table.h"
#include "model/sha256.h"

namespace pccsql {
namespace {

// Base64 of bytes given as hexadecimal digits: how a content security policy names a hash.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto digit = [](char c) { return static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string out;
  for (size_t i = 0; i < hex.size(); i += 6) {
    const size_t digits = std::min<size_t>(6, hex.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 6; ++k) bits = bits << 4 | (k < digits ? digit(hex[i + k]) : 0);
    const size_t letters = digits * 4 / 6 + (digits < 6 ? 1 : 0);
    for (size_t k = 0; k < 4; ++k) out += k < letters ? kLetters[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string cell(const ReportTable& table, size_t column, const std::string& content, const char* tag) {
  const bool which = table.headings[column] == "which";
  const std::string classes = which ? "words which" : column < table.words ? "words" : "";
  return "<" + std::string(tag) + (classes.empty() ? "" : " class=\"" + classes + "\"") + ">" + content + "</" + tag +
         ">";
}

std::string line_class(const ReportTable& table, size_t line) {
  switch (table.lines[line].kind) {
    case ReportTable::Kind::Interval:
      return "interval";
    case ReportTable::Kind::Paper:
      return "paper";
    case ReportTable::Kind::Ours:
      break;
  }
  const bool paired = line + 1 < table.lines.size() && table.lines[line + 1].kind == ReportTable::Kind::Interval;
  return paired ? "ours paired" : "ours";
}

// `content(line, column)` is what stands in a cell, as markup.
template <typename Content>
std::string html_table(const ReportTable& table, const char* heading, const Content& content) {
  std::string out = "<" + std::string(heading) + ">" + html_escaped(table.title) + "</" + heading + ">\n";
  if (!table.lines.empty()) {
    out += "<div class=\"scroll\"><table class=\"report\"><thead><tr>";
    for (size_t i = 0; i < table.headings.size(); ++i) out += cell(table, i, html_escaped(table.headings[i]), "th");
    out += "</tr></thead><tbody>\n";
    for (size_t line = 0; line < table.lines.size(); ++line) {
      out += "<tr class=\"" + line_class(table, line) + "\">";
      for (size_t i = 0; i < table.headings.size(); ++i) out += cell(table, i, content(line, i), "td");
      out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
  }
  if (table.notes.empty()) return out;
  out += "<ul class=\"notes\">";
  for (const std::string& note : table.notes) out += "<li>" + html_escaped(note) + "</li>";
  return out + "</ul>\n";
}

std::string plain_table(const ReportTable& table) {
  return html_table(table, "h2",
                    [&](size_t line, size_t column) { return html_escaped(table.lines[line].cells[column]); });
}

// Classes are buttons that show their questions.
std::string missed_section(const EvalReport& report) {
  std::string out = "<h2>Missed questions by class of cause</h2>\n";
  const std::vector<ReportTable> tables = missed_tables(report, 10);
  for (size_t row = 0; row < tables.size(); ++row) {
    const ReportTable& table = tables[row];
    out += html_table(table, "h3", [&](size_t line, size_t column) {
      const std::string text = html_escaped(table.lines[line].cells[column]);
      if (column != 1) return text;
      const MissedClass& missed = report.rows[row].missed[line];
      return "<button class=\"class\" data-row=\"" + std::to_string(row) + "\" data-gold=\"" +
             html_escaped(to_string(missed.gold_label)) + "\" data-cause=\"" + html_escaped(missed.name) + "\">" +
             text + "</button>";
    });
  }
  return out;
}

std::string plots_section(const EvalReport& report) {
  const auto figure = [](const char* caption, const std::string& plot) {
    return plot.empty() ? std::string()
                        : "<figure><figcaption>" + std::string(caption) + "</figcaption>" + plot + "</figure>\n";
  };
  return "<h2>Plots</h2>\n<div class=\"plots\">\n" +
         figure("Right against answered, as doubtful answers are given up", right_answered_plot(report)) +
         figure("Leakage against coverage (hollow: the paper)", leak_coverage_plot(report)) +
         figure("Outcomes", outcomes_plot(report)) + figure("Tokens per safe answer", tokens_per_safe_plot(report)) +
         figure("Time to make a mask", mask_time_plot(report)) + "</div>\n";
}

std::string questions_section() {
  const auto select = [](const char* name, const char* title, const char* options) {
    return "<label>" + std::string(title) + "<select id=\"filter-" + name + "\">" + options + "</select></label>\n";
  };
  return "<h2 id=\"questions\">Questions</h2>\n<div class=\"filters\">\n" + select("row", "run", "") +
         select("outcome", "outcome",
                "<option value=\"\">all</option><option>safe_sql</option><option>unsafe_sql</option>"
                "<option>refuse</option><option>failure</option>") +
         select("gold", "gold label", "<option value=\"\">all</option><option>sql</option><option>refuse</option>") +
         select("rows", "rows",
                "<option value=\"\">all</option><option value=\"true\">right</option>"
                "<option value=\"false\">wrong</option><option value=\"null\">not compared</option>") +
         select("db", "database", "") + select("cause", "missed as", "") +
         "<label>text<input id=\"filter-text\" type=\"search\"></label>\n</div>\n"
         "<p id=\"found\" role=\"status\"></p>\n<div id=\"answers\"></div>\n"
         "<p><button id=\"more\" hidden>show more</button></p>\n"
         "<noscript><p class=\"warning\">The questions are shown by a script, which is switched off.</p></noscript>\n";
}

std::string runs_section(const EvalReport& report) {
  std::string out = "<h2>Runs</h2>\n<ul class=\"notes\">\n";
  for (const ReportRow& row : report.rows) {
    const RunHeader& header = row.run.header;
    std::string text = row.label + ": " + row.run.path + ", model " + header.model.name + " (SHA-256 " +
                       header.model.sha256.substr(0, 16) + "), pccsql " + header.version + ", " + header.started +
                       ", " + header.machine.cpu + ", " + header.machine.model;
    for (const RunSetting& setting : header.settings) text += "; " + setting.name + " " + setting.value;
    out += "<li>" + html_escaped(text) + "</li>\n";
  }
  return out + "</ul>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_page(const EvalReport& report) {
  const std::string title = "pccsql: " + report.suite_title();
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'sha256-" +
      base64_of_hex(sha256_hex(page_script())) +
      "'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      html_escaped(title) + "</title>\n<style>" + std::string(page_style()) + "</style>\n</head>\n<body>\n<h1>" +
      html_escaped(title) + "</h1>\n";
  for (const std::string& warning : report.warnings) out += "<p class=\"warning\">" + html_escaped(warning) + "</p>\n";
  const std::vector<ReportTable> tables = report_tables(report);
  out += plain_table(tables.front()) + plots_section(report);
  for (size_t i = 1; i < tables.size(); ++i) out += plain_table(tables[i]);
  out += missed_section(report) + questions_section() + runs_section(report);
  out += "<script type=\"application/json\" id=\"data\">" + script_json(report) + "</script>\n";
  return out + "<script>" + std::string(page_script()) + "</script>\n</body>\n</html>\n";
}

}  // namespace pccsql
