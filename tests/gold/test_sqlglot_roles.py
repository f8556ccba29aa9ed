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

from sqlglot_env import SPLITS, data_folder, enter_venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DIFFERENCES = HERE / "sqlglot_differences.txt"
REASONS = {
    "sqlglot-parse": "sqlglot reads the query otherwise than SQLite does",
}


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


def main():
    data = data_folder("sqlglot roles")
    enter_venv("sqlglot roles")
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
