// The fence of PostgreSQL by itself: what no judge has looked at is put to it, and is refused or has no effect.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "exec/pg_role.h"
#include "exec/pg_runner.h"
#include "exec/pg_witness.h"
#include "policy/policy_file.h"
#include "postgres/server.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

constexpr const char* kSchema = R"(
CREATE TABLE person (id integer PRIMARY KEY, name text, salary integer, ssn text, zone text);
INSERT INTO person VALUES (1, 'Ann', 120000, '111-11-1111', 'lab'), (2, 'Bob', 80000, '222-22-2222', 'lobby');
CREATE TABLE secret (what text);
INSERT INTO secret VALUES ('hidden-word');
CREATE TABLE note (id integer PRIMARY KEY, owner text, text text);
INSERT INTO note VALUES (1, 'asker', 'mine'), (2, 'boss', 'not-mine');
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON note USING (owner = current_user);
CREATE VIEW all_people AS SELECT name FROM person;
CREATE SEQUENCE counter;
ANALYZE person;
CREATE FUNCTION ssn_of(integer) RETURNS text LANGUAGE sql STABLE AS 'SELECT ssn FROM person WHERE id = $1';
)";

constexpr const char* kPolicy = R"(
version: 1
tables:
  person: {id: Public, name: Public, salary: AggregateOnly, ssn: Hidden, zone: ConditionOnly}
  note: {"*": Public}
  all_people: {name: Public}
)";

class Fence : public testing::Test {
 protected:
  void SetUp() override {
    PCCSQL_NEEDS_POSTGRES();
    PgServer& server = *PgServer::get();
    name_ = "fence_" + std::to_string(made()++);
    ASSERT_EQ(server.make_database(name_, kSchema), "");
    auto catalog = read_pg_catalog(server.address(name_), "public");
    ASSERT_TRUE(catalog) << catalog.error().to_string();
    catalog_ = std::make_unique<Catalog>(std::move(*catalog));
    auto policy = parse_policy_yaml(kPolicy, *catalog_);
    ASSERT_TRUE(policy) << policy.error().to_string();
    policy_ = std::make_unique<Policy>(std::move(*policy));
    role_ = "asker_" + name_;
    ASSERT_EQ(server.run(name_, grants_for(role_, name_, "public", *catalog_, *policy_)), "");
  }

  static int& made() {
    static int count = 0;
    return count;
  }
  std::unique_ptr<PgRunner> open(RunLimits limits = {}) {
    auto runner = PgRunner::open(PgServer::get()->address(name_, role_), "public", *catalog_, *policy_, limits);
    EXPECT_TRUE(runner) << runner.error().to_string();
    return runner ? std::move(*runner) : nullptr;
  }
  std::string opening(const std::string& role) {
    auto runner = PgRunner::open(PgServer::get()->address(name_, role), "public", *catalog_, *policy_);
    return runner ? "" : runner.error().message;
  }

  std::string name_, role_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Policy> policy_;
};

TEST_F(Fence, RunsAQuery) {
  auto runner = open();
  ASSERT_TRUE(runner);
  const auto rows = runner->run("SELECT name, id, 1.5, NULL, true FROM person");
  ASSERT_TRUE(rows) << rows.error().to_string();
  EXPECT_EQ(rows->columns.size(), 5u);
  ASSERT_EQ(rows->rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(rows->rows[0][0]), "Ann");
  EXPECT_EQ(std::get<int64_t>(rows->rows[0][1]), 1);
  EXPECT_EQ(std::get<double>(rows->rows[0][2]), 1.5);
  EXPECT_TRUE(std::holds_alternative<Null>(rows->rows[0][3]));
  EXPECT_EQ(std::get<std::string>(rows->rows[0][4]), "true");
  const auto average = runner->run("SELECT AVG(salary) FROM person;");
  ASSERT_TRUE(average) << average.error().to_string();
  const auto ordered = runner->run("SELECT name FROM person ORDER BY name DESC");
  ASSERT_TRUE(ordered);
  EXPECT_EQ(std::get<std::string>(ordered->rows[0][0]), "Bob");
}

TEST_F(Fence, RefusesRolesWithMoreRightsThanItNeeds) {
  PgServer& server = *PgServer::get();
  EXPECT_NE(opening("owner").find("superuser"), std::string::npos) << opening("owner");
  const auto role = [&](const std::string& name, const std::string& rights) {
    EXPECT_EQ(server.run(name_, "CREATE ROLE " + name + " LOGIN;" + rights), "");
    return opening(name);
  };
  EXPECT_NE(role("reader_" + name_, "GRANT SELECT ON person TO reader_" + name_ + ";").find("person.ssn"),
            std::string::npos);
  EXPECT_NE(role("maker_" + name_, "GRANT CREATE ON SCHEMA public TO maker_" + name_ + ";").find("CREATE"),
            std::string::npos);
  EXPECT_NE(role("files_" + name_, "GRANT pg_read_server_files TO files_" + name_ + ";").find("pg_read_server_files"),
            std::string::npos);
  EXPECT_NE(role("passer_" + name_, "ALTER ROLE passer_" + name_ + " BYPASSRLS;").find("row-level"), std::string::npos);
  EXPECT_NE(role("writer_" + name_, "GRANT INSERT ON secret TO writer_" + name_ + ";").find("write"),
            std::string::npos);
}

// Nobody has judged these. Each is refused, or gives nothing away and changes nothing.
TEST_F(Fence, StopsWhatNoJudgeHasSeen) {
  auto runner = open();
  ASSERT_TRUE(runner);
  const std::vector<std::string> texts{
      "SELECT ssn FROM person",
      "SELECT * FROM person",
      "SELECT p FROM person p",
      "SELECT p.ssn_of FROM (SELECT ssn_of(1)) p",
      "SELECT ssn_of(1)",
      "SELECT what FROM secret",
      "SELECT COUNT(*) FROM secret",
      "WITH x AS (SELECT ssn FROM person) SELECT * FROM x",
      "SELECT query_to_xml('SELECT ssn FROM person', true, false, '')",
      "SELECT table_to_xml('secret', true, false, '')",
      "SELECT schema_to_xml('public', true, false, '')",
      "SELECT pg_read_file('PG_VERSION')",
      "SELECT pg_ls_dir('.')",
      "SELECT lo_import('/etc/hostname')",
      "SELECT nextval('counter')",
      "SELECT last_value FROM counter",
      "SELECT pg_terminate_backend(pg_backend_pid())",
      "INSERT INTO note VALUES (3, 'x', 'y')",
      "INSERT INTO note VALUES (3, 'x', 'y') RETURNING id",
      "UPDATE person SET name = 'x' RETURNING name",
      "WITH d AS (DELETE FROM person RETURNING *) SELECT * FROM d",
      "SELECT 1; SELECT 2",
      "SELECT 1; COMMIT",
      "COMMIT",
      "ROLLBACK",
      "SET ROLE owner",
      "SET search_path = pg_catalog",
      "SHOW server_version",
      "COPY person TO STDOUT",
      "COPY (SELECT name FROM person) TO PROGRAM 'true'",
      "EXPLAIN ANALYZE SELECT 1",
      "CREATE TEMPORARY TABLE person (id integer)",
      "SELECT name INTO TEMPORARY TABLE t FROM person",
      "LISTEN x",
      "NOTIFY x",
      "DO 'BEGIN END'",
      "SELECT name FROM person FOR UPDATE",
      "SELECT name FROM person WHERE id = $1",
      "PREPARE p AS SELECT 1",
      "FETCH ALL FROM pccsql",
      "SELECT lo_create(0)",
      "SELECT database_to_xml(true, false, '')",
      "SELECT query_to_xml_and_xmlschema('SELECT ssn FROM person', true, false, '')",
      "SELECT cursor_to_xml('pccsql', 1, true, false, '')",
      "SELECT * FROM ts_stat('SELECT to_tsvector(ssn) FROM person')",
      "SELECT ts_rewrite('a'::tsquery, 'SELECT to_tsquery(ssn), to_tsquery(ssn) FROM person')",
      "SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE attname = 'ssn'",
      "SELECT pg_get_functiondef('ssn_of'::regproc)",
      "SELECT pg_relation_filepath('person'), pg_stat_file('PG_VERSION')",
      "SELECT pg_read_binary_file('PG_VERSION')",
      "SELECT lo_get(1)",
      "SELECT lo_export(1, '/tmp/pccsql-never')",
      "SELECT pg_notify('channel', 'x')",
      "SELECT pg_advisory_lock(7)",
      "SELECT pg_logical_emit_message(true, 'a', 'b')",
      "SELECT pg_cancel_backend(0)",
      "SELECT pg_reload_conf()",
      "SELECT pg_switch_wal()",
      "SELECT setval('counter', 9)",
      "SELECT set_config('role', 'owner', false), (SELECT ssn FROM person LIMIT 1)",
      "SELECT set_config('transaction_read_only', 'off', false)",
      "CALL nothing()",
      "EXPLAIN SELECT ssn FROM person",
      "VACUUM",
      "DISCARD ALL",
      "BEGIN",
      "SAVEPOINT x",
      "RELEASE SAVEPOINT pccsql",
      "LOCK TABLE person",
      "TABLE secret",
      "VALUES (1); DROP TABLE person",
      "SELECT name FROM person WHERE id = 1 UNION SELECT ssn FROM person",
      "SELECT text FROM note WHERE text = 'not-mine' AND 1 = pg_sleep(0)::text::integer",
  };
  for (const std::string& text : texts) {
    const auto rows = runner->run(text);
    std::string shown;
    if (rows) {
      for (const auto& row : rows->rows) {
        for (const Value& value : row) {
          if (const auto* string = std::get_if<std::string>(&value)) shown += *string + " ";
        }
      }
    } else {
      shown = rows.error().message;
    }
    for (const char* mark : {"111-11", "222-22", "hidden-word", "not-mine"}) {
      EXPECT_EQ(shown.find(mark), std::string::npos) << text << "\n" << shown;
    }
    // Undone by ROLLBACK; of what the role may read anyway; no row that row-level security lets through.
    bool harmless = false;
    for (const char* part : {"lo_create", "schema_to_xml", "database_to_xml", "FROM note", "pg_stats", "pg_get_functiondef",
                             "pg_notify", "pg_advisory_lock", "pg_logical_emit_message", "pg_cancel_backend"}) {
      harmless |= text.find(part) != std::string::npos;
    }
    EXPECT_TRUE(!rows || harmless) << text;
  }
  // Nothing has changed, and the runner still answers.
  const auto after = runner->run("SELECT COUNT(*) FROM person WHERE name IN ('Ann', 'Bob')");
  ASSERT_TRUE(after) << after.error().to_string();
  EXPECT_EQ(std::get<int64_t>(after->rows[0][0]), 2);
  EXPECT_EQ(PgServer::get()->run(name_,
                                 "SELECT 1 / (CASE WHEN (SELECT COUNT(*) FROM pg_largeobject_metadata) = 0 AND "
                                 "(SELECT COUNT(*) FROM note) = 2 AND (SELECT COUNT(*) FROM pg_locks WHERE locktype = "
                                 "'advisory') = 0 AND NOT (SELECT is_called FROM counter) THEN 1 ELSE 0 END);"),
            "");
}

TEST_F(Fence, SettingsDoNotOutliveTheQuery) {
  auto runner = open();
  ASSERT_TRUE(runner);
  ASSERT_TRUE(runner->run("SELECT set_config('search_path', 'pg_catalog', false), set_config('role', 'none', false)"));
  const auto path = runner->run("SELECT current_setting('search_path')");
  ASSERT_TRUE(path);
  EXPECT_EQ(std::get<std::string>(path->rows[0][0]), "public, pg_temp");
  ASSERT_TRUE(runner->run("SELECT set_config('statement_timeout', '0', false)"));
  const auto time = runner->run("SELECT current_setting('statement_timeout')");
  ASSERT_TRUE(time);
  EXPECT_NE(std::get<std::string>(time->rows[0][0]), "0");
}

TEST_F(Fence, RowLevelSecurityHolds) {
  auto runner = open();
  ASSERT_TRUE(runner);
  const auto rows = runner->run("SELECT text FROM note");
  ASSERT_TRUE(rows) << rows.error().to_string();
  EXPECT_TRUE(rows->rows.empty());
}

TEST_F(Fence, LimitsHold) {
  RunLimits limits;
  limits.time = std::chrono::milliseconds(1000);
  limits.rows = 100;
  limits.memory = 1 << 20;
  auto runner = open(limits);
  ASSERT_TRUE(runner);
  const auto begun = std::chrono::steady_clock::now();
  const auto slow = runner->run("SELECT pg_sleep(30)");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  ASSERT_FALSE(slow);
  EXPECT_NE(slow.error().message.find("over the time limit"), std::string::npos) << slow.error().message;
  EXPECT_LT(took.count(), 5);
  const auto many = runner->run("SELECT * FROM generate_series(1, 101)");
  ASSERT_FALSE(many);
  EXPECT_NE(many.error().message.find("row limit"), std::string::npos);
  EXPECT_TRUE(runner->run("SELECT * FROM generate_series(1, 100)"));
  const auto large = runner->run("SELECT repeat('x', 2000000)");
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().message.find("memory limit"), std::string::npos);

  std::atomic<bool> stop{false};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = true;
  });
  RunLimits patient;
  patient.time = std::chrono::milliseconds(30'000);
  auto second = open(patient);
  const auto cancelled = second->run("SELECT pg_sleep(30)", &stop);
  other.join();
  ASSERT_FALSE(cancelled);
  EXPECT_NE(cancelled.error().message.find("stopped"), std::string::npos) << cancelled.error().message;
  EXPECT_TRUE(second->run("SELECT 1"));
}

// What an error would print stays with the server.
TEST_F(Fence, ErrorsShowNoValue) {
  auto runner = open();
  ASSERT_TRUE(runner);
  for (const char* text : {"SELECT COUNT(*) FROM person WHERE zone::integer = 1", "SELECT zone::date FROM person",
                           "SELECT make_date(salary, 99, 99) FROM person", "SELECT 1 / (salary - 80000) FROM person",
                           "SELECT name FROM persn", "SELECT nme FROM person", "SELEC"}) {
    const auto rows = runner->run(text);
    ASSERT_FALSE(rows) << text;
    for (const char* mark : {"lab", "lobby", "120000", "80000"}) {
      EXPECT_EQ(rows.error().message.find(mark), std::string::npos) << text << "\n" << rows.error().message;
    }
  }
}

TEST_F(Fence, ASchemaThatHasChangedIsNotAsked) {
  auto runner = open();
  ASSERT_TRUE(runner);
  ASSERT_TRUE(runner->run("SELECT name FROM person"));
  // `name` would now show what was hidden.
  ASSERT_EQ(PgServer::get()->run(name_,
                                 "ALTER TABLE person DROP COLUMN name CASCADE; ALTER TABLE person RENAME ssn TO name;"
                                 "GRANT SELECT ON person TO " +
                                     role_ + ";"),
            "");
  const auto rows = runner->run("SELECT name FROM person");
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().message, kSchemaChanged);
}

TEST_F(Fence, ATemporaryTableTakesNoName) {
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.run(name_, "GRANT TEMPORARY ON DATABASE " + name_ + " TO " + role_ + ";"), "");
  auto runner = open();
  ASSERT_TRUE(runner);
  // In one session: pg_temp stands last in the path.
  EXPECT_FALSE(runner->run("CREATE TEMPORARY TABLE all_people AS SELECT 'x'::text AS name"));
  const auto rows = runner->run("SELECT COUNT(*) FROM all_people");
  ASSERT_TRUE(rows);
  EXPECT_EQ(std::get<int64_t>(rows->rows[0][0]), 2);
}

TEST_F(Fence, NamesThatAreTakenOverRefuseTheDatabase) {
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.run(name_,
                       "CREATE FUNCTION upper(varchar) RETURNS text LANGUAGE sql AS 'SELECT ssn FROM person LIMIT 1';"
                       "CREATE FUNCTION eq(text, integer) RETURNS boolean LANGUAGE sql AS 'SELECT true';"
                       "CREATE OPERATOR = (LEFTARG = text, RIGHTARG = integer, FUNCTION = eq);"),
            "");
  const auto catalog = read_pg_catalog(server.address(name_), "public");
  ASSERT_FALSE(catalog);
  EXPECT_NE(catalog.error().message.find("`upper()`"), std::string::npos) << catalog.error().message;
  EXPECT_NE(catalog.error().message.find("`=`"), std::string::npos) << catalog.error().message;
}

TEST_F(Fence, GoesOnAfterTheServerWasRestarted) {
  auto runner = open();
  ASSERT_TRUE(runner);
  ASSERT_TRUE(runner->run("SELECT 1"));
  std::thread killer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    PgServer::get()->restart();
  });
  const auto lost = runner->run("SELECT pg_sleep(8)");
  killer.join();
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message.find("connection"), std::string::npos) << lost.error().message;
  const auto again = runner->run("SELECT name FROM person");
  EXPECT_TRUE(again) << again.error().to_string();
}

TEST_F(Fence, TheWitnessTellsWhatTheServerTakes) {
  auto witness = PgWitness::open(PgServer::get()->address(name_, role_), "public");
  ASSERT_TRUE(witness) << witness.error().to_string();
  const auto takes = [&](const char* sql) {
    const auto answer = witness->takes(sql);
    return answer && *answer;
  };
  EXPECT_TRUE(takes("SELECT name FROM person"));
  EXPECT_TRUE(takes("COPY person TO STDOUT"));
  EXPECT_FALSE(takes("SELECT nme FROM person"));
  EXPECT_FALSE(takes("SELECT 1; SELECT 2"));
  EXPECT_FALSE(takes("SELECT a.id FROM person a FULL JOIN person b ON a.id > b.id"));
}

}  // namespace
}  // namespace pccsql
