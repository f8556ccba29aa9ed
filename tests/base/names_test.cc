// Names against a plain map that does the same slowly.
#include "base/names.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/text.h"

namespace pccsql {
namespace {

TEST(Names, OneIdForOneNameInAnyAsciiCase) {
  Names names;
  const NameId id = names.intern("Salary");
  EXPECT_NE(id, kNoName);
  EXPECT_EQ(names.intern("SALARY"), id);
  EXPECT_EQ(names.find("salary"), id);
  EXPECT_EQ(names.text(id), "salary");
  EXPECT_NE(names.intern("salar"), id);
  EXPECT_NE(names.intern("\xC3\x84"), names.intern("\xC3\xA4"));  // Ä and ä
}

TEST(Names, UnknownAndEmptyNames) {
  Names names;
  EXPECT_EQ(names.find("x"), kNoName);
  EXPECT_EQ(names.find(""), kNoName);
  const NameId empty = names.intern("");
  EXPECT_NE(empty, kNoName);
  EXPECT_EQ(names.find(""), empty);
}

TEST(Names, TruncateForgetsTheNewestAndKeepsTheRest) {
  Names names;
  const NameId a = names.intern("a");
  const size_t size = names.size();
  names.intern("b");
  names.intern("c");
  names.truncate(size);
  EXPECT_EQ(names.find("a"), a);
  EXPECT_EQ(names.find("b"), kNoName);
  EXPECT_EQ(names.find("c"), kNoName);
  EXPECT_EQ(names.size(), size);
}

TEST(Names, RandomWorkAgreesWithAMap) {
  std::mt19937 random(7);
  Names names;
  std::vector<std::string> known;  // folded, by id - 1
  std::map<std::string, NameId> ids;
  for (int step = 0; step < 20000; ++step) {
    std::string name = "n" + std::to_string(random() % 700);
    if (random() % 2) name[0] = 'N';
    const auto what = random() % 100;
    if (what < 40) {
      const NameId id = names.intern(name);
      const auto [entry, fresh] = ids.emplace(folded(name), id);
      ASSERT_EQ(entry->second, id);
      if (fresh) known.push_back(folded(name));
    } else if (what < 98) {
      const auto entry = ids.find(folded(name));
      ASSERT_EQ(names.find(name), entry == ids.end() ? kNoName : entry->second);
    } else {
      const size_t keep = known.empty() ? 0 : random() % (known.size() + 1);
      while (known.size() > keep) {
        ids.erase(known.back());
        known.pop_back();
      }
      names.truncate(keep + 1);
    }
    ASSERT_EQ(names.size(), known.size() + 1);
  }
}

}  // namespace
}  // namespace pccsql
