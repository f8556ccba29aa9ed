"""`pccsql serve` over HTTP, without a model: who may do what, what is told of what is Hidden, limits, signals, the audit."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

SLOW = "SELECT instr(printf('%20000000c', ' '), printf('%10000000c', 'b'))"


class Config(unittest.TestCase):
    """The file: what is wrong is told with its place."""

    def check(self, change=None, **config):
        with tempfile.TemporaryDirectory() as folder:
            path = served.write_config(folder, **config)
            if change:
                path.write_text(change(path.read_text()))
            return served.program("serve", "--config", str(path), "--check")

    def refused(self, old, new, *parts, line=None):
        status, _, error = self.check(lambda text: self.replaced(text, old, new))
        self.assertEqual(status, 2, error)
        for part in parts:
            self.assertIn(part, error)
        if line:
            self.assertRegex(error, rf"pccsql\.yaml:{line}:\d+: ")

    def replaced(self, text, old, new):
        self.assertIn(old, text)
        return text.replace(old, new)

    def test_a_right_one_is_fine_and_nothing_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            path = served.write_config(folder)
            status, out, error = served.program("serve", "--config", str(path), "--check")
            self.assertEqual((status, error), (0, ""))
            self.assertEqual(out, "fine: 2 databases under 4 policies for 4 people\n")
            self.assertFalse((pathlib.Path(folder) / "audit.jsonl").exists())

    def test_what_is_wrong_is_told_with_place_and_what_would_be_right(self):
        self.refused("listen: 127.0.0.1:0", "listen: 8080", "127.0.0.1:8080", line=1)
        self.refused("listen: 127.0.0.1:0", "listne: 127.0.0.1:0", "unknown key `listne`", "`listen`?", line=1)
        self.refused("model: none", "model: http://127.0.0.1/v1", "gives no logits", line=2)
        self.refused("queue: 16", "queue: many", "`queue` is a whole number from 0 to 1024", line=3)
        self.refused("queue: 16", "queue: 16, queue: 17", "`queue` stands here twice", line=3)
        self.refused("values: 3", "values: 3, method: magic", "pcc-paper", line=5)
        self.refused("shop: {db: shop.sqlite, values: 3}", "shop: {}", "`shop` needs `db`", line=5)
        self.refused("seller: {shop:", "seller: {shpo:", "unknown key `shpo`", "`shop`?", line=10)
        self.refused("policy: seller", "policy: selller", "no policy `selller`", "`seller`?")
        self.refused("dan: {policy: seller, ", "dan: {", "`dan` needs a `policy`")
        self.refused(", key_sha256: ", ", key_sha256: x", "64 hexadecimal digits")
        self.refused("shop.sqlite", "nowhere.sqlite", "nowhere.sqlite")
        self.refused("values: 3", "values: many", "`values` is a whole number from 0 to 100", line=5)
        self.refused("queue: 16", "queue: [16", "not YAML")

    def test_a_policy_that_does_not_fit_is_told_with_its_own_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = served.write_config(folder)
            (pathlib.Path(folder) / "names.yaml").write_text("version: 1\ntables: {employee: {nmae: Public}}\n")
            status, _, error = served.program("serve", "--config", str(path), "--check")
            self.assertEqual(status, 2)
            self.assertRegex(error, r"names\.yaml:2:\d+: .*nmae")

    def test_without_people_only_this_machine_may_ask(self):
        change = lambda text: text.replace("127.0.0.1:0", "0.0.0.0:0")
        status, _, error = self.check(change, people=False)
        self.assertEqual(status, 2)
        self.assertIn("--insecure", error)
        self.assertEqual(self.check(change)[0], 0)  # with people
        two = lambda text: text.replace("policies: {", "policies: {more: {hr: audit.yaml}, ")
        status, _, error = self.check(two, people=False)
        self.assertIn("without `people` every caller is the one policy", error)

    def test_a_key_is_made_and_only_its_digest_is_for_the_file(self):
        import hashlib

        status, out, _ = served.program("serve", "key", "ann")
        self.assertEqual(status, 0)
        key = next(word for word in out.split() if word.startswith("pccsql_"))
        self.assertEqual(len(key), len("pccsql_") + 43)
        self.assertIn(f"ann: {{policy: POLICY, key_sha256: {hashlib.sha256(key.encode()).hexdigest()}}}", out)
        self.assertNotEqual(served.program("serve", "key", "ann")[1], out)
        self.assertEqual(served.program("serve", "key", "a b")[0], 2)


class Doors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.server = served.Server(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.scratch.cleanup()

    def run_sql(self, sql, database="hr", person="ann"):
        status, reply = self.server.json("POST", "/v1/run", {"sql": sql, "database": database}, person)
        self.assertEqual(status, 200, reply)
        return reply

    def test_who_has_no_key_gets_nothing_but_health_and_the_list(self):
        self.assertEqual(self.server.json("GET", "/health", person=None), (200, {"status": "ok"}))
        self.assertEqual(self.server.send("GET", "/openapi.json", person=None)[0], 200)
        for path in ("/v1/databases", "/v1/schema", "/v1/policy", "/v1/models", "/v1/audit", "/metrics"):
            status, headers, text = self.server.send("GET", path, person=None)
            self.assertEqual((status, headers.get("WWW-Authenticate")), (401, "Bearer"), text)
        for person in ("nobody", served.KEYS["ann"][:-1], served.KEYS["ann"] + "k"):
            self.assertEqual(self.server.json("POST", "/v1/run", {"sql": "SELECT 1"}, person)[0], 401)

    def test_openapi_is_true(self):
        listed = self.server.json("GET", "/openapi.json")[1]["paths"]
        everything = ["/v1/ask", "/v1/check", "/v1/roles", "/v1/explain", "/v1/run", "/v1/databases", "/v1/schema", "/v1/policy",
                      "/v1/policy/try", "/v1/policy/save", "/v1/models", "/v1/audit", "/v1/chat/completions", "/mcp", "/health", "/metrics", "/openapi.json"]
        page = ["/"] + sorted("/page/" + path.name for path in (served.ROOT / "src" / "serve" / "page").iterdir() if path.name != "index.html")
        self.assertEqual(sorted(listed), sorted(everything + page))
        for path, methods in listed.items():
            self.assertEqual(len(methods), 1)
            method, operation = next(iter(methods.items()))
            other = "POST" if method == "get" else "GET"
            status, headers, _ = self.server.send(other, path, "{}" if other == "POST" else None)
            self.assertEqual((status, headers.get("Allow")), (405, method.upper()), path)
            if method == "get":
                status, headers, text = self.server.send("GET", path, person="bob")
                self.assertEqual(status, 200, path)
                wanted = next(iter(operation["responses"]["200"]["content"]))
                self.assertTrue(headers["Content-Type"].startswith(wanted), path)
                continue
            if path == "/mcp":
                continue  # its messages are of another protocol's making
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            self.assertFalse(schema["additionalProperties"])
            values = {"string": "x", "boolean": False, "array": [], "object": {}, "integer": 1}
            body = {name: values[schema["properties"][name]["type"]] for name in schema.get("required", [])}
            status, reply = self.server.json("POST", path, {**body, "surplus": 1})
            self.assertEqual((status, reply["error"]["code"]), (400, "field_unknown"), path)
            for name in schema.get("required", []):
                status, reply = self.server.json("POST", path, {k: v for k, v in body.items() if k != name})
                self.assertEqual((status, reply["error"]["code"]), (400, "field_missing"), path)
                status, reply = self.server.json("POST", path, {**body, name: 17})
                self.assertEqual((status, reply["error"]["code"]), (400, "field_type"), path)
        self.assertEqual(self.server.send("GET", "/v1/nothing")[0], 404)

    def test_each_sees_his_databases_alone(self):
        def names(person):
            return [one["name"] for one in self.server.json("GET", "/v1/databases", person=person)[1]["databases"]]

        self.assertEqual([names(person) for person in served.KEYS], [["hr", "shop"], ["hr"], ["hr"], ["shop"]])
        models = self.server.json("GET", "/v1/models", person="dan")[1]["data"]
        self.assertEqual([model["id"] for model in models], ["pccsql/shop"])
        status, reply = self.server.json("POST", "/v1/run", {"sql": "SELECT name FROM employee", "database": "hr"}, "dan")
        self.assertEqual((status, reply["error"]["code"]), (404, "database_unknown"))
        status, reply = self.server.json("POST", "/v1/run", {"sql": "SELECT 1"}, "ann")
        self.assertEqual((status, reply["error"]["code"]), (400, "database_missing"))
        self.assertEqual(self.server.json("POST", "/v1/run", {"sql": "SELECT amount FROM sale"}, "dan")[0], 200)

    def test_the_schema_is_what_may_be_used_and_what_for(self):
        _, schema = self.server.json("GET", "/v1/schema?database=hr")
        tables = {table["name"]: table for table in schema["tables"]}
        self.assertNotIn("sick_note", tables)
        columns = {column["name"]: column for column in tables["employee"]["columns"]}
        self.assertNotIn("ssn", columns)
        self.assertEqual(columns["salary"]["for"], ["Agg"])
        self.assertEqual(columns["department_id"]["for"], ["Join", "Where"])
        self.assertEqual(columns["name"]["for"], ["Sel", "Join", "Where", "Agg"])
        _, schema = self.server.json("GET", "/v1/schema", person="cara")
        self.assertEqual([(t["name"], [c["name"] for c in t["columns"]], t["primary_key"]) for t in schema["tables"]],
                         [("employee", ["name"], [])])
        _, policy = self.server.json("GET", "/v1/policy?database=hr")
        self.assertNotIn("ssn", json.dumps(policy))
        self.assertNotIn("text", policy)
        _, policy = self.server.json("GET", "/v1/policy", person="bob")
        self.assertEqual(policy["tables"]["employee"]["ssn"], "Hidden")
        self.assertIn("version: 1", policy["text"])

    def test_answers_are_those_of_the_programs(self):
        sql = "SELECT job_title, AVG(salary) FROM employee GROUP BY job_title"
        mine = self.run_sql(sql)
        _, out, _ = served.program("query", "--format", "json", "--db", str(served.HR), "--policy", served.policy_file(self.server.folder, "ann", "hr"), sql)
        theirs = json.loads(out)
        mine.pop("counts"), theirs.pop("counts")
        self.assertEqual(mine, theirs)
        self.assertEqual(list(mine)[:4], ["kind", "question", "method", "sql"])
        sql = "SELECT salary FROM employee"
        _, mine = self.server.json("POST", "/v1/check", {"sql": sql, "database": "hr"})
        _, out, _ = served.program("check", "--format", "json", "--db", str(served.HR), "--policy", served.policy_file(self.server.folder, "ann", "hr"), sql)
        self.assertEqual(mine, json.loads(out))
        self.assertEqual(mine["verdict"], "unsafe")

    def test_what_is_not_permitted_is_not_run(self):
        reply = self.run_sql("SELECT name, salary FROM employee")
        self.assertEqual((reply["verdict"], reply["rows"]), ("unsafe", None))
        reply = self.run_sql("DELETE FROM employee")
        self.assertEqual((reply["kind"], reply["rows"]), ("failed", None))
        reply = self.run_sql("SELECT name FROM employee LIMIT 2", person="cara")
        self.assertEqual(len(reply["rows"]), 2)

    def test_roles_and_completions(self):
        _, reply = self.server.json("POST", "/v1/roles", {"sql": "SELECT name FROM employee WHERE hire_year > 2000", "database": "hr"})
        self.assertEqual([(use["column"], use["role"]) for use in reply["uses"]], [("name", "Sel"), ("hire_year", "Where")])
        _, reply = self.server.json("POST", "/v1/explain", {"prefix": "SELECT name FROM employee WHERE ", "database": "hr"})
        self.assertTrue(reply["admitted"])
        allowed = {name["text"] for name in reply["allowed"]}
        self.assertIn("department_id", allowed)
        self.assertNotIn("salary", allowed)
        self.assertIn("employee.salary", {name["text"] for name in reply["blocked"]})
        self.assertNotIn("ssn", json.dumps(reply))

    def test_hidden_names_are_told_to_nobody_who_did_not_write_them(self):
        hidden = ("ssn", "birth_date", "email", "phone", "sick_note", "street_address", "account")
        for sql in ("SELECT * FROM employee", "SELECT e.* FROM employee e", "SELECT snn FROM employee", "SELECT emial FROM employee",
                    "SELECT COUNT(*) FROM sick_notes", "SELECT name FROM employee NATURAL JOIN badge", "SELECT street_adress FROM office",
                    "SELECT x.phon FROM employee x", "SELECT * FROM payment", "SELECT COUNT(*) FROM employee GROUP BY birth_dat"):
            for path, key in (("/v1/check", "sql"), ("/v1/run", "sql"), ("/v1/roles", "sql"), ("/v1/explain", "prefix")):
                _, _, text = self.server.send("POST", path, {key: sql, "database": "hr"})
                for name in hidden:
                    self.assertNotRegex(text, rf"(?i)\b{name}\b", f"{path} {sql}")
        # Who wrote it may be told of it; and an admin is told everything.
        _, reply = self.server.json("POST", "/v1/check", {"sql": "SELECT ssn FROM employee", "database": "hr"})
        self.assertIn("ssn", reply["reason"])
        _, reply = self.server.json("POST", "/v1/check", {"sql": "SELECT * FROM employee"}, "bob")
        self.assertIn("ssn", json.dumps(reply))
        # A name that is no single word.
        _, _, text = self.server.send("POST", "/v1/check", {"sql": "SELECT * FROM item"}, "dan")
        self.assertNotIn("supplier code", text)
        self.assertIn("a column that you may not use", text)

    def test_hostile_cells_stay_text(self):
        reply = self.run_sql("SELECT name FROM item WHERE price = 1", "shop")
        self.assertEqual(reply["rows"], [["<img src=x onerror=alert(1)>"]])
        _, headers, _ = self.server.send("GET", "/v1/schema?database=shop")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Cache-Control"], "no-store")

    def test_without_a_model_nothing_is_asked(self):
        status, reply = self.server.json("POST", "/v1/ask", {"question": "How many?", "database": "hr"})
        self.assertEqual((status, reply["error"]["code"]), (503, "no_model"))

    def test_requests_that_are_none(self):
        self.assertEqual(self.server.json("POST", "/v1/run", "{")[1]["error"]["code"], "body_no_object")
        self.assertEqual(self.server.json("POST", "/v1/run", '{"sql": "a", "sql": "b"}')[0], 400)
        self.assertEqual(self.server.json("POST", "/v1/run", "[" * 100_000)[0], 400)
        self.assertEqual(self.server.json("POST", "/v1/run", json.dumps({"sql": "x" * 1_100_000}))[0], 413)
        with contextlib.closing(socket.create_connection(self.server.host.split(":"))) as raw:
            raw.sendall(b"\x00\xff HTTP/9.9\r\n\r\n")
            self.assertIn(b" 400 ", raw.recv(4096).split(b"\r\n")[0] + b" ")
        self.assertEqual(self.server.json("GET", "/v1/audit?limit=x", person="bob")[0], 400)
        self.assertEqual(self.server.json("GET", "/health", person=None)[0], 200)

    def test_pages_of_another_origin_may_not_ask(self):
        for origin in ("http://evil.example", "null", f"http://{self.server.host}.evil.example"):
            for path in ("/mcp", "/v1/run", "/v1/chat/completions"):
                self.assertEqual(self.server.json("POST", path, {}, headers={"Origin": origin})[0], 403)
        with contextlib.closing(self.server.connect()) as connection:  # which of the two counts must not be left to whoever reads it
            for name, value in (("Host", "evil.example"), ("Authorization", f"Bearer {served.KEYS['bob']}"), ("Origin", self.server.address)):
                connection.putrequest("GET", "/v1/databases")
                for header in ("Authorization", f"Bearer {served.KEYS['ann']}"), ("Origin", self.server.address), (name, value):
                    connection.putheader(*header)
                connection.endheaders()
                response = connection.getresponse()
                self.assertEqual((response.status, json.loads(response.read())["error"]["code"]), (400, "header_twice"))
        own = {"Origin": self.server.address}
        self.assertEqual(self.server.json("POST", "/v1/check", {"sql": "SELECT 1", "database": "hr"}, headers=own)[0], 200)

    def test_the_audit_has_everything_and_admins_alone_read_it(self):
        self.run_sql("SELECT city FROM office")
        self.server.json("POST", "/v1/check", {"sql": "SELECT ssn FROM employee", "database": "hr"})
        self.server.json("POST", "/v1/run", {"sql": "SELECT 1"}, "nobody")
        self.assertEqual(self.server.json("GET", "/v1/audit")[0], 403)
        status, reply = self.server.json("GET", "/v1/audit?limit=500", person="bob")
        self.assertEqual(status, 200)
        lines = reply["lines"]
        ran = next(line for line in lines if line.get("sql") == "SELECT city FROM office")
        self.assertEqual((ran["who"], ran["door"], ran["database"], ran["policy"], ran["verdict"]), ("ann", "http", "hr", "analyst", "safe"))
        self.assertEqual(len(ran["policy_hash"]), 64)
        self.assertTrue(any(line["kind"] == "checked" and line["verdict"] == "unsafe" for line in lines))
        self.assertTrue(any(line.get("status") == 401 for line in lines))
        everything = (self.server.folder / "audit.jsonl").read_text()
        for key in served.KEYS.values():
            self.assertNotIn(key, everything)

    def test_metrics(self):
        self.run_sql("SELECT city FROM office")
        text = self.server.send("GET", "/metrics")[2]
        self.assertRegex(text, r'pccsql_answers_total\{kind="answered",what="query",door="http"\} [1-9]')
        self.assertRegex(text, r"pccsql_resident_bytes \d+")


class Life(unittest.TestCase):
    """Limits, signals and faults; each with a server of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def serve(self, **config):
        server = served.Server(self.folder, **config)
        self.addCleanup(server.__exit__)
        return server

    def test_a_slow_query_holds_up_nobody_and_beyond_the_queue_is_429(self):
        server = self.serve(limits="{at_once: 2, queue: 1, seconds: 30}")
        replies = []
        ask = lambda: replies.append(server.send("POST", "/v1/run", {"sql": SLOW, "database": "hr"}))
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(1.5)
        begin = time.monotonic()
        self.assertEqual(server.json("POST", "/v1/check", {"sql": "SELECT 1", "database": "hr"})[0], 200)
        self.assertLess(time.monotonic() - begin, 5)
        for thread in threads:
            thread.join()
        statuses = sorted(status for status, _, _ in replies)
        self.assertEqual(statuses.count(429), 1, replies)
        self.assertEqual(statuses.count(200), 3, replies)
        late = next(headers for status, headers, _ in replies if status == 429)
        self.assertGreater(int(late["Retry-After"]), 0)

    def test_a_caller_who_leaves_frees_his_place(self):
        server = self.serve(limits="{at_once: 1, queue: 4, seconds: 30}")
        connection = server.connect()
        body = json.dumps({"sql": SLOW, "database": "hr"})
        connection.request("POST", "/v1/run", body, {"Authorization": f"Bearer {served.KEYS['ann']}"})
        time.sleep(1)
        connection.sock.close()
        connection.close()
        begin = time.monotonic()
        self.assertEqual(server.json("POST", "/v1/run", {"sql": "SELECT city FROM office", "database": "hr"})[0], 200)
        self.assertLess(time.monotonic() - begin, 8)  # the query alone would take ten seconds

    def test_the_file_is_read_again_whole_or_not_at_all(self):
        server = self.serve()
        text = server.config.read_text()
        visible = lambda: "ssn" in json.dumps(server.json("POST", "/v1/check", {"sql": "SELECT * FROM employee", "database": "hr"})[1])

        def again(new):
            server.config.write_text(new)
            server.process.send_signal(signal.SIGHUP)
            while True:
                line = server.process.stderr.readline()
                if "read again" in line or "not taken up" in line:
                    return line

        self.assertFalse(visible())
        self.assertIn("read again", again(text + "name_hidden: true\n"))
        self.assertTrue(visible())
        self.assertIn("name_hiden", again(text + "name_hiden: true\n"))
        self.assertTrue(visible())
        self.assertIn("cannot change while the server runs", again(text.replace("127.0.0.1:0", "127.0.0.1:1")))
        self.assertIn("read again", again(text.replace("  dan: {", "  eve: {")))
        self.assertFalse(visible())
        self.assertEqual(server.json("GET", "/v1/databases", person="dan")[1]["who"], "eve")

    def test_sigterm_lets_running_queries_end(self):
        server = self.serve(limits="{at_once: 2, queue: 1, seconds: 20}")
        reply = []
        thread = threading.Thread(target=lambda: reply.append(server.send("POST", "/v1/run", {"sql": SLOW, "database": "hr"})))
        thread.start()
        time.sleep(1)
        status, _, error = served.stop(server.process)
        thread.join()
        self.assertEqual(status, 0, error)
        self.assertEqual(reply[0][0], 200)
        self.assertIn("time limit", json.loads(reply[0][2])["reason"])
        self.assertEqual(server.audit()[-1]["sql"], SLOW)

    @unittest.skipUnless(pathlib.Path("/dev/full").exists(), "no /dev/full")
    def test_what_cannot_be_written_down_is_not_shown(self):
        server = self.serve(extra="")
        config = server.config.read_text().replace("audit: audit.jsonl", "audit: /dev/full")
        server.__exit__()
        server.config.write_text(config)
        process = served.start(server.config)
        server.host = process.stdout.readline().strip().split("://", 1)[1]
        try:
            for path in ("/v1/run", "/v1/check"):
                status, reply = server.json("POST", path, {"sql": "SELECT city FROM office", "database": "hr"})
                self.assertEqual((status, reply["error"]["code"]), (500, "audit_failed"))
                self.assertNotIn("city", json.dumps(reply))
        finally:
            served.stop(process)

    def test_a_database_that_changes_is_read_again_and_one_that_is_gone_is_an_error(self):
        server = self.serve()
        ask = lambda sql: server.json("POST", "/v1/run", {"sql": sql, "database": "shop"})[1]
        self.assertEqual(ask("SELECT amount FROM sale ORDER BY amount LIMIT 1")["rows"], [[1]])
        path = pathlib.Path(self.folder) / "shop.sqlite"
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript("ALTER TABLE sale ADD COLUMN note TEXT")
        self.assertEqual(ask("SELECT amount FROM sale ORDER BY amount LIMIT 1")["rows"], [[1]])
        self.assertEqual(ask("SELECT note FROM sale")["verdict"], "unsafe")  # new, so Hidden
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript("ALTER TABLE sale RENAME COLUMN amount TO pieces")
        reply = ask("SELECT amount FROM sale")
        self.assertEqual((reply["kind"], reply["rows"]), ("failed", None))
        self.assertIn("schema has changed", reply["reason"])
        path.unlink()
        reply = ask("SELECT item_id FROM sale WHERE 1 = 0")
        self.assertIsNone(reply["rows"])
        self.assertEqual(server.json("GET", "/health")[0], 200)

    def test_without_people_the_host_must_be_this_machine(self):
        server = self.serve(people=False)
        self.assertEqual(server.json("GET", "/v1/databases", person=None)[0], 200)
        self.assertEqual(server.json("GET", "/v1/databases", person=None, headers={"Host": "evil.example"})[0], 403)
        for host in ("127.evil.example", "127.0.0.1.evil.example", "127.0.0.1.evil.example:80", "", "localhost.evil.example", "127.0.0.1:80@evil.example", "127.0.0.1:x", "["):
            # A name that somebody has made to stand for this machine, whose pages would be of the same origin.
            sent = {"Host": host, "Origin": f"http://{host}"}
            self.assertEqual(server.json("POST", "/v1/run", {"sql": "SELECT city FROM office", "database": "hr"}, person=None, headers=sent)[0], 403, host)
        for host in ("127.0.0.1", "LOCALHOST:8080", "[::1]:8080"):
            self.assertEqual(server.json("GET", "/v1/databases", person=None, headers={"Host": host})[0], 200, host)
        self.assertEqual(server.json("GET", "/v1/audit", person=None)[0], 403)

    def test_many_idle_connections_and_slow_heads_stop_nobody_for_long(self):
        server = self.serve()
        host, port = server.host.split(":")
        idle = []
        with contextlib.suppress(OSError):
            for _ in range(400):
                idle.append(socket.create_connection((host, int(port))))
        for one in idle[:100]:
            one.sendall(b"GET /health HTT")
        begin = time.monotonic()
        self.assertEqual(server.json("GET", "/health")[0], 200)
        self.assertLess(time.monotonic() - begin, 20)
        for one in idle:
            one.close()


if __name__ == "__main__":
    served.need_server("serve")
    served.run_tests(__name__)
