// Hard cases: text files of schemas, policies and beginnings of queries, with what the tracker must make of each.
//
//   # what the file is about
//   schema:
//     CREATE TABLE … (indented by two)
//   policy:
//     version: 1 … (indented by two)
//   settings: aliases=any derived_names        (what differs from the default; from here on)
//   ---
//   # the rule that the cases below are about
//   admit: SELECT name FROM person             every byte is taken, and the text may end there
//   prefix: SELECT na                          every byte is taken
//   end: SELECT name FROM person               as admit, without asking the database
//   noend: SELECT name                         every byte is taken, and the text may not end there
//   stop: SELECT ss<!>n                        the bytes before the mark are taken, the byte after it is not
//   stop: SELECT name FROM <?>sealed WHERE     … a byte of the lexeme after the mark is not, or the one that ends it
//   refuse: SELECT {93*(}1{93*)}               some byte is not taken
//   may: SELECT na -> name, nationality        the names of tables and columns that can stand where the text breaks off
//
// `stop(decoder)` and `refuse(decoder)`: a bound of what is generated; the checker calls the whole text safe. `{3*ab@}`
// is `ab1ab2ab3`, `\xC3` a byte. A new `schema:` or `settings:` begins a new block; a block without a schema keeps the
// one before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "track/tracker.h"

namespace pccsql::hard {

struct Case {
  enum Kind { Admit, Prefix, End, NoEnd, Stop, Refuse, May } kind = Admit;
  bool decoder = false;
  size_t line = 0;
  std::string rule;    // the comment above
  std::string before;  // the text, or what stands before the mark
  std::string after;   // after the mark
  bool at_once = false;
  std::vector<std::string> names;  // of `may`, sorted
};

struct Block {
  std::string schema;
  std::string policy;
  track::TrackSettings settings;
  std::vector<Case> cases;
};

struct File {
  std::string path;
  std::vector<Block> blocks;
};

Result<File> read(const std::string& path);

}  // namespace pccsql::hard
