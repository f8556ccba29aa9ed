#include "eval/report_paper.h"

namespace pccsql {
namespace {

// Method, model, leak, coverage, recall, recovery, fail, calls, tokens, tokens per safe, accuracy.
constexpr PaperRow kSpider[] = {
    {"direct", "qwen7b", 30.66, 50.1, 74.27, 2.86, 1.26, 1, 525, 1048, 58.8},
    {"direct", "deepseek67b", 42.36, 50.77, 73.39, 6.57, 6.58, 1, 719, 1416, 51.2},
    {"direct", "qwen32b", 4.84, 25.82, 38.3, 1.43, 0, 1, 499, 1934, 33.8},
    {"direct", "claude-haiku", 22.82, 49.03, 70.91, 6.29, 0.58, 1, 629, 1284, 56.1},
    {"direct", "claude-opus", 20.41, 58.22, 84.5, 6.86, 0, 1, 627, 1076, 69.4},
    {"retry", "qwen7b", 0.39, 50.19, 74.27, 3.14, 10.06, 1.32, 740, 1474, 59.1},
    {"retry", "deepseek67b", 0.48, 54.35, 76.17, 11.71, 34.04, 1.59, 1351, 2487, 52.9},
    {"retry", "qwen32b", 0, 24.95, 37.13, 1.14, 0, 1.04, 533, 2135, 32.9},
    {"retry", "claude-haiku", 0.68, 54.26, 78.51, 6.86, 0.58, 1.29, 897, 1654, 62},
    {"retry", "claude-opus", 0.48, 68.38, 94.15, 18, 0.1, 1.23, 832, 1217, 76.9},
    {"verify", "qwen7b", 12.96, 28.05, 41.96, 0.86, 0.48, 1.82, 990, 3530, 34.5},
    {"verify", "deepseek67b", 26.98, 36.65, 53.07, 4.57, 4.64, 2, 1342, 3661, 38.9},
    {"verify", "qwen32b", 1.35, 18.28, 27.49, 0.29, 0, 1.31, 654, 3579, 25.1},
    {"itergen", "qwen7b", 2.32, 55.8, 75.44, 17.43, 2.13, 1, 539, 966, 59.2},
    {"itergen", "deepseek67b", 1.35, 59.38, 80.99, 17.14, 19.73, 1, 766, 1289, 53.1},
    {"itergen", "qwen32b", 2.51, 56.58, 77.49, 15.71, 2.71, 1, 538, 951, 62.4},
    {"pcc", "qwen7b", 0, 88.69, 89.04, 88, 3.19, 1, 521, 588, 47.2},
    {"pcc", "deepseek67b", 0, 64.8, 68.13, 58.29, 2.51, 1, 740, 1142, 35.5},
    {"pcc", "qwen32b", 0, 80.56, 83.33, 75.14, 2.03, 1, 532, 661, 48.2},
};

constexpr PaperRow kBird[] = {
    {"direct", "qwen7b", 15.12, 31.88, 44.84, 16.88, 4.17, 1, 1063, 3333, 17.7},
    {"direct", "deepseek67b", 39.5, 41.53, 61, 18.99, 15.06, 1, 1454, 3501, 16.9},
    {"direct", "qwen32b", 0.98, 6, 9.11, 2.39, 0, 1, 1029, 17164, 4.9},
    {"direct", "claude-haiku", 15.97, 35.59, 51.76, 16.88, 1.89, 1, 1313, 3690, 20.2},
    {"direct", "claude-opus", 17.8, 63.17, 86.39, 36.29, 0.13, 1, 1326, 2099, 45.2},
    {"retry", "qwen7b", 0.2, 31.94, 44.96, 16.88, 7.04, 1.16, 1254, 3926, 17.7},
    {"retry", "deepseek67b", 1.63, 45.05, 65.37, 21.52, 35.98, 1.59, 2590, 5749, 18},
    {"retry", "qwen32b", 0.07, 5.28, 8.38, 1.69, 0, 1.01, 1053, 19939, 4.3},
    {"retry", "claude-haiku", 2.22, 41.07, 55.53, 24.33, 1.5, 1.26, 1733, 4219, 21.3},
    {"retry", "claude-opus", 5.02, 68.58, 88.82, 45.15, 0.33, 1.3, 1782, 2598, 46.1},
    {"verify", "qwen7b", 5.87, 12.32, 18.35, 5.34, 1.37, 1.51, 1407, 11420, 7.5},
    {"verify", "deepseek67b", 24.84, 30.51, 45.32, 13.36, 7.89, 1.96, 2169, 7111, 14},
    {"verify", "qwen32b", 0.46, 3.98, 6.08, 1.55, 0, 1.07, 1074, 27000, 3.9},
    {"itergen", "qwen7b", 6.98, 36.9, 48.6, 23.35, 9.19, 1, 1104, 2993, 14.8},
    {"itergen", "deepseek67b", 1.89, 52.22, 70.84, 30.66, 26.08, 1, 1500, 2872, 19.7},
    {"itergen", "qwen32b", 2.8, 25.42, 28.92, 21.38, 12.97, 1, 1060, 4168, 10.9},
    {"pcc", "qwen7b", 0, 78.03, 81.65, 73.84, 1.89, 1, 1089, 1396, 11.4},
    {"pcc", "deepseek67b", 0, 49.02, 59.42, 36.99, 3.06, 1, 1479, 3016, 11.9},
    {"pcc", "qwen32b", 0, 76.6, 80.32, 72.29, 0.98, 1, 1088, 1420, 18.2},
};

constexpr PaperRow kAcl[] = {
    {"direct", "qwen7b", 22.43, 35.63, 80.32, 4.25, 0, 1, 482, 1354, std::nullopt},
    {"direct", "deepseek67b", 40.9, 36.08, 77.9, 6.72, 0, 1, 675, 1870, std::nullopt},
    {"direct", "qwen32b", 1.69, 22.71, 53.86, 0.84, 0, 1, 476, 2096, std::nullopt},
    {"retry", "qwen7b", 0.19, 37.62, 81.99, 6.46, 0, 1.24, 649, 1725, std::nullopt},
    {"retry", "deepseek67b", 0.32, 36.78, 80.07, 6.38, 48.44, 1.53, 1227, 3336, std::nullopt},
    {"retry", "qwen32b", 0.23, 22.72, 53.89, 0.84, 0, 1.02, 490, 2158, std::nullopt},
    {"verify", "qwen7b", 13.53, 28.35, 64.52, 2.95, 0, 1.58, 804, 2835, std::nullopt},
    {"verify", "deepseek67b", 28.76, 31.13, 68.51, 4.88, 0, 1.99, 1315, 4223, std::nullopt},
    {"verify", "qwen32b", 0.48, 20.44, 49.22, 0.23, 0, 1.25, 587, 2870, std::nullopt},
    {"itergen", "qwen7b", 7.34, 44.1, 90.75, 11.35, 0, 1, 516, 1169, std::nullopt},
    {"itergen", "deepseek67b", 3.51, 46.16, 87.84, 16.89, 18.94, 1, 723, 1567, std::nullopt},
    {"itergen", "qwen32b", 7.11, 53.62, 88.28, 29.28, 1.55, 1, 511, 954, std::nullopt},
    {"pcc", "qwen7b", 0, 86.58, 95.03, 80.64, 0.01, 1, 500, 577, std::nullopt},
    {"pcc", "deepseek67b", 0, 59.84, 81.27, 44.79, 0.05, 1, 707, 1182, std::nullopt},
    {"pcc", "qwen32b", 0, 79.05, 89.39, 71.79, 0, 1, 501, 633, std::nullopt},
};

constexpr PaperSuite kSuites[] = {
    {"spider-cu", "Spider-CU", 2, 33.85, 99.4, kSpider},
    {"bird-cu", "BIRD-CU", 3, 46.35, 100.0, kBird},
    {"spider-acl", "Spider-ACL", 10, 58.75, 97.1, kAcl},
};

}  // namespace

std::optional<double> PaperRow::of(Metric metric) const {
  switch (metric) {
    case Metric::Leak:
      return leak;
    case Metric::Coverage:
      return coverage;
    case Metric::Recall:
      return recall;
    case Metric::Recovery:
      return recovery;
    case Metric::Fail:
      return fail;
    case Metric::Calls:
      return calls;
    case Metric::Tokens:
      return tokens;
    case Metric::TokensPerSafe:
      return tokens_per_safe;
    case Metric::Accuracy:
      return accuracy;
    default:
      return std::nullopt;
  }
}

const PaperSuite* paper_suite(std::string_view name) {
  for (const PaperSuite& suite : kSuites) {
    if (suite.name == name) return &suite;
  }
  return nullptr;
}

std::string_view paper_method_name(std::string_view method) {
  if (method == "direct") return "direct prompting";
  if (method == "retry") return "retry (N=3)";
  if (method == "verify") return "2-step verifier";
  if (method == "itergen") return "IterGen";
  if (method == "pcc" || method == "pcc-paper") return "PCC-SQL";
  return method;
}

}  // namespace pccsql
