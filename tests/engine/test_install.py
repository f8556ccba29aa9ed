"""The installed library: installs this build into a folder, builds examples/embed against it, and runs both programs.

What they print is a query over the demo's schema, made by a model that knows nothing: the masks did the rest.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("PCCSQL_BUILD")
DEMO = ROOT / "examples" / "hr"


def run(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **more)


def sanitizer_flags():
    """A library that was built with sanitizers wants programs that are, too."""
    cache = pathlib.Path(BUILD, "CMakeCache.txt").read_text()
    found = re.search(r"^PCCSQL_SANITIZE:\w+=(.+)$", cache, re.M)
    flag = f"-fsanitize={found.group(1)}" if found else ""
    return [f"-DCMAKE_C_FLAGS={flag}", f"-DCMAKE_CXX_FLAGS={flag}"]


@unittest.skipUnless(BUILD and pathlib.Path(BUILD, "CMakeCache.txt").exists(), "no build folder: run ./test")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        base = pathlib.Path(cls.scratch.name).resolve()
        cls.prefix, cls.embed = base / "an install", base / "embed"
        cls.steps = [run("cmake", "--install", BUILD, "--prefix", cls.prefix),
                     run("cmake", "-S", ROOT / "examples" / "embed", "-B", cls.embed, "-G", "Ninja",
                         f"-DCMAKE_PREFIX_PATH={cls.prefix}", *sanitizer_flags()),
                     run("cmake", "--build", cls.embed)]

    def setUp(self):
        for step in self.steps:
            self.assertEqual(step.returncode, 0, step.stdout + step.stderr)

    def test_headers_name_no_other_library(self):
        headers = sorted((self.prefix / "include" / "pccsql").glob("*.h"))
        self.assertIn("engine.h", [header.name for header in headers])
        for header in headers:
            for included in re.findall(r'#\s*include\s*([<"][^>"]+[>"])', header.read_text()):
                self.assertRegex(included, r"^<(pccsql/\w+\.h|\w+|std(def|int)\.h)>$", header.name)

    def test_the_c_header_is_c89(self):
        checked = run("gcc", "-std=c89", "-pedantic-errors", "-Wall", "-Werror", "-fsyntax-only", "-I",
                      self.prefix / "include", "-x", "c", "-", input="#include <pccsql/pccsql.h>\n")
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_the_cpp_program(self):
        texts = set()
        for seed in range(1, 6):
            ran = run(self.embed / "embed_cpp", DEMO / "schema.sql", DEMO / "policy.yaml", seed)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertRegex(ran.stdout.upper(), r"^\s*(SELECT|WITH)\b")
            texts.add(ran.stdout)
        self.assertGreater(len(texts), 1)
        wrong = run(self.embed / "embed_cpp", DEMO / "schema.sql", DEMO / "missing.yaml")
        self.assertEqual((wrong.returncode, wrong.stdout), (1, ""))
        self.assertIn("missing.yaml", wrong.stderr)

    def test_the_c_program(self):
        database = pathlib.Path(BUILD, "examples", "hr.sqlite")
        for seed in range(1, 6):
            ran = run(self.embed / "embed_c", database, DEMO / "policy.yaml", seed)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertRegex(ran.stdout.upper(), r"^\s*(SELECT|WITH)\b")
        wrong = run(self.embed / "embed_c", DEMO / "README.md", DEMO / "policy.yaml")
        self.assertEqual((wrong.returncode, wrong.stdout), (1, ""))
        self.assertIn("README.md", wrong.stderr)


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=sys.argv).result
    for case, reason in result.skipped:
        print(f"skipped: {case.id()}: {reason}" if hasattr(case, "id") else f"skipped: {case}: {reason}")
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(failed > 0)
