// The paper's own figures (its tables 2, 3, 10 and 11, and its upper bounds on recovery), to stand beside ours.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "eval/metrics.h"

namespace pccsql {

struct PaperRow {
  std::string_view method;  // as `Method` is written; the paper has one that masks, `pcc`
  std::string_view model;   // as the paper abbreviates it: "qwen7b"
  double leak = 0;          // per cent, as are the next four
  double coverage = 0;
  double recall = 0;
  double recovery = 0;
  double fail = 0;
  double calls = 0;
  double tokens = 0;
  double tokens_per_safe = 0;
  std::optional<double> accuracy;  // per cent of SQL-gold; the paper has none for Spider-ACL

  // The figure as the paper prints it: per cent where the metric is a share.
  std::optional<double> of(Metric metric) const;
};

struct PaperSuite {
  std::string_view name;   // "spider-cu", "bird-cu", "spider-acl"
  std::string_view title;  // "Spider-CU"
  int table = 0;           // its table of methods; execution accuracy is table 11
  double bound_a = 0;      // per cent: Refuse-gold among all
  double bound_b = 0;      // per cent: Refuse-gold whose gold query has a column reference that is permitted
  std::span<const PaperRow> rows;
};

// nullptr: the paper has no such suite.
const PaperSuite* paper_suite(std::string_view name);

// The paper's name of a method: "PCC-SQL" for the masked ones, "retry (N=3)".
std::string_view paper_method_name(std::string_view method);

}  // namespace pccsql
