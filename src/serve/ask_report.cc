#include "serve/ask_report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/text.h"
#include "eval/json.h"
#include "eval/machine.h"
#include "prompt/prompts.h"
#include "prompt/schema_text.h"
#include "serve/query_words.h"

namespace pccsql {
namespace {

std::string text_of(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.15g", *real);
    return buffer;
  }
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* blob = std::get_if<Blob>(&value)) return hexadecimal(blob->bytes);
  return "";
}

Json uses_json(const Asked& asked) {
  Json uses = Json::array();
  for (const AnswerUse& use : asked.answer.uses) {
    uses.push_back({{"table", asked.catalog->table(use.column.table).name},
                    {"column", asked.catalog->column(use.column).name},
                    {"role", to_string(use.role)},
                    {"policy", to_string(use.policy)},
                    {"permitted", use.permitted}});
  }
  return uses;
}

Json counts_json(const Counts& counts) {
  const auto milliseconds = [](uint64_t ns) { return std::round(static_cast<double>(ns) / 1e3) / 1e3; };
  return {{"calls", counts.work.calls},
          {"prompt_tokens", counts.work.prompt_tokens},
          {"cached_prompt_tokens", counts.work.cached_prompt_tokens},
          {"generated_tokens", counts.work.generated_tokens},
          {"discarded_tokens", counts.work.discarded_tokens},
          {"forced_tokens", counts.forced_tokens},
          {"iterations", counts.iterations},
          {"forward_passes", counts.work.forward_passes},
          {"mask_ms", milliseconds(counts.mask_ns)},
          {"choice_ms", milliseconds(counts.choice_ns)},
          {"model_ms", milliseconds(counts.work.model_ns)},
          {"total_ms", milliseconds(counts.total_ns)}};
}

// What is run in place of the query; null where it is the query itself.
Json run_json(const Asked& asked) {
  const std::optional<RunText>& run = asked.answer.run;
  return run && run->changed() ? Json(run->sql) : Json(nullptr);
}

// Empty: nothing was added to the query.
std::string left_out(const Asked& asked) {
  if (!asked.answer.run) return "";
  return asked.nothing_left ? said_if_empty(*asked.catalog, *asked.policy, *asked.answer.run)
                            : said(*asked.catalog, *asked.policy, *asked.answer.run);
}

Json method_json(const Asked& asked) { return asked.question ? Json(to_string(asked.answer.method)) : Json(nullptr); }

std::string reason_of(const Asked& asked) {
  if (asked.nothing_left) return left_out(asked);
  if (asked.problem) return "the query is safe, but it gave no rows: " + asked.problem->to_string();
  return asked.answer.reason;
}

// "as output", "as a filter"; of "Agg and Where" both.
std::string as_role(std::string_view roles) {
  std::string text;
  for (const Role role : kRoles) {
    if (roles.find(to_string(role)) == std::string_view::npos) continue;
    const std::string_view words = in_words(role);
    text += (text.empty() ? " as " : " and ") + std::string(words.substr(0, words.find(" (")));
  }
  return text;
}

std::string note(const BlockedName& name) {
  const size_t colon = name.why.find(": ");
  const std::string why = name.by_policy && colon != std::string::npos ? name.why.substr(colon + 2) : name.why;
  const std::string wanted = "the model wanted `" + name.name + "`" + as_role(name.role);
  return name.by_policy && colon != std::string::npos ? wanted + "; it " + why : wanted + ": " + why;
}

// Public columns of the tables that the question seems to be about; of all tables where that is not known.
std::string what_may_be_asked(const Asked& asked) {
  constexpr size_t kMost = 12;
  std::set<std::string> about;
  for (const BlockedName& name : asked.answer.blocked) about.insert(folded(name.name.substr(0, name.name.find('.'))));
  for (const Violation& violation : asked.answer.violations) {
    about.insert(folded(violation.column.substr(0, violation.column.find('.'))));
  }
  std::vector<std::string> near;
  std::vector<std::string> all;
  for (TableId t = 0; t < asked.catalog->tables().size(); ++t) {
    for (ColumnIndex c = 0; c < asked.catalog->table(t).columns.size(); ++c) {
      if (asked.policy->of({t, c}) != ColumnPolicy::Public) continue;
      all.push_back(column_text(*asked.catalog, {t, c}));
      if (about.contains(folded(asked.catalog->table(t).name))) near.push_back(all.back());
    }
  }
  const std::vector<std::string>& names = near.empty() ? all : near;
  if (names.empty()) return "";
  std::string text = "may be asked for: ";
  for (size_t i = 0; i < std::min(kMost, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > kMost ? ", …" : "");
}

// Of an answer in part: what the rows do not show as it was asked for, in one sentence.
std::string what_became_of(const Answer& answer) {
  std::vector<std::string> left;
  std::vector<std::string> aggregated;
  for (const WithheldUse& use : answer.withheld_uses) {
    const bool in_aggregate = std::ranges::any_of(answer.uses, [&](const AnswerUse& made) {
      return use.column && made.column == *use.column && made.role == Role::Agg;
    });
    std::vector<std::string>& names = in_aggregate ? aggregated : left;
    const std::string name = "`" + use.name + "` (" + std::string(to_string(use.policy)) + ")";
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  const auto listed = [](const std::vector<std::string>& names) {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
  };
  std::string text;
  if (!left.empty()) text += listed(left) + " may not be shown and " + (left.size() == 1 ? "is" : "are") + " left out";
  if (!aggregated.empty()) {
    text += (text.empty() ? "" : "; ") + listed(aggregated) + (aggregated.size() == 1 ? " is" : " are") +
            " shown only inside a sum, average or count";
  }
  return text.empty() ? text : text + ".";
}

Json blocked_json(const Answer& answer) {
  Json blocked = Json::array();
  for (const BlockedName& name : answer.blocked) {
    blocked.push_back({{"name", name.name}, {"role", name.role}, {"why", name.why}});
  }
  return blocked;
}

Json withheld_json(const Answer& answer) {
  Json withheld = Json::array();
  for (const WithheldUse& use : answer.withheld_uses) {
    withheld.push_back({{"name", use.name}, {"use", use.use}, {"why", to_string(use.policy)}});
  }
  return withheld;
}

}  // namespace

AnswerKind kind_of(const Asked& asked) {
  if (asked.problem) return AnswerKind::Failed;
  if (asked.nothing_left) return AnswerKind::Refused;
  const AnswerKind kind = kind_of(asked.answer);
  return kind == AnswerKind::Answered && !left_out(asked).empty() ? AnswerKind::Partial : kind;
}

std::string to_json(const Asked& asked, Values values) {
  const Answer& answer = asked.answer;
  Json json{{"kind", to_string(kind_of(asked))},
            {"question", asked.question ? Json(*asked.question) : Json(nullptr)},
            {"method", method_json(asked)},
            {"sql", answer.sql ? Json(*answer.sql) : Json(nullptr)},
            {"computed", computed(asked)},
            {"run", run_json(asked)},
            {"left_out", left_out(asked)},
            {"verdict", to_string(answer.outcome)},
            {"reason", reason_of(asked)},
            {"uses", uses_json(asked)}};
  json["blocked"] = blocked_json(answer);
  json["withheld"] = withheld_json(answer);
  json["instead"] = answer.instead;
  json["columns"] = nullptr;
  json["rows"] = nullptr;
  if (asked.rows) {
    json["columns"] = asked.rows->columns;
    json["rows"] = Json::array();
    for (const std::vector<Value>& row : asked.rows->rows) {
      Json cells = Json::array();
      for (const Value& value : row) cells.push_back(json_of(value));
      json["rows"].push_back(std::move(cells));
    }
  }
  json["counts"] = counts_json(answer.counts);
  const std::string text = dumped(json);
  return (values == Values::Raw ? text : printable_json(text)) + "\n";
}

std::string to_csv(const RowSet& rows, Values values) {
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string field = "\"";
    for (const char c : text) {
      if (c == '"') field += '"';
      field += c;
    }
    return field + "\"";
  };
  const auto text_field = [&](const std::string& text) {
    if (values == Values::Raw) return quoted(text);
    const bool formula = !text.empty() && std::string_view("=+-@\t\r\n").find(text[0]) != std::string_view::npos;
    return quoted((formula ? "'" : "") + printable_lines(text));
  };
  const auto field = [&](const Value& value) {
    return std::holds_alternative<std::string>(value) ? text_field(text_of(value)) : quoted(text_of(value));
  };
  std::string csv;
  for (size_t i = 0; i < rows.columns.size(); ++i) csv += (i == 0 ? "" : ",") + text_field(rows.columns[i]);
  csv += "\r\n";
  for (const std::vector<Value>& row : rows.rows) {
    for (size_t i = 0; i < row.size(); ++i) csv += (i == 0 ? "" : ",") + field(row[i]);
    csv += "\r\n";
  }
  return csv;
}

std::string to_table(const RowSet& rows, size_t most_rows, const Style& style) {
  constexpr size_t kWidest = 40;
  const size_t shown = std::min(most_rows, rows.rows.size());
  const auto cut = [](const std::string& text) {
    std::string clean = printable(text);
    if (display_width(clean) <= kWidest) return clean;
    while (display_width(clean) >= kWidest) {  // whole characters
      do clean.pop_back();
      while (!clean.empty() && find_invalid_utf8(clean) != std::string::npos);
    }
    return clean + "…";
  };
  const auto cell = [&](const Value& value) {
    return std::holds_alternative<Null>(value) ? std::string("NULL") : cut(text_of(value));
  };
  std::vector<size_t> widths;
  std::vector<bool> right(rows.columns.size(), shown > 0);
  for (const std::string& column : rows.columns) widths.push_back(display_width(cut(column)));
  for (size_t r = 0; r < shown; ++r) {
    for (size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(cell(rows.rows[r][i])));
      const bool number =
          std::holds_alternative<int64_t>(rows.rows[r][i]) || std::holds_alternative<double>(rows.rows[r][i]);
      if (!number) right[i] = false;
    }
  }
  const auto line = [&](const auto& text_at) {
    std::string text;
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string value = text_at(i);
      const std::string blanks(widths[i] - std::min(widths[i], display_width(value)), ' ');
      text += (i == 0 ? "" : "  ") + (right[i] ? blanks + value : value + blanks);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string table = line([&](size_t i) { return cut(rows.columns[i]); });
  table += style.dim(line([&](size_t i) { return std::string(widths[i], '-'); }));
  for (size_t r = 0; r < shown; ++r) table += line([&](size_t i) { return cell(rows.rows[r][i]); });
  const size_t count = rows.rows.size();
  std::string summary = std::to_string(count) + (count == 1 ? " row" : " rows");
  if (shown < count) summary += ", the first " + std::to_string(shown) + " shown; `--format csv` gives them all";
  return table + style.dim("(" + summary + ")") + "\n";
}

std::string computed(const Asked& asked) {
  const Answer& answer = asked.answer;
  return answer.outcome == Answer::Outcome::SafeSql && answer.sql ? query_in_words(*answer.sql) : "";
}

std::string notes(const Asked& asked, const Style& style) {
  const Answer& answer = asked.answer;
  std::string text;
  const auto add = [&](std::string_view label, const std::string& what) {
    text += style.yellow(label) + " " + printable(what) + "\n";
  };
  const AnswerKind kind = kind_of(asked);
  // What was made of a name is said below; where it was rescued by something else, that it was wanted.
  if (answer.withheld_uses.empty()) {
    for (const BlockedName& name : answer.blocked) add("note:", note(name));
  }
  if (answer.wanted_to_refuse) add("note:", "the model wanted to refuse; this is the nearest it may write");
  if (answer.partial && answer.outcome == Answer::Outcome::SafeSql) {
    if (const std::string what = what_became_of(answer); !what.empty()) add("in part:", what);
  }
  if (const std::string out = left_out(asked); !out.empty()) add(asked.nothing_left ? "refused:" : "in part:", out);
  if (kind == AnswerKind::Answered || kind == AnswerKind::Partial) {
    // Of a query that somebody gave, who gave it knows what it computes.
    if (asked.question) text += style.dim("computed:") + " " + printable(computed(asked)) + "\n";
  }
  if (answer.outcome == Answer::Outcome::SafeSql) return text;
  const bool unsafe = answer.outcome == Answer::Outcome::UnsafeSql;
  if (unsafe) add("not run:", answer.reason);
  for (const Violation& violation : answer.violations) {
    if (!unsafe && !answer.withheld) break;
    add("violation:", "`" + violation.column + "` (" + std::string(to_string(violation.policy)) + ") was used as " +
                          std::string(in_words(violation.role)));
  }
  if (answer.outcome == Answer::Outcome::Refuse) {
    add("refused:", answer.reason);
    for (const std::string& question : answer.instead) add("instead:", question);
    if (!answer.instead.empty()) return text;
    if (const std::string instead = what_may_be_asked(asked); !instead.empty()) add("instead:", instead);
  }
  if (answer.outcome == Answer::Outcome::Failure) add("no answer:", answer.reason);
  return text;
}

std::string verdict(const Asked& asked, const Style& style) {
  const Answer& answer = asked.answer;
  const std::string word(to_string(answer.outcome));
  const bool safe = answer.outcome == Answer::Outcome::SafeSql;
  // Alone the word would read as if the answer were right.
  std::string text = (safe ? style.green(word) + ": the policy permits all that the query uses" : style.red(word)) + "\n";
  size_t widest = 0;
  std::vector<std::string> names;
  for (const AnswerUse& use : answer.uses) {
    names.push_back(column_text(*asked.catalog, use.column));
    widest = std::max(widest, display_width(names.back()));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const AnswerUse& use = answer.uses[i];
    const std::string line = "  " + padded(names[i], widest) + "  " + padded(to_string(use.role), 5) + "  " +
                             std::string(to_string(use.policy));
    text += (use.permitted ? line : style.red(line + "  not permitted")) + "\n";
  }
  return text;
}

std::string audit_line(const Asked& asked, const std::string& model, const std::string& model_hash,
                       const std::string& adapter_hash, const std::string& policy_hash, const AskedBy& by) {
  const Answer& answer = asked.answer;
  Json json{{"time", now_utc()}, {"who", by.who}, {"door", by.door}, {"database", by.database}, {"policy", by.policy}};
  json.update(Json{{"kind", to_string(kind_of(asked))},
                   {"question", asked.question ? Json(*asked.question) : Json(nullptr)},
                   {"method", method_json(asked)},
                   {"sql", answer.sql ? Json(*answer.sql) : Json(nullptr)},
                   {"run", run_json(asked)},
                   {"uses", uses_json(asked)},
                   {"blocked", blocked_json(answer)},
                   {"withheld", withheld_json(answer)},
                   {"verdict", to_string(answer.outcome)},
                   {"reason", reason_of(asked)},
                   {"policy_hash", policy_hash},
                   {"model", model},
                   {"model_hash", model_hash},
                   {"adapter_hash", adapter_hash},
                   {"row_count", asked.rows ? Json(asked.rows->rows.size()) : Json(nullptr)},
                   {"errors", answer.errors},
                   {"counts", counts_json(answer.counts)}});
  json["run_ms"] =
      asked.rows ? Json(std::chrono::duration<double, std::milli>(asked.rows->took).count()) : Json(nullptr);
  return printable_json(dumped(json)) + "\n";
}

std::string trace_json(const Asked& asked) {
  Json steps = Json::array();
  for (const TraceStep& step : asked.answer.trace) {
    steps.push_back({{"kind", to_string(step.kind)},
                     {"text", step.text},
                     {"token", step.token},
                     {"id", step.id},
                     {"wanted", step.wanted},
                     {"removed_probability", step.removed},
                     {"clause", step.clause},
                     {"role", step.role},
                     {"allowed", step.allowed},
                     {"blocked", step.blocked}});
  }
  const Json json{{"question", asked.question ? Json(*asked.question) : Json(nullptr)},
                  {"method", to_string(asked.answer.method)},
                  {"sql", asked.answer.sql ? Json(*asked.answer.sql) : Json(nullptr)},
                  {"verdict", to_string(asked.answer.outcome)},
                  {"reason", asked.answer.reason},
                  {"tables_left_out", asked.answer.left_out},
                  {"steps", steps}};
  return printable_json(json.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace pccsql
