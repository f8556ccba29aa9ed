"""Every header compiles by itself: nothing has to be included before it, and including it twice does no harm.

A source that opens with its own header shows the first for it whenever it is built by itself, so only headers without such
a source are compiled here, by the compiler of the build and as the sources of their folder are; with PCCSQL_LONG all are,
which is what shows it where sources are built together (PCCSQL_UNITY). The public headers get no other include path than
their own, and the one for C is compiled as C.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("PCCSQL_BUILD")
FOLDERS = ("include", "src", "apps", "tests", "fuzz")
INCLUDE_ROOTS = ("src", "include", "tests", "")  # what include names are relative to, the longest match first
PUBLIC = ROOT / "include"
C_HEADERS = {PUBLIC / "pccsql" / "pccsql.h"}


def headers():
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.h"))


def include_name(header):
    return next(str(header.relative_to(ROOT / root)) for root in INCLUDE_ROOTS if header.is_relative_to(ROOT / root))


def first_include(source):
    found = re.search(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', source.read_text(), re.M)
    return found.group(1) if found else None


def sources_of(file):
    """The sources that the build compiles together as this one; else itself."""
    if not re.fullmatch(r"unity_\d+_cxx\.cxx", file.name):
        return [file]
    return [pathlib.Path(name) for name in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M)]


def read_commands(build):
    """How the build compiles each source: its path, and the compiler with the arguments that bear on what is parsed."""
    commands = {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if pathlib.Path(words[0]).name in ("ccache", "sccache"):
            words = words[1:]
        kept, rest = [words[0]], iter(words[1:])
        for word in rest:
            if word in ("-I", "-isystem", "-D", "-include"):
                kept += [word, next(rest)]
            elif word.startswith(("-I", "-D", "-W", "-std", "-stdlib", "-f", "-m")) and not word.startswith("-fsanitize"):
                kept.append(word)
        for source in sources_of(pathlib.Path(entry["file"])):
            commands.setdefault(source, kept)
    return commands


def opened_by_own_source(header, commands):
    source = header.with_suffix(".cc")
    return source in commands and first_include(source) == include_name(header)


def command_for(header, commands):
    """As a source of the header's folder is compiled, or of the nearest folder around it that has one; None if none has."""
    if header.is_relative_to(PUBLIC):
        compiler, standard = next((words[0], [w for w in words if w.startswith("-std")]) for words in commands.values())
        return [compiler, *standard, "-Wall", "-Wextra", "-pedantic", "-I", str(PUBLIC)]
    for folder in header.parents:
        beside = sorted(source for source in commands if source.is_relative_to(folder))
        if beside:
            # Sources right there before those further down.
            nearest = min(beside, key=lambda source: (len(source.parts), source))
            return commands[nearest]
        if folder == ROOT:
            return None
    return None


def complaint(command, header, language="c++"):
    """What the compiler says of a file that does nothing but include the header, twice; empty if nothing."""
    done = subprocess.run([*command, "-Werror", "-fsyntax-only", "-x", language, "-"], capture_output=True, text=True,
                          input=f'#include "{header}"\n' * 2, timeout=300)
    return "" if done.returncode == 0 else f"{header}:\n{done.stderr}"


def needs_llama(header):
    return re.search(r"#\s*include\s*[<\"](llama|gguf|ggml[\w-]*)\.h", header.read_text()) is not None


@unittest.skipUnless(BUILD and pathlib.Path(BUILD, "compile_commands.json").exists(), "no build folder: run ./test")
class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = read_commands(BUILD)
        cls.has_llama = any(source.name == "llama_model.cc" for source in cls.commands)

    def test_each_compiles_by_itself(self):
        jobs = []
        for header in headers():
            if opened_by_own_source(header, self.commands) and not os.environ.get("PCCSQL_LONG"):
                continue
            if needs_llama(header) and not self.has_llama:
                continue
            command = command_for(header, self.commands)
            self.assertIsNotNone(command, f"no source tells how {header} is compiled")
            jobs.append((command, header))
        self.assertGreater(len(jobs), 20)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            complaints = [text for text in pool.map(lambda job: complaint(*job), jobs) if text]
        self.assertEqual("\n".join(complaints), "")

    def test_most_are_opened_by_their_own_source(self):
        """Else the search for such sources has gone blind, and the test above slow."""
        opened = sum(opened_by_own_source(header, self.commands) for header in headers())
        self.assertGreater(opened, len(headers()) // 2)

    def test_each_has_a_guard(self):
        bare = [str(header) for header in headers()
                if not re.search(r"^#pragma once$|^#ifndef \w+_H_?\n#define ", header.read_text(), re.M)]
        self.assertEqual(bare, [])

    def test_the_c_header_is_c99(self):
        compiler = command_for(next(iter(C_HEADERS)), self.commands)[0]
        command = [compiler, "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-I", str(PUBLIC)]
        for header in C_HEADERS:
            self.assertEqual(complaint(command, header, "c"), "")

    def test_notices_what_is_missing(self):
        compiler = next(iter(self.commands.values()))
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "a.h")
            for text, wanted in (("#pragma once\nstruct A {};\n", ""),
                                 ("#pragma once\ninline std::vector<int> a() { return {}; }\n", "vector"),
                                 ("struct A {};\n", "redefinition")):
                header.write_text(text)
                said = complaint(compiler, header)
                self.assertTrue(wanted in said if wanted else said == "", f"{text}{said}")
            source = header.with_suffix(".cc")
            source.write_text('// Idea.\n#include <vector>\n#include "a.h"\n')
            self.assertEqual(first_include(source), "vector")


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=sys.argv).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(failed > 0)
