// The command `mask explain`: what may come after a prefix, as a person would want to read it.

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/mask_worlds.h"
#include "apps/options.h"
#include "apps/output.h"
#include "apps/terminal.h"
#include "base/file.h"
#include "base/render.h"
#include "serve/explained.h"

namespace pccsql {
namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view by) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(by)) + part;
  return text;
}

std::string name_list(const std::vector<Explanation::Name>& names, const Style& style, bool allowed) {
  constexpr size_t kMost = 60;
  size_t widest = 0;
  for (const Explanation::Name& name : names) widest = std::max(widest, std::min<size_t>(32, display_width(name.text)));
  std::string out;
  for (size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    const std::string text = padded(names[i].text, widest);
    out += "  " + (allowed ? style.green(text) : style.red(text)) + "  " + style.dim(printable(names[i].detail)) + "\n";
  }
  if (names.size() > kMost) {
    out +=
        style.dim("  … and " + std::to_string(names.size() - kMost) + " more; `--format json` lists them all") + "\n";
  }
  return out;
}

// What the policy closes comes name by name; the many that are only elsewhere in the database in one line.
std::string blocked_list(const std::vector<Explanation::Name>& names, const Style& style) {
  constexpr size_t kFew = 5;
  std::map<std::string, size_t> alike;
  for (const Explanation::Name& name : names) ++alike[name.detail];
  const auto is_elsewhere = [&](const Explanation::Name& name) {
    return name.detail.starts_with("not in scope") && alike[name.detail] > kFew;
  };
  std::vector<Explanation::Name> shown;
  std::ranges::copy_if(names, std::back_inserter(shown), [&](const auto& name) { return !is_elsewhere(name); });
  std::string out = name_list(shown, style, false);
  if (shown.size() < names.size()) {
    out += style.dim("  " + std::to_string(names.size() - shown.size()) +
                     " columns of tables that are not in scope; `--format json` lists them all") +
           "\n";
  }
  return out;
}

std::string to_text(const Explained& result, const Style& style) {
  const Explanation& e = result.explanation;
  std::string out;
  const auto row = [&out, &style](std::string_view label, const std::string& value) {
    if (!value.empty()) out += style.dim(padded(label, 16)) + " " + printable(value) + "\n";
  };
  if (!result.admitted) {
    const auto size = static_cast<uint32_t>(result.prefix.size());
    out += style.red("not admitted") + ": stopped at byte " + std::to_string(result.byte) + "\n";
    out += underlined(result.prefix, {{{result.byte, std::min(size, result.byte + 1)}, {result.reason}}}, style);
    if (result.byte > 0) out += "before that byte:\n";
  }
  row("clause", e.clause);
  row("role", e.role);
  row("in scope", joined(e.scope, ", "));
  row("FROM must supply", joined(e.obligations, ", "));
  if (e.may_end) row("may end", "yes: it is a whole query");
  const auto is_call = [](const std::string& text) { return text.size() > 1 && text.ends_with('('); };
  std::vector<std::string> others, calls;
  for (const std::string& lexeme : e.lexemes) (is_call(lexeme) ? calls : others).push_back(lexeme);
  std::ranges::sort(calls);
  row("next", joined(others, "  "));
  row("functions", joined(calls, "  "));
  if (!e.allowed.empty()) out += "allowed names\n" + name_list(e.allowed, style, true);
  if (!e.blocked.empty()) out += "blocked names\n" + blocked_list(e.blocked, style);
  return out;
}

}  // namespace

int run_mask_explain(const Options& options) {
  const char* hint = "try `pccsql mask explain --help`";
  if (!options.sql) return fail("no text given; add the beginning of a query, in quotes", hint);
  const auto is_stdin = [](const std::optional<std::string>& option) { return option && *option == "-"; };
  if (int{is_stdin(options.sql)} + int{is_stdin(options.inputs.schema)} + int{is_stdin(options.inputs.policy)} > 1) {
    return fail("standard input (`-`) can be read for one purpose only", hint);
  }
  std::string prefix = *options.sql;
  if (prefix == "-") {
    auto text = read_file("-");
    if (!text) return fail(text.error());
    prefix = std::move(*text);
    if (prefix.ends_with('\n')) prefix.pop_back();  // the end of the line is the shell's, not the query's
  }
  auto source = Source::load(options.inputs, true);
  if (!source) return fail(source.error());
  MaskWorlds worlds(*source, VocabularyIndex(builtin_vocabulary()), mask_settings(options), {});
  auto world = worlds.get(std::nullopt);
  if (!world) return fail(world.error());

  const Explained result = explain((*world)->engine(), std::move(prefix));
  Output output;
  output.write(options.format == Format::Json ? to_json(result) : to_text(result, style_for(options.color)));
  return output.finish(result.admitted ? kExitFine : kExitNotFine);
}

}  // namespace pccsql
