// Asker: a database under a policy, and a model to ask about it, kept from question to question. What it is asked it answers: the
// query, its rows if it may run, what became of it, a line of the audit.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "apps/model_options.h"
#include "apps/options.h"
#include "apps/source.h"
#include "base/render.h"
#include "decode/decoder.h"
#include "dialect/dialect.h"
#include "exec/open_runner.h"
#include "prompt/prompts.h"
#include "serve/ask_report.h"
#include "serve/audit_file.h"

namespace pccsql {

class LiveText;

class Asker {
 public:
  static Result<std::unique_ptr<Asker>> make(const Options& options);

  // The exit status.
  int ask(const std::string& question);
  int query(const std::string& sql);

  const Catalog& catalog() const { return *catalog_; }
  const Policy& policy() const { return *policy_; }
  const std::string& schema() const { return subject_->schema(); }
  // What was asked last, and what came of it; rows aside.
  const std::optional<Asked>& last() const { return last_; }

 private:
  explicit Asker(const Options& options);
  Result<Done> prepare();
  Result<Done> read_database();
  Result<Done> open();
  void run(Asked& asked, const std::atomic<bool>& stop);
  int finish(Asked& asked, const LiveText& live, const std::atomic<bool>& stop);
  int report(Asked& asked, bool sql_is_shown) const;

  const Options& options_;
  Style style_;
  std::optional<Source> source_;
  const Catalog* catalog_ = nullptr;
  std::optional<Policy> policy_;
  std::optional<Prompts> prompts_;
  std::string adapter_hash_;
  std::string model_hash_;  // empty for an endpoint, which does not tell
  std::string policy_hash_;
  std::optional<AuditFile> audit_;
  OpenedModel model_;
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<QueryRunner> runner_;
  std::optional<Asked> last_;
  std::string warned_;  // of columns that the policy opens, once
};

}  // namespace pccsql
