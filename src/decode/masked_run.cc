#include "decode/masked_run.h"

#include <algorithm>

#include "base/text.h"
#include "decode/choice.h"
#include "decode/common.h"
#include "decode/key_column.h"
#include "decode/key_joins.h"
#include "decode/lost_way.h"
#include "decode/renamed.h"
#include "decode/reworded.h"
#include "decode/wanted.h"
#include "mask/bitmask.h"
#include "prompt/output.h"

namespace pccsql {
namespace {

// Of one generation: a model that knows no way must not become slow; the less where the policy has taken away the way it knew.
constexpr size_t kMostBackups = 48;
constexpr size_t kMostBackupsShortened = 12;
// Tokens that a text may have, and that may follow, once the policy has taken something away. Of Spider's answers that were still right
// then the longest but one has 77.
constexpr size_t kShortened = 64;
constexpr size_t kMoreWhenShortened = 32;

std::vector<std::string> texts_of(const std::vector<Explanation::Name>& names) {
  std::vector<std::string> texts;
  for (const Explanation::Name& name : names) texts.push_back(name.text);
  return texts;
}

// Lexemes that nothing written later can change.
std::vector<Lexeme> whole_lexemes(std::string_view text, bool ended) {
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  if (ended) return lexemes;
  lexemes.pop_back();  // the end
  if (!lexemes.empty() && lexemes.back().span.end == text.size()) {
    const Terminal last = lexemes.back().terminal;
    const bool whole = last == Terminal::LeftParen || last == Terminal::RightParen || last == Terminal::Comma ||
                       last == Terminal::Semicolon;
    if (!whole) lexemes.pop_back();
  }
  return lexemes;
}

bool has_outer_join(std::string_view sql) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  return std::ranges::any_of(lexemes, [](const Lexeme& lexeme) {
    return lexeme.terminal == Terminal::kw_LEFT || lexeme.terminal == Terminal::kw_RIGHT || lexeme.terminal == Terminal::kw_FULL;
  });
}

// The argument of a COUNT, where it is a name alone.
struct Counted {
  Span argument;       // of the text; empty at its end where it has not been written to its end
  std::string column;  // as far as it is written
  bool open = false;
};

std::optional<Counted> last_counted(std::string_view text) {
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  lexemes.pop_back();
  for (size_t i = lexemes.size(); i-- > 1;) {
    if (lexemes[i].terminal != Terminal::LeftParen || lexemes[i - 1].terminal != Terminal::Name) continue;
    if (!equal_folded(lexemes[i - 1].span.of(text), "count")) continue;
    Counted counted;
    counted.argument = {lexemes[i].span.end, lexemes[i].span.end};
    counted.open = true;
    for (size_t k = i + 1; k < lexemes.size(); ++k) {
      if (lexemes[k].terminal == Terminal::RightParen) {
        counted.open = false;
        break;
      }
      if (lexemes[k].terminal != Terminal::Name && lexemes[k].terminal != Terminal::Dot) return std::nullopt;
      counted.argument.end = lexemes[k].span.end;
      std::string buffer;
      counted.column = lexemes[k].terminal == Terminal::Name ? std::string(name_text(lexemes[k], text, buffer)) : "";
    }
    return counted;
  }
  return std::nullopt;
}

}  // namespace

MaskedRun::MaskedRun(Model& model, Sequence& sequence, const DecodeSettings& settings, Subject& subject, const Engine& engine,
                     uint32_t budget, const Listener& listener, Answer& answer, Care care)
    : model_(model),
      sequence_(sequence),
      settings_(settings),
      subject_(subject),
      engine_(engine),
      vocabulary_(model.vocabulary()),
      matcher_(engine.new_matcher(budget)),
      listener_(listener),
      answer_(answer),
      care_(care),
      words_(bitmask_words(model.logits_width())),
      prompt_(sequence.length()) {}

std::optional<std::string> MaskedRun::text() {
  while (!matcher_.is_terminated()) {
    if (step()) continue;
    answer_.output = matcher_.text();
    return std::nullopt;
  }
  answer_.output = matcher_.text();
  if (auto sql = matcher_.sql()) {
    // A row that an outer join fills up has no key to count, but is one.
    counts_filled_rows_ = counted_ && has_outer_join(*sql);
    if (counts_filled_rows_) turns_.insert(turns_.begin(), *counted_);
    return sql;
  }
  refuse_as_matcher();
  return std::nullopt;
}

std::optional<std::string> MaskedRun::draft(const Turn& turn) {
  size_t alike = 0;
  while (alike < turn.tokens.size() && prompt_ + alike < sequence_.length() &&
         sequence_.tokens()[prompt_ + alike] == turn.tokens[alike]) {
    ++alike;
  }
  sequence_.truncate(prompt_ + alike);
  if (!sequence_.append(std::span(turn.tokens).subspan(alike))) return std::nullopt;
  return unmasked(turn.text, turn.wanted);
}

std::optional<std::string> MaskedRun::unmasked(std::string text, TokenId token) {
  const size_t longest = std::min<size_t>(192, settings_.max_tokens);
  for (size_t i = 0; i < longest && !is_stopped(listener_); ++i) {
    if (vocabulary_.is_end_of_text(token)) return sql_of_output(text);
    if (!vocabulary_.is_text(token)) return std::nullopt;
    text += vocabulary_.bytes(token);
    if (text.ends_with(";") || text.ends_with("\n\n") || text.ends_with("```")) return sql_of_output(text);
    if (!sequence_.append(token)) return std::nullopt;
    ++answer_.counts.draft_tokens;
    const auto logits = sequence_.logits();
    if (!logits || logits->size() < vocabulary_.size()) return std::nullopt;
    token = free_choice(logits->first(vocabulary_.size()));
  }
  return std::nullopt;
}

bool MaskedRun::step() {
  if (matcher_.is_refused()) return refuse_as_matcher();
  if (is_stopped(listener_)) return failed(Error{"stopped", {}, {}});
  if (!fill()) return false;
  // Where the model's wish may be made room for, it is asked for its wish.
  const bool asked = barred_.contains(taken_.size()) || (care_ == Care::Usual && counts_closed_key());
  std::optional<TokenId> token = asked ? std::nullopt : only_choice(words_);
  const bool forced = token.has_value();
  if (!forced) {
    again_ = false;
    token = choose();
    if (!token) return again_;
  } else if (settings_.trace) {
    trace(TraceStep::Kind::Forced, *token, *token, 0);
  }
  return take(*token, forced);
}

size_t MaskedRun::most_backups() const { return shortened_ ? kMostBackupsShortened : kMostBackups; }

void MaskedRun::shorten() {
  if (!taken_away_ || shortened_ || care_ == Care::None) return;
  shortened_ = true;
  const auto left = matcher_.tokens_left();
  // What a completion takes in a vocabulary that cuts names into letters is known too roughly for so few tokens.
  std::string names;
  for (const Table& table : subject_.catalog().tables()) {
    if (names.size() < 200) names += " " + table.name;
  }
  const auto cut = model_.tokenize(names, false);
  if (!cut || cut->size() * 2 > names.size()) return;
  // What has been begun may not come to an end that soon.
  for (size_t most = std::max(kShortened, taken_.size() + kMoreWhenShortened); left && most < taken_.size() + *left; most += kMoreWhenShortened) {
    Matcher shorter = engine_.new_matcher(static_cast<uint32_t>(most));
    if (!std::ranges::all_of(taken_, [&](const Taken& taken) { return shorter.accept_token(taken.id); })) continue;
    matcher_ = std::move(shorter);
    return;
  }
}

bool MaskedRun::fill() {
  shorten();
  const uint64_t before = answer_.counts.mask_ns;
  const auto filled = [this] {
    const Stopwatch watch(answer_.counts.mask_ns);
    return matcher_.fill_next_token_bitmask(words_.data(), model_.logits_width());
  }();
  answer_.mask_ns.push_back(answer_.counts.mask_ns - before);
  if (!filled) {
    refuse(answer_, Cause::Fault, "no mask, so no token: " + filled.error().to_string());
    return false;
  }
  if (matcher_.is_refused()) return refuse_as_matcher();
  const auto barred = barred_.find(taken_.size());
  if (barred == barred_.end()) return true;
  for (const TokenId id : barred->second) words_[id / 32] &= ~(1U << (id % 32));
  const bool left = std::ranges::any_of(words_, [](uint32_t word) { return word != 0; });
  if (left) return true;
  // There is no other way from here: the last one that was barred is taken after all.
  const TokenId last = barred->second.back();
  words_[last / 32] |= 1U << (last % 32);
  return true;
}

bool MaskedRun::is_barred(TokenId token) const {
  const auto barred = barred_.find(taken_.size());
  return barred != barred_.end() && std::ranges::find(barred->second, token) != barred->second.end();
}

std::optional<TokenId> MaskedRun::choose() {
  const auto logits = sequence_.logits();
  if (!logits || logits->size() < vocabulary_.size() || logits->size() > words_.size() * 32) {
    failed(logits ? Error{"it gave logits of another width than it said", {}, {}} : logits.error());
    return std::nullopt;
  }
  const Stopwatch watch(answer_.counts.choice_ns);
  auto chosen = masked_choice(*logits, words_);
  if (!chosen) {
    refuse(answer_, Cause::Fault, "internal error: the mask admits no token");
    return std::nullopt;
  }
  const TokenId wanted = free_choice(logits->first(vocabulary_.size()));
  if (care_ == Care::Usual) {
    if (const auto better = key_join(*logits, *chosen)) chosen = better;
    const bool kept_from_it = wanted != *chosen && !is_admitted(wanted);
    if (kept_from_it && !is_barred(wanted) && make_room(wanted)) {
      again_ = true;
      return std::nullopt;
    }
  }
  if (settings_.trace) {
    trace(TraceStep::Kind::Token, *chosen, wanted, removed_probability(*logits, vocabulary_.size(), words_));
  }
  if (wanted != *chosen && !is_barred(wanted)) note_wanted(wanted);
  return chosen;
}

// The most likely token that goes on to a join on keys, where the chosen one does not.
std::optional<TokenId> MaskedRun::key_join(std::span<const float> logits, TokenId chosen) const {
  if (!vocabulary_.is_text(chosen)) return std::nullopt;
  const std::vector<std::string> joins = key_joins(subject_.catalog(), subject_.policy(), matcher_.text());
  const auto goes_on = [&](TokenId id) {
    const std::string_view piece = vocabulary_.bytes(id);
    return std::ranges::any_of(joins, [&](const std::string& join) { return join.starts_with(piece) || piece.starts_with(join); });
  };
  if (joins.empty() || goes_on(chosen)) return std::nullopt;
  std::optional<TokenId> best;
  for (TokenId id = 0; id < vocabulary_.size(); ++id) {
    if (!is_admitted(id) || !vocabulary_.is_text(id) || !goes_on(id)) continue;
    if (!best || logits[id] > logits[*best]) best = id;
  }
  return best;
}

bool MaskedRun::take(TokenId token, bool forced) {
  if (vocabulary_.is_end_of_text(token) && find_way(true)) return true;
  const size_t begin = matcher_.text().size();
  {
    const Stopwatch watch(answer_.counts.mask_ns);
    if (!matcher_.accept_token(token)) return refuse_as_matcher();
  }
  if (vocabulary_.is_end_of_text(token)) return true;
  if (const auto appended = sequence_.append(token); !appended) return failed(appended.error());
  taken_.push_back({token, begin, forced});
  if (forced) ++answer_.counts.forced_tokens;
  if (listener_.on_text) listener_.on_text(vocabulary_.bytes(token));
  find_way(false);
  return true;
}

void MaskedRun::back_to(size_t token) {
  if (token == taken_.size()) return;
  const size_t length = matcher_.text().size();
  for (size_t i = token; i < taken_.size(); ++i) answer_.counts.forced_tokens -= taken_[i].forced ? 1 : 0;
  const size_t begin = taken_[token].begin;
  matcher_.rollback(taken_.size() - token);
  sequence_.truncate(prompt_ + token);
  taken_.resize(token);
  barred_.erase(barred_.upper_bound(token), barred_.end());
  lexemes_seen_ = 0;
  if (listener_.on_discard) listener_.on_discard(length - begin);
  if (!settings_.trace) return;
  TraceStep step;
  step.kind = TraceStep::Kind::Rollback;
  step.text = matcher_.text();
  answer_.trace.push_back(std::move(step));
}

bool MaskedRun::find_way(bool ended) {
  if (care_ == Care::None || backups_ >= most_backups() || matcher_.is_refused()) return false;
  const std::string text(matcher_.text());
  const std::vector<Lexeme> lexemes = whole_lexemes(text, ended);
  std::vector<uint32_t> places;
  // What was well before it is looked at once.
  for (size_t count = std::min(lexemes_seen_, lexemes.size()) + 1; count <= lexemes.size() && places.empty(); ++count) {
    places = lost_way(text, std::span(lexemes).first(count)).places;
    if (places.empty()) places = stray_join(subject_.catalog(), text, std::span(lexemes).first(count));
  }
  lexemes_seen_ = lexemes.size();
  for (const uint32_t place : places) {
    const auto after = std::ranges::find_if(taken_, [&](const Taken& taken) { return taken.begin > place; });
    if (after == taken_.begin()) continue;
    const auto index = static_cast<size_t>(after - taken_.begin()) - 1;
    if (taken_[index].forced) continue;  // nothing else could have been taken
    const TokenId id = taken_[index].id;
    std::vector<TokenId>& barred = barred_[index];
    if (std::ranges::find(barred, id) != barred.end()) continue;  // likewise
    barred.push_back(id);
    ++backups_;
    back_to(index);
    return true;
  }
  return false;
}

bool MaskedRun::make_room(TokenId wanted) { return count_rows(wanted) || rename_table(wanted) || test_existence(wanted); }

bool MaskedRun::count_rows(TokenId wanted) {
  const std::string text(matcher_.text());
  const auto counted = last_counted(text);
  if (!counted) return false;
  const Catalog& catalog = subject_.catalog();
  const std::vector<TokenId> before = tokens_taken();
  if (counted->open) {
    if (!vocabulary_.is_text(wanted)) return false;
    const std::vector<BlockedName> names = wanted_names(matcher_, vocabulary_.bytes(wanted));
    const auto is_closed_key = [&](const BlockedName& name) {
      const size_t dot = name.name.find('.');
      if (!name.by_policy || dot == std::string::npos) return false;
      const auto column = catalog.find_column(name.name.substr(0, dot), name.name.substr(dot + 1));
      return column && is_always_there(catalog, *column);
    };
    if (names.empty() || !std::ranges::all_of(names, is_closed_key)) return false;
    // With its parentheses, as models cut it: after `(` and `*` apart they do not know how to go on, and list something more.
    if (!rewrite(counted->argument.begin - 1, "(*)", std::nullopt)) return false;
  } else {
    // Before its FROM is read a key could be any table's. If what was wanted fits once rows are counted, the key was in its way.
    if (!counts_closed_key()) return false;
    if (!rewrite(counted->argument.begin - 1, "(*" + text.substr(counted->argument.end), wanted)) return false;
  }
  if (!counted_) counted_ = Turn{before, text, wanted, true};
  return true;
}

// Whether a COUNT is written whose argument is the key of some table, which may not be counted.
bool MaskedRun::counts_closed_key() const {
  const std::string_view text = matcher_.text();
  if (text.find("COUNT(") == std::string_view::npos) return false;
  const auto counted = last_counted(text);
  if (!counted || counted->open) return false;
  const Catalog& catalog = subject_.catalog();
  for (const Table& table : catalog.tables()) {
    const auto column = catalog.find_column(table.name, counted->column);
    if (column && is_always_there(catalog, *column) && !permitted(subject_.policy().of(*column), Role::Agg)) return true;
  }
  return false;
}

bool MaskedRun::rename_table(TokenId wanted) {
  const std::string_view piece = vocabulary_.is_text(wanted) ? vocabulary_.bytes(wanted) : std::string_view();
  return std::ranges::any_of(renamings(std::string(matcher_.text()), piece), [&](const Renaming& one) {
    return rewrite(one.from, one.text, one.has_piece ? std::nullopt : std::optional(wanted));
  });
}

// `id NOT IN (SELECT person_id`: what the nested query was for is known by how the model goes on.
bool MaskedRun::test_existence(TokenId wanted) {
  if (settings_.blocked != Blocked::Answer) return false;
  const std::string text(matcher_.text());
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  lexemes.pop_back();
  // Its item, or its first tables, are being written.
  const auto goes_before = [](Terminal terminal) {
    return terminal == Terminal::Name || terminal == Terminal::Dot || terminal == Terminal::kw_DISTINCT || terminal == Terminal::kw_FROM ||
           terminal == Terminal::kw_AS || terminal == Terminal::kw_JOIN;
  };
  size_t select = lexemes.size();
  while (select > 0 && goes_before(lexemes[select - 1].terminal)) --select;
  if (select < 3 || lexemes[select - 1].terminal != Terminal::kw_SELECT || lexemes[select - 2].terminal != Terminal::LeftParen) return false;
  const Terminal before = lexemes[select - 3].terminal;
  if (before != Terminal::kw_IN && before != Terminal::Equal) return false;
  const uint32_t begin = lexemes[select - 2].span.begin;
  if (looked_up_ == begin) return false;
  looked_up_ = begin;
  const auto draft = unmasked(text, wanted);
  sequence_.truncate(prompt_ + taken_.size());
  if (!draft) return false;
  const std::vector<Reworded> tests = existence_tests(subject_.catalog(), *draft, subject_.judgement(*draft), true);
  const auto here = std::ranges::find_if(tests, [&](const Reworded& one) { return one.place.begin < begin && begin < one.place.end; });
  return here != tests.end() && rewrite(here->place.begin, here->text, std::nullopt);
}

// The text from there on becomes another one, if the mask admits it and `wanted`, where there is one, after it; else nothing
// has changed.
bool MaskedRun::rewrite(size_t from, const std::string& text, std::optional<TokenId> wanted) {
  if (backups_ >= most_backups()) return false;
  const auto after = std::ranges::find_if(taken_, [&](const Taken& taken) { return taken.begin > from; });
  if (after == taken_.begin()) return false;
  const auto index = static_cast<size_t>(after - taken_.begin()) - 1;
  const std::string kept(matcher_.text().substr(taken_[index].begin, from - taken_[index].begin));
  Matcher other = matcher_.fork();
  other.rollback(taken_.size() - index);
  const bool text_wanted = wanted && vocabulary_.is_text(*wanted);
  if (!other.accept_text(kept + text + std::string(text_wanted ? vocabulary_.bytes(*wanted) : ""))) return false;
  if (wanted && !text_wanted && !other.explain().may_end) return false;
  const auto tokens = model_.tokenize(kept + text, false);
  if (!tokens) return false;
  other = matcher_.fork();
  other.rollback(taken_.size() - index);
  for (const TokenId id : *tokens) {
    if (!vocabulary_.is_text(id) || !other.accept_token(id)) return false;
  }
  ++backups_;
  back_to(index);
  for (const TokenId id : *tokens) {
    const size_t begin = matcher_.text().size();
    if (!matcher_.accept_token(id)) return refuse_as_matcher();
    if (const auto appended = sequence_.append(id); !appended) return failed(appended.error());
    taken_.push_back({id, begin, false});
    if (listener_.on_text) listener_.on_text(vocabulary_.bytes(id));
  }
  return true;
}

std::vector<TokenId> MaskedRun::tokens_taken() const {
  std::vector<TokenId> tokens;
  for (const Taken& taken : taken_) tokens.push_back(taken.id);
  return tokens;
}

// The model's own choice was another one. Only text that the mask does not admit is worth telling: a tie is none.
void MaskedRun::note_wanted(TokenId wanted) {
  constexpr size_t kMostLookedAt = 200;  // a model that wants something else at each step must not become slow
  if (is_admitted(wanted) || !vocabulary_.is_text(wanted) || looked_at_ == kMostLookedAt) return;
  ++looked_at_;
  const std::string_view piece = vocabulary_.bytes(wanted);
  if (begins_refusal(matcher_.text(), piece)) answer_.wanted_to_refuse = true;
  bool by_policy = false;
  for (BlockedName& name : wanted_names(matcher_, piece)) {
    by_policy |= name.by_policy;
    if (std::ranges::find(answer_.blocked, name) != answer_.blocked.end()) continue;
    if (listener_.on_blocked) listener_.on_blocked(name);
    answer_.blocked.push_back(std::move(name));
  }
  taken_away_ |= by_policy;
  if (!turns_.empty() && (!by_policy || turns_.back().by_policy)) return;
  turns_.push_back({tokens_taken(), std::string(matcher_.text()), wanted, by_policy});
}

void MaskedRun::trace(TraceStep::Kind kind, TokenId token, TokenId wanted, double removed) {
  const auto shown = [this](TokenId id) {
    return vocabulary_.is_end_of_text(id) ? std::string() : std::string(vocabulary_.bytes(id));
  };
  const Explanation explanation = explain_word(matcher_, shown(token));
  TraceStep step;
  step.kind = kind;
  step.text = matcher_.text();
  step.token = shown(token);
  step.id = token;
  step.wanted = shown(wanted);
  step.removed = removed;
  step.clause = explanation.clause;
  step.role = explanation.role;
  step.allowed = texts_of(explanation.allowed);
  step.blocked = texts_of(explanation.blocked);
  answer_.trace.push_back(std::move(step));
}

bool MaskedRun::refuse_as_matcher() {
  const Refusal* refusal = matcher_.refusal();
  if (refusal == nullptr) {
    refuse(answer_, Cause::Fault, "internal error: a token of the mask was not accepted");
    return false;
  }
  refuse(answer_, cause_of(*refusal), refusal->reason);
  if (refusal->cause == RefusalCause::Fault) answer_.errors.push_back(refusal->reason);
  return false;
}

bool MaskedRun::failed(const Error& error) {
  fail(answer_, error, listener_);
  return false;
}

}  // namespace pccsql
