"""Engine, Matcher, bitmasks, the second judge: everything that needs nothing but the standard library."""

from __future__ import annotations

import ast
import concurrent.futures
import copy
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import unittest

import demo
import pccsql
from pccsql import _bitmask


def plain_mask(engine: pccsql.Engine, rows: int = 1) -> memoryview:
    """A bitmask without torch and NumPy, whatever the process has imported."""
    shape = (rows, pccsql.bitmask_words(len(engine.vocabulary)))
    return memoryview(bytearray(4 * shape[0] * shape[1])).cast("B").cast("i", shape)


class Judge(unittest.TestCase):
    def test_a_query_is_judged_with_its_uses(self):
        verdict = pccsql.check("SELECT name FROM employee WHERE salary > 5", ddl=demo.DDL, policy=demo.POLICY)
        self.assertEqual(verdict.verdict, "unsafe")
        self.assertFalse(verdict.safe)
        self.assertIn("salary", verdict.reasons[0])
        self.assertEqual(verdict.span, (32, 38))
        told = [(use.table, use.column, use.role, use.policy, use.permitted) for use in verdict.uses]
        self.assertEqual(told, [("employee", "name", "Sel", "Public", True),
                                ("employee", "salary", "Where", "AggregateOnly", False)])

    def test_each_verdict(self):
        checker = pccsql.Checker(ddl=demo.DDL, policy=demo.POLICY)
        for sql, verdict in [("SELECT name FROM employee", "safe"), ("SELECT ssn FROM employee", "unsafe"),
                             ("DROP TABLE employee", "outside"), ("SELECT nothing FROM employee", "error"), ("", "outside"),
                             ("SELECT '\ud800'", "outside"), ("SELECT name\0 FROM employee", "outside")]:
            found = checker.check(sql)
            self.assertEqual(found.verdict, verdict, sql)
            self.assertEqual(found.safe, verdict == "safe")
            self.assertEqual(bool(found.reasons), verdict != "safe")

    def test_profiles_and_languages(self):
        sql = "SELECT name FROM employee ORDER BY salary"
        strict = pccsql.check(sql, ddl=demo.DDL, policy=demo.POLICY)
        paper = pccsql.check(sql, ddl=demo.DDL, policy=demo.POLICY, profile="paper")
        self.assertEqual((strict.verdict, paper.verdict), ("unsafe", "safe"))
        union = "SELECT name FROM employee UNION SELECT name FROM department"
        self.assertEqual(pccsql.check(union, ddl=demo.DDL, policy=demo.POLICY, language="fragment").verdict, "outside")

    def test_errors_say_what_would_be_right(self):
        for wrong, said in [({}, "which schema"), ({"ddl": demo.DDL}, "which policy"),
                            ({"ddl": demo.DDL, "db": "x", "policy": "y"}, "which schema"),
                            ({"ddl": demo.DDL, "policy": "/nothing/there.yaml"}, "there.yaml"),
                            ({"ddl": "CREATE", "policy": demo.POLICY}, "CREATE"),
                            ({"ddl": demo.DDL, "policy": demo.POLICY, "profile": "strikt"}, "`strict` or `paper`"),
                            ({"ddl": demo.DDL, "policy_text": "version: 1\ntables: {emplyee: {}}"}, "did you mean"),
                            ({"ddl": demo.DDL, "policy_text": "a\0b"}, "NUL"),
                            ({"ddl": demo.DDL, "policy_text": "version: 1\ntables: {employee: [a\n"}, "not YAML"),
                            ({"tables": "t.json", "policy": demo.POLICY}, "db_id")]:
            with self.assertRaises(pccsql.Error) as caught:
                pccsql.Checker(**wrong)
            self.assertIn(said, str(caught.exception))


class Guard(unittest.TestCase):
    def setUp(self):
        self.checker = pccsql.Checker(ddl=demo.DDL, policy=demo.POLICY)

    def test_only_what_is_safe_has_a_query(self):
        answer = pccsql.guard("  SELECT name FROM employee\n", self.checker)
        self.assertTrue(answer.safe)
        self.assertEqual(answer.sql, "SELECT name FROM employee")
        self.assertEqual(answer.said, "")
        for text in ["SELECT ssn FROM employee", "SELECT name FROM employee; SELECT 1", "```sql\nSELECT 1\n```", "REFUSE", ""]:
            withheld = pccsql.guard(text, self.checker)
            self.assertFalse(withheld.safe)
            self.assertFalse(hasattr(withheld, "sql"), text)
            with self.assertRaises(pccsql.NotChecked):
                print(withheld.sql)
            self.assertTrue(withheld.reasons)

    def test_a_text_that_says_other_things_of_itself(self):
        """Of a class that derives from str: judged, kept and given back are the characters that it has."""

        class Sly(str):
            calls = 0

            def encode(self, *arguments):
                Sly.calls += 1
                return b"SELECT name FROM employee"

            def strip(self, *arguments):
                return Sly("SELECT name FROM employee")

            def __str__(self):
                return "SELECT name FROM employee"

            def __iter__(self):
                return iter("SELECT name FROM employee")

            def __getitem__(self, at):
                return "SELECT name FROM employee"

        answer = pccsql.guard(Sly("SELECT ssn FROM employee"), self.checker)
        self.assertFalse(hasattr(answer, "sql"))
        self.assertIs(type(answer.text), str)
        self.assertEqual(self.checker.check(Sly("SELECT ssn FROM employee")).verdict, "unsafe")
        good = pccsql.guard(Sly(" SELECT name FROM employee "), self.checker)
        self.assertEqual((type(good.sql), good.sql), (str, "SELECT name FROM employee"))
        self.assertFalse(demo.engine().matcher().accept_string(Sly("DROP")))
        for wrong in (b"SELECT name FROM employee", None, 3, ["SELECT name FROM employee"]):
            with self.assertRaises(pccsql.Error):
                pccsql.guard(wrong, self.checker)

    def test_the_query_is_the_one_to_be_run(self):
        """With the conditions of minimum groups, which the demo's policy sets."""
        text = "SELECT job_title, AVG(salary) FROM employee GROUP BY job_title"
        answer = pccsql.guard(text, self.checker)
        self.assertIn(">= 5", answer.sql)
        self.assertTrue(answer.sql.startswith(text))
        self.assertIn("fewer than 5", answer.said)


class Masks(unittest.TestCase):
    def test_random_generations_are_safe(self):
        engine = demo.engine(max_tokens=60)
        mask = plain_mask(engine)
        queries = 0
        for seed in range(40):
            matcher = engine.matcher()
            tokens = demo.generate(matcher, seed, mask)
            self.assertLessEqual(len(tokens), 60)
            self.assertIsNone(matcher.refusal)
            answer = matcher.answer()
            self.assertTrue(answer.safe, answer)
            self.assertEqual(engine.vocabulary.text(tokens), matcher.text)
            queries += 1
        self.assertEqual(queries, 40)

    def test_a_token_that_is_not_allowed_ends_in_a_refusal(self):
        engine = demo.engine()
        mask = plain_mask(engine)
        matcher = engine.matcher()
        matcher.fill_bitmask(mask)
        allowed = pccsql.allowed_tokens(mask)
        wrong = next(i for i in range(len(engine.vocabulary)) if i not in allowed)
        self.assertFalse(matcher.accept_token(wrong))
        self.assertEqual(matcher.refusal.cause, "fault")
        self.assertEqual(matcher.text, b"")
        self.assertIsNone(matcher.answer())
        matcher.fill_bitmask(mask)
        self.assertEqual(tuple(pccsql.allowed_tokens(mask)), engine.vocabulary.end_of_text)
        matcher.rollback(1)
        self.assertFalse(matcher.is_refused())
        for stray in (-1, 1 << 32, (1 << 32) + allowed[0], 1 << 70):
            self.assertFalse(matcher.accept_token(stray))
            matcher.rollback(1)
        self.assertTrue(matcher.accept_token(allowed[0]))

    def test_tokens_and_texts_of_other_kinds(self):
        """What is no number of a token, or no text, leaves the generation as it was; rollback still counts right."""
        matcher = demo.engine().matcher()
        self.assertTrue(matcher.accept_string("SELECT"))
        for wrong in (3.0, "5", None, b"x"):
            with self.assertRaises(TypeError):
                matcher.accept_token(wrong)
        for wrong in (5, None, ["SELECT"], 3.0):
            with self.assertRaises(TypeError):
                matcher.accept_string(wrong)
        with self.assertRaises(UnicodeEncodeError):
            matcher.accept_string(" \ud800")
        self.assertEqual((matcher.text, matcher.steps), (b"SELECT", 1))
        self.assertTrue(matcher.accept_string(bytearray(b" name")))
        self.assertTrue(matcher.accept_string(memoryview(b" FROM employee")))
        matcher.reset()
        self.assertEqual((matcher.text, matcher.steps), (b"", 0))
        vocabulary = matcher.engine.vocabulary
        for token in (-1, 1 << 32, (1 << 32) + 5, 1 << 70, len(vocabulary)):
            self.assertIsNone(vocabulary.piece(token), token)

    def test_rollback_fork_and_reset(self):
        matcher = demo.engine().matcher()
        self.assertTrue(matcher.accept_string("SELECT name"))
        self.assertTrue(matcher.accept_string(b" FROM employee"))
        other = matcher.fork()
        self.assertTrue(other.accept_string(" WHERE"))
        self.assertEqual((matcher.text, other.text), (b"SELECT name FROM employee", b"SELECT name FROM employee WHERE"))
        matcher.rollback(1)
        self.assertEqual((matcher.text, matcher.steps, other.steps), (b"SELECT name", 1, 3))
        with self.assertRaises(pccsql.Error):
            matcher.rollback(2)
        other.reset()
        self.assertEqual((other.text, other.steps), (b"", 0))
        self.assertFalse(other.accept_string("DROP"))
        self.assertTrue(other.is_refused())

    def test_copies(self):
        """A copy of a generation is a fork of it; what never changes is its own copy; nothing is freed twice, or sent elsewhere."""
        engine = demo.engine()
        for copied in (copy.copy, copy.deepcopy):
            matcher = engine.matcher()
            self.assertTrue(matcher.accept_string("SELECT"))
            other = copied(matcher)
            self.assertTrue(other.accept_string(" name"))
            self.assertEqual((matcher.text, other.text, matcher.steps, other.steps), (b"SELECT", b"SELECT name", 1, 2))
            follower = pccsql._follow.Follower(engine)
            one = copied(follower)
            one.push(0)
            self.assertEqual((follower.tokens, one.tokens), ([], [0]))
            for same in (engine, engine.vocabulary, engine.checker, pccsql.Memory(1 << 20)):
                self.assertIs(copied(same), same)
            with self.assertRaises(pccsql.Error):
                copied(matcher._handle)
        for thing in (engine, engine.vocabulary, engine.checker, engine.matcher()):
            with self.assertRaises(pccsql.Error):
                pickle.dumps(thing)

    def test_what_a_person_can_ask(self):
        matcher = demo.engine().matcher()
        matcher.accept_string("SELECT name FROM employee WHERE s")
        self.assertIn("clause: WHERE", matcher.explain())
        self.assertIn("employee.salary", matcher.explain())
        self.assertEqual(matcher.uses(), [("employee.name", "Sel")])

    def test_what_must_come_next(self):
        """In canonical style only SELECT begins with an S."""
        engine = demo.engine(style="canonical")
        matcher = engine.matcher()
        self.assertTrue(matcher.accept_string("S"))
        self.assertEqual(matcher.find_jump_forward_string(), "ELECT")
        forced = matcher.find_jump_forward_tokens()
        self.assertTrue(forced)
        mask = plain_mask(engine)
        for token in forced:
            matcher.fill_bitmask(mask)
            self.assertEqual(pccsql.allowed_tokens(mask), [token])
            self.assertTrue(matcher.accept_token(token))

    def test_a_budget_holds(self):
        engine = demo.engine()
        mask = plain_mask(engine)
        for budget in (9, 15):
            self.assertLessEqual(len(demo.generate(engine.matcher(max_tokens=budget), 3, mask)), budget)
        small = engine.matcher(max_tokens=1)
        small.fill_bitmask(mask)
        self.assertEqual(small.refusal.cause, "budget")
        with self.assertRaises(pccsql.Error):
            engine.matcher(max_tokens=-1)

    def test_a_model_may_refuse_where_it_is_let(self):
        matcher = demo.engine(refusal=True).matcher()
        self.assertTrue(matcher.accept_string("REFUSE"))
        self.assertTrue(matcher.accept_token(matcher.engine.vocabulary.end_of_text[0]))
        self.assertEqual(matcher.refusal.cause, "by choice")
        self.assertIsNone(matcher.answer())

    def test_bitmasks_that_do_not_fit(self):
        engine = demo.engine()
        matcher = engine.matcher()
        words = pccsql.bitmask_words(len(engine.vocabulary))
        good = bytearray(4 * words)
        for wrong in (bytes(4 * words), bytearray(4 * words), memoryview(good).cast("i")[::2], 3, None,
                      memoryview(bytearray(4 * (words - 1))).cast("i"), memoryview(bytearray(8 * words)).cast("q")):
            with self.assertRaises(pccsql.Error):
                matcher.fill_bitmask(wrong)
        with self.assertRaises(pccsql.Error):
            matcher.fill_bitmask(memoryview(good).cast("i"), 1)
        with self.assertRaises(pccsql.Error):
            matcher.fill_bitmask(memoryview(good).cast("i"), -1)
        self.assertTrue(matcher.fill_bitmask(memoryview(good).cast("i")))
        wide = memoryview(bytearray(b"\xff" * 8 * words)).cast("i")
        matcher.fill_bitmask(wide)
        self.assertEqual(bytes(wide)[4 * words:], bytes(4 * words))  # beyond the vocabulary nothing is allowed

    def test_a_batch_is_what_each_row_is_alone(self):
        engine = demo.engine()
        matchers: list[pccsql.Matcher | None] = []
        for text in ["", "SELECT name", None, "SELECT AVG(salary)", "SELECT name FROM employee"]:
            matchers.append(None if text is None else engine.matcher())
            if text:
                self.assertTrue(matchers[-1].accept_string(text))
        mask = plain_mask(engine, len(matchers))
        bytes_of = memoryview(mask).cast("B")
        bytes_of[:] = b"\xaa" * len(bytes_of)
        pccsql.fill_batch(matchers, mask)
        alone = plain_mask(engine)
        for row, matcher in enumerate(matchers):
            if matcher is None:
                self.assertEqual(set(bytes_of[row * alone.nbytes:(row + 1) * alone.nbytes]), {0xAA})
                continue
            matcher.fill_bitmask(alone)
            self.assertEqual(bytes_of[row * alone.nbytes:(row + 1) * alone.nbytes], bytes(alone))
        with self.assertRaises(pccsql.Error) as caught:
            pccsql.fill_batch([matchers[0], matchers[0]], mask)
        self.assertIn("twice", str(caught.exception))
        pccsql.fill_batch(matchers, mask)  # nothing stays locked
        with self.assertRaises(pccsql.Error):
            pccsql.fill_batch(matchers + [None], mask)

    def test_a_forked_process_fills_batches(self):
        engine = demo.engine()
        filler = pccsql.BatchFiller(3)
        mask = plain_mask(engine, 2)
        filler.fill([engine.matcher(), engine.matcher()], mask)
        pccsql.fill_batch([engine.matcher()], mask)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                filler.fill([engine.matcher(), engine.matcher()], mask)
                pccsql.fill_batch([engine.matcher().fork()], mask)
                grandchild = os.fork()
                if grandchild == 0:
                    filler.fill([engine.matcher(), engine.matcher()], mask)
                    pccsql.fill_batch([engine.matcher()], mask)
                    os._exit(0)
                del filler
                code = os.waitpid(grandchild, 0)[1]
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_threads(self):
        """Many threads on one engine, some of them on one matcher, with batches between."""
        engine = demo.engine(max_tokens=40)
        shared = engine.matcher()

        def work(seed: int) -> str:
            mask = plain_mask(engine)
            matcher = engine.matcher()
            demo.generate(matcher, seed, mask)
            for _ in range(20):
                shared.fill_bitmask(mask)
                shared.accept_string("SELECT name FROM employee")
                shared.explain()
                shared.reset()
            rows = plain_mask(engine, 3)
            pccsql.fill_batch([shared, engine.matcher(), None], rows)
            return matcher.answer().sql

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = list(pool.map(work, range(32)))
        again = [work(seed) for seed in range(32)]
        self.assertEqual(found, again)


class Memory(unittest.TestCase):
    def test_many_engines_stay_within_it(self):
        """Engines of ever new databases come, are asked, and go; what the process holds does not grow. PCCSQL_ENGINES says how
        many; by hand 10,000."""
        most = int(os.environ.get("PCCSQL_ENGINES", "90"))
        memory = pccsql.Memory(4 << 20)
        vocabulary = pccsql.Vocabulary.of("builtin")
        resident = []
        for number in range(most):
            ddl = "".join(f"CREATE TABLE t{number}_{table} (id INTEGER PRIMARY KEY, name TEXT, c{number} REAL);" for table in range(4))
            policy = f"version: 1\ndefault: Public\ntables: {{t{number}_0: {{c{number}: AggregateOnly}}}}\n"
            engine = pccsql.Engine(ddl=ddl, policy_text=policy, tokenizer=vocabulary, memory=memory, max_tokens=30)
            matchers = [engine.matcher() for _ in range(3)]
            demo.generate(matchers[0], number, plain_mask(engine))
            self.assertTrue(matchers[1].accept_string(f"SELECT AVG(c{number}) FROM t{number}_0"))
            pccsql.fill_batch(matchers, plain_mask(engine, 3))
            self.assertFalse(pccsql.guard(f"SELECT c{number} FROM t{number}_0", engine).safe)
            self.assertLessEqual(memory.used_bytes, 4 << 20)
            if number % (most // 9) == 0:
                with open("/proc/self/statm", encoding="ascii") as file:
                    resident.append(int(file.read().split()[1]) * 4096 >> 10)
        if most > 90:
            print(f"{most} engines: resident, in kB: {resident}")
        self.assertLess(resident[-1] - resident[3], 8 << 10)

    def test_handles_are_freed_in_any_order(self):
        engine = demo.engine()
        matcher, other = engine.matcher(), engine.matcher()
        fork = matcher.fork()
        del engine, matcher
        self.assertTrue(fork.accept_string("SELECT name"))
        self.assertTrue(other.accept_string("SELECT name"))


def write_gguf(path: pathlib.Path, fields: list[tuple[str, int, bytes]]) -> None:
    body = b"".join(struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", kind) + value
                    for key, kind, value in fields)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(fields)) + body)


def gguf_text(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def gguf_texts(texts: list[bytes]) -> bytes:
    return struct.pack("<IQ", 8, len(texts)) + b"".join(gguf_text(text) for text in texts)


def gguf_numbers(numbers: list[int]) -> bytes:
    return struct.pack("<IQ", 5, len(numbers)) + struct.pack(f"<{len(numbers)}i", *numbers)


class Vocabularies(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_from_pieces(self):
        vocabulary = pccsql.Vocabulary.from_pieces([b"SELECT", None, b"\xff", b""], [1])
        self.assertEqual([vocabulary.piece(i) for i in range(5)], [b"SELECT", None, b"\xff", None, None])
        self.assertEqual((len(vocabulary), vocabulary.end_of_text), (4, (1,)))
        self.assertEqual(vocabulary.text([0, 2, 1]), b"SELECT\xff")
        for ends in ([], [9], [-1], [1 << 40]):
            with self.assertRaises(pccsql.Error):
                pccsql.Vocabulary.from_pieces([b"a"], ends)

    def test_tokenizer_json(self):
        text = ('{"added_tokens": [{"id": 3, "content": "<|im_end|>", "special": true}], "decoder": {"type": "ByteLevel"},'
                ' "model": {"type": "BPE", "vocab": {"a": 0, "Ġb": 1, "Ã": 2}, "merges": []}}')
        path = self.folder / "tokenizer.json"
        path.write_text(text, encoding="utf-8")
        for vocabulary in (pccsql.Vocabulary.of(path), pccsql.Vocabulary.of(str(self.folder)), pccsql.Vocabulary.from_json(text)):
            self.assertEqual([vocabulary.piece(i) for i in range(4)], [b"a", b" b", b"\xc3", None])
            self.assertEqual(vocabulary.end_of_text, (3,))
        self.assertEqual(pccsql.Vocabulary.of(path, [1, 3]).end_of_text, (1, 3))
        path.write_text("{", encoding="utf-8")
        with self.assertRaises(pccsql.Error) as caught:
            pccsql.Vocabulary.of(path)
        self.assertIn("tokenizer.json", str(caught.exception))
        with self.assertRaises(pccsql.Error):
            pccsql.Vocabulary.of(self.folder / "nothing.json")
        with self.assertRaises(pccsql.Error):
            pccsql.Vocabulary.of(object())

    def test_a_gguf_file_of_sentencepiece(self):
        path = self.folder / "spm.gguf"
        write_gguf(path, [("general.name", 8, gguf_text(b"x")), ("tokenizer.ggml.model", 8, gguf_text(b"llama")),
                          ("tokenizer.ggml.tokens", 9, gguf_texts([b"<unk>", b"<s>", b"</s>", b"<0x0A>", "▁SELECT".encode(),
                                                                   "▁▁x".encode(), b"[PAD6]", b"gap", b"<tool>"])),
                          ("tokenizer.ggml.token_type", 9, gguf_numbers([2, 3, 3, 6, 1, 1, 4, 5, 4])),
                          ("tokenizer.ggml.eos_token_id", 4, struct.pack("<I", 2))])
        vocabulary = pccsql.Vocabulary.of(path)
        self.assertEqual([vocabulary.piece(i) for i in range(9)],
                         [None, None, None, b"\n", b" SELECT", b"  x", None, None, b"<tool>"])
        self.assertEqual(vocabulary.end_of_text, (2,))

    def test_a_gguf_file_that_is_not_right(self):
        path = self.folder / "bad.gguf"
        model = ("tokenizer.ggml.model", 8, gguf_text(b"gpt2"))
        tokens = ("tokenizer.ggml.tokens", 9, gguf_texts([b"a", b"b"]))
        end = ("tokenizer.ggml.eos_token_id", 4, struct.pack("<I", 1))
        for fields, said in [([model], "no vocabulary"), ([model, tokens], "no token ends"), ([tokens, end], "no vocabulary"),
                             ([("tokenizer.ggml.model", 8, gguf_text(b"bert")), tokens, end], "`bert`"),
                             ([model, tokens, end, end], "twice"),
                             ([model, tokens, end, ("tokenizer.ggml.token_type", 9, gguf_numbers([1]))], "not as many"),
                             ([("x", 9, struct.pack("<IQ", 8, 1 << 60))], "damaged"), ([("x", 77, b"")], "damaged")]:
            write_gguf(path, fields)
            with self.assertRaises(pccsql.Error) as caught:
                pccsql.Vocabulary.of(path)
            self.assertIn(said, str(caught.exception))
        write_gguf(path, [model, tokens, end])
        whole = path.read_bytes()
        for size in range(4, len(whole)):
            path.write_bytes(whole[:size])
            with self.assertRaises(pccsql.Error):
                pccsql.Vocabulary.of(path)

    def test_gguf_files_are_read_as_llama_cpp_reads_them(self):
        """The three vocabularies of the data, beside the program's own reading, token by token."""
        compared = 0
        for name in ("qwen2", "llama-bpe", "deepseek-coder"):
            path = demo.vocabulary_file(f"ggml-vocab-{name}.gguf")
            ours = pccsql.Vocabulary.of(path)
            slot = pccsql._library.ErrorSlot()
            read = pccsql._library.lib.vocabulary_read(path.encode(), slot.ref())
            if not read:
                message = slot.take()
                self.assertIn("without llama.cpp", message)
                self.skipTest("the library was built without llama.cpp")
            theirs = pccsql.Vocabulary(pccsql._library.Handle(read, "vocabulary"))
            self.assertEqual(len(ours), len(theirs))
            self.assertEqual(ours.end_of_text, theirs.end_of_text, name)
            for token in range(len(ours)):
                self.assertEqual(ours.piece(token), theirs.piece(token), (name, token))
                compared += 1
        self.assertGreater(compared, 300_000)


class Package(unittest.TestCase):
    def test_the_program(self):
        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([sys.executable, "-m", "pccsql", *arguments], capture_output=True, text=True, timeout=60)

        self.assertIn(pccsql.__version__, run("--version").stdout)
        safe = run("check", "SELECT name FROM employee")
        self.assertEqual(safe.returncode, 0, safe.stdout + safe.stderr)
        self.assertEqual(run("check", "SELECT ssn FROM employee").returncode, 1)
        rows = run("query", "SELECT COUNT(*) FROM employee")  # through the helper process
        self.assertEqual(rows.returncode, 0, rows.stdout + rows.stderr)

    def test_it_is_typed_and_documented(self):
        folder = pathlib.Path(pccsql.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        for name in pccsql.__all__:
            thing = getattr(pccsql, name)
            self.assertTrue((thing.__doc__ or "").strip(), name)
            for member, value in vars(thing).items() if isinstance(thing, type) else ():
                if callable(value) and not member.startswith("_"):
                    self.assertTrue((value.__doc__ or "").strip(), f"{name}.{member}")

    def test_every_function_is_documented(self):
        """In all modules, those too that need torch or a host to be imported; private ones aside."""
        missing = []

        def look_at(node, where):
            for inner in getattr(node, "body", []):
                if not isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
                    continue
                own = inner.name.startswith("_") and inner.name not in ("__init__", "__call__")
                if not own and ast.get_docstring(inner) is None:
                    missing.append(f"{where}.{inner.name}")
                if isinstance(inner, ast.ClassDef) and not own:
                    look_at(inner, f"{where}.{inner.name}")

        modules = sorted(pathlib.Path(pccsql.__file__).parent.glob("*.py"))
        for module in modules:
            tree = ast.parse(module.read_text(encoding="utf-8"))
            if ast.get_docstring(tree) is None:
                missing.append(module.name)
            look_at(tree, module.stem)
        self.assertGreater(len(modules), 15)
        self.assertEqual(missing, [])

    def test_nothing_is_imported_that_may_be_missing(self):
        code = "import sys, pccsql; print([m for m in ('torch', 'numpy', 'transformers', 'triton') if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)

    def test_bitmask_shapes(self):
        self.assertEqual(pccsql.get_bitmask_shape(3, 33), (3, 2))
        mask = pccsql.allocate_token_bitmask(2, 40)
        self.assertEqual((_bitmask.Rows(mask).rows, _bitmask.Rows(mask).words), (2, 2))


if __name__ == "__main__":
    unittest.main()
