#!/usr/bin/env python3
"""Our engine, called through Python, as a further one in a benchmark of mask engines: what perf/peer_replay.cc is for C++.

    peer_python.py SPIDER-FOLDER VOCABULARY.gguf

Reads a query a line, `database TAB token ids, the end of the text last TAB SQL`, and answers each with a line of JSON: `ns`, one for
each call of `Matcher.fill_bitmask` on an array of NumPy, with all that Python adds to it; `refused`, how many tokens the masks do
not hold; `accepted`, whether the query ended well; at a database's first query `compile_ms`. Each database gets an engine of its own,
under a policy that permits everything, since the others know none.
"""

from __future__ import annotations

import gc
import json
import pathlib
import sys
import tempfile
import time

import numpy

import pccsql

PUBLIC = "version: 1\ndefault: Public\n"


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: peer_python.py SPIDER-FOLDER VOCABULARY.gguf")
    # A file for each database, as people have them: what 166 of them say would be read for each engine.
    scratch = tempfile.TemporaryDirectory()
    for told in json.loads(pathlib.Path(sys.argv[1], "tables.json").read_text(encoding="utf-8")):
        pathlib.Path(scratch.name, told["db_id"] + ".json").write_text(json.dumps([told]), encoding="utf-8")
    vocabulary = pccsql.Vocabulary.of(sys.argv[2])
    mask = numpy.zeros(pccsql.get_bitmask_shape(1, len(vocabulary)), dtype=numpy.int32)
    words = mask.view(numpy.uint32)[0]
    # What engines share is made for a vocabulary once.
    pccsql.Engine(ddl="CREATE TABLE t (a INTEGER);", policy_text=PUBLIC, tokenizer=vocabulary).matcher().fill_bitmask(mask)
    engines: dict[str, pccsql.Engine] = {}
    clock = time.perf_counter_ns
    gc.collect()
    gc.disable()
    for line in sys.stdin:
        database, ids, _ = line.rstrip("\n").split("\t")
        answer: dict[str, object] = {"name": "pccsql, Python", "version": pccsql.__version__}
        if database not in engines:
            begin = clock()
            tables = pathlib.Path(scratch.name, database + ".json")
            engines[database] = pccsql.Engine(tables=tables, db_id=database, policy_text=PUBLIC, tokenizer=vocabulary)
            answer["compile_ms"] = (clock() - begin) / 1e6
        matcher = engines[database].matcher()
        fill, accept = matcher.fill_bitmask, matcher.accept_token
        times, refused, whole = [], 0, True
        for token in map(int, ids.split()):
            begin = clock()
            fill(mask)
            times.append(clock() - begin)
            if not int(words[token >> 5]) >> (token & 31) & 1:
                refused, whole = refused + 1, False
            if not accept(token):
                whole = False
                break
        accepted = whole and matcher.is_terminated() and matcher.refusal is None
        print(json.dumps({**answer, "ns": times, "refused": refused, "accepted": accepted}), flush=True)


if __name__ == "__main__":
    main()
