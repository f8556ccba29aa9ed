// Files that belong to the running program: beside it, where an installation or a build has put them.
#pragma once

#include <initializer_list>
#include <string>

namespace pccsql {

// The first of the places, each relative to the folder of the running program, at which there is a file. Where there is
// none, the first of them, so that a message can name it.
std::string own_file(std::initializer_list<const char*> places);

}  // namespace pccsql
