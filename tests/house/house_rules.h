// The rules of the house, as functions over files in memory, so that a broken house can be shown to be caught.
//
// Modules stand in ranks; a file includes only its own module and modules of lower ranks. Two modules of one rank never
// see each other: that is what keeps the checker, the outside judge, independent of the tracker.
#pragma once

#include <string>
#include <vector>

namespace house {

struct SourceFile {
  std::string path;  // from the root of the repository, with forward slashes
  std::string text;
};
using Problems = std::vector<std::string>;  // "path:line: what is wrong"

// Every quoted include in src/ and apps/ names a known module of lower rank (or its own) and a file that exists.
Problems include_problems(const std::vector<SourceFile>& files);

// A source opens with its idea as a comment; a .cc may open with its own header instead, which then has the comment.
Problems opening_problems(const std::vector<SourceFile>& files);

// Libraries that take seconds to read are named by .cc files, and by the few headers that `allowed` lists.
Problems heavy_header_problems(const std::vector<SourceFile>& files, const std::vector<std::string>& allowed);

// In a unity build the files of a folder see each other's private names: no two .cc files there declare the same one at the
// top of an unnamed namespace; functions with the same first line are the same.
Problems private_name_problems(const std::vector<SourceFile>& files);

// No two files define a type of one name in one namespace: the linker keeps one of their destructors for both, and says nothing.
Problems shared_type_problems(const std::vector<SourceFile>& files);

Problems length_problems(const std::vector<SourceFile>& files, int most_lines);

// What dialects have otherwise is in schema/rules; which one it is asks the module alone that chooses judges.
Problems dialect_problems(const std::vector<SourceFile>& files);

// Paths of somebody's machine, and marks of work left undone.
Problems word_problems(const std::vector<SourceFile>& files);

// All text files below `root`, without what git ignores.
std::vector<SourceFile> read_tree(const std::string& root);

// Those below one of the folders (given as "src/") that end in .h or .cc.
std::vector<SourceFile> sources_in(const std::vector<SourceFile>& files, const std::vector<std::string>& folders);

}  // namespace house
