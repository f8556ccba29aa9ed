"""pccsql: a language model writes SQL, and the policy of the database's owner is kept, column by column.

    engine = pccsql.Engine(db="shop.sqlite", policy="policy.yaml", tokenizer=tokenizer)
    matcher = engine.matcher(max_tokens=256)
    matcher.fill_bitmask(mask)                      # which tokens may come next: torch, NumPy
    matcher.accept_token(token)                     # the one that came
    answer = pccsql.guard(text, engine)             # the second judge; only what is safe has `answer.sql`

docs/python.md is the manual.
"""

from __future__ import annotations

from ._bitmask import (
    allocate_token_bitmask,
    allowed_tokens,
    apply_token_bitmask_inplace,
    bitmask_words,
    get_bitmask_shape,
)
from ._checker import Checker, ColumnUse, Guarded, NotChecked, Verdict, check
from ._engine import BatchFiller, Engine, Matcher, Memory, Refusal, fill_batch
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
    "Refusal",
    "Verdict",
    "Vocabulary",
    "allocate_token_bitmask",
    "allowed_tokens",
    "apply_token_bitmask_inplace",
    "bitmask_words",
    "check",
    "fill_batch",
    "get_bitmask_shape",
    "guard",
]


def guard(text: str, by: Engine | Checker) -> Guarded:
    """Judges what a model wrote, by the schema and policy of an Engine or a Checker. What every host's answer goes through
    before anybody sees it: only a text that is safe has `.sql`, the query as it is to be run."""
    return (by.checker if isinstance(by, Engine) else by).guard(text)
