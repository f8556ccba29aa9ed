// The service's policies: the caller's own; and for admins every one of them, with what lint says, as a draft that is tried on past
// questions before it holds, and saved.
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/render.h"
#include "dialect/dialect.h"
#include "eval/machine.h"
#include "lint/accepted.h"
#include "lint/lint.h"
#include "model/sha256.h"
#include "policy/policy_edit.h"
#include "policy/policy_file.h"
#include "serve/estate.h"
#include "serve/service.h"

namespace pccsql {
namespace {

// All labels, or those of what is not Hidden.
Json labels_json(const Catalog& catalog, const Policy& policy, bool all) {
  Json tables = Json::object();
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    const Table& table = catalog.table(t);
    if (!all && (table.kind == TableKind::Virtual || policy.all_hidden(t))) continue;
    Json columns = Json::object();
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      const ColumnPolicy label = policy.of({t, c});
      if (all || label != ColumnPolicy::Hidden) columns[table.columns[c].name] = to_string(label);
    }
    tables[table.name] = std::move(columns);
  }
  return tables;
}

// What `policy lint --no-data` says. PRE: the text is a policy for the catalogue.
Json warnings_json(const Catalog& catalog, const Policy& policy, const std::string& text) {
  PolicyNotes notes;
  (void)parse_policy_yaml(text, catalog, {}, &notes);
  Json warnings = Json::array();
  for (const Warning& warning : settle(catalog, lint(catalog, policy), notes, false).open) {
    warnings.push_back({{"kind", to_string(warning.kind)}, {"table", warning.table}, {"column", warning.column}, {"message", warning.message}});
  }
  return warnings;
}

// A question or query of the past, as the audit has it.
struct Past {
  std::string who;
  Json question;
  std::string sql;  // empty: it was refused, and nothing says what it would have been
};

std::vector<Past> past_of(const std::vector<std::string>& lines, const Access& its) {
  constexpr size_t kMost = 500;
  std::vector<Past> all;
  std::set<std::pair<std::string, std::string>> seen;
  for (const std::string& text : lines) {
    const auto line = parsed_json(text);
    if (!line || !line->is_object() || all.size() == kMost) continue;
    const auto word = [&line](const char* name) {
      const auto found = line->find(name);
      return found != line->end() && found->is_string() ? found->get<std::string>() : "";
    };
    if (word("database") != its.database().name || word("policy") != its.policy_name()) continue;
    const std::string kind = word("kind");
    if (kind != "answered" && kind != "partial" && kind != "refused" && kind != "failed") continue;
    Past past{word("who"), word("question").empty() ? Json(nullptr) : Json(word("question")), word("sql")};
    if (past.sql.empty() && past.question.is_null()) continue;
    if (seen.emplace(word("question"), past.sql).second) all.push_back(std::move(past));
  }
  return all;
}

// A query under one policy: the verdict, and what is run for it.
struct Under {
  Verdict verdict = Verdict::Error;
  std::string reason, run;
};

Under judged(QueryChecker& checker, const std::string& sql, const Policy& policy) {
  const Judgement judgement = checker.check(sql, policy);
  Under under{judgement.verdict, judgement.reason, ""};
  if (under.verdict != Verdict::Safe) return under;
  const auto run = checker.run_text(sql, policy);
  under.run = run ? run->sql : "not run: " + run.error().message;
  return under;
}

// Which past answers would be others. Of a question that was refused nothing is known but that it may have an answer now.
Json past_json(const Access& its, const Policy& draft, const std::vector<Past>& all) {
  Json changed = Json::array(), open = Json::array();
  const auto checker = make_checker(its.catalog(), {});
  for (const Past& past : all) {
    if (past.sql.empty()) {
      open.push_back({{"who", past.who}, {"question", past.question}});
      continue;
    }
    const Under was = judged(*checker, past.sql, its.policy()), now = judged(*checker, past.sql, draft);
    if (was.verdict == now.verdict && was.run == now.run) continue;
    changed.push_back({{"who", past.who},
                       {"question", past.question},
                       {"sql", past.sql},
                       {"was", to_string(was.verdict)},
                       {"now", to_string(now.verdict)},
                       {"reason", was.verdict == now.verdict ? "other groups are left out of the rows" : now.reason}});
  }
  return {{"tried", all.size()}, {"changed", std::move(changed)}, {"refused_before", std::move(open)}};
}

std::string real_path(const std::string& file) {
  std::error_code unknown;
  const auto path = std::filesystem::canonical(file, unknown);
  return unknown ? file : path.string();
}

// The draft's text: with its labels, where it has some.
Result<std::string> text_of(const PolicyDraft& draft, const Access& its) {
  std::string text = draft.text.value_or(its.policy_text());
  for (const PolicyDraft::Label& label : draft.labels) {
    const auto column = its.catalog().find_column(label.table, label.column);
    if (!column) return Error{"there is no column `" + label.table + "." + label.column + "`", {}, {}};
    const auto policy = parse_column_policy(label.policy);
    if (!policy) return Error{"`" + label.policy + "` is none of `Public`, `ConditionOnly`, `AggregateOnly` and `Hidden`", {}, {}};
    auto next = with_label(text, its.catalog(), *column, *policy, "the draft");
    if (!next) return next.error();
    text = *std::move(next);
  }
  return text;
}

}  // namespace

Reply Service::policy(const Visit& visit, const std::string& database, const std::string& policy) const {
  const auto found = access(visit.caller, database, policy.empty() ? visit.caller.policy : policy);
  if (const auto* reply = std::get_if<Reply>(&found)) return *reply;
  const Access& its = *std::get<std::shared_ptr<Access>>(found);
  Json json{{"database", its.database().name}, {"policy", its.policy_name()}, {"sha256", its.policy_hash()}, {"default", "Hidden"}};
  json["tables"] = labels_json(its.catalog(), its.policy(), !covers(visit.caller));
  if (visit.caller.admin) {
    json["text"] = its.policy_text();
    json["text_sha256"] = sha256_hex(its.policy_text());
    json["warnings"] = warnings_json(its.catalog(), its.policy(), its.policy_text());
    json["policies"] = Json::array();
    const auto now = estate();
    const std::lock_guard lock(now->mutex);
    for (const auto& [key, access] : now->accesses) json["policies"].push_back({{"policy", key.first}, {"database", key.second}});
  }
  return {200, dumped(json)};
}

Reply Service::try_policy(const Visit& visit, const PolicyDraft& draft) {
  constexpr size_t kLinesLookedAt = 5000;
  if (!visit.caller.admin) return refusal(403, "admins_only", "policies are changed by admins");
  const auto found = access(visit.caller, draft.database, draft.policy.empty() ? visit.caller.policy : draft.policy);
  if (const auto* reply = std::get_if<Reply>(&found)) return *reply;
  const Access& its = *std::get<std::shared_ptr<Access>>(found);
  const auto text = text_of(draft, its);
  if (!text) return refusal(400, "draft", text.error().to_string());
  const auto policy = Access::read_policy(its.catalog(), *text, "the draft");
  if (!policy) return refusal(400, "draft", policy.error().to_string());
  Json json{{"database", its.database().name}, {"policy", its.policy_name()}, {"text", *text}, {"text_sha256", sha256_hex(its.policy_text())}};
  json["tables"] = labels_json(its.catalog(), *policy, true);
  json["warnings"] = warnings_json(its.catalog(), *policy, *text);
  const auto path = estate()->config.audit;
  const auto lines = path ? last_lines(*path, kLinesLookedAt) : Result<std::vector<std::string>>(std::vector<std::string>{});
  json["past"] = lines ? past_json(its, *policy, past_of(*lines, its)) : Json(nullptr);
  return {200, printable_json(dumped(json))};
}

Reply Service::save_policy(const Visit& visit, const PolicyDraft& draft, const std::string& based_on) {
  if (!visit.caller.admin) return refusal(403, "admins_only", "policies are changed by admins");
  const std::lock_guard changing(change_mutex_);
  const auto found = access(visit.caller, draft.database, draft.policy.empty() ? visit.caller.policy : draft.policy);
  if (const auto* reply = std::get_if<Reply>(&found)) return *reply;
  const Access& its = *std::get<std::shared_ptr<Access>>(found);
  const std::string file = real_path(its.policy_file());
  const auto stands = read_file(file);
  if (based_on != sha256_hex(its.policy_text()) || !stands || *stands != its.policy_text()) {
    return refusal(409, "changed_meanwhile", "the policy is no longer the one that the draft began with; begin again with the one that holds now");
  }
  const auto text = text_of(draft, its);
  if (!text) return refusal(400, "draft", text.error().to_string());

  // Whatever else has the same file gets the same text; where it does not fit one of them, nothing is changed.
  const auto now = estate();
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Access>> fresh;
  {
    const std::lock_guard lock(now->mutex);
    for (const auto& [key, access] : now->accesses) {
      if (real_path(access->policy_file()) == file) fresh[key] = access;
    }
  }
  std::string hash;
  for (auto& [key, access] : fresh) {
    auto opened = Access::open(access->database(), key.first, access->policy_file(), *text);
    if (!opened) return refusal(400, "draft", "for the database `" + key.second + "`: " + opened.error().message);
    access = *std::move(opened);
    if (key == std::pair(its.policy_name(), its.database().name)) hash = access->policy_hash();
  }
  const Json line{{"time", now_utc()},
                  {"who", visit.caller.name},
                  {"door", visit.door},
                  {"database", its.database().name},
                  {"policy", its.policy_name()},
                  {"kind", "policy saved"},
                  {"policy_hash_before", its.policy_hash()},
                  {"policy_hash", hash}};
  if (!write_down(printable_json(dumped(line)) + "\n")) {
    return refusal(500, "audit_failed", "the change could not be written down, so it was not made");
  }
  if (!write_file(file, *text)) return refusal(500, "unwritable", "the policy's file cannot be written; the policy is as it was");
  {
    const std::lock_guard lock(now->mutex);
    for (auto& [key, access] : fresh) now->accesses[key] = std::move(access);
  }
  return policy(visit, its.database().name, its.policy_name());
}

}  // namespace pccsql
