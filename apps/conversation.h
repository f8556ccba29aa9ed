// A conversation at the prompt: questions, and commands that begin with a dot.
#pragma once

#include "apps/asker.h"

namespace pccsql {

// Until the input ends; the exit status of the last answer.
int converse(Asker& asker);

}  // namespace pccsql
