"""What the tests share: the demo's schema and policy, a model that wants nothing in particular, and one that wants harm."""

from __future__ import annotations

import os
import pathlib
import random
import unittest

import pccsql

ROOT = pathlib.Path(__file__).resolve().parents[2]
DDL = (ROOT / "examples" / "hr" / "schema.sql").read_text(encoding="utf-8")
POLICY = ROOT / "examples" / "hr" / "policy.yaml"
DATA = os.environ.get("PCCSQL_DATA")


def engine(tokenizer: object = "builtin", **more: object) -> pccsql.Engine:
    """An engine for the demo."""
    return pccsql.Engine(ddl=DDL, policy=POLICY, tokenizer=tokenizer, **more)


def generate(matcher: pccsql.Matcher, seed: int, mask: object) -> list[int]:
    """A random generation under the mask; its tokens."""
    choose = random.Random(seed)
    tokens = []
    while not matcher.is_terminated():
        matcher.fill_bitmask(mask)
        token = choose.choice(pccsql.allowed_tokens(mask))
        assert matcher.accept_token(token), f"token {token} was allowed and is not taken"
        tokens.append(token)
    return tokens


def vocabulary_file(name: str) -> str:
    """A vocabulary of the data, or the test is skipped."""
    if not DATA:
        raise unittest.SkipTest("PCCSQL_DATA names no data")
    path = pathlib.Path(DATA, "vocab", name)
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not there")
    return str(path)


def need(module: str):
    """A module that the environment may lack; then the test is skipped under its name."""
    try:
        return __import__(module)
    except ImportError:
        raise unittest.SkipTest(f"{module} is not installed") from None
