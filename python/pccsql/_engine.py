"""Engine and Matcher: which tokens may come next, so that a query that the policy permits can still come of the text."""

from __future__ import annotations

import ctypes
import dataclasses
import operator
import os
import threading
from typing import Any, Sequence

from ._bitmask import Rows
from ._checker import _LANGUAGES, _PROFILES, Checker, Guarded, choice, plain
from ._library import Error, ErrorSlot, Handle, Unchanging, lib, settings, shown, taken
from ._sources import Sources, StrPath
from ._vocabulary import Vocabulary

_CAUSES = ("by choice", "nothing to ask", "budget", "fault")
_MOST_TOKENS = (1 << 32) - 1


class Memory(Unchanging):
    """How many bytes several engines may keep together to be quicker later."""

    __slots__ = ("_handle",)

    def __init__(self, most_bytes: int) -> None:
        """`most_bytes`: for all engines together that are made with it."""
        if most_bytes < 0:
            raise Error("the bytes of a Memory are not negative")
        self._handle = Handle(lib.memory_new(most_bytes), "memory")

    @property
    def used_bytes(self) -> int:
        """How many of them are in use."""
        return int(lib.memory_used(self._handle.address))

    @property
    def address(self) -> int:
        """The handle of the C ABI; good as long as this object."""
        return self._handle.address


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why a generation has no query."""

    cause: str  #: "by choice", "nothing to ask", "budget" or "fault"
    reason: str  #: in words


class Engine(Unchanging):
    """A schema, a policy, a vocabulary and settings, compiled once. May be used by any number of threads at once."""

    __slots__ = ("_handle", "vocabulary", "checker", "max_tokens")

    vocabulary: Vocabulary  #: of the model
    checker: Checker  #: the second judge, for the same schema and policy
    max_tokens: int  #: of each generation that says nothing else; 0: no limit

    def __init__(
        self,
        *,
        db: StrPath | None = None,
        ddl: str | None = None,
        tables: StrPath | None = None,
        db_id: str | None = None,
        policy: StrPath | None = None,
        policy_text: str | None = None,
        tokenizer: Any,
        end_of_text: Sequence[int] | None = None,
        max_tokens: int = 0,
        language: str = "full",
        profile: str = "strict",
        aliases: str = "short",
        style: str = "any",
        algorithm: str = "pcc",
        lookahead: bool = True,
        derived_names: bool = False,
        refusal: bool = False,
        memory_bytes: int | None = None,
        memory: Memory | None = None,
    ) -> None:
        """Compiles it. What cannot be read, and a policy that names what the schema does not have, is an Error.

        The schema is a SQLite file (`db`), DDL (`ddl`) or one database (`db_id`) of a `tables.json` (`tables`); the policy
        is a file (`policy`) or its text (`policy_text`). `tokenizer` and `end_of_text` are as Vocabulary.of has them. The
        other settings are those of `<pccsql/settings.h>`, which docs/decoder.md explains. `max_tokens` counts the one
        that ends the text; a token is admitted only if a whole query fits into what is left after it.
        """
        sources = Sources.of(db, ddl, tables, db_id, policy, policy_text)
        if not 0 <= max_tokens <= _MOST_TOKENS:
            raise Error(f"`max_tokens` is a number of tokens, or 0 for no limit, not {max_tokens}")
        if memory is not None and memory_bytes is not None:
            raise Error("give one of `memory` and `memory_bytes`")
        self.vocabulary = Vocabulary.of(tokenizer, end_of_text)
        self.checker = Checker.of(sources, language, profile)
        self.max_tokens = max_tokens
        chosen = settings(
            language=choice("language", language, _LANGUAGES),
            profile=choice("profile", profile, _PROFILES),
            aliases=choice("aliases", aliases, ("short", "any")),
            style=choice("style", style, ("any", "canonical")),
            algorithm=choice("algorithm", algorithm, ("pcc", "paper")),
            lookahead=int(lookahead),
            derived_names=int(derived_names),
            refusal=int(refusal),
            token_budget=max_tokens,
        )
        if memory_bytes is not None:
            chosen.memory_bytes = memory_bytes
        if memory is not None:
            chosen.memory = memory.address
        slot = ErrorSlot()
        made = lib.engine_compile(
            sources.schema_kind,
            sources.schema,
            sources.db_id,
            sources.policy_kind,
            sources.policy,
            self.vocabulary.address,
            ctypes.byref(chosen),
            slot.ref(),
        )
        self._handle = Handle(made, "engine", slot)

    def matcher(self, max_tokens: int | None = None) -> Matcher:
        """A generation from its beginning. `max_tokens`: instead of the engine's; 0: no limit."""
        budget = self.max_tokens if max_tokens is None else max_tokens
        if not 0 <= budget <= _MOST_TOKENS:
            raise Error(f"`max_tokens` is a number of tokens, or 0 for no limit, not {budget}")
        return Matcher(self, Handle(lib.matcher_new_with_budget(self._handle.address, budget), "matcher"), 0)


class Matcher:
    """One generation: says which tokens may come next, takes the one that came, goes back where asked.

    Whatever goes wrong ends in a refusal: then the masks admit the end of the text alone, and the text is empty. Threads
    that use one Matcher at once wait for each other.
    """

    __slots__ = ("engine", "_handle", "_steps", "_lock")

    engine: Engine  #: what it came from

    def __init__(self, engine: Engine, handle: Handle, steps: int) -> None:
        """Of the library's own; everybody else calls `Engine.matcher` or `fork`."""
        self.engine = engine
        self._handle = handle
        self._steps = steps
        self._lock = threading.Lock()

    def fill_bitmask(self, bitmask: Any, row: int = 0) -> bool:
        """Writes which tokens may come next into a row of a bitmask (a tensor of torch.int32, an array of numpy.int32).

        At least one token is always allowed. The row may be longer than the vocabulary: what is beyond is never allowed;
        shorter it is an Error, and no bit is set. Always true: no mask of this grammar admits everything.
        """
        rows = Rows(bitmask)
        address = rows.row(row)
        slot = ErrorSlot()
        with self._lock:
            filled = lib.matcher_fill_next_token_bitmask(self._handle.address, address, 32 * rows.words, slot.ref())
        if not filled:
            raise slot.error()
        return True

    fill_next_token_bitmask = fill_bitmask

    def accept_token(self, token: int) -> bool:
        """The token came. False where it was not allowed: then the generation is refused. A step in either case."""
        number = operator.index(token)  # numbers of NumPy and torch, too
        # An id that C cannot hold, -1 for one, must not wrap round to a token that is allowed.
        if not 0 <= number < _MOST_TOKENS:
            number = _MOST_TOKENS
        with self._lock:
            self._steps += 1
            return bool(lib.matcher_accept_token(self._handle.address, number))

    def accept_string(self, text: str | bytes) -> bool:
        """The text goes on with this, whatever tokens it would be; one step. False, and a refusal, where no query could come
        of it. Empty text is no step."""
        encoded = plain(text).encode("utf-8") if isinstance(text, str) else bytes(memoryview(text))
        with self._lock:
            self._steps += 1 if encoded else 0
            return bool(lib.matcher_accept_text(self._handle.address, encoded, len(encoded)))

    def rollback(self, steps: int = 1) -> None:
        """Takes back the last steps, with the refusal or the end that they led to. More than there are is an Error."""
        with self._lock:
            self._take_back(steps)

    def _take_back(self, steps: int) -> None:
        if not 0 <= steps <= self._steps or not lib.matcher_rollback(self._handle.address, steps):
            raise Error(f"cannot take back {steps} steps of {self._steps}")
        self._steps -= steps

    def reset(self) -> None:
        """Goes back to the beginning."""
        with self._lock:
            self._take_back(self._steps)

    def fork(self) -> Matcher:
        """A second generation with the same text so far; the two are independent from now on."""
        with self._lock:
            return Matcher(self.engine, Handle(lib.matcher_fork(self._handle.address), "matcher"), self._steps)

    def __copy__(self) -> Matcher:
        return self.fork()

    def __deepcopy__(self, memo: Any) -> Matcher:
        return self.fork()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """To be sent to another process it would have to be made anew there."""
        raise Error("a `Matcher` cannot be sent to another process: make it anew there")

    @property
    def steps(self) -> int:
        """How many steps `rollback` could take back."""
        return self._steps

    def is_terminated(self) -> bool:
        """The end of the text came: the generation is over, as a query or as a refusal."""
        with self._lock:
            return bool(lib.matcher_is_terminated(self._handle.address))

    @property
    def refusal(self) -> Refusal | None:
        """Why there will be no query; None while there can be one."""
        with self._lock:
            cause = lib.matcher_refusal(self._handle.address)
            if cause < 0:
                return None
            return Refusal(_CAUSES[cause], shown(lib.matcher_refusal_reason(self._handle.address)))

    def is_refused(self) -> bool:
        """Whether there is a refusal."""
        return self.refusal is not None

    def _text(self, function: Any) -> bytes:
        with self._lock:
            return taken(function(self._handle.address)) or b""

    @property
    def text(self) -> bytes:
        """The text so far; empty after a refusal. Its last character may lack bytes."""
        return self._text(lib.matcher_text)

    def answer(self) -> Guarded | None:
        """The text, judged, if the generation is over and was not refused; else None."""
        with self._lock:
            sql = taken(lib.matcher_sql(self._handle.address))
        return None if sql is None else self.engine.checker.guard(sql.decode("utf-8"))

    def find_jump_forward_string(self) -> str:
        """What must come next whatever the model wants; whole characters only."""
        return self._text(lib.matcher_find_jump_forward_string).decode("utf-8", "ignore")

    def find_jump_forward_tokens(self) -> list[int]:
        """Tokens that must come next whatever the model wants."""
        with self._lock:
            none = (ctypes.c_uint32 * 0)()
            tokens = (ctypes.c_uint32 * lib.matcher_find_jump_forward_tokens(self._handle.address, none, 0))()
            lib.matcher_find_jump_forward_tokens(self._handle.address, tokens, len(tokens))
        return list(tokens)

    def explain(self) -> str:
        """What may come next and why, a line a fact: `clause: select list`, `allowed: name (employee, Public)`, …"""
        return shown(self._text(lib.matcher_explain))

    def uses(self) -> list[tuple[str, str]]:
        """Columns used so far, with their roles: `("employee.name", "Sel")`."""
        pairs = [line.rpartition(" ") for line in shown(self._text(lib.matcher_uses)).splitlines()]
        return [(name, role) for name, _, role in pairs]


class BatchFiller:
    """Fills the masks of many generations at once, on threads of its own, which wait between calls.

    Of a process that was forked it makes new ones. Threads that use one BatchFiller at once wait for each other.
    """

    __slots__ = ("_threads", "_handle", "_process", "_lock")

    def __init__(self, threads: int = 0) -> None:
        """`threads`: how many work on a batch, the caller's included; 0: as many as the machine has."""
        if threads < 0:
            raise Error("the threads of a BatchFiller are not negative")
        self._threads = threads
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._handle = Handle(lib.batch_filler_new(threads), "batch_filler")

    def fill(self, matchers: Sequence[Matcher | None], bitmask: Any) -> None:
        """Row i of the bitmask becomes the mask of matchers[i]; where that is None the row stays as it is.

        A matcher that is there twice is an Error before anything is done; one whose row cannot be filled is an Error when
        all others are filled.
        """
        rows = Rows(bitmask)
        if len(matchers) > rows.rows:
            raise Error(f"the bitmask has {rows.rows} rows, which is too few for {len(matchers)} matchers")
        there = sorted((m for m in matchers if m is not None), key=lambda matcher: matcher._handle.address)
        if any(a is b for a, b in zip(there, there[1:])):
            raise Error("a matcher is there twice")
        addresses = (ctypes.c_void_p * len(matchers))(*[None if m is None else m._handle.address for m in matchers])
        slot = ErrorSlot()
        with self._lock:
            if self._process != os.getpid():
                # The threads of the parent are not here, and to free what they belong to would wait for them.
                self._handle.address = 0
                self._handle = Handle(lib.batch_filler_new(self._threads), "batch_filler")
                self._process = os.getpid()
            locked: list[Matcher] = []
            try:
                for matcher in there:  # in one order, so that two batches never wait for each other
                    matcher._lock.acquire()
                    locked.append(matcher)
                filled = lib.batch_filler_fill(
                    self._handle.address, addresses, len(matchers), rows.address, 32 * rows.words, slot.ref()
                )
            finally:
                for matcher in locked:
                    matcher._lock.release()
        if not filled:
            raise slot.error()


_fillers = threading.local()


def fill_batch(matchers: Sequence[Matcher | None], bitmask: Any) -> None:
    """Fills the masks of many generations at once, as BatchFiller does, with threads that this thread keeps."""
    filler: BatchFiller | None = getattr(_fillers, "filler", None)
    if filler is None:
        filler = _fillers.filler = BatchFiller()
    filler.fill(matchers, bitmask)
