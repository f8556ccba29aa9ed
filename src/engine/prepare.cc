// What masks share in all schemas, found out before the first schema comes: common forms of queries over a made-up one are
// written token by token, and the parts that their states' shapes share are kept with the vocabulary.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine_impl.h"

namespace pccsql {
namespace {

Table table_of(std::string_view name, std::initializer_list<std::string_view> columns) {
  Table table;
  table.name = name;
  for (const std::string_view column : columns) {
    Column made;
    made.name = column;
    made.type = "TEXT";
    table.columns.push_back(std::move(made));
  }
  return table;
}

Catalog made_up_catalog() {
  std::vector<Table> tables;
  tables.push_back(table_of("zz_house", {"zz_id", "zz_label", "zz_size", "zz_town"}));
  tables.push_back(table_of("zz_guest", {"zz_gid", "zz_label", "zz_age", "zz_kind"}));
  tables.push_back(table_of("zz_stay", {"zz_id", "zz_gid", "zz_from_day", "zz_cost"}));
  return Catalog(std::move(tables), "made_up");
}

// What is selected, FROM what, and what comes then: each of the first with each of the second, and each of the others.
constexpr std::string_view kItems[] = {
    "zz_size",          "zz_size , zz_town",  "zz_id, zz_size, zz_town", "count(*)",
    "COUNT(*) , zz_town", "DISTINCT zz_town", "max(zz_size)",            "sum(zz_size) , avg(zz_size)",
    "count(DISTINCT zz_town)", "avg(zz_size), min(zz_size), max(zz_size)", "zz_town , count(*) , zz_size",
    "zz_size + 1", "zz_size - zz_id , zz_town", "zz_town AS place , count(*) AS n"};
constexpr std::string_view kAliasedItems[] = {
    "T1.zz_size", "T1.zz_size , T1.zz_town", "T2.zz_cost , T1.zz_town , count(*)", "DISTINCT T1.zz_town", "count(*)",
    "count(*) , T1.zz_town", "avg(T1.zz_size)", "sum(T2.zz_cost) , T1.zz_town", "count(DISTINCT T1.zz_town)"};
constexpr std::string_view kFrom[] = {"FROM zz_house"};
constexpr std::string_view kJoined[] = {
    "FROM zz_house AS T1 JOIN zz_stay AS T2 ON T1.zz_id = T2.zz_id",
    "FROM zz_house AS T1 JOIN zz_stay AS T2 ON T1.zz_id = T2.zz_id JOIN zz_guest AS T3 ON T2.zz_gid = T3.zz_gid"};
constexpr std::string_view kRests[] = {
    "",
    "WHERE zz_size > 5",
    "WHERE zz_town = 'x' AND zz_size >= 10",
    "WHERE zz_town = \"x\" OR zz_town = 'y'",
    "WHERE zz_size < 5 OR zz_size <= 7 AND zz_town != 'x'",
    "WHERE zz_size BETWEEN 1 AND 20",
    "WHERE zz_town LIKE '%x%'",
    "WHERE zz_town NOT LIKE 'x%' AND zz_size <> 3",
    "WHERE zz_town IN ('x', 'y')",
    "WHERE zz_id NOT IN (SELECT zz_id FROM zz_stay)",
    "WHERE zz_id IN (SELECT zz_id FROM zz_stay WHERE zz_cost > 10)",
    "WHERE zz_size > (SELECT avg(zz_size) FROM zz_house)",
    "WHERE zz_size = (SELECT max(zz_size) FROM zz_house WHERE zz_town = 'x')",
    "WHERE zz_town IS NULL",
    "GROUP BY zz_town",
    "GROUP BY zz_town HAVING count(*) > 1",
    "GROUP BY zz_town HAVING count(*) >= 2 ORDER BY count(*) DESC LIMIT 1",
    "GROUP BY zz_town HAVING avg(zz_size) < 5",
    "GROUP BY zz_town ORDER BY count(*) DESC LIMIT 3",
    "GROUP BY zz_town ORDER BY sum(zz_size) ASC",
    "WHERE zz_size > 5 GROUP BY zz_town ORDER BY count(*)",
    "ORDER BY zz_size",
    "ORDER BY zz_size DESC LIMIT 1",
    "ORDER BY zz_size ASC, zz_town DESC",
    "WHERE zz_town = 'x' ORDER BY zz_size LIMIT 1",
    "EXCEPT SELECT zz_id FROM zz_stay"};
constexpr std::string_view kAliasedRests[] = {
    "",
    "WHERE T1.zz_size > 5",
    "WHERE T1.zz_town = 'x' AND T2.zz_cost = 7",
    "WHERE T1.zz_town = \"x\"",
    "WHERE T1.zz_size < 5 OR T2.zz_cost >= 3",
    "GROUP BY T1.zz_id",
    "GROUP BY T1.zz_town HAVING count(*) > 1",
    "GROUP BY T1.zz_id ORDER BY count(*) DESC LIMIT 1",
    "WHERE T2.zz_cost > 5 GROUP BY T1.zz_id",
    "ORDER BY T1.zz_size",
    "ORDER BY T1.zz_size DESC LIMIT 1",
    "WHERE T1.zz_town = 'x' INTERSECT SELECT T1.zz_size FROM zz_house AS T1 JOIN zz_stay AS T2 ON T1.zz_id = T2.zz_id WHERE T2.zz_cost > 5"};

class Writer {
 public:
  Writer(const Engine& engine, const VocabularyIndex& vocabulary)
      : engine_(engine), index_(vocabulary.impl()), mask_(index_.vocabulary.size()) {}

  // As far as the text is let.
  void write(const std::string& text) {
    std::vector<uint32_t> cuts;
    if (!index_.greedy_tokens(text, &cuts)) return;
    Matcher matcher = engine_.new_matcher();
    uint32_t begin = 0;
    for (const uint32_t end : cuts) {
      if (!matcher.fill_next_token_bitmask(mask_.view().words().data(), mask_.view().width())) return;
      if (!matcher.accept_text(std::string_view(text).substr(begin, end - begin))) return;
      begin = end;
      // Models cut texts in other ways, too: what has ended, and a blank after it.
      if (matcher.accept_text(" ")) (void)matcher.fill_next_token_bitmask(mask_.view().words().data(), mask_.view().width());
      matcher.rollback(1);
    }
    (void)matcher.fill_next_token_bitmask(mask_.view().words().data(), mask_.view().width());
  }

 private:
  const Engine& engine_;
  const VocabularyIndex::Impl& index_;
  BitmaskBuffer mask_;
};

}  // namespace

void VocabularyIndex::prepare() const {
  Catalog catalog = made_up_catalog();
  Policy policy(catalog, ColumnPolicy::Public);
  const Result<Engine> engine = make_engine(std::move(catalog), std::move(policy), *this);
  if (!engine) return;
  Writer writer(*engine, *this);
  const auto write_all = [&](const auto& items, const auto& froms, const auto& rests) {
    const auto write = [&](std::string_view item, std::string_view from, std::string_view rest) {
      writer.write("SELECT " + std::string(item) + " " + std::string(from) + (rest.empty() ? "" : " ") + std::string(rest));
    };
    for (const std::string_view item : items) {
      for (const std::string_view from : froms) write(item, from, rests[0]);
    }
    for (const std::string_view rest : rests) {
      for (const std::string_view from : froms) {
        for (size_t i = 0; i < 7; ++i) write(items[i], from, rest);
      }
    }
  };
  write_all(kItems, kFrom, kRests);
  write_all(kAliasedItems, kJoined, kAliasedRests);
}

}  // namespace pccsql
