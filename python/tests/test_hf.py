"""transformers with a small random model: every way of decoding, under logits that want nothing in particular and such as
want what is forbidden. Random weights know no SQL, so that whatever is safe is so by the mask.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import demo
import pccsql


def small_model(torch, transformers, vocabulary, seed=0):
    """A Llama of two layers with logits for more tokens than the vocabulary has."""
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary) + 7, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=512, bos_token_id=None, eos_token_id=vocabulary.end_of_text[0],
        initializer_range=0.3)
    return transformers.LlamaForCausalLM(config).eval()


class Generate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.torch = demo.need("torch")
        cls.transformers = demo.need("transformers")
        cls.transformers.logging.set_verbosity_error()
        from pccsql import hf

        cls.hf = hf
        cls.engine = demo.engine()
        cls.vocabulary = cls.engine.vocabulary
        cls.device = "cuda" if cls.torch.cuda.is_available() else "cpu"
        cls.model = small_model(cls.torch, cls.transformers, cls.vocabulary).to(cls.device)

    def prompts(self, count=1, length=5):
        ids = (self.torch.arange(count * length).reshape(count, length) % 90 + 10).to(self.device)
        return {"input_ids": ids, "attention_mask": self.torch.ones_like(ids)}

    def all_safe(self, answers, count):
        self.assertEqual(len(answers), count)
        for answer in answers:
            self.assertTrue(answer.safe, answer)
            self.assertTrue(answer.sql.upper().lstrip().startswith(("SELECT", "WITH")), answer.sql)

    def test_greedy_and_sampling(self):
        inputs = self.prompts()
        self.all_safe(self.hf.generate(self.model, self.engine, **inputs, max_new_tokens=40, do_sample=False), 1)
        for seed in range(5):
            self.torch.manual_seed(seed)
            answers = self.hf.generate(self.model, self.engine, **inputs, max_new_tokens=40, do_sample=True, temperature=2.0,
                                       top_k=0, num_return_sequences=4)
            self.all_safe(answers, 4)

    def test_warpers_after_the_mask(self):
        inputs = self.prompts()
        for more in ({"top_k": 3}, {"top_p": 0.2}, {"min_p": 0.5}, {"typical_p": 0.3}, {"epsilon_cutoff": 0.3},
                     {"eta_cutoff": 0.3}, {"repetition_penalty": 5.0}, {"no_repeat_ngram_size": 0}, {"renormalize_logits": True}):
            self.torch.manual_seed(1)
            answers = self.hf.generate(self.model, self.engine, **inputs, max_new_tokens=30, do_sample=True, **more)
            self.all_safe(answers, 1)

    def test_beams(self):
        for sample in (False, True):
            answers = self.hf.generate(self.model, self.engine, **self.prompts(2), max_new_tokens=24, num_beams=4,
                                       num_return_sequences=1, do_sample=sample)
            self.all_safe(answers, 2)

    def test_beams_without_enough_to_choose_from_have_no_query(self):
        """More beams than queries: what beam search fills up with is not safe, and has no `.sql`."""
        narrow = pccsql.Engine(ddl="CREATE TABLE t (a INTEGER);", tokenizer=self.vocabulary, style="canonical", max_tokens=20,
                               policy_text="version: 1\ntables: {t: {a: AggregateOnly}}\n")
        answers = self.hf.generate(self.model, narrow, **self.prompts(), max_new_tokens=20, num_beams=8, num_return_sequences=8)
        self.assertTrue(any(answer.safe for answer in answers))
        for answer in answers:
            self.assertEqual(answer.safe, hasattr(answer, "sql"))

    def test_prompts_of_different_lengths(self):
        """Padding on either side."""
        torch = self.torch
        for left in (True, False):
            ids = torch.full((3, 6), self.vocabulary.end_of_text[0])
            attention = torch.zeros(3, 6, dtype=torch.int64)
            for row, length in enumerate((6, 3, 1)):
                at = slice(6 - length, 6) if left else slice(0, length)
                ids[row, at] = torch.arange(length) + 20
                attention[row, at] = 1
            answers = self.hf.generate(self.model, self.engine, input_ids=ids.to(self.device),
                                       attention_mask=attention.to(self.device), max_new_tokens=30)
            self.all_safe(answers, 3)

    def test_a_database_for_each_prompt(self):
        other = pccsql.Engine(ddl="CREATE TABLE singer (name TEXT, age INTEGER);", tokenizer=self.vocabulary,
                              policy_text="version: 1\ntables: {singer: {name: Public, age: AggregateOnly}}\n")
        self.all_safe(self.hf.generate(self.model, [self.engine, other], **self.prompts(2), max_new_tokens=30, num_beams=2), 2)
        letters = {self.vocabulary.piece(token): token for token in range(len(self.vocabulary))}
        written = [letters[bytes([byte])] for byte in b"SELECT name FROM "]
        processor = self.hf.LogitsProcessor([self.engine, other])
        ids = self.prompts(2)["input_ids"]
        ids = ids.cpu()
        processor(ids, self.torch.zeros(2, len(self.vocabulary)))
        ids = self.torch.cat([ids, self.torch.tensor([written, written])], dim=1)
        masked = processor(ids, self.torch.zeros(2, len(self.vocabulary)))
        self.assertEqual([bool(row[letters[b"e"]] == 0) for row in masked], [True, False])  # employee
        self.assertEqual(bool(masked[1][letters[b"s"]] == 0), True)  # singer

    def test_assisted_decoding(self):
        """Guesses of another model, which knows no mask, are taken back."""
        assistant = small_model(self.torch, self.transformers, self.vocabulary, seed=9).to(self.device)
        plain = self.hf.generate(self.model, self.engine, **self.prompts(), max_new_tokens=30, do_sample=False)
        for more in ({"assistant_model": assistant}, {"prompt_lookup_num_tokens": 3}):
            answers = self.hf.generate(self.model, self.engine, **self.prompts(), max_new_tokens=30, do_sample=False, **more)
            self.all_safe(answers, 1)
            self.assertEqual(answers[0].sql, plain[0].sql)
        with self.assertRaises(pccsql.Error):
            self.hf.generate(self.model, self.engine, **self.prompts(), assistant_model=assistant, assistant_ensemble_weight=0.5)

    def test_sql_after_thinking(self):
        """Everything may come before the marker, and without it there is no answer."""
        text = "name"
        marker = next(i for i in range(len(self.vocabulary)) if self.vocabulary.piece(i) == text.encode())

        class Thinks(self.transformers.LogitsProcessor):
            def __call__(self, input_ids, scores):
                wanted = scores.clone()
                if input_ids.shape[1] == 9:
                    wanted[:, marker] = 1000
                elif input_ids.shape[1] < 9:
                    wanted[:, marker] = -1000
                return wanted

        for begin_after in (text, [marker]):
            processor = self.hf.LogitsProcessor(self.engine, begin_after=begin_after, room=40)
            made = self.model.generate(**self.prompts(), max_new_tokens=40, do_sample=False, pad_token_id=0,
                                       eos_token_id=list(self.vocabulary.end_of_text), logits_processor=[Thinks(), processor])
            follower = pccsql._follow.Follower(self.engine, begin_after, 40)
            follower.extend(made[0].tolist()[5:])
            self.assertTrue(follower.answer().safe, follower.answer())
            self.assertEqual(follower.tokens[4], marker)
        unmarked = self.hf.generate(self.model, self.engine, begin_after="<never>", **self.prompts(), max_new_tokens=10)
        self.assertIn("marker", unmarked[0].reasons[0])
        self.assertFalse(hasattr(unmarked[0], "sql"))

    def test_hostile_logits(self):
        """Each step most likely what is forbidden, by sampling, by beams and by beams that sample: no token comes that was not
        admitted, and every answer is safe. PCCSQL_TOKENS says how many tokens; by hand 10^5."""
        vocabulary, torch = self.vocabulary, self.torch
        words = (b";", b"ssn", b"salary", b"--", b"DROP", b"Hidden")
        harmful = [i for i in range(len(vocabulary)) if (vocabulary.piece(i) or b";") in words]
        width = len(vocabulary) + 7

        class Hostile(self.transformers.LogitsProcessor):
            """Wants what is harmful, the end, and what it wanted before where that was taken from it."""

            def __init__(self, seed):
                self.wants = torch.randn(width, generator=torch.Generator().manual_seed(seed)) * 8
                self.wants[harmful] += 50
                self.wants[len(vocabulary):] += 50  # ids that there are no tokens for

            def __call__(self, input_ids, scores):
                return scores + self.wants.to(scores)

        wanted = int(os.environ.get("PCCSQL_TOKENS", "2000"))
        rows = 8 if wanted < 50_000 else 64
        tokens = answers = 0
        ways = [{"do_sample": True, "top_k": 0, "temperature": 1.5}, {"num_beams": 4}, {"num_beams": 3, "do_sample": True}]
        seed = 0
        while tokens < wanted:
            for way in ways:
                seed += 1
                torch.manual_seed(seed)
                processor = self.hf.LogitsProcessor(self.engine, room=48)
                made = self.model.generate(**self.prompts(rows), **way, max_new_tokens=48, pad_token_id=0,
                                           eos_token_id=list(vocabulary.end_of_text), logits_processor=[Hostile(seed), processor])
                if "num_beams" not in way:  # beams that have too little to choose from are filled up with what has no probability
                    self.assertEqual(processor.violations, 0, (seed, way))
                for row in made.tolist():
                    follower = pccsql._follow.Follower(self.engine, None, 48)
                    follower.extend(row[5:])
                    self.assertIsNone(follower.violation, (seed, way))
                    answer = follower.answer()
                    self.assertTrue(answer.safe, (seed, way, answer))
                    tokens += follower.matcher.steps
                    answers += 1
        if wanted > 2000:
            print(f"hostile logits: {tokens} tokens in {answers} answers, none that was not admitted, all safe")

    def test_a_mask_that_does_not_bite_is_seen(self):
        forbidden = pccsql._serving.never_allowed(self.engine)

        class After(self.transformers.LogitsProcessor):
            """Undoes the mask, as a processor after it can."""

            def __call__(self, input_ids, scores):
                undone = scores.clone()
                undone[:, forbidden] = 1e9
                return undone

        processor = self.hf.LogitsProcessor(self.engine)
        with self.assertRaises(pccsql.NotMasked):
            self.model.generate(**self.prompts(), max_new_tokens=5, do_sample=False, pad_token_id=0,
                                logits_processor=[processor, After()])
        self.assertEqual(processor.violations, 1)
        class Drops(type(self.model)):
            """A host that passes logits processors over."""

            def generate(self, *args, logits_processor=None, **more):
                return super().generate(*args, **more)

        dropping = Drops(self.model.config).to(self.device).eval()
        with self.assertRaises(pccsql.NotMasked):
            self.hf.generate(dropping, self.engine, **self.prompts(), max_new_tokens=5)

    def test_a_step_without_the_mask_is_seen(self):
        """A host that passes the processor over for one step: what came in it is noticed at the next call, wherever it stands."""
        forbidden = pccsql._serving.never_allowed(self.engine)
        prompt = self.prompts()["input_ids"].cpu()
        scores = self.torch.zeros(1, len(self.vocabulary))
        for slipped in ([forbidden], [forbidden, 5], [forbidden, forbidden, 6, 7]):
            processor = self.hf.LogitsProcessor(self.engine)
            processor(prompt, scores)
            with self.assertRaises(pccsql.NotMasked):
                processor(self.torch.cat([prompt, self.torch.tensor([slipped])], dim=1), scores)
            self.assertEqual(processor.violations, 1)
        calls = []

        class Skips(type(self.model)):
            """A model's `generate` that leaves the processor out of every other step."""

            def generate(self, *args, logits_processor=(), **more):
                def sometimes(ids, scores):
                    calls.append(1)
                    if len(calls) % 2:
                        for one in logits_processor:
                            scores = one(ids, scores)
                    return scores

                return super().generate(*args, logits_processor=[sometimes], **more)

        skipping = Skips(self.model.config).to(self.device).eval()
        with self.assertRaises(pccsql.NotMasked):
            self.hf.generate(skipping, self.engine, **self.prompts(), max_new_tokens=12, do_sample=False)

    def test_ids_in_memory_that_is_written_again(self):
        """Beam search keeps its ids in one buffer; rows are what they hold now, and after an error nothing is taken for granted."""
        letters = {self.vocabulary.piece(token): token for token in range(len(self.vocabulary))}
        texts = [b"SELECT name FROM employee", b"SELECT COUNT(*) FROM department"]
        length = max(map(len, texts))
        buffer = self.torch.zeros(2, 3 + length, dtype=self.torch.int64)
        buffer[:, :3] = 50
        scores = self.torch.zeros(2, len(self.vocabulary))
        processor = self.hf.LogitsProcessor(self.engine)
        alone = [self.engine.matcher(), self.engine.matcher()]
        wrong = buffer[:, :3] + 1
        for at in range(20):
            order = [0, 1] if at % 3 else [1, 0]
            for row, number in enumerate(order):
                buffer[row, 3 : 3 + at] = self.torch.tensor([letters[texts[number][i : i + 1]] for i in range(at)])
            masked = processor(buffer[:, : 3 + at], scores)
            for row, number in enumerate(order):
                if at:
                    self.assertTrue(alone[number].accept_token(letters[texts[number][at - 1 : at]]))
                mask = pccsql.allocate_token_bitmask(1, len(self.vocabulary))
                alone[number].fill_bitmask(mask)
                found = self.torch.isfinite(masked[row]).nonzero().flatten().tolist()
                self.assertEqual(found, pccsql.allowed_tokens(mask), (at, row))
            if at == 10:
                for _ in range(2):
                    with self.assertRaises(pccsql.Error):
                        processor(wrong, scores)

    def test_rows_in_another_order(self):
        """Each keeps the engine of its prompt, though nobody said that rows were moved or left out."""
        other = pccsql.Engine(ddl="CREATE TABLE singer (name TEXT, age INTEGER);", tokenizer=self.vocabulary,
                              policy_text="version: 1\ntables: {singer: {name: Public, age: AggregateOnly}}\n")
        letters = {self.vocabulary.piece(token): token for token in range(len(self.vocabulary))}
        written = self.torch.tensor([letters[bytes([byte])] for byte in b"SELECT name FROM "])
        prompts = self.prompts(2)["input_ids"].cpu()
        for order in ([1, 0], [1], [0], [0, 0, 1], [1, 0, 1, 0]):
            processor = self.hf.LogitsProcessor([self.engine, other])
            processor(prompts, self.torch.zeros(2, len(self.vocabulary)))
            ids = self.torch.cat([prompts[order], written.repeat(len(order), 1)], dim=1)
            masked = processor(ids, self.torch.zeros(len(order), len(self.vocabulary)))
            for row, prompt in enumerate(order):  # employee
                self.assertEqual(bool(masked[row][letters[b"e"]] == 0), prompt == 0, (order, row))
        same = self.hf.LogitsProcessor([self.engine, other])
        twins = prompts[[0, 0]]
        same(twins, self.torch.zeros(2, len(self.vocabulary)))
        with self.assertRaises(pccsql.Error):
            same(twins[:1], self.torch.zeros(1, len(self.vocabulary)))

    def test_logits_that_are_no_numbers(self):
        """NaN, and minus infinity for all that is allowed: what comes of it is safe, or has no query."""
        vocabulary, torch = self.vocabulary, self.torch
        for kind in (float("nan"), float("-inf"), float("inf")):
            for some in (slice(None), slice(0, None, 2)):

                class Sick(self.transformers.LogitsProcessor):
                    def __call__(self, input_ids, scores):
                        sick = scores.clone()
                        sick[:, some] = kind
                        return sick

                processor = self.hf.LogitsProcessor(self.engine, room=30)
                try:
                    made = self.model.generate(**self.prompts(2), max_new_tokens=30, do_sample=False, pad_token_id=0,
                                               eos_token_id=list(vocabulary.end_of_text), logits_processor=[Sick(), processor])
                except pccsql.NotMasked:
                    continue  # nothing that is allowed had a chance, and the host took what is not
                for row in made.tolist():
                    follower = pccsql._follow.Follower(self.engine, None, 30)
                    follower.extend(row[5:])
                    answer = follower.answer()
                    self.assertEqual(answer.safe, hasattr(answer, "sql"))
                    self.assertTrue(answer.safe or follower.violation is not None, (kind, some, answer))

    def test_queries_end_within_what_the_call_lets_them(self):
        for more in ({"max_length": 21}, {"max_new_tokens": 16}, {},
                     {"generation_config": self.transformers.GenerationConfig(max_new_tokens=16)},
                     {"generation_config": self.transformers.GenerationConfig(max_length=21)}):
            self.all_safe(self.hf.generate(self.model, self.engine, **self.prompts(2), do_sample=True, top_k=0, **more), 2)

    def test_continuous_batching_is_refused(self):
        for more in ({"cache_implementation": "paged"}, {"custom_generate": "x"}, {"logits_processor": []},
                     {"prefix_allowed_tokens_fn": print}, {"streamer": print}):
            with self.assertRaises(pccsql.Error):
                self.hf.generate(self.model, self.engine, **self.prompts(), max_new_tokens=5, **more)
        processor = self.hf.LogitsProcessor(self.engine)
        try:
            from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessorList
        except ImportError:
            self.skipTest("this transformers has no continuous batching that looks at processors")
        with self.assertRaises(pccsql.NotMasked):
            ContinuousBatchingLogitsProcessorList(self.transformers.LogitsProcessorList([processor]))
        with self.assertRaises(pccsql.NotMasked):
            processor(self.torch.zeros(7, dtype=self.torch.int64), self.torch.zeros(1, 7, 9))

    def test_what_does_not_belong_together(self):
        inputs = {name: value.cpu() for name, value in self.prompts().items()}
        processor = self.hf.LogitsProcessor(self.engine)
        width = len(self.vocabulary)
        processor(inputs["input_ids"], self.torch.zeros(1, width))
        with self.assertRaises(pccsql.Error):
            processor(inputs["input_ids"] + 1, self.torch.zeros(1, width))
        with self.assertRaises(pccsql.Error):
            self.hf.LogitsProcessor(self.engine)(inputs["input_ids"], self.torch.zeros(1, width - 1))
        with self.assertRaises(pccsql.Error):
            self.hf.LogitsProcessor([])
        with self.assertRaises(pccsql.Error):
            self.hf.generate(self.model, self.engine, **inputs, max_new_tokens=9, eos_token_id=11)


class PaperModel(unittest.TestCase):
    def test_the_scripts_for_the_papers_models(self):
        """With a small random model in place of theirs, by itself and under the mask."""
        torch, transformers = demo.need("torch"), demo.need("transformers")
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=trained(demo.need("tokenizers"), True), eos_token="</s>")
            tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
            torch.manual_seed(0)
            config = transformers.LlamaConfig(vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
                                              num_attention_heads=2, num_key_value_heads=2, eos_token_id=tokenizer.eos_token_id)
            transformers.LlamaForCausalLM(config).save_pretrained(folder / "model")
            tokenizer.save_pretrained(folder / "model")
            suite = demo.small_suite(folder)
            for method in ("pcc", "direct"):
                done = subprocess.run(
                    [sys.executable, demo.ROOT / "examples" / "python" / "qwen7b.py", "--suite", suite, "--out", folder / method,
                     "--method", method, "--model", folder / "model", "--dtype", "float32", "--limit", "2"],
                    capture_output=True, text=True, timeout=400)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                lines = [json.loads(line) for line in (folder / method).read_text(encoding="utf-8").splitlines()]
                outcomes = {line["outcome"] for line in lines if "outcome" in line}
                self.assertEqual(outcomes == {"safe_sql"}, method == "pcc", [line.get("reason") for line in lines])


def trained(tokenizers, byte_level):
    """A tokenizer of one of the two kinds, learned from a few lines."""
    from tokenizers import decoders, models, pre_tokenizers, trainers

    tokenizer = tokenizers.Tokenizer(models.BPE(byte_fallback=not byte_level, unk_token=None if byte_level else "<unk>"))
    text = ["SELECT name, AVG(salary) FROM employee WHERE café > 'ñandú €'", "  SELECT x\n\tFROM y", "0123456789"] * 20
    special = ["<unk>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256) if not byte_level)]
    if byte_level:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
        tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="never"), decoders.Fuse()])
        trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=special)
    tokenizer.train_from_iterator(text, trainer)
    return tokenizer


class Tokenizers(unittest.TestCase):
    """Vocabularies of tokenizer objects: byte by byte what the tokenizer itself decodes."""

    def setUp(self):
        self.tokenizers = demo.need("tokenizers")

    def test_pieces_are_what_the_tokenizer_decodes(self):
        for byte_level in (True, False):
            tokenizer = trained(self.tokenizers, byte_level)
            end = tokenizer.token_to_id("</s>")
            vocabulary = pccsql.Vocabulary.of(tokenizer, [end])
            self.assertEqual(vocabulary.end_of_text, (end,))
            self.assertEqual(len(vocabulary), tokenizer.get_vocab_size())
            for text in ("SELECT café FROM employee", "  name\n", "x = 'ñ€'"):
                ids = tokenizer.encode(text).ids
                self.assertEqual(vocabulary.text(ids).decode(), tokenizer.decode(ids), (byte_level, text))

    def test_added_tokens_that_spell_sql(self):
        """Special ones write nothing, however they are spelled and whatever they overlap; others write what the tokenizer decodes,
        or nothing where that is not certain."""
        added = ["SELECT", " name ", "Ġx", "é€", "café", "▁y", "<0x41>", "drop;", "SELEC"]
        special = ["<|im_end|>", "<|im_end|>x", "SELECT name", "</s>x", "--"]
        for byte_level in (True, False):
            tokenizer = trained(self.tokenizers, byte_level)
            told = json.loads(tokenizer.to_str())  # the bytes are tokens like others, as real models have them
            told["added_tokens"] = [token for token in told["added_tokens"] if not token["content"].startswith("<0x")]
            tokenizer = self.tokenizers.Tokenizer.from_str(json.dumps(told))
            tokenizer.add_tokens([self.tokenizers.AddedToken(text, normalized=False) for text in added])
            tokenizer.add_special_tokens(special)
            vocabulary = pccsql.Vocabulary.of(tokenizer, [tokenizer.token_to_id("</s>")])
            zero = tokenizer.token_to_id("0")
            compared = 0
            for token in range(tokenizer.get_vocab_size()):
                piece = vocabulary.piece(token)
                if tokenizer.id_to_token(token) in (*special, "</s>", "<unk>"):
                    self.assertIsNone(piece, tokenizer.id_to_token(token))
                elif piece is not None and piece.isascii():
                    decoded = tokenizer.decode([zero, token, zero], skip_special_tokens=False)
                    self.assertEqual(decoded, f"0{piece.decode()}0", tokenizer.id_to_token(token))
                    compared += 1
            self.assertGreater(compared, 150)
            self.assertEqual(vocabulary.piece(tokenizer.token_to_id("SELECT")), b"SELECT")
            self.assertEqual(vocabulary.piece(tokenizer.token_to_id("drop;")), b"drop;")
            euro = [tokenizer.token_to_id(f"<0x{byte:02X}>") for byte in "€".encode()]
            if not byte_level:
                self.assertEqual((vocabulary.text(euro).decode(), tokenizer.decode(euro)), ("€", "€"))
            engine = demo.engine(vocabulary)
            mask = pccsql.allocate_token_bitmask(1, len(vocabulary))
            for seed in range(5):
                matcher = engine.matcher(max_tokens=40)
                demo.generate(matcher, seed, mask)
                self.assertTrue(matcher.answer().safe)

    def test_an_engine_of_another_tokenizer(self):
        """Its numbers mean other texts: what the judge sees is what it gives, so that nothing unsafe has a query."""
        byte_level, sentence_piece = trained(self.tokenizers, True), trained(self.tokenizers, False)
        engine = demo.engine(pccsql.Vocabulary.of(byte_level, [byte_level.token_to_id("</s>")]))
        follower = pccsql._follow.Follower(engine)
        follower.extend([*sentence_piece.encode("SELECT ssn FROM employee").ids, sentence_piece.token_to_id("</s>")])
        answer = follower.answer()
        self.assertFalse(hasattr(answer, "sql"))

    def test_a_tokenizer_of_transformers(self):
        transformers = demo.need("transformers")
        inner = trained(self.tokenizers, True)
        tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="</s>")
        vocabulary = pccsql.Vocabulary.of(tokenizer)
        self.assertEqual(vocabulary.end_of_text, (tokenizer.eos_token_id,))
        engine = demo.engine(tokenizer)
        self.assertEqual(engine.matcher().is_terminated(), False)


if __name__ == "__main__":
    unittest.main()
