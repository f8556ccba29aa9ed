// What a single value looks like: the marks by which personal data are known where the name of their column is silent.
//
// Each mark errs on the side of no: numbers that carry check digits must have them right. The values themselves go
// nowhere; whoever looks counts how many of a column's values bear which mark.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pccsql {

enum class ValueKind : uint8_t {
  Plain,       // nothing to be seen
  Email,       // holds an e-mail address
  Phone,
  Iban,
  Card,        // a payment card's number
  NationalId,
  IpAddress,
  StreetAddress,
  PersonName,  // several words, the first of which is a given name
};
inline constexpr size_t kValueKinds = 9;

// "e-mail addresses"
std::string_view plural(ValueKind kind);

ValueKind kind_of(std::string_view text);

bool holds_email(std::string_view text);   // anywhere in it
bool is_phone_number(std::string_view text);
bool is_iban(std::string_view text);       // country, its length, check digits
bool is_card_number(std::string_view text);  // issuer, length, Luhn's check digit
// Those of the United States (SSN), the United Kingdom (NINO, NHS), Germany (tax number), France (NIR), Spain (DNI, NIE)
// and Switzerland (AHV), in the way they are written, with check digits where they have some.
bool is_national_id(std::string_view text);
bool is_ip_address(std::string_view text);
bool is_street_address(std::string_view text);
bool is_person_name(std::string_view text);

// The year of a date as databases write them: `1987-05-12`, `12.05.1987`, `5/12/1987`, with or without a time.
std::optional<int> year_of_date(std::string_view text);

bool is_number(std::string_view text);  // sign, digits, a point, an exponent

// The text of given_names.txt.
std::string_view given_names_text();

}  // namespace pccsql
