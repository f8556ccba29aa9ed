// Shrink: a failing text made as short as it will go, so that a person sees the cause and not the walk.
#pragma once

#include <functional>
#include <string>

#include "track/attack/ground.h"

namespace pccsql::attack {

// What was said, without what is quoted and counted: failures of one kind say the same.
std::string gist(const std::string& what);

struct Shrunk {
  std::string text;
  std::string what;
};

// Leaves out lexemes, one blank between those that stay, as long as the tracker still admits the text and the oracle still
// says something of the same kind.
Shrunk shrink(Ground& ground, const MakeTracker& make, const std::string& text, const std::string& what);

}  // namespace pccsql::attack
