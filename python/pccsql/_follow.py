"""Follower: what every host's adapter keeps for a sequence. It reads the tokens that the host says were generated, sees that
each was one that the mask had admitted, and fills the mask of the next.

Where a model thinks before it writes, SQL begins after a marker; until then everything is allowed and nothing is an answer.
"""

from __future__ import annotations

import ctypes
from typing import Any, Iterable, Sequence, Union

from ._bitmask import Rows
from ._checker import Guarded, Verdict
from ._engine import Engine, Matcher
from ._library import Error

Marker = Union[str, Sequence[int]]


class NotMasked(Error):
    """A host did not apply the mask: what it generates is not to be used."""


class Follower:
    """One sequence from its first generated token."""

    __slots__ = ("engine", "tokens", "violation", "told", "_marker", "_room", "_matcher", "_begin", "_steps", "_free", "_ends")

    def __init__(self, engine: Engine, begin_after: Marker | None = None, room: int | None = None) -> None:
        """`begin_after`: the marker after which SQL begins, as text or as tokens; None: at once. `room`: how many tokens the
        host lets the sequence have in all; None: as many as the engine says for the SQL alone."""
        self.engine = engine
        self.tokens: list[int] = []
        self.violation: int | None = None  # where a token came that was not admitted
        self.told = False  # whether whoever follows the sequence has noticed that
        if isinstance(begin_after, str):
            self._marker: bytes | tuple[int, ...] = begin_after.encode("utf-8")
        else:
            self._marker = tuple(begin_after or ())
        if begin_after is not None and not self._marker:
            raise Error("`begin_after` is empty; leave it out where SQL begins at once")
        self._room = room
        self._matcher: Matcher | None = None
        self._begin = 0  # of the SQL in `tokens`, where there is a matcher
        self._steps: list[int] = []  # the matcher's, for each token since then
        self._free = bytearray()  # the text before the marker
        self._ends: list[int] = []  # of each token in it
        if begin_after is None:
            self._start(b"")

    def _start(self, rest: bytes) -> None:
        """SQL begins after the tokens so far, but for `rest`, which the last of them wrote already."""
        self._begin = len(self.tokens)
        if self._room is None:
            self._matcher = self.engine.matcher()
        else:
            left = max(1, self._room - self._begin)  # with one token left the mask is a refusal
            limits = [left, self.engine.max_tokens] if self.engine.max_tokens else [left]
            self._matcher = self.engine.matcher(max_tokens=min(limits))
        self._steps = []
        if rest and not self._matcher.accept_string(rest):
            self.violation = self._begin - 1

    def push(self, token: int) -> bool:
        """The next token came. False where it was not admitted; from then on only the end of the text is."""
        self.tokens.append(token)
        if self._matcher is None:
            self._watch(token)
            return self.violation is None
        if self._matcher.is_terminated():  # what hosts fill up rows with that are over
            self._steps.append(0)
            return True
        admitted = self._matcher.accept_token(token)
        self._steps.append(1)
        if not admitted and self.violation is None:
            self.violation = len(self.tokens) - 1
        return admitted

    def _watch(self, token: int) -> None:
        """Looks for the marker's end in what the token added."""
        before = len(self._free)
        self._free += self.engine.vocabulary.piece(token) or b""
        self._ends.append(len(self._free))
        if isinstance(self._marker, tuple):
            if tuple(self.tokens[-len(self._marker) :]) == self._marker:
                self._start(b"")
            return
        at = self._free.find(self._marker, max(0, before - len(self._marker) + 1))
        if at >= 0:
            self._start(bytes(self._free[at + len(self._marker) :]))

    def extend(self, tokens: Iterable[int]) -> None:
        """All of these came."""
        for token in tokens:
            self.push(token)

    def rollback(self, count: int) -> None:
        """The last tokens did not come after all."""
        if not 0 <= count <= len(self.tokens):
            raise Error(f"cannot take back {count} tokens of {len(self.tokens)}")
        left = len(self.tokens) - count
        if self._matcher is not None and (left >= self._begin or not self._marker):
            kept = left - self._begin
            self._matcher.rollback(sum(self._steps[kept:]))
            del self._steps[kept:]
        else:
            self._matcher = None
        del self.tokens[left:]
        if self._marker:
            del self._ends[left:]
            del self._free[self._ends[-1] if self._ends else 0 :]
        if self.violation is not None and self.violation >= left:
            self.violation, self.told = None, False

    def fork(self) -> Follower:
        """A second sequence with the same tokens so far."""
        other = Follower.__new__(Follower)
        other.engine, other._marker, other._room, other._begin = self.engine, self._marker, self._room, self._begin
        other.violation, other.told = self.violation, self.told
        other.tokens, other._steps, other._ends = list(self.tokens), list(self._steps), list(self._ends)
        other._free = bytearray(self._free)
        other._matcher = None if self._matcher is None else self._matcher.fork()
        return other

    def __copy__(self) -> Follower:
        return self.fork()

    def __deepcopy__(self, memo: Any) -> Follower:
        return self.fork()

    @property
    def matcher(self) -> Matcher | None:
        """The SQL's matcher, once it has begun; else everything is allowed."""
        return self._matcher

    def is_over(self) -> bool:
        """The end of the SQL came, or a refusal."""
        return self._matcher is not None and (self._matcher.is_terminated() or self._matcher.is_refused())

    def fill(self, bitmask: Any, row: int) -> None:
        """Writes which tokens may come next into a row."""
        if self._matcher is not None:
            self._matcher.fill_bitmask(bitmask, row)
        else:
            allow_all(bitmask, row)

    def answer(self) -> Guarded:
        """The SQL so far, judged. Without a query where a token came that had not been admitted, where the SQL was refused,
        has not begun, or has not come to its end."""
        if self.violation is not None:
            why = "a token came that the mask had not admitted: the host did not apply it"
        elif self._matcher is None:
            why = "the marker after which SQL begins did not come"
        elif (refusal := self._matcher.refusal) is not None:
            why = f"refused, {refusal.cause}: {refusal.reason}"
        elif (judged := self._matcher.answer()) is not None:
            return judged
        else:
            why = "the generation was cut off before its end"
        text = self.engine.vocabulary.text(self.tokens[self._begin :] if self._matcher else ())
        return Guarded(text.decode("utf-8", "replace"), Verdict("outside", (why,), (0, 0), ()), "", None)


def allow_all(bitmask: Any, row: int) -> None:
    """Writes a row in which everything is allowed."""
    rows = Rows(bitmask)
    ctypes.memset(rows.row(row), 0xFF, 4 * rows.words)


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens the two begin with alike."""
    for at, (one, other) in enumerate(zip(a, b)):
        if one != other:
            return at
    return min(len(a), len(b))


class Batch:
    """The sequences of a batch, told by nothing but the tokens that each row has so far: rows may be put in another order,
    doubled, and taken back between two steps, as beam search and assisted decoding do."""

    def __init__(self, begin_after: Marker | None, room: int | None) -> None:
        """`begin_after` and `room` are those of each Follower."""
        self._begin_after = begin_after
        self._room = room
        self._rows: list[Follower] = []

    def go_on(self, added: Sequence[list[int]]) -> list[Follower]:
        """A follower for each row, where all rows are those of the last step with these tokens added."""
        for row, tokens in zip(self._rows, added):
            row.extend(tokens)
        return self._rows

    def follow(self, engines: Sequence[Engine], histories: Sequence[list[int]]) -> list[Follower]:
        """A follower for each row, with all of its tokens read. `engines`: of each row."""
        before = self._rows
        in_place = [
            i < len(before) and before[i].engine is engine and before[i].tokens == history[: len(before[i].tokens)]
            for i, (engine, history) in enumerate(zip(engines, histories))
        ]
        rows: list[Follower] = []
        # What others go on from is copied before it goes on itself.
        for i, (engine, history) in enumerate(zip(engines, histories)):
            if in_place[i]:
                rows.append(before[i])
                continue
            alike = [(common_prefix(one.tokens, history), one) for one in before if one.engine is engine]
            shared, base = max(alike, key=lambda pair: pair[0], default=(0, None))
            if base is None or shared == 0:
                rows.append(Follower(engine, self._begin_after, self._room))
                continue
            row = base if len(histories) == len(before) == 1 else base.fork()
            row.rollback(len(row.tokens) - shared)
            rows.append(row)
        for row, history in zip(rows, histories):
            row.extend(history[len(row.tokens) :])
        self._rows = rows
        return rows
