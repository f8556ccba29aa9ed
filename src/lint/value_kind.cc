#include "lint/value_kind.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "lint/name_parts.h"

namespace pccsql {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return fold(c) >= 'a' && fold(c) <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
int value_of(char digit) { return digit - '0'; }

// The text without blanks and the given other characters.
std::string without(std::string_view text, std::string_view others) {
  std::string kept;
  for (const char c : text) {
    if (c != ' ' && others.find(c) == others.npos) kept += c;
  }
  return kept;
}

bool all_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

// The remainder of a decimal number of any length.
int modulo(std::string_view digits, int divisor) {
  int rest = 0;
  for (const char c : digits) rest = (rest * 10 + value_of(c)) % divisor;
  return rest;
}

int luhn_sum(std::string_view digits) {
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    int value = value_of(digits[digits.size() - 1 - i]);
    if (i % 2 == 1) value = value * 2 > 9 ? value * 2 - 9 : value * 2;
    sum += value;
  }
  return sum;
}

// Whether `text` is digits, letters and separators just as in `form`: `9` a digit, `A` a capital, else itself.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (size_t i = 0; i < form.size(); ++i) {
    const bool fits = form[i] == '9'   ? is_digit(text[i])
                      : form[i] == 'A' ? is_upper(text[i])
                                       : text[i] == form[i];
    if (!fits) return false;
  }
  return true;
}

// `078-05-1120`: only as it is written, for nine digits alone could be anything.
bool is_us_social_security_number(std::string_view text) {
  if (!has_form(text, "999-99-9999")) return false;
  const std::string_view area = text.substr(0, 3);
  return area != "000" && area != "666" && area[0] != '9' && text.substr(4, 2) != "00" && text.substr(7) != "0000";
}

// `AB 12 34 56 C`
bool is_uk_insurance_number(std::string_view text) {
  const std::string id = without(text, "");
  if (!has_form(id, "AA999999A")) return false;
  constexpr std::string_view kNeverFirst = "DFIQUV", kNeverSecond = "DFIOQUV";
  constexpr std::array<std::string_view, 7> kUnused{"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"};
  return kNeverFirst.find(id[0]) == kNeverFirst.npos && kNeverSecond.find(id[1]) == kNeverSecond.npos &&
         std::ranges::find(kUnused, std::string_view(id).substr(0, 2)) == kUnused.end() && id[8] <= 'D';
}

// `943 476 5919`: ten digits, the last of which checks the others by weights 10 to 2, modulo 11.
bool is_uk_health_number(std::string_view text) {
  if (!has_form(text, "999 999 9999") && !has_form(text, "999-999-9999")) return false;
  const std::string id = without(text, "-");
  int sum = 0;
  for (size_t i = 0; i < 9; ++i) sum += value_of(id[i]) * static_cast<int>(10 - i);
  const int check = 11 - sum % 11;
  return check != 10 && check % 11 == value_of(id[9]);
}

// Eleven digits: of the first ten, one stands there twice or three times and the others at most once; the last one is by
// ISO 7064, modulo 11, 10.
bool is_german_tax_number(std::string_view text) {
  const std::string id = without(text, "");
  if (id.size() != 11 || !all_digits(id) || id[0] == '0') return false;
  std::array<int, 10> seen{};
  for (size_t i = 0; i < 10; ++i) ++seen[static_cast<size_t>(value_of(id[i]))];
  const auto repeated = std::ranges::count_if(seen, [](int count) { return count > 1; });
  if (repeated != 1 || std::ranges::max(seen) > 3) return false;
  int product = 10;
  for (size_t i = 0; i < 10; ++i) {
    const int sum = (value_of(id[i]) + product) % 10;
    product = (sum == 0 ? 10 : sum) * 2 % 11;
  }
  return (11 - product) % 10 == value_of(id[10]);
}

// Sex, year, month, place, number, and 97 less the rest by 97. Corsica's places are 2A and 2B.
bool is_french_social_number(std::string_view text) {
  std::string id = without(text, "");
  if (id.size() != 15 || (id[0] != '1' && id[0] != '2')) return false;
  int corsica = 0;
  if (id[5] == '2' && (id[6] == 'A' || id[6] == 'B')) {
    corsica = id[6] == 'A' ? 1'000'000 : 2'000'000;
    id[6] = '0';
  }
  if (!all_digits(id)) return false;
  const int month = value_of(id[3]) * 10 + value_of(id[4]);
  if (month == 0 || (month > 12 && month < 20) || (month > 42 && month < 50)) return false;
  const int rest = ((modulo(std::string_view(id).substr(0, 13), 97) - corsica % 97) % 97 + 97) % 97;
  return 97 - rest == value_of(id[13]) * 10 + value_of(id[14]);
}

// Eight digits, or X, Y, Z and seven, and the letter that their rest by 23 stands for.
bool is_spanish_id(std::string_view text) {
  constexpr std::string_view kLetters = "TRWAGMYFPDXBNJZSQVHLCKE";
  std::string id = without(text, "-.");
  if (id.size() != 9) return false;
  if (id[0] >= 'X' && id[0] <= 'Z') id[0] = static_cast<char>('0' + (id[0] - 'X'));
  const std::string_view digits = std::string_view(id).substr(0, 8);
  return all_digits(digits) && kLetters[static_cast<size_t>(modulo(digits, 23))] == id[8];
}

// `756.9217.0769.85`: thirteen digits with the check digit of an EAN.
bool is_swiss_insurance_number(std::string_view text) {
  if (!has_form(text, "999.9999.9999.99") || !text.starts_with("756")) return false;
  const std::string id = without(text, ".");
  int sum = 0;
  for (size_t i = 0; i < id.size(); ++i) sum += value_of(id[i]) * (i % 2 == 0 ? 1 : 3);
  return sum % 10 == 0;
}

const std::unordered_set<std::string_view>& given_names() {
  static const std::unordered_set<std::string_view> names = [] {
    std::unordered_set<std::string_view> read;
    std::string_view text = given_names_text();
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.starts_with('#')) continue;
      while (!line.empty()) {
        const size_t blank = std::min(line.find(' '), line.size());
        if (blank > 0) read.insert(line.substr(0, blank));
        line.remove_prefix(std::min(blank + 1, line.size()));
      }
    }
    return read;
  }();
  return names;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != ' ' && text[i] != ',' && text[i] != '\t' && text[i] != '\n') continue;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return words;
}

// `LS21 1AA`, at the end of a text.
bool ends_with_uk_postcode(const std::vector<std::string_view>& words) {
  if (words.size() < 3) return false;
  const std::string_view inward = words.back(), outward = words[words.size() - 2];
  if (inward.size() != 3 || !is_digit(inward[0]) || !is_upper(inward[1]) || !is_upper(inward[2])) return false;
  return outward.size() >= 2 && outward.size() <= 4 && is_upper(outward[0]) &&
         std::ranges::any_of(outward, is_digit);
}

}  // namespace

std::string_view plural(ValueKind kind) {
  switch (kind) {
    case ValueKind::Plain:
      return "plain values";
    case ValueKind::Email:
      return "e-mail addresses";
    case ValueKind::Phone:
      return "phone numbers";
    case ValueKind::Iban:
      return "bank accounts (IBAN)";
    case ValueKind::Card:
      return "numbers of payment cards";
    case ValueKind::NationalId:
      return "national identity numbers";
    case ValueKind::IpAddress:
      return "addresses of machines (IP)";
    case ValueKind::StreetAddress:
      return "street addresses";
    case ValueKind::PersonName:
      return "names of people";
  }
  return "";
}

bool holds_email(std::string_view text) {
  const auto is_local = [](char c) { return is_letter(c) || is_digit(c) || std::string_view("._%+-'").find(c) != std::string_view::npos; };
  const auto is_domain = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.'; };
  for (size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
    if (at == 0 || !is_local(text[at - 1]) || text[at - 1] == '.') continue;
    size_t end = at + 1;
    while (end < text.size() && is_domain(text[end])) ++end;
    std::string_view domain = text.substr(at + 1, end - at - 1);
    while (domain.ends_with('.')) domain.remove_suffix(1);  // of the sentence
    const size_t dot = domain.rfind('.');
    if (dot == domain.npos || dot == 0 || domain.starts_with('.') || domain.find("..") != domain.npos) continue;
    const std::string_view top = domain.substr(dot + 1);
    if (top.size() >= 2 && std::ranges::all_of(top, is_letter)) return true;
  }
  return false;
}

bool is_phone_number(std::string_view text) {
  if (year_of_date(text) || is_ip_address(text)) return false;
  const bool international = text.starts_with('+') || text.starts_with("00");
  size_t digits = 0, groups = 0;
  bool in_group = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_digit(c)) {
      ++digits;
      groups += in_group ? 0u : 1u;
      in_group = true;
    } else if (c == ' ' || c == '-' || c == '/' || c == '(' || c == ')' || c == '.' || (c == '+' && i == 0)) {
      in_group = false;
    } else {
      // An extension at the end: `555-0100 x12`.
      return c == 'x' && digits >= 7 && groups >= 2 && i + 1 < text.size() && all_digits(text.substr(i + 1));
    }
  }
  if (digits < 7 || digits > 15) return false;
  const std::string bare = without(text, "+-/().");
  // A book's number is written like one.
  if (bare.size() == 13 && (bare.starts_with("978") || bare.starts_with("979"))) return false;
  if (std::ranges::count(text, '.') == 1 && groups == 2 && !international) return false;  // a decimal number
  if (text.starts_with('-')) return false;
  return international || (groups >= 2 && groups <= 6) || (bare.starts_with('0') && digits >= 9);
}

bool is_iban(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, size_t>, 40> kLengths{
      {{"AD", 24}, {"AE", 23}, {"AT", 20}, {"BE", 16}, {"BG", 22}, {"BR", 29}, {"CH", 21}, {"CY", 28}, {"CZ", 24},
       {"DE", 22}, {"DK", 18}, {"EE", 20}, {"ES", 24}, {"FI", 18}, {"FO", 18}, {"FR", 27}, {"GB", 22}, {"GI", 23},
       {"GR", 27}, {"HR", 21}, {"HU", 28}, {"IE", 22}, {"IL", 23}, {"IS", 26}, {"IT", 27}, {"LI", 21}, {"LT", 20},
       {"LU", 20}, {"LV", 21}, {"MC", 27}, {"MT", 31}, {"NL", 18}, {"NO", 15}, {"PL", 28}, {"PT", 25}, {"RO", 24},
       {"RS", 22}, {"SE", 24}, {"SI", 19}, {"SK", 24}}};
  std::string id = without(text, "");
  std::ranges::transform(id, id.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  if (id.size() < 15 || !is_digit(id[2]) || !is_digit(id[3])) return false;
  const auto country = std::ranges::find(kLengths, std::string_view(id).substr(0, 2),
                                         &std::pair<std::string_view, size_t>::first);
  if (country == kLengths.end() || country->second != id.size()) return false;
  std::string digits;
  for (const char c : id.substr(4) + id.substr(0, 4)) {
    if (is_digit(c)) {
      digits += c;
    } else if (is_upper(c)) {
      digits += std::to_string(c - 'A' + 10);
    } else {
      return false;
    }
  }
  return modulo(digits, 97) == 1;
}

bool is_card_number(std::string_view text) {
  const std::string id = without(text, "-");
  if (!all_digits(id) || id.size() < 13 || id.size() > 19) return false;
  const int two = value_of(id[0]) * 10 + value_of(id[1]);
  const int four = two * 100 + value_of(id[2]) * 10 + value_of(id[3]);
  const size_t length = id.size();
  const bool issued = (id[0] == '4' && (length == 13 || length == 16 || length == 19)) ||
                      (((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) && length == 16) ||
                      ((two == 34 || two == 37) && length == 15) || ((two == 36 || two == 38) && length == 14) ||
                      ((four == 6011 || two == 65) && length >= 16) || (two == 35 && length == 16) ||
                      ((two == 50 || two == 62 || two == 67) && length >= 16);
  return issued && luhn_sum(id) % 10 == 0;
}

bool is_national_id(std::string_view text) {
  return is_us_social_security_number(text) || is_uk_insurance_number(text) || is_uk_health_number(text) ||
         is_german_tax_number(text) || is_french_social_number(text) || is_spanish_id(text) ||
         is_swiss_insurance_number(text);
}

bool is_ip_address(std::string_view text) {
  size_t groups = 0;
  while (true) {
    const size_t end = std::min(text.find('.'), text.size());
    const std::string_view group = text.substr(0, end);
    if (group.empty() || group.size() > 3 || !all_digits(group) || std::stoi(std::string(group)) > 255) return false;
    ++groups;
    if (end == text.size()) return groups == 4;
    text.remove_prefix(end + 1);
  }
}

bool is_street_address(std::string_view text) {
  constexpr std::array<std::string_view, 24> kWords{"street", "st",    "road",     "rd",    "avenue", "ave",  "lane",  "ln",
                                                    "drive",  "dr",    "boulevard", "blvd", "court",  "ct",   "rue",   "place",
                                                    "quai",   "calle", "avenida",  "plaza", "plz",    "allee", "platz", "weg"};
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() < 2 || words.size() > 12) return false;
  if (ends_with_uk_postcode(words)) return true;
  const bool numbered = std::ranges::any_of(words, [](std::string_view word) { return is_digit(word[0]) && word.size() <= 6; });
  if (!numbered) return false;
  return std::ranges::any_of(words, [&](std::string_view word) {
    std::string bare = without_accents(word);
    while (!bare.empty() && !is_letter(bare.back())) bare.pop_back();
    return std::ranges::find(kWords, bare) != kWords.end() || (bare.size() > 6 && (bare.ends_with("strasse") || bare.ends_with("weg") ||
                                                               bare.ends_with("allee") || bare.ends_with("gasse")));
  });
}

bool is_person_name(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() < 2 || words.size() > 4) return false;
  for (const std::string_view word : words) {
    // A letter, an initial, a particle, a name with a hyphen; digits and signs are of other things.
    if (std::ranges::any_of(word, [](char c) { return is_digit(c) || c == '&' || c == '/' || c == '(' || c == '!' || c == '?'; })) return false;
  }
  const auto is_given = [](std::string_view word) {
    return given_names().contains(std::string_view(without_accents(word.substr(0, word.find('-')))));
  };
  if (is_given(words[0])) return is_upper(words.back()[0]) || static_cast<unsigned char>(words.back()[0]) >= 0x80;
  // `Moore, Ada`
  const size_t comma = text.find(',');
  return comma != text.npos && comma + 1 < text.size() && words.size() == 2 && is_given(words[1]);
}

std::optional<int> year_of_date(std::string_view text) {
  const size_t time = std::min(text.find_first_of(" T"), text.size());
  const std::string_view date = text.substr(0, time);
  if (time < text.size() && (time + 1 == text.size() || !is_digit(text[time + 1]))) return std::nullopt;
  std::array<std::string_view, 3> parts;
  size_t count = 0, begin = 0;
  for (size_t i = 0; i <= date.size(); ++i) {
    if (i < date.size() && is_digit(date[i])) continue;
    if (i < date.size() && date[i] != '-' && date[i] != '.' && date[i] != '/') return std::nullopt;
    if (count == 3 || i == begin) return std::nullopt;
    parts[count++] = date.substr(begin, i - begin);
    begin = i + 1;
  }
  if (count != 3) return std::nullopt;
  const bool year_first = parts[0].size() == 4;
  const std::string_view year = year_first ? parts[0] : parts[2];
  const std::string_view day = year_first ? parts[2] : parts[0];
  if (year.size() != 4 || day.size() > 2 || parts[1].size() > 2) return std::nullopt;
  const int a = std::stoi(std::string(parts[1])), b = std::stoi(std::string(day));
  if (a < 1 || b < 1 || a > 31 || b > 31 || (a > 12 && b > 12)) return std::nullopt;
  const int found = std::stoi(std::string(year));
  return found >= 1000 && found <= 2999 ? std::optional(found) : std::nullopt;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return false;
  bool point = false, digit = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      digit = true;
    } else if (text[i] == '.' && !point) {
      point = true;
    } else if (fold(text[i]) == 'e' && digit && i + 1 < text.size()) {
      std::string_view exponent = text.substr(i + 1);
      if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
      return all_digits(exponent);
    } else {
      return false;
    }
  }
  return digit;
}

ValueKind kind_of(std::string_view text) {
  if (holds_email(text)) return ValueKind::Email;
  if (is_iban(text)) return ValueKind::Iban;
  if (is_national_id(text)) return ValueKind::NationalId;
  if (is_card_number(text)) return ValueKind::Card;
  if (is_ip_address(text)) return ValueKind::IpAddress;
  if (is_phone_number(text)) return ValueKind::Phone;
  if (is_street_address(text)) return ValueKind::StreetAddress;
  if (is_person_name(text)) return ValueKind::PersonName;
  return ValueKind::Plain;
}

}  // namespace pccsql
