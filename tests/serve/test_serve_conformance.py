"""The conformance suite of the Model Context Protocol on `POST /mcp`. Where it cannot be installed from the npm registry, the test
is skipped."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

VERSION = "0.2.0-alpha.12"


def run(*arguments, timeout=300):
    command = ["npx", "--yes", "-p", "node@22", "-p", f"@modelcontextprotocol/conformance@{VERSION}", "conformance", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)


def need_suite():
    if not shutil.which("npx"):
        served.skip("serve conformance", "no npx (on Debian: apt-get install npm)")
    try:
        done = run("--version")
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode:
        served.skip("serve conformance", f"@modelcontextprotocol/conformance@{VERSION} cannot be installed")


# What the suite asks of every server. The rest of it is about tools, prompts and resources of its own example server, which are not here.
SCENARIOS = {
    "2025-11-25": ["server-initialize", "server-session-lifecycle", "ping", "tools-list", "server-sse-polling", "server-sse-multiple-streams", "dns-rebinding-protection"],
    "2026-07-28": ["server-stateless", "tools-list", "server-sse-multiple-streams", "sep-2164-resource-not-found", "dns-rebinding-protection", "caching", "http-header-validation",
                   "input-required-result-missing-input-response", "input-required-result-unsupported-methods", "input-required-result-ignore-extra-params",
                   "input-required-result-validate-input"],
}
# Checks in these that need something else of the example server; each must say so itself.
NOT_HERE = {"sep-2549-prompts-list-caching-hints": "there is no method `prompts/list`", "sep-2549-resources-list-caching-hints": "there is no method `resources/list`",
            "sep-2549-resources-templates-list-caching-hints": "there is no method `resources/templates/list`"}


class Conformance(unittest.TestCase):
    def test_what_the_suite_asks_of_every_server(self):
        passed = 0
        with tempfile.TemporaryDirectory() as folder, served.Server(folder, people=False) as server:
            for version, names in SCENARIOS.items():
                for name in names:
                    with self.subTest(version=version, scenario=name):
                        results = pathlib.Path(folder) / version / name
                        run("server", "--url", f"{server.address}/mcp", "--spec-version", version, "--scenario", name, "-o", str(results))
                        files = list(results.rglob("checks.json"))
                        self.assertEqual(len(files), 1)
                        for check in json.loads(files[0].read_text()):
                            if check["status"] != "FAILURE":
                                passed += check["status"] == "SUCCESS"
                                continue
                            said = check.get("errorMessage", "")
                            wanted = NOT_HERE.get(check["id"], "Not testable: server does not list the diagnostic tool")
                            self.assertIn(wanted, said, check["id"])
        self.assertGreater(passed, 50)


if __name__ == "__main__":
    served.need_server("serve conformance")
    need_suite()
    served.run_tests(__name__)
