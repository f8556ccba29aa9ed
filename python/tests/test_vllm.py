"""The vLLM processor, driven by vLLM's own source files as its model runner drives them: loading, the batch's updates (requests
come, go, change places, are preempted and come again), async scheduling. PCCSQL_VLLM_SOURCE names a folder with the source of vLLM.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import pathlib
import random
import tempfile
import types
import unittest
import unittest.mock

import demo
import pccsql
import stand_ins


class Batch:
    """What vLLM's InputBatch does with requests and tells its processors."""

    def __init__(self, processors, logits_processor):
        self.builder = logits_processor.BatchUpdateBuilder()
        self.way = logits_processor.MoveDirectionality
        self.processors = processors
        self.rows = []

    def add(self, request):
        index = self.builder.pop_removed()
        if index is None:
            index = len(self.rows)
            self.rows.append(None)
        self.rows[index] = request
        self.builder.added.append((index, request.params, [1, 2], request.output))

    def remove(self, request):
        index = self.rows.index(request)
        self.rows[index] = None
        self.builder.removed_append(index)

    def swap(self, a, b):
        self.rows[a], self.rows[b] = self.rows[b], self.rows[a]
        self.builder.moved.append((a, b, self.way.SWAP))

    def settle(self):
        """Moves the last rows into gaps, and tells what happened."""
        while self.rows and self.builder.removed:
            while self.rows and self.rows[-1] is None:
                self.rows.pop()
            empty = self.builder.peek_removed()
            if empty >= len(self.rows):
                break
            self.builder.pop_removed()
            self.rows[empty] = self.rows.pop()
            self.builder.moved.append((len(self.rows), empty, self.way.UNIDIRECTIONAL))
        while self.rows and self.rows[-1] is None:
            self.rows.pop()
        update = self.builder.get_and_reset(len(self.rows))
        for processor in self.processors.all:
            processor.update_state(update)


class Request:
    def __init__(self, **params):
        fields = {"extra_args": None, "max_tokens": 40, "structured_outputs": None, "allowed_token_ids": None, "bad_words": None,
                  "min_tokens": 0, "ignore_eos": False, "thinking_token_budget": None, "min_p": 0.0, "logit_bias": None,
                  "all_stop_token_ids": set(), **params}
        self.params = types.SimpleNamespace(**fields)
        self.output = []


class Processor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.torch = demo.need("torch")
        source = stand_ins.source_of("PCCSQL_VLLM_SOURCE", "vllm")
        folder = "vllm.v1.sample.logits_processor"
        stand_ins.read_host("vllm", source, folder, f"{folder}.interface", f"{folder}.state", f"{folder}.builtin",
                            "vllm.exceptions", "vllm.v1.sample")
        cls.host = importlib.import_module(folder)
        cls.host.guard_cuda_initialization = unittest.mock.MagicMock()
        cls.host.logger = unittest.mock.MagicMock()
        importlib.import_module("vllm.platforms").current_platform = types.SimpleNamespace(is_tpu=lambda: False)
        cls.vocabulary = pccsql.Vocabulary.of("builtin")
        cls.width = len(cls.vocabulary) + 5
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        config = pathlib.Path(scratch.name, "databases.json")
        config.write_text(json.dumps({"databases": {"hr": {"ddl": demo.DDL, "policy": str(demo.POLICY)}}}))
        os.environ["PCCSQL_SERVE"] = str(config)
        cls.addClassCleanup(os.environ.pop, "PCCSQL_SERVE")
        cls.ours = importlib.import_module("pccsql.vllm")
        cls.ours._tokenizer_of = lambda config: (cls.vocabulary, None)
        cls.replace_tokens = staticmethod(stand_ins.function_of(
            source, "vllm/v1/worker/gpu_input_batch.py", "InputBatch.update_async_output_token_ids", {}))
        cls.engine = demo.engine(cls.vocabulary)

    def config(self, **more):
        model = types.SimpleNamespace(logits_processors=None, runner_type="generate")
        scheduler = types.SimpleNamespace(max_num_seqs=16)
        return types.SimpleNamespace(**{"model_config": model, "scheduler_config": scheduler, "speculative_config": None, **more})

    def processors(self, config=None):
        """What vLLM loads where PCCSQL_SERVE is set and both entry points are there."""
        from pccsql._vllm_plugin import PROCESSOR, name_processor

        config = config or self.config()
        name_processor(config)
        self.assertEqual(config.model_config.logits_processors, [PROCESSOR])
        entry = importlib.metadata.EntryPoint("pccsql", PROCESSOR, "vllm.logits_processors")
        with unittest.mock.patch("importlib.metadata.entry_points", lambda group: [entry]):
            return self.host.build_logitsprocs(config, self.torch.device("cpu"), False, False, config.model_config.logits_processors)

    def sample(self, batch, generator, bias=None):
        logits = 3 * self.torch.randn(len(batch.rows), self.width, generator=generator)
        if bias is not None:
            logits[:, bias] += 100
        for processor in batch.processors.non_argmax_invariant:
            logits = processor.apply(logits)
        return [int(self.torch.multinomial(row.softmax(-1), 1, generator=generator)) for row in logits]

    def test_batches_change_in_every_way(self):
        processors = self.processors()
        self.assertEqual(sum(isinstance(one, self.ours.LogitsProcessor) for one in processors.all), 2)
        self.assertEqual(sum(bool(getattr(one, "serving", None)) for one in processors.all), 1)  # one of the two masks
        batch = Batch(processors, self.host)
        luck, generator = random.Random(4), self.torch.Generator().manual_seed(4)
        waiting = [Request(extra_args={"pccsql": "hr"}) for _ in range(16)]
        done, preempted = [], 0
        ends = set(self.vocabulary.end_of_text)
        while waiting or any(batch.rows):
            for request in [one for one in batch.rows if one]:
                if request.output and request.output[-1] in ends:
                    batch.remove(request)
                    done.append(request)
                elif luck.random() < 0.08:
                    batch.remove(request)
                    waiting.insert(0, request)  # comes again with the tokens that it had
                    preempted += 1
            while waiting and sum(one is not None for one in batch.rows) < 6 and luck.random() < 0.8:
                batch.add(waiting.pop())
            batch.settle()
            if len(batch.rows) > 1 and luck.random() < 0.3:
                batch.swap(*luck.sample(range(len(batch.rows)), 2))
                batch.settle()
            for request, token in zip(batch.rows, self.sample(batch, generator)):
                request.output.append(token)
        self.assertGreater(preempted, 3)
        self.assertEqual(len(done), 16)
        for request in done:
            answer = self.ours.guard(types.SimpleNamespace(token_ids=request.output), self.engine)
            self.assertTrue(answer.safe, answer)
            self.assertLessEqual(len(request.output), 40)

    def test_others_are_left_alone(self):
        """Where the file lets them through: their rows of the batch stay as they are."""
        processors = self.processors()
        ours = next(one for one in processors.all if getattr(one, "serving", None))
        ours.serving.allows_others = True
        self.addCleanup(setattr, ours.serving, "allows_others", False)
        batch = Batch(processors, self.host)
        for extra in (None, {"pccsql": "hr"}, None):
            batch.add(Request(extra_args=extra))
        batch.settle()
        logits = self.torch.zeros(3, self.width)
        masked = ours.apply(logits.clone())
        self.assertEqual([bool(self.torch.isinf(row).any()) for row in masked], [False, True, False])

    def test_tokens_that_are_not_told_end_the_request(self):
        """Async scheduling writes -1 for what it has not read yet, and reads it only for processors that are named."""
        processors = self.processors()
        ours = next(one for one in processors.all if getattr(one, "serving", None))
        batch = Batch(processors, self.host)
        request = Request(extra_args={"pccsql": "hr"})
        batch.add(request)
        batch.settle()
        self.sample(batch, self.torch.Generator())
        request.output.append(-1)
        batch.settle()
        logits = ours.apply(self.torch.zeros(1, self.width))
        allowed = self.torch.isfinite(logits[0]).nonzero().flatten().tolist()
        self.assertEqual(tuple(allowed), self.vocabulary.end_of_text)
        request.output.append(allowed[0])
        ours.apply(self.torch.zeros(1, self.width))
        request.output.append(7)  # not even that is obeyed
        with self.assertRaises(pccsql.NotMasked):
            ours.apply(self.torch.zeros(1, self.width))

    def test_tokens_that_are_told_late(self):
        """vLLM's own function puts them in before the processors are asked."""
        processors = self.processors()
        batch = Batch(processors, self.host)
        request = Request(extra_args={"pccsql": "hr"})
        batch.add(request)
        batch.settle()
        generator = self.torch.Generator().manual_seed(1)
        ends = self.vocabulary.end_of_text
        while not request.output or request.output[-1] not in ends:
            token = self.sample(batch, generator)[0]
            request.output.append(-1)
            runner = types.SimpleNamespace(
                sampling_metadata=types.SimpleNamespace(output_token_ids=[request.output]), req_ids=["r"],
                sampled_token_ids_cpu=self.torch.tensor([[token]]), prev_req_id_to_index={"r": 0},
                async_copy_ready_event=types.SimpleNamespace(synchronize=lambda: None))
            batch.settle()
            self.replace_tokens(runner)
        self.assertTrue(self.ours.guard(types.SimpleNamespace(token_ids=request.output), self.engine).safe)

    def test_a_mask_that_is_not_applied_ends_the_request(self):
        processors = self.processors()
        ours = next(one for one in processors.all if getattr(one, "serving", None))
        batch = Batch(processors, self.host)
        request = Request(extra_args={"pccsql": "hr"})
        batch.add(request)
        batch.settle()
        wanted = pccsql._serving.never_allowed(self.engine)
        self.assertNotEqual(self.sample(batch, self.torch.Generator(), wanted), [wanted])
        request.output.append(wanted)
        logits = ours.apply(self.torch.zeros(1, self.width))
        self.assertEqual(tuple(self.torch.isfinite(logits[0]).nonzero().flatten().tolist()), self.vocabulary.end_of_text)
        answer = self.ours.guard(types.SimpleNamespace(token_ids=[wanted, *self.vocabulary.end_of_text]), self.engine)
        self.assertFalse(hasattr(answer, "sql"))

    def test_speculative_decoding_is_refused(self):
        from pccsql._vllm_plugin import name_processor

        with self.assertRaises(pccsql.Error):  # when the configuration is made
            name_processor(self.config(speculative_config=object()))
        with self.assertRaises(ValueError):  # by vLLM itself, where the processor is named
            self.host.build_logitsprocs(self.config(speculative_config=object()), None, False, False, ["pccsql.vllm:LogitsProcessor"])
        with self.assertRaises(pccsql.Error):  # by the processor
            self.ours.LogitsProcessor(self.config(speculative_config=object()), None, False)

    def test_the_plugin_looks_at_every_configuration(self):
        from pccsql import _vllm_plugin

        made = []

        class VllmConfig:
            def __post_init__(self):
                made.append(self.model_config.logits_processors)

        importlib.import_module("vllm.config").VllmConfig = VllmConfig
        for _ in range(2):  # plugins may be run more than once
            _vllm_plugin.register()
        config = VllmConfig()
        config.model_config, config.speculative_config = self.config().model_config, None
        config.__post_init__()
        self.assertEqual(made, [["pccsql.vllm:LogitsProcessor"]])
        config.speculative_config = object()
        with self.assertRaises(pccsql.Error):
            config.__post_init__()

    def test_the_self_test(self):
        """Of an `LLM` and of a server over HTTP: passed where the mask is applied, NotMasked where it is not."""
        admitted = demo.generate(self.engine.matcher(max_tokens=6), 1, pccsql.allocate_token_bitmask(1, self.width))
        self.ours.SamplingParams = lambda **more: types.SimpleNamespace(**more)
        for tokens, masked in ((admitted, True), ([pccsql._serving.never_allowed(self.engine)], False), ([], False)):

            class LLM:
                def generate(self, prompts, params, use_tqdm):
                    assert params.logit_bias and params.extra_args == {"pccsql": "hr"}
                    return [types.SimpleNamespace(outputs=[types.SimpleNamespace(token_ids=tokens)])]

            with demo.server({"/v1/models": {"data": [{"id": "x"}]}, "/v1/completions": {"choices": [{"token_ids": tokens}]}}) as url:
                for host in (LLM(), url):
                    if masked:
                        self.ours.self_test(host, self.engine, "hr")
                    else:
                        with self.assertRaises(pccsql.NotMasked):
                            self.ours.self_test(host, self.engine, "hr")
        with demo.server({"/v1/models": {"data": [{"id": "x"}]}, "/v1/completions": {"choices": [{"text": "S"}]}}) as url:
            with self.assertRaises(pccsql.Error):
                self.ours.self_test(url, self.engine, "hr")

    def test_requests_that_are_refused(self):
        ours = self.ours.LogitsProcessor
        ours.validate_params(Request(extra_args={"pccsql": "hr"}).params)
        named = {"extra_args": {"pccsql": "hr"}}
        for params, said in [({}, "names its database"), ({"extra_args": {"pccsql": "shop"}}, "no database `shop`"),
                             ({"extra_args": {"pccsql": 3}}, "no database"), ({**named, "structured_outputs": "x"}, "second mask"),
                             ({**named, "allowed_token_ids": [1]}, "second mask"), ({**named, "bad_words": ["x"]}, "second mask"),
                             ({**named, "min_tokens": 4}, "end of the text"), ({**named, "ignore_eos": True}, "end of the text"),
                             ({**named, "thinking_token_budget": 5}, "after the mask")]:
            with self.assertRaises(ValueError) as caught:
                ours.validate_params(Request(**params).params)
            self.assertIn(said, str(caught.exception))
        self.assertIn("no databases", self.ours.refusal(None, Request(**named).params))
        self.assertIsNone(self.ours.refusal(None, Request().params))  # a vLLM that was given no databases is as it was
        processors = self.processors()
        batch = Batch(processors, self.host)
        batch.add(Request())  # slipped past the validation
        with self.assertRaises(pccsql.NotMasked):
            batch.settle()


if __name__ == "__main__":
    unittest.main()
