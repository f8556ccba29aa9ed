"""A suite measured through a Python function: the program's own run file and reports."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import demo
import pccsql


class Evaluate(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.suite = demo.small_suite(self.folder)
        self.questions = demo.SMALL_QUERIES

    def program(self, *arguments):
        done = subprocess.run([sys.executable, "-m", "pccsql", *arguments], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def lines(self, run):
        return [json.loads(line) for line in pathlib.Path(run).read_text(encoding="utf-8").splitlines()]

    def right(self, question):
        return self.questions[int(question.text.split()[1].rstrip("?"))]

    def test_the_run_is_the_programs_own(self):
        run = pccsql.evaluate(self.suite, self.right, out=self.folder / "run.jsonl", name="me")
        lines = self.lines(run)
        self.assertEqual((lines[0]["method"], lines[0]["model"]["name"]), ("direct", "me"))
        asked = [line for line in lines if "outcome" in line]
        self.assertEqual(len(asked), 12)
        self.assertEqual({line["outcome"] for line in asked}, {"safe_sql"})
        report = json.loads(self.program("eval", "report", "--format", "json", str(run)))
        self.assertEqual(len(report["rows"]), 1)
        self.assertIn("me", self.program("eval", "report", str(run)))

    def test_a_suite_on_postgresql(self):
        """Its questions can be asked; the mask, which writes SQLite's dialect alone, is refused."""
        header = {"suite": "s", "version": 1, "profile": "strict", "settings": {}, "questions": 1, "execution": False, "data": "",
                  "schemas": {"shop": "CREATE TABLE item (id integer PRIMARY KEY, name text);\n"}}  # fmt: skip
        policy = {"version": 1, "default": "Public"}
        line = {"id": "0", "db_id": "shop", "db_path": "", "question": "Which?", "evidence": None,
                "gold_sql": 'SELECT "name" FROM "item"', "gold_label": "sql", "policy": policy}  # fmt: skip
        suite = self.folder / "pg.jsonl"
        suite.write_text(json.dumps(header) + "\n" + json.dumps(line) + "\n", encoding="utf-8")

        def generate(question):
            with self.assertRaises(pccsql.Error) as told:
                question.engine("builtin")
            self.assertIn("PostgreSQL", str(told.exception))
            return "SELECT name FROM item"

        try:
            run = pccsql.evaluate(suite, generate, out=self.folder / "run.jsonl", name="me", options={"no_exec": True})
        except pccsql.Error as problem:
            if "without PostgreSQL" not in str(problem):
                raise
            self.skipTest("the program was built without PostgreSQL")
        self.assertEqual([line["outcome"] for line in self.lines(run) if "outcome" in line], ["safe_sql"])

    def test_many_at_once(self):
        together = threading.Barrier(4)

        def generate(question):
            together.wait(60)  # all four threads are in here at once, three times over
            return pccsql.Written(self.right(question), 10, 5)

        lines = self.lines(pccsql.evaluate(self.suite, generate, out=self.folder / "run.jsonl", name="me", parallel=4))
        asked = [line for line in lines if "outcome" in line]
        self.assertEqual([line["sql"] for line in asked], self.questions)
        self.assertIn('"generated_tokens":5', json.dumps(asked[0]).replace(" ", ""))

    def test_under_the_mask(self):
        """Random queries of a model that knows nothing: none is unsafe, and what is not safe is withheld."""
        vocabulary = pccsql.Vocabulary.of("builtin")
        mask = pccsql.allocate_token_bitmask(1, len(vocabulary))

        def generate(question):
            engine = question.engine(vocabulary)
            matcher = engine.matcher(max_tokens=40)
            demo.generate(matcher, len(question.user), mask)
            self.assertIn(question.text, question.messages[1]["content"])
            return matcher.answer()

        lines = self.lines(pccsql.evaluate(self.suite, generate, out=self.folder / "run.jsonl", name="nobody", method="pcc"))
        self.assertEqual({line["outcome"] for line in lines if "outcome" in line}, {"safe_sql"})
        checker = pccsql.Checker(ddl=demo.DDL, policy=demo.POLICY)
        refused = pccsql.evaluate(self.suite, lambda _: checker.guard("SELECT ssn FROM employee"), out=self.folder / "no.jsonl",
                                  name="nobody", method="pcc", options={"limit": 2, "no_exec": True})
        self.assertEqual([line["outcome"] for line in self.lines(refused) if "outcome" in line], ["refuse"] * 2)

    def test_exceptions(self):
        def breaks(question):
            if question.text == "Question 5?":
                raise ValueError("no more memory")
            return self.right(question)

        out = self.folder / "run.jsonl"
        with self.assertRaises(ValueError):
            pccsql.evaluate(self.suite, breaks, out=out, name="me")
        self.assertEqual(len([line for line in self.lines(out) if "outcome" in line]), 5)
        pccsql.evaluate(self.suite, self.right, out=out, name="me")  # goes on where it was
        self.assertEqual(len([line for line in self.lines(out) if "outcome" in line]), 12)
        recorded = pccsql.evaluate(self.suite, breaks, out=self.folder / "all.jsonl", name="me", on_error="record")
        failed = [line for line in self.lines(recorded) if line.get("outcome") == "failure"]
        self.assertEqual(len(failed), 1)
        self.assertIn("no more memory", failed[0]["reason"])
        for wrong in ({"method": "retry"}, {"options": {"nonsense": 1}}, {"on_error": "x"}):
            with self.assertRaises(pccsql.Error):
                pccsql.evaluate(self.suite, self.right, out=self.folder / "wrong.jsonl", name="me", **wrong)
        with self.assertRaises(pccsql.Error):
            pccsql.evaluate(self.suite, lambda question: 3, out=self.folder / "odd.jsonl", name="me")


if __name__ == "__main__":
    unittest.main()
