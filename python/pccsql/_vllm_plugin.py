"""The entry point `vllm.general_plugins`: sees to it that a server that was given databases masks, or does not start.

vLLM loads logits processors through their entry point silently: with speculative decoding it leaves them out, and under
async scheduling it does not tell them the tokens. Both are seen in its configuration, which this looks at when it is made. It
runs in each process of vLLM, in which nothing else of this package may be wanted, and imports nothing before it must.
"""

from __future__ import annotations

import functools
import os
from typing import Any

PROCESSOR = "pccsql.vllm:LogitsProcessor"


def register() -> None:
    """Called by vLLM in each of its processes."""
    if not os.environ.get("PCCSQL_SERVE"):
        return
    import vllm.config

    config: Any = vllm.config.VllmConfig
    if getattr(config.__post_init__, "pccsql", False):
        return
    original = config.__post_init__

    @functools.wraps(original)
    def look_at_config(self: Any, *arguments: Any, **more: Any) -> None:
        name_processor(self)
        original(self, *arguments, **more)

    look_at_config.pccsql = True  # type: ignore[attr-defined]
    config.__post_init__ = look_at_config


def name_processor(config: Any) -> None:
    """Names the processor in a configuration, as `--logits-processors` would; an Error where that is of no use."""
    from ._library import Error

    model = getattr(config, "model_config", None)
    if model is None or getattr(model, "runner_type", "generate") != "generate":
        return
    if getattr(config, "speculative_config", None) is not None:
        raise Error("PCCSQL_SERVE is set, and speculative decoding leaves logits processors out: switch one of them off")
    named = list(model.logits_processors or [])
    if not any(one == PROCESSOR or getattr(one, "__module__", "") == "pccsql.vllm" for one in named):
        model.logits_processors = [*named, PROCESSOR]
