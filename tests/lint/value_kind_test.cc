// The marks of single values: what bears them, and what nearly does.
#include "lint/value_kind.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

TEST(ValueKinds, Emails) {
  for (const char* yes : {"ada@example.org", "a.b+c@mail.example.co.uk", "Ada Moore <ada@example.org>", "write to ada@example.org.",
                          "o'neil@example.ie"}) {
    EXPECT_TRUE(holds_email(yes)) << yes;
  }
  for (const char* no : {"ada@example", "@ada", "ada@", "ada at example.org", "a @ b.org", "3 kg @ 2.50", "ada@.org", "ada@exa..mple.org",
                         "ada.@example.org", "user@10.0.0.1", ""}) {
    EXPECT_FALSE(holds_email(no)) << no;
  }
}

TEST(ValueKinds, PhoneNumbers) {
  for (const char* yes : {"+49 221 5551201", "07700 900101", "(212) 555-0100", "212-555-0100", "555-0100 x12", "01 45 55 51 03",
                          "0033 1 45 55 51 03", "612 555 101", "06131/555303", "0041791234567"}) {
    EXPECT_TRUE(is_phone_number(yes)) << yes;
  }
  for (const char* no : {"2020-01-02", "12.05.1987", "1234567", "3.1415926", "-123456789", "978-3-16-148410-0", "10.0.0.1",
                         "12-34", "AB-123-4567", "1 2 3 4 5 6 7 8 9", "12345678901234567", "", "+", "2020-01-02 10:11:12"}) {
    EXPECT_FALSE(is_phone_number(no)) << no;
  }
}

TEST(ValueKinds, Ibans) {
  for (const char* yes : {"DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "FR1420041010050500013M02606",
                          "ES9121000418450200051332", "CH9300762011623852957", "NO9386011117947", "gb82west12345698765432"}) {
    EXPECT_TRUE(is_iban(yes)) << yes;
  }
  for (const char* no : {"DE89370400440532013001", "DE8937040044053201300", "XX89370400440532013000", "DE98370400440532013000", "DE89",
                         "GB29NWBK6016133192681-", "89370400440532013000", ""}) {
    EXPECT_FALSE(is_iban(no)) << no;
  }
}

TEST(ValueKinds, CardNumbers) {
  for (const char* yes : {"4111111111111111", "5500 0055 5555 5559", "378282246310005", "6011-1111-1111-1117", "4012888888881881",
                          "30569309025904", "2223003122003222"}) {
    EXPECT_EQ(is_card_number(yes), std::string_view(yes) != "30569309025904") << yes;  // a prefix that is no longer issued
  }
  for (const char* no : {"4111111111111112", "411111111111111", "1234567812345670", "9780306406157", "0000000000000000", "4111 1111 1111 111x",
                         ""}) {
    EXPECT_FALSE(is_card_number(no)) << no;
  }
}

TEST(ValueKinds, NationalIds) {
  for (const char* yes : {"078-05-1120", "AB123456C", "AB 12 34 56 C", "943 476 5919", "86095742719", "47036892816", "278085925612309",
                          "12345678Z", "X1234567L", "87654321-X", "756.9217.0769.85", "2 55 08 14 168 025 38"}) {
    const bool wrong_by_checksum = std::string_view(yes) == "278085925612309";  // its last two digits do not check
    EXPECT_EQ(is_national_id(yes), !wrong_by_checksum) << yes;
  }
  for (const char* no : {"000-12-3456", "666-12-3456", "900-12-3456", "078-00-1120", "078-05-0000", "078051120", "GB123456C", "DA123456C",
                         "AB123456E", "943 476 5918", "86095742718", "11111111111", "12345678A", "X1234567T", "756.9217.0769.86",
                         "2 55 08 14 168 025 39", "255131416802538", ""}) {
    EXPECT_FALSE(is_national_id(no)) << no;
  }
}

TEST(ValueKinds, AddressesOfMachines) {
  EXPECT_TRUE(is_ip_address("203.0.113.7"));
  for (const char* no : {"203.0.113", "203.0.113.256", "1.2.3.4.5", "a.b.c.d", "1..2.3", ""}) EXPECT_FALSE(is_ip_address(no)) << no;
}

TEST(ValueKinds, StreetAddresses) {
  for (const char* yes : {"12 Mill Lane, Otley LS21 1AA", "1600 Pennsylvania Ave", "14 rue des Lilas, Lyon", "Calle Mayor 4, 2º B",
                          "Lindenstraße 3a", "Ahornweg 12"}) {
    EXPECT_TRUE(is_street_address(yes)) << yes;
  }
  for (const char* no : {"Mill Lane", "Route 66", "12 monkeys", "Abbey Road", "Version 4.2 of the plan", "Norway 12", ""}) {
    EXPECT_FALSE(is_street_address(no)) << no;
  }
}

TEST(ValueKinds, NamesOfPeople) {
  for (const char* yes : {"Ada Moore", "Moore, Ada", "Jean-Pierre Petit", "Chloé Roux", "ALBA RUIZ GIL", "Ludwig van Beethoven"}) {
    EXPECT_TRUE(is_person_name(yes)) << yes;
  }
  for (const char* no : {"Ada", "New York", "May 2020", "Victoria station platform with five words", "Grace & Co", "Frank 2", "mark of the beast", ""}) {
    EXPECT_FALSE(is_person_name(no)) << no;
  }
}

TEST(ValueKinds, Dates) {
  EXPECT_EQ(year_of_date("1987-05-12"), 1987);
  EXPECT_EQ(year_of_date("1987-05-12 10:11:12"), 1987);
  EXPECT_EQ(year_of_date("1987-05-12T10:11:12Z"), 1987);
  EXPECT_EQ(year_of_date("12.05.1987"), 1987);
  EXPECT_EQ(year_of_date("5/31/1987"), 1987);
  for (const char* no : {"1987", "1987-05", "1987-13-32", "12.05.87", "1987-05-12 or so", "1.2.3.1987", "0987-01-01", "--", ""}) {
    EXPECT_FALSE(year_of_date(no)) << no;
  }
}

TEST(ValueKinds, Numbers) {
  for (const char* yes : {"1", "-1.5", "+.5", "1e9", "1.5E-3"}) EXPECT_TRUE(is_number(yes)) << yes;
  for (const char* no : {"", "-", ".", "1e", "1.2.3", "e5", "0x1", "1 "}) EXPECT_FALSE(is_number(no)) << no;
}

TEST(ValueKinds, TheFirstMarkThatFitsIsTheKind) {
  EXPECT_EQ(kind_of("ada@example.org"), ValueKind::Email);
  EXPECT_EQ(kind_of("943 476 5919"), ValueKind::NationalId);
  EXPECT_EQ(kind_of("4111111111111111"), ValueKind::Card);
  EXPECT_EQ(kind_of("203.0.113.7"), ValueKind::IpAddress);
  EXPECT_EQ(kind_of("Otley"), ValueKind::Plain);
}

}  // namespace
}  // namespace pccsql
