#include "serve/hidden_names.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"

namespace pccsql {
namespace {

bool is_name_byte(char c) {
  const char small = fold(c);
  return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Whether what begins at `at` may be part of a name. Typographic quotes, dashes and dots are none, though their bytes are not ASCII.
bool is_name_at(std::string_view text, size_t at) {
  const auto byte = [&text](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(at) == 0xE2 && (byte(at + 1) == 0x80 || byte(at + 1) == 0x81)) return false;            // U+2000 to U+207F
  if (byte(at) == 0xE3 && byte(at + 1) == 0x80) return false;                                       // U+3000 to U+303F
  if (byte(at) == 0xC2 && byte(at + 1) != 0xAA && byte(at + 1) != 0xB5 && byte(at + 1) != 0xBA) return false;  // U+0080 to U+00BF
  return is_name_byte(text[at]);
}

// One past the name that begins at `begin`; `begin` itself where there is none.
size_t name_end(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && is_name_at(text, end)) ++end;
  return end;
}

// Where to look for the next name, behind what is none.
size_t behind(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

bool is_single_word(std::string_view name) { return !name.empty() && name_end(name, 0) == name.size(); }

bool is_quote(char c) { return c == '`' || c == '"' || c == '\'' || c == '[' || c == ']'; }

struct Covering {
  size_t begin;
  size_t end;
  std::string_view by;
};

// With the quotes around it, and the qualifier before it: `employee`."ssn".
void widen(std::string_view text, Covering& piece) {
  const auto quotes = [&] {
    while (piece.begin > 0 && piece.end < text.size() && is_quote(text[piece.begin - 1]) && is_quote(text[piece.end])) {
      --piece.begin;
      ++piece.end;
    }
  };
  quotes();
  if (piece.begin > 1 && text[piece.begin - 1] == '.') {
    size_t begin = piece.begin - 1;
    const bool quoted = is_quote(text[begin - 1]);
    if (quoted) --begin;
    while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
    if (quoted && begin > 0 && is_quote(text[begin - 1])) --begin;
    if (begin < piece.begin - 1) piece.begin = begin;
  }
  quotes();
}

// What stands before the dot in front of `begin`, folded; empty: no dot.
std::string qualifier_before(std::string_view text, size_t begin) {
  size_t at = begin;
  while (at > 0 && is_quote(text[at - 1])) --at;
  if (at == 0 || text[at - 1] != '.') return "";
  size_t end = at - 1;
  while (end > 0 && is_quote(text[end - 1])) --end;
  size_t first = end;
  while (first > 0 && is_name_byte(text[first - 1])) --first;
  return folded(text.substr(first, end - first));
}

// Fields whose texts are words of the interface, or come from the caller or the server's own file.
bool is_fixed_field(std::string_view key) {
  constexpr std::array<std::string_view, 14> kFixed{"kind", "method", "verdict", "role", "policy", "use", "database", "id",
                                                    "model", "object", "rows", "code", "type", "door"};
  return std::ranges::find(kFixed, key) != kFixed.end();
}

constexpr const char* kWordsOfTheQuery = "computed";

}  // namespace

Spoken::Spoken(std::string_view text) : text_(folded(text)) {
  for (size_t i = 0; i < text_.size();) {
    const size_t end = name_end(text_, i);
    if (end > i) words_.insert(text_.substr(i, end - i));
    i = end > i ? end : behind(text_, i);
  }
}

bool Spoken::has(std::string_view name) const {
  return is_single_word(name) ? words_.contains(name) : text_.find(name) != std::string::npos;
}

HiddenNames::HiddenNames(const Catalog& catalog, const Policy& policy) {
  std::set<std::string> shown;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    const Table& table = catalog.table(t);
    if (table.columns.empty() || policy.all_hidden(t)) continue;
    shown.insert(folded(table.name));
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      if (policy.of({t, c}) != ColumnPolicy::Hidden) shown.insert(folded(table.columns[c].name));
    }
  }
  const auto hide = [&](const std::string& name, std::set<std::string, std::less<>>& words, std::string_view by) {
    if (shown.contains(name)) return;
    if (is_single_word(name)) {
      words.insert(name);
    } else if (!name.empty()) {
      phrases_.emplace_back(name, by);
    }
  };
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    const Table& table = catalog.table(t);
    if (policy.all_hidden(t)) hide(folded(table.name), tables_, kCoveredTable);
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      if (policy.of({t, c}) != ColumnPolicy::Hidden) continue;
      const std::string name = folded(table.columns[c].name);
      hide(name, columns_, kCoveredColumn);
      if (shown.contains(name)) dotted_.emplace(folded(table.name), name);
    }
  }
}

bool HiddenNames::covers_pair(std::string_view table, std::string_view column, const Spoken& spoken) const {
  const std::string name = folded(column);
  return dotted_.contains({folded(table), name}) && !spoken.has(name);
}

std::string HiddenNames::cover(std::string_view text, const Spoken& spoken) const {
  if (none()) return std::string(text);
  const std::string low = folded(text);
  std::vector<Covering> pieces;
  for (const auto& [phrase, by] : phrases_) {
    if (spoken.has(phrase)) continue;
    for (size_t at = low.find(phrase); at != std::string::npos; at = low.find(phrase, at + 1)) {
      pieces.push_back({at, at + phrase.size(), by});
    }
  }
  for (size_t i = 0; i < low.size();) {
    const size_t end = name_end(low, i);
    if (end == i) {
      i = behind(low, i);
      continue;
    }
    const std::string_view word = std::string_view(low).substr(i, end - i);
    const bool column = columns_.contains(word) || (!dotted_.empty() && dotted_.contains({qualifier_before(low, i), std::string(word)}));
    if ((column || tables_.contains(word)) && !spoken.has(word)) pieces.push_back({i, end, column ? kCoveredColumn : kCoveredTable});
    i = end;
  }
  if (pieces.empty()) return std::string(text);
  for (Covering& piece : pieces) widen(text, piece);
  std::ranges::sort(pieces, {}, &Covering::begin);
  std::string out;
  size_t done = 0;
  for (const Covering& piece : pieces) {
    if (piece.begin < done) {
      done = std::max(done, piece.end);
      continue;
    }
    out += text.substr(done, piece.begin - done);
    out += piece.by;
    done = piece.end;
  }
  return out + std::string(text.substr(std::min(done, text.size())));
}

std::string HiddenNames::cover_json(const std::string& json, const Spoken& spoken) const {
  if (none()) return json;
  auto tree = parsed_json(json);
  if (!tree) return cover(json, spoken);
  const auto walk = [&](const auto& self, Json& node) -> void {
    if (node.is_string()) {
      node = cover(node.get_ref<const std::string&>(), spoken);
    } else if (node.is_array()) {
      for (Json& item : node) self(self, item);
    } else if (node.is_object()) {
      const auto table = node.find("table");
      const auto column = node.find("column");
      if (table != node.end() && column != node.end() && table->is_string() && column->is_string() &&
          covers_pair(table->get_ref<const std::string&>(), column->get_ref<const std::string&>(), spoken)) {
        *column = kCoveredColumn;
      }
      const auto sql = node.find("sql");
      const Json written = sql == node.end() ? Json(nullptr) : *sql;
      for (auto& [key, value] : node.items()) {
        if (!is_fixed_field(key) && key != kWordsOfTheQuery) self(self, value);
      }
      // Plain words, among which a column may be called like one of them ("the number of rows"), and names of the query: where these may
      // be told, all of it may.
      if (const auto words = node.find(kWordsOfTheQuery); words != node.end() && (!written.is_string() || *sql != written)) self(self, *words);
    }
  };
  walk(walk, *tree);
  return dumped(*tree);
}

std::string CoveredStream::add(std::string_view piece) {
  waiting_ += piece;
  if (names_ != nullptr && names_->has_phrases()) return "";
  // A name ends where something else begins; and a character is told whole. What stands around the name may be its quotes.
  size_t end = waiting_.size();
  while (end > 0 && (is_name_byte(waiting_[end - 1]) || is_quote(waiting_[end - 1]) || waiting_[end - 1] == '.')) --end;
  std::string told = waiting_.substr(0, end);
  waiting_.erase(0, end);
  return names_ == nullptr ? told : names_->cover(told, *spoken_);
}

std::string CoveredStream::end() {
  std::string told = names_ == nullptr ? waiting_ : names_->cover(waiting_, *spoken_);
  waiting_.clear();
  return told;
}

}  // namespace pccsql
