// Which addresses only this machine can reach: where nobody has a key, everything hangs on that.
#include "serve/config.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

TEST(Config, OnlyWhatIsWrittenOutIsThisMachine) {
  for (const char* host : {"127.0.0.1", "127.255.0.9", "localhost", "LocalHost", "::1"}) EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"127.evil.example", "127.0.0.1.evil.example", "127.0.0.1.", "127.0.0", "127.1", "127.0.0.256", "127.0.0.1.1", "127.0.0.-1", "127..0.1", "127.0.0.1x",
                           "128.0.0.1", "localhost.evil.example", "", ".", "127", "0.0.0.0", "::", "::2"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

}  // namespace
}  // namespace pccsql
