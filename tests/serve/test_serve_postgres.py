#!/usr/bin/env python3
"""`pccsql serve` with a database on a private PostgreSQL server: a hundred callers at once, a role with too many rights, the server
gone and back, a column dropped in between. Without a server it is skipped."""

import concurrent.futures
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

SCRIPT = served.ROOT / "tests" / "postgres" / "private_server.sh"
CALLERS = 100
SCHEMA = """
CREATE TABLE staff (id integer PRIMARY KEY, name text, team text, salary integer, ssn text, zone text);
INSERT INTO staff SELECT i, 'N' || i, 'T' || i % 4, 1000 + i, 'hidden-' || i, 'zone' || i % 3 FROM generate_series(1, 200) i;
COMMENT ON COLUMN staff.zone IS 'where; pccsql: ConditionOnly';
"""
POLICY = """version: 1
min_group: 5
tables:
  staff: {id: ConditionOnly, name: Public, team: Public, salary: AggregateOnly, zone: Public}
"""


class PgServer:
    """A private server with the database `shop` and the role `asker`."""

    def __init__(self, folder):
        # In no home: the server runs as an ordinary user.
        self.folder = pathlib.Path(folder) / "server"
        self.script("start")
        self.psql("postgres", "CREATE DATABASE shop;")
        self.psql("shop", SCHEMA)

    def script(self, action):
        done = subprocess.run([SCRIPT, action, self.folder], capture_output=True, text=True, timeout=120)
        if done.returncode == 3:
            served.skip("serve on PostgreSQL", done.stderr.strip())
        assert done.returncode == 0, done.stderr

    def psql(self, database, sql):
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.address("owner", database)], input=sql,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def address(self, role, database="shop"):
        return f"postgresql://{role}@{str(self.folder).replace('/', '%2F')}/{database}"


class OnPostgres(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        pathlib.Path(cls.scratch.name).chmod(0o777)
        cls.pg = PgServer(cls.scratch.name)
        policy = pathlib.Path(cls.scratch.name) / "policy.yaml"
        policy.write_text(POLICY)
        status, grants, error = served.program("policy", "grants", "--db", cls.pg.address("owner"), "--policy", str(policy), "--role", "asker")
        assert status == 0, error
        cls.pg.psql("shop", grants)

    @classmethod
    def tearDownClass(cls):
        cls.pg.script("stop")
        cls.scratch.cleanup()

    def config(self, folder, role="asker", more="method: retry", limits="{at_once: 16, queue: 128, seconds: 60}", policy=POLICY):
        path = pathlib.Path(folder) / "pccsql.yaml"
        (pathlib.Path(folder) / "policy.yaml").write_text(policy)
        path.write_text(f"listen: 127.0.0.1:0\nmodel: none\nlimits: {limits}\naudit: audit.jsonl\n"
                        f"databases: {{shop: {{db: \"{self.pg.address(role)}\", {more}}}}}\npolicies: {{all: {{shop: policy.yaml}}}}\n")
        return path

    @contextlib.contextmanager
    def server(self, **config):
        with tempfile.TemporaryDirectory() as folder:
            made = object.__new__(served.Server)
            made.folder = pathlib.Path(folder)
            made.process = served.start(self.config(folder, **config))
            made.address = made.process.stdout.readline().strip()
            if not made.address:
                raise RuntimeError(made.process.communicate()[1])
            made.host = made.address.split("://", 1)[1]
            with made:
                yield made

    def run_query(self, server, sql):
        return server.json("POST", "/v1/run", {"sql": sql}, person=None)

    def test_a_hundred_callers(self):
        with self.server() as server:
            def call(i):
                if i % 10 == 9:
                    return self.run_query(server, "SELECT ssn FROM staff")
                if i % 10 == 8:
                    return self.run_query(server, "SELECT team, AVG(salary) FROM staff GROUP BY team")
                return self.run_query(server, f"SELECT name FROM staff WHERE id = {i + 1}")

            with concurrent.futures.ThreadPoolExecutor(CALLERS) as pool:
                replies = list(pool.map(call, range(CALLERS)))
            for i, (status, reply) in enumerate(replies):
                self.assertEqual(status, 200, reply)
                if i % 10 == 9:
                    self.assertEqual(reply["kind"], "refused", reply)
                elif i % 10 == 8:
                    self.assertEqual([row[0] for row in reply["rows"]], ["T0", "T1", "T2", "T3"])
                else:
                    self.assertEqual(reply["rows"], [[f"N{i + 1}"]])
                self.assertNotIn("hidden-", json.dumps(reply))
            # A connection for each place, and none for each caller.
            used = int(self.pg.psql("shop", "SELECT count(*) FROM pg_stat_activity WHERE usename = 'asker';"))
            self.assertTrue(1 <= used <= 16, used)
            lines = [json.loads(line) for line in (server.folder / "audit.jsonl").read_text().splitlines()]
            self.assertEqual(len(lines), CALLERS)

    def test_labels_in_the_database_hold(self):
        with self.server() as server:
            status, reply = self.run_query(server, "SELECT zone FROM staff")
            self.assertEqual((status, reply["kind"]), (200, "refused"), reply)
            status, reply = self.run_query(server, "SELECT name FROM staff WHERE zone = 'zone1' AND id < 5")
            self.assertEqual(reply["rows"], [["N1"], ["N4"]])
            status, schema = server.json("GET", "/v1/schema", person=None)
            self.assertEqual(status, 200)
            types = {column["name"]: column["type"] for column in schema["tables"][0]["columns"]}
            self.assertEqual(types["salary"], "integer")
            self.assertNotIn("ssn", types)

    def test_what_is_wrong_is_told_before_anybody_asks(self):
        for config, parts in ((dict(role="owner"), ["superuser", "pccsql policy grants"]),
                              (dict(more="method: pcc"), ["no mask yet", "`retry`"]),
                              (dict(more="schema: nowhere, method: retry"), ["no schema `nowhere`"])):
            with tempfile.TemporaryDirectory() as folder:
                status, _, error = served.program("serve", "--config", str(self.config(folder, **config)), "--check")
                self.assertEqual(status, 2)
                for part in parts:
                    self.assertIn(part, error)

    def test_the_server_gone_and_back(self):
        with self.server(limits="{at_once: 2, queue: 8, seconds: 60}") as server:
            self.assertEqual(self.run_query(server, "SELECT name FROM staff WHERE id = 1")[1]["rows"], [["N1"]])
            self.pg.script("restart")
            # The connection that was lost is noticed by the first query, or made again before it.
            for _ in range(3):
                status, reply = self.run_query(server, "SELECT name FROM staff WHERE id = 2")
                self.assertEqual(status, 200)
                text = json.dumps(reply)
                self.assertNotIn(str(self.pg.folder), text)
                if reply.get("rows"):
                    break
            self.assertEqual(reply["rows"], [["N2"]])

    def test_callers_learn_neither_address_nor_role(self):
        with self.server(limits="{at_once: 1, queue: 8, seconds: 60}") as server:
            self.assertEqual(self.run_query(server, "SELECT name FROM staff WHERE id = 1")[1]["rows"], [["N1"]])
            self.pg.psql("shop", "ALTER ROLE asker NOLOGIN; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'asker';")
            try:
                texts = [json.dumps(self.run_query(server, "SELECT name FROM staff WHERE id = 2")) for _ in range(3)]
            finally:
                self.pg.psql("shop", "ALTER ROLE asker LOGIN;")
            for text in texts:
                self.assertNotIn("asker", text)
                self.assertNotIn("server", text.replace("this server", ""))
            self.assertIn("cannot be reached", texts[-1])
            self.assertEqual(self.run_query(server, "SELECT name FROM staff WHERE id = 2")[1]["rows"], [["N2"]])

    def test_a_column_dropped_in_between(self):
        self.pg.psql("shop", "CREATE TABLE spare (id integer PRIMARY KEY, label text, secret text);"
                             "INSERT INTO spare VALUES (1, 'lamp', 'hidden-spare'); GRANT SELECT (id, label) ON spare TO asker;")
        self.addCleanup(self.pg.psql, "shop", "DROP TABLE spare;")
        with self.server(policy=POLICY + "  spare: {id: Public, label: Public}\n") as server:
            self.assertEqual(self.run_query(server, "SELECT label FROM spare")[1]["rows"], [["lamp"]])
            self.pg.psql("shop", "ALTER TABLE spare DROP COLUMN label;")
            status, reply = self.run_query(server, "SELECT label FROM spare")
            self.assertFalse(reply.get("rows"), reply)
            self.assertIn("schema has changed", json.dumps(reply))


if __name__ == "__main__":
    served.need_server("serve on PostgreSQL")
    served.run_tests("__main__")
