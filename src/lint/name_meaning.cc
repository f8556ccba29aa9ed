// The word file is read once, at first use. Whole words, and words of several parts, are looked up; the patterns with a
// star, some hundreds, are held against each name in turn.
#include "lint/name_meaning.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "lint/name_parts.h"

namespace pccsql {

class NameWords {
 public:
  static const NameWords& get() {
    static const NameWords words(name_words_text());
    return words;
  }

  NameReading read(std::string_view identifier) const {
    const std::vector<std::string> parts = name_parts(identifier);
    NameReading reading;
    if (parts.empty()) return reading;
    const Heads heads = heads_of(parts);
    constexpr size_t kLongest = 4;  // parts of a word
    for (size_t first = 0; first < parts.size(); ++first) {
      std::string joined;
      for (size_t last = first; last < std::min(parts.size(), first + kLongest); ++last) {
        joined += (last > first ? "_" : "") + parts[last];
        look_up(joined, heads.of(first, last), first == 0 && last == heads.last, reading);
      }
    }
    match_patterns(parts, heads, reading);
    return reading;
  }

  std::string_view described(Meaning meaning) const { return descriptions_[static_cast<size_t>(meaning)]; }

 private:
  struct Sense {
    Meaning meaning = Meaning::Key;
    bool head_only = false;
    bool romance = false;  // the head may come first
  };
  struct Pattern {
    std::string text;
    bool open_begin = false;
    bool open_end = false;
    Sense sense;
  };
  struct Heads {
    size_t last = 0;    // numbers at the end aside
    size_t before_of = std::string::npos;
    // Whether parts first … last reach a head, by the rule of the Germanic languages and by that of the Romance ones.
    struct Reach {
      bool germanic = false;
      bool romance = false;
      bool by(const Sense& sense) const { return germanic || (sense.romance && romance); }
    };
    Reach of(size_t first_part, size_t last_part) const {
      const bool germanic = last_part >= last || (first_part <= before_of && before_of <= last_part);
      return {germanic, germanic || first_part == 0};
    }
  };

  explicit NameWords(std::string_view text) {
    size_t meaning = kMeanings;
    size_t sections = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.empty() || line[0] == '#') continue;
      const size_t colon = line.find(':');
      if (line[0] != ' ') {
        meaning = sections++;
        if (meaning >= kMeanings || line.substr(0, colon) != kSections[meaning]) broken(line);
        descriptions_[meaning] = trimmed(line.substr(colon + 1));
        continue;
      }
      const std::string language = trimmed(line.substr(0, colon));
      if (meaning >= kMeanings || colon == std::string::npos) broken(line);
      const bool romance = language == "fr" || language == "es";
      if (!romance && language != "en" && language != "de") broken(line);
      read_words(line.substr(colon + 1), {static_cast<Meaning>(meaning), false, romance});
    }
    if (sections != kMeanings) broken("the end of it");
  }

  // The file is part of the program; a mistake in it is found by every test that names a column.
  [[noreturn]] static void broken(const std::string& line) {
    std::fprintf(stderr, "pccsql: the list of name words cannot be read at: %s\n", line.c_str());
    std::abort();
  }

  void read_words(std::string_view words, Sense sense) {
    while (true) {
      while (!words.empty() && words.front() == ' ') words.remove_prefix(1);
      if (words.empty()) return;
      const size_t end = std::min(words.find(' '), words.size());
      add(std::string(words.substr(0, end)), sense);
      words.remove_prefix(end);
    }
  }

  void add(std::string word, Sense sense) {
    if (word.ends_with('.')) {
      sense.head_only = true;
      word.pop_back();
    }
    Pattern pattern{word, word.starts_with('*'), word.ends_with('*'), sense};
    if (pattern.open_begin || pattern.open_end) {
      pattern.text = word.substr(pattern.open_begin ? 1 : 0);
      if (pattern.open_end) pattern.text.pop_back();
      patterns_.push_back(std::move(pattern));
      return;
    }
    senses_[word].push_back(sense);
    if (word.find('_') == std::string::npos) return;
    std::erase(word, '_');
    senses_[word].push_back(sense);
  }

  static Heads heads_of(const std::vector<std::string>& parts) {
    Heads heads;
    heads.last = parts.size() - 1;
    while (heads.last > 0 && parts[heads.last][0] >= '0' && parts[heads.last][0] <= '9') --heads.last;
    for (size_t i = 1; i + 1 < parts.size(); ++i) {
      if (parts[i] == "of") {
        heads.before_of = i - 1;
        break;
      }
    }
    return heads;
  }

  static void note(NameReading& reading, const Sense& sense, std::string_view word, bool head, bool whole) {
    if (sense.head_only && !head) return;
    NameReading::Match& match = reading.matches_[static_cast<size_t>(sense.meaning)];
    if (match.word.empty() || (head && !match.head)) match.word = word;
    match.head = match.head || head;
    match.whole = match.whole || whole;
  }

  void look_up(const std::string& word, Heads::Reach reach, bool whole, NameReading& reading) const {
    const auto try_spelling = [&](const std::string& spelling) {
      const auto found = senses_.find(spelling);
      if (found == senses_.end()) return false;
      for (const Sense& sense : found->second) note(reading, sense, word, reach.by(sense), whole);
      return true;
    };
    if (try_spelling(word) || word.size() < 4 || !word.ends_with('s')) return;
    std::string singular = word.substr(0, word.size() - 1);
    if (try_spelling(singular) || !singular.ends_with('e')) return;
    singular.pop_back();
    if (try_spelling(singular) || !singular.ends_with('i')) return;
    singular.back() = 'y';
    try_spelling(singular);
  }

  void match_patterns(const std::vector<std::string>& parts, const Heads& heads, NameReading& reading) const {
    std::string whole, joined;
    std::vector<size_t> begins, ends;  // of the parts, in `joined`
    for (const std::string& part : parts) {
      whole += part;
      if (!joined.empty()) joined += '_';
      begins.push_back(joined.size());
      joined += part;
      ends.push_back(joined.size());
    }
    for (const Pattern& pattern : patterns_) {
      const std::string& text = pattern.text;
      if (pattern.open_begin && pattern.open_end) {
        const size_t at = whole.find(text);
        if (at == std::string::npos) continue;
        note(reading, pattern.sense, text, at + text.size() == whole.size() || parts.back().find(text) != std::string::npos,
             text == whole);
        continue;
      }
      for (size_t i = 0; i < parts.size(); ++i) {
        const bool fits = pattern.open_end ? joined.compare(begins[i], text.size(), text) == 0
                                           : ends[i] >= text.size() &&
                                                 joined.compare(ends[i] - text.size(), text.size(), text) == 0;
        if (!fits) continue;
        // `date_*` is a word for `date_of_birth` only if something follows, and its own head.
        const bool leads = pattern.open_end && i == 0 && text.find('_') != std::string::npos;
        note(reading, pattern.sense, text, leads || heads.of(i, i).by(pattern.sense), parts.size() == 1);
      }
    }
  }

  static constexpr std::array<std::string_view, kMeanings> kSections{
      "contact", "home",  "birth", "identity",    "account",   "secret",     "body",  "health",    "family",
      "belief",  "conduct", "tracking", "image",  "text",      "ambivalent", "pay",  "money",     "score",
      "count",   "physique", "person_name", "name", "role",    "place",      "category", "kind", "description", "time",
      "flag",    "subject", "staff", "figure",    "sensitive", "thing",      "not_about_people", "key"};

  std::unordered_map<std::string, std::vector<Sense>> senses_;
  std::vector<Pattern> patterns_;
  std::array<std::string, kMeanings> descriptions_;
};

std::string_view described(Meaning meaning) { return NameWords::get().described(meaning); }

NameReading read_name(std::string_view identifier) { return NameWords::get().read(identifier); }

}  // namespace pccsql
