// The program on a PostgreSQL server: queries of one's own and of a model, policies from and for the server, and what is said
// where something is missing.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "apps/endpoint.h"
#include "apps/program.h"
#include "base/file.h"
#include "postgres/server.h"

namespace pccsql {
namespace {

using nlohmann::json;

constexpr const char* kSchema = R"(
CREATE TYPE rank AS ENUM ('low', 'it''s high');
CREATE TABLE staff (id integer PRIMARY KEY, name text, "user" text, rank rank, salary integer, zone varchar(20), tags text[],
  hired timestamp with time zone, ssn text);
INSERT INTO staff SELECT i, 'N' || i, 'U' || i, CASE WHEN i = 20 THEN 'it''s high' ELSE 'low' END::rank, 1000 + i, 'zone-secret',
  ARRAY['x'], now(), 'S' || i FROM generate_series(1, 20) i;
CREATE VIEW names AS SELECT name FROM staff;
COMMENT ON COLUMN staff.ssn IS 'tax; pccsql: Hidden';
CREATE SCHEMA other;
CREATE TABLE other.thing (id integer PRIMARY KEY, label text);
INSERT INTO other.thing VALUES (1, 'lamp');
)";

constexpr const char* kPolicy = R"(version: 1
min_group: 5
tables:
  staff: {id: ConditionOnly, name: Public, user: Public, rank: Public, salary: AggregateOnly, zone: ConditionOnly, tags: Public,
    hired: Public, ssn: Hidden}
  names: {"*": Public}
)";

class PgProgram : public testing::Test {
 protected:
  void SetUp() override {
    PCCSQL_NEEDS_POSTGRES();
    PgServer& server = *PgServer::get();
    policy_ = scratch_.file("policy.yaml", kPolicy);
    static bool made = false;
    if (made) return;
    made = true;
    ASSERT_EQ(server.make_database("company", kSchema), "");
    const Ran grants = pccsql({"policy", "grants", "--db", owner(), "--policy", policy_, "--role", "asker"});
    ASSERT_EQ(grants.status, 0) << grants.err;
    ASSERT_EQ(server.run("company", grants.out), "");
  }
  static std::string owner() { return PgServer::get()->address("company"); }
  static std::string asker() { return PgServer::get()->address("company", "asker"); }
  Ran query(const std::string& sql, const std::vector<std::string>& more = {}) const {
    return pccsql(joined({"query", "--db", asker(), "--policy", policy_, sql}, more));
  }

  Scratch scratch_;
  std::string policy_;
};

TEST_F(PgProgram, RunsAQueryWithinThePolicy) {
  const Ran one = query("SELECT name, rank FROM staff WHERE \"user\" = 'U7'");
  EXPECT_EQ(one.status, 0) << one.err << one.out;
  EXPECT_NE(one.out.find("N7"), std::string::npos) << one.out;
  const Ran groups = query("SELECT rank, AVG(salary) FROM staff GROUP BY rank", {"--format", "json"});
  EXPECT_EQ(groups.status, 3) << groups.err;
  const json answer = json::parse(groups.out);
  EXPECT_EQ(answer["kind"], "partial");
  EXPECT_EQ(answer["rows"], json::parse(R"([["low", 1010]])"));
  EXPECT_EQ(answer["left_out"], "Groups of fewer than 5 staffs are left out, and nobody is counted twice.");
  EXPECT_EQ(query("SELECT AVG(salary) FROM staff WHERE name = 'N1'").status, 1);
  EXPECT_EQ(query("SELECT salary FROM staff").status, 1);
  EXPECT_EQ(query("SELECT * FROM pg_stats").status, 1);
}

// Neither values nor words of the server.
TEST_F(PgProgram, SaysOfAFailingQueryOnlyWhatSortItIs) {
  const std::string open = scratch_.file("open.yaml", "version: 1\ntables:\n  staff: {zone: Public, name: Public}\n");
  ASSERT_EQ(PgServer::get()->run("company", "CREATE ROLE zoner LOGIN; GRANT SELECT (zone, name) ON staff TO zoner;"), "");
  const Ran run = pccsql({"query", "--db", PgServer::get()->address("company", "zoner"), "--policy", open,
                          "SELECT CAST(zone AS integer) FROM staff"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE((run.out + run.err).find("the data does not fit the query"), std::string::npos) << run.out << run.err;
  EXPECT_EQ((run.out + run.err).find("zone-secret"), std::string::npos) << run.out << run.err;
}

TEST_F(PgProgram, RefusesARoleThatMayDoMore) {
  const Ran run = pccsql({"query", "--db", owner(), "--policy", policy_, "SELECT name FROM staff"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("superuser"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("pccsql policy grants"), std::string::npos) << run.err;
  // What is not run needs no such role.
  EXPECT_EQ(pccsql({"query", "--no-run", "--db", owner(), "--policy", policy_, "SELECT name FROM staff"}).status, 0);
}

TEST_F(PgProgram, AsksAModelThatKnowsTheDialect) {
  Endpoint endpoint("SELECT name, AVG(salary) FROM staff GROUP BY name, rank HAVING COUNT(*) > 0");
  for (const char* method : {"direct", "retry"}) {
    const Ran run = pccsql(joined({"ask", "--db", asker(), "--policy", policy_, "--format", "json", "Who earns what?"},
                                  endpoint.model(method)));
    EXPECT_EQ(run.status, 1) << run.err;
    EXPECT_EQ(json::parse(run.out)["kind"], "refused") << run.out;  // each group is one person
  }
  const json request = json::parse(endpoint.last_request());
  const std::string system = request["messages"][0]["content"], user = request["messages"][1]["content"];
  EXPECT_NE(system.find("one PostgreSQL query"), std::string::npos) << system;
  EXPECT_EQ(system.find("SQLite"), std::string::npos) << system;
  EXPECT_NE(user.find("CREATE TYPE rank AS ENUM ('low', 'it''s high');"), std::string::npos) << user;
  for (const char* line : {"  \"user\" text, -- Public", "  rank rank, -- Public", "  zone character varying(20), -- ConditionOnly",
                           "  tags text[], -- Public", "  hired timestamp with time zone, -- Public"}) {
    EXPECT_NE(user.find(line), std::string::npos) << line << "\n" << user;
  }

  Endpoint fine("```sql\nSELECT name FROM staff WHERE zone LIKE 'zone%' ORDER BY name LIMIT 2\n```");
  const Ran run = pccsql(joined({"ask", "--db", asker(), "--policy", policy_, "--format", "csv", "Who?"}, fine.model()));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "name\r\nN1\r\nN10\r\n");
}

TEST_F(PgProgram, SaysWhatIsMissingAndWhatWillDo) {
  const Ran run = pccsql({"ask", "--db", asker(), "--policy", policy_, "Who?"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("`--method pcc` writes with a mask"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("`--method direct`"), std::string::npos) << run.err;
  const Ran paper = pccsql({"ask", "--profile", "paper", "--method", "direct", "--db", asker(), "--policy", policy_, "Who?"});
  EXPECT_EQ(paper.status, 2);
  EXPECT_NE(paper.err.find("`strict`"), std::string::npos) << paper.err;
}

TEST_F(PgProgram, FindsTheServerAsOtherClientsDo) {
  const std::vector<std::string> environment{"PGHOST=" + PgServer::get()->folder(), "PGUSER=asker"};
  const Ran run = pccsql({"query", "--db", "dbname=company", "--policy", policy_, "SELECT name FROM staff WHERE id = 3"}, {}, environment);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("N3"), std::string::npos) << run.out;
  const std::string services = scratch_.file("services", "[company]\nhost=" + PgServer::get()->folder() + "\ndbname=company\nuser=owner\n");
  const Ran judged = pccsql({"check", "--db", "service=company", "--policy", policy_, "SELECT name FROM staff"}, {}, {"PGSERVICEFILE=" + services});
  EXPECT_EQ(judged.status, 0) << judged.err;
  const std::string other = scratch_.file("other.yaml", "version: 1\ntables:\n  thing: {\"*\": Public}\n");
  const Ran there = pccsql({"check", "--db", owner(), "--schema-name", "other", "--policy", other, "SELECT label FROM thing"});
  EXPECT_EQ(there.status, 0) << there.err << there.out;
  EXPECT_EQ(pccsql({"check", "--db", owner(), "--schema-name", "other", "--policy", policy_, "SELECT 1"}).status, 2);
}

TEST_F(PgProgram, NeverRepeatsAPassword) {
  for (const char* address : {"postgresql://asker:pass-word@127.0.0.1:1/company", "postgresql://asker:pass-word@[company",
                              "postgresql://asker:pass-word%zz@host/company", "host=127.0.0.1 port=1 password=pass-word dbname",
                              "postgresql://127.0.0.1:1/company?password=pass-word"}) {
    for (const char* command : {"check", "query"}) {
      const Ran run = pccsql({command, "--db", address, "--policy", policy_, "SELECT 1"});
      EXPECT_EQ(run.status, 2) << address;
      EXPECT_EQ((run.out + run.err).find("pass-word"), std::string::npos) << run.out << run.err;
    }
  }
}

TEST_F(PgProgram, ReadsPoliciesFromTheServer) {
  const Ran import = pccsql({"policy", "import", "--db", owner(), "--role", "asker"});
  EXPECT_EQ(import.status, 0) << import.err;
  const std::string imported = scratch_.file("imported.yaml", import.out);
  EXPECT_EQ(pccsql({"check", "--db", owner(), "--policy", imported, "SELECT name, salary FROM staff"}).status, 0);
  EXPECT_EQ(pccsql({"check", "--db", owner(), "--policy", imported, "SELECT ssn FROM staff"}).status, 1);
  // A comment closes what a file opens.
  const std::string open = scratch_.file("open.yaml", "version: 1\ndefault: Public\n");
  EXPECT_EQ(pccsql({"check", "--db", owner(), "--policy", open, "SELECT ssn FROM staff"}).status, 1);
  ASSERT_EQ(PgServer::get()->run("company", "CREATE ROLE narrow LOGIN; GRANT SELECT (name) ON staff TO narrow;"), "");
  const Ran lint = pccsql({"policy", "lint", "--db", PgServer::get()->address("company", "narrow"), "--policy", open, "--format", "json"});
  EXPECT_EQ(lint.status, 1);
  EXPECT_NE(lint.out.find("\"grant\""), std::string::npos) << lint.out << lint.err;
  const Ran first = pccsql({"policy", "init", "--db", owner()});
  EXPECT_EQ(first.status, 0);
  EXPECT_NE(first.out.find("    salary: AggregateOnly"), std::string::npos) << first.out;
}

// What names and types do not tell, some rows do.
TEST_F(PgProgram, LooksAtTheData) {
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.make_database("looked_at", R"(
CREATE TABLE thing (id integer PRIMARY KEY, kind text, remark text, label text, worth integer, blob bytea, place point);
INSERT INTO thing SELECT i, 'k' || i % 5, 'who' || i || '@example.org', 'L' || i, 100 + i, 'x', point(1, i) FROM generate_series(1, 300) i;
CREATE TABLE large (id integer PRIMARY KEY, kind text);
INSERT INTO large SELECT i, 'a person''s mail is p' || i || '@example.org' FROM generate_series(1, 100000) i;
ANALYZE;
)"),
            "");
  const std::string address = server.address("looked_at");
  const Ran with = pccsql({"policy", "init", "--db", address}), without = pccsql({"policy", "init", "--db", address, "--no-data"});
  EXPECT_EQ(with.status, 0) << with.err;
  const auto label = [](const std::string& yaml, const std::string& column, size_t from = 0) {
    const size_t at = yaml.find("    " + column + ": ", from) + 6 + column.size();
    return yaml.substr(at, yaml.find_first_of(" \n", at) - at);
  };
  EXPECT_EQ(label(with.out, "remark"), "Hidden") << with.out;
  EXPECT_NE(with.out.find("e-mail"), std::string::npos) << with.out;
  EXPECT_EQ(without.out.find("e-mail addresses"), std::string::npos) << without.out;
  EXPECT_EQ(label(without.out, "kind"), "Public") << without.out;
  EXPECT_EQ(label(with.out, "kind", with.out.find("  large:")), "Hidden") << with.out;

  const std::string policy = scratch_.file("looked.yaml", R"(version: 1
min_group: 5
tables:
  thing: {id: ConditionOnly, kind: Public, label: Public, worth: AggregateOnly}
)");
  const Ran lint = pccsql({"policy", "lint", "--db", address, "--policy", policy});
  EXPECT_NE(lint.out.find("`thing.label` is Public, and in these data every value of it stands for one entity"), std::string::npos)
      << lint.out << lint.err;
  EXPECT_EQ(lint.out.find("`thing.kind` is Public"), std::string::npos) << lint.out;
}

TEST_F(PgProgram, LintKnowsTheRoleOfQuestions) {
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.make_database("linted", R"(
CREATE TABLE staff (id integer PRIMARY KEY, name text, ssn text);
ALTER TABLE staff ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION ssn_of(integer) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT ssn FROM staff WHERE id = $1';
CREATE ROLE lint_asker LOGIN; GRANT SELECT (id) ON staff TO lint_asker; GRANT USAGE ON SCHEMA public TO lint_asker;
CREATE ROLE lint_passer LOGIN BYPASSRLS;
CREATE EXTENSION file_fdw;
)"),
            "");
  const std::string policy = scratch_.file("linted.yaml", "version: 1\ntables:\n  staff: {id: Public, name: Public}\n");
  const Ran lint = pccsql({"policy", "lint", "--db", server.address("linted"), "--role", "lint_asker", "--policy", policy});
  EXPECT_EQ(lint.status, 1) << lint.err;
  for (const char* part : {"`staff.name` is Public, but role `lint_asker` may not read it", "lint_passer (BYPASSRLS)",
                           "`ssn_of(integer)` runs with the rights of its owner (SECURITY DEFINER), and role `lint_asker`", "`file_fdw`"}) {
    EXPECT_NE(lint.out.find(part), std::string::npos) << part << "\n" << lint.out;
  }
  const Ran owner = pccsql({"policy", "lint", "--db", server.address("linted"), "--policy", policy});
  EXPECT_NE(owner.out.find("passes the row-level security of staff by"), std::string::npos) << owner.out;
  EXPECT_NE(owner.out.find("and everybody may call it"), std::string::npos) << owner.out;
  const Ran nobody = pccsql({"policy", "lint", "--db", server.address("linted"), "--role", "nobody_there", "--policy", policy});
  EXPECT_EQ(nobody.status, 2);
  EXPECT_NE(nobody.err.find("no role `nobody_there`"), std::string::npos) << nobody.err;
}

// A suite of SQLite files put onto the server, asked with a model, and compared with its gold there.
TEST_F(PgProgram, RunsASuite) {
  PgServer& server = *PgServer::get();
  const std::string ddl = "CREATE TABLE \"staff\" (\"id\" integer, \"name\" text, \"salary\" integer, \"ssn\" text, PRIMARY KEY (\"id\"));\n";
  ASSERT_EQ(server.make_database("spider_company", ddl + "INSERT INTO staff SELECT i, 'N' || i, 1000 + i, 'S' || i FROM generate_series(1, 9) i;"), "");
  const std::string policy = R"({"version": 1, "default": "Hidden", "tables": {"Staff": {"*": "Public", "Salary": "AggregateOnly", "SSN": "Hidden"}}})";
  const auto question = [&](const std::string& index, const std::string& sql) {
    return R"({"id": "spider-dev-)" + index + R"(", "db_id": "company", "db_path": "x.sqlite", "question": "Who?", "evidence": null, "gold_sql": ")" +
           sql + R"(", "gold_label": "sql", "policy": )" + policy + "}\n";
  };
  const std::string old = scratch_.file("old.jsonl", R"({"suite": "spider-cu", "version": 1, "profile": "paper", "settings": {}, "questions": 4,
"execution": true, "data": "/nowhere", "databases": [{"db_id": "company", "table_names_original": ["Staff"], "column_names_original":
[[-1, "*"], [0, "Id"], [0, "Name"], [0, "Salary"], [0, "SSN"]], "column_types": ["text", "number", "text", "number", "text"],
"primary_keys": [1], "foreign_keys": []}]})");
  std::string text = *read_file(old);
  std::erase(text, '\n');
  text += "\n" + question("0", "SELECT name FROM staff") + question("1", "SELECT ssn FROM staff") + question("2", "SELECT 1 +") +
          question("3", "SELECT name FROM staff");
  ASSERT_TRUE(write_file(old, text));
  const std::string folder = scratch_.path("port");
  std::filesystem::create_directories(folder + "/cleaned");
  ASSERT_TRUE(write_file(folder + "/cleaned/spider_company.sql", ddl));
  const auto ported = [](int index, const std::string& sql) {
    return R"({"form": "cleaned", "split": "spider-dev", "index": )" + std::to_string(index) + R"(, "db": "spider_company", "sql": ")" + sql + "\"}\n";
  };
  ASSERT_TRUE(write_file(folder + "/gold.jsonl", ported(0, "SELECT name FROM staff") + ported(1, "SELECT ssn FROM staff") + ported(2, "SELECT 1 +")));

  const std::string suite = scratch_.path("suite.jsonl"), run = scratch_.path("run.jsonl");
  std::string pattern = server.address("spider_company");
  pattern.replace(pattern.rfind("spider_company"), 14, "{db}");
  const Ran built = pccsql({"suite", "build", "postgresql", "--suite", old, "--port", folder, "--db", pattern, "--out", suite});
  EXPECT_EQ(built.status, 0) << built.err;
  EXPECT_NE(built.out.find("2 questions, 1 sql, 1 refuse, 1 databases, 2 left out"), std::string::npos) << built.out;
  const Ran stats = pccsql({"suite", "stats", suite});
  EXPECT_EQ(stats.status, 0) << stats.err;

  Endpoint endpoint("SELECT name FROM staff ORDER BY name DESC");
  const Ran asked = pccsql(joined({"eval", "run", "--suite", suite, "--out", run}, endpoint.model("direct")));
  EXPECT_EQ(asked.status, 0) << asked.err << asked.out;
  EXPECT_NE(asked.out.find("2 of 2 questions"), std::string::npos) << asked.out;
  const std::string lines = *read_file(run);
  EXPECT_NE(lines.find("\"safe_sql\""), std::string::npos) << lines;
  EXPECT_NE(lines.find("\"multiset\":true"), std::string::npos) << lines;
  EXPECT_EQ(pccsql({"eval", "report", run}).status, 0);
  const Ran masked = pccsql(joined({"eval", "run", "--suite", suite, "--out", scratch_.path("other.jsonl")}, endpoint.model("pcc")));
  EXPECT_EQ(masked.status, 2);
  EXPECT_NE(masked.err.find("a suite on PostgreSQL takes `direct`"), std::string::npos) << masked.err;
}

TEST_F(PgProgram, JudgesByTheTextOfADump) {
  const Ran dump = run_command({"pg_dump", "-s", "-d", owner()});
  if (dump.status != 0) GTEST_SKIP() << "no pg_dump: " << dump.err;
  const std::string file = scratch_.file("dump.sql", dump.out);
  const auto status = [&](const char* sql) {
    return pccsql({"check", "--schema", file, "--dialect", "postgresql", "--policy", policy_, sql}).status;
  };
  EXPECT_EQ(status("SELECT \"user\", rank FROM staff WHERE zone <> 'x' AND hired > '2020-01-01'"), 0);
  EXPECT_EQ(status("SELECT salary FROM staff"), 1);
  EXPECT_EQ(status("SELECT name FROM names"), 1);  // what types a view has no dump says
}

}  // namespace
}  // namespace pccsql
