// The C ABI: each function is one call of the C++ API, and no exception leaves it.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <pccsql/batch.h>
#include <pccsql/checker.h>
#include <pccsql/engine.h>
#include <pccsql/pccsql.h>

#include "mask/tokenizer_json.h"

struct pccsql_vocabulary {
  pccsql::VocabularyIndex index;
};
struct pccsql_engine {
  pccsql::Engine engine;
};
struct pccsql_memory {
  pccsql::Memory memory;
};
struct pccsql_matcher {
  pccsql::Matcher matcher;
  std::string reason;
};
struct pccsql_batch_filler {
  pccsql::BatchFiller filler;
};
struct pccsql_checker {
  pccsql::Checker checker;
};
struct pccsql_judgement {
  pccsql::Checker::Judgement judgement;
};

namespace {

using pccsql::Result;
using pccsql::Settings;

// nullptr where there is no memory.
char* copied(std::string_view text) {
  auto* made = static_cast<char*>(std::malloc(text.size() + 1));
  if (made == nullptr) return nullptr;
  std::copy(text.begin(), text.end(), made);
  made[text.size()] = '\0';
  return made;
}

void tell(char** error, std::string_view message) {
  if (error != nullptr) *error = copied(message);
}

// Runs `body`, which may throw; then `error` says so and `otherwise` is the answer.
template <typename Value, typename Body>
Value guarded(Value otherwise, char** error, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& problem) {
    tell(error, problem.what());
  } catch (...) {
    tell(error, "unknown internal error");
  }
  return otherwise;
}

constexpr std::string_view kNoSuchSchema = "there is no such kind of schema; use one of PCCSQL_SCHEMA_…";
constexpr std::string_view kNoSuchPolicy = "there is no such kind of policy; use one of PCCSQL_POLICY_…";
constexpr std::string_view kWrongSetting =
    "a setting is neither 0 nor 1, or one that this version does not know; begin with pccsql_settings_init";

std::string given(const char* text) { return text == nullptr ? std::string() : std::string(text); }

template <typename Enum>
bool read_choice(int value, Enum& into) {
  if (value != 0 && value != 1) return false;
  into = static_cast<Enum>(value);
  return true;
}

// The caller's struct may be of another version: what it does not have keeps its default, and what this version does not
// know must not be set.
std::optional<pccsql_settings> known_part(const pccsql_settings& given) {
  if (given.struct_size < offsetof(pccsql_settings, language) + sizeof given.language) return std::nullopt;
  const auto* bytes = reinterpret_cast<const char*>(&given);
  for (size_t at = sizeof given; at < given.struct_size; ++at) {
    if (bytes[at] != 0) return std::nullopt;
  }
  pccsql_settings known;
  pccsql_settings_init(&known);
  std::memcpy(&known, &given, std::min(sizeof known, given.struct_size));
  return known;
}

std::optional<Settings> settings_of(const pccsql_settings* all) {
  Settings settings;
  if (all == nullptr) return settings;
  const auto asked = known_part(*all);
  if (!asked) return std::nullopt;
  const bool known = read_choice(asked->language, settings.language) && read_choice(asked->profile, settings.profile) &&
                     read_choice(asked->aliases, settings.aliases) && read_choice(asked->style, settings.style) &&
                     read_choice(asked->algorithm, settings.algorithm);
  if (!known) return std::nullopt;
  settings.lookahead = asked->lookahead != 0;
  settings.derived_names = asked->derived_names != 0;
  settings.refusal = asked->refusal != 0;
  settings.token_budget = asked->token_budget;
  settings.memory_bytes = asked->memory_bytes;
  if (asked->memory != nullptr) settings.memory = asked->memory->memory;
  return settings;
}

std::optional<pccsql::SchemaSource> schema_of(int kind, const char* schema, const char* db_id) {
  switch (kind) {
    case PCCSQL_SCHEMA_SQLITE_FILE:
      return pccsql::SqliteFile{given(schema)};
    case PCCSQL_SCHEMA_DDL_TEXT:
      return pccsql::DdlText{given(schema)};
    case PCCSQL_SCHEMA_TABLES_JSON:
      return pccsql::TablesJson{given(schema), given(db_id)};
    default:
      return std::nullopt;
  }
}

std::optional<pccsql::PolicySource> policy_of(int kind, const char* policy) {
  switch (kind) {
    case PCCSQL_POLICY_YAML_FILE:
      return pccsql::PolicyFile{given(policy)};
    case PCCSQL_POLICY_YAML_TEXT:
      return pccsql::PolicyText{given(policy)};
    default:
      return std::nullopt;
  }
}

void add_line(std::string& lines, std::string_view what, std::string_view text, std::string_view detail = {}) {
  if (text.empty()) return;
  lines.append(what).append(": ").append(text);
  if (!detail.empty()) lines.append(" (").append(detail).append(")");
  lines += '\n';
}

std::string as_lines(const pccsql::Explanation& told) {
  std::string lines;
  add_line(lines, "clause", told.clause);
  add_line(lines, "role", told.role);
  for (const std::string& item : told.scope) add_line(lines, "scope", item);
  for (const std::string& item : told.obligations) add_line(lines, "obligation", item);
  for (const std::string& item : told.lexemes) add_line(lines, "lexeme", item);
  for (const auto& name : told.allowed) add_line(lines, "allowed", name.text, name.detail);
  for (const auto& name : told.blocked) add_line(lines, "blocked", name.text, name.detail);
  add_line(lines, "may end", told.may_end ? "yes" : "no");
  return lines;
}

}  // namespace

extern "C" {

const char* pccsql_version(void) { return PCCSQL_VERSION; }
void pccsql_free(char* text) { std::free(text); }

pccsql_vocabulary* pccsql_vocabulary_read(const char* path, char** error) {
  return guarded<pccsql_vocabulary*>(nullptr, error, [&]() -> pccsql_vocabulary* {
    auto read = pccsql::read_vocabulary(given(path));
    if (!read) return tell(error, read.error().to_string()), nullptr;
    return new pccsql_vocabulary{pccsql::VocabularyIndex(std::move(*read))};
  });
}

pccsql_vocabulary* pccsql_vocabulary_tokenizer_json(const char* json, size_t size, const uint32_t* end_of_text,
                                                    size_t end_of_text_count, char** error) {
  return guarded<pccsql_vocabulary*>(nullptr, error, [&]() -> pccsql_vocabulary* {
    if (json == nullptr || (end_of_text == nullptr && end_of_text_count > 0)) {
      return tell(error, "there is no text, or there are no ids where a count says there are"), nullptr;
    }
    const std::vector<pccsql::TokenName> ends(end_of_text, end_of_text + end_of_text_count);
    auto read = pccsql::parse_tokenizer_json({json, size}, ends);
    if (!read) return tell(error, read.error().to_string()), nullptr;
    return new pccsql_vocabulary{pccsql::VocabularyIndex(std::move(*read))};
  });
}

pccsql_vocabulary* pccsql_vocabulary_builtin(void) {
  return guarded<pccsql_vocabulary*>(
      nullptr, nullptr, [] { return new pccsql_vocabulary{pccsql::VocabularyIndex(pccsql::builtin_vocabulary())}; });
}

pccsql_vocabulary* pccsql_vocabulary_pieces(const pccsql_piece* pieces, size_t count, const uint32_t* end_of_text,
                                            size_t end_of_text_count, char** error) {
  return guarded<pccsql_vocabulary*>(nullptr, error, [&]() -> pccsql_vocabulary* {
    if ((pieces == nullptr && count > 0) || (end_of_text == nullptr && end_of_text_count > 0)) {
      return tell(error, "there are no pieces where a count says there are"), nullptr;
    }
    std::vector<pccsql::Piece> made;
    for (size_t i = 0; i < count; ++i) {
      const bool text = pieces[i].is_text != 0 && pieces[i].bytes != nullptr;
      made.push_back({text ? std::string(pieces[i].bytes, pieces[i].size) : std::string(),
                      text ? pccsql::TokenKind::Normal : pccsql::TokenKind::Unused});
    }
    auto vocabulary = pccsql::Vocabulary::make(made, {end_of_text, end_of_text_count});
    if (!vocabulary) return tell(error, vocabulary.error().to_string()), nullptr;
    return new pccsql_vocabulary{pccsql::VocabularyIndex(std::move(*vocabulary))};
  });
}

void pccsql_vocabulary_prepare(const pccsql_vocabulary* vocabulary) {
  guarded<bool>(false, nullptr, [&] {
    vocabulary->index.prepare();
    return true;
  });
}

size_t pccsql_vocabulary_size(const pccsql_vocabulary* vocabulary) { return vocabulary->index.vocabulary().size(); }

const char* pccsql_vocabulary_bytes(const pccsql_vocabulary* vocabulary, uint32_t id, size_t* size) {
  const bool text = vocabulary->index.vocabulary().is_text(id);
  const std::string_view bytes = text ? vocabulary->index.vocabulary().bytes(id) : std::string_view();
  if (size != nullptr) *size = bytes.size();
  return text ? bytes.data() : nullptr;
}

int pccsql_vocabulary_is_end_of_text(const pccsql_vocabulary* vocabulary, uint32_t id) {
  return vocabulary->index.vocabulary().is_end_of_text(id) ? 1 : 0;
}

void pccsql_vocabulary_free(pccsql_vocabulary* vocabulary) { delete vocabulary; }

pccsql_memory* pccsql_memory_new(size_t most_bytes) {
  return guarded<pccsql_memory*>(nullptr, nullptr, [&] { return new pccsql_memory{pccsql::Memory(most_bytes)}; });
}
size_t pccsql_memory_used(const pccsql_memory* memory) { return memory->memory.used_bytes(); }
void pccsql_memory_free(pccsql_memory* memory) { delete memory; }

void pccsql_settings_init_sized(pccsql_settings* settings, size_t struct_size) {
  const Settings defaults;
  pccsql_settings made = {};
  made.struct_size = struct_size;
  made.lookahead = defaults.lookahead ? 1 : 0;
  made.memory_bytes = defaults.memory_bytes;
  std::memset(static_cast<void*>(settings), 0, struct_size);
  std::memcpy(settings, &made, std::min(sizeof made, struct_size));
}

pccsql_engine* pccsql_engine_compile(int schema_kind, const char* schema, const char* db_id, int policy_kind,
                                     const char* policy, const pccsql_vocabulary* vocabulary,
                                     const pccsql_settings* settings, char** error) {
  return guarded<pccsql_engine*>(nullptr, error, [&]() -> pccsql_engine* {
    const auto schema_source = schema_of(schema_kind, schema, db_id);
    const auto policy_source = policy_of(policy_kind, policy);
    const auto chosen = settings_of(settings);
    if (vocabulary == nullptr) return tell(error, "an engine needs a vocabulary"), nullptr;
    if (!schema_source) return tell(error, kNoSuchSchema), nullptr;
    if (!policy_source) return tell(error, kNoSuchPolicy), nullptr;
    if (!chosen) return tell(error, kWrongSetting), nullptr;
    auto compiled = pccsql::Engine::compile(*schema_source, *policy_source, vocabulary->index, *chosen);
    if (!compiled) return tell(error, compiled.error().to_string()), nullptr;
    return new pccsql_engine{std::move(*compiled)};
  });
}

void pccsql_engine_free(pccsql_engine* engine) { delete engine; }

pccsql_matcher* pccsql_matcher_new(const pccsql_engine* engine) {
  return guarded<pccsql_matcher*>(nullptr, nullptr, [&] {
    return new pccsql_matcher{engine->engine.new_matcher(), {}};
  });
}

pccsql_matcher* pccsql_matcher_new_with_budget(const pccsql_engine* engine, uint32_t token_budget) {
  return guarded<pccsql_matcher*>(nullptr, nullptr, [&] {
    return new pccsql_matcher{engine->engine.new_matcher(token_budget), {}};
  });
}

pccsql_matcher* pccsql_matcher_fork(pccsql_matcher* matcher) {
  return guarded<pccsql_matcher*>(nullptr, nullptr, [&] { return new pccsql_matcher{matcher->matcher.fork(), {}}; });
}

void pccsql_matcher_free(pccsql_matcher* matcher) { delete matcher; }

int pccsql_matcher_fill_next_token_bitmask(pccsql_matcher* matcher, uint32_t* words, size_t logits_width,
                                           char** error) {
  return guarded(0, error, [&] {
    const auto filled = matcher->matcher.fill_next_token_bitmask(words, logits_width);
    if (!filled) tell(error, filled.error().to_string());
    return filled ? 1 : 0;
  });
}

int pccsql_matcher_accept_token(pccsql_matcher* matcher, uint32_t id) {
  return guarded(0, nullptr, [&] { return matcher->matcher.accept_token(id) ? 1 : 0; });
}

int pccsql_matcher_accept_text(pccsql_matcher* matcher, const char* bytes, size_t size) {
  return guarded(0, nullptr, [&] {
    return matcher->matcher.accept_text({bytes, bytes == nullptr ? 0 : size}) ? 1 : 0;
  });
}

int pccsql_matcher_rollback(pccsql_matcher* matcher, size_t steps) {
  return guarded(0, nullptr, [&] { return matcher->matcher.rollback(steps) ? 1 : 0; });
}

int pccsql_matcher_is_terminated(const pccsql_matcher* matcher) { return matcher->matcher.is_terminated() ? 1 : 0; }

int pccsql_matcher_refusal(const pccsql_matcher* matcher) {
  const pccsql::Refusal* refusal = matcher->matcher.refusal();
  return refusal == nullptr ? PCCSQL_NOT_REFUSED : static_cast<int>(refusal->cause);
}

const char* pccsql_matcher_refusal_reason(pccsql_matcher* matcher) {
  return guarded<const char*>("", nullptr, [&] {
    const pccsql::Refusal* refusal = matcher->matcher.refusal();
    matcher->reason = refusal == nullptr ? std::string() : refusal->reason;
    return matcher->reason.c_str();
  });
}

char* pccsql_matcher_text(const pccsql_matcher* matcher) { return copied(matcher->matcher.text()); }

char* pccsql_matcher_sql(const pccsql_matcher* matcher) {
  return guarded<char*>(nullptr, nullptr, [&]() -> char* {
    const auto sql = matcher->matcher.sql();
    return sql ? copied(*sql) : nullptr;
  });
}

size_t pccsql_matcher_find_jump_forward_tokens(pccsql_matcher* matcher, uint32_t* tokens, size_t most) {
  return guarded(size_t{0}, nullptr, [&] {
    const auto forced = matcher->matcher.find_jump_forward_tokens();
    for (size_t i = 0; i < forced.size() && i < most; ++i) tokens[i] = forced[i];
    return forced.size();
  });
}

char* pccsql_matcher_find_jump_forward_string(pccsql_matcher* matcher) {
  return guarded<char*>(nullptr, nullptr, [&] { return copied(matcher->matcher.find_jump_forward_string()); });
}

char* pccsql_matcher_explain(pccsql_matcher* matcher) {
  return guarded<char*>(nullptr, nullptr, [&] { return copied(as_lines(matcher->matcher.explain())); });
}

char* pccsql_matcher_uses(pccsql_matcher* matcher) {
  return guarded<char*>(nullptr, nullptr, [&] {
    std::string lines;
    for (const auto& use : matcher->matcher.uses()) lines += use.table + "." + use.column + " " + use.role + "\n";
    return copied(lines);
  });
}

pccsql_batch_filler* pccsql_batch_filler_new(size_t threads) {
  return guarded<pccsql_batch_filler*>(nullptr, nullptr,
                                       [&] { return new pccsql_batch_filler{pccsql::BatchFiller(threads)}; });
}

int pccsql_batch_filler_fill(pccsql_batch_filler* filler, pccsql_matcher* const* matchers, size_t count, uint32_t* words,
                             size_t logits_width, char** error) {
  return guarded(0, error, [&] {
    std::vector<pccsql::Matcher*> rows(count, nullptr);
    for (size_t i = 0; i < count; ++i) {
      if (matchers[i] != nullptr) rows[i] = &matchers[i]->matcher;
    }
    const auto filled = filler->filler.fill_batch(rows, words, logits_width);
    if (!filled) tell(error, filled.error().to_string());
    return filled ? 1 : 0;
  });
}

void pccsql_batch_filler_free(pccsql_batch_filler* filler) { delete filler; }

pccsql_checker* pccsql_checker_new(int schema_kind, const char* schema, const char* db_id, int policy_kind,
                                   const char* policy, const pccsql_settings* settings, char** error) {
  return guarded<pccsql_checker*>(nullptr, error, [&]() -> pccsql_checker* {
    const auto schema_source = schema_of(schema_kind, schema, db_id);
    const auto policy_source = policy_of(policy_kind, policy);
    const auto chosen = settings_of(settings);
    if (!schema_source) return tell(error, kNoSuchSchema), nullptr;
    if (!policy_source) return tell(error, kNoSuchPolicy), nullptr;
    if (!chosen) return tell(error, kWrongSetting), nullptr;
    auto made = pccsql::Checker::make(*schema_source, *policy_source, *chosen);
    if (!made) return tell(error, made.error().to_string()), nullptr;
    return new pccsql_checker{std::move(*made)};
  });
}

void pccsql_checker_free(pccsql_checker* checker) { delete checker; }

pccsql_judgement* pccsql_checker_check(const pccsql_checker* checker, const char* sql, size_t size, char** error) {
  return guarded<pccsql_judgement*>(nullptr, error, [&] {
    return new pccsql_judgement{checker->checker.check({sql, sql == nullptr ? 0 : size})};
  });
}

int pccsql_judgement_verdict(const pccsql_judgement* judgement) {
  return static_cast<int>(judgement->judgement.verdict);
}

const char* pccsql_judgement_reason(const pccsql_judgement* judgement, size_t* begin, size_t* end) {
  if (begin != nullptr) *begin = judgement->judgement.where.begin;
  if (end != nullptr) *end = judgement->judgement.where.end;
  return judgement->judgement.reason.c_str();
}

size_t pccsql_judgement_use_count(const pccsql_judgement* judgement) { return judgement->judgement.uses.size(); }

int pccsql_judgement_use(const pccsql_judgement* judgement, size_t index, pccsql_use* use) {
  const size_t size = use->struct_size;
  if (index >= judgement->judgement.uses.size() || size < sizeof size) return 0;
  const auto& found = judgement->judgement.uses[index];
  const pccsql_use told = {size,
                           found.table.c_str(),
                           found.column.c_str(),
                           static_cast<int>(found.role),
                           static_cast<int>(found.policy),
                           found.permitted ? 1 : 0,
                           found.span.begin,
                           found.span.end};
  std::memcpy(use, &told, std::min(sizeof told, size));
  return 1;
}

void pccsql_judgement_free(pccsql_judgement* judgement) { delete judgement; }

char* pccsql_checker_run_text(const pccsql_checker* checker, const char* sql, size_t size, char** said, char** error) {
  return guarded<char*>(nullptr, error, [&]() -> char* {
    auto run = checker->checker.run_text({sql, sql == nullptr ? 0 : size});
    if (!run) return tell(error, run.error().to_string()), nullptr;
    tell(said, run->said);
    return copied(run->sql);
  });
}

}  // extern "C"
