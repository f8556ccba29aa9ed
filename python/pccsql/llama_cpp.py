"""llama-cpp-python: `Llama.create_completion` under the mask.

    answer = pccsql.llama_cpp.complete(llama, engine, prompt, max_tokens=256)
    print(answer.sql)

`complete` tests once that the mask bites, refuses the arguments with which llama-cpp-python drops logits processors or calls
them with other tokens than those before the next one, and puts the answer through the second judge.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy

from ._bitmask import allocate_token_bitmask, apply_token_bitmask_inplace
from ._checker import Guarded
from ._engine import Engine
from ._follow import Batch, Follower, Marker, NotMasked
from ._library import Error
from ._serving import never_allowed


class LogitsProcessor:
    """The mask as one of `logits_processor` of one completion.

    llama-cpp-python calls it from C, where an exception is printed and forgotten. So whatever goes wrong is kept in
    `failure`, and from then on the end of the text alone is allowed.
    """

    def __init__(self, engine: Engine, *, begin_after: Marker | None = None, room: int | None = None) -> None:
        """`begin_after`: the marker after which SQL begins; `room`: the completion's `max_tokens`."""
        self.engine = engine
        self.failure: Exception | None = None  #: what went wrong, if anything did
        self.calls = 0  #: how often the host asked
        self._batch = Batch(begin_after, room)
        self._prompt: list[int] | None = None
        self._mask: Any = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores with minus infinity for all tokens that may not come next."""
        self.calls += 1
        try:
            if self.failure is None:
                return self._masked(input_ids, scores)
        except Exception as problem:  # of whatever kind: it must not leave the mask off
            self.failure = problem
        ended = numpy.full_like(scores, -numpy.inf)
        ended[list(self.engine.vocabulary.end_of_text)] = 0
        return ended

    def _masked(self, input_ids: Any, scores: Any) -> Any:
        ids = [int(token) for token in input_ids]
        if self._prompt is None:
            self._prompt = ids
        if ids[: len(self._prompt)] != self._prompt:
            raise Error("a LogitsProcessor is for one completion: make a new one for another prompt")
        if len(scores) < len(self.engine.vocabulary):
            raise Error(f"the model has logits for {len(scores)} tokens, and the vocabulary {len(self.engine.vocabulary)}")
        follower = self._batch.follow([self.engine], [ids[len(self._prompt) :]])[0]
        if follower.violation is not None:
            raise NotMasked(f"token {follower.tokens[follower.violation]} came, which the mask had not admitted")
        if self._mask is None:
            self._mask = allocate_token_bitmask(1, len(scores))
        follower.fill(self._mask, 0)
        masked = numpy.array(scores, dtype=numpy.float32)
        apply_token_bitmask_inplace(masked, numpy.asarray(self._mask))
        return masked


class _Wants:
    def __init__(self, token: int) -> None:
        self.token = token

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        wanted = numpy.array(scores, dtype=numpy.float32)
        wanted[self.token] = max(float(wanted.max()), 0.0) + 100
        return wanted


_REFUSED = {
    "logit_bias": "llama-cpp-python drops all logits processors when it is given",
    "grammar": "with a second mask nothing may be left that both admit",
    "logits_processor": "what changes scores beside the mask is not known to leave it as it is",
    "stream": "an answer is judged when it is whole",
    "echo": "an answer is judged without its prompt",
    "suffix": "the answer is the whole query",
}
_tested: weakref.WeakKeyDictionary[Any, None] = weakref.WeakKeyDictionary()


def _refuse_what_drops_the_mask(llama: Any, arguments: dict[str, Any]) -> None:
    for name, why in _REFUSED.items():
        if arguments.get(name):
            raise Error(f"`{name}` cannot be used under the mask: {why}")
    if getattr(llama, "draft_model", None) is not None:
        raise Error("a draft model cannot be used under the mask: logits processors see its guesses as if they had come")


def _run(llama: Any, processors: list[Any], prompt: Any, arguments: dict[str, Any]) -> list[int]:
    """The tokens of a completion. They are read from the generator itself: texts would be cut at stops, and lose bytes."""
    tokens = prompt if isinstance(prompt, list) else llama.tokenize(prompt.encode("utf-8"), special=True)
    ends = set(processors[-1].engine.vocabulary.end_of_text)
    most = arguments.pop("max_tokens")
    made: list[int] = []
    for token in llama.generate(tokens, logits_processor=processors, **arguments):
        made.append(int(token))
        if made[-1] in ends or len(made) >= most:
            break
    return made


def self_test(llama: Any, engine: Engine) -> None:
    """Generates with a model that wants nothing but what is forbidden; NotMasked where that comes."""
    _refuse_what_drops_the_mask(llama, {})
    processor = LogitsProcessor(engine)
    made = _run(llama, [_Wants(never_allowed(engine)), processor], "SELECT", {"max_tokens": 6, "temp": 0.0})
    follower = Follower(engine)
    follower.extend(made)
    if processor.failure is not None:
        raise processor.failure
    if processor.calls == 0 or not made or follower.violation is not None:
        raise NotMasked("a token came that the mask had not admitted: llama-cpp-python does not apply it")


def complete(
    llama: Any,
    engine: Engine,
    prompt: str | list[int],
    *,
    max_tokens: int = 256,
    begin_after: Marker | None = None,
    **arguments: Any,
) -> Guarded:
    """A completion under the mask, judged. `arguments` go to `Llama.generate` (`temp`, `top_k`, …)."""
    _refuse_what_drops_the_mask(llama, arguments)
    if llama not in _tested:
        self_test(llama, engine)
        _tested[llama] = None
    processor = LogitsProcessor(engine, begin_after=begin_after, room=max_tokens)
    made = _run(llama, [processor], prompt, {"max_tokens": max_tokens, **arguments})
    if processor.failure is not None:
        raise processor.failure
    if processor.calls == 0:
        raise NotMasked("the mask was never asked for")
    follower = Follower(engine, begin_after, max_tokens)
    follower.extend(made)
    return follower.answer()
