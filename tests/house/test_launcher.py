"""The launcher ./pccsql, tried on a checkout of one small file in place of the real sources.

The folder's name has a space in it. What is shown: it builds once, passes arguments and exit status through, is quiet
and quick when nothing changed, notices changed and deleted sources, survives a broken source, an interrupt, two
launches at once and a moved checkout, names the packages that it may not install, and makes llama.cpp for the commands that
load a model, and only for them.
"""

import contextlib
import os
import pathlib
import pty
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(stand_in LANGUAGES CXX)
add_subdirectory(apps)
file(WRITE ${CMAKE_BINARY_DIR}/examples/hr.sqlite "")
add_custom_target(hr_database)
"""
PROGRAM = """#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  std::printf("VERSION %s", std::getenv("PCCSQL_HOME"));
  for (int i = 1; i < argc; ++i) std::printf("|%s", argv[i]);
  return 7;
}
"""


class Launcher(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.base = pathlib.Path(self.scratch.name).resolve()
        self.root = self.base / "a checkout"
        for folder in ("apps", "scripts", "src"):
            (self.root / folder).mkdir(parents=True)
        shutil.copy(ROOT / "pccsql", self.root)
        shutil.copy(ROOT / "scripts" / "setup.sh", self.root / "scripts")
        (self.root / "CMakeLists.txt").write_text(CMAKE)
        (self.root / "apps" / "CMakeLists.txt").write_text("add_executable(pccsql main.cc)\n")
        self.write_program("one")

    def write_program(self, version):
        (self.root / "apps" / "main.cc").write_text(PROGRAM.replace("VERSION", version))

    def launch(self, *arguments, command=None, cwd=None, **more):
        command = command or [str(self.root / "pccsql")]
        return subprocess.run([*command, *arguments], cwd=cwd or self.base, capture_output=True, text=True, timeout=120,
                              **more)

    def last_build(self):
        """Changes with every build that goes through."""
        return (self.root / "build/release/launcher.stamp").stat().st_mtime_ns

    def test_builds_once_and_passes_everything_through(self):
        first = self.launch("check", "SELECT 'a  b'", "")
        self.assertEqual(first.stdout, f"one {self.root}|check|SELECT 'a  b'|")
        self.assertEqual(first.stderr, "building pccsql (once) …\n")
        self.assertEqual(first.returncode, 7)
        built = self.last_build()
        link = self.base / "link"
        link.symlink_to(self.root / "pccsql")
        ways = [([str(link)], self.base), (["./pccsql"], self.root), (["bash", "pccsql"], self.root),
                (["a checkout/pccsql"], self.base), (["../pccsql"], self.root / "apps")]
        for command, cwd in ways:
            again = self.launch("x", command=command, cwd=cwd)
            self.assertEqual((again.stdout, again.stderr), (f"one {self.root}|x", ""), command)
        self.assertEqual(self.last_build(), built)

    def test_tells_a_terminal_how_far_it_is(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = subprocess.Popen([str(self.root / "pccsql")], stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # what reading gives when the other side has gone
            while part := os.read(ours, 4096):
                said += part
        self.assertEqual(process.communicate(timeout=120)[0], f"one {self.root}")
        self.assertRegex(said.decode(), r"^building pccsql \(once\) …\r\n(\r\[\d+/\d+\])*\r\[(\d+)/\2\]\r\x1b\[K$")
        (self.root / "apps" / "main.cc").write_text("int main() { return undeclared_thing; }\n")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = subprocess.Popen([str(self.root / "pccsql")], stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 2)

    def test_costs_little_when_nothing_changed(self):
        self.launch()
        program = [str(self.root / "build/release/apps/pccsql")]

        def median(command):
            times = []
            for _ in range(15):
                begin = time.perf_counter()
                self.launch(command=command, env={**os.environ, "PCCSQL_HOME": ""})
                times.append(time.perf_counter() - begin)
            return statistics.median(times)

        self.assertLess(median([str(self.root / "pccsql")]) - median(program), 0.050)

    def test_notices_changed_sources(self):
        self.launch()
        self.write_program("two")
        changed = self.launch()
        self.assertEqual((changed.stdout, changed.stderr), (f"two {self.root}", "building pccsql …\n"))

    def test_notices_deleted_sources(self):
        (self.root / "src" / "old.h").touch()
        self.launch()
        built = self.last_build()
        (self.root / "src" / "old.h").unlink()
        self.launch()
        self.assertNotEqual(self.last_build(), built)

    def test_shows_the_log_of_a_failed_build_and_recovers(self):
        self.launch()
        (self.root / "apps" / "main.cc").write_text("int main() { return undeclared_thing; }\n")
        for _ in range(2):  # a failed build leaves no stamp that would hide it the next time
            failed = self.launch()
            self.assertEqual((failed.returncode, failed.stdout), (2, ""))
            self.assertIn("undeclared_thing", failed.stderr)
            self.assertIn("the build failed", failed.stderr)
        self.write_program("three")
        self.assertEqual(self.launch().stdout, f"three {self.root}")

    def test_an_interrupted_build_leaves_nothing_broken(self):
        listing = self.root / "apps" / "CMakeLists.txt"
        started = self.base / "started"
        listing.write_text(listing.read_text() + f'add_custom_target(slow COMMAND touch "{started}" COMMAND sleep 120)\n'
                           "add_dependencies(pccsql slow)\n")
        # Started from a background job, this test inherits an ignored SIGINT; a user's launch does not.
        process = subprocess.Popen([str(self.root / "pccsql")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        deadline = time.monotonic() + 60
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, output), (130, ""))
        self.assertFalse((self.root / "build/release/launcher.stamp").exists())
        listing.write_text("add_executable(pccsql main.cc)\n")
        self.assertEqual(self.launch().stdout, f"one {self.root}")

    def test_two_launches_at_once_build_once(self):
        both = [subprocess.Popen([str(self.root / "pccsql")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for _ in range(2)]
        results = [process.communicate(timeout=120) for process in both]
        self.assertEqual([out for out, _ in results], [f"one {self.root}"] * 2)
        self.assertEqual(sorted(err for _, err in results), ["", "building pccsql (once) …\n"])

    def test_a_moved_checkout_builds_again(self):
        self.launch()
        moved = self.base / "elsewhere"
        self.root.rename(moved)
        self.root = moved
        again = self.launch()
        self.assertEqual((again.stdout, again.stderr), (f"one {moved}", "building pccsql …\n"))

    def stand_in_for_llama(self, script):
        """CMake finds llama.cpp once the script has made it."""
        with open(self.root / "CMakeLists.txt", "a") as listing:
            listing.write("if(EXISTS ${CMAKE_SOURCE_DIR}/llama)\n  set(llama_DIR ${CMAKE_SOURCE_DIR}/llama CACHE PATH \"\")\n"
                          "endif()\n")
        (self.root / "scripts" / "llama.sh").write_text(script)

    def test_makes_llama_for_commands_that_load_a_model(self):
        self.stand_in_for_llama(f"echo made >&2; touch '{self.root}/llama'\n")
        building = "building pccsql …\n"
        for arguments, said in [(("check", "SELECT 1"), "building pccsql (once) …\n"),
                                (("ask", "--model", "http://here/v1", "Who?"), ""),
                                (("mask", "explain", "SEL"), ""),
                                (("eval", "report", "x"), ""),
                                (("ask", "Who?"), "made\n" + building),
                                (("ask", "Who?"), ""),
                                (("check", "SELECT 1"), "")]:
            self.assertEqual(self.launch(*arguments).stderr, said, arguments)
        for arguments in [("ask",), ("eval", "run", "x"), ("mask", "walk", "--vocab", "x.gguf")]:
            shutil.rmtree(self.root / "build")
            (self.root / "llama").unlink()
            self.assertEqual(self.launch(*arguments).stderr, "made\nbuilding pccsql (once) …\n", arguments)

    def test_builds_again_when_another_llama_is_made_or_asked_for(self):
        cache = self.base / "cache"
        env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
        env.pop("PCCSQL_BACKEND", None)
        again = "building pccsql …\n"
        self.launch(env=env)
        self.assertEqual(self.launch(env=env).stderr, "")
        (cache / "pccsql" / "llama-1-cuda-x.part").mkdir(parents=True)  # not finished
        (cache / "pccsql" / "llama-1-cuda-x.log").touch()
        self.assertEqual(self.launch(env=env).stderr, "")
        (cache / "pccsql" / "llama-1-cuda-x").mkdir()
        self.assertEqual([self.launch(env=env).stderr for _ in range(2)], [again, ""])
        env["PCCSQL_BACKEND"] = "cpu"
        self.assertEqual([self.launch(env=env).stderr for _ in range(2)], [again, ""])

    def test_goes_on_without_llama_where_it_cannot_be_made(self):
        self.stand_in_for_llama("echo no network >&2; exit 2\n")
        for _ in range(2):  # tried each time: the network may be back
            asked = self.launch("ask", "Who?")
            self.assertEqual(asked.stdout, f"one {self.root}|ask|Who?")
            self.assertIn("no network\npccsql: llama.cpp could not be made, so no model can be loaded here\n", asked.stderr)

    def bare_machine(self, *tools):
        """A folder for PATH with the shell's own tools, and those given."""
        bin = self.base / "bin"
        bin.mkdir()
        basic = ("bash", "env", "find", "flock", "mkdir", "readlink", "sed", "tail", "mv", "rm", "grep", "ln", "touch")
        for tool in (*basic, *tools):
            (bin / tool).symlink_to(shutil.which(tool))
        return bin

    def test_names_the_packages_it_may_not_install(self):
        bin = self.bare_machine()
        bare = self.launch(env={"PATH": str(bin)})
        self.assertEqual((bare.returncode, bare.stdout), (2, ""))
        packages = bare.stderr.split("apt-get install", 1)[1].split()
        self.assertEqual(packages[:3], ["g++", "cmake", "ninja-build"])
        # And with everything but CMake: just that.
        for tool in ("g++", "ninja"):
            (bin / tool).symlink_to(shutil.which(tool))
        bare = self.launch(env={"PATH": str(bin)})
        self.assertEqual(bare.stderr.split("apt-get install", 1)[1].split(), ["cmake"])

    def test_installs_what_it_may(self):
        # An apt-get that knows no packages before an update, and a sudo that asks nothing (root does without it).
        bin = self.bare_machine("g++", "c++", "ninja", "as", "ld", "ar", "ranlib")
        calls = self.base / "calls"
        updated = self.base / "updated"
        (bin / "apt-get").write_text(f"""#!/usr/bin/env bash
echo "$*" >>'{calls}'
case "$*" in
  *update*) touch '{updated}' ;;
  *install*) [[ -e '{updated}' ]] && ln -s '{shutil.which("cmake")}' '{bin}/cmake' ;;
esac
""")
        (bin / "sudo").write_text('#!/usr/bin/env bash\n[[ $1 == -n ]] && shift && [[ $1 == true ]] || exec "$@"\n')
        for tool in ("apt-get", "sudo"):
            (bin / tool).chmod(0o755)
        installed = self.launch("x", env={"PATH": str(bin)})
        self.assertEqual(installed.stdout, f"one {self.root}|x", installed.stderr)
        self.assertEqual(installed.stderr, "installing cmake …\nbuilding pccsql (once) …\n")
        verbs = [("update" if "update" in line else "install " + line.split()[-1]) for line in calls.read_text().splitlines()]
        self.assertEqual(verbs, ["install cmake", "update", "install cmake"])


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=sys.argv).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(failed > 0)
