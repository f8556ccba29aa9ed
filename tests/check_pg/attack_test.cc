// What somebody would write who wants a Hidden column of PostgreSQL's: each text is refused, or the server itself reads none of
// it and shows nothing of its values.
#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check_pg/check_pg.h"
#include "check_pg/server_witness.h"
#include "policy/policy_file.h"
#include "postgres/server.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

// 62 bytes, so that one more character of two bytes is cut off by the server.
const std::string kLong(62, 'h');

std::string schema() {
  return R"(
CREATE TYPE mood AS ENUM ('A', 'B');
CREATE TYPE place AS (street text, zip text);
CREATE DOMAIN percent AS numeric(5, 2);
CREATE DOMAIN word AS text CHECK (length(VALUE) < 100);
CREATE TABLE team (team_id integer PRIMARY KEY, name text, budget numeric, site place, tags text[], title varchar(20));
CREATE TABLE person (person_id integer PRIMARY KEY, name text, team_id integer, grade mood, load percent, alias word, salary integer,
  zone text, score double precision, hired date, active boolean, ssn text, pin integer, "Name" text, "ÉTAGE" text, "étage" text, ")" +
         kLong + R"(" text);
CREATE TABLE secret (what text);
CREATE TABLE "user" (id integer, name text);
INSERT INTO team VALUES (1, 'Red', 100, ROW('x', 'hidden-zip'), '{a,b}', 'T');
INSERT INTO person VALUES (1, 'Ann', 1, 'A', 50, 'a', 120000, 'lab', 1.5, '2020-01-01', true, 'hidden-ssn', 4711, 'hidden-Name', 'x',
  'hidden-e', 'hidden-long'), (2, 'Bob', 1, 'B', 60, 'b', 80000, 'lobby', 2.5, '2021-01-01', false, 'hidden-ssn2', 4712, 'hidden-Name2',
  'y', 'hidden-e2', 'hidden-long2');
INSERT INTO secret VALUES ('hidden-secret');
CREATE SCHEMA other;
CREATE TABLE other.person (person_id integer, name text, ssn text);
INSERT INTO other.person VALUES (1, 'hidden-other', 'hidden-other');
CREATE FUNCTION other.same(text, text) RETURNS boolean LANGUAGE sql SECURITY DEFINER AS
  'SELECT EXISTS (SELECT 1 FROM public.person WHERE ssn LIKE $2)';
CREATE OPERATOR other.= (LEFTARG = text, RIGHTARG = text, FUNCTION = other.same);
CREATE OPERATOR other.|| (LEFTARG = text, RIGHTARG = text, FUNCTION = other.same);
CREATE FUNCTION ssn_of(person) RETURNS text LANGUAGE sql STABLE AS 'SELECT $1.ssn';
CREATE FUNCTION other.upper(text) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT min(ssn) FROM public.person';
CREATE AGGREGATE other.gather(text) (SFUNC = textcat, STYPE = text);
CREATE VIEW busy AS SELECT person_id, name, score, zone, hired, salary FROM person WHERE active AND length(name) + length(zone) > 2;
CREATE VIEW guarded WITH (security_barrier) AS SELECT name, score FROM person WHERE active;
)";
}

constexpr const char* kPolicy = R"(
version: 1
tables:
  team: {team_id: Public, name: Public, budget: AggregateOnly, site: Hidden, tags: Public, title: Public}
  person: {person_id: Public, name: Public, team_id: Public, grade: Public, load: Public, alias: Public, salary: AggregateOnly,
    zone: ConditionOnly, score: Public, hired: Public, active: Public, ssn: Hidden, pin: Hidden, "Name": Hidden, "ÉTAGE": Public,
    "étage": Hidden}
  "user": {"*": Public}
  busy: {person_id: Public, name: Public, score: Public, zone: Public, hired: Public, salary: AggregateOnly}
  guarded: {"*": Public}
)";

struct Attack {
  std::string sql;
  bool safe = false;
};

std::vector<Attack> attacks() {
  const auto refused = [](std::initializer_list<std::string> texts) {
    std::vector<Attack> made;
    for (const std::string& text : texts) made.push_back({text, false});
    return made;
  };
  std::vector<Attack> all = refused({
      // Whole rows, fields, functional notation.
      "SELECT p FROM person p", "SELECT p.* FROM person p", "SELECT (p).ssn FROM person p", "SELECT (p.*).ssn FROM person p",
      "SELECT p.ssn_of FROM person p", "SELECT ssn(p) FROM person p", "SELECT p.name, p.to_json FROM person p",
      "SELECT count(p) FROM person p", "SELECT count(p.*) FROM person p", "SELECT p::text FROM person p", "SELECT '' || p FROM person p",
      "SELECT concat(p) FROM person p", "SELECT ROW(p.*) FROM person p", "SELECT p IS NULL FROM person p", "SELECT name FROM person p ORDER BY p",
      "SELECT name FROM person p GROUP BY name, p", "SELECT name FROM person p WHERE p = p", "SELECT p.name.ssn FROM person p",
      "SELECT (site).zip FROM team", "SELECT team.site.zip FROM team", "SELECT (t.site).* FROM team t", "SELECT coalesce(p, p) FROM person p",
      "SELECT (SELECT p) FROM person p", "SELECT name FROM person p WHERE p IN (SELECT q FROM person q)", "SELECT person FROM person",
      "SELECT public.person.ssn FROM person", "SELECT attack.public.person.name FROM person", "SELECT max(p.ssn) FROM person p",
      "SELECT CASE WHEN true THEN p END FROM person p", "SELECT NULLIF(p, NULL) FROM person p", "SELECT q.p FROM (SELECT p FROM person p) q",
      "SELECT (q.p).ssn FROM (SELECT p FROM person p) q", "SELECT p.ctid FROM person p", "SELECT xmin FROM person", "SELECT tableoid FROM person",
      // Names written in other ways.
      "SELECT U&\"\\0073sn\" FROM person", "SELECT U&\"!0073sn\" UESCAPE '!' FROM person", "SELECT SSN FROM person", "SELECT \"ssn\" FROM person",
      "SELECT p.\"ssn\" FROM ONLY person p", "SELECT \"Name\" FROM person", "SELECT \"étage\" FROM person", "SELECT étage FROM person",
      "SELECT ÉTAGE AS x, étage FROM person",
      "SELECT " + kLong + " FROM person", "SELECT \"" + kLong + "é\" FROM person", "SELECT " + kLong + "é FROM person",
      "SELECT (SELECT \"" + kLong + "é\" FROM person LIMIT 1) FROM (SELECT 1 AS \"" + kLong + "é\") s",
      "SELECT (SELECT \"" + kLong + "\" FROM person LIMIT 1) FROM (SELECT 1 AS \"" + kLong + "\") s",
      "SELECT s" "sn/* /* */ */ FROM person", "SELECT /* SELECT name */ ssn -- name\n FROM person", "SELECT ssn FROM person --",
      // Other ways to a table.
      "TABLE person", "TABLE secret", "SELECT what FROM secret", "SELECT count(*) FROM secret", "SELECT name FROM other.person",
      "SELECT * FROM person NATURAL JOIN team", "SELECT name FROM person CROSS JOIN LATERAL (SELECT ssn) s(x)",
      "SELECT s.x FROM person p, LATERAL (SELECT p.ssn AS x) s", "SELECT x FROM person AS p(a, b, c, d, e, f, g, h, i, j, k, x)",
      "SELECT l FROM person AS p(a, l)", "SELECT x.name FROM (person p JOIN team t ON true) AS x", "SELECT name FROM person TABLESAMPLE SYSTEM (100)",
      "SELECT name FROM person FOR UPDATE", "SELECT name FROM (SELECT name FROM person FOR SHARE) s", "SELECT name INTO x FROM person",
      "SELECT * FROM (VALUES (1)) v", "VALUES (1)", "SELECT x FROM ROWS FROM (generate_series(1, 2)) AS x", "SELECT * FROM pg_stats",
      "SELECT prosrc FROM pg_proc", "SELECT relname FROM pg_catalog.pg_class", "SELECT * FROM information_schema.columns",
      "WITH RECURSIVE w AS (SELECT 1) SELECT * FROM w", "WITH person AS (SELECT 'x' AS ssn) SELECT ssn FROM person",
      "WITH w AS MATERIALIZED (SELECT ssn FROM person) SELECT 1", "WITH w AS NOT MATERIALIZED (SELECT ssn AS name FROM person) SELECT name FROM w",
      "WITH w(name) AS (SELECT ssn FROM person) SELECT name FROM w", "WITH w AS (DELETE FROM person RETURNING ssn) SELECT ssn FROM w",
      "SELECT name FROM person WHERE EXISTS (WITH person AS (SELECT 1) SELECT * FROM person)",
      "SELECT (WITH w AS (SELECT ssn) SELECT ssn FROM w) FROM person",
      // A qualifier that goes past a sibling.
      "SELECT (SELECT count(*) FROM team a, person x JOIN person y ON a.ssn = 'x') FROM person a",
      "SELECT name FROM person a WHERE EXISTS (SELECT 1 FROM team a, (SELECT a.zone) d)",
      // Joins.
      "SELECT p.name FROM person p JOIN person q USING (ssn)", "SELECT p.name FROM person p JOIN person q USING (person_id, ssn)",
      "SELECT p.name FROM person p NATURAL JOIN person q", "SELECT p.name FROM person p JOIN person q USING (name) AS j",
      "SELECT j.ssn FROM person p JOIN person q USING (ssn) AS j", "SELECT p.name FROM person p JOIN person q ON p.ssn = q.ssn",
      "SELECT p.name FROM person p FULL JOIN person q ON p.pin = q.pin",
      // Where a use counts.
      "SELECT name FROM person ORDER BY ssn", "SELECT name FROM person GROUP BY name, ssn", "SELECT name FROM person ORDER BY \"Name\"",
      "SELECT DISTINCT ON (ssn) name FROM person", "SELECT name FROM person FETCH FIRST 1 ROWS WITH TIES",
      "SELECT name FROM person ORDER BY salary FETCH FIRST 1 ROWS WITH TIES", "SELECT count(*) FROM person GROUP BY GROUPING SETS ((ssn), ())",
      "SELECT count(*) FROM person GROUP BY ROLLUP (name)", "SELECT count(*) FROM person GROUP BY CUBE (name)", "SELECT GROUPING(name) FROM person GROUP BY name",
      "SELECT count(*) FROM person GROUP BY DISTINCT name", "SELECT rank() OVER (ORDER BY salary) FROM person",
      "SELECT count(*) OVER w FROM person WINDOW w AS (PARTITION BY ssn)", "SELECT name FROM person WINDOW w AS (ORDER BY salary)",
      "SELECT sum(count(*)) OVER (ORDER BY sum(salary)) FROM person", "SELECT name FROM person LIMIT (SELECT pin FROM person LIMIT 1)",
      "SELECT name FROM person LIMIT length('abc')", "SELECT (SELECT name FROM team LIMIT p.pin) FROM person p",
      "SELECT count(*) FILTER (WHERE ssn LIKE 'h%') FROM person", "SELECT count(*) FILTER (WHERE zone = 'lab') FROM person",
      "SELECT string_agg(name, ',' ORDER BY salary) FROM person", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM person",
      "SELECT mode() WITHIN GROUP (ORDER BY ssn) FROM person", "SELECT zone FROM person", "SELECT max(salary) FROM person", "SELECT min(zone) FROM person",
      "SELECT name FROM person WHERE salary > 1", "SELECT salary FROM person UNION SELECT 1", "SELECT 1 UNION SELECT pin FROM person",
      "SELECT name FROM person UNION SELECT name FROM person ORDER BY ssn", "SELECT name FROM person EXCEPT SELECT ssn FROM person",
      "SELECT name FROM person WHERE name IN (SELECT ssn FROM person)", "SELECT name FROM person WHERE (SELECT max(pin) FROM person) = 1",
      "SELECT stddev(salary) FROM person", "SELECT bool_or(salary > 1) FROM person", "SELECT name FROM person HAVING max(salary) > 1",
      "SELECT sum(salary * 2) FROM person", "SELECT sum(salary + 2147483000) FROM person", "SELECT avg(salary / 100000) FROM person",
      "SELECT count(NULLIF(salary, 120000)) FROM person", "SELECT sum(salary::smallint) FROM person", "SELECT sum(salary::real) FROM person",
      "SELECT sum(salary::numeric(5,0)) FROM person", "SELECT sum(salary * 10e15) FROM person", "SELECT sum(abs(salary)) FROM person",
      "SELECT sum(CASE salary WHEN 120000 THEN 1 END) FROM person", "SELECT count(CASE WHEN salary > 1 THEN 1 END) FROM person",
      "SELECT (SELECT sum(p.salary) FROM team) FROM person p", "SELECT (SELECT sum(p.salary + t.team_id) FROM team t) FROM person p",
      "SELECT sum(DISTINCT salary * 1.0) FROM person", "SELECT count(DISTINCT salary + 0.5) FROM person",
      "SELECT sum(salary * 1.0 - salary * 0.5) FROM person", "SELECT sum(GREATEST(salary, 100000)) FROM person",
      // Operators, functions and types of elsewhere.
      "SELECT name FROM person WHERE name OPERATOR(other.=) 'h%'", "SELECT name FROM person WHERE name OPERATOR(other.=) ANY (SELECT 'hidden%')",
      "SELECT name FROM person WHERE name OPERATOR(other.=) ALL (SELECT name FROM team)", "SELECT name FROM person WHERE name OPERATOR(pg_catalog.=) 'Ann'",
      "SELECT name OPERATOR(other.||) 'x' FROM person", "SELECT other.upper(name) FROM person", "SELECT pg_catalog.upper(name) FROM person",
      "SELECT other.gather(ssn) FROM person", "SELECT name FROM person ORDER BY name USING <", "SELECT name FROM person ORDER BY name COLLATE \"C\"",
      "SELECT max(name COLLATE \"C\") FROM person", "SELECT CAST(ssn AS text) FROM person", "SELECT zone::integer FROM person",
      "SELECT count(*) FROM person WHERE zone::integer = 1", "SELECT count(*) FROM person WHERE CAST(zone AS date) > DATE '2020-01-01'",
      "SELECT name FROM person WHERE to_date(zone, 'YYYY') = DATE '2020-01-01'", "SELECT sum((zone || 'x')::integer) FROM person",
      "SELECT sum(CAST(CAST(salary AS text) AS integer)) FROM person", "SELECT name::other.mood FROM person", "SELECT name::person FROM person",
      "SELECT 'person'::regclass", "SELECT '{\"a\": 1}'::json", "SELECT ARRAY[ssn] FROM person", "SELECT tags[1] FROM team", "SELECT ARRAY(SELECT ssn FROM person)",
      "SELECT format('%s', p) FROM person p", "SELECT to_jsonb(p) FROM person p", "SELECT row_to_json(p) FROM person p", "SELECT json_agg(p) FROM person p",
      "SELECT query_to_xml('SELECT ssn FROM person', true, false, '')", "SELECT XMLELEMENT(NAME a, ssn) FROM person", "SELECT current_setting('role')",
      "SELECT set_config('role', 'owner', false)", "SELECT user FROM person", "SELECT current_user", "SELECT session_user", "SELECT current_schema",
      "SELECT current_catalog", "SELECT name FROM person WHERE name = $1", "SELECT N'x'", "SELECT B'1'", "SELECT X'1F'", "SELECT 0x1F", "SELECT 1_000",
      "SELECT chr(pin) FROM person", "SELECT pg_sleep(1)", "SELECT repeat(name, 10) FROM person", "SELECT unnest(tags) FROM team", "SELECT name SIMILAR TO ssn FROM person",
      "SELECT name ~ 'A' FROM person", "SELECT name LIKE 'A!%' ESCAPE '!' FROM person", "SELECT (name, ssn) = ('a', 'b') FROM person", "SELECT name AT TIME ZONE 'x' FROM person",
      "SELECT (person_id, pin) OVERLAPS (1, 2) FROM person", "SELECT name IS NORMALIZED FROM person", "SELECT name IS JSON FROM person", "SELECT name IS DOCUMENT FROM person",
      "SELECT JSON_OBJECT('a': ssn) FROM person", "SELECT concat(VARIADIC tags) FROM team", "SELECT upper(string => name) FROM person",
      "SELECT make_date(pin, 99, 99) FROM person", "SELECT p.name FROM person p, person p2 WHERE p2 IS NOT NULL",
      "EXPLAIN SELECT 1", "SELECT 1; SELECT 2", "COPY person TO STDOUT", "DECLARE c CURSOR FOR SELECT 1", "PREPARE p AS SELECT 1", "SELECT FROM person",
      // Views that leave rows out: what could fail on one of those rows.
      "SELECT count(*) FROM busy WHERE person_id + 2147483646 > 0", "SELECT count(*) FROM busy WHERE sqrt(score - 2) > 0",
      "SELECT count(*) FROM busy WHERE ln(score - 2) > 0", "SELECT count(*) FROM busy WHERE -person_id < 0", "SELECT count(*) FROM busy WHERE CAST(person_id AS smallint) = 1",
      "SELECT count(*) FROM busy WHERE substr(zone, 1, length(zone) - 4) = ''", "SELECT count(*) FROM busy WHERE split_part(zone, 'b', length(zone) - 3) = ''",
      "SELECT count(*) FROM busy WHERE hired + 2147483600 > hired", "SELECT count(*) FROM busy WHERE power(score, 1000) > 1", "SELECT count(*) FROM busy WHERE 'x' LIKE zone || '\\'",
      "SELECT count(*) FROM busy WHERE zone LIKE 'lobby\\'", "SELECT count(*) FROM busy b WHERE (SELECT p.name FROM person p WHERE b.zone <> 'x') = 'x'",
      "SELECT count(*) FROM (SELECT person_id * 2000000000 AS n FROM busy) s WHERE n > 1", "SELECT count(*) FROM busy b JOIN team t ON b.person_id * 2000000000 = t.team_id",
      "SELECT 1 / (length(zone) - 5) FROM busy", "SELECT zone::integer FROM busy",
      "SELECT zone FROM busy GROUP BY zone HAVING length(zone) * 1000000000 > 1",
  });
  // More than the server has room for.
  const auto repeated = [](size_t count, const std::string& text) {
    std::string list = text;
    for (size_t i = 1; i < count; ++i) list += ", " + text;
    return list;
  };
  for (const bool much : {false, true}) {
    all.push_back({"SELECT " + repeated(much ? 1665 : 1664, "name") + " FROM person", !much});
    all.push_back({"SELECT " + repeated(1600, "name") + " FROM person ORDER BY score, " + repeated(much ? 80 : 1, "score + 1"), !much});
    all.push_back({"SELECT concat(" + repeated(much ? 101 : 100, "name") + ") FROM person", !much});
  }
  for (const char* text : {
           "SELECT U&\"n\\0061me\" FROM person", "SELECT NAME FROM PERSON", "SELECT \"ÉTAGE\" FROM person", "SELECT e'\\x41', U&'\\0041', $$a$$, $x$b$x$",
           "SELECT name FROM person /* /* nested */ */ -- end", "SELECT 'a'\n'b'", "SELECT name::text, CAST(person_id AS varchar(2)) FROM person",
           "SELECT name FROM person FETCH FIRST 1 ROWS ONLY", "SELECT name FROM person WHERE name = ANY (SELECT name FROM team)",
           "SELECT name FROM person WHERE zone IN (SELECT zone FROM person)", "SELECT count(salary), sum(salary), avg(salary * 1.0) FROM person",
           "SELECT sum(salary::numeric), sum(CAST(salary AS double precision)) FROM person", "SELECT name, tags, title FROM team",
           "SELECT grade::text || 'x', load + 1, alias FROM person", "WITH w AS MATERIALIZED (SELECT name FROM person) SELECT * FROM w",
           "SELECT name FROM person a WHERE EXISTS (SELECT 1 FROM team a, person x JOIN person y ON a.zone = 'x')",
           "SELECT p.name FROM person p JOIN person q USING (zone)", "SELECT \"user\".name FROM \"user\"", "SELECT name FROM \"user\" AS \"select\"",
           "SELECT name FROM busy WHERE length(zone) > 3 AND score > 1 AND zone LIKE 'l%'", "SELECT person_id + 1, sqrt(score) FROM busy", "SELECT name FROM busy GROUP BY name HAVING sum(person_id + 1) > 3 AND count(*) > 0",
           "SELECT 10 / (length(name) - 9) FROM guarded WHERE sqrt(score) > 0", "SELECT sum(score + -5), score + 5 FROM person GROUP BY score + 5",
       }) {
    all.push_back({text, true});
  }
  return all;
}

TEST(PgAttack, NothingHiddenIsReadOrShown) {
  PCCSQL_NEEDS_POSTGRES();
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.make_database("attack", schema()), "");
  auto connection = PgConnection::open(server.address("attack"));
  ASSERT_TRUE(connection) << connection.error().to_string();
  const auto catalog = read_pg_catalog(*connection, "public");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const auto policy = parse_policy_yaml(kPolicy, *catalog);
  ASSERT_TRUE(policy) << policy.error().to_string();
  PgChecker checker(*catalog);
  ServerWitness witness(*connection, *catalog);
  for (const Attack& attack : attacks()) {
    const Judgement judgement = checker.check(attack.sql, *policy);
    EXPECT_EQ(judgement.verdict == Verdict::Safe, attack.safe)
        << attack.sql << "\n  " << to_string(judgement.verdict) << ": " << judgement.reason;
    if (judgement.verdict != Verdict::Safe) continue;
    const ServerWitness::Opinion opinion = witness.ask(attack.sql);
    EXPECT_TRUE(opinion.prepares && opinion.plans && !opinion.whole_row) << attack.sql << "\n  " << opinion.message;
    for (const auto& [table, column] : opinion.columns) {
      EXPECT_NE(policy->of({table, column}), ColumnPolicy::Hidden) << attack.sql;
    }
    const PgResult rows(PQexecParams(connection->get(), attack.sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
    std::string shown = PQresultErrorMessage(rows.get());
    for (int r = 0; r < PQntuples(rows.get()); ++r) {
      for (int c = 0; c < PQnfields(rows.get()); ++c) shown += std::string(PQgetvalue(rows.get(), r, c)) + " ";
    }
    for (const char* mark : {"hidden-", "4711", "4712"}) EXPECT_EQ(shown.find(mark), std::string::npos) << attack.sql << "\n" << shown;
  }
}

// Two texts with one number each that only a sign tells apart, or that of an exponent, are not one expression.
TEST(PgAttack, GroupsByAnotherNumber) {
  PCCSQL_NEEDS_POSTGRES();
  ASSERT_EQ(PgServer::get()->make_database("attack_numbers", "CREATE TABLE t (x double precision);"), "");
  auto connection = PgConnection::open(PgServer::get()->address("attack_numbers"));
  ASSERT_TRUE(connection);
  const auto catalog = read_pg_catalog(*connection, "public");
  ASSERT_TRUE(catalog);
  PgChecker checker(*catalog);
  ServerWitness witness(*connection, *catalog);
  for (const char* sql : {"SELECT x + -5 FROM t GROUP BY x + 5", "SELECT x + 5 FROM t GROUP BY x + -5", "SELECT x + 1e-5 FROM t GROUP BY x + 1e-6",
                          "SELECT x + -5.5 FROM t GROUP BY x + 5.5"}) {
    EXPECT_FALSE(witness.ask(sql).prepares) << sql;
    EXPECT_NE(checker.analyze(sql).verdict, Verdict::Safe) << sql;
  }
  EXPECT_EQ(checker.analyze("SELECT x + -5 FROM t GROUP BY x + -5").verdict, Verdict::Safe);
}

struct Trap {
  std::string sql;    // run by the owner
  std::string named;  // what the refusal names
};

// What would be called in the place of PostgreSQL's own.
TEST(PgAttack, WhatIsTakenOverRefusesTheDatabase) {
  PCCSQL_NEEDS_POSTGRES();
  PgServer& server = *PgServer::get();
  const std::string function = "CREATE FUNCTION leak(mood) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT min(ssn) FROM public.t';";
  int made = 0;
  for (const Trap& trap : std::vector<Trap>{
           {"CREATE CAST (mood AS text) WITH FUNCTION leak(mood);", "CAST (public.mood AS text)"},
           {"CREATE CAST (mood AS text) WITH FUNCTION leak(mood) AS IMPLICIT;", "CAST (public.mood AS text)"},
           {"CREATE FUNCTION length(varchar) RETURNS integer LANGUAGE sql AS 'SELECT 1';", "length()"},
           {"CREATE FUNCTION lower(mood) RETURNS text LANGUAGE sql AS 'SELECT min(ssn) FROM public.t';", "lower()"},
           {"CREATE AGGREGATE max(mood) (SFUNC = enum_larger, STYPE = mood);", "max()"},
       }) {
    const std::string name = "attack_trap_" + std::to_string(made++);
    ASSERT_EQ(server.make_database(name, "CREATE TYPE mood AS ENUM ('A'); CREATE TABLE t (grade mood, ssn text);" + function + trap.sql), "") << trap.sql;
    const auto catalog = read_pg_catalog(server.address(name), "public");
    ASSERT_FALSE(catalog) << trap.sql;
    EXPECT_NE(catalog.error().message.find("`" + trap.named + "`"), std::string::npos) << catalog.error().message;
  }
}

// A table that PostgreSQL's own of that name hides is none that a query can name.
TEST(PgAttack, ATableNamedLikeOneOfPostgres) {
  PCCSQL_NEEDS_POSTGRES();
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.make_database("attack_names", "CREATE TABLE pg_stats (attname name, most_common_vals text); CREATE TABLE t (a integer);"), "");
  const auto catalog = read_pg_catalog(server.address("attack_names"), "public");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  EXPECT_FALSE(catalog->find_table("pg_stats"));
  PgChecker checker(*catalog);
  EXPECT_NE(checker.analyze("SELECT most_common_vals FROM pg_stats").verdict, Verdict::Safe);
}

// Texts of two collations do not compare; of one that is not deterministic there is no LIKE.
TEST(PgAttack, TextsOfOtherCollations) {
  PCCSQL_NEEDS_POSTGRES();
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.make_database("attack_collations",
                                 "CREATE TABLE t (a text, c text COLLATE \"C\", d text COLLATE \"C\", p text COLLATE \"POSIX\");"),
            "");
  auto connection = PgConnection::open(server.address("attack_collations"));
  ASSERT_TRUE(connection);
  const auto catalog = read_pg_catalog(*connection, "public");
  ASSERT_TRUE(catalog);
  PgChecker checker(*catalog);
  ServerWitness witness(*connection, *catalog);
  for (const char* sql : {"SELECT c || p FROM t ORDER BY c || p", "SELECT c FROM t UNION SELECT p FROM t", "SELECT DISTINCT coalesce(c, p) FROM t"}) {
    EXPECT_FALSE(witness.ask(sql).prepares) << sql;
    EXPECT_NE(checker.analyze(sql).verdict, Verdict::Safe) << sql;
  }
  for (const char* sql : {"SELECT c || a FROM t ORDER BY c || d", "SELECT p FROM t", "SELECT count(p) FROM t WHERE p IS NULL"}) {
    EXPECT_TRUE(witness.ask(sql).prepares) << sql;
    EXPECT_EQ(checker.analyze(sql).verdict, Verdict::Safe) << sql << checker.analyze(sql).reason;
  }
}

// The text of a dump is read with the same care as a server.
TEST(PgAttack, ADumpThatTakesNamesOver) {
  const std::string table = "CREATE TYPE public.mood AS ENUM ('A'); CREATE TABLE public.t (a text, c text COLLATE \"C\", p text COLLATE \"POSIX\","
                            " own text COLLATE public.mine, grade public.mood, ssn text); CREATE TABLE public.pg_stats (attname text);";
  const auto read = [&](const std::string& more) { return read_pg_dump(table + more, "dump.sql", "public"); };
  if (const auto first = read(""); !first && first.error().message.find("built without") != std::string::npos) GTEST_SKIP() << first.error().message;
  for (const char* more : {"CREATE FUNCTION public.upper(varchar) RETURNS text LANGUAGE sql AS 'SELECT 1';",
                           "CREATE AGGREGATE public.max(public.mood) (SFUNC = enum_larger, STYPE = public.mood);",
                           "CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = integer, FUNCTION = public.f);",
                           "CREATE CAST (public.mood AS text) WITH FUNCTION public.leak(public.mood);"}) {
    EXPECT_FALSE(read(more)) << more;
  }
  const auto catalog = read("CREATE CAST (public.mood AS json) WITH FUNCTION public.leak(public.mood);");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  EXPECT_FALSE(catalog->find_table("pg_stats"));
  PgChecker checker(*catalog);
  EXPECT_EQ(checker.analyze("SELECT a || c, p, own, grade::text FROM t").verdict, Verdict::Safe) << checker.analyze("SELECT a || c FROM t").reason;
  EXPECT_NE(checker.analyze("SELECT c || p FROM t").verdict, Verdict::Safe);
  EXPECT_NE(checker.analyze("SELECT a FROM t WHERE own = 'x'").verdict, Verdict::Safe);
}

// A view of another schema, and one that reads all rows of a table but for its children, leaves rows out.
TEST(PgAttack, ViewsThatLeaveRowsOut) {
  PCCSQL_NEEDS_POSTGRES();
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.make_database("attack_views",
                                 "CREATE TABLE t (a text); CREATE SCHEMA other; CREATE VIEW other.t AS SELECT a FROM public.t WHERE a <> 'x';"
                                 "CREATE VIEW whole AS SELECT a FROM t; CREATE VIEW elsewhere AS SELECT a FROM other.t;"
                                 "CREATE VIEW alone AS SELECT a FROM ONLY t;"),
            "");
  const auto catalog = read_pg_catalog(server.address("attack_views"), "public");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  EXPECT_FALSE(catalog->table(*catalog->find_table("whole")).leaky_view);
  EXPECT_TRUE(catalog->table(*catalog->find_table("elsewhere")).leaky_view);
  EXPECT_TRUE(catalog->table(*catalog->find_table("alone")).leaky_view);
}

}  // namespace
}  // namespace pccsql
