// Renamed: a FROM whose tables have other names, where its columns were named before it by one that no table has.
//
// `SELECT T2.name FROM singer AS T1`: where no table comes that T2 could be, it is the singer that was meant. Where the model goes on to
// call another table T2, which has no such column, the two change their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

struct Renaming {
  uint32_t from = 0;       // where the text becomes another one
  std::string text;        // from there on
  bool has_piece = false;  // what was wanted next is in it already
};

// How the text could be put right, and `piece` come next, which is what is wanted there; empty where that is no text.
std::vector<Renaming> renamings(std::string_view text, std::string_view piece);

}  // namespace pccsql
