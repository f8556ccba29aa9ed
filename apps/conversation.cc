#include "apps/conversation.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include <sys/ioctl.h>
#include <unistd.h>

#include "apps/interrupts.h"
#include "apps/line_editor.h"
#include "apps/output.h"
#include "base/text.h"
#include "policy/policy.h"
#include "prompt/schema_text.h"

namespace pccsql {
namespace {

struct CommandInfo {
  const char* name;
  const char* argument;
  const char* about;
};
constexpr CommandInfo kCommands[] = {
    {".help", "", "this list"},
    {".tables", "", "the tables and views that may be asked about"},
    {".schema", " [TABLE]", "columns and keys, as the model reads them"},
    {".policy", " [TABLE]", "what each column may be used for"},
    {".why", "", "of the last answer: what it computes and uses, what was withheld and why"},
    {".sql", " [QUERY]", "the last query; or runs one of your own, within the policy"},
    {".quit", "", "ends, as Ctrl-D does"},
};

// ~/.local/state/pccsql/history, or where XDG_STATE_HOME says; empty where there is no home.
std::string history_file() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/pccsql/history";
  }
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.local/state/pccsql/history" : "";
}

bool can_be_named(const Catalog& catalog, const Policy& policy, TableId table) {
  return catalog.table(table).kind != TableKind::Virtual && !policy.all_hidden(table);
}

// Long text goes through a pager, so that its beginning is seen.
void show(const std::string& text) {
  winsize size{};
  const bool terminal = isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  if (terminal && std::ranges::count(text, '\n') > size.ws_row - 1) {
    const char* const chosen = std::getenv("PAGER");
    if (FILE* const pager = popen(chosen != nullptr && *chosen != '\0' ? chosen : "less -FRX", "w"); pager != nullptr) {
      std::fwrite(text.data(), 1, text.size(), pager);
      if (pclose(pager) == 0) return;
    }
  }
  Output output;
  output.write(text);
  output.finish(kExitFine);
}

class Conversation {
 public:
  explicit Conversation(Asker& asker) : asker_(asker) {}

  int run() {
    const bool terminal = isatty(STDIN_FILENO) != 0;
    LineEditor editor(history_file(), [this](std::string_view before, std::string_view word) { return completions(before, word); });
    if (terminal) std::fputs("Ask a question; .help lists commands, Ctrl-C stops an answer, Ctrl-D ends.\n", stdout);
    int status = kExitFine;
    for (std::string line; !over_;) {
      std::fflush(stdout);
      const LineEditor::End end = editor.read("? ", line);
      if (end == LineEditor::End::EndOfInput) break;
      const std::string asked = trimmed(line);
      if (end == LineEditor::End::Interrupted || asked.empty()) continue;
      status = asked[0] == '.' ? command(asked) : asker_.ask(asked);
      if (status != kExitInterrupted) continue;
      if (!terminal) return status;
      status = kExitFine;
    }
    return status;
  }

 private:
  int command(const std::string& line) {
    const size_t blank = line.find_first_of(" \t");
    const std::string name = line.substr(0, blank);
    const std::string argument = blank == std::string::npos ? "" : trimmed(line.substr(blank));
    if (name == ".quit" || name == ".exit") {
      over_ = true;
    } else if (name == ".help") {
      help();
    } else if (name == ".tables") {
      tables();
    } else if (name == ".schema") {
      schema(argument);
    } else if (name == ".policy") {
      policy(argument);
    } else if (name == ".why") {
      why();
    } else if (name == ".sql") {
      return sql(argument);
    } else {
      std::vector<std::string> names;
      for (const CommandInfo& known : kCommands) names.emplace_back(known.name);
      const std::string meant = closest_match(name, names);
      return fail("there is no command `" + name + "`" + (meant.empty() ? "; `.help` lists them" : ", did you mean `" + meant + "`?"));
    }
    return kExitFine;
  }

  void help() const {
    std::string text;
    for (const CommandInfo& known : kCommands) text += padded(std::string(known.name) + known.argument, 18) + known.about + "\n";
    show(text + "Anything else is a question. Tab completes names, Ctrl-R searches what was asked before.\n");
  }

  void tables() const {
    const Catalog& catalog = asker_.catalog();
    std::string text;
    for (TableId t = 0; t < catalog.tables().size(); ++t) {
      if (can_be_named(catalog, asker_.policy(), t)) text += printable(catalog.table(t).name) + "\n";
    }
    show(text.empty() ? "The policy leaves no table to ask about.\n" : text);
  }

  // Nothing, and it is said, where there is no such table.
  std::optional<std::vector<TableId>> meant(const std::string& name) const {
    const Catalog& catalog = asker_.catalog();
    std::vector<TableId> tables;
    std::vector<std::string> names;
    for (TableId t = 0; t < catalog.tables().size(); ++t) {
      names.push_back(catalog.table(t).name);
      if (name.empty() || equal_folded(names.back(), name)) tables.push_back(t);
    }
    if (!tables.empty()) return tables;
    const std::string close = closest_match(name, names);
    fail("there is no table `" + printable(name) + "`" + (close.empty() ? "" : ", did you mean `" + close + "`?"));
    return std::nullopt;
  }

  void schema(const std::string& name) const {
    const auto tables = meant(name);
    if (!tables) return;
    if (name.empty()) return show(printable_lines(asker_.schema()) + "\n");
    // The statement of that table, as the whole text has it.
    const std::string& all = asker_.schema();
    const std::string begin = "CREATE TABLE " + name_in_sql(asker_.catalog().table(tables->front()).name) + " ";
    const size_t from = all.find(begin);
    if (from == std::string::npos) return show("It cannot be asked about.\n");
    const size_t next = all.find("CREATE TABLE ", from + 1);
    show(printable_lines(trimmed(all.substr(from, next == std::string::npos ? next : next - from))) + "\n");
  }

  void policy(const std::string& name) const {
    const auto tables = meant(name);
    if (!tables) return;
    const Catalog& catalog = asker_.catalog();
    std::string text;
    for (const TableId t : *tables) {
      const Table& table = catalog.table(t);
      if (table.kind == TableKind::Virtual) continue;
      text += printable(table.name) + "\n";
      for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
        text += "  " + padded(printable(table.columns[c].name), 24) + "  " + std::string(to_string(asker_.policy().of({t, c}))) + "\n";
      }
    }
    show(text);
  }

  void why() const {
    if (!asker_.last()) return show("Nothing was asked yet.\n");
    const Asked& asked = *asker_.last();
    const Answer& answer = asked.answer;
    std::string text(to_string(kind_of(asked)));
    if (!answer.reason.empty()) text += ": " + printable(answer.reason);
    text += "\n";
    if (const std::string words = computed(asked); !words.empty()) text += "computed: " + printable(words) + "\n";
    for (const WithheldUse& use : answer.withheld_uses) {
      text += "withheld: " + printable(use.name) + " as " + use.use + ", which is " + std::string(to_string(use.policy)) + "\n";
    }
    for (const BlockedName& name : answer.blocked) {
      text += "wanted: " + printable(name.name) + (name.role.empty() ? "" : " (" + name.role + ")") + ": " + printable(name.why) + "\n";
    }
    for (const AnswerUse& use : answer.uses) {
      text += "uses: " + printable(column_text(asker_.catalog(), use.column)) + " as " + std::string(in_words(use.role)) + ", " +
              std::string(to_string(use.policy)) + "\n";
    }
    for (const std::string& question : answer.instead) text += "instead: " + printable(question) + "\n";
    show(text);
  }

  int sql(const std::string& query) {
    if (!query.empty()) return asker_.query(query);
    const bool none = !asker_.last() || !asker_.last()->answer.sql;
    show(none ? "There is no query yet.\n" : printable(*asker_.last()->answer.sql) + "\n");
    return kExitFine;
  }

  std::vector<std::string> completions(std::string_view before, std::string_view word) const {
    std::set<std::string> words;
    const auto add = [&](const std::string& name) {
      if (name.size() >= word.size() && equal_folded(std::string_view(name).substr(0, word.size()), word)) words.insert(name);
    };
    if (before.empty() && word.starts_with('.')) {
      for (const CommandInfo& known : kCommands) add(known.name);
      return {words.begin(), words.end()};
    }
    if (word.empty()) return {};
    const Catalog& catalog = asker_.catalog();
    const bool tables_alone = before.starts_with(".schema") || before.starts_with(".policy");
    for (TableId t = 0; t < catalog.tables().size(); ++t) {
      if (!can_be_named(catalog, asker_.policy(), t)) continue;
      add(catalog.table(t).name);
      if (tables_alone) continue;
      for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
        if (asker_.policy().of({t, c}) != ColumnPolicy::Hidden) add(catalog.table(t).columns[c].name);
      }
    }
    return {words.begin(), words.end()};
  }

  Asker& asker_;
  bool over_ = false;
};

}  // namespace

int converse(Asker& asker) { return Conversation(asker).run(); }

}  // namespace pccsql
