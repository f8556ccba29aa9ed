// Access: one database under one policy, as the callers of that policy see it. Never changes; where the database or the
// policy does, another one takes its place, and answers in the making end under the one they began with.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <pccsql/engine.h>

#include "base/result.h"
#include "decode/subject.h"
#include "dialect/dialect.h"
#include "exec/open_runner.h"
#include "exec/query_runner.h"
#include "policy/judgement.h"
#include "prompt/example_values.h"
#include "serve/config.h"
#include "serve/hidden_names.h"

namespace pccsql {

// What one thread at a time needs to judge, ask and run. Made once, then lent again and again.
struct Seat {
  // PRE: the policy outlives it.
  Seat(const Catalog& catalog, const Policy& policy, const ExampleValues& values, HiddenColumns hidden)
      : settings{.suggested = hidden == HiddenColumns::LeftOut ? &policy : nullptr},
        subject(catalog, policy, settings, Prompts::standard(), {}, values, hidden),
        checker(make_checker(catalog, settings)) {}

  CheckSettings settings;

  Subject subject;
  std::unique_ptr<QueryChecker> checker;
  std::unique_ptr<QueryRunner> runner;  // opened by the first query
};

class Access : public std::enable_shared_from_this<Access> {
 public:
  // Reads the catalogue anew, and the policy's text for it. On a server a role that has more rights than queries need is found
  // here, before anybody asks.
  static Result<std::shared_ptr<Access>> open(const ServedDatabase& database, const std::string& policy_name,
                                              const std::string& policy_file, std::string policy_text);

  // A policy's text, and what comments in the database say besides.
  static Result<Policy> read_policy(const Catalog& catalog, const std::string& text, const std::string& file);

  const ServedDatabase& database() const { return database_; }
  const std::string& policy_name() const { return policy_name_; }
  const std::string& policy_file() const { return policy_file_; }
  const std::string& policy_text() const { return policy_text_; }
  const std::string& policy_hash() const { return policy_hash_; }  // as the audit has it
  const Catalog& catalog() const { return catalog_; }
  const Policy& policy() const { return policy_; }
  const HiddenNames& hidden() const { return hidden_; }

  // Another file lies where the database did, or none: what is open of it is no longer what its name stands for.
  bool replaced() const;

  // A seat whose model is told so much, given back when the last copy of the pointer goes. Keeps this alive.
  std::shared_ptr<Seat> seat(HiddenColumns hidden) const;
  // The seat's runner, opened if it is not yet.
  Result<QueryRunner*> runner(Seat& seat) const;
  // For completions: an Engine that knows bytes alone.
  Result<const Engine*> completer() const;

 private:
  Access(ServedDatabase database, std::string policy_name, std::string policy_file, std::string policy_text, Catalog catalog,
         Policy policy, ExampleValues values);

  const ServedDatabase database_;
  const std::string policy_name_, policy_file_, policy_text_;
  const Catalog catalog_;
  const Policy policy_;
  const std::string policy_hash_;
  const HiddenNames hidden_;
  const ExampleValues values_;
  const std::string identity_;  // of the database's file

  mutable std::mutex mutex_;
  mutable std::array<std::vector<std::unique_ptr<Seat>>, 2> idle_;  // by HiddenColumns
  mutable std::optional<Result<Engine>> completer_;
};

}  // namespace pccsql
