"""Many threads on engines, matchers and batches that they share: for Pythons with the interpreter's lock and without.

    python python/tests/threads.py [THREADS] [ROUNDS]

Run by hand with a free-threaded Python, where it says whether the lock is off. What each thread writes by itself must be what one
thread alone writes; matchers that are shared must neither crash nor wait for ever, whatever comes of them.
"""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import threading

import demo
import pccsql


def plain_mask(rows: int, width: int) -> memoryview:
    """A bitmask in memory of its own."""
    words = pccsql.bitmask_words(width)
    return memoryview(bytearray(4 * rows * words)).cast("B").cast("i", (rows, words))


def main() -> None:
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2 * (os.cpu_count() or 4)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    faulthandler.dump_traceback_later(180, exit=True)  # a deadlock says where it is
    engine = demo.engine(max_tokens=40)
    width = len(engine.vocabulary)
    shared = [engine.matcher() for _ in range(8)]
    filler = pccsql.BatchFiller(4)
    alone = {}
    for seed in range(threads):
        matcher = engine.matcher()
        alone[seed] = (demo.generate(matcher, seed, plain_mask(1, width)), matcher.answer().sql)
    problems: list[BaseException] = []
    together = threading.Barrier(threads)

    def work(seed: int) -> None:
        try:
            luck = random.Random(seed)
            together.wait()
            for _ in range(rounds):
                matcher = engine.matcher()
                found = demo.generate(matcher, seed, plain_mask(1, width))
                assert (found, matcher.answer().sql) == alone[seed], "another text than alone"
                one = luck.choice(shared)
                kind = luck.randrange(7)
                if kind == 0:
                    one.accept_string(luck.choice(["SELECT name", " FROM employee", " WHERE", "x"]))
                elif kind == 1:
                    one.reset() if luck.random() < 0.5 else one.explain()
                elif kind == 2:
                    one.fork().accept_string(" FROM employee")
                elif kind == 3:
                    filler.fill(luck.sample(shared, 5), plain_mask(5, width))
                elif kind == 4:
                    pccsql.fill_batch([*luck.sample(shared, 3), matcher.fork()], plain_mask(4, width))
                elif kind == 5:
                    own = demo.engine(engine.vocabulary, max_tokens=30, memory_bytes=1 << 20)
                    own.matcher().fill_bitmask(plain_mask(1, width))
                else:
                    assert not pccsql.guard("SELECT ssn FROM employee", engine).safe
                    one.fill_bitmask(plain_mask(1, width))
        except pccsql.Error as problem:
            if "cannot take back" not in str(problem):  # another thread took the same steps back
                problems.append(problem)
        except BaseException as problem:
            problems.append(problem)

    running = [threading.Thread(target=work, args=(seed,)) for seed in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if problems:
        raise problems[0]
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {sys.version.split()[0]}, the interpreter's lock {'on' if locked else 'off'}: {threads} threads, {rounds} rounds each, "
          f"{threads * rounds} texts as alone")  # fmt: skip


if __name__ == "__main__":
    main()
