"""What the tests share: the demo's schema and policy, a model that wants nothing in particular, and one that wants harm."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import threading
import unittest

import pccsql

ROOT = pathlib.Path(__file__).resolve().parents[2]
DDL = (ROOT / "examples" / "hr" / "schema.sql").read_text(encoding="utf-8")
POLICY = ROOT / "examples" / "hr" / "policy.yaml"
DATA = os.environ.get("PCCSQL_DATA")


def engine(tokenizer: object = "builtin", **more: object) -> pccsql.Engine:
    """An engine for the demo."""
    return pccsql.Engine(ddl=DDL, policy=POLICY, tokenizer=tokenizer, **more)


def generate(matcher: pccsql.Matcher, seed: int, mask: object) -> list[int]:
    """A random generation under the mask; its tokens."""
    choose = random.Random(seed)
    tokens = []
    while not matcher.is_terminated():
        matcher.fill_bitmask(mask)
        token = choose.choice(pccsql.allowed_tokens(mask))
        assert matcher.accept_token(token), f"token {token} was allowed and is not taken"
        tokens.append(token)
    return tokens


def vocabulary_file(name: str) -> str:
    """A vocabulary of the data, or the test is skipped."""
    if not DATA:
        raise unittest.SkipTest("PCCSQL_DATA names no data")
    path = pathlib.Path(DATA, "vocab", name)
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not there")
    return str(path)


def need(module: str):
    """A module that the environment may lack; then the test is skipped under its name."""
    try:
        return __import__(module)
    except ImportError:
        raise unittest.SkipTest(f"{module} is not installed") from None


@contextlib.contextmanager
def server(answers: dict[str, object]):
    """A server that answers each path with one JSON object; its URL."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = json.dumps(answers[self.path]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        do_POST = do_GET

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()


SMALL_QUERIES = ["SELECT name FROM item", "SELECT COUNT(*) FROM item", "SELECT name FROM item WHERE price = 3"] * 4


def small_suite(folder: pathlib.Path) -> pathlib.Path:
    """A suite of twelve questions about a shop, with its database."""
    tables = [{"db_id": "shop", "table_names_original": ["item"], "table_names": ["item"],
               "column_names_original": [[-1, "*"], [0, "name"], [0, "price"]], "column_types": ["text", "text", "number"],
               "primary_keys": [], "foreign_keys": []}]
    questions = [{"db_id": "shop", "question": f"Question {i}?", "query": query} for i, query in enumerate(SMALL_QUERIES)]
    for name, value in [("tables", tables), ("dev", questions), ("train_spider", []), ("train_others", [])]:
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    (folder / "database" / "shop").mkdir(parents=True)
    with sqlite3.connect(folder / "database" / "shop" / "shop.sqlite") as database:
        database.executescript("CREATE TABLE item (name TEXT, price INTEGER); INSERT INTO item VALUES ('cup', 3), ('pot', 9);")
    suite = folder / "suite.jsonl"
    command = [sys.executable, "-m", "pccsql", "suite", "build", "spider-cu", "--spider", str(folder), "--out", str(suite)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    return suite
