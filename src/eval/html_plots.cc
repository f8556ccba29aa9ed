#include "eval/html_plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "eval/html_page.h"
#include "eval/report_table.h"

namespace pccsql {
namespace {

// Narrow, so that the text is still read on a phone.
constexpr double kWidth = 440;
constexpr double kLineHeight = 13;
constexpr double kLetter = 6.2;  // about the width of one, at the size of the labels

std::string number(double value, int decimals = 1) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string attribute(const char* name, double value) { return " " + std::string(name) + "=\"" + number(value) + "\""; }

std::string label(double x, double y, std::string_view text, const char* classes, const char* anchor = "start") {
  return "<text" + attribute("x", x) + attribute("y", y) + " class=\"" + classes + "\" text-anchor=\"" + anchor +
         "\">" + html_escaped(text) + "</text>";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& classes) {
  return "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) + " class=\"" +
         classes + "\"/>";
}

std::string bar(double x, double y, double width, double height, const std::string& classes, const std::string& title) {
  return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", std::max(width, 0.0)) +
         attribute("height", height) + " class=\"" + classes + "\"><title>" + html_escaped(title) + "</title></rect>";
}

std::string circle(double x, double y, double radius, const std::string& classes, const std::string& title) {
  return "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) + " class=\"" + classes +
         "\"><title>" + html_escaped(title) + "</title></circle>";
}

std::string svg(double height, const std::string& about, const std::string& body) {
  return "<svg viewBox=\"0 0 " + number(kWidth) + " " + number(height) + "\" role=\"img\" aria-label=\"" +
         html_escaped(about) + "\">" + body + "</svg>";
}

// The style sheet knows so many colours for rows.
std::string row_class(size_t row) { return "row" + std::to_string(row % 8); }

// A round number not under `value`, so that an axis ends at it.
double rounded_up(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    if (value <= step * power) return step * power;
  }
  return value;
}

// Puts labels beside points so that they do not cover each other: the first free place around the point.
class Labels {
 public:
  Labels(double right, double bottom) : right_(right), bottom_(bottom) {}

  std::string place(double x, double y, std::string_view text) {
    const double width = kLetter * static_cast<double>(text.size());
    for (const double down : {-6.0, 15.0, -20.0, 29.0, -34.0, 43.0, -48.0, 57.0}) {
      for (const bool to_right : {true, false}) {
        const Box box{to_right ? x + 8 : x - 8 - width, y + down - 10, width, kLineHeight};
        if (box.x < 0 || box.x + box.width > right_ || box.y < 0 || box.y + box.height > bottom_) continue;
        if (std::ranges::any_of(taken_, [&](const Box& other) { return overlap(box, other); })) continue;
        taken_.push_back(box);
        return label(to_right ? x + 8 : x - 8, y + down, text, "mark-label", to_right ? "start" : "end");
      }
    }
    return "";  // its title still says it
  }

 private:
  struct Box {
    double x, y, width, height;
  };
  static bool overlap(const Box& a, const Box& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  }
  double right_;
  double bottom_;
  std::vector<Box> taken_;
};

struct Plane {
  double left = 38;
  double top = 10;
  double width = kWidth - 38 - 12;
  double height = 250;
  double most_across = 1;
  double most_up = 1;

  double x(double value) const { return left + width * std::min(value, most_across) / most_across; }
  double y(double value) const { return top + height * (1 - std::min(value, most_up) / most_up); }
};

std::string axes(const Plane& plane, const char* across, const char* up) {
  std::string out;
  for (int i = 0; i <= 5; ++i) {
    const double part = i / 5.0;
    const double x = plane.left + plane.width * part;
    const double y = plane.top + plane.height * (1 - part);
    const auto tick = [&](double most) { return number(100 * most * part, most < 0.5 ? 1 : 0); };
    out += line(plane.left, y, plane.left + plane.width, y, "grid") +
           line(x, plane.top, x, plane.top + plane.height, "grid");
    out += label(x, plane.top + plane.height + 14, tick(plane.most_across), "tick", "middle");
    out += label(plane.left - 5, y + 4, tick(plane.most_up), "tick", "end");
  }
  const double below = plane.top + plane.height + 29;
  return out + label(plane.left + plane.width, below, across, "axis", "end") + label(plane.left, below, up, "axis");
}

std::string percent(double share) { return number(100 * share) + " %"; }

size_t row_of_method(const EvalReport& report, std::string_view method) {
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const std::string& own = report.rows[i].run.header.method;
    if (own == method || (own == "pcc-paper" && method == "pcc")) return i;
  }
  return report.rows.size();
}

}  // namespace

std::string leak_coverage_plot(const EvalReport& report) {
  Plane plane;
  double most = 0.05;
  for (const ReportRow& row : report.rows) {
    const Estimate& leak = row.metrics.of(Metric::Leak);
    most = std::max(most, leak.interval ? leak.interval->high : leak.value.value_or(0));
  }
  const auto has_row = [&](const PaperRow& row) { return row_of_method(report, row.method) < report.rows.size(); };
  if (report.paper != nullptr) {
    for (const PaperRow& row : report.paper->rows) {
      if (has_row(row)) most = std::max(most, row.leak / 100);
    }
  }
  plane.most_across = rounded_up(most);

  std::string body = axes(plane, "leak, % →", "↑ coverage, %");
  if (report.paper != nullptr) {
    for (const PaperRow& row : report.paper->rows) {
      if (!has_row(row)) continue;
      body += circle(plane.x(row.leak / 100), plane.y(row.coverage / 100), 4,
                     "paper-mark " + row_class(row_of_method(report, row.method)),
                     "paper: " + std::string(paper_method_name(row.method)) + ", " + std::string(row.model) +
                         ": leak " + number(row.leak) + " %, coverage " + number(row.coverage) + " %");
    }
  }
  Labels labels(kWidth, plane.top + plane.height);
  std::string names;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const Metrics& metrics = report.rows[i].metrics;
    const Estimate& leak = metrics.of(Metric::Leak);
    const Estimate& coverage = metrics.of(Metric::Coverage);
    const double x = plane.x(leak.value.value_or(0));
    const double y = plane.y(coverage.value.value_or(0));
    const std::string colour = row_class(i);
    if (leak.interval)
      body += line(plane.x(leak.interval->low), y, plane.x(leak.interval->high), y, "whisker " + colour);
    if (coverage.interval) {
      body += line(x, plane.y(coverage.interval->low), x, plane.y(coverage.interval->high), "whisker " + colour);
    }
    body += circle(x, y, 5.5, "mark " + colour,
                   report.rows[i].label + ": leak " + percent(leak.value.value_or(0)) + ", coverage " +
                       percent(coverage.value.value_or(0)));
    names += labels.place(x, y, report.rows[i].label);
  }
  return svg(300, "leak against coverage, one mark a row", body + names);
}

std::string right_answered_plot(const EvalReport& report) {
  Plane plane;
  std::string body = axes(plane, "answered, % of questions →", "↑ right, % of answered");
  Labels labels(kWidth, plane.top + plane.height);
  std::string names;
  bool any = false;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const ReportRow& row = report.rows[i];
    const auto share = [](uint64_t part, uint64_t of) { return of == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(of); };
    const bool compared = row.metrics.of(Metric::Accuracy).value.has_value();
    if (!compared || row.curve.points.empty()) continue;
    any = true;
    const CurvePoint* before = nullptr;
    double x = 0;
    double y = 0;
    for (const CurvePoint& point : row.curve.points) {
      const double from_x = x;
      const double from_y = y;
      x = plane.x(share(point.answered, row.curve.questions));
      y = plane.y(share(point.right, point.answered));
      if (before != nullptr) body += line(from_x, from_y, x, y, "whisker " + row_class(i));
      before = &point;
      body += circle(x, y, &point == &row.curve.points.back() ? 5.5 : 2.5, "mark " + row_class(i),
                     row.label + ": " + percent(share(point.answered, row.curve.questions)) + " answered, of these " +
                         percent(share(point.right, point.answered)) + " right; at most " + std::to_string(point.by_policy) +
                         " names taken away by policy, " + std::to_string(point.unfit) + " that did not fit");
    }
    names += labels.place(x, y, row.label);
  }
  return any ? svg(300, "right against answered, one curve a row", body + names) : "";
}

std::string tokens_per_safe_plot(const EvalReport& report) {
  double most = 0;
  for (const ReportRow& row : report.rows)
    most = std::max(most, row.metrics.of(Metric::TokensPerSafe).value.value_or(0));
  if (most <= 0) return "";
  std::string body;
  double y = 4;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const Estimate& tokens = report.rows[i].metrics.of(Metric::TokensPerSafe);
    const std::string shown_value = shown(Metric::TokensPerSafe, tokens);
    body +=
        label(0, y + 10, report.rows[i].label, "bar-label") + label(kWidth, y + 10, shown_value, "bar-label", "end");
    body += bar(0, y + 15, kWidth, 14, "bar-ground", "");
    body += bar(0, y + 15, kWidth * tokens.value.value_or(0) / most, 14, "bar " + row_class(i),
                report.rows[i].label + ": " + shown_value + " tokens per safe answer");
    y += 40;
  }
  return svg(y, "tokens per safe answer, one bar a row", body);
}

std::string outcomes_plot(const EvalReport& report) {
  static constexpr std::array<Outcome, 4> kOutcomes{Outcome::SafeSql, Outcome::UnsafeSql, Outcome::Refuse,
                                                    Outcome::Failure};
  static constexpr std::array<const char*, 4> kClasses{"outcome-safe_sql", "outcome-unsafe_sql", "outcome-refuse",
                                                       "outcome-failure"};
  std::string body;
  double x = 0;
  for (size_t k = 0; k < kOutcomes.size(); ++k) {
    body += bar(x, 2, 10, 10, kClasses[k], "") + label(x + 14, 11, outcome_name(kOutcomes[k]), "tick");
    x += 105;
  }
  double y = 24;
  for (const ReportRow& row : report.rows) {
    body += label(0, y + 10, row.label, "bar-label");
    x = 0;
    for (size_t k = 0; k < kOutcomes.size(); ++k) {
      const double part =
          static_cast<double>(row.metrics.outcomes.of(kOutcomes[k])) / static_cast<double>(row.metrics.questions);
      const double width = kWidth * part;
      body += bar(x, y + 15, width, 18, kClasses[k],
                  row.label + ": " + std::string(outcome_name(kOutcomes[k])) + " " +
                      std::to_string(row.metrics.outcomes.of(kOutcomes[k])) + ", " + percent(part));
      if (width > 44) body += label(x + width / 2, y + 28, percent(part), "inside", "middle");
      x += width;
    }
    y += 44;
  }
  return svg(y, "outcomes, one bar a row", body);
}

std::string mask_time_plot(const EvalReport& report) {
  constexpr double kBinsPerDecade = 5;
  const auto bin_of = [](uint64_t ns) {
    return static_cast<int>(std::floor(std::log10(static_cast<double>(std::max<uint64_t>(ns, 1))) * kBinsPerDecade));
  };
  int first = 1000;
  int last = -1;
  for (const ReportRow& row : report.rows) {
    for (const uint64_t ns : row.mask_ns) {
      first = std::min(first, bin_of(ns));
      last = std::max(last, bin_of(ns));
    }
  }
  if (last < first) return "";
  const auto bins = static_cast<size_t>(last - first + 1);
  std::vector<std::vector<double>> shares;
  double most = 0;
  for (const ReportRow& row : report.rows) {
    std::vector<double>& share = shares.emplace_back(bins, 0.0);
    for (const uint64_t ns : row.mask_ns) {
      share[static_cast<size_t>(bin_of(ns) - first)] += 1.0 / static_cast<double>(row.mask_ns.size());
    }
    most = std::max(most, *std::ranges::max_element(share));
  }
  Plane plane;
  plane.height = 190;
  plane.most_up = rounded_up(most);
  plane.most_across = static_cast<double>(bins);
  std::string body;
  for (int i = 0; i <= 4; ++i) {
    const double value = plane.most_up * i / 4;
    body += line(plane.left, plane.y(value), plane.left + plane.width, plane.y(value), "grid");
    body += label(plane.left - 5, plane.y(value) + 4, number(100 * value), "tick", "end");
  }
  for (int bin = first; bin <= last + 1; ++bin) {
    if (bin % static_cast<int>(kBinsPerDecade) != 0) continue;
    const double ns = std::pow(10.0, bin / kBinsPerDecade);
    const double x = plane.x(bin - first);
    char text[32];
    std::snprintf(text, sizeof text, "%g %s",
                  ns < 1e3   ? ns
                  : ns < 1e6 ? ns / 1e3
                             : ns / 1e6,
                  ns < 1e3   ? "ns"
                  : ns < 1e6 ? "µs"
                             : "ms");
    body += line(x, plane.top, x, plane.top + plane.height, "grid");
    body += label(x, plane.top + plane.height + 14, text, "tick", "middle");
  }
  double legend = plane.top + 12;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    if (report.rows[i].mask_ns.empty()) continue;
    std::string points = number(plane.x(0)) + "," + number(plane.y(0));
    for (size_t bin = 0; bin < bins; ++bin) {
      const std::string top = number(plane.y(shares[i][bin]));
      points += " " + number(plane.x(static_cast<double>(bin))) + "," + top + " " +
                number(plane.x(static_cast<double>(bin + 1))) + "," + top;
    }
    points += " " + number(plane.x(static_cast<double>(bins))) + "," + number(plane.y(0));
    body += "<polygon points=\"" + points + "\" class=\"area " + row_class(i) + "\"><title>" +
            html_escaped(report.rows[i].label) + "</title></polygon>";
    body += bar(plane.left + plane.width - 150, legend - 9, 10, 10, "bar " + row_class(i), "") +
            label(plane.left + plane.width - 136, legend, report.rows[i].label, "tick");
    legend += 15;
  }
  body += label(plane.left + 4, plane.top + 12, "share of masks, %", "axis");
  return svg(plane.top + plane.height + 22, "how long masks took, on a logarithmic axis", body);
}

}  // namespace pccsql
