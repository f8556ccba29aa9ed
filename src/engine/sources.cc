// Where an Engine's schema, policy and vocabulary are read from.
#include <algorithm>
#include <fstream>
#include <type_traits>

#include <pccsql/engine.h>

#include "base/file.h"
#include "base/text.h"
#include "engine/engine_impl.h"
#include "engine/read_sources.h"
#include "mask/tokenizer_json.h"
#include "model/llama/gguf_vocabulary.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

Result<Catalog> one_of(std::vector<Catalog> catalogs, const TablesJson& source) {
  const auto found = std::ranges::find(catalogs, source.db_id, &Catalog::name);
  if (found != catalogs.end()) return std::move(*found);
  std::vector<std::string> names;
  for (const Catalog& catalog : catalogs) names.push_back(catalog.name());
  const std::string close = closest_match(source.db_id, names);
  return Error{"has no database `" + source.db_id + "`" + (close.empty() ? "" : "; did you mean `" + close + "`?"),
               source.path,
               {}};
}

}  // namespace

Result<Catalog> read_schema(const SchemaSource& source) {
  if (const auto* sqlite = std::get_if<SqliteFile>(&source)) return read_sqlite_catalog(sqlite->path);
  if (const auto* ddl = std::get_if<DdlText>(&source)) return read_ddl_catalog(ddl->text, ddl->name);
  const auto& tables = std::get<TablesJson>(source);
  auto catalogs = read_tables_json(tables.path);
  if (!catalogs) return catalogs.error();
  return one_of(std::move(*catalogs), tables);
}

Result<Policy> read_policy(const PolicySource& source, const Catalog& catalog) {
  if (const auto* given = std::get_if<PolicyText>(&source)) return parse_policy_yaml(given->text, catalog, given->name);
  const std::string& path = std::get<PolicyFile>(source).path;
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_policy_yaml(*text, catalog, path);
}

namespace {

bool begins_as_gguf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  return file.read(magic, sizeof magic) && std::string_view(magic, sizeof magic) == "GGUF";
}

}  // namespace

Result<Engine> Engine::compile(const SchemaSource& schema, const PolicySource& policy, VocabularyIndex vocabulary,
                               const Settings& settings) {
  auto catalog = read_schema(schema);
  if (!catalog) return catalog.error();
  auto permitted = read_policy(policy, *catalog);
  if (!permitted) return permitted.error();
  return make_engine(std::move(*catalog), std::move(*permitted), std::move(vocabulary), settings);
}

Result<Vocabulary> read_vocabulary(const std::string& path, std::span<const std::string> end_of_text) {
  if (begins_as_gguf(path)) {
    if (end_of_text.empty()) return read_gguf_vocabulary(path);
    return Error{"is a GGUF file, which says itself which tokens end a text; name none", path, {}};
  }
  return read_tokenizer_json(path, std::vector<TokenName>(end_of_text.begin(), end_of_text.end()));
}

}  // namespace pccsql
