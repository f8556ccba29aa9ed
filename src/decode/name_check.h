// NameCheck: whether a name that has just been written may stand where it stands, by what is known of the text so far.
//
// With roles: the tracker without its look-ahead. A column before FROM is held against every table that has it; what an
// alias stands for is known once FROM has said so. Where the text itself, not the name, is more than the tracker
// follows, names are let through until the text goes back before that place: the checker judges at the end. By names
// only: the catalogue has a table or a column of that name, and the qualifier's table has the column where the
// qualifier is a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pccsql/matcher.h>

#include "decode/syntax_follower.h"
#include "schema/catalog.h"

namespace pccsql {

class NameCheck {
 public:
  // Without a matcher: by names only. PRE: `catalog` outlives it.
  NameCheck(const Catalog& catalog, std::optional<Matcher> matcher) : catalog_(catalog), matcher_(std::move(matcher)) {}

  // PRE: name.span lies in `text`.
  bool passes(std::string_view text, const NameEnd& name);
  // The text is shorter now.
  void go_back(size_t length);

 private:
  bool exists(std::string_view name, bool table) const;
  bool feed(std::string_view bytes);

  const Catalog& catalog_;
  std::optional<Matcher> matcher_;
  std::vector<size_t> fed_;     // length of the text after each of the matcher's steps
  std::optional<size_t> lost_;  // from here on the matcher does not follow
};

}  // namespace pccsql
