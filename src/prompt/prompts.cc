#include "prompt/prompts.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "prompt/schema_text.h"
#include "schema/rules.h"

namespace pccsql {
namespace {

enum Name : size_t { System, Question, Evidence, Retry, OneViolation, VerifySystem, Verify, VerifyColumn, Names };

constexpr const char* kMinimumGroup = "minimum_group";
constexpr std::string_view kWrittenFor = "SQLite";

struct Form {
  const char* name;
  std::vector<std::string> places;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {"system", {}},
      {"question", {"schema", "evidence", "question"}},
      {"evidence", {"evidence"}},
      {"retry", {"previous", "violations"}},
      {"violation", {"column", "policy", "role"}},
      {"verify_system", {}},
      {"verify", {"columns", "sql"}},
      {"verify_column", {"column", "policy"}},
  };
  return all;
}

// A message ends where its text ends: the line end that editors put at the end of a file is no part of it.
std::string without_last_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string_view in_words(std::optional<Role> role) {
  if (!role) return "a table to read from";
  switch (*role) {
    case Role::Sel:
      return "output (SELECT list, GROUP BY or ORDER BY)";
    case Role::Join:
      return "a join condition";
    case Role::Where:
      return "a filter (WHERE or HAVING)";
    case Role::Agg:
      break;
  }
  return "the argument of an aggregate";
}

Result<Prompts> Prompts::make(const std::vector<NamedText>& texts, const std::string& folder) {
  Prompts made;
  for (const Form& form : forms()) {
    const auto found = std::ranges::find(texts, form.name, &NamedText::name);
    if (found == texts.end()) return Error{std::string("there is no template `") + form.name + "`", folder, {}};
    const std::string file = (folder.empty() ? "" : folder + "/") + form.name + ".txt";
    auto parsed = Template::parse(found->text, form.places, file);
    if (!parsed) return parsed.error();
    made.templates_.push_back(std::move(*parsed));
  }
  if (const auto found = std::ranges::find(texts, kMinimumGroup, &NamedText::name); found != texts.end()) {
    auto parsed = Template::parse(found->text, {"minimum"}, folder + "/" + kMinimumGroup + ".txt");
    if (!parsed) return parsed.error();
    made.minimum_group_ = std::move(*parsed);
  }
  return made;
}

const Prompts& Prompts::standard() {
  // INVARIANT: the program's own templates parse; a test looks at it.
  static const Prompts prompts = *make(standard_templates(), "");
  return prompts;
}

Result<Prompts> Prompts::load(const std::string& folder) {
  std::vector<NamedText> texts;
  for (const Form& form : forms()) {
    auto text = read_file(folder + "/" + form.name + ".txt");
    if (!text) return text.error();
    texts.push_back({form.name, std::move(*text)});
  }
  const std::string optional_file = folder + "/" + kMinimumGroup + ".txt";
  if (std::error_code unknown; std::filesystem::exists(optional_file, unknown)) {
    auto text = read_file(optional_file);
    if (!text) return text.error();
    texts.push_back({kMinimumGroup, std::move(*text)});
  }
  return make(texts, folder);
}

Prompts Prompts::about(Dialect dialect) const {
  Prompts made = *this;
  made.dialect_ = rules_of(dialect).name;
  return made;
}

std::string Prompts::minimum_group(const Policy& policy) const {
  if (!minimum_group_ || !sets_minimum(policy)) return "";
  uint32_t largest = 1;
  for (TableId table = 0; table < policy.tables(); ++table) {
    for (ColumnIndex column = 0; column < policy.columns(table); ++column) {
      if (is_grouped(policy, {table, column})) largest = std::max(largest, policy.group(table).minimum);
    }
  }
  return minimum_group_->fill({std::to_string(largest)});
}

PromptText Prompts::question(std::string_view schema, std::string_view question,
                             const std::optional<std::string>& evidence) const {
  const std::string hint = evidence && !evidence->empty() ? templates_[Evidence].fill({*evidence}) : "";
  PromptText text;
  text.system = without_last_line_end(templates_[System].fill({}));
  for (size_t at = 0; dialect_ != kWrittenFor && (at = text.system.find(kWrittenFor, at)) != std::string::npos;) {
    text.system.replace(at, kWrittenFor.size(), dialect_);
    at += dialect_.size();
  }
  text.user = without_last_line_end(templates_[Question].fill({schema, hint, question}));
  // The evidence belongs to the question, so what comes before it is stable with and without.
  text.stable_bytes = templates_[Question].bytes_before(1, {schema, "", ""});
  return text;
}

PromptText Prompts::retry(const PromptText& first, std::string_view previous,
                          const std::vector<Violation>& violations) const {
  std::string list;
  for (const Violation& violation : violations) {
    list += templates_[OneViolation].fill({violation.column, to_string(violation.policy), in_words(violation.role)});
  }
  PromptText text = first;
  text.user += "\n" + without_last_line_end(templates_[Retry].fill({previous, list}));
  return text;
}

PromptText Prompts::verify(const Catalog& catalog, const Policy& policy, std::string_view sql) const {
  std::string columns;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    if (catalog.table(t).kind == TableKind::Virtual) continue;
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
      const ColumnPolicy own = policy.of({t, c});
      if (own == ColumnPolicy::Public) continue;
      columns += templates_[VerifyColumn].fill({column_text(catalog, {t, c}), to_string(own)});
    }
  }
  PromptText text;
  text.system = without_last_line_end(templates_[VerifySystem].fill({}));
  text.user = without_last_line_end(templates_[Verify].fill({columns, sql}));
  text.stable_bytes = templates_[Verify].bytes_before(1, {columns, ""});
  return text;
}

}  // namespace pccsql
