"""Policies that admins change: a draft is tried on past questions, saved whole or not at all, and holds from then on."""

import hashlib
import json
import pathlib
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

NAMES = "# who may see what\nversion: 1\ntables:\n  employee:\n    name: Public  # everybody's\n"


class Drafts(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.server = served.Server(self.scratch.name)
        self.addCleanup(self.server.__exit__)
        self.file = pathlib.Path(self.scratch.name) / "names.yaml"
        self.file.write_text(NAMES)
        self.file.chmod(0o600)
        self.server.process.send_signal(1)
        while "read again" not in self.server.process.stderr.readline():
            pass

    def get(self, **parameters):
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        return self.server.json("GET", f"/v1/policy?{query}", person="bob")

    def change(self, path, body, person="bob"):
        return self.server.json("POST", f"/v1/policy/{path}", {"policy": "names", **body}, person)

    def verdict(self, sql, person="cara"):
        return self.server.json("POST", "/v1/run", {"sql": sql}, person)[1]["verdict"]

    def test_an_admin_sees_every_policy_and_the_others_their_own(self):
        status, policy = self.get(policy="names", database="hr")
        self.assertEqual((status, policy["text"]), (200, NAMES))
        self.assertEqual(policy["text_sha256"], hashlib.sha256(NAMES.encode()).hexdigest())
        self.assertIn({"policy": "seller", "database": "shop"}, policy["policies"])
        self.assertEqual(self.server.json("GET", "/v1/policy?policy=auditor&database=hr", person="ann")[0], 403)
        self.assertEqual(self.get(policy="nobody")[0], 404)
        for path, body in (("try", {}), ("save", {"text_sha256": "x"})):
            for person in ("ann", "cara", "dan"):
                self.assertEqual(self.change(path, body, person)[0], 403)
            self.assertEqual(self.change(path, body, None)[0], 401)

    def test_a_draft_is_tried_on_what_was_asked_and_changes_nothing(self):
        name, year = "SELECT name FROM employee", "SELECT hire_year FROM employee"
        self.assertEqual((self.verdict(name), self.verdict(name), self.verdict(year)), ("safe", "safe", "unsafe"))
        labels = [{"table": "employee", "column": "name", "policy": "ConditionOnly"}, {"table": "employee", "column": "hire_year", "policy": "Public"}]
        status, reply = self.change("try", {"labels": labels})
        self.assertEqual(status, 200, reply)
        self.assertEqual(reply["text"], NAMES.replace("name: Public", "hire_year: Public\n    name: ConditionOnly"))
        self.assertEqual(reply["tables"]["employee"]["hire_year"], "Public")
        self.assertEqual(reply["past"]["tried"], 2)
        changed = {one["sql"]: (one["who"], one["was"], one["now"]) for one in reply["past"]["changed"]}
        self.assertEqual(changed, {name: ("cara", "safe", "unsafe"), year: ("cara", "unsafe", "safe")})
        self.assertEqual((self.file.read_text(), self.verdict(name), self.verdict(year)), (NAMES, "safe", "unsafe"))
        # A minimum group changes no verdict, and the rows all the same.
        self.assertEqual(self.change("try", {"text": "version: 1\ntables: {employee: {name: Public, salary: AggregateOnly}}"})[0], 200)
        self.verdict("SELECT COUNT(*) FROM employee")
        none = self.change("try", {})[1]
        self.assertEqual((none["text"], none["past"]["changed"]), (NAMES, []))

    def test_lint_stands_beside_the_draft(self):
        text = "version: 1\ntables: {employee: {\"*\": Hidden, name: Public, id: Public}, payment: {\"*\": Public}}"
        reply = self.change("try", {"text": text})[1]
        self.assertTrue(reply["warnings"])
        self.assertEqual({"kind", "table", "column", "message"}, set(reply["warnings"][0]))

    def test_what_is_no_policy_is_told_with_its_place(self):
        for body, said in (({"text": "version: 1\ntables: {employee: {nmae: Public}}"}, "the draft:2:"), ({"text": "{"}, "not YAML"),
                           ({"labels": [{"table": "employee", "column": "nmae", "policy": "Public"}]}, "no column `employee.nmae`"),
                           ({"labels": [{"table": "employee", "column": "name", "policy": "public"}]}, "`public` is none of"),
                           ({"labels": ["x"]}, "each of `labels`")):
            status, reply = self.change("try", body)
            self.assertEqual(status, 400, reply)
            self.assertIn(said, reply["error"]["message"])
            self.assertEqual(self.change("save", {**body, "text_sha256": self.get(policy="names", database="hr")[1]["text_sha256"]})[0], 400)
        self.assertEqual(self.file.read_text(), NAMES)

    def test_what_is_saved_holds_and_is_in_the_audit(self):
        began = self.get(policy="names", database="hr")[1]
        label = {"labels": [{"table": "employee", "column": "hire_year", "policy": "Public"}], "text_sha256": began["text_sha256"]}
        status, saved = self.change("save", label)
        self.assertEqual(status, 200, saved)
        self.assertEqual(self.verdict("SELECT hire_year FROM employee"), "safe")
        text = NAMES.replace("name: Public", "hire_year: Public\n    name: Public")
        self.assertEqual((self.file.read_text(), saved["text"]), (text, text))
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        line = next(line for line in self.server.audit() if line["kind"] == "policy saved")
        self.assertEqual((line["who"], line["policy"], line["policy_hash_before"], line["policy_hash"]), ("bob", "names", began["sha256"], saved["sha256"]))
        # Whoever began with the old one does not undo it.
        self.assertEqual(self.change("save", label)[0], 409)
        # Nor one who has not seen what somebody wrote into the file itself.
        self.file.write_text(text + "# by hand\n")
        self.assertEqual(self.change("save", {**label, "text_sha256": saved["text_sha256"]})[0], 409)
        self.assertEqual(self.file.read_text(), text + "# by hand\n")

    def test_a_file_that_cannot_be_written_is_as_it_was(self):
        folder = pathlib.Path(self.scratch.name)
        began = self.get(policy="names", database="hr")[1]
        (folder / f"names.yaml.tmp{self.server.process.pid}").mkdir()  # where the new one would be written first
        status, reply = self.change("save", {"text": NAMES + "# more\n", "text_sha256": began["text_sha256"]})
        self.assertEqual((status, reply["error"]["code"]), (500, "unwritable"))
        self.assertEqual((self.file.read_text(), self.get(policy="names", database="hr")[1]["text"]), (NAMES, NAMES))
        self.assertTrue(any(line.get("status") == 500 for line in self.server.audit()))

    def test_policies_that_share_a_file_change_together_or_not_at_all(self):
        config = self.server.config.read_text().replace("names: {hr: names.yaml}", "names: {hr: names.yaml}\n  other: {shop: shop.yaml}")
        self.server.config.write_text(config)
        self.server.process.send_signal(1)
        while "read again" not in self.server.process.stderr.readline():
            pass
        sha = self.get(policy="seller", database="shop")[1]["text_sha256"]
        label = {"policy": "seller", "labels": [{"table": "sale", "column": "customer", "policy": "Public"}], "text_sha256": sha}
        self.assertEqual(self.change("save", label)[0], 200)
        for policy in ("seller", "other", "analyst"):
            self.assertEqual(self.get(policy=policy, database="shop")[1]["tables"]["sale"]["customer"], "Public")


if __name__ == "__main__":
    served.need_server("serve policy")
    served.run_tests(__name__)
