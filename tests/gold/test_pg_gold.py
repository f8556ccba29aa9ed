#!/usr/bin/env python3
"""The benchmarks' gold queries on PostgreSQL: ported by pg_port.py, judged by pccsql, prepared and planned by a private server.

    test_pg_gold.py [FOLDER]

Writes the port into FOLDER (else into a folder that goes away): `FORM/DATABASE.sql` for the two forms of each schema, and
`gold.jsonl`, a line {"form", "split", "index", "db", "sql"} for each query: of Spider's and BIRD's dev, and with PCCSQL_LONG of
Spider's train as well. Then the program check_pg_test of the build
folder PCCSQL_BUILD (else build/test) compares judge and server on them; pg_exceptions.txt lists the queries that the
server takes and the language does not hold. PCCSQL_PG_MUTATIONS: so many queries with random changes as well. Without
data, sqlglot or a server it is skipped.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from sqlglot_env import SPLITS, data_folder, enter_venv, skip

TEST = "gold on PostgreSQL"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = {"spider": "spider/database", "bird": "bird/dev/dev_databases"}


def write_port(data, folder):
    import pg_port

    databases = {}
    with open(folder / "gold.jsonl", "w", encoding="utf-8") as out:
        for split, _, lists, key in SPLITS:
            if split.endswith("train") and not os.environ.get("PCCSQL_LONG"):
                continue
            home = data / FOLDERS[split.split("-")[0]]
            queries = [(q["db_id"], q[key]) for part in lists if (data / part).exists()
                       for q in json.loads((data / part).read_text("utf-8"))]
            for index, (db_id, sql) in enumerate(queries):
                file = home / db_id / f"{db_id}.sqlite"
                if not file.exists():
                    continue
                name = split.split("-")[0] + "_" + db_id
                if name not in databases:
                    databases[name] = pg_port.Database(file)
                for form in ("declared", "cleaned"):
                    ported = pg_port.port(sql, databases[name], form)
                    if ported is not None:
                        out.write(json.dumps({"form": form, "split": split, "index": index, "db": name, "sql": ported}) + "\n")
    for form in ("declared", "cleaned"):
        (folder / form).mkdir(exist_ok=True)
        for name, database in databases.items():
            (folder / form / f"{name}.sql").write_text(database.ddl(form), encoding="utf-8")


def main():
    data = data_folder(TEST)
    enter_venv(TEST)
    program = pathlib.Path(os.environ.get("PCCSQL_BUILD") or ROOT / "build" / "test") / "tests" / "check_pg_test"
    if not program.exists():
        skip(TEST, f"{program} is not there")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "gold.jsonl.done").exists():
            write_port(data, folder)
            (folder / "gold.jsonl.done").touch()
        run = subprocess.run([program, "--gtest_filter=PgGold.*"], cwd=ROOT, stdout=subprocess.PIPE, check=False,
                             env={**os.environ, "PCCSQL_PG_GOLD": str(folder)})
        text = run.stdout.decode("utf-8", "replace")
        print(text)
        if "SKIPPED" in text:
            skip(TEST, "no server")
        passed = re.search(r"PASSED\s+\] (\d+) test", text)
        print(f"{passed.group(1) if passed else 0} passed, {0 if run.returncode == 0 else 1} failed")
        return run.returncode


if __name__ == "__main__":
    sys.exit(main())
