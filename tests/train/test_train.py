"""What trains an adapter, on a network small enough for a CPU: no model, no data and no GPU are needed, only PyTorch."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "train")
sys.path.insert(0, FOLDER)

try:
    import numpy as np
    import torch

    import gguf_file
    import network
    import train
except ModuleNotFoundError as missing:
    torch = None
    reason = f"{missing.name} is not installed"
else:
    reason = ""

WIDTH, HEADS, KV_HEADS, FEED, LAYERS, WORDS = 64, 4, 2, 96, 2, 50


def tiny_model(path):
    chance = np.random.default_rng(1)

    def random(*shape):
        return (chance.standard_normal(shape) * 0.3).astype(np.float32)

    half = WIDTH // HEADS * KV_HEADS
    tensors = {"token_embd.weight": random(WORDS, WIDTH), "output_norm.weight": 1 + random(WIDTH)}
    for layer in range(LAYERS):
        here = f"blk.{layer}."
        tensors[here + "attn_norm.weight"] = 1 + random(WIDTH)
        tensors[here + "ffn_norm.weight"] = 1 + random(WIDTH)
        for name, rows in (("attn_q", WIDTH), ("attn_k", half), ("attn_v", half)):
            tensors[here + name + ".weight"] = random(rows, WIDTH)
            tensors[here + name + ".bias"] = random(rows)
        tensors[here + "attn_output.weight"] = random(WIDTH, WIDTH)
        tensors[here + "ffn_gate.weight"] = random(FEED, WIDTH)
        tensors[here + "ffn_up.weight"] = random(FEED, WIDTH)
        tensors[here + "ffn_down.weight"] = random(WIDTH, FEED)
    fields = {
        "general.architecture": "qwen2",
        "qwen2.block_count": LAYERS,
        "qwen2.embedding_length": WIDTH,
        "qwen2.attention.head_count": HEADS,
        "qwen2.attention.head_count_kv": KV_HEADS,
        "qwen2.attention.layer_norm_rms_epsilon": 1e-6,
        "qwen2.rope.freq_base": 1e4,
    }
    gguf_file.write_gguf(path, fields, tensors)
    return tensors


def group(number, aside=False, questions=3):
    """The answer is the token that was asked for, and its neighbour: something that can be learnt."""
    items = []
    for i in range(questions):
        word = 10 + (number * 7 + i * 3) % 30
        items.append({"id": f"tiny-train-{number * 10 + i}", "asked": [2, word, 3], "answer": [word, word + 1, 1]})
    return {"db_id": f"d{number}", "aside": aside, "round": number % 2, "prompt": [4 + number % 5, 5, 6], "items": items}


def as_line(made):
    return json.dumps(made) + "\n"


@unittest.skipIf(torch is None, reason)
class Training(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.model = os.path.join(self.folder.name, "tiny.gguf")
        self.tensors = tiny_model(self.model)
        self.gguf = gguf_file.Gguf(self.model)
        self.network = network.Network(self.gguf, "cpu", torch.float32)

    def read(self, groups):
        path = os.path.join(self.folder.name, "data.jsonl")
        with open(path, "w") as file:
            file.writelines(as_line(made) for made in groups)
        return list(train.read_groups(path))

    def test_what_was_written_is_read(self):
        for name, array in self.tensors.items():
            self.assertTrue(torch.equal(self.gguf.weight(name, dtype=torch.float32), torch.from_numpy(array)), name)
        self.assertEqual(self.gguf.fields["qwen2.block_count"], LAYERS)

    def test_questions_of_a_group_are_answered_as_if_each_stood_alone(self):
        together = self.read([group(1)])
        apart = self.read([dict(group(1), items=[item]) for item in group(1)["items"]])
        both, _, _, _ = train.losses(self.network, together, None, 1.0)
        alone = torch.cat([train.losses(self.network, [one], None, 1.0)[0] for one in apart])
        self.assertTrue(torch.allclose(both, alone, atol=1e-4))
        self.assertGreater(both.std().item(), 0.01)

    def test_padding_changes_nothing(self):
        groups = self.read([group(1, questions=1), group(2, questions=4)])
        both, _, _, _ = train.losses(self.network, groups, None, 1.0)
        alone = torch.cat([train.losses(self.network, [one], None, 1.0)[0] for one in groups])
        self.assertTrue(torch.allclose(both, alone, atol=1e-4))

    def test_the_loss_is_that_of_answers_alone(self):
        groups = self.read([group(1)])
        _, _, targets, _ = train.losses(self.network, groups, None, 1.0)
        self.assertEqual(targets.tolist(), [token for item in group(1)["items"] for token in item["answer"]])

    def test_batches_hold_every_group_once_and_no_more_tokens_than_allowed(self):
        groups = self.read([group(i, questions=1 + i % 4) for i in range(40)])
        batches = train.batches_of(groups, 64)
        self.assertEqual(sorted(g["db_id"] for batch in batches for g in batch), sorted(g["db_id"] for g in groups))
        for batch in batches:
            if len(batch) > 1:
                self.assertLessEqual(max(len(g["tokens"]) for g in batch) * len(batch), 64)

    def test_one_command_makes_an_adapter_that_has_learnt(self):
        data = os.path.join(self.folder.name, "data.jsonl")
        with open(data, "w") as file:
            for i in range(60):
                file.write(as_line(group(i, aside=i % 6 == 0)))
        log, out = (os.path.join(self.folder.name, name) for name in ("log", "adapter.gguf"))
        command = [sys.executable, os.path.join(FOLDER, "train.py"), "--model", self.model, "--data", data, "--out", out]
        command += ["--log", log, "--tokens", "40", "--rate", "2e-2", "--warm-up", "3", "--device", "cpu", "--look-every", "5"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(log) as file:
            lines = [json.loads(line) for line in file]
        before, after = lines[1]["aside"]["tiny"], lines[-1]["aside"]["tiny"]
        self.assertLess(after["loss"], before["loss"] / 2)
        looks = [line for line in lines if line["event"] == "look" and "kept" in line]
        self.assertGreater(len(looks), 3)
        best = max(looks, key=lambda one: (one["aside"]["tiny"]["exact"], -one["aside"]["tiny"]["loss"]))
        self.assertEqual(lines[-1]["kept"], best["step"])
        adapter = gguf_file.Gguf(out)
        self.assertEqual(adapter.fields["adapter.type"], "lora")
        self.assertEqual(len(adapter.tensors), 2 * 7 * LAYERS)
        kind, shape, _ = adapter.tensors["blk.1.ffn_down.weight.lora_a"]
        self.assertEqual((kind, shape), (gguf_file.F16, [10, FEED]))
        self.assertEqual(adapter.tensors["blk.1.ffn_down.weight.lora_b"][1], [WIDTH, 10])


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=sys.argv).result
    failed = len(result.failures) + len(result.errors)
    for case, reason in result.skipped:
        print(f"skipped: {case}: {reason}")
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(failed > 0)
