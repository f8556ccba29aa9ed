"""A server for tests: the built program on databases of its own, with four people, and requests to it.

    ann   asks `hr` and `shop` as an analyst
    bob   asks `hr` as an auditor, who sees more, and is an admin
    cara  asks `hr`, of which her policy opens names alone
    dan   asks `shop` alone
"""

import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PCCSQL_BUILD") or ROOT / "build" / "test")
PROGRAM = BUILD / "apps" / "pccsql"
HR = BUILD / "examples" / "hr.sqlite"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pccsql"
MODEL = "smollm2-135m"
KEYS = {name: f"pccsql_{name}_{'k' * 30}" for name in ("ann", "bob", "cara", "dan")}

SHOP = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, cost REAL, "supplier code" TEXT);
INSERT INTO item VALUES (1, 'pen', 2.5, 1.0, 'A1'), (2, 'cup', 4.0, 2.0, 'B2'), (3, '<img src=x onerror=alert(1)>', 1.0, 0.5, 'C3');
CREATE TABLE sale (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES item(id), amount INTEGER, customer TEXT);
INSERT INTO sale VALUES (1, 1, 3, 'x'), (2, 1, 2, 'y'), (3, 2, 1, 'x');
"""
SHOP_POLICY = """version: 1
tables:
  item: {id: ConditionOnly, name: Public, price: Public, cost: AggregateOnly}
  sale: {id: Public, item_id: ConditionOnly, amount: Public}
"""
# Names and cells as nobody should have them.
ODD_NAMES = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a\u202eb", '"quoted"', "{{7*7}}", "javascript:alert(3)"]


def write_odd(path):
    """A database of such names and cells, with 10,000 columns and a cell of a megabyte."""
    quoted = lambda name: '"' + name.replace('"', '""') + '"'
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE TABLE {quoted(ODD_NAMES[0])} ({', '.join(quoted(name) + ' TEXT' for name in ODD_NAMES)})")
        db.execute(f"INSERT INTO {quoted(ODD_NAMES[0])} VALUES (?, ?, ?, ?, ?, ?)", ODD_NAMES)
        db.execute("CREATE TABLE big (cell TEXT)")
        db.execute("INSERT INTO big VALUES (?)", ("<b>x</b>" * 131072,))
        for i in range(5):
            db.execute(f"CREATE TABLE wide{i} ({', '.join(f'c{i}_{j}' for j in range(2000))})")
        db.commit()


AUDIT_POLICY = """version: 1
tables:
  employee: {id: Public, name: Public, salary: Public, ssn: Hidden, department_id: Public, job_title: Public}
  department: {id: Public, name: Public}
"""
NAMES_POLICY = """version: 1
tables: {employee: {name: Public}}
"""


def skip(name, reason):
    print(f"skipped: {name}: {reason}")
    print("0 passed, 0 failed")
    sys.exit(0)


def need_server(name):
    """The program must be there, and built with its server."""
    if not PROGRAM.exists() or not HR.exists():
        skip(name, f"{PROGRAM} has not been built")
    with tempfile.TemporaryDirectory() as folder:
        process = start(write_config(folder))
        if process.stdout.readline() == "":
            _, error = process.communicate()
            if "built without the HTTP library" in error:
                skip(name, "the program was built without cpp-httplib (scripts/llama.sh fetches it)")
            raise SystemExit(f"the server does not start: {error}\n0 passed, 1 failed")
        stop(process)


def need_model(name):
    if not (CACHE / "models" / f"{MODEL}.gguf").exists():
        skip(name, f"no model: `pccsql model pull {MODEL}` fetches it")


def write_config(folder, model="none", people=True, extra="", odd=False, limits="{questions_per_minute: 1000, at_once: 4, queue: 16, seconds: 60}"):
    folder = pathlib.Path(folder)
    (folder / "shop.yaml").write_text(SHOP_POLICY)
    (folder / "audit.yaml").write_text(AUDIT_POLICY)
    (folder / "names.yaml").write_text(NAMES_POLICY)
    if not (folder / "shop.sqlite").exists():
        with contextlib.closing(sqlite3.connect(folder / "shop.sqlite")) as db:
            db.executescript(SHOP)
    hr_policy = ROOT / "examples" / "hr" / "policy.yaml"
    text = f"listen: 127.0.0.1:0\nmodel: {model}\nlimits: {limits}\naudit: audit.jsonl\n"
    text += f"databases: {{hr: {{db: '{HR}'}}, shop: {{db: shop.sqlite, values: 3}}}}\n"
    if people:
        text += f"policies:\n  analyst: {{hr: '{hr_policy}', shop: shop.yaml}}\n  auditor: {{hr: audit.yaml}}\n"
        text += "  names: {hr: names.yaml}\n  seller: {shop: shop.yaml}\npeople:\n"
        policies = {"ann": "analyst", "bob": "auditor", "cara": "names", "dan": "seller"}
        for name, policy in policies.items():
            admin = "admin: true, " if name == "bob" else ""
            text += f"  {name}: {{policy: {policy}, {admin}key_sha256: {hashlib.sha256(KEYS[name].encode()).hexdigest()}}}\n"
    else:
        text += f"policies: {{analyst: {{hr: '{hr_policy}', shop: shop.yaml}}}}\n"
    if odd:
        write_odd(folder / "odd.sqlite")
        (folder / "odd.yaml").write_text("version: 1\ndefault: Public\n")
        text = text.replace("shop: {db: shop.sqlite, values: 3}}", "shop: {db: shop.sqlite}, odd: {db: odd.sqlite}}")
        text = text.replace("shop: shop.yaml}\n  auditor: {hr: audit.yaml}", "shop: shop.yaml, odd: odd.yaml}\n  auditor: {hr: audit.yaml, odd: odd.yaml}")
    path = folder / "pccsql.yaml"
    path.write_text(text + extra)
    return path


def policy_file(folder, person, database):
    """What that person's policy for that database is, as `--policy` takes it."""
    files = {"ann": {"hr": ROOT / "examples" / "hr" / "policy.yaml", "shop": "shop.yaml"}, "bob": {"hr": "audit.yaml"},
             "cara": {"hr": "names.yaml"}, "dan": {"shop": "shop.yaml"}}
    return str(pathlib.Path(folder) / files[person][database])


def database_file(folder, database):
    return str(HR if database == "hr" else pathlib.Path(folder) / "shop.sqlite")


def start(config, *options, before=None):
    """`before` is called in the new process, before it becomes the server."""
    return subprocess.Popen([PROGRAM, "serve", "--config", config, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before)


def stop(process, how=signal.SIGTERM):
    process.send_signal(how)
    out, error = process.communicate(timeout=60)
    return process.returncode, out, error


class Server:
    """A running one; `with` ends it."""

    def __init__(self, folder, before=None, **config):
        self.folder = pathlib.Path(folder)
        self.config = write_config(folder, **config)
        self.process = start(self.config, before=before)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise RuntimeError(self.process.communicate()[1])
        self.host = self.address.split("://", 1)[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.ended = stop(self.process)

    def connect(self, timeout=120):
        return http.client.HTTPConnection(self.host, timeout=timeout)

    def send(self, method, path, body=None, person="ann", headers=None):
        """(status, headers, text)"""
        with contextlib.closing(self.connect()) as connection:
            sent = {"Content-Type": "application/json"}
            if person:
                sent["Authorization"] = f"Bearer {KEYS.get(person, person)}"
            sent.update(headers or {})
            text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
            connection.request(method, path, text, sent)
            response = connection.getresponse()
            return response.status, dict(response.headers), response.read().decode()

    def json(self, method, path, body=None, person="ann", headers=None):
        status, _, text = self.send(method, path, body, person, headers)
        return status, json.loads(text)

    def mcp(self, tool, arguments, person="ann"):
        """The result of a tool."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        status, reply = self.json("POST", "/mcp", message, person)
        assert status == 200, reply
        return reply["result"]

    def audit(self):
        return [json.loads(line) for line in (self.folder / "audit.jsonl").read_text().splitlines()]


def program(*arguments, **options):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout, done.stderr


def run_tests(suite):
    """unittest's, with the last line that ./test reads."""
    import unittest

    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[suite]))
    failed = len(result.failures) + len(result.errors)
    for case, reason in result.skipped:
        print(f"skipped: {case}: {reason}")
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(1 if failed else 0)
