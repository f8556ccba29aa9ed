#!/usr/bin/env python3
"""What a batch costs beside the model: masks filled on threads (fill_batch), and applied to logits on a GPU by one kernel.

    python perf/perf_gpu.py [--vocabulary MODEL.gguf] [--rows 256] [--width 151936] [--sweep]

Needs the package, torch and NumPy; without a GPU the masks alone are filled. First the kernel is compared with what NumPy makes of the
same masks and logits, bit by bit; a difference ends it. Then times: of the kernel by replaying a graph of launches on buffers that
together are larger than the GPU's cache, and by events around a single launch from Python. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import random
import statistics
import sys
import time
from typing import Any, Callable

import numpy
import torch

import pccsql

DEMO = pathlib.Path(pccsql.__file__).parent / "program" / "share" / "pccsql" / "demo"
QUERIES = [
    "SELECT name FROM employee",
    "SELECT COUNT(*) FROM employee",
    "SELECT job_title, AVG(salary) FROM employee GROUP BY job_title",
    "SELECT d.name, COUNT(*) FROM department AS d JOIN employee AS e ON d.id = e.department_id GROUP BY d.name",
    "SELECT name FROM employee WHERE job_title = 'Engineer' AND name LIKE 'A%'",
    "SELECT T1.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id WHERE T2.name = 'Sales'",
    "SELECT AVG(salary), job_title FROM employee GROUP BY job_title ORDER BY job_title LIMIT 3",
    "SELECT name FROM department WHERE id IN (SELECT department_id FROM employee WHERE job_title = 'Manager')",
]


def spelled(text: bytes, pieces: dict[bytes, int], end: int) -> list[int]:
    """The text in the longest tokens that there are."""
    tokens, at = [], 0
    longest = max(map(len, pieces))
    while at < len(text):
        size = next(size for size in range(min(longest, len(text) - at), 0, -1) if text[at : at + size] in pieces)
        tokens.append(pieces[text[at : at + size]])
        at += size
    return [*tokens, end]


def permitted(engine: pccsql.Engine, pieces: dict[bytes, int]) -> list[list[int]]:
    """The queries that the demo's policy lets through, in tokens."""
    found = []
    for text in QUERIES:
        tokens = spelled(text.encode(), pieces, engine.vocabulary.end_of_text[0])
        matcher = engine.matcher()
        if all(matcher.accept_token(token) for token in tokens):
            found.append(tokens)
    if len(found) < 4:
        sys.exit("perf_gpu: the demo's policy lets too few of these queries through")
    return found


def fill(engine: pccsql.Engine, queries: list[list[int]], rows: int, width: int, threads: int) -> dict[str, float]:
    """Milliseconds of `BatchFiller.fill` at each step of so many generations, each at another place of its query; in the second
    of two rounds, in which the engine has seen such masks."""
    filler = pccsql.BatchFiller(threads)
    mask = torch.zeros(pccsql.get_bitmask_shape(rows, width), dtype=torch.int32)
    took: list[float] = []
    for turn in range(2):
        luck = random.Random(7)
        chosen = [luck.choice(queries) for _ in range(rows)]
        ahead = [luck.randrange(len(query)) for query in chosen]
        matchers = []
        for query, steps in zip(chosen, ahead):
            matcher = engine.matcher()
            for token in query[:steps]:
                matcher.accept_token(token)
            matchers.append(matcher)
        for _ in range(40):
            begin = time.perf_counter()
            filler.fill(matchers, mask)
            if turn == 1:
                took.append(1e3 * (time.perf_counter() - begin))
            for row, query in enumerate(chosen):
                if ahead[row] == len(query) - 1:
                    matchers[row].reset()
                    ahead[row] = 0
                else:
                    assert matchers[row].accept_token(query[ahead[row]])
                    ahead[row] += 1
    return {"median_ms": statistics.median(took), "mean_ms": statistics.fmean(took), "max_ms": max(took)}


def sql_masks(engine: pccsql.Engine, queries: list[list[int]], rows: int, width: int) -> torch.Tensor:
    """Masks as generations have them, at places taken at random."""
    luck = random.Random(3)
    mask = torch.zeros(pccsql.get_bitmask_shape(rows, width), dtype=torch.int32)
    matchers = []
    for _ in range(rows):
        query = luck.choice(queries)
        matcher = engine.matcher()
        for token in query[: luck.randrange(len(query))]:
            matcher.accept_token(token)
        matchers.append(matcher)
    pccsql.fill_batch(matchers, mask)
    return mask


def random_masks(rows: int, width: int, seed: int) -> torch.Tensor:
    """Every bit by chance; of a third of the rows all, of another third none in the first half."""
    words = numpy.random.default_rng(seed).integers(-(1 << 31), 1 << 31, (rows, pccsql.bitmask_words(width)), dtype=numpy.int64)
    words = words.astype(numpy.int32)
    words[0::3, : words.shape[1] // 2] = 0
    words[1::3, : words.shape[1] // 2] = -1
    return torch.from_numpy(words)


def expected(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """What NumPy makes of them, on the CPU."""
    bits = numpy.unpackbits(masks.numpy().view(numpy.uint8), axis=1, bitorder="little")
    forbidden = numpy.ones(tuple(logits.shape), dtype=bool)
    width = min(logits.shape[1], bits.shape[1])
    forbidden[:, :width] = bits[: logits.shape[0], :width] == 0
    return logits.cpu().masked_fill(torch.from_numpy(forbidden), -torch.inf)


def compare(engine: pccsql.Engine, queries: list[list[int]]) -> int:
    """The kernel beside NumPy; how many logits were compared."""
    compared = 0
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        for rows, width in ((5, 151936), (3, 152064), (7, 151937), (4, 1), (9, 33), (2, 8191), (2, 8193), (1, 128256)):
            kinds = [random_masks(rows, width, rows * width)]
            if width >= len(engine.vocabulary):
                kinds.append(sql_masks(engine, queries, rows, width))
            for masks in kinds:
                logits = torch.randn(rows, width, dtype=torch.float32).to(dtype)
                wanted = expected(logits, masks)
                for narrow in (False, True):  # also as some columns of wider logits, whose rows are not aligned
                    place = torch.zeros(rows, width + 3, dtype=dtype, device="cuda")[:, :width] if narrow else logits.cuda()
                    place.copy_(logits)
                    pccsql.apply_token_bitmask_inplace(place, masks.cuda())
                    if not torch.equal(place.cpu(), wanted):
                        sys.exit(f"perf_gpu: the kernel differs: {dtype}, {rows} x {width}")
                    compared += rows * width
                some = logits.cuda()
                pccsql.apply_token_bitmask_inplace(some, masks.cuda(), [rows - 1])
                if not torch.equal(some[rows - 1].cpu(), wanted[rows - 1]) or not torch.equal(some[:-1].cpu(), logits[:-1]):
                    sys.exit(f"perf_gpu: the kernel differs with indices: {dtype}, {rows} x {width}")
    return compared


def replayed(apply: Callable[[torch.Tensor], None], buffers: list[torch.Tensor], rounds: int = 20) -> float:
    """Microseconds of one launch, of a graph that has one for each buffer; the median of its replays."""
    for buffer in buffers:
        apply(buffer)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(5):
            for buffer in buffers:
                apply(buffer)
    took = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        took.append(1e3 * begin.elapsed_time(end) / (5 * len(buffers)))
    return statistics.median(took)


def called(apply: Callable[[torch.Tensor], None], buffers: list[torch.Tensor]) -> float:
    """Microseconds between events around one launch from Python, the queue being empty; the median."""
    took = []
    for number in range(100):
        buffer = buffers[number % len(buffers)]
        torch.cuda.synchronize()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        apply(buffer)
        end.record()
        torch.cuda.synchronize()
        took.append(1e3 * begin.elapsed_time(end))
    return statistics.median(took[20:])


def kernel_times(kinds: dict[str, torch.Tensor], rows: int, width: int, sweep: bool) -> dict[str, Any]:
    """Times of the kernel on each kind of mask, beside operations of torch and a plain fill of as many bytes."""
    from pccsql import kernels

    buffers = [torch.randn(rows, width, device="cuda", dtype=torch.bfloat16) for _ in range(4)]
    kernel = kernels._triton_kernel()
    found: dict[str, Any] = {"fill_us": replayed(lambda buffer: buffer.fill_(-torch.inf), buffers)}
    for kind, masks in kinds.items():
        on_gpu = masks.cuda()
        ours = lambda buffer: pccsql.apply_token_bitmask_inplace(buffer, on_gpu)  # noqa: E731
        by_torch = lambda buffer: kernels.apply_with_torch(buffer, on_gpu)  # noqa: E731
        found[kind] = {"kernel_us": replayed(ours, buffers), "called_us": called(ours, buffers),
                       "torch_us": replayed(by_torch, buffers)}  # fmt: skip
        if sweep and kernel is not None:
            for block in (1024, 2048, 4096, 8192, 16384):
                for warps in (2, 4, 8, 16):
                    one = lambda buffer: kernels.apply_with_triton(kernel, buffer, on_gpu, block=block, warps=warps)  # noqa: B023, E731
                    found[kind][f"block {block}, {warps} warps"] = replayed(one, buffers)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", default="builtin", help="a GGUF file or tokenizer.json (default: a small one that is built in)")
    parser.add_argument("--rows", type=int, default=256)
    parser.add_argument("--width", type=int, default=151936, help="of the logits")
    parser.add_argument("--sweep", action="store_true", help="the kernel in other shapes, too")
    options = parser.parse_args()

    vocabulary = pccsql.Vocabulary.of(options.vocabulary)
    engine = pccsql.Engine(db=DEMO / "hr.sqlite", policy=DEMO / "policy.yaml", tokenizer=vocabulary)
    pieces = {piece: token for token in range(len(vocabulary)) if (piece := vocabulary.piece(token))}
    queries = permitted(engine, pieces)
    width = max(options.width, len(vocabulary))
    told: dict[str, Any] = {"rows": options.rows, "width": width, "vocabulary": len(vocabulary), "cores": os.cpu_count(),
                            "torch": torch.__version__, "queries": len(queries), "fill": {}}  # fmt: skip
    for threads in sorted({1, 2, 4, 8, 16, os.cpu_count() or 1}):
        if threads <= (os.cpu_count() or 1):
            told["fill"][threads] = one = fill(engine, queries, options.rows, width, threads)
            print(f"masks of {options.rows} rows, {threads} threads: median {one['median_ms']:.3f} ms, max {one['max_ms']:.3f}")
    if torch.cuda.is_available():
        import triton

        told |= {"gpu": torch.cuda.get_device_name(), "triton": triton.__version__, "compared": compare(engine, queries)}
        print(f"{told['gpu']}: {told['compared']:,} logits are those that NumPy makes")
        kinds = {
            "masks of SQL": sql_masks(engine, queries, options.rows, width),
            "all forbidden": torch.zeros(pccsql.get_bitmask_shape(options.rows, width), dtype=torch.int32),
            "all allowed": torch.full(pccsql.get_bitmask_shape(options.rows, width), -1, dtype=torch.int32),
            "by chance": random_masks(options.rows, width, 1),
        }
        told["kernel"] = kernel_times(kinds, options.rows, width, options.sweep)
        print(f"a plain fill: {told['kernel']['fill_us']:.1f} us")
        for kind in kinds:
            print(f"{kind}: " + ", ".join(f"{name} {took:.1f}" for name, took in told["kernel"][kind].items()))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
