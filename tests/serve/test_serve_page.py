"""The server's page in a real browser: Debian's chromium, driven by playwright-core, looked at by axe-core. Where these, or Node,
cannot be had, the test is skipped."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

MODULES = {"playwright-core": "1.65.1", "axe-core": "4.14.0"}
FOLDER = served.CACHE / "serve-page"
CHROMIUM = shutil.which("chromium")


def need_browser():
    if not CHROMIUM or not shutil.which("npm") or not shutil.which("node"):
        served.skip("serve page", "no chromium, node and npm (on Debian: apt-get install chromium nodejs npm)")
    for name, version in MODULES.items():
        package = FOLDER / "node_modules" / name / "package.json"
        if package.exists() and json.loads(package.read_text())["version"] == version:
            continue
        FOLDER.mkdir(parents=True, exist_ok=True)
        wanted = [f"{name}@{version}" for name, version in MODULES.items()]
        try:
            done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", FOLDER, *wanted], capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            done = None
        if done is None or done.returncode:
            served.skip("serve page", f"{' and '.join(wanted)} cannot be installed")
        break


class Page(unittest.TestCase):
    def test_every_part_at_two_widths_and_in_both_themes(self):
        model = (served.CACHE / "models" / f"{served.MODEL}.gguf").exists()
        shots = pathlib.Path(os.environ.get("PCCSQL_SHOTS") or tempfile.mkdtemp())
        with tempfile.TemporaryDirectory() as folder, served.Server(folder, model=served.MODEL if model else "none", odd=True,
                                                                  limits="{questions_per_minute: 1000, at_once: 4, queue: 16, seconds: 600}") as server:
            done = subprocess.run(["node", pathlib.Path(__file__).with_name("page_steps.mjs"), FOLDER, CHROMIUM, server.address, served.KEYS["ann"],
                                   served.KEYS["bob"], "yes" if model else "no", shots], capture_output=True, text=True, timeout=1800)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-4000:])
        seen = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(list(shots.glob("*.png"))), 44 if model else 36)
        ends = [i + 1 for i, one in enumerate(seen) if one["what"] == "trouble"]
        self.assertEqual(len(ends), 4)
        for begin, end in zip([0, *ends], ends):
            said = {one["what"]: one["value"] for one in seen[begin:end]}
            self.assertEqual(said["trouble"], [])
            self.assertEqual(said["wrong key"], "This key is nobody's.")
            self.assertEqual(said["tabs"], ["Ask", "Query", "Schema", "History"])
            self.assertEqual(said["admin tabs"], ["Ask", "Query", "Schema", "History", "Policy", "Audit"])
            self.assertEqual(said["databases"], ["hr", "odd", "shop"])
            self.assertEqual((said["schema"], said["hidden"]), (True, False))
            self.assertEqual((said["allowed"], said["completed"], said["closed"]), (True, "SELECT name FROM item WHERE price ", True))
            self.assertEqual(said["cells"][1], "1")
            self.assertTrue(said["hostile"])
            self.assertEqual((said["sorted"], said["sorted back"]), (["1", "2.5", "4"], ["4", "2.5", "1"]))
            self.assertEqual(said["chart"], 3)
            self.assertTrue(12 <= said["chart words"] <= 24, said["chart words"])
            self.assertEqual((said["stale"], said["words whole"]), (False, True))
            self.assertEqual(said["copied"], "name\tprice")
            self.assertEqual(said["csv"], "name,price")
            self.assertEqual(said["refused"], "Refused")
            self.assertEqual((said["arrow"], said["forgotten"]), ("tab-schema", 0))
            self.assertTrue(said["policy"])
            self.assertTrue(said["audit"])
            self.assertTrue(said["odd names"])
            self.assertEqual(said["columns"], 6 + 1 + 10_000)
            self.assertEqual(said["odd cells"], [name.replace("\u202e", "\ufffd") for name in served.ODD_NAMES])
            self.assertEqual(said["big cell"], 20_001)
            self.assertTrue(said["odd query"])
            self.assertTrue(said["held"][1])
            self.assertEqual(said["drafted"], [True, False, "item.price"])
            self.assertTrue(said["would change"])
            self.assertEqual(said["dropped"], said["held"][0])
            self.assertTrue(said["no policy"])
            self.assertTrue(said["saved"])
            self.assertTrue(said["filtered"])
            if model:
                self.assertIn(said["asked"], ("Answered", "Answered in part", "Refused"))
                self.assertEqual(said["history"], 1)


if __name__ == "__main__":
    served.need_server("serve page")
    need_browser()
    served.run_tests(__name__)
