#include "serve/meter.h"

#include <chrono>
#include <cstdio>

namespace pccsql {
namespace {

double in_seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

std::string metric_heading(std::string_view name, std::string_view type, std::string_view help) {
  return "# HELP " + std::string(name) + " " + std::string(help) + "\n# TYPE " + std::string(name) + " " + std::string(type) + "\n";
}

std::string metric_sample(std::string_view name, std::string_view labels, double value) {
  char number[32];
  std::snprintf(number, sizeof number, "%.15g", value);
  return std::string(name) + std::string(labels) + " " + number + "\n";
}

void Meter::count_answer(const Asked& asked, std::string_view door) {
  const std::lock_guard lock(mutex_);
  const std::string what = asked.question ? "question" : "query";
  ++answers_["{kind=\"" + std::string(to_string(kind_of(asked))) + "\",what=\"" + what + "\",door=\"" + std::string(door) + "\"}"];
  if (asked.rows) run_seconds_ += std::chrono::duration<double>(asked.rows->took).count();
  if (!asked.question) return;
  const Counts& counts = asked.answer.counts;
  prompt_tokens_ += counts.work.prompt_tokens;
  cached_tokens_ += counts.work.cached_prompt_tokens;
  generated_tokens_ += counts.work.generated_tokens;
  masks_ += asked.answer.mask_ns.size();
  model_seconds_ += in_seconds(counts.work.model_ns);
  mask_seconds_ += in_seconds(counts.mask_ns);
  choice_seconds_ += in_seconds(counts.choice_ns);
  total_seconds_ += in_seconds(counts.total_ns);
}

void Meter::count_verdict(std::string_view verdict) {
  const std::lock_guard lock(mutex_);
  ++verdicts_["{verdict=\"" + std::string(verdict) + "\"}"];
}

void Meter::count_refused(int status) {
  const std::lock_guard lock(mutex_);
  ++refused_[status];
}

void Meter::count_late() {
  const std::lock_guard lock(mutex_);
  ++late_;
}

std::string Meter::text() const {
  const std::lock_guard lock(mutex_);
  std::string out = metric_heading("pccsql_answers_total", "counter", "Questions and queries answered, by what became of them.");
  for (const auto& [labels, count] : answers_) out += metric_sample("pccsql_answers_total", labels, static_cast<double>(count));
  out += metric_heading("pccsql_checks_total", "counter", "Queries that were only judged, by verdict.");
  for (const auto& [labels, count] : verdicts_) out += metric_sample("pccsql_checks_total", labels, static_cast<double>(count));
  out += metric_heading("pccsql_refused_total", "counter", "Requests that were turned away, by HTTP status.");
  for (const auto& [status, count] : refused_) {
    out += metric_sample("pccsql_refused_total", "{status=\"" + std::to_string(status) + "\"}", static_cast<double>(count));
  }
  const auto single = [&out](std::string_view name, std::string_view help, double value) {
    out += metric_heading(name, "counter", help) + metric_sample(name, "", value);
  };
  single("pccsql_stopped_total", "Answers that were stopped: too late, or nobody was there any more.", static_cast<double>(late_));
  out += metric_heading("pccsql_tokens_total", "counter", "Tokens, by what they were.");
  out += metric_sample("pccsql_tokens_total", "{of=\"prompt\"}", static_cast<double>(prompt_tokens_));
  out += metric_sample("pccsql_tokens_total", "{of=\"prompt_cached\"}", static_cast<double>(cached_tokens_));
  out += metric_sample("pccsql_tokens_total", "{of=\"generated\"}", static_cast<double>(generated_tokens_));
  single("pccsql_masks_total", "Masks that were filled.", static_cast<double>(masks_));
  out += metric_heading("pccsql_seconds_total", "counter", "Seconds spent, by stage.");
  out += metric_sample("pccsql_seconds_total", "{stage=\"model\"}", model_seconds_);
  out += metric_sample("pccsql_seconds_total", "{stage=\"mask\"}", mask_seconds_);
  out += metric_sample("pccsql_seconds_total", "{stage=\"choice\"}", choice_seconds_);
  out += metric_sample("pccsql_seconds_total", "{stage=\"answer\"}", total_seconds_);
  out += metric_sample("pccsql_seconds_total", "{stage=\"run\"}", run_seconds_);
  return out;
}

}  // namespace pccsql
