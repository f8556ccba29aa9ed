// Names: how they are cut, and what their parts say.
#include "lint/name_meaning.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "lint/name_parts.h"

namespace pccsql {
namespace {

std::string parts_of(std::string_view name) {
  std::string text;
  for (const std::string& part : name_parts(name)) text += (text.empty() ? "" : " ") + part;
  return text;
}

TEST(NameParts, AreCutWhereWordsBegin) {
  EXPECT_EQ(parts_of("home_address"), "home address");
  EXPECT_EQ(parts_of("homeAddress"), "home address");
  EXPECT_EQ(parts_of("HOME ADDRESS"), "home address");
  EXPECT_EQ(parts_of("SSNNumber"), "ssn number");
  EXPECT_EQ(parts_of("LName"), "l name");
  EXPECT_EQ(parts_of("userIDs"), "user ids");
  EXPECT_EQ(parts_of("address2"), "address 2");
  EXPECT_EQ(parts_of("18_49_Rating"), "18 49 rating");
  EXPECT_EQ(parts_of("__"), "");
  EXPECT_EQ(parts_of(""), "");
}

TEST(NameParts, LoseTheirAccents) {
  EXPECT_EQ(parts_of("Straße"), "strasse");
  EXPECT_EQ(parts_of("prénomUsuel"), "prenom usuel");
  EXPECT_EQ(parts_of("GÉNERO"), "genero");
  EXPECT_EQ(parts_of("ŒuvreNuméro"), "oeuvre numero");
  EXPECT_EQ(parts_of("адрес"), "адрес");
}

TEST(NameMeaning, IsFoundInFourLanguagesAndAllSpellings) {
  for (const char* name : {"email", "E_MAIL", "emailAddr", "mailadresse", "courriel", "correo", "handynummer", "téléphone", "movil", "mob_no",
                           "PhoneNumbers"}) {
    EXPECT_TRUE(read_name(name).says(Meaning::Contact)) << name;
  }
  for (const char* name : {"geburtsdatum", "date_naissance", "fecha_nacimiento", "dateOfBirth", "dob", "BirthDate", "age"}) {
    EXPECT_TRUE(read_name(name).says(Meaning::Birth)) << name;
  }
  for (const char* name : {"ssn", "national_insurance_no", "nationalInsuranceNo", "numero_secu", "steuerid", "dni", "passportNo", "NHS_no"}) {
    EXPECT_TRUE(read_name(name).says(Meaning::Identity)) << name;
  }
  for (const char* name : {"iban", "account", "card_fingerprint", "cardLast4", "kontonummer", "numero_tarjeta", "rib"}) {
    EXPECT_TRUE(read_name(name).says(Meaning::Account)) << name;
  }
  for (const char* name : {"salary", "gehalt", "salaire_annuel", "sueldo", "creditScore"}) {
    EXPECT_TRUE(read_name(name).says(Meaning::Pay)) << name;
  }
}

TEST(NameMeaning, OfNeighboursIsAnother) {
  EXPECT_FALSE(read_name("page").says(Meaning::Birth));
  EXPECT_FALSE(read_name("discard").says(Meaning::Account));
  EXPECT_FALSE(read_name("support").says(Meaning::Place));
  EXPECT_FALSE(read_name("chart").says(Meaning::Kind));
  EXPECT_FALSE(read_name("nosex").says(Meaning::Body));
}

TEST(NameMeaning, KnowsTheHead) {
  EXPECT_TRUE(read_name("address_type").head_says(Meaning::Kind));
  EXPECT_TRUE(read_name("date_of_notes").head_says(Meaning::Time));
  EXPECT_TRUE(read_name("address_id").head_says(Meaning::Key));
  EXPECT_TRUE(read_name("nom_produit").head_says(Meaning::Name));   // the head comes first in French
  EXPECT_FALSE(read_name("title_deed").head_says(Meaning::Name));   // and last in English
  EXPECT_TRUE(read_name("city2").head_says(Meaning::Place));
  EXPECT_TRUE(read_name("name").whole_says(Meaning::Name));
  EXPECT_FALSE(read_name("song_name").whole_says(Meaning::Name));
}

TEST(NameMeaning, EveryMeaningIsDescribed) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < kMeanings; ++i) {
    const std::string_view text = described(static_cast<Meaning>(i));
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(seen.insert(text).second) << text;
  }
}

}  // namespace
}  // namespace pccsql
