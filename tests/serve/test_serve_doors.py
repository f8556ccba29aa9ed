"""One rule at every door: sixty requests of four people, at each door that takes them and by the commands, with one verdict.

A query is judged by `/v1/check`, `/v1/run`, MCP's `check_query` and `run_query`, and `pccsql check`; a question is asked of
`/v1/ask`, as events too, of the OpenAI-compatible door, of MCP's `ask_database`, and with `pccsql ask`. The page speaks
through the first of these doors alone. What a Hidden column is called is told by none of them.
"""

import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

# person, database, query, verdict
QUERIES = [
    ("ann", "hr", "SELECT name FROM employee", "safe"),
    ("ann", "hr", "SELECT name, job_title FROM employee WHERE hire_year > 2010 ORDER BY name", "safe"),
    ("ann", "hr", "SELECT AVG(salary) FROM employee", "safe"),
    ("ann", "hr", "SELECT job_title, AVG(salary) FROM employee GROUP BY job_title", "safe"),
    ("ann", "hr", "SELECT d.name, COUNT(*) FROM department d JOIN employee e ON e.department_id = d.id GROUP BY d.name", "safe"),
    ("ann", "hr", "SELECT city FROM office WHERE country = 'Norway'", "safe"),
    ("ann", "hr", "SELECT COUNT(*) FROM badge WHERE access_level = 4", "safe"),
    ("ann", "hr", "SELECT name FROM employee WHERE department_id IN (SELECT id FROM department WHERE name = 'Sales')", "safe"),
    ("ann", "hr", "SELECT \"floor area\" FROM office", "safe"),
    ("ann", "hr", "SELECT 1", "safe"),
    ("ann", "hr", "SELECT salary FROM employee", "unsafe"),
    ("ann", "hr", "SELECT name FROM employee WHERE salary > 100000", "unsafe"),
    ("ann", "hr", "SELECT name FROM employee ORDER BY salary", "unsafe"),
    ("ann", "hr", "SELECT MAX(salary) FROM employee", "unsafe"),
    ("ann", "hr", "SELECT ssn FROM employee", "unsafe"),
    ("ann", "hr", "SELECT * FROM employee", "unsafe"),
    ("ann", "hr", "SELECT e.* FROM employee e LIMIT 1", "unsafe"),
    ("ann", "hr", "SELECT COUNT(*) FROM sick_note", "unsafe"),
    ("ann", "hr", "SELECT department_id FROM employee", "unsafe"),
    ("ann", "hr", "SELECT access_level FROM badge", "unsafe"),
    ("ann", "hr", "SELECT AVG(CASE WHEN salary > 1 THEN salary ELSE 0 END) FROM employee", "unsafe"),
    ("ann", "hr", "SELECT name FROM employee WHERE EXISTS (SELECT * FROM payment WHERE employee_id = employee.id)", "unsafe"),
    ("ann", "hr", "SELECT nmae FROM employee", "error"),
    ("ann", "hr", "SELECT FROM employee", "error"),
    ("ann", "hr", "SELECT name FROM nowhere", "error"),
    ("ann", "hr", "DELETE FROM employee", "outside"),
    ("ann", "hr", "SELECT 1; SELECT 2", "outside"),
    ("ann", "hr", "PRAGMA table_info(employee)", "outside"),
    ("ann", "shop", "SELECT name, price FROM item", "safe"),
    ("ann", "shop", "SELECT SUM(cost) FROM item", "safe"),
    ("ann", "shop", "SELECT cost FROM item", "unsafe"),
    ("ann", "shop", "SELECT customer FROM sale", "unsafe"),
    ("ann", "shop", "SELECT \"supplier code\" FROM item", "unsafe"),
    ("bob", "hr", "SELECT salary FROM employee", "safe"),
    ("bob", "hr", "SELECT name, salary FROM employee WHERE salary > 100000 ORDER BY salary DESC", "safe"),
    ("bob", "hr", "SELECT MAX(salary) FROM employee", "safe"),
    ("bob", "hr", "SELECT ssn FROM employee", "unsafe"),
    ("bob", "hr", "SELECT * FROM employee", "unsafe"),
    ("bob", "hr", "SELECT city FROM office", "unsafe"),
    ("bob", "hr", "SELECT d.name FROM department d", "safe"),
    ("cara", "hr", "SELECT name FROM employee", "safe"),
    ("cara", "hr", "SELECT COUNT(*) FROM employee", "safe"),
    ("cara", "hr", "SELECT job_title FROM employee", "unsafe"),
    ("cara", "hr", "SELECT AVG(salary) FROM employee", "unsafe"),
    ("cara", "hr", "SELECT name FROM department", "unsafe"),
    ("cara", "hr", "SELECT name FROM employee e WHERE e.id = 1", "unsafe"),
    ("cara", "hr", "SELECT slary FROM employee", "error"),
    ("dan", "shop", "SELECT amount FROM sale", "safe"),
    ("dan", "shop", "SELECT i.name, SUM(s.amount) FROM item i JOIN sale s ON s.item_id = i.id GROUP BY i.name", "safe"),
    ("dan", "shop", "SELECT item_id FROM sale", "unsafe"),
    ("dan", "shop", "SELECT * FROM item", "unsafe"),
    ("dan", "shop", "SELECT custommer FROM sale", "error"),
    ("ann", "hr", "SELECT month, SUM(net) FROM payment GROUP BY month", "safe"),
    ("ann", "hr", "SELECT tax FROM payment", "unsafe"),
    ("bob", "hr", "WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r", "outside"),
    ("cara", "hr", "SELECT name FROM employee UNION SELECT name FROM department", "unsafe"),
    ("dan", "shop", "SELECT price FROM item WHERE cost > 1", "unsafe"),
]
# person, database, question
QUESTIONS = [
    ("ann", "hr", "How many offices are there?"),
    ("cara", "hr", "How many employees are there?"),
    ("dan", "shop", "How many items are there?"),
]
HIDDEN = {"ann": {"hr": ["ssn", "birth_date", "email", "phone", "sick_note", "street_address", "account"], "shop": ["customer", "supplier code"]},
          "cara": {"hr": ["salary", "ssn", "job_title", "hire_year", "office", "badge"]}, "dan": {"shop": ["customer", "supplier code"]}}
# What a finished query's verdict is called once it has been run, or has not.
OF_ANSWERS = {"safe": "safe", "unsafe": "unsafe", "outside": "failure", "error": "failure"}


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assert len(QUERIES) + len(QUESTIONS) == 60
        cls.scratch = tempfile.TemporaryDirectory()
        cls.has_model = (served.CACHE / "models" / f"{served.MODEL}.gguf").exists()
        cls.server = served.Server(cls.scratch.name, model=served.MODEL if cls.has_model else "none", limits="{at_once: 2, queue: 8, seconds: 600}")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.scratch.cleanup()

    def hides(self, person, database, written, text):
        for name in HIDDEN.get(person, {}).get(database, []):
            if not re.search(rf"(?i)\b{name}\b", written):
                self.assertNotRegex(text, rf"(?i)\b{name}\b", f"{person}: {written}")

    def options(self, person, database):
        return ["--db", served.database_file(self.server.folder, database), "--policy", served.policy_file(self.server.folder, person, database)]

    def test_queries(self):
        for person, database, sql, verdict in QUERIES:
            with self.subTest(person=person, sql=sql):
                body = {"sql": sql, "database": database}
                replies = {path: self.server.send("POST", path, body, person) for path in ("/v1/check", "/v1/run")}
                replies["check_query"] = (200, {}, json.dumps(self.server.mcp("check_query", body, person)["structuredContent"]))
                replies["run_query"] = (200, {}, json.dumps(self.server.mcp("run_query", body, person)["structuredContent"]))
                status, out, _ = served.program("check", "--format", "json", *self.options(person, database), sql)
                self.assertEqual((json.loads(out)["verdict"], status), (verdict, 0 if verdict == "safe" else 1))
                for door, (status, _, text) in replies.items():
                    wanted = verdict if "check" in door else OF_ANSWERS[verdict]
                    reply = json.loads(text)
                    self.assertEqual((status, reply["verdict"]), (200, wanted), door)
                    if "run" in door and verdict != "safe":
                        self.assertIsNone(reply["rows"])
                    self.hides(person, database, sql, text)
                if verdict == "safe":
                    self.assertEqual(json.loads(replies["/v1/run"][2])["rows"], json.loads(replies["run_query"][2])["rows"])

    def test_nobody_reaches_what_is_not_his(self):
        for person, database in (("bob", "shop"), ("cara", "shop"), ("dan", "hr"), ("ann", "nowhere")):
            body = {"sql": "SELECT 1", "database": database}
            for path in ("/v1/check", "/v1/run"):
                self.assertEqual(self.server.send("POST", path, body, person)[0], 404)
            self.assertEqual(self.server.send("POST", "/v1/ask", {"question": "x", "database": database}, person)[0], 404)
            chat = {"model": f"pccsql/{database}", "messages": [{"role": "user", "content": "x"}]}
            self.assertEqual(self.server.send("POST", "/v1/chat/completions", chat, person)[0], 404)
            self.assertTrue(self.server.mcp("run_query", body, person)["isError"])
            self.assertTrue(self.server.mcp("ask_database", {"question": "x", "database": database}, person)["isError"])

    def test_questions(self):
        if not self.has_model:
            self.skipTest(f"no model: `pccsql model pull {served.MODEL}` fetches it")
        for person, database, question in QUESTIONS:
            with self.subTest(person=person, question=question):
                body = {"question": question, "database": database}
                status, _, first = self.server.send("POST", "/v1/ask", body, person)
                self.assertEqual(status, 200, first)
                _, _, events = self.server.send("POST", "/v1/ask", {**body, "stream": True}, person)
                done = events.split("event: done\ndata: ")[1].strip()
                chat = {"model": f"pccsql/{database}", "messages": [{"role": "user", "content": question}]}
                _, _, openai = self.server.send("POST", "/v1/chat/completions", chat, person)
                mcp = json.dumps(self.server.mcp("ask_database", body, person)["structuredContent"])
                _, command, _ = served.program("ask", "--format", "json", "--model", served.MODEL, *self.options(person, database), question)
                parts = ("kind", "verdict", "sql", "columns", "rows")
                wanted = {name: json.loads(first)[name] for name in parts}
                self.assertIn(wanted["verdict"], ("safe", "refuse"))
                for text in (done, json.dumps(json.loads(openai)["pccsql"]), mcp):
                    self.assertEqual({name: json.loads(text)[name] for name in parts}, wanted)
                # The command's model reads the names of Hidden columns; the server's reads them for admins alone, and so may write
                # otherwise. What it wrote is judged alike all the same.
                if person == "bob":
                    self.assertEqual({name: json.loads(command)[name] for name in parts}, wanted)
                elif wanted["verdict"] == "safe":
                    _, checked, _ = served.program("check", "--format", "json", *self.options(person, database), wanted["sql"])
                    self.assertEqual(json.loads(checked)["verdict"], "safe")
                self.assertIn(json.loads(command)["verdict"], ("safe", "refuse"))
                for text in (first, events, openai, mcp):
                    self.hides(person, database, question, text)


if __name__ == "__main__":
    served.need_server("serve doors")
    served.run_tests(__name__)
