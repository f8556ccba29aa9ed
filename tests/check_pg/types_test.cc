// The tables of operators and functions against the server: whatever the language has, PostgreSQL has too, and gives the kind that
// is said there.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check_pg/functions.h"
#include "check_pg/types.h"
#include "postgres/server.h"
#include "schema/pg_connection.h"

namespace pccsql::check_pg {
namespace {

struct Known {
  const char* name;
  PgKind kind;
};
constexpr Known kTypes[] = {{"int2", PgKind::Integer},     {"int4", PgKind::Integer},     {"int8", PgKind::Bigint},
                            {"numeric", PgKind::Numeric},  {"float4", PgKind::Float},     {"float8", PgKind::Float},
                            {"text", PgKind::Text},        {"varchar", PgKind::Text},     {"bpchar", PgKind::Text},
                            {"date", PgKind::Date},        {"timestamp", PgKind::Timestamp}, {"timestamptz", PgKind::Timestamp},
                            {"time", PgKind::Time},        {"interval", PgKind::Interval}, {"bool", PgKind::Boolean},
                            {"uuid", PgKind::Uuid},        {"mood", PgKind::Enum}};

Type type_of(const Known& known) {
  Type type = Type::of(known.kind);
  type.small = std::string_view(known.name) == "int2";
  return type;
}

std::string null_of(const Known& known) { return "NULL::" + std::string(known.name); }

class PgTypes : public testing::Test {
 protected:
  void SetUp() override {
    PCCSQL_NEEDS_POSTGRES();
    static bool made = false;
    if (!made) {
      ASSERT_EQ(PgServer::get()->make_database("types", "CREATE TYPE mood AS ENUM ('A');"), "");
      made = true;
    }
    auto connection = PgConnection::open(PgServer::get()->address("types"));
    ASSERT_TRUE(connection);
    connection_ = std::make_unique<PgConnection>(std::move(*connection));
  }

  // The kind of an expression, as the server types it.
  void expect(const std::string& expression, PgKind kind, const std::string& from = "") {
    ++asked_;
    const auto rows = connection_->query("SELECT t.typname FROM (SELECT pg_typeof(" + expression + ") AS o" + from +
                                         ") AS x JOIN pg_type t ON t.oid = x.o");
    if (!rows) {
      ADD_FAILURE() << expression << ": " << rows.error().message;
      return;
    }
    const std::string name = rows->front()[0].value_or("");
    EXPECT_EQ(name == "mood" ? PgKind::Enum : kind_of_type(name), kind) << expression << " is " << name;
  }

  std::unique_ptr<PgConnection> connection_;
  size_t asked_ = 0;
};

TEST_F(PgTypes, OperatorsAreTheServers) {
  for (const Known& left : kTypes) {
    for (const Known& right : kTypes) {
      for (const char* op : {"+", "-", "*", "/", "%"}) {
        const auto type = arithmetic(op, type_of(left), type_of(right));
        if (type) expect(null_of(left) + " " + op + " " + null_of(right), type->kind);
      }
      if (one_group(type_of(left), type_of(right))) {
        for (const char* op : {"=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM"}) {
          expect(null_of(left) + " " + op + " " + null_of(right), PgKind::Boolean);
        }
        const PgKind both = later(type_of(left), type_of(right)).kind;
        expect("COALESCE(" + null_of(left) + ", " + null_of(right) + ")", both);
        expect("GREATEST(" + null_of(left) + ", " + null_of(right) + ")", both);
        expect("CASE WHEN true THEN " + null_of(left) + " ELSE " + null_of(right) + " END", both);
      }
      if (left.kind == PgKind::Text || right.kind == PgKind::Text) {
        expect(null_of(left) + " || " + null_of(right), PgKind::Text);
      }
    }
  }
  EXPECT_GE(asked_, 500u);
  std::printf("%zu expressions\n", asked_);
}

TEST_F(PgTypes, FunctionsAreTheServers) {
  const auto fits = [](char letter, const Known& known) {
    const Type type = type_of(known);
    switch (letter) {
      case 'T': return type.kind == PgKind::Text;
      case 'I': return type.kind == PgKind::Integer;
      case 'N': return is_number(type.kind);
      case 'M': return is_number(type.kind) && type.kind != PgKind::Float;
      case 'D': return is_date(type.kind);
      case 'B': return type.kind == PgKind::Boolean;
      case 'S': return is_number(type.kind) || type.kind == PgKind::Interval;
      case 'L': return type.kind != PgKind::Boolean && type.kind != PgKind::Uuid;
      default: return true;
    }
  };
  for (const Function& function : all_functions()) {
    const std::string name(function.name);
    for (size_t count = 0; count <= 4; ++count) {
      const auto letters = letters_for(function, count);
      if (!letters) continue;
      // Every type at each place, the other places being of the first type that fits there.
      for (size_t place = 0; place < std::max<size_t>(count, 1); ++place) {
        for (const Known& varied : kTypes) {
          std::vector<Type> types;
          std::vector<std::string> arguments;
          bool good = true;
          for (size_t i = 0; i < count && good; ++i) {
            if ((*letters)[i] == 'U') {
              good = i != place || varied.kind == PgKind::Text;
              types.push_back(Type::of(PgKind::Text));
              arguments.push_back("'year'");
              continue;
            }
            const Known* known = &varied;
            if (i != place) known = std::ranges::find_if(kTypes, [&](const Known& one) { return fits((*letters)[i], one); });
            good = fits((*letters)[i], *known);
            types.push_back(type_of(*known));
            arguments.push_back(null_of(*known));
          }
          if (!good) continue;
          std::string call = name + "(";
          if (name == "extract") {
            call = "EXTRACT(year FROM " + arguments[1] + ")";
          } else if (name == "position") {
            call = "POSITION(" + arguments[0] + " IN " + arguments[1] + ")";
          } else {
            for (size_t i = 0; i < arguments.size(); ++i) call += (i == 0 ? "" : ", ") + arguments[i];
            call += ")";
          }
          if (function.kind == CallKind::Window) call += " OVER ()";
          expect(call, result_of(function, types).kind);
          if (count == 0) break;
        }
      }
    }
  }
  EXPECT_GE(asked_, 400u);
  std::printf("%zu expressions\n", asked_);
}

}  // namespace
}  // namespace pccsql::check_pg
