#include "prompt/schema_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.h"
#include "prompt/schema_text.h"

namespace pccsql {
namespace {

constexpr size_t kMostColumns = 24;  // of a table whose columns are chosen, unless more are named

bool is_letter(char c) { return (fold(c) >= 'a' && fold(c) <= 'z') || static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The singular, roughly: what matters is that both sides come to the same.
std::string stem(std::string word) {
  const auto ends = [&word](std::string_view end) { return word.size() > end.size() + 2 && word.ends_with(end); };
  if (ends("ies")) return word.substr(0, word.size() - 3) + "y";
  if (ends("sses") || ends("shes") || ends("ches") || ends("xes")) return word.substr(0, word.size() - 2);
  if (ends("s") && !ends("ss") && !ends("us")) return word.substr(0, word.size() - 1);
  return word;
}

// `StadiumID`, `stadium_id` and `Stadium Id` are the same two words.
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.push_back(stem(word));
    word.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_letter(c) && !is_digit(c)) {
      end();
      continue;
    }
    const bool capital = c >= 'A' && c <= 'Z';
    const bool after_small = i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z';
    if ((capital && after_small) || (!word.empty() && is_digit(c) != is_digit(word.back()))) end();
    word += fold(c);
  }
  end();
  return words;
}

std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) letters += fold(c);
  }
  return letters;
}

const std::set<std::string>& small_words() {
  static const std::set<std::string> words{
      "a",    "all",  "and",  "are",  "as",    "at",   "be",    "by",    "can",   "do",    "doe",  "each",  "find", "for",
      "from", "give", "had",  "has",  "have",  "how",  "in",    "is",    "it",    "list",  "many", "me",    "more", "most",
      "of",   "on",   "or",   "show", "that",  "the",  "their", "there", "these", "thi",   "this", "those", "to",   "wa",
      "was",  "we",   "were", "what", "which", "whom", "who",   "whose", "with",  "you",   "than", "not",   "any",  "also",
      "what", "when", "ha",   "where", "return", "number", "different", "please", "average", "total", "least", "between"};
  return words;
}

// How well a word of the question fits a word of a name, from 0 to 1.
double word_match(const std::string& asked, const std::string& named) {
  if (asked == named) return 1;
  const std::string& longer = asked.size() > named.size() ? asked : named;
  const std::string& shorter = asked.size() > named.size() ? named : asked;
  if (shorter.size() >= 4 && longer.starts_with(shorter)) return 0.8;
  size_t common = 0;
  while (common < shorter.size() && shorter[common] == longer[common]) ++common;
  if (common >= 5 && common + 4 >= longer.size()) return 0.6;  // `nationality` and `national`, `departure` and `departing`
  if (shorter.size() == 3 && &shorter == &named && longer.starts_with(shorter)) return 0.5;  // `stu` is a student
  return 0;
}

}  // namespace

SchemaChoice open_columns(const Catalog& catalog, const Policy& policy) {
  SchemaChoice choice;
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    std::vector<bool>& columns = choice.columns.emplace_back(catalog.table(table).columns.size());
    for (ColumnIndex c = 0; c < columns.size(); ++c) columns[c] = policy.of({table, c}) != ColumnPolicy::Hidden;
  }
  return choice;
}

bool SchemaChoice::has(TableId table) const {
  return std::ranges::find(columns[table], true) != columns[table].end();
}

SchemaChooser::SchemaChooser(const Catalog& catalog, Policy policy, ExampleValues values)
    : catalog_(catalog), policy_(std::move(policy)), values_(std::move(values)) {
  const auto named = [](const std::string& name) { return Named{words_in(name), letters_of(name)}; };
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    const Table& table = catalog.table(t);
    Described& made = tables_.emplace_back();
    made.name = named(table.name);
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      made.columns.push_back(named(table.columns[c].name));
      made.comments.push_back(words_in(table.columns[c].comment));
      made.values.emplace_back();
      for (const std::string& value : values_.of({t, c})) made.values.back().push_back(letters_of(value));
    }
  }
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    for (const ForeignKey& key : catalog.table(t).foreign_keys) {
      const auto parent = catalog.find_table(key.parent_table);
      if (!parent || *parent == t) continue;
      tables_[t].neighbours.push_back(*parent);
      tables_[*parent].neighbours.push_back(t);
    }
  }
}

static double name_match(const std::vector<std::string>& words, const std::string& whole, const std::string& asked) {
  double best = 0;
  for (const std::string& word : words) best = std::max(best, word_match(asked, word));
  if (best < 0.6 && asked.size() >= 4 && whole.find(asked) != std::string::npos) best = 0.6;
  return best;
}

double SchemaChooser::column_match(const Described& table, size_t column, const std::string& word) const {
  double best = name_match(table.columns[column].words, table.columns[column].whole, word);
  for (const std::string& comment : table.comments[column]) best = std::max(best, 0.7 * word_match(word, comment));
  return best;
}

std::vector<double> SchemaChooser::scores(std::string_view question) const {
  std::vector<std::string> words;
  for (const std::string& word : words_in(question)) {
    if (!small_words().contains(word) && std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  const std::string letters = letters_of(question);
  std::vector<double> own(tables_.size(), 0);
  for (const std::string& word : words) {
    std::vector<double> match(tables_.size(), 0);
    double having = 0;
    for (size_t t = 0; t < tables_.size(); ++t) {
      const Described& table = tables_[t];
      match[t] = 2 * name_match(table.name.words, table.name.whole, word);
      // A long name of which one word fits is less likely meant than a short one.
      match[t] /= 0.75 + 0.25 * static_cast<double>(std::max<size_t>(table.name.words.size(), 1));
      for (size_t c = 0; c < table.columns.size(); ++c) match[t] = std::max(match[t], column_match(table, c, word));
      having += std::min(match[t], 1.0);
    }
    if (having == 0) continue;
    const double weight = std::log(1 + static_cast<double>(tables_.size()) / having);
    for (size_t t = 0; t < tables_.size(); ++t) own[t] += weight * match[t];
  }
  const double rare = std::log(1 + static_cast<double>(tables_.size()));
  for (size_t t = 0; t < tables_.size(); ++t) {
    for (const auto& values : tables_[t].values) {
      const bool named = std::ranges::any_of(values, [&](const std::string& value) {
        return value.size() >= 4 && letters.find(value) != std::string::npos;
      });
      if (named) own[t] += rare;
    }
  }
  std::vector<double> made = own;
  for (size_t t = 0; t < tables_.size(); ++t) {
    std::vector<double> near;
    for (const TableId other : tables_[t].neighbours) near.push_back(own[other]);
    std::ranges::sort(near, std::greater<>());
    if (!near.empty()) made[t] += 0.35 * near[0];
    if (near.size() > 1) made[t] += 0.25 * near[1];
  }
  return made;
}

// Keys, columns that the question names, and then the first ones.
std::vector<bool> SchemaChooser::columns_of(TableId id, const std::vector<std::string>& words, size_t most) const {
  const Table& table = catalog_.table(id);
  std::vector<double> worth(table.columns.size(), 0);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    for (const std::string& word : words) {
      const double match = column_match(tables_[id], c, word);
      if (match > 0.4) worth[c] += match;
    }
  }
  for (const ColumnIndex key : table.primary_key) worth[key] += 100;
  for (const ForeignKey& key : table.foreign_keys) {
    for (const ColumnIndex column : key.columns) worth[column] += 100;
  }
  std::vector<size_t> order(table.columns.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&worth](size_t a, size_t b) { return worth[a] > worth[b]; });
  std::vector<bool> chosen(table.columns.size(), false);
  for (size_t i = 0; i < order.size() && i < most; ++i) chosen[order[i]] = true;
  return chosen;
}

size_t SchemaChooser::cost(TableId table, const std::vector<bool>& columns, const TokenCount& count) {
  const bool all = std::ranges::find(columns, false) == columns.end();
  if (all && tables_[table].tokens > 0) return tables_[table].tokens;
  // Foreign keys count although their parents may be left out.
  const size_t tokens = count(table_text_of(catalog_, policy_, values_, table, columns)) + 1;
  if (all) tables_[table].tokens = tokens;
  return tokens;
}

SchemaChoice SchemaChooser::choose(std::string_view question, size_t tokens, const TokenCount& count) {
  const std::vector<double> score = scores(question);
  std::vector<std::string> words;
  for (std::string& word : words_in(question)) {
    if (!small_words().contains(word)) words.push_back(std::move(word));
  }
  std::vector<TableId> order;
  for (TableId t = 0; t < tables_.size(); ++t) {
    if (catalog_.table(t).kind != TableKind::Virtual && !tables_[t].columns.empty()) order.push_back(t);
  }
  std::ranges::stable_sort(order, [&score](TableId a, TableId b) { return score[a] > score[b]; });
  SchemaChoice choice;
  for (const Described& table : tables_) choice.columns.emplace_back(table.columns.size(), false);
  size_t left = tokens;
  for (const TableId table : order) {
    for (const size_t most : {kMostColumns, kMostColumns / 2, kMostColumns / 4}) {
      const std::vector<bool> columns = columns_of(table, words, most);
      const size_t price = cost(table, columns, count);
      const bool first = left == tokens && most == kMostColumns / 4;
      if (price > left && !first) continue;
      choice.columns[table] = columns;
      left -= std::min(left, price);
      break;
    }
  }
  return choice;
}

}  // namespace pccsql
