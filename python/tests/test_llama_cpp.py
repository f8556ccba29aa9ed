"""The processor for llama-cpp-python, called as `Llama.generate` calls it: from C, where exceptions are lost, with the tokens
of prompt and answer in one array; and llama-cpp-python itself, where it is installed.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import itertools
import os
import unittest

import demo
import pccsql


class Host:
    """What `Llama` does with logits processors, over random logits."""

    def __init__(self, numpy, vocabulary, seed, drops=False):
        self.numpy, self.vocabulary, self.draft_model, self.drops = numpy, vocabulary, None, drops
        self.luck = numpy.random.default_rng(seed)

    def tokenize(self, text, special):
        return list(text)

    def generate(self, tokens, logits_processor=None, temp=1.0):
        ids = list(tokens)
        width = len(self.vocabulary) + 3
        while True:
            scores = self.luck.normal(0, 3, width).astype(self.numpy.float32)

            @ctypes.CFUNCTYPE(None)
            def from_c():
                for processor in [] if self.drops else logits_processor:
                    scores[:] = processor(self.numpy.array(ids, dtype=self.numpy.intc), scores)

            from_c()
            if temp == 0:
                token = int(scores.argmax())
            else:
                odds = self.numpy.exp(scores - scores.max())
                token = int(self.luck.choice(width, p=odds / odds.sum()))
            ids.append(token)
            yield token


class LlamaCpp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.numpy = demo.need("numpy")
        from pccsql import llama_cpp

        cls.ours = llama_cpp
        cls.engine = demo.engine()

    def host(self, seed=0, **more):
        return Host(self.numpy, self.engine.vocabulary, seed, **more)

    def test_answers_are_safe(self):
        for seed in range(6):
            host = self.host(seed)
            for prompt in ("one", [1, 2, 3]):
                answer = self.ours.complete(host, self.engine, prompt, max_tokens=30)
                self.assertTrue(answer.safe, answer)

    def test_a_host_that_drops_the_mask_is_refused(self):
        with self.assertRaises(pccsql.NotMasked):
            self.ours.complete(self.host(drops=True), self.engine, "x")

    def test_what_would_drop_the_mask_is_refused(self):
        for more in ({"logit_bias": {1: 2}}, {"grammar": "x"}, {"logits_processor": [1]}, {"stream": True}, {"echo": True}):
            with self.assertRaises(pccsql.Error):
                self.ours.complete(self.host(), self.engine, "x", **more)
        drafting = self.host()
        drafting.draft_model = print
        with self.assertRaises(pccsql.Error):
            self.ours.complete(drafting, self.engine, "x")

    def test_what_goes_wrong_inside_leaves_nothing_but_the_end(self):
        numpy = self.numpy
        ends = list(self.engine.vocabulary.end_of_text)
        width = len(self.engine.vocabulary)
        forbidden = pccsql._serving.never_allowed(self.engine)
        zeros = numpy.zeros(width, dtype=numpy.float32)
        for second in (numpy.array([5, 6, forbidden]), numpy.array([9, 9, 1]), "nonsense"):
            processor = self.ours.LogitsProcessor(self.engine)
            processor(numpy.array([5, 6]), zeros)
            masked = processor(second, zeros)
            self.assertEqual(numpy.flatnonzero(numpy.isfinite(masked)).tolist(), ends)
            self.assertIsNotNone(processor.failure)
            masked = processor(numpy.array([5, 6]), zeros)  # and it stays so
            self.assertEqual(numpy.flatnonzero(numpy.isfinite(masked)).tolist(), ends)
        narrow = self.ours.LogitsProcessor(self.engine)
        masked = narrow(numpy.array([5]), zeros[: max(ends) + 1])
        self.assertEqual(numpy.flatnonzero(numpy.isfinite(masked)).tolist(), ends)
        self.assertIn("logits for", str(narrow.failure))

    def test_an_answer_that_went_wrong_is_not_given(self):
        class Undoes(Host):
            def generate(self, tokens, logits_processor=None, temp=1.0):
                for number, token in enumerate(super().generate(tokens, logits_processor, temp)):
                    yield pccsql._serving.never_allowed(self.engine) if number == 2 and temp else token

        host = Undoes(self.numpy, self.engine.vocabulary, 1)
        host.engine = self.engine
        answer = self.ours.complete(host, self.engine, "x")
        self.assertFalse(hasattr(answer, "sql"))


class RealLlama(unittest.TestCase):
    """llama-cpp-python itself, with the weights that PCCSQL_GGUF names."""

    @classmethod
    def setUpClass(cls):
        host = demo.need("llama_cpp")
        path = os.environ.get("PCCSQL_GGUF")
        if not path:
            raise unittest.SkipTest("PCCSQL_GGUF names no GGUF file")
        from pccsql import llama_cpp

        cls.ours = llama_cpp
        cls.host = host
        cls.llama = host.Llama(path, n_ctx=256, n_threads=1, verbose=False, seed=3)
        cls.engine = demo.engine(pccsql.Vocabulary.of(path), style="canonical")

    def test_answers_are_safe(self):
        for more in ({"temp": 0.0}, {"temp": 1.5, "top_k": 0, "top_p": 1.0, "min_p": 0.0}, {"temp": 0.8, "repeat_penalty": 1.3},
                     {"temp": 1.0, "mirostat_mode": 2}):
            answer = self.ours.complete(self.llama, self.engine, "How many employees are there?", max_tokens=24, **more)
            self.assertTrue(answer.safe, (more, answer))

    def test_its_vocabulary_is_ours(self):
        """Each token's bytes as llama.cpp itself writes them."""
        vocabulary = self.engine.vocabulary
        self.assertEqual(len(vocabulary), self.llama.n_vocab())
        for text in ("SELECT name FROM employee WHERE x = 'ñandú'", "  a\tb\n"):
            tokens = self.llama.tokenize(text.encode(), add_bos=False)
            self.assertEqual(vocabulary.text(tokens), text.encode())

    def test_its_own_way_of_dropping_processors(self):
        """What `complete` refuses is what it says: `logit_bias` leaves out every processor that is given beside it."""
        called = []

        def watch(ids, scores):
            called.append(len(ids))
            return scores

        watching = self.host.LogitsProcessorList([watch])
        try:
            self.llama.create_completion("x", max_tokens=2, logits_processor=watching, logit_bias={5: 1.0})
        except TypeError:
            pass  # some versions fall over it
        self.assertEqual(called, [])
        self.llama.create_completion("x", max_tokens=2, logits_processor=self.host.LogitsProcessorList([watch]))
        self.assertTrue(called)

    def test_an_exception_in_a_processor_is_lost(self):
        """And the scores are as they were: so ours never raises."""

        def raises(ids, scores):
            raise ValueError("lost")

        with contextlib.redirect_stderr(io.StringIO()):
            made = list(itertools.islice(self.llama.generate(self.llama.tokenize(b"x"), logits_processor=[raises], temp=0.0), 2))
        self.assertEqual(len(made), 2)


if __name__ == "__main__":
    unittest.main()
