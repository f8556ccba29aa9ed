"""scripts/run_tests.py, tried on stand-ins for test programs: what is counted, what is shown, and how a run ends."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A stand-in prints OUTPUT, writes REPORT where GoogleTest would, and ends as END says.
PROGRAM = """#!{python}
import os, sys, time
report = [a.split(":", 1)[1] for a in sys.argv if a.startswith("--gtest_output=json:")][0]
sys.stdout.write({output!r})
sys.stdout.flush()
if {report!r} is not None:
    open(report, "w").write({report!r})
{end}
"""


def case(name, result="COMPLETED", failures=()):
    found = {"name": name, "result": result}
    if failures:
        found["failures"] = [{"failure": text} for text in failures]
    return found


def report(*cases, suite="Suite"):
    return json.dumps({"testsuites": [{"name": suite, "testsuite": list(cases)}]})


class Runner(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.tests = self.root / "build" / "tests"
        self.tests.mkdir(parents=True)
        (self.root / "tests").mkdir()
        self.names = []

    def program(self, name, report_text, output="", end="sys.exit(0)", listed=True):
        path = self.tests / name
        path.write_text(PROGRAM.format(python=sys.executable, output=output, report=report_text, end=end))
        path.chmod(0o755)
        if listed:
            self.names.append(name)

    def script(self, name, body):
        (self.root / "tests" / name).write_text(body)

    def run_all(self, *options):
        (self.tests / "programs.txt").write_text("\n".join(self.names) + "\n")
        done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/run_tests.py"), "--root", str(self.root),
                               *options, str(self.root / "build")], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout, done.stdout.splitlines()[-1]

    def test_adds_up_cases_of_all_programs(self):
        self.program("a_test", report(case("One"), case("Two")))
        self.program("b_test", report(case("Three")))
        status, _, last = self.run_all()
        self.assertEqual((status, last), (0, "3 passed, 0 failed"))

    def test_shows_failures_in_full(self):
        self.program("a_test", report(case("One"), case("Two", failures=["first thing", "second\nthing"])), end="sys.exit(1)")
        status, output, last = self.run_all()
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertIn("FAILED a_test Suite.Two\nfirst thing\nsecond\nthing\n", output)

    def test_skipped_cases_count_on_neither_side(self):
        printed = ("[ RUN      ] Suite.One\nx.cc:3: Skipped\nno data here\n[  SKIPPED ] Suite.One (0 ms)\n")
        self.program("a_test", report(case("One", "SKIPPED"), case("Two"), case("DISABLED_Three", "SUPPRESSED")), printed)
        status, output, last = self.run_all()
        self.assertEqual((status, last), (0, "1 passed, 0 failed"))
        self.assertIn("skipped: Suite.One: no data here\n", output)
        self.assertIn("skipped: Suite.DISABLED_Three: disabled\n", output)

    def test_a_crash_is_one_failure_with_its_output(self):
        self.program("a_test", None, "about to fall\n", "os.abort()")
        self.program("b_test", report(case("One")))
        status, output, last = self.run_all()
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertIn("killed by SIGABRT", output)
        self.assertIn("about to fall", output)

    def test_a_crash_after_the_report_is_a_failure(self):
        self.program("a_test", report(case("One")), "leak found\n", "os.abort()")
        status, output, last = self.run_all()
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertIn("leak found", output)

    def test_a_hang_is_a_failure(self):
        self.program("a_test", None, end="time.sleep(60)")
        status, output, last = self.run_all("--timeout", "1")
        self.assertEqual((status, last), (1, "0 passed, 1 failed"))
        self.assertIn("stopped after 1 s", output)

    def test_an_interrupt_ends_everything_at_once(self):
        started = self.root / "started"
        self.program("a_test", None, end=f"open({str(started)!r}, 'w').close(); time.sleep(60)")
        (self.tests / "programs.txt").write_text("a_test\n")
        runner = subprocess.Popen([sys.executable, "-B", str(ROOT / "scripts/run_tests.py"), "--root", str(self.root),
                                   str(self.root / "build")], stdout=subprocess.DEVNULL,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        deadline = time.monotonic() + 30
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        runner.send_signal(signal.SIGINT)
        self.assertEqual(runner.wait(timeout=10), 130)

    def test_silence_is_no_success(self):
        self.assertEqual(self.run_all()[0::2], (1, "0 passed, 0 failed"))
        self.program("a_test", report())
        self.assertEqual(self.run_all()[0::2], (1, "0 passed, 1 failed"))
        self.names = []
        self.program("b_test", report(case("One")))
        self.assertEqual(self.run_all("--filter", "Nothing")[0], 0)  # the stand-in knows no filters: its case ran
        self.program("b_test", report(case("One", "SUPPRESSED")))
        self.assertEqual(self.run_all("--filter", "Nothing")[0::2], (1, "0 passed, 0 failed"))

    def test_a_program_that_was_not_built_is_a_failure(self):
        self.names.append("missing_test")
        self.program("b_test", report(case("One")))
        self.assertEqual(self.run_all()[0::2], (1, "1 passed, 1 failed"))

    def test_leftovers_are_not_run(self):
        self.program("a_test", report(case("One")))
        self.program("old_test", report(case("Two")), listed=False)
        self.assertEqual(self.run_all()[0::2], (0, "1 passed, 0 failed"))

    def test_scripts_count_what_they_say(self):
        self.program("a_test", report(case("One")))
        self.script("test_good.py", "print('skipped: x: no data')\nprint('4 passed, 0 failed')\n")
        status, output, last = self.run_all()
        self.assertEqual((status, last), (0, "5 passed, 0 failed"))
        self.assertIn("skipped: x: no data\n", output)
        self.script("test_bad.py", "print('details')\nprint('1 passed, 2 failed')\nraise SystemExit(1)\n")
        status, output, last = self.run_all()
        self.assertEqual((status, last), (1, "6 passed, 2 failed"))
        self.assertIn("details", output)
        self.script("test_bad.py", "raise RuntimeError('fell over')\n")
        status, output, last = self.run_all()
        self.assertEqual((status, last), (1, "5 passed, 1 failed"))
        self.assertIn("fell over", output)


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=sys.argv).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(failed > 0)
