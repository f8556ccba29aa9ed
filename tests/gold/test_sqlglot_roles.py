#!/usr/bin/env python3
"""Compares the roles that `pccsql roles` reports with those of sqlglot_roles.py, gold query by gold query.

    test_sqlglot_roles.py [PCCSQL]

PCCSQL is the program to ask, else that of the build folder PCCSQL_BUILD, else ./pccsql in the root of the repository.
Only queries that the judge finds in order are compared (tests/gold/exceptions.txt lists the others): as multisets of
(table, column, role), under both profiles. sqlglot_differences.txt lists by profile, split and index the queries where
the two differ, each with a class of reason; a comparison passes when the differences are exactly those. sqlglot is
installed, at one fixed version, into a virtual environment in the user's cache. Without it, or without data, the test
is skipped.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SQLGLOT = "30.30.0"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pccsql"
DIFFERENCES = HERE / "sqlglot_differences.txt"
REASONS = {
    "sqlglot-parse": "sqlglot reads the query otherwise than SQLite does",
}

SPIDER_TRAIN = ["spider/train_spider.json", "spider/train_others.json"]
SPLITS = [  # name, tables.json, lists of questions, the key of the query
    ("spider-dev", "spider/tables.json", ["spider/dev.json"], "query"),
    ("spider-train", "spider/tables.json", SPIDER_TRAIN, "query"),
    ("bird-dev", "bird/dev/dev_tables.json", ["bird/dev/dev.json"], "SQL"),
    ("bird-train", "bird/train/train_tables.json", ["bird/train/train.json"], "SQL"),
]


def skip(reason):
    print(f"skipped: sqlglot roles: {reason}")
    print("0 passed, 0 failed")
    sys.exit(0)


def enter_venv():
    """Runs this script again under a Python that has sqlglot, which is installed first where it is missing."""
    try:
        import sqlglot

        if sqlglot.__version__ == SQLGLOT:
            return
    except ImportError:
        pass
    if os.environ.get("PCCSQL_IN_VENV"):
        skip(f"sqlglot {SQLGLOT} cannot be imported from {CACHE / 'venv'}")
    python = CACHE / "venv" / "bin" / "python"
    wanted = f"import sqlglot, sys; sys.exit(sqlglot.__version__ != '{SQLGLOT}')"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if not python.exists() or subprocess.run([python, "-c", wanted], **quiet).returncode:
        for step in ([sys.executable, "-m", "venv", str(CACHE / "venv")],
                     [str(python), "-m", "pip", "install", "--quiet", f"sqlglot=={SQLGLOT}"]):
            try:
                done = subprocess.run(step, timeout=120, **quiet).returncode == 0
            except (OSError, subprocess.TimeoutExpired):
                done = False
            if not done:
                skip(f"sqlglot {SQLGLOT} is not installed, and `{' '.join(step[1:])}` failed")
    os.execve(python, [str(python), *sys.argv], {**os.environ, "PCCSQL_IN_VENV": "1"})


def judged(program, tables, queries, profile):
    """What the judge says: one parsed line per query, in order."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for i, (db_id, sql) in enumerate(queries):
            file.write(json.dumps({"id": i, "db_id": db_id, "sql": sql}) + "\n")
        file.flush()
        run = subprocess.run([program, "roles", "--tables", str(tables), "--jsonl", file.name, "--format", "json",
                              "--profile", profile], stdout=subprocess.PIPE, check=False)
    lines = [json.loads(line) for line in run.stdout.decode("utf-8").splitlines()]
    if run.returncode not in (0, 1) or [line["id"] for line in lines] != list(range(len(queries))):
        sys.exit(f"`{program} roles` ended with status {run.returncode} and {len(lines)} of {len(queries)} lines")
    return lines


def multiset(uses):
    return collections.Counter((table.lower(), column.lower(), role) for table, column, role in uses)


def compare(roles, schemas, queries, lines, strict):
    """The indices that differ, each with what only one side has; and how many were compared."""
    differing, compared = {}, 0
    for i, ((db_id, sql), line) in enumerate(zip(queries, lines)):
        if line["verdict"] in ("outside", "error"):
            continue
        compared += 1
        judge = multiset((use["table"], use["column"], use["role"]) for use in line["uses"])
        try:
            other = multiset(found[:3] for found in roles.occurrences(schemas[db_id], sql, strict))
        except Exception as error:  # whatever sqlglot raises is a difference to be listed
            differing[i] = f"{type(error).__name__}: {error}"
            continue
        if judge != other:
            differing[i] = f"the judge alone: {dict(judge - other)}; sqlglot alone: {dict(other - judge)}"
    return differing, compared


def listed_differences():
    """{(profile, split): {index}} of the golden file; every line must give a known reason."""
    listed = collections.defaultdict(set)
    for line in DIFFERENCES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            profile, split, index, reason = line.split()
            if reason not in REASONS:
                sys.exit(f"{DIFFERENCES.name}: unknown reason {reason!r}; known: {', '.join(REASONS)}")
            listed[profile, split].add(int(index))
    return listed


def data_folder():
    folder = pathlib.Path(os.environ.get("PCCSQL_DATA") or "")
    if not os.environ.get("PCCSQL_DATA") or not (folder / "spider" / "dev.json").exists():
        skip("no benchmark data: set PCCSQL_DATA to a folder that holds spider/ and bird/")
    return folder


def main():
    data = data_folder()
    enter_venv()
    sys.path.insert(0, str(HERE))
    import sqlglot_roles

    build = os.environ.get("PCCSQL_BUILD")
    program = sys.argv[1] if len(sys.argv) > 1 else f"{build}/apps/pccsql" if build else str(ROOT / "pccsql")
    listed = listed_differences()
    passed = failed = 0
    for name, tables, lists, key in SPLITS:
        queries = [(q["db_id"], q[key]) for part in lists for q in json.loads((data / part).read_text("utf-8"))]
        schemas = sqlglot_roles.load_schemas(data / tables)
        for profile in ("paper", "strict"):
            lines = judged(program, data / tables, queries, profile)
            differing, compared = compare(sqlglot_roles, schemas, queries, lines, profile == "strict")
            known = listed[profile, name]
            print(f"{name}, {profile}: {compared} of {len(queries)} compared, {len(differing)} differ, "
                  f"{len(known)} listed")
            for i in sorted(set(differing) - known):
                print(f"  {i}: {differing[i]}")
            for i in sorted(known - set(differing)):
                print(f"  {i}: listed, but there is no difference")
            if set(differing) == known and compared > 0.9 * len(queries):
                passed += 1
            else:
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
