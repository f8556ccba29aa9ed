// The demo's database as a subject, and models that are scripted.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"
#include "check/check.h"
#include "decode/decoder.h"
#include "mask/builtin_vocabulary.h"
#include "model/scripted.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {

struct Hr {
  Catalog catalog = read_catalog();
  Policy policy = read_policy(catalog);
  Subject subject{catalog, policy};

  static Catalog read_catalog() {
    auto catalog = read_ddl_catalog(*read_file(PCCSQL_ROOT "/examples/hr/schema.sql"));
    if (!catalog) throw std::runtime_error(catalog.error().to_string());
    return std::move(*catalog);
  }
  static Policy read_policy(const Catalog& catalog) {
    auto policy = parse_policy_yaml(*read_file(PCCSQL_ROOT "/examples/hr/policy.yaml"), catalog);
    if (!policy) throw std::runtime_error(policy.error().to_string());
    return *policy;
  }
};

inline constexpr ScriptedOptions kRoomy{.context_size = 8192};

// Every byte, and these words.
inline Vocabulary bytes_and(const std::vector<std::string>& words) {
  std::vector<Piece> pieces;
  for (int byte = 0; byte < 256; ++byte) pieces.push_back({std::string(1, static_cast<char>(byte)), TokenKind::Byte});
  for (const std::string& word : words) pieces.push_back({word, TokenKind::Normal});
  pieces.push_back({"<end>", TokenKind::Special});
  const auto end = static_cast<TokenId>(pieces.size() - 1);
  auto made = Vocabulary::make(pieces, std::span(&end, 1));
  if (!made) throw std::runtime_error(made.error().to_string());
  return *std::move(made);
}

inline const Question kQuestion{"What is asked?", std::nullopt};

// Whether check, asked anew, calls it safe.
inline bool is_safe(const Hr& hr, const std::string& sql) {
  return SqliteChecker(hr.catalog).check(sql, hr.policy).verdict == Verdict::Safe;
}

// What holds for each answer of each method, whatever happened.
inline void expect_sound(const Hr& hr, const Answer& answer) {
  using Outcome = Answer::Outcome;
  if (answer.outcome == Outcome::SafeSql) {
    ASSERT_TRUE(answer.sql);
    EXPECT_TRUE(is_safe(hr, *answer.sql)) << *answer.sql;
    EXPECT_EQ(answer.reason, "");
    EXPECT_TRUE(answer.violations.empty());
  } else {
    EXPECT_NE(answer.reason, "");
  }
  EXPECT_TRUE(answer.outcome != Outcome::UnsafeSql || !answer.violations.empty());
  EXPECT_TRUE(answer.outcome != Outcome::Refuse || !answer.sql);
  EXPECT_TRUE(answer.outcome == Outcome::SafeSql || !answer.run) << "nothing is run, so nothing is said of how";
}

}  // namespace pccsql
