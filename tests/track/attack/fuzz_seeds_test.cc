// The seeds of the fuzzer over the tracker, on every ground that a first byte can name: none may draw a complaint. So the
// fuzzer's question is compiled and asked wherever the tests are, and not only where libFuzzer is.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "fuzz/track_target.h"
#include "track/attack/ground.h"

namespace pccsql::attack {
namespace {

TEST(FuzzTrack, SeedsDrawNoComplaint) {
  std::vector<std::filesystem::path> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(PCCSQL_ROOT "/fuzz/corpus/track")) {
    seeds.push_back(entry.path());
  }
  std::ranges::sort(seeds);
  ASSERT_GE(seeds.size(), 8u);
  const size_t grounds = standing_grounds().size();
  ASSERT_LE(grounds, 256u);
  for (const auto& path : seeds) {
    const auto input = read_file(path.string());
    ASSERT_TRUE(input) << input.error().to_string();
    ASSERT_FALSE(input->empty()) << path;
    for (size_t ground = 0; ground < grounds; ++ground) {
      std::string chosen = *input;
      chosen[0] = static_cast<char>(ground);
      EXPECT_EQ(track_fuzz_complaint(chosen), "") << path << " on ground " << ground;
    }
  }
}

}  // namespace
}  // namespace pccsql::attack
