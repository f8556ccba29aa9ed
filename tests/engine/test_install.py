"""The installation: installs this build into a folder, and uses it there: the program, and examples/embed, which is built
against it with CMake and with pkg-config. What is installed names no folder of this machine.

What the examples print is a query over the demo's schema, made by a model that knows nothing: the masks did the rest.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("PCCSQL_BUILD")
DEMO = ROOT / "examples" / "hr"


def run(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **more)


def cached(name):
    """What CMake's cache of the build has under the name; "" for nothing."""
    found = re.search(rf"^{name}:\w+=(.*)$", pathlib.Path(BUILD, "CMakeCache.txt").read_text(), re.M)
    return found.group(1) if found else ""


def sanitizer_flag():
    """A library that was built with sanitizers wants programs that are, too."""
    return f"-fsanitize={cached('PCCSQL_SANITIZE')}" if cached("PCCSQL_SANITIZE") else ""


def llama_prefix():
    """Where llama.cpp is; None in a build without it."""
    folder = cached("llama_DIR")
    return pathlib.Path(folder).parents[2] if folder.startswith("/") else None


def names_in(path, text):
    """Whether the file's bytes hold the text."""
    return text.encode() in path.read_bytes()


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
                         f"-DCMAKE_PREFIX_PATH={cls.prefix}", f"-DCMAKE_C_FLAGS={sanitizer_flag()}",
                         f"-DCMAKE_CXX_FLAGS={sanitizer_flag()}"),
                     run("cmake", "--build", cls.embed)]

    def setUp(self):
        for step in self.steps:
            self.assertEqual(step.returncode, 0, step.stdout + step.stderr)

    def test_what_is_installed_names_no_folder_of_this_machine(self):
        llama = llama_prefix()
        folders = [str(ROOT), str(pathlib.Path(BUILD).resolve())]
        # llama.cpp keeps the names of its source files for its messages; made by scripts/llama.sh they are relative.
        if llama and not any(names_in(library, str(llama.parent)) for library in (llama / "lib").glob("*.a")):
            folders.append(str(llama.parent))
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 10)
        for path in files:
            for folder in folders:
                self.assertFalse(names_in(path, folder), f"{path} names {folder}")

    def test_the_program_works_from_the_prefix(self):
        """With its helper process and the demo; and from wherever the installation is moved to."""
        moved = self.prefix.parent / "moved"
        shutil.copytree(self.prefix, moved)
        elsewhere = {"PATH": os.environ["PATH"], "HOME": str(self.prefix.parent)}
        for prefix in (self.prefix, moved):
            program = prefix / "bin" / "pccsql"
            checked = run(program, "check", "SELECT name FROM employee", env=elsewhere, cwd=prefix)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            self.assertTrue(checked.stdout.startswith("safe"), checked.stdout)
            self.assertEqual(run(program, "check", "SELECT ssn FROM employee", env=elsewhere).returncode, 1)
            helper = prefix / "libexec" / "pccsql" / "pccsql-query"
            self.assertIn("runs queries for pccsql", run(helper, stdin=subprocess.DEVNULL).stderr)

    def test_add_subdirectory_makes_the_library_alone(self):
        """Without CLI11, GoogleTest, the program and the tests; only configured here, as building takes minutes."""
        host = self.prefix.parent / "host"
        host.mkdir()
        (host / "CMakeLists.txt").write_text(
            f'cmake_minimum_required(VERSION 3.25)\nproject(host LANGUAGES C CXX)\nadd_subdirectory("{ROOT}" pccsql)\n'
            f'add_executable(embed_cpp "{ROOT}/examples/embed/embed.cc")\n'
            "target_link_libraries(embed_cpp PRIVATE pccsql::pccsql)\n")
        configured = run("cmake", "-S", host, "-B", host / "build", "-G", "Ninja", "-DPCCSQL_LLAMA=OFF",
                         "-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON")
        self.assertEqual(configured.returncode, 0, configured.stdout + configured.stderr)
        plan = run("ninja", "-C", host / "build", "-n", "embed_cpp")
        self.assertEqual(plan.returncode, 0, plan.stdout + plan.stderr)
        targets = run("ninja", "-C", host / "build", "-t", "targets", "all").stdout
        self.assertIn("embed_cpp", targets)
        self.assertNotIn("pccsql_apps", targets)
        self.assertNotIn("engine_test", targets)

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_pkg_config(self):
        folders = [self.prefix / "lib" / "pkgconfig"] + ([llama_prefix() / "lib" / "pkgconfig"] if llama_prefix() else [])
        env = {**os.environ, "PKG_CONFIG_PATH": ":".join(str(folder) for folder in folders)}
        flags = run("pkg-config", "--cflags", "--libs", "pccsql", env=env)
        self.assertEqual(flags.returncode, 0, flags.stderr)
        program = self.embed / "embed_pc"
        built = run("c++", "-std=c++20", ROOT / "examples" / "embed" / "embed.cc", "-o", program,
                    *shlex.split(sanitizer_flag()), *shlex.split(flags.stdout))
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = run(program, DEMO / "schema.sql", DEMO / "policy.yaml", 1)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

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
