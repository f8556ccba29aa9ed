// The built program, run as a user runs it; and a small shop to run it on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/scratch.h"

namespace pccsql {

struct Ran {
  int status = -1;  // exit status; 128 + signal where one ended it
  std::string out;
  std::string err;
};

// Starts `arguments[0]` and waits. `environment` adds NAME=VALUE settings.
Ran run_command(const std::vector<std::string>& arguments, std::string_view input = {},
                const std::vector<std::string>& environment = {});

// The program with these arguments.
Ran pccsql(std::vector<std::string> arguments, std::string_view input = {},
           const std::vector<std::string>& environment = {});

std::vector<std::string> lines_of(const std::string& text);

// Each line of the output as JSON.
std::vector<nlohmann::ordered_json> json_lines(const std::string& text);

// Table item(id, name, price, cost), table `order line`(item_id, amount), with files for all kinds of input.
struct Shop {
  Shop();

  Scratch scratch;
  std::string db;          // SQLite
  std::string schema;      // DDL without comments
  std::string commented;   // DDL, item alone, with policy comments
  std::string tables;      // tables.json with databases shop (item, order_line) and zoo (animal)
  std::string policy;      // name Public, price ConditionOnly, cost AggregateOnly, id Hidden; order line all Public
  std::string all_public;  // version and default alone: fits every database
  std::string grants;      // item (name, price) to ada
};

// One for all tests of a program, which only read it.
inline const Shop& shop() {
  static const Shop the_shop;
  return the_shop;
}

}  // namespace pccsql
