"""HuggingFace transformers: `model.generate` under the mask.

    answers = pccsql.hf.generate(model, engine, **inputs, max_new_tokens=256, num_beams=4)
    print(answers[0].sql)

`generate` tests once that the mask bites in the way of decoding that is asked for, refuses what would drop it, and puts
each answer through the second judge. Whoever calls `model.generate` with a LogitsProcessor has the mask, and sees to the rest.
"""

from __future__ import annotations

import weakref
from typing import Any, Sequence

import torch
import transformers

from ._bitmask import bitmask_words
from ._checker import Guarded
from ._engine import Engine, Matcher, fill_batch
from ._follow import Batch, Follower, Marker, NotMasked, allow_all
from ._library import Error
from ._serving import never_allowed
from .kernels import apply_torch


class LogitsProcessor(transformers.LogitsProcessor):  # type: ignore[misc]
    """The mask as `logits_processor=[…]` of one call of `model.generate`: greedy, sampling, beams, batches.

    What was generated is told by the tokens alone, so that rows may be reordered (beams) and taken back (assisted decoding).
    A token that had not been admitted ends its row; where that is so of all rows the mask was not applied, which is NotMasked.
    """

    def __init__(
        self,
        engine: Engine | Sequence[Engine],
        *,
        begin_after: Marker | None = None,
        room: int | None = None,
        drafts: bool = False,
    ) -> None:
        """`engine`: of all rows, or one for each prompt of the batch. `begin_after`: the marker after which a model that
        thinks writes its SQL, as text or (a special token such as `</think>`) as tokens. `room`: the `max_new_tokens` of the
        call, so that each query comes to its end within it. `drafts`: with assisted decoding, where tokens are tried that
        were never chosen."""
        self.engines: list[Engine] = [engine] if isinstance(engine, Engine) else list(engine)
        if not self.engines:
            raise Error("there is no engine")
        self.violations = 0  #: tokens that came without having been admitted
        self.calls = 0  #: how often the host asked
        self._batch = Batch(begin_after, room)
        self._drafts = drafts
        self._prompts: dict[tuple[int, ...], set[int]] = {}  # with the numbers of their engines
        self._prompt_length = 0
        self._last: torch.Tensor | None = None  # the ids of the last step
        self._mask: torch.Tensor | None = None

    @property
    def supports_continuous_batching(self) -> bool:
        """Continuous batching asks this before it drops a processor; it is refused instead."""
        raise NotMasked(
            "continuous batching of transformers does not keep sequences apart for logits processors: the mask cannot "
            "be applied there; use `generate` without `cache_implementation='paged'`"
        )

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """The scores with minus infinity for all tokens that may not come next."""
        if input_ids.ndim != 2 or scores.ndim != 2 or input_ids.shape[0] != scores.shape[0]:
            raise NotMasked(
                f"ids of shape {tuple(input_ids.shape)} and scores of shape {tuple(scores.shape)}: rows of a batch were "
                "expected; continuous batching is not supported"
            )
        self.calls += 1
        known = max(len(engine.vocabulary) for engine in self.engines)
        if (width := scores.shape[1]) < known:
            raise Error(f"the model has logits for {width} tokens, and the engine's vocabulary {known}: they do not belong together")
        followers = self._followers(input_ids)
        self._see_violations(followers)
        mask = self._filled(followers, width)
        masked = scores.clone()
        apply_torch(masked, mask)
        return masked  # type: ignore[return-value]

    def _followers(self, input_ids: torch.LongTensor) -> list[Follower]:
        """A follower for each row. Mostly the rows are those of the last step with a token more: then only these are read."""
        last, self._last = self._last, None  # it stays None where something goes wrong
        length = 0 if last is None else last.shape[1]
        goes_on = last is not None and last.shape[0] == input_ids.shape[0] and length <= input_ids.shape[1]
        if last is not None and goes_on and last.device == input_ids.device and torch.equal(last, input_ids[:, :length]):
            followers = self._batch.go_on(input_ids[:, length:].tolist())
        else:
            ids = input_ids.tolist()
            self._look_at_prompts(ids)
            engines = [self._engine(row, ids) for row in range(len(ids))]
            followers = self._batch.follow(engines, [row[self._prompt_length :] for row in ids])
        self._last = input_ids.clone()  # beam search writes into the same memory again
        return followers

    def _look_at_prompts(self, ids: list[list[int]]) -> None:
        """The first call sees the prompts; later ones must go on from them."""
        if not self._prompts:
            if len(ids) % len(self.engines):
                raise Error(f"{len(ids)} rows cannot be shared out among {len(self.engines)} engines")
            self._prompt_length = len(ids[0])
            for row, prompt in enumerate(ids):
                self._prompts.setdefault(tuple(prompt), set()).add(row * len(self.engines) // len(ids))
        if any(tuple(row[: self._prompt_length]) not in self._prompts for row in ids):
            raise Error("a LogitsProcessor is for one call of `generate`: make a new one for other prompts")

    def _engine(self, row: int, ids: list[list[int]]) -> Engine:
        """A row's engine is its prompt's, wherever the host has put it; by its place where two engines have the same prompt."""
        if len(self.engines) == 1:
            return self.engines[0]
        numbers = self._prompts[tuple(ids[row][: self._prompt_length])]
        number = next(iter(numbers)) if len(numbers) == 1 else row * len(self.engines) // len(ids)
        if number not in numbers or (len(numbers) > 1 and len(ids) % len(self.engines)):
            raise Error("two engines have the same prompt, and the rows of the batch are no longer where they were")
        return self.engines[number]

    def _see_violations(self, followers: list[Follower]) -> None:
        wrong = [follower for follower in followers if follower.violation is not None and not follower.told]
        self.violations += len(wrong)
        for follower in wrong:
            follower.told = True
        if self._drafts or not wrong:
            return
        if all(follower.violation is not None or follower.is_over() for follower in followers):
            where = wrong[0].violation
            raise NotMasked(
                f"token {wrong[0].tokens[-1 if where is None else where]} came, which the mask had not admitted: something does "
                "not apply it, or changes scores after it; with assisted decoding give `drafts=True`"
            )

    def _filled(self, followers: list[Follower], width: int) -> torch.Tensor:
        shape = (len(followers), bitmask_words(width))
        if self._mask is None or tuple(self._mask.shape) != shape:
            self._mask = torch.empty(shape, dtype=torch.int32)
        matchers: list[Matcher | None] = [follower.matcher for follower in followers]
        for row, matcher in enumerate(matchers):
            if matcher is None:
                allow_all(self._mask, row)
        fill_batch(matchers, self._mask)
        return self._mask


class _Wants(transformers.LogitsProcessor):  # type: ignore[misc]
    """A model that wants one token, whatever comes: what the mask is tested against."""

    def __init__(self, token: int) -> None:
        self.token = token

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        wanted = scores.clone()
        wanted[:, self.token] = scores.max(dim=-1).values.clamp(min=0) + 100
        return wanted  # type: ignore[return-value]


_tested: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()

# Of `generate`, what would leave the mask out, and why.
_REFUSED = {
    "custom_generate": "another loop than that of transformers may not call logits processors",
    "continuous_batching_config": "continuous batching drops logits processors",
    "assistant_ensemble_weight": "tokens of the assistant would be mixed in after the mask",
    "logits_processor": "what changes scores beside the mask is not known to leave it as it is",
    "prefix_allowed_tokens_fn": "with a second mask nothing may be left that both admit",
    "streamer": "an answer is judged when it is whole",
}


def _refuse_what_drops_the_mask(model: Any, arguments: dict[str, Any]) -> None:
    configs = [arguments.get("generation_config"), getattr(model, "generation_config", None)]
    for name, why in _REFUSED.items():
        values = [arguments.get(name), *(getattr(config, name, None) for config in configs)]
        if any(value is not None for value in values):
            raise Error(f"`{name}` cannot be used under the mask: {why}")
    for cache in (arguments.get("cache_implementation"), *(getattr(c, "cache_implementation", None) for c in configs)):
        if cache == "paged":
            raise Error("`cache_implementation='paged'` is continuous batching, which drops logits processors")


def _shape_of(arguments: dict[str, Any]) -> str:
    """The way of decoding, as far as it decides whether processors are called."""
    plain = {k: v for k, v in arguments.items() if isinstance(v, (bool, int, float, str)) and not k.startswith("max_")}
    others = sorted(k for k, v in arguments.items() if k not in plain and not isinstance(v, torch.Tensor))
    return repr((sorted(plain.items()), others))


def self_test(model: Any, engine: Engine, **arguments: Any) -> None:
    """Generates a few tokens with a model that wants nothing but what is forbidden, in the way of decoding that `arguments`
    ask for; NotMasked where one of them comes."""
    _refuse_what_drops_the_mask(model, arguments)
    arguments = {k: v for k, v in arguments.items() if k not in ("max_length", "max_new_tokens")}
    steps = 6
    processor = LogitsProcessor(engine, drafts="assistant_model" in arguments or "prompt_lookup_num_tokens" in arguments)
    made = model.generate(
        **arguments,
        max_new_tokens=steps,
        logits_processor=transformers.LogitsProcessorList([_Wants(never_allowed(engine)), processor]),
    )
    sequences = getattr(made, "sequences", made)
    if processor.calls == 0:
        raise NotMasked("the mask was never asked for: this way of decoding drops logits processors")
    follower = Follower(engine)
    follower.extend(sequences[0].tolist()[processor._prompt_length :])
    if not follower.tokens or follower.violation is not None:
        raise NotMasked("a token came that the mask had not admitted: this way of decoding does not apply it")


def _room(arguments: dict[str, Any], engines: Sequence[Engine]) -> int:
    """How many tokens the call may generate, so that queries end within them."""
    prompt = arguments.get("input_ids", arguments.get("inputs"))
    width = prompt.shape[1] if isinstance(prompt, torch.Tensor) else 0
    config = arguments.get("generation_config")
    for told in (arguments.get("max_new_tokens"), getattr(config, "max_new_tokens", None)):
        if told is not None:
            return int(told)
    for told in (arguments.get("max_length"), getattr(config, "max_length", None)):
        if told is not None and told != 20:  # what transformers takes where nothing is said
            return max(1, int(told) - width)
    arguments["max_new_tokens"] = min((one.max_tokens for one in engines if one.max_tokens), default=256)
    return int(arguments["max_new_tokens"])


def generate(
    model: Any, engine: Engine | Sequence[Engine], *, begin_after: Marker | None = None, **arguments: Any
) -> list[Guarded]:
    """`model.generate(**arguments)` under the mask; the answer of each sequence, judged.

    `engine` and `begin_after` are as LogitsProcessor has them. Each query comes to its end within `max_new_tokens` or
    `max_length`; where neither is given that is the engine's `max_tokens`, or 256. Only an answer that is safe has `.sql`. What would
    drop the mask is an Error, a host that does not apply it is NotMasked.
    """
    _refuse_what_drops_the_mask(model, arguments)
    engines = [engine] if isinstance(engine, Engine) else list(engine)
    ends = sorted({token for one in engines for token in one.vocabulary.end_of_text})
    arguments.setdefault("eos_token_id", ends)
    given = arguments["eos_token_id"]
    stops = set(given if isinstance(given, (list, tuple)) else [given])
    if not any(token in stops for token in ends):
        raise Error(f"generation would end at {sorted(stops)}, and the engine ends a text with {ends}: it would never end")
    arguments.setdefault("pad_token_id", ends[0])
    room = _room(arguments, engines)
    shape = _shape_of(arguments)
    tested = _tested.setdefault(model, set())
    if shape not in tested:
        self_test(model, engines[0], **arguments)
        tested.add(shape)
    drafts = arguments.get("assistant_model") is not None or arguments.get("prompt_lookup_num_tokens") is not None
    processor = LogitsProcessor(engines, begin_after=begin_after, room=room, drafts=drafts)
    made = model.generate(**arguments, logits_processor=transformers.LogitsProcessorList([processor]))
    sequences = getattr(made, "sequences", made).tolist()
    answers = []
    for row, sequence in enumerate(sequences):
        follower = Follower(engines[row * len(engines) // len(sequences)], begin_after, room)
        follower.extend(sequence[processor._prompt_length :])
        answers.append(follower.answer())
    return answers
