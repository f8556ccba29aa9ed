// What a caller may know of his databases: their tables and columns, each with what it is for, and his policy. What is Hidden
// from him is left out, for admins too: their view of the policy lists it.
#include <algorithm>
#include <fstream>
#include <utility>

#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "serve/estate.h"
#include "serve/service.h"

namespace pccsql {
namespace {

bool is_shown(const Access& its, TableId table) {
  return its.catalog().table(table).kind != TableKind::Virtual && !its.policy().all_hidden(table);
}

Json roles_of(ColumnPolicy policy) {
  Json roles = Json::array();
  for (const Role role : kRoles) {
    if (permitted(policy, role)) roles.push_back(to_string(role));
  }
  return roles;
}

Json column_json(const Access& its, ColumnRef ref) {
  const Column& column = its.catalog().column(ref);
  const ColumnPolicy policy = its.policy().of(ref);
  return {{"name", column.name}, {"type", column.type}, {"policy", to_string(policy)}, {"for", roles_of(policy)}};
}

// Columns of a key, where all of them are his to know.
Json names_json(const Access& its, TableId table, const std::vector<ColumnIndex>& columns) {
  Json names = Json::array();
  for (const ColumnIndex c : columns) {
    if (its.policy().of({table, c}) == ColumnPolicy::Hidden) return Json::array();
    names.push_back(its.catalog().column({table, c}).name);
  }
  return names;
}

Json foreign_keys_json(const Access& its, TableId table) {
  Json keys = Json::array();
  for (const ForeignKey& key : its.catalog().table(table).foreign_keys) {
    Json own = names_json(its, table, key.columns);
    const auto parent_table = its.catalog().find_table(key.parent_table);
    bool known = !own.empty() && parent_table && is_shown(its, *parent_table);
    for (const std::string& name : key.parent_columns) {
      const auto parent = its.catalog().find_column(key.parent_table, name);
      known = known && parent && its.policy().of(*parent) != ColumnPolicy::Hidden;
    }
    if (known) keys.push_back({{"columns", std::move(own)}, {"table", key.parent_table}, {"parent_columns", key.parent_columns}});
  }
  return keys;
}

Json table_json(const Access& its, TableId id) {
  const Table& table = its.catalog().table(id);
  Json columns = Json::array();
  for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
    if (its.policy().of({id, c}) != ColumnPolicy::Hidden) columns.push_back(column_json(its, {id, c}));
  }
  return {{"name", table.name},
          {"kind", table.kind == TableKind::View ? "view" : "table"},
          {"min_group", its.policy().group(id).minimum},
          {"columns", std::move(columns)},
          {"primary_key", names_json(its, id, table.primary_key)},
          {"foreign_keys", foreign_keys_json(its, id)}};
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : folded(text) + " ") {
    if (c != ' ' && c != '\t' && c != '\n' && c != ',') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

}  // namespace

Reply Service::databases(const Visit& visit) const {
  const auto now = estate();
  Json list = Json::array();
  const std::lock_guard lock(now->mutex);
  for (const auto& [key, its] : now->accesses) {
    if (key.first != visit.caller.policy) continue;
    size_t tables = 0;
    for (TableId t = 0; t < its->catalog().tables().size(); ++t) tables += is_shown(*its, t) ? 1 : 0;
    list.push_back({{"name", key.second}, {"tables", tables}, {"method", to_string(its->database().method)}, {"model", "pccsql/" + key.second}});
  }
  return {200, dumped(Json{{"databases", std::move(list)}, {"who", visit.caller.name}, {"admin", visit.caller.admin}, {"questions", model_ != nullptr}})};
}

Reply Service::models(const Visit& visit) const {
  const auto now = estate();
  Json list = Json::array();
  const std::lock_guard lock(now->mutex);
  for (const auto& [key, its] : now->accesses) {
    if (key.first == visit.caller.policy) list.push_back({{"id", "pccsql/" + key.second}, {"object", "model"}, {"created", 0}, {"owned_by", "pccsql"}});
  }
  return {200, dumped(Json{{"object", "list"}, {"data", std::move(list)}})};
}

Reply Service::schema(const Visit& visit, const std::string& database) const {
  const auto found = access(visit.caller, database);
  if (const auto* reply = std::get_if<Reply>(&found)) return *reply;
  const Access& its = *std::get<std::shared_ptr<Access>>(found);
  Json tables = Json::array();
  for (TableId t = 0; t < its.catalog().tables().size(); ++t) {
    if (is_shown(its, t)) tables.push_back(table_json(its, t));
  }
  const Json json{{"database", its.database().name}, {"policy", its.policy_name()}, {"tables", std::move(tables)}};
  return {200, covered(visit.caller, its, dumped(json), "")};
}

Reply Service::search(const Visit& visit, const std::string& database, const std::string& words) const {
  const auto found = access(visit.caller, database);
  if (const auto* reply = std::get_if<Reply>(&found)) return *reply;
  const Access& its = *std::get<std::shared_ptr<Access>>(found);
  const std::vector<std::string> wanted = words_of(words);
  const auto matches = [&wanted](const std::string& name) {
    const std::string low = folded(name);
    return wanted.empty() || std::ranges::any_of(wanted, [&low](const std::string& word) { return low.find(word) != std::string::npos; });
  };
  Json objects = Json::array();
  for (TableId t = 0; t < its.catalog().tables().size(); ++t) {
    if (!is_shown(its, t)) continue;
    const Table& table = its.catalog().table(t);
    Json columns = Json::array();
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      if (its.policy().of({t, c}) == ColumnPolicy::Hidden) continue;
      if (matches(table.name) || matches(table.columns[c].name)) columns.push_back(column_json(its, {t, c}));
    }
    if (matches(table.name) || !columns.empty()) {
      objects.push_back({{"table", table.name}, {"kind", table.kind == TableKind::View ? "view" : "table"}, {"columns", std::move(columns)}});
    }
  }
  const Json json{{"database", its.database().name}, {"objects", std::move(objects)}};
  return {200, covered(visit.caller, its, dumped(json), words)};
}

std::string Service::metrics() const {
  std::string out = meter_.text();
  const auto gauge = [&out](std::string_view name, std::string_view help, double value) {
    out += metric_heading(name, "gauge", help) + metric_sample(name, "", value);
  };
  const Gate::Counts answers = answers_.counts(), queries = queries_.counts();
  out += metric_heading("pccsql_places", "gauge", "Answers and queries in the making, and callers that wait for a place.");
  out += metric_sample("pccsql_places", "{of=\"answers\",state=\"inside\"}", static_cast<double>(answers.inside));
  out += metric_sample("pccsql_places", "{of=\"answers\",state=\"waiting\"}", static_cast<double>(answers.waiting));
  out += metric_sample("pccsql_places", "{of=\"queries\",state=\"inside\"}", static_cast<double>(queries.inside));
  out += metric_sample("pccsql_places", "{of=\"queries\",state=\"waiting\"}", static_cast<double>(queries.waiting));
  if (batched_) {
    const BatchedModel::Counts counts = batched_->counts();
    out += metric_heading("pccsql_passes_total", "counter", "Passes of the model, and the generations in all of them.");
    out += metric_sample("pccsql_passes_total", "{of=\"passes\"}", static_cast<double>(counts.batches));
    out += metric_sample("pccsql_passes_total", "{of=\"generations\"}", static_cast<double>(counts.sequences));
  }
  std::ifstream statm("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  if (statm >> all >> resident) {
    gauge("pccsql_resident_bytes", "Memory of the server's process.", static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  return out;
}

}  // namespace pccsql
