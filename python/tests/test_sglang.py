"""The SGLang backend, driven by SGLang's own source files as its scheduler drives them: grammar manager, mask of a batch,
acceptance of tokens, retraction, speculative trees, hooks of plugins. PCCSQL_SGLANG_SOURCE names the folder `python` of its source.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import random
import tempfile
import time
import types
import unittest

import demo
import pccsql
import stand_ins


class Backend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.torch = demo.need("torch")
        cls.source = stand_ins.source_of("PCCSQL_SGLANG_SOURCE", "sglang")
        stand_ins.read_host("sglang", cls.source, "sglang.srt.constrained.base_grammar_backend",
                            "sglang.srt.constrained.grammar_manager", "sglang.srt.plugins", "sglang.srt.plugins.hook_registry")
        cls.base = importlib.import_module("sglang.srt.constrained.base_grammar_backend")
        cls.manager = importlib.import_module("sglang.srt.constrained.grammar_manager")
        cls.hooks = importlib.import_module("sglang.srt.plugins.hook_registry")
        cls.ours = importlib.import_module("pccsql.sglang")
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        folder = pathlib.Path(cls.scratch.name)
        (folder / "hr.yaml").write_bytes(demo.POLICY.read_bytes())
        cls.config = folder / "databases.json"
        cls.config.write_text(json.dumps({"databases": {"hr": {"ddl": demo.DDL, "policy": "hr.yaml", "max_tokens": 40}}}))
        os.environ["PCCSQL_SERVE"] = str(cls.config)
        cls.addClassCleanup(os.environ.pop, "PCCSQL_SERVE")
        cls.vocabulary = pccsql.Vocabulary.of("builtin")
        cls.width = len(cls.vocabulary) + 9
        names = {"torch": cls.torch, "GrammarRow": cls.base.GrammarRow, "GrammarMask": cls.base.GrammarMask}
        cls.update_mask = staticmethod(stand_ins.function_of(
            cls.source, "sglang/srt/sampling/sampling_batch_info.py", "SamplingBatchInfo.update_regex_vocab_mask", names))
        cls.apply_bias = staticmethod(stand_ins.function_of(
            cls.source, "sglang/srt/sampling/sampling_batch_info.py", "SamplingBatchInfo.apply_logits_bias", names))
        import logging

        cls.accept = staticmethod(stand_ins.function_of(
            cls.source, "sglang/srt/managers/scheduler_components/batch_result_processor.py",
            "{}._accept_grammar_tokens".format(cls.class_with("_accept_grammar_tokens")),
            {"logger": logging.getLogger("quiet"), "FINISH_ABORT": lambda: "aborted"}))
        logging.getLogger("quiet").disabled = True
        cls.traverse = staticmethod(stand_ins.function_of(
            cls.source, "sglang/srt/speculative/spec_utils.py", "traverse_tree", {"torch": cls.torch}))

    @classmethod
    def class_with(cls, method):
        import ast

        file = cls.source / "sglang/srt/managers/scheduler_components/batch_result_processor.py"
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and any(getattr(one, "name", "") == method for one in node.body):
                return node.name
        raise AssertionError(f"no class of SGLang's has {method}")

    def backend(self):
        """As SGLang makes it for `--grammar-backend pccsql`, after the plugin has run."""
        self.ours.register()
        self.base.get_exec = lambda: types.SimpleNamespace(kernel=types.SimpleNamespace(grammar_backend="pccsql"))
        return self.base.create_grammar_backend(None, self.vocabulary, self.width, set(self.vocabulary.end_of_text))

    def grammar_manager(self, backend):
        manager = self.manager.GrammarManager.__new__(self.manager.GrammarManager)
        manager.grammar_backend, manager.grammar_queue, manager._enable_strict_thinking = backend, [], False
        manager.pp_rank, manager.pp_size, manager.pp_group, manager.grammar_sync_size = 0, 1, None, 1
        manager.SGLANG_GRAMMAR_POLL_INTERVAL, manager.SGLANG_GRAMMAR_MAX_POLL_ITERATIONS = 0.01, 10000
        return manager

    def request(self, **params):
        fields = {"json_schema": None, "regex": None, "ebnf": None, "structural_tag": None, "custom_params": None, **params}
        request = types.SimpleNamespace(sampling_params=types.SimpleNamespace(**fields), require_reasoning=False, grammar=None,
                                        rid="r", aborted=None, grammar_wait_ct=0, to_finish=None, output_ids=[],
                                        custom_logit_processor=None)
        request.set_finish_with_abort = lambda why: setattr(request, "aborted", why)
        request.finished = lambda: request.aborted is not None
        return request

    def admitted(self, manager, request):
        """A request as the scheduler takes it in: with its hook, and until its grammar is compiled."""
        waits = self.ours.look_at_request(self.manager.GrammarManager.process_req_with_grammar, manager, request)
        until = time.monotonic() + 60
        while waits and manager.grammar_queue and time.monotonic() < until:
            manager.get_ready_grammar_requests()
        return request

    def step(self, requests, logits, choose, bias=None):
        """One step of decoding: the mask of the batch, the choice, the acceptance."""
        info = types.SimpleNamespace(grammars=[r.grammar for r in requests], vocab_size=self.width, device="cpu",
                                     temperatures=[0] * len(requests), acc_additive_penalties=None, acc_scaling_penalties=None,
                                     penalizer_orchestrator=None, logit_bias=bias, grammar_mask=None)
        self.update_mask(info)
        self.apply_bias(info, logits)
        tokens = [choose(row) for row in logits]
        for request, token in zip(requests, tokens):
            request.output_ids += self.accept(None, request, token)
        return tokens

    def test_batches_change_and_requests_are_retracted(self):
        torch = self.torch
        manager = self.grammar_manager(self.backend())
        generator = torch.Generator().manual_seed(3)
        luck = random.Random(3)
        waiting = [self.admitted(manager, self.request(ebnf="pccsql:hr")) for _ in range(12)]
        self.assertEqual([r.aborted for r in waiting], [None] * 12)
        self.assertEqual(len({id(r.grammar) for r in waiting}), 12)  # each has its own, also from the cache
        running, done, retracted = [], [], 0
        while waiting or running:
            while waiting and len(running) < 5:
                running.insert(luck.randrange(len(running) + 1), waiting.pop())
            logits = 3 * torch.randn(len(running), self.width, generator=generator)
            self.step(running, logits, lambda row: int(torch.multinomial(row.softmax(-1), 1, generator=generator)))
            for request in list(running):
                self.assertIsNone(request.to_finish)
                if request.grammar.is_terminated():
                    running.remove(request)
                    done.append(request)
                elif luck.random() < 0.1:  # taken out of memory; comes again with its tokens and its grammar
                    running.remove(request)
                    waiting.append(request)
                    retracted += 1
        self.assertGreater(retracted, 3)
        self.assertEqual(len(done), 12)
        engine = manager.grammar_backend.serving.engine("hr")
        for request in done:
            answer = self.ours.guard({"output_ids": request.output_ids}, engine)
            self.assertTrue(answer.safe, answer)

    def test_a_bias_for_what_is_forbidden_does_not_help(self):
        """What SGLang adds after the mask adds to minus infinity."""
        manager = self.grammar_manager(self.backend())
        request = self.admitted(manager, self.request(ebnf="pccsql:hr"))
        wanted = pccsql._serving.never_allowed(manager.grammar_backend.serving.engine("hr"))
        bias = self.torch.zeros(1, self.width)
        bias[0, wanted] = 100
        for _ in range(5):
            self.assertNotEqual(self.step([request], self.torch.zeros(1, self.width), lambda row: int(row.argmax()), bias), [wanted])

    def test_a_mask_that_is_not_applied_ends_the_request(self):
        manager = self.grammar_manager(self.backend())
        request = self.admitted(manager, self.request(ebnf="pccsql:hr"))
        wanted = pccsql._serving.never_allowed(manager.grammar_backend.serving.engine("hr"))
        self.step([request], self.torch.zeros(1, self.width), lambda row: wanted)
        self.assertEqual(request.to_finish, "aborted")
        self.assertEqual(request.output_ids, [])
        answer = self.ours.guard({"output_ids": [wanted]}, manager.grammar_backend.serving.engine("hr"))
        self.assertFalse(hasattr(answer, "sql"))

    def test_requests_that_are_refused(self):
        manager = self.grammar_manager(self.backend())
        for params, said in [({}, "names its database"), ({"ebnf": "pccsql:shop"}, "no database `shop`"),
                             ({"ebnf": "root ::= 'x'"}, "this server writes SQL"), ({"json_schema": "{}"}, "this server writes SQL"),
                             ({"regex": "a"}, "this server writes SQL"), ({"structural_tag": "{}"}, "this server writes SQL")]:
            for _ in range(2):  # the second time from the cache
                self.assertIn(said, self.admitted(manager, self.request(**params)).aborted, params)
        custom = self.request(ebnf="pccsql:hr")
        custom.custom_logit_processor = "x"
        self.assertIn("custom logit processor", self.admitted(manager, custom).aborted)

    def test_others_are_let_through_only_where_the_file_says_so(self):
        manager = self.grammar_manager(self.backend())
        manager.grammar_backend.serving.allows_others = True
        self.assertIsNone(self.admitted(manager, self.request()).aborted)

    def test_a_tree_of_drafts(self):
        """Speculative decoding: each node's mask is that of its text, whatever was tried before, and nothing is left of it."""
        torch = self.torch
        manager = self.grammar_manager(self.backend())
        grammar = self.admitted(manager, self.request(ebnf="pccsql:hr")).grammar
        engine = manager.grammar_backend.serving.engine("hr")
        matcher = engine.matcher()
        mask = torch.zeros(1, pccsql.bitmask_words(self.width), dtype=torch.int32)
        matcher.fill_bitmask(mask)
        choices = pccsql.allowed_tokens(mask)[:2]
        forbidden = pccsql._serving.never_allowed(engine)
        # A root with two children, the first of which has two of its own, one of them forbidden.
        drafts = torch.tensor([0, choices[0], choices[1], forbidden])
        children = torch.tensor([1, 3, -1, -1])
        siblings = torch.tensor([-1, 2, -1, -1])
        masks = grammar.allocate_vocab_mask(self.width, 4, "cpu")
        self.traverse(children, siblings, drafts, grammar, masks, self.width)
        self.assertEqual(grammar.follower.tokens, [])
        for node, token in ((0, None), (1, choices[0]), (2, choices[1])):
            if token is not None:
                self.assertTrue(matcher.accept_token(token))
            matcher.fill_bitmask(mask)
            self.assertEqual(masks[node].tolist(), mask[0].tolist(), node)
            matcher.reset()
        self.assertTrue((masks[3] == -1).all())  # not admitted, so that its own mask is never used

    def test_queries_end_within_what_the_request_lets_them(self):
        """Also where the database's own limit is wider."""
        manager = self.grammar_manager(self.backend())
        generator = self.torch.Generator().manual_seed(5)
        for room in (7, 12, 12, 30):
            request = self.admitted(manager, self.request(ebnf="pccsql:hr", max_new_tokens=room))
            self.assertIsNone(request.aborted)
            while not request.grammar.is_terminated():
                logits = 3 * self.torch.randn(1, self.width, generator=generator)
                self.step([request], logits, lambda row: int(self.torch.multinomial(row.softmax(-1), 1, generator=generator)))
            self.assertLessEqual(len(request.output_ids), room)
            self.assertTrue(self.ours.guard({"output_ids": request.output_ids}, manager.grammar_backend.serving.engine("hr")).safe)

    def test_the_plugin(self):
        """It makes the backend known and puts the hook where SGLang calls it; without PCCSQL_SERVE the server does not start."""
        self.hooks.HookRegistry.reset()
        self.ours.register()
        self.assertIs(self.base.GRAMMAR_BACKEND_REGISTRY["pccsql"], self.ours.create_backend)
        original = self.manager.GrammarManager.process_req_with_grammar
        try:
            self.hooks.HookRegistry.apply_hooks()
            self.assertIsNot(self.manager.GrammarManager.process_req_with_grammar, original)
            request = self.request()
            self.grammar_manager(self.backend()).process_req_with_grammar(request)
            self.assertIn("names its database", request.aborted)
        finally:
            self.manager.GrammarManager.process_req_with_grammar = original
            self.hooks.HookRegistry.reset()
        path = os.environ.pop("PCCSQL_SERVE")
        try:
            with self.assertRaises(pccsql.Error):
                self.backend()
        finally:
            os.environ["PCCSQL_SERVE"] = path
        with self.assertRaises(pccsql.Error):  # fewer logits than tokens
            self.ours.create_backend(None, self.vocabulary, len(self.vocabulary) - 1, None)

    def test_the_self_test(self):
        """Of an `Engine` and of a server over HTTP: passed where the mask is applied, NotMasked where it is not."""
        engine = demo.engine(self.vocabulary)
        admitted = [next(i for i in range(len(self.vocabulary)) if self.vocabulary.piece(i) == b"S")]
        for tokens, problem in ((admitted, None), ([pccsql._serving.never_allowed(engine)], pccsql.NotMasked), ([], pccsql.Error)):
            served = types.SimpleNamespace(generate=lambda text, params: {"output_ids": tokens})  # noqa: B023
            with demo.server({"/generate": {"text": "", "output_ids": tokens}}) as url:
                for host in (served, url):
                    if problem is None:
                        self.ours.self_test(host, engine, "hr")
                    else:
                        with self.assertRaises(problem):
                            self.ours.self_test(host, engine, "hr")

    def test_a_thinking_model(self):
        engine = demo.engine(self.vocabulary)
        grammar = self.ours.Grammar(engine, "name")
        mask = grammar.allocate_vocab_mask(self.width, 1, "cpu")
        grammar.fill_vocab_mask(mask, 0)
        self.assertTrue((mask == -1).all())
        for token in range(len(self.vocabulary)):
            if self.vocabulary.piece(token) == b"name":
                break
        grammar.accept_token(5)
        grammar.accept_token(token)
        grammar.fill_vocab_mask_batched([types.SimpleNamespace(row=0, grammar=grammar)], mask)
        self.assertFalse((mask == -1).all())
        grammar.rollback(1)
        grammar.fill_vocab_mask(mask, 0)
        self.assertTrue((mask == -1).all())


if __name__ == "__main__":
    unittest.main()
