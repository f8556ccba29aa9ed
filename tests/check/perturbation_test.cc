// Perturbation: what a minimum group is worth. Random queries that count what is held to one are rewritten and run on small
// databases; then the same integer is added to one entity's values of a counted column, each entity in turn, and they are
// run again. A group, told by its GROUP BY values, that is shown both times must change for no entity, or for at least as
// many as the minimum says. Where it changed for fewer, those could be told from the rest.
//
// What is compared are the aggregates themselves, and sums and differences of them. A threshold on a sum may flip for one
// entity that has many rows, and say so; that is of the kind that is not promised.
//
// The same test on a plain HAVING COUNT(*) must find each way around one. A test that could not would say nothing.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "check/check.h"
#include "check/random_run.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

constexpr std::string_view kSchema =
    "CREATE TABLE emp(id INTEGER PRIMARY KEY, name TEXT, dept INT, boss INT, salary INT, bonus INT, hours INT);"
    "CREATE TABLE pay(nr INTEGER PRIMARY KEY, emp_id INT REFERENCES emp(id), month INT, gross INT);"
    "CREATE TABLE visit(doc INT, pat INT, day INT, cost INT, PRIMARY KEY (doc, pat));"
    "CREATE TABLE loose(tag INT, mark INT);"
    "CREATE TABLE proj(title TEXT, emp_id INT);"
    "CREATE TABLE unit(dept INT, city TEXT);"
    "CREATE VIEW staff AS SELECT id AS sid, dept AS sdept, salary AS wage FROM emp;"
    "CREATE VIEW crew AS SELECT sid AS cid, sdept AS cdept, wage, wage * 2 AS twice FROM staff;"
    "CREATE VIEW totals AS SELECT dept AS tdept, COUNT(*) AS people, SUM(salary) AS total FROM emp GROUP BY dept;"
    "CREATE VIEW rooms AS SELECT e.dept AS rdept, u.city AS rcity FROM emp AS e JOIN unit AS u ON u.dept = e.dept;";

std::string policy_text(int minimum) {
  return "version: 1\ndefault: Public\nmin_group: " + std::to_string(minimum) +
         "\ntables:\n"
         "  emp: {salary: AggregateOnly, bonus: AggregateOnly}\n"
         "  pay: {key: emp_id, gross: AggregateOnly}\n"
         "  visit: {cost: AggregateOnly}\n"
         "  loose: {mark: AggregateOnly}\n"
         "  staff: {key: sid, row: sid, wage: AggregateOnly}\n"
         "  crew: {key: cid, row: cid, wage: AggregateOnly, twice: AggregateOnly}\n";
}

// A counted column, the table that holds it, what tells the entities of that table apart, and what else is known of one: who
// gets a raise is paid more from then on.
struct Held {
  const char* counted;
  const char* table;
  const char* column;
  const char* entity;
  const char* also = nullptr;
};
constexpr Held kHeld[] = {
    {"salary", "emp", "salary", "id"}, {"bonus", "emp", "bonus", "id"},
    {"gross", "pay", "gross", "emp_id"}, {"cost", "visit", "cost", "quote(doc) || ',' || quote(pat)"},
    {"mark", "loose", "mark", "rowid"}, {"wage", "emp", "salary", "id"}, {"twice", "emp", "salary", "id"},
    {"salary", "emp", "salary", "id", "UPDATE pay SET gross = gross + 1000 WHERE emp_id = "},
};

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

class SmallDatabase {
 public:
  SmallDatabase() {
    sqlite3* db = nullptr;
    sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    db_.reset(db);
    run(std::string(kSchema) + "PRAGMA automatic_index = off;");
  }

  void run(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
      ADD_FAILURE() << sql << ": " << (message != nullptr ? message : "");
      sqlite3_free(message);
    }
  }

  Prepared prepare(const std::string& sql, std::string* message = nullptr) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK && message != nullptr) {
      *message = sqlite3_errmsg(db_.get());
    }
    return Prepared(statement);
  }

  std::vector<std::string> texts(const std::string& sql) {
    std::vector<std::string> all;
    const Prepared query = prepare(sql);
    while (query && sqlite3_step(query.get()) == SQLITE_ROW) {
      all.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(query.get(), 0)));
    }
    return all;
  }

  // Few people in fewer departments, some without a department, a salary or a bonus; months in which one person was paid
  // several times; people on several projects.
  void fill(std::mt19937_64& random) {
    const auto any = [&](int most) { return static_cast<int>(random() % static_cast<uint64_t>(most)); };
    const auto some = [&](int value, int nulls) { return any(100) < nulls ? std::string("NULL") : std::to_string(value); };
    std::string sql = "DELETE FROM emp; DELETE FROM pay; DELETE FROM visit; DELETE FROM loose; DELETE FROM proj;"
                      "DELETE FROM unit;";
    const int people = 4 + any(14);
    const int depts = 1 + any(3);
    const int nulls = any(3) * 20;
    for (int id = 1; id <= people; ++id) {
      sql += "INSERT INTO emp VALUES(" + std::to_string(id) + ",'" + std::string(1, static_cast<char>('a' + any(people))) +
             "'," + some(any(depts), 10) + "," + some(1 + any(people), 20) + "," + some(100 + any(900), nulls) + "," +
             some(any(50), nulls) + "," + some(10 + any(4), 10) + ");";
      if (any(3) > 0) sql += "INSERT INTO proj VALUES('p" + std::to_string(any(3)) + "'," + std::to_string(id) + ");";
      if (any(3) == 0) sql += "INSERT INTO proj VALUES('p" + std::to_string(any(3)) + "'," + std::to_string(id) + ");";
    }
    for (int i = 0, count = any(24); i < count; ++i) {
      sql += "INSERT INTO pay(emp_id, month, gross) VALUES(" + some(1 + any(people), 5) + "," + std::to_string(any(3)) +
             "," + some(10 + any(90), nulls) + ");";
    }
    for (int i = 0, count = any(24); i < count; ++i) {
      sql += "INSERT OR IGNORE INTO visit VALUES(" + std::to_string(any(4)) + "," + std::to_string(any(5)) + "," +
             std::to_string(any(2)) + "," + some(5 + any(40), nulls) + ");";
      sql += "INSERT INTO loose VALUES(" + std::to_string(any(3)) + "," + some(any(20), nulls) + ");";
    }
    for (int i = 0; i < depts; ++i) {
      sql += "INSERT INTO unit VALUES(" + std::to_string(i) + ",'" + std::string(1, static_cast<char>('x' + any(2))) + "');";
      if (any(4) == 0) sql += "INSERT INTO unit VALUES(" + std::to_string(i) + ",'z');";
    }
    run(sql);
  }

  sqlite3* get() const { return db_.get(); }

 private:
  std::unique_ptr<sqlite3, CloseDatabase> db_;
};

// What a SELECT shows: by its first `keys` columns, the rest. Groups that these do not tell apart are left out.
using Shown = std::map<std::string, std::vector<std::string>>;

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a == "NULL" || b == "NULL") return false;
  char* end = nullptr;
  const double x = std::strtod(a.c_str(), &end);
  if (end != a.c_str() + a.size()) return false;
  const double y = std::strtod(b.c_str(), &end);
  if (end != b.c_str() + b.size()) return false;
  return std::abs(x - y) <= 1e-7 * std::max({1.0, std::abs(x), std::abs(y)});
}

bool same_values(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_value);
}

// Where one of the SELECTs of a row is shown before or after alone: what it is part of is NULL then, once.
bool same_where_shown(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const std::string& before, const std::string& after) {
    return before == "NULL" || after == "NULL" || same_value(before, after);
  });
}

std::optional<Shown> show(sqlite3_stmt* query, int keys) {
  Shown shown;
  std::set<std::string> twice;
  sqlite3_reset(query);
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(query)) == SQLITE_ROW) {
    std::string key;
    std::vector<std::string> values;
    for (int i = 0; i < sqlite3_column_count(query); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(query, i));
      const std::string value = text == nullptr ? "NULL" : text;
      if (i < keys) {
        key += value + "|";
      } else {
        values.push_back(value);
      }
    }
    if (!shown.emplace(key, values).second) twice.insert(key);
  }
  sqlite3_reset(query);
  for (const std::string& key : twice) shown.erase(key);
  if (code != SQLITE_DONE) return std::nullopt;
  return shown;
}

// The SELECTs that stand side by side in a row, each marked by the generator. One whose HAVING holds no longer is a group that
// is not shown, as a row that is gone, though a row is there and has NULL in its place.
class SideBySide {
 public:
  SideBySide(SmallDatabase& database, const std::string& select) {
    if (!select.starts_with("SELECT (")) return;
    for (size_t at = 0; (at = select.find("<*/", at)) != std::string::npos; at += 3) {
      const std::string mark = select.substr(select.rfind("/*", at) + 2, at - select.rfind("/*", at) - 2);
      const size_t end = select.find("/*" + mark + ">*/", at);
      if (end != std::string::npos) selects_.push_back(database.prepare(select.substr(at + 3, end - at - 3)));
    }
  }

  std::vector<bool> shown() const {
    std::vector<bool> all;
    for (const Prepared& select : selects_) {
      sqlite3_reset(select.get());
      all.push_back(sqlite3_step(select.get()) == SQLITE_ROW);
      sqlite3_reset(select.get());
    }
    return all;
  }

 private:
  std::vector<Prepared> selects_;
};

// How somebody is found out by the SELECT; empty: nobody is. `groups` counts those that were looked at.
std::string leak(SmallDatabase& database, const std::string& select, int keys, int minimum, uint64_t& groups) {
  std::string message;
  const Prepared query = database.prepare(select, &message);
  if (!query) return "does not prepare: " + message;
  const auto before = show(query.get(), keys);
  if (!before) return "";
  const SideBySide parts(database, select);
  const std::vector<bool> shown_before = parts.shown();
  for (const Held& held : kHeld) {
    if (select.find(held.counted) == std::string::npos || before->empty()) continue;
    std::map<std::string, std::vector<std::string>> changed;  // by group, for whom
    const std::string entities = std::string("SELECT DISTINCT ") + held.entity + " FROM " + held.table +
                                 " WHERE " + held.entity + " IS NOT NULL";
    for (const std::string& entity : database.texts(entities)) {
      database.run("SAVEPOINT one");
      database.run(std::string("UPDATE ") + held.table + " SET " + held.column + " = " + held.column +
                   " + 1000 WHERE (" + held.entity + ") = '" + entity + "' OR CAST(" + held.entity + " AS TEXT) = '" +
                   [&] {
                     std::string doubled;
                     for (const char c : entity) doubled += c == '\'' ? "''" : std::string(1, c);
                     return doubled;
                   }() + "'");
      if (held.also != nullptr) database.run(held.also + entity);
      const auto after = show(query.get(), keys);
      const auto same = parts.shown() == shown_before ? same_values : same_where_shown;
      database.run("ROLLBACK TO one; RELEASE one");
      if (!after) continue;
      for (const auto& [group, values] : *before) {
        const auto now = after->find(group);
        if (now != after->end() && !same(values, now->second)) changed[group].push_back(entity);
      }
    }
    groups += before->size();
    for (const auto& [group, whom] : changed) {
      if (whom.size() >= static_cast<size_t>(minimum)) continue;
      std::string text = std::string("the group ") + group + " changes with " + held.column + " of";
      for (const std::string& entity : whom) text += " " + entity;
      return text + " alone, the minimum being " + std::to_string(minimum);
    }
  }
  return "";
}

// A query, and each SELECT of it that counts: it stands between `/*i<*/` and `/*i>*/`, and its first items are the terms
// of its GROUP BY. Where it has no HAVING of its own, `/*h*/` stands where one would.
struct Made {
  std::string with;
  std::string sql;  // with `with`
  std::vector<int> keys;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Made next() {
    made_ = {};
    const int shape = any(24);
    if (shape >= 20) return side_by_side();
    std::string select = counting(any(9), 0);
    if (shape < 9) {
      made_.sql = select;
    } else if (shape == 9) {
      made_.sql = "SELECT * FROM (" + select + ") AS o";
    } else if (shape == 10) {
      made_.sql = "SELECT MAX(s1), COUNT(*) FROM (" + select + ") AS o";
    } else if (shape == 11) {
      made_.with = "WITH q AS (" + select + ") ";
      made_.sql = made_.with + "SELECT x.s1 - y.s1 FROM q AS x, q AS y";
      made_.with.clear();
    } else if (shape == 12) {
      made_.sql = select + one_of({" UNION ALL ", " EXCEPT ", " UNION "}) + "SELECT " +
                  repeated("dept", made_.keys[0] + items_) + " FROM unit";
    } else if (shape == 13) {
      made_.sql = "SELECT name FROM emp WHERE hours IN (SELECT hours FROM (" + select + ") AS o)";
    } else if (shape == 14) {
      made_.sql = "SELECT name, (SELECT COUNT(*) FROM (" + select + ") AS o) FROM emp";
    } else if (shape == 15) {
      const std::string second = counting(any(8), 0);
      made_.sql = "SELECT 1 FROM (" + select + ") AS o, (" + second + ") AS p";
    } else if (shape == 16) {
      made_.with = "WITH few AS (SELECT id AS i FROM emp WHERE " + condition("emp", "hours") + ") ";
      made_.keys.clear();
      joined_ = " JOIN few ON few.i = " + std::string(any(2) == 0 ? "e.id" : "e.boss");
      select = counting(0, 0);
      joined_.clear();
      made_.sql = made_.with + select;
    } else {
      made_.sql = select + (any(3) == 0 ? " LIMIT 3" : any(3) == 0 ? " -- the end" : any(3) == 0 ? ";" : "");
    }
    return std::move(made_);
  }

 private:
  int any(int most) { return static_cast<int>(random_() % static_cast<uint64_t>(most)); }
  std::string one_of(std::initializer_list<const char*> choices) {
    return choices.begin()[random_() % choices.size()];
  }
  static std::string repeated(const char* text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += (i == 0 ? "" : ", ") + std::string(text);
    return all;
  }

  // Two sums in one row, or one beside what a view shows. What counts is what the whole of it shows.
  Made side_by_side() {
    bare_ = true;
    const size_t whole = made_.keys.size();
    made_.keys.push_back(0);
    const std::string one = "(" + counting(any(9), 1) + ")";
    const std::string other = any(4) == 0 ? one_of({"(SELECT SUM(total) FROM totals)", "(SELECT MAX(people) FROM totals)",
                                                    "(SELECT COUNT(*) FROM rooms)", "(SELECT SUM(cdept) FROM crew)"})
                                          : "(" + counting(any(9), 1) + ")";
    bare_ = false;
    const std::string mark = std::to_string(whole);
    made_.sql = "/*" + mark + "<*/SELECT " + one + one_of({" - ", " + ", ", "}) + other + "/*" + mark + ">*/";
    return std::move(made_);
  }

  std::string condition(const std::string& table, const std::string& column) {
    switch (any(9)) {
      case 0:
        return table + "." + column + " > 11";
      case 1:
        return table + "." + column + " IN (10, 1, 0, 2)";
      case 2:
        return table + "." + column + " <> 1";
      case 3:
        return table + "." + column + " IN (SELECT dept FROM unit)";
      case 4:
        return "EXISTS (SELECT 1 FROM proj WHERE proj.emp_id = " + table + "." + column + ")";
      case 5:
        return table + "." + column + " IS NOT NULL";
      case 6:
        return "(" + table + "." + column + " = 1 OR " + table + "." + column + " < 2)";
      case 7:
        return table + "." + column + " < (SELECT COUNT(*) FROM pay)";
      default:
        return table + "." + column + " BETWEEN 1 AND 11";
    }
  }

  // An argument that counts `column`, mostly plain.
  std::string argument(const std::string& column, const std::string& other, const std::string& third) {
    switch (any(24)) {
      case 0:
        return column + " + " + other;
      case 1:
        return column + " * 2";
      case 2:
        return other + " - " + column;
      case 3:
        return column + " / 2.0 + " + third;
      case 4:
        return "-(" + column + " + 3)";
      case 5:
        return "CASE WHEN " + third + " = 1 THEN " + column + " END";
      case 6:
        return column + " * (" + third + " = 1)";
      case 7:
        return column + " * " + third;
      case 8:
        return "COALESCE(" + column + ", 0)";
      case 9:
        return "CAST(" + column + " AS REAL)";
      case 10:
        return "3 * (" + column + " - " + third + ") * 2";
      case 11:
        return column + " + NULL";
      case 12:
        return "IIF(" + third + " > 1, " + column + ", 0)";
      case 13:
        return column + " + " + third + " * 0";
      default:
        return column;
    }
  }

  std::string aggregate(const std::string& column, const std::string& other, const std::string& third) {
    const std::string inside = argument(column, other, third);
    const int way = any(30);
    if (way == 0) return "SUM(DISTINCT " + inside + ")";
    if (way == 1) return "SUM(" + inside + ") FILTER (WHERE " + third + " = 1)";
    return one_of({"SUM(", "SUM(", "AVG(", "COUNT(", "sum("}) + inside + ")";
  }

  struct From {
    std::string text;
    std::string column, other, third;  // held to a minimum; perhaps as well; of any label
    std::vector<std::string> keys;
    std::string name;  // and a column for its conditions
    std::string about;
  };

  From from(int kind) {
    switch (kind) {
      case 0:
      case 1:
      case 2:
        return employees();
      case 3:
        return {"pay AS p", "p.gross", "gross", "p.month", {"p.month", "p.emp_id"}, "p", "month"};
      case 4:
        if (any(2) == 0) {
          return {"pay AS p JOIN emp AS e ON e.id = p.emp_id", "gross", "e.bonus", "e.dept",
                  {"e.dept", "p.month", "e.name"}, "e", "hours"};
        }
        return {"emp AS e " + one_of({"LEFT", "RIGHT", "FULL"}) + " JOIN pay AS p ON e.id = p.emp_id", "gross",
                "e.salary", "p.month", {"p.month", "e.dept"}, "p", "month"};
      case 5:
        if (any(2) == 0) return {"visit AS w", "w.cost", "cost", "w.day", {"w.day", "w.doc"}, "w", "doc"};
        return {"visit AS w JOIN unit ON unit.dept = w.doc", "cost", "w.cost", "w.pat", {"unit.city", "w.pat"}, "w", "day"};
      case 6:
        if (any(2) == 0) return {"staff", "wage", "staff.wage", "sdept", {"sdept"}, "staff", "sdept"};
        if (any(2) == 0) {
          return {"staff AS s JOIN proj ON proj.emp_id = s.sid", "wage", "s.wage", "sdept", {"title", "sdept"}, "s", "sid"};
        }
        return {"crew AS c", "twice", "c.wage", "cdept", {"cdept"}, "c", "cid"};
      case 7:
        return beside();
      default:
        return {"loose", "mark", "loose.mark", "tag", {"tag"}, "loose", "tag"};
    }
  }

  // The same people under two names, of which one may be counted.
  From beside() {
    switch (any(6)) {
      case 0:
        return {"emp AS e JOIN staff AS s ON s.sid = e.id + 1", "e.salary", one_of({"s.wage", "e.bonus"}), "e.dept",
                {"e.dept", "s.sdept"}, "e", "hours"};
      case 1:
        return {"staff AS s JOIN crew AS c ON c.cid <> s.sid", "c.twice", one_of({"s.wage", "c.wage"}), "c.cdept",
                {"s.sid", "c.cdept"}, "c", "cid"};
      case 2:
        return {"emp AS e LEFT JOIN totals ON tdept = e.dept", "e.salary", one_of({"e.bonus", "total"}), "e.dept",
                {"e.dept", "total"}, "e", "hours"};
      case 3:
        return {"emp AS e LEFT JOIN pay AS p ON p.emp_id = e.id AND p.nr > 2", "e.salary", "p.gross", "e.dept",
                {"e.dept"}, "e", "hours"};
      case 4:
        return {"emp AS e JOIN rooms ON rdept = e.dept", "e.salary", "e.bonus", "rdept", {"rcity", "e.dept"}, "e", "hours"};
      default:
        return {"crew AS a JOIN crew AS b ON b.cid = a.cid", "a.twice", one_of({"a.wage", "b.wage"}), "a.cdept",
                {"b.cdept"}, "a", "cid"};
    }
  }

  From employees() {
    const std::string column = any(2) == 0 ? "e.salary" : "e.bonus";
    const std::string other = any(3) == 0 ? "e.hours" : column == "e.salary" ? "e.bonus" : "e.salary";
    From made{"emp AS e", column, other, "e.dept", {"e.dept", "e.hours", "e.name", "e.boss"}, "e", "hours"};
    if (!joined_.empty()) {
      made.text += joined_;
      return made;
    }
    switch (any(12)) {
      case 0:
        made.text = "emp AS n JOIN emp AS e ON e.id <> n.id";
        made.keys = {"n.name", "n.id"};
        break;
      case 1:
        made.text = "emp AS e JOIN proj AS j ON j.emp_id = e.id";
        made.keys = {"j.title", "e.dept"};
        break;
      case 2:
        made.text = "emp AS e LEFT JOIN unit AS u ON u.dept = e.dept";
        made.keys = {"u.city", "e.dept"};
        break;
      case 3:
        made.text = "unit AS u LEFT JOIN emp AS e ON u.dept = e.dept";
        made.keys = {"u.city", "u.dept"};
        break;
      case 4:
        made.text = "emp AS e JOIN unit USING (dept)";
        made.third = "e.hours";
        made.keys = {"city", "dept"};
        break;
      case 5:
        made.text = "emp AS e, (SELECT DISTINCT dept AS d FROM unit) AS u";
        made.keys = {"u.d", "e.dept"};
        break;
      case 6:
        made.text = "emp AS e JOIN emp AS b ON b.id = e.boss";
        made.keys = {"b.name", "e.dept"};
        if (any(4) == 0) made.other = "b.bonus";
        break;
      case 7:
        made.text = "emp AS e JOIN (SELECT id FROM emp ORDER BY id LIMIT 4) AS f ON f.id " + one_of({"=", "<>", "<="}) + " e.id";
        made.keys = {"e.dept", "f.id"};
        break;
      case 8:
        made.text = "emp AS e FULL JOIN proj AS j ON j.emp_id = e.id";
        made.keys = {"j.title"};
        break;
      default:
        break;
    }
    return made;
  }

  // A SELECT that counts, between its marks.
  std::string counting(int kind, int depth) {
    const size_t me = made_.keys.size();
    made_.keys.push_back(0);
    const From source = from(kind);
    std::vector<std::string> keys;
    for (const std::string& key : source.keys) {
      if (!bare_ && keys.size() < 2 && any(2) == 0) keys.push_back(key);
    }
    made_.keys[me] = static_cast<int>(keys.size());
    std::string items;
    for (const std::string& key : keys) items += key + ", ";
    items_ = bare_ ? 1 : 1 + any(2);
    for (int i = 0; i < items_; ++i) {
      std::string item = aggregate(source.column, source.other, source.third);
      if (any(3) == 0) item += one_of({" - ", " + "}) + aggregate(source.column, source.other, source.third);
      if (any(8) == 0) item += one_of({" - ", " + "}) + aggregate(source.other, source.column, source.third);
      items += (i == 0 ? "" : ", ") + item + " AS s" + std::to_string(i + 1);
    }
    std::string where;
    if (any(3) == 0) where = " WHERE " + condition(source.name, source.about);
    // A nested SELECT that counts another table.
    if (depth == 0 && any(12) == 0) {
      where += where.empty() ? " WHERE " : " AND ";
      where += source.name + "." + source.about + " IN (SELECT " + (kind == 7 ? "month FROM pay" : "tag FROM loose") +
               " GROUP BY 1 HAVING " + (kind == 7 ? "SUM(gross) > 40" : "SUM(mark) > 15") + ")";
    }
    std::string group;
    for (const std::string& key : keys) group += (group.empty() ? " GROUP BY " : ", ") + key;
    std::string having = "/*h*/";
    if (any(6) == 0) {
      having = " HAVING " + std::string(any(2) == 0 ? "1 OR " : "") + aggregate(source.column, source.other, source.third) +
               " > 200" + (any(2) == 0 ? " OR COUNT(*) > 1" : "");
    }
    std::string order;
    if (depth == 0 && any(6) == 0) order = " ORDER BY " + aggregate(source.column, source.other, source.third);
    const std::string mark = std::to_string(me);
    return "/*" + mark + "<*/SELECT " + items + " FROM " + source.text + where + group + having + order + "/*" + mark +
           ">*/";
  }

  std::mt19937_64 random_;
  Made made_;
  int items_ = 0;
  bool bare_ = false;  // one value, of all rows
  std::string joined_;
};

// The marked SELECT of a text, to be run by itself.
std::string marked_select(const std::string& with, const std::string& sql, size_t which) {
  const std::string open = "/*" + std::to_string(which) + "<*/";
  const std::string close = "/*" + std::to_string(which) + ">*/";
  const size_t begin = sql.find(open);
  const size_t end = sql.find(close);
  if (begin == std::string::npos || end == std::string::npos) return "";
  return with + sql.substr(begin + open.size(), end - begin - open.size());
}

std::string with_plain_having(std::string sql, int minimum) {
  const std::string mark = "/*h*/";
  for (size_t at = sql.find(mark); at != std::string::npos; at = sql.find(mark)) {
    sql.replace(at, mark.size(), " HAVING COUNT(*) >= " + std::to_string(minimum));
  }
  return sql;
}

// Random queries on random databases.
class Attack {
 public:
  Attack(uint64_t seed, bool plain) : random_(seed), generator_(seed * 77 + 5), plain_(plain) {
    catalog_ = std::make_unique<Catalog>(*read_ddl_catalog(kSchema));
    for (int minimum = 2; minimum <= 6; ++minimum) {
      policies_.push_back(*parse_policy_yaml(policy_text(minimum), *catalog_));
    }
    checker_ = std::make_unique<SqliteChecker>(*catalog_);
  }

  // Until so many were safe and ran.
  void run(uint64_t wanted) {
    for (uint64_t i = 0; safe < wanted && i < 50 * wanted + 1000; ++i) {
      if (i % 40 == 0) database_.fill(random_);
      one();
    }
  }

  uint64_t made = 0, safe = 0, shown = 0, groups = 0;
  std::vector<std::string> found;

 private:
  void one() {
    const Made query = generator_.next();
    const int minimum = 2 + static_cast<int>(std::min(random_() % 5, random_() % 5));
    const Policy& policy = policies_[static_cast<size_t>(minimum - 2)];
    ++made;
    std::string text = query.sql;
    if (plain_) {
      if (query.sql.find("/*h*/") == std::string::npos || !database_.prepare(query.sql)) return;
      text = with_plain_having(text, minimum);
    } else {
      if (checker_->check(query.sql, policy).verdict != Verdict::Safe) return;
      const auto run = checker_->run_text(query.sql, policy);
      if (!run) return found.push_back(query.sql + "\n  " + run.error().to_string()), void();
      if (!run->changed()) return found.push_back(query.sql + "\n  nothing was added"), void();
      text = run->sql;
      std::string message;
      if (!database_.prepare(text, &message)) {
        return found.push_back(query.sql + "\n  " + text + "\n  does not prepare: " + message), void();
      }
    }
    ++safe;
    for (size_t i = 0; i < query.keys.size(); ++i) {
      const std::string select = marked_select(query.with, text, i);
      const uint64_t before = groups;
      const std::string how = leak(database_, select, query.keys[i], minimum, groups);
      shown += groups > before ? 1 : 0;
      if (!how.empty()) found.push_back(query.sql + "\n  " + select + "\n  " + how);
    }
  }

  std::mt19937_64 random_;
  Generator generator_;
  bool plain_;
  std::unique_ptr<Catalog> catalog_;
  std::vector<Policy> policies_;
  std::unique_ptr<SqliteChecker> checker_;
  SmallDatabase database_;
};

struct Totals {
  uint64_t made = 0, safe = 0, shown = 0, groups = 0;
  std::vector<std::string> found;
};

Totals attack(uint64_t queries, bool plain) {
  Totals totals;
  for (const auto& worker : in_shards(queries, [&](uint64_t seed) { return std::make_unique<Attack>(seed, plain); })) {
    totals.made += worker->made;
    totals.safe += worker->safe;
    totals.shown += worker->shown;
    totals.groups += worker->groups;
    totals.found.insert(totals.found.end(), worker->found.begin(), worker->found.end());
  }
  std::ranges::sort(totals.found, {}, &std::string::size);
  return totals;
}

// For `pccsql mask replay --schema F/schema.sql --policy F/policy.yaml --jsonl F/queries.jsonl`: whether the mask is of one mind
// with the checker about such queries. With PCCSQL_MADE=F they are written there.
TEST(Perturbation, ItsQueriesAreThereForTheMask) {
  const char* const folder = std::getenv("PCCSQL_MADE");
  if (folder == nullptr) GTEST_SKIP() << "writes files where PCCSQL_MADE says";
  const std::string to = std::string(folder) + "/";
  std::ofstream(to + "schema.sql") << kSchema;
  std::ofstream(to + "policy.yaml") << policy_text(3);
  std::ofstream queries(to + "queries.jsonl");
  Generator generator(random_seed() * 77 + 5);
  for (uint64_t i = 0; i < random_queries(12'000); ++i) {
    const std::string marked = generator.next().sql;
    std::string sql;
    for (size_t at = 0; at < marked.size(); ++at) {
      // Without the marks, which stand in comments.
      if (marked.compare(at, 2, "/*") == 0) {
        at = marked.find("*/", at) + 1;
      } else {
        sql += marked[at];
      }
    }
    if (sql.find("--") == std::string::npos) queries << nlohmann::json{{"sql", sql}} << "\n";
  }
  EXPECT_TRUE(queries.good());
}

uint64_t safe_queries() {
  const bool is_long = random_queries(1) == 2'000'000;
  return is_long ? 500'000 : random_queries(4'000);
}

TEST(Perturbation, NobodyIsFoundOut) {
  const Totals totals = attack(safe_queries(), false);
  std::cout << totals.safe << " safe queries of " << totals.made << ", " << totals.shown
            << " SELECTs that showed something, " << totals.groups << " groups looked at\n";
  EXPECT_GE(totals.safe, safe_queries() / 2);
  EXPECT_GT(totals.shown, totals.safe / 20);
  for (size_t i = 0; i < std::min<size_t>(totals.found.size(), 8); ++i) ADD_FAILURE() << totals.found[i];
  EXPECT_EQ(totals.found.size(), 0u);
}

TEST(Perturbation, OfRandomQueriesUnderAPlainHavingManyAreFound) {
  const Totals totals = attack(std::min<uint64_t>(safe_queries(), 4'000), true);
  std::cout << totals.found.size() << " of " << totals.safe << " queries find somebody out\n";
  EXPECT_GT(totals.found.size(), totals.safe / 20);
}

// Ten people in one department, with one salary known; and each way around a plain HAVING.
class PlainHaving : public ::testing::Test {
 protected:
  PlainHaving() {
    for (int id = 1; id <= 10; ++id) {
      const std::string number = std::to_string(id);
      database.run("INSERT INTO emp VALUES(" + number + ", 'n" + number + "', 1, 1, " + std::to_string(900 + id) + ", " +
                   (id == 4 ? "77" : "NULL") + ", 10)");
      database.run("INSERT INTO pay(emp_id, month, gross) VALUES(3, " + number + ", 50)");
    }
  }

  std::string found(const std::string& sql, int keys = 0) {
    uint64_t groups = 0;
    return leak(database, with_plain_having(sql, 5), keys, 5, groups);
  }
  // What the checker and what it would run make of it; empty: it is not permitted.
  std::string held(const std::string& sql, int keys = 0) {
    static const Catalog catalog = *read_ddl_catalog(kSchema);
    static const Policy policy = *parse_policy_yaml(policy_text(5), catalog);
    SqliteChecker checker(catalog);
    if (checker.check(sql, policy).verdict != Verdict::Safe) return "";
    const auto run = checker.run_text(sql, policy);
    if (!run) return run.error().to_string();
    uint64_t groups = 0;
    return leak(database, run->sql, keys, 5, groups);
  }
  std::string rewritten(const std::string& sql) {
    static const Catalog catalog = *read_ddl_catalog(kSchema);
    static const Policy policy = *parse_policy_yaml(policy_text(5), catalog);
    const auto run = SqliteChecker(catalog).run_text(sql, policy);
    return run ? run->sql : run.error().to_string();
  }
  bool runs(const std::string& sql) {
    const Prepared query = database.prepare(sql);
    int code = SQLITE_ROW;
    while (query && (code = sqlite3_step(query.get())) == SQLITE_ROW) {
    }
    return query != nullptr && code == SQLITE_DONE;
  }

  SmallDatabase database;
  int seen = 0;
};

struct Way {
  const char* name;
  const char* sql;
  int keys;
};
constexpr Way kWays[] = {
    {"a CASE", "SELECT SUM(CASE WHEN name = 'n4' THEN salary END) FROM emp/*h*/", 0},
    {"a FILTER", "SELECT SUM(salary) FILTER (WHERE name = 'n4') FROM emp/*h*/", 0},
    {"a comparison", "SELECT SUM(salary * (id = 9)) FROM emp/*h*/", 0},
    {"one row a thousand times",
     "SELECT e.dept, SUM(salary) FROM emp AS e JOIN (SELECT a.id AS i FROM emp AS a, emp AS b, emp AS c) AS f ON e.id = 4 "
     "GROUP BY e.dept/*h*/",
     1},
    {"NULLs that leave one value", "SELECT dept, SUM(bonus) FROM emp GROUP BY dept/*h*/", 1},
    {"all but one",
     "SELECT COUNT(*) AS n, SUM(e.salary) FROM emp AS n JOIN emp AS e ON e.id <> n.id WHERE n.id IN (3) GROUP BY n.name/*h*/",
     0},
    {"payments for people", "SELECT emp_id, SUM(gross) FROM pay GROUP BY emp_id/*h*/", 1},
    {"a second argument that leaves one out", "SELECT SUM(salary) - SUM(salary + hours) + SUM(hours) FROM emp/*h*/", 0},
    {"two names of one table",
     "SELECT SUM(a.salary) - SUM(b.salary) FROM emp AS a JOIN emp AS b ON b.id = a.id + 1/*h*/", 0},
    {"a table and a view of it",
     "SELECT (SELECT SUM(salary) FROM emp/*h*/) - (SELECT SUM(wage) FROM staff WHERE sid <> 3/*h*/)", 0},
    {"a table joined with a view of it",
     "SELECT SUM(e.salary) - SUM(s.wage) FROM emp AS e JOIN staff AS s ON s.sid = e.id + 1/*h*/", 0},
    {"a view and a view of it",
     "SELECT (SELECT SUM(wage) FROM staff/*h*/) - (SELECT SUM(wage) FROM crew WHERE cid <> 3/*h*/)", 0},
    {"two columns of a view that are one of its table's",
     "SELECT SUM(c.twice) - 2 * SUM(c.wage + e.hours) FROM crew AS c JOIN emp AS e ON e.id = c.cid/*h*/", 0},
    {"a view that shows sums",
     "SELECT (SELECT total FROM totals WHERE tdept = 1) - SUM(salary) FROM emp WHERE dept = 1 AND id <> 3/*h*/", 0},
    {"a view that shows sums, joined",
     "SELECT total - SUM(salary) FROM emp JOIN totals ON dept = tdept WHERE id <> 3 GROUP BY tdept, total/*h*/", 0},
    {"a view that shows sums, in a WITH table",
     "WITH t AS (SELECT SUM(total) AS all_of_it FROM totals) SELECT SUM(salary) - (SELECT all_of_it FROM t) FROM emp "
     "WHERE id <> 3/*h*/", 0},
    {"what is paid for what is earned",
     "SELECT (SELECT SUM(salary) FROM emp/*h*/) - (SELECT SUM(gross) FROM pay WHERE month = 0 AND emp_id <> 3/*h*/)", 0},
    {"likewise, side by side in one row",
     "SELECT SUM(e.salary) - SUM(p.gross) FROM emp AS e LEFT JOIN pay AS p ON p.emp_id = e.id AND month = 0 AND e.id <> 3/*h*/",
     0},
};

TEST_F(PlainHaving, EachWayAroundItIsFoundAndClosed) {
  database.run("UPDATE emp SET hours = NULL WHERE id = 7; INSERT INTO pay(emp_id, month, gross) SELECT id, 0, 50 FROM emp");
  for (const Way& way : kWays) {
    if (std::string_view(way.name) == "all but one") continue;
    EXPECT_NE(found(way.sql, way.keys), "") << way.name;
    EXPECT_EQ(held(way.sql, way.keys), "") << way.name;
  }
}

// Each group alone is of nine; it is two of them, side by side, that differ by one.
TEST_F(PlainHaving, TheLeaveOneOutJoinIsFoundAndClosed) {
  const std::string join = "FROM emp AS n JOIN emp AS e ON e.id <> n.id";
  const std::string difference =
      "SELECT MAX(s) - MIN(s) FROM (SELECT n.name, SUM(e.salary) AS s " + join + " WHERE n.id < 3 GROUP BY n.name/*h*/) AS o";
  EXPECT_NE(found(difference), "");
  EXPECT_EQ(held(difference), "");
}

// A condition that fails for the value that it looks for would say so, whatever is shown. None sees a group that is too small,
// or one in which a row is repeated.
TEST_F(PlainHaving, AConditionThatFailsForOneValueSeesNoSmallGroup) {
  for (const char* from : {"FROM emp AS e GROUP BY name", "FROM emp AS e JOIN pay AS p ON e.id = 4 GROUP BY name",
                           "FROM emp AS e JOIN pay AS p ON e.id = 4 OR e.dept = p.nr GROUP BY dept"}) {
    for (const char* value : {"904", "9040", "13545"}) {
      const std::string sql = "SELECT COUNT(*), SUM(salary) " + std::string(from) + " HAVING CASE WHEN SUM(salary) = " +
                              value + " THEN abs(-9223372036854775807 - 1) ELSE 1 END";
      seen += runs(sql) ? 0 : 1;
      EXPECT_TRUE(runs(rewritten(sql))) << sql << "\n  " << rewritten(sql);
      EXPECT_TRUE(runs(rewritten(sql + " OR (SELECT COUNT(*) FROM unit) > 3"))) << sql;
    }
  }
  EXPECT_GE(seen, 2);
}

// In the condition on rows the FROM stands inside the SELECT whose alias is zz: what is a string would be that alias, and the
// condition would not see the row that is repeated.
TEST_F(PlainHaving, AStringThatTheConditionWouldTakeForAnAliasIsAFault) {
  const std::string sql =
      "SELECT 'q' AS zz, SUM(e.salary) FROM emp AS e LEFT JOIN (SELECT 4 AS i FROM pay WHERE \"zz\" = 'zz') AS f ON e.id = f.i";
  EXPECT_NE(held(sql).find("write a string in single quotes"), std::string::npos) << held(sql);
  std::string single = sql;
  single.replace(single.find("\"zz\""), 4, "'zz'");
  EXPECT_EQ(held(single), "");
  // An alias of the select list likewise; written out it runs.
  const std::string alias = "SELECT 3 AS zz, SUM(salary) FROM emp WHERE id > zz";
  EXPECT_NE(held(alias).find("instead of the alias"), std::string::npos) << held(alias);
  EXPECT_EQ(held("SELECT 3 AS zz, SUM(salary) FROM emp WHERE id > 3"), "");
}

// What was added does not count again where an alias or ordinal stands for the SELECT that it was added to, and does not run
// into the word before it.
TEST(RunText, OfSelectsThatAliasesStandForAndOfTightTextIsWritten) {
  const Catalog catalog = *read_ddl_catalog(kSchema);
  const Policy policy = *parse_policy_yaml(policy_text(5), catalog);
  SqliteChecker checker(catalog);
  for (const char* sql : {"SELECT city, (SELECT AVG(salary) FROM emp) AS a FROM unit ORDER BY a",
                          "SELECT city, (SELECT AVG(salary) FROM emp JOIN unit USING (dept)) FROM unit GROUP BY 2, 1 ORDER BY 2",
                          "SELECT dept FROM emp GROUP BY dept HAVING(SUM(salary) > 3)ORDER BY 1",
                          "SELECT dept FROM emp GROUP BY dept HAVING.5 < SUM(salary)",
                          "SELECT city AS c, (SELECT SUM(e.salary) FROM emp AS e NATURAL JOIN unit WHERE e.id > 2) AS a FROM unit "
                          "WHERE a > 3 ORDER BY a + 1"}) {
    const auto run = checker.run_text(sql, policy);
    ASSERT_TRUE(run) << sql << "\n  " << run.error().to_string();
    EXPECT_TRUE(run->changed());
    EXPECT_TRUE(SmallDatabase().prepare(run->sql)) << run->sql;
  }
}

// Of the two sides of an AND SQLite evaluates the one that holds no SELECT first, in newer versions: of a group in which one row
// counts a thousand times a condition that fails would tell.
TEST(RunText, OfAHavingIsAskedOnlyWhereTheConditionsHold) {
  const Catalog catalog = *read_ddl_catalog(kSchema);
  const Policy policy = *parse_policy_yaml(policy_text(5), catalog);
  const auto run = SqliteChecker(catalog).run_text(
      "SELECT e.dept FROM emp AS e JOIN pay ON e.id = 4 GROUP BY e.dept HAVING SUM(salary) < 7 OR 1 ORDER BY 1", policy);
  ASSERT_TRUE(run) << run.error().to_string();
  EXPECT_EQ(run->sql,
            "SELECT e.dept FROM emp AS e JOIN pay ON e.id = 4 GROUP BY e.dept HAVING "
            "COUNT(DISTINCT CASE WHEN salary IS NOT NULL THEN e.id END) >= 5 AND CASE WHEN "
            "(SELECT COUNT(salary) = COUNT(DISTINCT CASE WHEN salary IS NOT NULL THEN e.id END) FROM emp AS e JOIN pay ON e.id = 4) "
            "THEN (SUM(salary) < 7 OR 1) ELSE 0 END ORDER BY 1");
}

// Minimums do not touch what has no such column.
TEST(RunText, OfAQueryThatCountsNothingHeldIsTheQuery) {
  const Catalog catalog = *read_ddl_catalog(kSchema);
  const Policy policy = *parse_policy_yaml(policy_text(5), catalog);
  SqliteChecker checker(catalog);
  for (const char* sql : {"SELECT name FROM emp", "SELECT dept, COUNT(*), AVG(hours) FROM emp GROUP BY dept -- all",
                          " ; SELECT SUM(DISTINCT hours) FILTER (WHERE dept = 1) FROM emp;",
                          "SELECT SUM(day) FROM visit WHERE doc IN (SELECT COUNT(*) FROM pay)"}) {
    const auto run = checker.run_text(sql, policy);
    ASSERT_TRUE(run) << run.error().to_string();
    EXPECT_EQ(run->sql, sql);
    EXPECT_FALSE(run->changed());
  }
}

}  // namespace
}  // namespace pccsql
