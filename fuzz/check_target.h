// What must hold of the checker's answer to any input at all: the fuzzer's question, also asked of its seeds in the tests.
//
// The first byte of an input picks the settings, the rest is the SQL text. The outside witness is SQLite itself, on the
// demo's schema: what is called safe or unsafe must prepare, and what is called safe under the demo's policy and profile
// strict must not read a Hidden column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "exec/database.h"

namespace pccsql {

struct FuzzInput {
  CheckSettings settings;
  bool demo_policy = false;  // else every column is Public
  std::string_view sql;      // points into the input
};

// Three bits of the first byte: 1 profile paper, 2 the paper's fragment, 4 the demo's policy. So "0" is the plain case.
FuzzInput read_fuzz_input(std::string_view input);

// "" when the answer holds, else what is wrong with it. `prepared` is SQLite's word on the same text.
std::string complaint_about(const FuzzInput& input, const Judgement& judgement, const Prepared& prepared,
                            const Catalog& catalog, const Policy& policy);

struct FuzzAnswer {
  Verdict verdict = Verdict::Error;
  std::string complaint;
};

// Checks one input on the demo's schema, which is read on the first call.
FuzzAnswer check_fuzz_input(std::string_view input);

}  // namespace pccsql
