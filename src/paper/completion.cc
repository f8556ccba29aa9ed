// How the paper's tracker finishes a text: the open lexeme, then lexeme by lexeme what brings the grammar nearer to its
// end, and a FROM with tables that bear out the select list. Greedy, and tried out byte by byte: what does not work out
// is nothing.
#include <algorithm>

#include "base/text.h"
#include "paper/tracker.h"

namespace pccsql::paper {
namespace {

using Kind = LexState::Kind;
using Words = PaperWords;
constexpr int kMostSteps = 400;

std::string written(std::string_view name) {
  const bool bare = std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  return bare && terminal_of(name) == Terminal::Illegal ? std::string(name) : quoted_identifier(name);
}

}  // namespace

class PaperCompletion {
 public:
  PaperCompletion(PaperTracker& tracker, PrefixId prefix) : tracker_(tracker), prefix_(prefix) {}

  std::optional<std::string> run() {
    for (int i = 0; i < kMostSteps; ++i) {
      if (tracker_.may_end(prefix_)) return text_;
      const Kind kind = state().lex.kind;
      const bool quoted = kind == Kind::String || kind == Kind::Quoted;
      const bool open = kind != Kind::Blank && (quoted || !put(" "));
      if (!(open ? finish_lexeme() : next_lexeme())) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  const PaperTracker::State& state() const { return tracker_.states_[prefix_]; }
  const PaperSelect& select() const { return tracker_.scopes_.at(state().select); }

  // Writes all of it, or nothing; true if that brings the text on.
  bool put(std::string_view bytes) {
    PrefixId at = prefix_;
    for (const char c : bytes) {
      at = tracker_.push(at, static_cast<uint8_t>(c));
      if (at == kDead) return false;
    }
    if (tracker_.states_[at].refused != PaperTrigger::None) return false;
    prefix_ = at;
    text_ += bytes;
    return !bytes.empty();
  }

  // A blank does not end the open lexeme: it owes something, or as it stands it is no word.
  bool finish_lexeme() {
    const LexState lex = state().lex;
    if (lex.utf8 != 0) return put("\x80") || put("\x90") || put("\xA0");
    switch (lex.kind) {
      case Kind::String:
        return put("'");
      case Kind::BlobEven:
        return put("'");
      case Kind::BlobOdd:
      case Kind::HexMark:
      case Kind::ExponentMark:
      case Kind::ExponentSign:
        return put("0");
      case Kind::Bang:
        return put("=");
      case Kind::Word:
      case Kind::Quoted:
        return finish_name(lex);
      default:
        return put("0") || put("(") || put(".");
    }
  }

  bool finish_name(const LexState& lex) {
    const std::string text = tracker_.texts_.str(tracker_.texts_.folded(lex.text));
    const std::string quote = lex.quote == Quote::None      ? ""
                              : lex.quote == Quote::Bracket ? "]"
                                                            : std::string(1, static_cast<char>(lex.quote));
    if (!quote.empty() && (put(quote) || put("x" + quote))) return true;
    const Words& words =
        tracker_.scopes_.words(state().select, tracker_.scopes_.need(state().select), state().qualifier);
    const uint8_t bare = quote.empty() ? Words::Bare : 0;
    for (const uint8_t kind : {Words::Column, Words::Qualifier, Words::Function}) {
      const Words::Word* word = state().select == kNoSelect ? nullptr : words.extension(text, bare, kind);
      if (word != nullptr && word->text.size() > text.size() && put(word->text.substr(text.size()) + quote))
        return true;
    }
    for (const std::string& keyword : tracker_.keywords(state().stack)) {
      if (keyword.size() > text.size() && keyword.starts_with(text) && put(keyword.substr(text.size()))) return true;
    }
    return put("(") || put(".") || put("x");
  }

  bool next_lexeme() {
    if (state().select == kNoSelect) return put("SELECT ");
    const uint8_t could_be = state().name_flags;
    if (could_be != 0 && !(could_be & (Words::Column | PaperTracker::kStringFlag))) return put("(") || put(".");
    if (tracker_.control_.name_slot(state().stack) == Slot::Table) return put_table();
    if (wants_table() && (put("FROM ") || put_join())) return true;
    return put_lexeme();
  }

  bool put_join() {
    const bool comma = tracker_.control_.viable(state().stack)[static_cast<size_t>(Terminal::Comma)];
    return comma && tracker_.rule_of(state().stack, Terminal::Comma) == tracker_.join_ && put(", ");
  }

  bool wants_table() const {
    return !select().from_closed && select().parens == 0 &&
           tracker_.scopes_.close(select(), nullptr) == PaperScopes::Answer::OutOfScope;
  }

  // The table that answers for the most of what is open, and forbids nothing of it.
  bool put_table() {
    const PaperScopes& scopes = tracker_.scopes_;
    std::string best;
    size_t most = 0;
    std::vector<TextId> aliases{kEmptyText};
    for (const PaperReference& reference : select().references) {
      if (reference.qualifier != kEmptyText) aliases.push_back(reference.qualifier);
    }
    for (TableId table = 0; table < scopes.catalog().tables().size(); ++table) {
      const std::string& name = scopes.catalog().table(table).name;
      const TextId own = tracker_.texts_.folded(tracker_.texts_.intern(name));
      if (scopes.find_table(own) != table) continue;
      for (const TextId alias : aliases) {
        PaperSelect with = select();
        with.items.push_back({table, alias == kEmptyText ? own : alias, with.natural});
        size_t answered = 1;
        for (const PaperReference& reference : with.references) {
          const auto answer = scopes.resolve(with, reference, nullptr);
          if (answer == PaperScopes::Answer::Permitted) answered += reference.qualifier == kEmptyText ? 1 : 2;
          if (answer == PaperScopes::Answer::Forbidden) answered = 0;
          if (answered == 0) break;
        }
        if (answered <= most) continue;
        most = answered;
        best = written(folded(name)) + (alias == kEmptyText ? "" : " AS " + written(tracker_.texts_.str(alias)));
      }
    }
    return most > 0 && put(best + " ");
  }

  // The first of these that may follow. None of them begins more than it ends, once the grammar could not end here.
  bool put_lexeme() {
    static constexpr Terminal kInOrder[] = {
        Terminal::Integer,  Terminal::Name,      Terminal::RightParen, Terminal::kw_NULL,  Terminal::kw_AS,
        Terminal::kw_AND,   Terminal::kw_BY,     Terminal::kw_JOIN,    Terminal::kw_FIRST, Terminal::LeftParen,
        Terminal::kw_WHERE, Terminal::kw_SELECT, Terminal::kw_FROM,    Terminal::kw_IN,    Terminal::kw_LEFT,
    };
    if (tracker_.control_.may_end(state().stack)) return false;  // it is not the grammar that forbids to end
    const TerminalSet& viable = tracker_.control_.viable(state().stack);
    return std::any_of(std::begin(kInOrder), std::end(kInOrder), [&](Terminal terminal) {
      return viable[static_cast<size_t>(terminal)] && put(lexeme(terminal));
    });
  }

  std::string lexeme(Terminal terminal) const {
    switch (terminal) {
      case Terminal::Integer:
        return "1 ";
      case Terminal::Name:
        return name();
      default:
        return std::string(spelling(terminal)) + " ";
    }
  }

  std::string name() const {
    const Slot slot = tracker_.control_.name_slot(state().stack);
    if (slot == Slot::Collation) return "binary ";
    if (slot == Slot::Alias || slot == Slot::Type) return "";  // may be left out
    if (slot != Slot::Name && slot != Slot::Column) return "a ";
    const Words& words =
        tracker_.scopes_.words(state().select, tracker_.scopes_.need(state().select), state().qualifier);
    const Words::Word* word = words.extension("", 0, Words::Column);
    return word == nullptr ? "" : written(word->text) + " ";
  }

  PaperTracker& tracker_;
  PrefixId prefix_;
  std::string text_;
};

std::optional<std::string> PaperTracker::completion(PrefixId prefix) {
  if (const auto known = completions_.find(key(prefix)); known != completions_.end()) return known->second;
  const uint32_t before = mark();
  std::optional<std::string> text = PaperCompletion(*this, prefix).run();
  if (text) {
    // Whoever follows it is told the rest of it.
    PrefixId at = prefix;
    for (size_t i = 0;; ++i) {
      std::string& known = completions_.try_emplace(key(at), text->substr(i)).first->second;
      if (known.size() > text->size() - i) known = text->substr(i);
      if (i == text->size()) break;
      at = push(at, static_cast<uint8_t>((*text)[i]));
    }
  }
  release(before);
  return text;
}

uint32_t PaperTracker::completion_bound(PrefixId prefix) {
  const State& state = states_[prefix];
  if (const auto known = completions_.find(key(prefix)); known != completions_.end()) {
    return static_cast<uint32_t>(known->second.size());
  }
  size_t references = 0;
  for (SelectId at = state.select; at != kNoSelect; at = scopes_.at(at).parent) {
    references += scopes_.at(at).references.size() + 1;
  }
  const size_t lexemes = 4 * (control_.depth(state.stack) + references) + 8;
  return static_cast<uint32_t>(lexemes * (2 * longest_name_ + 8));
}

}  // namespace pccsql::paper
