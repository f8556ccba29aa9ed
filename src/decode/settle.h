// Settle: what becomes of an answer for which something was taken away that the model wanted. It stands, whole or in part; it is
// replaced by what remains of the model's draft; or it is withheld, because without what was taken away the rows would answer
// another question.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/answer.h"
#include "decode/subject.h"

namespace pccsql {

// What is known of the model's wish.
struct Wish {
  std::string question;
  bool by_policy = false;  // the policy took a name away, as it seems; otherwise something merely did not fit
  // What the model would have written without a mask, the draft that is to be believed first before the others.
  struct Draft {
    std::string text;
    size_t wanted = 0;  // where what was taken away begins in it
  };
  std::vector<Draft> drafts;
  // Rows are counted where a key was to be, and an outer join brings rows without one.
  bool counts_filled_rows = false;
};

// PRE: `answer` is SafeSql, and something was taken away. `admits`: whether the mask would let a text be written.
void settle(Subject& subject, const Wish& wish, const std::function<bool(std::string_view sql)>& admits, Answer& answer);

// Where nothing was taken away, or what was is not missing: withholds an answer that has nothing to do with a closed column that the
// question names. PRE: `answer` is SafeSql.
void withhold_if_mentioned(Subject& subject, const std::string& question, const std::function<bool(std::string_view sql)>& admits,
                           Answer& answer);

}  // namespace pccsql
