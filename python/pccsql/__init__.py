"""pccsql: a language model writes SQL, and the policy of the database's owner is kept, column by column.

    engine = pccsql.Engine(db="shop.sqlite", policy="policy.yaml", tokenizer=tokenizer)
    matcher = engine.matcher(max_tokens=256)
    matcher.fill_bitmask(mask)                      # which tokens may come next: torch, NumPy
    matcher.accept_token(token)                     # the one that came
    answer = pccsql.guard(text, engine)             # the second judge; only what is safe has `answer.sql`

For the hosts that serve models there are `pccsql.hf`, `pccsql.sglang`, `pccsql.vllm` and `pccsql.llama_cpp`.
docs/python.md is the manual.
"""

from __future__ import annotations

import importlib
from typing import Any

from ._bitmask import (
    allocate_token_bitmask,
    allowed_tokens,
    apply_token_bitmask_inplace,
    bitmask_words,
    get_bitmask_shape,
)
from ._checker import Checker, ColumnUse, Guarded, NotChecked, Verdict, check
from ._engine import BatchFiller, Engine, Matcher, Memory, Refusal, fill_batch
from ._evaluate import Question, Written, evaluate
from ._follow import NotMasked
from ._library import Error, lib as _lib
from ._vocabulary import Vocabulary

__version__: str = _lib.version().decode("ascii")

__all__ = [
    "BatchFiller",
    "Checker",
    "ColumnUse",
    "Engine",
    "Error",
    "Guarded",
    "Matcher",
    "Memory",
    "NotChecked",
    "NotMasked",
    "Question",
    "Refusal",
    "Verdict",
    "Vocabulary",
    "Written",
    "allocate_token_bitmask",
    "allowed_tokens",
    "apply_token_bitmask_inplace",
    "bitmask_words",
    "check",
    "evaluate",
    "fill_batch",
    "get_bitmask_shape",
    "guard",
]


# What needs torch, or a host, is imported when it is first asked for.
_ON_DEMAND = ("hf", "kernels", "llama_cpp", "sglang", "vllm")


def __getattr__(name: str) -> Any:
    if name in _ON_DEMAND:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


def guard(text: str, by: Engine | Checker) -> Guarded:
    """Judges what a model wrote, by the schema and policy of an Engine or a Checker. What every host's answer goes through
    before anybody sees it: only a text that is safe has `.sql`, the query as it is to be run."""
    return (by.checker if isinstance(by, Engine) else by).guard(text)
