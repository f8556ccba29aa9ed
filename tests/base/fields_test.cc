// The fields of a struct come in order, each once, whatever their types; one that is added comes too.
#include "base/fields.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace pccsql {
namespace {

struct Inner {
  uint8_t a = 1;
  bool b = true;
};
struct Counted {
  constexpr Counted(uint32_t number = 0) : value(number) {}
  constexpr operator uint32_t() const { return value; }
  uint32_t value;
};
struct Three {
  Counted count = 7;
  Inner inner;
  enum Kind : uint8_t { None, Some } kind = Some;
};
struct Sixteen {
  int a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, i = 8, j = 9, k = 10, l = 11, m = 12, n = 13, o = 14, p = 15;
};

struct Teller {
  std::string told;
  void operator()(Counted count) { told += "counted " + std::to_string(count.value) + ";"; }
  void operator()(int number) { told += std::to_string(number) + ";"; }
  void operator()(bool value) { told += value ? "true;" : "false;"; }
  void operator()(uint8_t number) { told += "byte " + std::to_string(number) + ";"; }
  void operator()(Three::Kind kind) { told += kind == Three::Some ? "some;" : "none;"; }
  void operator()(const Inner& inner) {
    told += "(";
    for_each_field(inner, *this);
    told += ")";
  }
};

TEST(Fields, ComeInOrderEachByItsType) {
  Teller teller;
  for_each_field(Three(), teller);
  EXPECT_EQ(teller.told, "counted 7;(byte 1;true;)some;");
}

TEST(Fields, AreAsManyAsThereAre) {
  Teller teller;
  for_each_field(Sixteen(), teller);
  EXPECT_EQ(teller.told, "0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;");
}

}  // namespace
}  // namespace pccsql
