#include "decode/lost_way.h"

#include <algorithm>

#include "base/text.h"

namespace pccsql {
namespace {

using Words = std::span<const Lexeme>;

bool is_comparison(Terminal terminal) {
  switch (terminal) {
    case Terminal::Equal:
    case Terminal::NotEqual:
    case Terminal::Less:
    case Terminal::LessEqual:
    case Terminal::Greater:
    case Terminal::GreaterEqual:
      return true;
    default:
      return false;
  }
}

bool is_arithmetic(Terminal terminal) {
  switch (terminal) {
    case Terminal::Plus:
    case Terminal::Minus:
    case Terminal::Star:
    case Terminal::Slash:
    case Terminal::Percent:
      return true;
    default:
      return false;
  }
}

// What opens a chain of conditions, or a list, outside all parentheses that it holds.
bool opens(Terminal terminal) {
  switch (terminal) {
    case Terminal::kw_SELECT:
    case Terminal::kw_DISTINCT:
    case Terminal::kw_FROM:
    case Terminal::kw_ON:
    case Terminal::kw_WHERE:
    case Terminal::kw_HAVING:
    case Terminal::kw_BY:
    case Terminal::kw_WHEN:
    case Terminal::kw_THEN:
    case Terminal::kw_ELSE:
    case Terminal::kw_LIMIT:
      return true;
    default:
      return false;
  }
}

// What an element of a chain or list cannot hold, so that one has ended before it.
bool ends_element(Terminal terminal) {
  switch (terminal) {
    case Terminal::End:
    case Terminal::Semicolon:
    case Terminal::Comma:
    case Terminal::RightParen:
    case Terminal::kw_AND:
    case Terminal::kw_OR:
    case Terminal::kw_FROM:
    case Terminal::kw_WHERE:
    case Terminal::kw_GROUP:
    case Terminal::kw_HAVING:
    case Terminal::kw_ORDER:
    case Terminal::kw_LIMIT:
    case Terminal::kw_UNION:
    case Terminal::kw_INTERSECT:
    case Terminal::kw_EXCEPT:
    case Terminal::kw_JOIN:
    case Terminal::kw_LEFT:
    case Terminal::kw_RIGHT:
    case Terminal::kw_FULL:
    case Terminal::kw_INNER:
    case Terminal::kw_CROSS:
    case Terminal::kw_NATURAL:
    case Terminal::kw_THEN:
    case Terminal::kw_WHEN:
    case Terminal::kw_ELSE:
    case Terminal::kw_END:
      return true;
    default:
      return false;
  }
}

class Reader {
 public:
  Reader(std::string_view sql, Words words) : sql_(sql), words_(words) {}

  LostWay read() {
    using Kind = LostWay::Kind;
    if (words_.empty()) return {};
    if (const size_t begin = double_cast(); begin != kNone) return {Kind::Cast, from(begin)};
    if (ends_element(words_.back().terminal)) {
      if (const size_t begin = repeated_element(); begin != kNone) return {Kind::Element, from(begin)};
    }
    if (const size_t operand = same_operands(); operand != kNone) return {Kind::Operand, other_than(operand)};
    if (const size_t begin = third_piece(); begin != kNone) return {Kind::Piece, from(begin)};
    if (const size_t begin = third_table(); begin != kNone) return {Kind::Table, from(begin)};
    return {};
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  Terminal at(size_t i) const { return words_[i].terminal; }
  bool same(size_t a, size_t b) const {
    const std::string_view one = words_[a].span.of(sql_);
    const std::string_view other = words_[b].span.of(sql_);
    if (at(a) != at(b)) return false;
    return at(a) == Terminal::String ? one == other : equal_folded(one, other);
  }
  bool same(size_t a, size_t b, size_t count) const {
    for (size_t i = 0; i < count; ++i) {
      if (!same(a + i, b + i)) return false;
    }
    return true;
  }

  // There, or at any later word.
  std::vector<uint32_t> from(size_t begin) const {
    std::vector<uint32_t> places;
    for (size_t i = begin; i < words_.size() && at(i) != Terminal::End; ++i) places.push_back(words_[i].span.begin);
    return places;
  }

  // An operand like the one before it: of a qualified name its qualifier, else the name, should be another.
  std::vector<uint32_t> other_than(size_t operand) const {
    std::vector<uint32_t> places;
    for (size_t i = operand; i < words_.size() && at(i) != Terminal::End; ++i) {
      if (at(i) != Terminal::Dot) places.push_back(words_[i].span.end - 1);
    }
    if (operand > 0) places.push_back(words_[operand - 1].span.begin);
    return places;
  }

  size_t double_cast() const {
    const size_t n = words_.size();
    if (n < 4 || at(n - 1) != Terminal::LeftParen || at(n - 3) != Terminal::LeftParen) return kNone;
    return at(n - 2) == Terminal::kw_CAST && at(n - 4) == Terminal::kw_CAST ? n - 2 : kNone;
  }

  // Where the chain or list begins that the last word ends an element of: after its opening word.
  size_t opening() const {
    int depth = 0;
    for (size_t i = words_.size() - 1; i-- > 0;) {
      const Terminal terminal = at(i);
      if (terminal == Terminal::RightParen || terminal == Terminal::kw_END) {
        ++depth;
      } else if (terminal == Terminal::LeftParen || terminal == Terminal::kw_CASE) {
        if (depth-- == 0) return i + 1;
      } else if (depth == 0 && opens(terminal)) {
        return i + 1;
      }
    }
    return 0;
  }

  // The word that joins on an element that its chain of AND and OR, or its list, has had.
  size_t repeated_element() const {
    const size_t begin = opening();
    const size_t end = words_.size() - 1;
    if (begin == 0 || begin >= end) return kNone;
    const Terminal opener = at(begin - 1);
    const bool in_list = opener == Terminal::LeftParen && begin >= 2 && at(begin - 2) == Terminal::kw_IN;
    const bool list = in_list || opener == Terminal::kw_SELECT || opener == Terminal::kw_DISTINCT || opener == Terminal::kw_BY;
    struct Element {
      size_t begin;
      size_t end;
    };
    std::vector<Element> elements{{begin, begin}};
    int depth = 0;
    bool between = false;
    for (size_t i = begin; i < end; ++i) {
      const Terminal terminal = at(i);
      if (terminal == Terminal::LeftParen || terminal == Terminal::kw_CASE) ++depth;
      if (terminal == Terminal::RightParen || terminal == Terminal::kw_END) --depth;
      if (depth != 0) continue;
      if (terminal == Terminal::kw_BETWEEN) between = true;
      const bool joins_on = terminal == Terminal::kw_AND || terminal == Terminal::kw_OR;
      if (joins_on && between) {
        between = false;
      } else if (joins_on || terminal == Terminal::Comma) {
        // Of a list that repeats what it likes (arguments, tables) nothing is compared.
        if (terminal == Terminal::Comma && !list) elements.clear();
        if (!elements.empty() && elements.back().end == elements.back().begin) elements.back().end = i;
        elements.push_back({i + 1, i + 1});
      }
    }
    elements.back().end = end;
    // AND that ends the first bound of BETWEEN has ended nothing.
    if (between) return kNone;
    const Element last = elements.back();
    const size_t length = last.end - last.begin;
    if (length == 0) return kNone;
    for (size_t e = 0; e + 1 < elements.size(); ++e) {
      if (elements[e].end - elements[e].begin == length && same(elements[e].begin, last.begin, length)) return last.begin - 1;
    }
    return kNone;
  }

  // The right side of a comparison or of arithmetic, if it is a name like the left one; or, at the end of a condition, any
  // expression like the left side of its comparison.
  size_t same_operands() const {
    const size_t end = words_.size() - 1;
    const Terminal next = at(end);
    if (next == Terminal::Dot || next == Terminal::LeftParen) return kNone;
    // A name, with its qualifier if it has one.
    const auto name_before = [this](size_t stop) {
      if (stop == 0 || at(stop - 1) != Terminal::Name) return kNone;
      return stop >= 3 && at(stop - 2) == Terminal::Dot && at(stop - 3) == Terminal::Name ? stop - 3 : stop - 1;
    };
    const size_t right = name_before(end);
    if (right != kNone && right >= 2 && (is_arithmetic(at(right - 1)) || is_comparison(at(right - 1)))) {
      const size_t left = name_before(right - 1);
      const bool bound_tighter = is_arithmetic(next) || next == Terminal::Concat || next == Terminal::kw_COLLATE;
      const bool alone = left != kNone && (left == 0 || (!is_arithmetic(at(left - 1)) && at(left - 1) != Terminal::Concat));
      if (alone && !bound_tighter && end - right == right - 1 - left && same(left, right, end - right)) return right;
    }
    if (!ends_element(next)) return kNone;
    const size_t begin = opening();
    int depth = 0;
    for (size_t i = end; i-- > begin;) {
      if (at(i) == Terminal::RightParen) ++depth;
      if (at(i) == Terminal::LeftParen) --depth;
      if (depth != 0) continue;
      if (at(i) == Terminal::kw_AND || at(i) == Terminal::kw_OR || at(i) == Terminal::Comma) return kNone;
      if (!is_comparison(at(i))) continue;
      const size_t length = end - i - 1;
      if (length == 0 || i < begin + length || !same(i - length, i + 1, length)) return kNone;
      // A number compared with itself says nothing either, but 1 = 1 is written by people.
      const bool whole = i == begin + length || ends_element(at(i - length - 1));
      return whole && length > 1 ? i + 1 : kNone;
    }
    return kNone;
  }

  // The beginning of a piece of six words that is written for the third time.
  size_t third_piece() const {
    constexpr size_t kPiece = 6;
    constexpr int kOften = 3;
    if (words_.size() < kPiece + kOften - 1) return kNone;
    const size_t last = words_.size() - kPiece;
    int found = 0;
    for (size_t i = 0; i <= last; ++i) {
      size_t alike = 0;
      while (alike < kPiece && equal_folded(words_[i + alike].span.of(sql_), words_[last + alike].span.of(sql_))) ++alike;
      if (alike == kPiece && ++found == kOften) return last;
    }
    return kNone;
  }

  // The word that joins on a table which its FROM has twice.
  size_t third_table() const {
    const size_t last = words_.size() - 1;
    const auto begins_table = [this](size_t i) {
      return i > 0 && at(i) == Terminal::Name && (at(i - 1) == Terminal::kw_FROM || at(i - 1) == Terminal::kw_JOIN || at(i - 1) == Terminal::Comma);
    };
    if (!begins_table(last) || at(last - 1) == Terminal::kw_FROM) return kNone;
    int depth = 0;
    int found = 0;
    for (size_t i = last; i-- > 0;) {
      if (at(i) == Terminal::RightParen) ++depth;
      if (at(i) == Terminal::LeftParen && depth-- == 0) return kNone;
      if (depth != 0) continue;
      if (begins_table(i) && same(i, last)) ++found;
      if (at(i) == Terminal::kw_FROM) break;
      if (at(i) == Terminal::kw_SELECT || at(i) == Terminal::kw_WHERE || at(i) == Terminal::kw_BY || at(i) == Terminal::kw_HAVING) return kNone;
    }
    if (found < 2) return kNone;
    size_t begin = last - 1;
    while (begin > 0 && (at(begin - 1) == Terminal::kw_INNER || at(begin - 1) == Terminal::kw_LEFT || at(begin - 1) == Terminal::kw_CROSS ||
                         at(begin - 1) == Terminal::kw_OUTER || at(begin - 1) == Terminal::kw_NATURAL)) {
      --begin;
    }
    return begin;
  }

  std::string_view sql_;
  Words words_;
};

}  // namespace

LostWay lost_way(std::string_view sql, std::span<const Lexeme> lexemes) {
  return Reader(sql, lexemes).read();
}

}  // namespace pccsql
