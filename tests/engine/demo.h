// Engines over the demo's schema and policy.
#pragma once

#include <gtest/gtest.h>

#include <pccsql/engine.h>

#include "base/file.h"

namespace pccsql {

inline Engine demo_engine(const VocabularyIndex& vocabulary, const Settings& settings) {
  const auto schema = read_file(PCCSQL_ROOT "/examples/hr/schema.sql");
  EXPECT_TRUE(schema);
  auto engine =
      Engine::compile(DdlText{*schema}, PolicyFile{PCCSQL_ROOT "/examples/hr/policy.yaml"}, vocabulary, settings);
  EXPECT_TRUE(engine) << engine.error().to_string();
  return *engine;
}

}  // namespace pccsql
