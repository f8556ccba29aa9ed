"""What the tests on sqlglot share: where the benchmarks' data are, and a Python that has sqlglot, at one fixed version, in a
virtual environment in the user's cache."""

import os
import pathlib
import subprocess
import sys

SQLGLOT = "30.30.0"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pccsql"

SPIDER_TRAIN = ["spider/train_spider.json", "spider/train_others.json"]
SPLITS = [  # name, tables.json, lists of questions, the key of the query
    ("spider-dev", "spider/tables.json", ["spider/dev.json"], "query"),
    ("spider-train", "spider/tables.json", SPIDER_TRAIN, "query"),
    ("bird-dev", "bird/dev/dev_tables.json", ["bird/dev/dev.json"], "SQL"),
    ("bird-train", "bird/train/train_tables.json", ["bird/train/train.json"], "SQL"),
]


def skip(test, reason):
    print(f"skipped: {test}: {reason}")
    print("0 passed, 0 failed")
    sys.exit(0)


def enter_venv(test):
    """Runs this script again under a Python that has sqlglot, which is installed first where it is missing."""
    try:
        import sqlglot

        if sqlglot.__version__ == SQLGLOT:
            return
    except ImportError:
        pass
    if os.environ.get("PCCSQL_IN_VENV"):
        skip(test, f"sqlglot {SQLGLOT} cannot be imported from {CACHE / 'venv'}")
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
                skip(test, f"sqlglot {SQLGLOT} is not installed, and `{' '.join(step[1:])}` failed")
    os.execve(python, [str(python), *sys.argv], {**os.environ, "PCCSQL_IN_VENV": "1"})


def data_folder(test):
    folder = pathlib.Path(os.environ.get("PCCSQL_DATA") or "")
    if not os.environ.get("PCCSQL_DATA") or not (folder / "spider" / "dev.json").exists():
        skip(test, "no benchmark data: set PCCSQL_DATA to a folder that holds spider/ and bird/")
    return folder
