// What may be asked instead of a question that was refused: a few questions near it, each with a query that the checker
// calls safe.
#pragma once

#include <string>
#include <vector>

#include "decode/answer.h"
#include "decode/subject.h"

namespace pccsql {

struct Instead {
  std::string question;
  std::string sql;  // what answers it; for whoever wants to know that it can be written
};

// About the tables of what was withheld: averages of what may be averaged, what may be listed, how many there are.
std::vector<Instead> questions_instead(Subject& subject, const std::vector<WithheldUse>& withheld);

}  // namespace pccsql
