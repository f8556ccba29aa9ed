#!/usr/bin/env python3
"""Makes the databases of a port on a PostgreSQL server and copies Spider's and BIRD's rows into them.

    pg_load.py FOLDER ADDRESS [NAME…]

FOLDER is what test_pg_gold.py wrote, ADDRESS a server's whose role may make databases (`postgresql://me@host`, without a database), NAME
those of FOLDER/cleaned to load (else all). A value that its column's type does not take becomes NULL, and a row whose key
holds one is left out. What is there already stays as it is.
"""

import datetime
import pathlib
import re
import sqlite3
import subprocess
import sys

from sqlglot_env import data_folder, enter_venv

TEST = "loading a port"
FOLDERS = {"spider": "spider/database", "bird": "bird/dev/dev_databases"}
DATES = {"date": r"\d{4}-\d\d-\d\d", "timestamp": r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d+)?)?)?"}


def is_day(text, kind):
    """Whether there is such a day (and time): 0000-00-00 and 1999-02-30 look like one."""
    try:
        return bool(re.fullmatch(DATES[kind], text) and datetime.datetime.fromisoformat(text[:19]))
    except ValueError:
        return False


def written(value, kind):
    """A value as COPY reads it."""
    if value is None:
        return r"\N"
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    text = text.replace("\0", "")
    if kind in ("integer", "bigint"):
        whole = int(text) if re.fullmatch(r"\s*-?\d{1,18}\s*", text) else None
        return r"\N" if whole is None or (kind == "integer" and abs(whole) >= 2**31) else str(whole)
    if kind in ("numeric", "double precision"):
        return text.strip() if re.fullmatch(r"-?\d+(\.\d*)?([eE][-+]?\d+)?", text.strip()) else r"\N"
    if kind == "boolean":
        return {"0": "f", "1": "t"}.get(text.strip(), r"\N")
    if kind in DATES and not is_day(text.strip(), kind):
        return r"\N"
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def script(database, path):
    """DDL and rows, table by table."""
    import pg_port

    yield database.ddl("cleaned")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        db.text_factory = bytes
        for table, columns in database.types["cleaned"].items():
            names = ", ".join(map(pg_port.quote, columns))
            key = [info[5] > 0 for info in db.execute(f"PRAGMA table_info({pg_port.quote(table)})")]
            yield f"COPY {pg_port.quote(table)} ({names}) FROM stdin;\n"
            for row in db.execute(f"SELECT {names} FROM {pg_port.quote(table)}"):
                values = [written(value, kind) for value, kind in zip(row, columns.values())]
                if not any(value == r"\N" for value, is_key in zip(values, key) if is_key):
                    yield "\t".join(values) + "\n"
            yield "\\.\n"
    yield "ANALYZE;\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, address = pathlib.Path(sys.argv[1]), sys.argv[2].rstrip("/")
    data = data_folder(TEST)
    enter_venv(TEST)
    import pg_port

    names = sys.argv[3:] or sorted(path.stem for path in (folder / "cleaned").glob("*.sql"))
    failed = 0
    for name in names:
        suite, db_id = name.split("_", 1)
        path = data / FOLDERS[suite] / db_id / f"{db_id}.sqlite"
        made = subprocess.run(["psql", "-X", "-q", "-d", f"{address}/postgres", "-c", f'CREATE DATABASE "{name}"'], capture_output=True, text=True)
        if made.returncode != 0:
            print(f"{name}: {made.stderr.strip()}")
            continue
        psql = subprocess.Popen(["psql", "-X", "-q", "-d", f"{address}/{name}"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True, encoding="utf-8")
        _, errors = psql.communicate("".join(script(pg_port.Database(path), path)))
        wrong = [line for line in errors.splitlines() if "ERROR" in line]
        failed += bool(wrong)
        print(f"{name}: {'; '.join(wrong) or 'loaded'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
