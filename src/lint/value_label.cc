#include "lint/value_label.h"

#include <array>
#include <chrono>
#include <utility>

namespace pccsql {
namespace {

// The least share of a column's values that must bear a mark, in percent, and how many at least. Where the mark is hard
// to come by (an `@` and a domain; check digits by 97) a single value says it.
struct Mark {
  ValueKind kind;
  size_t percent;
};
constexpr std::array kMarks{Mark{ValueKind::Email, 0},          Mark{ValueKind::Iban, 0},
                            Mark{ValueKind::Card, 20},          Mark{ValueKind::NationalId, 40},
                            Mark{ValueKind::Phone, 30},         Mark{ValueKind::IpAddress, 30},
                            Mark{ValueKind::StreetAddress, 30}};

bool is_share(size_t part, size_t whole, size_t percent) { return part > 0 && part * 100 >= whole * percent; }

int this_year() {
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return static_cast<int>(std::chrono::year_month_day(today).year());
}

// Days of birth: dates that are spread over a generation, none so young that a child would have been entered, hardly two
// the same.
bool look_like_birth_dates(const ColumnLook& look) {
  constexpr int kSpread = 15, kYoungest = 14, kOldest = 120;
  return look.dates >= 3 && look.dates * 10 >= look.values * 9 && look.last_year - look.first_year >= kSpread &&
         look.last_year <= this_year() - kYoungest && look.first_year >= this_year() - kOldest &&
         look.distinct * 10 >= look.values * 8;
}

ColumnLabel closed(std::string reason) { return {ColumnPolicy::Hidden, std::move(reason), Ground::Closed}; }

}  // namespace

std::optional<ColumnLabel> label_by_values(const ColumnLabel& label, const ColumnLook& look,
                                           const ValueContext& context) {
  if (label.label == ColumnPolicy::Hidden || look.values == 0) return std::nullopt;
  size_t marked = 0;
  for (const Mark& mark : kMarks) {
    const size_t count = look.of(mark.kind);
    if (label.ground != Ground::Measure) marked += count;
    // Numbers that are added up may by chance have right check digits.
    const size_t percent = label.ground == Ground::Measure ? 80 : mark.percent;
    if (is_share(count, look.values, percent)) {
      return closed("values look like " + std::string(plural(mark.kind)));
    }
  }
  if (is_share(marked, look.values, 40)) return closed("values look like ways to reach, or to know, somebody");
  if (label.ground == Ground::Measure || label.ground == Ground::Key) return std::nullopt;

  if (label.ground == Ground::PersonName) return std::nullopt;
  if (is_share(look.of(ValueKind::PersonName), look.values, 40) && !context.people_public) {
    return closed("values look like names of people");
  }
  if (label.ground == Ground::Time) {
    if (context.about_somebody && look_like_birth_dates(look)) return closed("values look like dates of birth");
    return std::nullopt;
  }
  const size_t percent = label.ground == Ground::Description && !context.about_somebody ? 101 : 30;
  if (is_share(look.long_texts, look.values, percent)) return closed("values are free text");
  // What names a kind comes again and again.
  if (label.ground == Ground::Category && context.about_somebody && look.values >= 20 &&
      look.distinct * 10 >= look.values * 9) {
    return closed("values are nearly all different, which a kind's are not");
  }
  return std::nullopt;
}

}  // namespace pccsql
