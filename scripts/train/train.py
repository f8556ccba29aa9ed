#!/usr/bin/env python3
"""Trains an adapter on what `pccsql suite training` wrote, and writes it as a GGUF file that llama.cpp loads.

    pccsql suite training --spider DIR --bird DIR --out training.jsonl
    python3 scripts/train/train.py --model MODEL.gguf --data training.jsonl --out adapter.gguf --log train.log

Questions of the databases that are kept aside are looked at, never trained on. `exact` is the share of them whose whole
answer would be written token for token. What is written is the adapter of the look at which that share was largest, so a
training that is cut off leaves one.
"""

import argparse
import json
import lzma
import math
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

from gguf_file import Gguf, write_gguf
from network import Network


def read_groups(path):
    opened = lzma.open(path, "rt") if path.endswith(".xz") else open(path)
    with opened as file:
        for line in file:
            group = json.loads(line)
            group["tokens"] = list(group["prompt"])
            group["positions"] = list(range(len(group["prompt"])))
            group["segments"] = [0] * len(group["prompt"])
            group["targets"] = []  # (place of the token before, the token, which question)
            for number, item in enumerate(group["items"], 1):
                begin, length = len(group["tokens"]), len(item["asked"]) + len(item["answer"])
                group["tokens"] += item["asked"] + item["answer"]
                group["positions"] += range(len(group["prompt"]), len(group["prompt"]) + length)
                group["segments"] += [number] * length
                first = begin + len(item["asked"])
                group["targets"] += [(first + i - 1, token, number) for i, token in enumerate(item["answer"])]
            yield group


def batches_of(groups, most, chance=None):
    """Groups of like length together, of `most` tokens with padding."""
    ordered = list(groups)
    if chance:
        chance.shuffle(ordered)
    ordered.sort(key=lambda group: len(group["tokens"]) // 64)
    made, batch, longest = [], [], 0
    for group in ordered:
        length = max(longest, len(group["tokens"]))
        if batch and length * (len(batch) + 1) > most:
            made.append(batch)
            batch, length = [], len(group["tokens"])
        batch.append(group)
        longest = length
    if batch:
        made.append(batch)
    if chance:
        chance.shuffle(made)
    return made


def tensors_of(batch, device):
    longest = (max(len(group["tokens"]) for group in batch) + 7) // 8 * 8  # as the fast kernels of attention want it

    def filled(key, value):
        return torch.tensor([group[key] + [value] * (longest - len(group[key])) for group in batch], device=device)

    places, tokens, owners = [], [], []
    for row, group in enumerate(batch):
        for place, token, number in group["targets"]:
            places.append(row * longest + place)
            tokens.append(token)
            owners.append(row * 1000 + number)
    return (
        filled("tokens", 0),
        filled("positions", 0),
        filled("segments", -1),
        torch.tensor(places, device=device),
        torch.tensor(tokens, device=device),
        owners,
    )


def losses(network, batch, adapter, scale):
    tokens, positions, segments, places, targets, owners = tensors_of(batch, network.device)
    hidden = network.hidden(tokens, positions, segments, adapter, scale).reshape(-1, network.width)
    logits = network.logits(hidden[places])
    return F.cross_entropy(logits, targets, reduction="none"), logits, targets, owners


@torch.no_grad()
def look(network, batches, adapter, scale):
    """Loss for a token, and the share of questions all of whose tokens are the likeliest; by benchmark."""
    found = {}
    for batch in batches:
        loss, logits, targets, owners = losses(network, batch, adapter, scale)
        right = (logits.argmax(-1) == targets).tolist()
        benchmark = {}
        exact = {}
        for row, group in enumerate(batch):
            for number, item in enumerate(group["items"], 1):
                benchmark[row * 1000 + number] = item["id"].split("-")[0]
        for owner, fine, value in zip(owners, right, loss.tolist()):
            exact[owner] = exact.get(owner, True) and fine
            sums = found.setdefault(benchmark[owner], [0.0, 0, 0, 0])
            sums[0] += value
            sums[1] += 1
        for owner, fine in exact.items():
            found[benchmark[owner]][2] += fine
            found[benchmark[owner]][3] += 1
    return {name: {"loss": round(a / b, 4), "exact": round(c / d, 4)} for name, (a, b, c, d) in sorted(found.items())}


def write_adapter(path, adapter, alpha, gguf):
    fields = {
        "general.architecture": gguf.fields["general.architecture"],
        "general.type": "adapter",
        "general.name": "pccsql adapter for " + gguf.fields.get("general.name", "a model"),
        "adapter.type": "lora",
        "adapter.lora.alpha": float(alpha),
    }
    tensors = {name: value.detach().float().cpu().numpy().astype(np.float16) for name, value in adapter.items()}
    write_gguf(path + ".part", fields, tensors)
    os.replace(path + ".part", path)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", required=True, help="the model's GGUF file")
    options.add_argument("--data", required=True, help="of `pccsql suite training`; .xz is read too")
    options.add_argument("--out", required=True, help="the adapter")
    options.add_argument("--log", help="lines of JSON (default: standard output alone)")
    options.add_argument("--rank", type=int, default=10)
    options.add_argument("--alpha", type=float, default=20)
    options.add_argument("--rate", type=float, default=3e-4)
    options.add_argument("--warm-up", type=int, default=20)
    options.add_argument("--steps", type=int, default=0, help="(default: the data once)")
    options.add_argument("--seconds", type=float, default=math.inf, help="training ends by then, its rate at nothing")
    options.add_argument("--tokens", type=int, default=8192, help="of a batch, padding counted")
    options.add_argument("--look-every", type=int, default=100)
    options.add_argument("--look-groups", type=int, default=1000, help="groups kept aside that are looked at")
    options.add_argument("--seed", type=int, default=42)
    options.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = options.parse_args()

    log = open(given.log, "w") if given.log else None

    def say(**what):
        line = json.dumps(what)
        print(line, flush=True)
        if log:
            log.write(line + "\n")
            log.flush()

    begun = time.time()
    if given.device == "cuda" and hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(False)  # its gradients with a mask are not always numbers (torch 2.11)
    gguf = Gguf(given.model)
    network = Network(gguf, given.device)
    chance = random.Random(given.seed)
    groups = list(read_groups(given.data))
    aside = batches_of([group for group in groups if group["aside"]][: given.look_groups], given.tokens)
    random.Random(0).shuffle(aside)
    by_round = {}
    for group in groups:
        if not group["aside"]:
            by_round.setdefault(group["round"], []).append(group)
    batches = [batch for _, some in sorted(by_round.items()) for batch in batches_of(some, given.tokens, chance)]
    steps = min(given.steps or len(batches), len(batches))
    adapter = network.adapter(given.rank, given.seed)
    scale = given.alpha / given.rank
    optimiser = torch.optim.AdamW(list(adapter.values()), lr=given.rate, betas=(0.9, 0.99), weight_decay=0.0)
    questions = sum(len(group["items"]) for batch in batches[:steps] for group in batch)
    size = sum(value.numel() for value in adapter.values())
    say(event="begin", device=given.device, torch=torch.__version__, steps=steps, questions=questions, parameters=size,
        settings=vars(given) | {"seconds": str(given.seconds)}, loading_s=round(time.time() - begun, 1))
    say(event="look", step=0, aside=look(network, aside[: max(1, len(aside) // 8)], None, scale))
    begun = time.time()
    mean, skipped, done = None, 0, 0
    kept = {"worth": None, "step": 0, "seen": None}

    def consider(step):
        """Writes the adapter if none before it answered more of what is kept aside."""
        found = look(network, aside[: max(1, len(aside) // 4)], adapter, scale)
        worth = (sum(one["exact"] for one in found.values()), -sum(one["loss"] for one in found.values()))
        kept["seen"] = step
        if kept["worth"] is None or worth > kept["worth"]:
            kept.update(worth=worth, step=step)
            write_adapter(given.out, adapter, given.alpha, gguf)
        say(event="look", step=step, s=round(time.time() - begun, 1), kept=kept["step"], aside=found)

    for step in range(steps):
        progress = max(step / steps, (time.time() - begun) / given.seconds)
        if progress >= 1:
            break
        rate = given.rate * min(1, (step + 1) / given.warm_up) * (1 + math.cos(math.pi * progress)) / 2
        for part in optimiser.param_groups:
            part["lr"] = rate
        loss = losses(network, batches[step], adapter, scale)[0].mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(list(adapter.values()), 1.0)
        value = loss.item()
        if not math.isfinite(float(norm)) or not math.isfinite(value):
            # One such step would make everything after it not a number.
            skipped += 1
            say(event="skipped", step=step + 1, loss=value, norm=float(norm), shape=[len(batches[step]), max(len(g["tokens"]) for g in batches[step])])
            continue
        optimiser.step()
        mean = value if mean is None else 0.95 * mean + 0.05 * value
        if step % 20 == 0 or step + 1 == steps:
            memory = torch.cuda.max_memory_allocated() >> 20 if given.device == "cuda" else 0
            say(event="step", step=step + 1, loss=round(value, 4), mean=round(mean, 4), rate=f"{rate:.2e}",
                norm=round(float(norm), 3), s=round(time.time() - begun, 1), mib=memory)
        done = step + 1
        if done % given.look_every == 0:
            consider(done)
    if kept["seen"] != done or not done:
        consider(done)
    say(event="end", skipped=skipped, s=round(time.time() - begun, 1), kept=kept["step"],
        aside=look(network, aside, adapter, scale))


if __name__ == "__main__":
    main()
