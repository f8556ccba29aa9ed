"""vLLM: a logits processor that masks the requests which name a database.

    PCCSQL_SERVE=databases.json vllm serve MODEL
    {"model": …, "prompt": …, "vllm_xargs": {"pccsql": "shop"}}             # over HTTP
    SamplingParams(extra_args={"pccsql": "shop"}, max_tokens=256)           # in a program

vLLM finds it through the entry points `vllm.logits_processors` and `vllm.general_plugins`; the latter (`_vllm_plugin`) names the
processor in the configuration, as `--logits-processors pccsql.vllm:LogitsProcessor` does.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch
from vllm import SamplingParams
from vllm.v1.sample.logits_processor import BatchUpdate, LogitsProcessor as _Base, MoveDirectionality

from ._bitmask import bitmask_words
from ._checker import Guarded
from ._engine import Engine, fill_batch
from ._follow import Follower, NotMasked, allow_all
from ._library import Error
from ._serving import VARIABLE, Serving, ask_server, never_allowed
from ._vocabulary import Vocabulary
from .kernels import apply_torch

KEY = "pccsql"  #: of `extra_args`: the database that a request is about

# What a request may not ask for beside the mask, and why.
_REFUSED = {
    "structured_outputs": "with a second mask nothing may be left that both admit",
    "allowed_token_ids": "with a second mask nothing may be left that both admit",
    "bad_words": "with a second mask nothing may be left that both admit",
    "min_tokens": "it forbids the end of the text where nothing else is left",
    "ignore_eos": "a query ends with the end of the text",
    "thinking_token_budget": "it writes tokens after the mask",
}


def _serving() -> Serving | None:
    global _read
    if _read is _UNREAD:
        _read = Serving.from_environment()
    return _read  # type: ignore[return-value]


_UNREAD = object()
_read: object = _UNREAD
_configs: list[Any] = []  # of which a processor was made


def refusal(serving: Serving | None, params: Any) -> str | None:
    """Why a request is not served; None: it is."""
    name = (params.extra_args or {}).get(KEY)
    if serving is None:
        return None if name is None else f"this server has no databases: {VARIABLE} is not set where it was started"
    if name is None:
        if serving.allows_others:
            return None
        return f'each request names its database: `extra_args={{"{KEY}": …}}` (over HTTP `vllm_xargs`)'
    if (why := serving.refusal(name)) is not None:
        return why
    for field, reason in _REFUSED.items():
        if getattr(params, field, None):
            return f"`{field}` cannot be asked for under the mask: {reason}"
    return None


class _Row:
    """A request in the batch."""

    __slots__ = ("follower", "output", "lost")

    def __init__(self, follower: Follower, output: list[int]) -> None:
        self.follower = follower
        self.output = output  # vLLM's own list, which grows
        self.lost: str | None = None  # why its tokens can no longer be told


class LogitsProcessor(_Base):  # type: ignore[misc]
    """The mask for all requests of a batch. A request of which a token came that had not been admitted, or whose tokens vLLM
    does not tell, is brought to its end; where not even that is obeyed, the engine is stopped."""

    @classmethod
    def validate_params(cls, sampling_params: SamplingParams) -> None:
        """Refuses a request that names no database, or one that there is not, before it is scheduled."""
        if (why := refusal(_serving(), sampling_params)) is not None:
            raise ValueError(why)

    def __init__(self, vllm_config: Any, device: torch.device, is_pin_memory: bool) -> None:
        """Made by vLLM; reads the databases and the model's tokenizer."""
        self.serving = _serving()
        self._device = device
        self._rows: dict[int, _Row] = {}
        self._mask: torch.Tensor | None = None
        self._ends: list[int] = []
        if any(known is vllm_config for known in _configs):
            self.serving = None  # vLLM makes one for the entry point, too: the first of them is the mask
        if self.serving is None:
            return
        _configs.append(vllm_config)
        if getattr(vllm_config, "speculative_config", None):
            raise Error("speculative decoding leaves logits processors out: switch it off")
        tokenizer, ends = _tokenizer_of(vllm_config)
        vocabulary = Vocabulary.of(tokenizer, ends)
        self._ends = list(vocabulary.end_of_text)
        self.serving.set_tokenizer(vocabulary, None)

    def is_argmax_invariant(self) -> bool:
        """It is not: greedy sampling must not leave it out."""
        return False

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Requests came, went, or changed places."""
        if batch_update is None or self.serving is None:
            return
        for index in batch_update.removed:
            self._rows.pop(index, None)
        for index, params, _, output in batch_update.added:
            self._rows.pop(index, None)
            if (why := refusal(self.serving, params)) is not None:
                raise NotMasked(f"a request was scheduled that had been refused: {why}")
            name = (params.extra_args or {}).get(KEY)
            if name is not None:
                room = params.max_tokens
                self._rows[index] = _Row(Follower(self.serving.engine(name), self.serving.begin_after, room), output)
        for source, target, way in batch_update.moved:
            moved, replaced = self._rows.pop(source, None), self._rows.pop(target, None)
            if moved is not None:
                self._rows[target] = moved
            if way == MoveDirectionality.SWAP and replaced is not None:
                self._rows[source] = replaced

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """Minus infinity for all tokens that may not come next, in the rows of requests under the mask."""
        if not self._rows:
            return logits
        shape = (logits.shape[0], bitmask_words(logits.shape[1]))
        if self._mask is None or self._mask.shape[0] < shape[0] or self._mask.shape[1] != shape[1]:
            self._mask = torch.empty(shape, dtype=torch.int32)
        indices = sorted(self._rows)
        if indices[-1] >= logits.shape[0]:
            raise NotMasked(f"there are logits for {logits.shape[0]} requests, and request {indices[-1]} is among them")
        rows = [self._rows[index] for index in indices]
        for row in rows:
            self._read_tokens(row)
        mask = self._mask[: len(rows)]
        for at, row in enumerate(rows):
            if row.follower.matcher is None:
                allow_all(mask, at)
        fill_batch([None if row.lost else row.follower.matcher for row in rows], mask)
        for at, row in enumerate(rows):
            if row.lost:
                mask[at].zero_()
                for end in self._ends:
                    mask[at, end // 32] |= torch.tensor(1 << end % 32, dtype=torch.int64).to(torch.int32)
        if len(rows) == logits.shape[0]:
            apply_torch(logits, mask)
            return logits
        part = logits[indices]
        apply_torch(part, mask)
        logits[indices] = part
        return logits

    def _read_tokens(self, row: _Row) -> None:
        """What came since the last step; a request that a token was slipped into, or whose tokens are not told, ends."""
        follower, output = row.follower, row.output
        if row.lost is not None:
            if any(token not in self._ends for token in output[len(follower.tokens) + 1 :]):
                raise NotMasked("a request went on after it had been ended: vLLM does not apply the mask")
            return
        if any(token < 0 for token in output):
            row.lost = "tokens are not told: name the processor with `--logits-processors`, or switch async scheduling off"
            return
        shared = len(follower.tokens)
        if output[:shared] != follower.tokens:  # some were taken back
            while follower.tokens and output[: len(follower.tokens)] != follower.tokens:
                follower.rollback(1)
            shared = len(follower.tokens)
        follower.extend(output[shared:])
        if follower.violation is not None:
            row.lost = f"token {follower.tokens[follower.violation]} came, which the mask had not admitted"


def _tokenizer_of(vllm_config: Any) -> tuple[Any, list[int]]:
    """The tokenizer of the model that is served, and the tokens at which vLLM ends a text."""
    from vllm.tokenizers import cached_tokenizer_from_config

    tokenizer = cached_tokenizer_from_config(model_config=vllm_config.model_config)
    ends = {tokenizer.eos_token_id}
    told = vllm_config.model_config.try_get_generation_config().get("eos_token_id")
    ends.update(told if isinstance(told, list) else [told])
    return tokenizer, sorted(token for token in ends if token is not None)


def self_test(llm: Any, engine: Engine, database: str) -> None:
    """Asks an `LLM`, or the server at a URL (`http://localhost:8000`), for nothing but what is forbidden; NotMasked where that
    comes."""
    wanted = never_allowed(engine)
    if isinstance(llm, str):
        tokens = _tokens_of_server(llm.rstrip("/"), wanted, database)
    else:
        params = SamplingParams(temperature=0.0, max_tokens=6, logit_bias={wanted: 100.0}, extra_args={KEY: database})
        tokens = llm.generate(["SELECT"], params, use_tqdm=False)[0].outputs[0].token_ids
    if not tokens or wanted in tokens or not _admitted(engine, tokens, 6):
        raise NotMasked("a token came that the mask had not admitted: vLLM does not apply it")


def _tokens_of_server(url: str, wanted: int, database: str) -> list[int]:
    try:
        model = ask_server(f"{url}/v1/models")["data"][0]["id"]
        body = {"model": model, "prompt": "SELECT", "temperature": 0, "max_tokens": 6, "logit_bias": {str(wanted): 100},
                "vllm_xargs": {KEY: database}, "return_token_ids": True}  # fmt: skip
        return [int(token) for token in ask_server(f"{url}/v1/completions", body)["choices"][0]["token_ids"]]
    except (KeyError, IndexError, TypeError, ValueError) as problem:
        raise Error(f"{url}: answers without `token_ids`, so that the mask cannot be tested") from problem


def _admitted(engine: Engine, tokens: Sequence[int], room: int) -> bool:
    follower = Follower(engine, None, room)
    follower.extend(tokens)
    return follower.violation is None


def guard(output: Any, engine: Engine, *, begin_after: Any = None) -> Guarded:
    """A completion of vLLM's, judged: each of its tokens was admitted, and the second judge calls the query safe."""
    follower = Follower(engine, begin_after)
    follower.extend(list(output.token_ids))
    return follower.answer()
