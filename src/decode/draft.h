// Draft: what a question was for, where the mask took a name away.
//
// The model's own continuation from there on says what the name would have been used for. An output may be left out of the
// answer, if everything else stays as it was asked; a condition, a join, a grouping or an order may not, because without it
// the rows answer another question. A draft is never an answer by itself: what is made of it is judged like any query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/answer.h"
#include "decode/subject.h"

namespace pccsql {

struct DraftReading {
  // The draft resolves, so that its uses are known. Nothing below holds otherwise.
  bool understood = false;
  // As it was written it does not: a column was named by the wrong table.
  bool repaired = false;
  // What the policy does not permit, each use once.
  std::vector<WithheldUse> withheld;
  // All of it only fills outputs of the outermost SELECT.
  bool outputs_only = false;
  // A query that is safe and keeps every other part of the draft; `complete`: it answers the draft's question whole.
  std::optional<std::string> sql;
  bool complete = false;
  // What remains of the draft without the outputs that are withheld: its permitted uses, and its literals in order.
  std::vector<AnswerUse> kept;
  std::vector<ColumnRef> lost;  // columns of the outputs that are withheld
  std::vector<std::string> literals;
};

DraftReading read_draft(Subject& subject, std::string_view draft);

enum class Kept : uint8_t {
  No,
  InPart,  // it is the draft with outputs left out, or with columns that are withheld inside an aggregate
  Whole,   // or, in place of a reference that is withheld, what it refers to and has its name
};
// Whether a safe query has every use and every literal that remains of the draft, and in its conditions no others.
Kept keeps(const Catalog& catalog, const DraftReading& draft, std::string_view sql, const std::vector<AnswerUse>& uses);

}  // namespace pccsql
