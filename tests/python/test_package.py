#!/usr/bin/env python3
"""The Python package: its wheel, which ./test has built (PCCSQL_WHEEL), is installed into a clean environment, and
python/tests runs there.

Those of its tests that need torch, transformers or a host that serves models are skipped, under their names, where these are
not there. PCCSQL_PYTHON names a Python that has them: then everything runs with that one once more, and against the source of
SGLang and vLLM where PCCSQL_SGLANG_SOURCE and PCCSQL_VLLM_SOURCE name it.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEEL = os.environ.get("PCCSQL_WHEEL", "")
TOOLS = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pccsql" / "python-tools"


class Counts:
    passed = 0
    failed = 0


def run(*command, env=None, cwd=None):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=env, cwd=cwd, timeout=500)


def case(name, done):
    """A command as a case of its own."""
    Counts.passed += done.returncode == 0
    Counts.failed += done.returncode != 0
    if done.returncode:
        print(f"FAILED {name}\n{done.stdout}")


def package_tests(name, python, env, scratch):
    """python/tests, run from elsewhere, so that what is tested is what was installed."""
    done = run(python, ROOT / "python" / "tests" / "run.py", env=env, cwd=scratch)
    found = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)
    passed, failed = map(int, found.groups()) if found else (0, 1)
    Counts.passed += passed
    Counts.failed += failed + (done.returncode != 0 and failed == 0)
    for line in done.stdout.splitlines():
        if line.startswith("skipped: "):
            print(line)
    if failed or done.returncode:
        print(f"FAILED {name}\n{done.stdout}")


def what_the_wheel_holds():
    """One wheel for every Python, with the types' mark, the library and the program in it."""
    assert re.fullmatch(r"pccsql-[0-9.]+-py3-none-(linux|manylinux\w+)_\w+\.whl", os.path.basename(WHEEL)), WHEEL
    with zipfile.ZipFile(WHEEL) as wheel:
        names = set(wheel.namelist())
        for name in ("py.typed", "libpccsql.so", "program/bin/pccsql", "program/libexec/pccsql/pccsql-query", "hf.py"):
            assert f"pccsql/{name}" in names, name
        metadata = wheel.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        assert "Requires-Python: >=3.10" in metadata and "Requires-Dist" not in metadata, metadata
        entries = wheel.read(next(name for name in names if name.endswith("/entry_points.txt"))).decode()
        for group in ("vllm.logits_processors", "vllm.general_plugins", "sglang.srt.plugins"):
            assert f"[{group}]" in entries, entries


def main():
    if not WHEEL:
        print("skipped: the Python package: there is no wheel: run ./test without a filter, with a network for its tools")
        print("0 passed, 0 failed")
        return
    with tempfile.TemporaryDirectory() as scratch:
        what_the_wheel_holds()
        Counts.passed += 1
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PCCSQL_")) or k == "PCCSQL_DATA"}
        sources = {k: v for k, v in os.environ.items() if re.fullmatch(r"PCCSQL_\w+_SOURCE", k)}
        venv = pathlib.Path(scratch, "clean")
        case("venv", run(sys.executable, "-m", "venv", venv))
        python = venv / "bin" / "python"
        case("install", run(python, "-m", "pip", "install", "--no-index", WHEEL, env=clean))
        case("console script", run(venv / "bin" / "pccsql", "--version", env=clean))
        package_tests("clean environment", python, clean, scratch)
        mypy = TOOLS / "bin" / "mypy"
        case("mypy --strict", run(mypy, "--config-file", ROOT / "pyproject.toml", "--cache-dir", scratch, env=clean, cwd=ROOT))
        if os.environ.get("PCCSQL_PYTHON"):
            target = pathlib.Path(scratch, "target")
            case("install beside hosts", run(python, "-m", "pip", "install", "--no-index", "--target", target, WHEEL, env=clean))
            hosts = {**clean, **sources, "PYTHONPATH": str(target)}
            package_tests("with hosts", os.environ["PCCSQL_PYTHON"], hosts, scratch)
    print(f"{Counts.passed} passed, {Counts.failed} failed")
    sys.exit(Counts.failed > 0)


if __name__ == "__main__":
    main()
