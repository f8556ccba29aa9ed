"""The second judge: whether a finished query keeps to a policy. It shares nothing with the masks but the schema and the
policy, so that what a host let slip is found here.
"""

from __future__ import annotations

import ctypes
import dataclasses

from ._library import Error, ErrorSlot, Handle, Unchanging, Use as CUse, lib, settings, shown, taken
from ._sources import Sources, StrPath

_VERDICTS = ("safe", "unsafe", "outside", "error")
_ROLES = ("Sel", "Join", "Where", "Agg")
_POLICIES = ("Public", "ConditionOnly", "AggregateOnly", "Hidden")
_LANGUAGES = ("full", "fragment")
_PROFILES = ("strict", "paper")


def choice(what: str, value: str, choices: tuple[str, ...]) -> int:
    """Which of the choices a setting is, or an Error that lists them."""
    if value not in choices:
        names = " or ".join(f"`{name}`" for name in choices)
        raise Error(f"`{what}` is {names}, not `{value}`")
    return choices.index(value)


def plain(text: str) -> str:
    """The characters of a text, whatever class it is of: one of a class that derives from str could say other things of itself
    to the judge than to whoever runs it."""
    if not isinstance(text, str):
        raise Error(f"a text was expected, not a `{type(text).__name__}`")
    return text if type(text) is str else "".join(str.__iter__(text))


@dataclasses.dataclass(frozen=True)
class ColumnUse:
    """A column in a role, where the query names it. A place that counts twice (Agg and Where) is two of these."""

    table: str
    column: str
    role: str  #: "Sel", "Join", "Where" or "Agg"
    policy: str  #: "Public", "ConditionOnly", "AggregateOnly" or "Hidden"
    permitted: bool
    span: tuple[int, int]  #: bytes of the query in UTF-8


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What the judge says of a query."""

    verdict: str  #: "safe", "unsafe", "outside" (not one query of the language) or "error" (the database would refuse it)
    reasons: tuple[str, ...]  #: what is wrong, and what would be right; empty where it is safe
    span: tuple[int, int]  #: the bytes that the reasons are about
    uses: tuple[ColumnUse, ...]  #: by place; of "outside" and "error" what could be told

    @property
    def safe(self) -> bool:
        """The policy permits the query, and the database would run it."""
        return self.verdict == "safe"


class NotChecked(AttributeError):
    """Something that is not known to be safe was asked for its query."""


@dataclasses.dataclass(frozen=True)
class Guarded:
    """A text that went through the judge. Only where it is safe has it a query."""

    text: str
    verdict: Verdict
    said: str  #: what whoever asks is to be told: that small groups are left out, say; "" for nothing
    _sql: str | None = dataclasses.field(repr=False)

    @property
    def safe(self) -> bool:
        """Whether there is a query."""
        return self._sql is not None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why there is none."""
        return self.verdict.reasons

    @property
    def sql(self) -> str:
        """The query as it is to be run, with the conditions of minimum groups. A text that is not safe has none:
        `hasattr(guarded, "sql")` is false, and asking for it raises NotChecked."""
        if self._sql is None:
            raise NotChecked(f"there is no query: {'; '.join(self.reasons) or self.verdict.verdict}")
        return self._sql


class Checker(Unchanging):
    """The judge for one schema and one policy. May be used by any number of threads at once."""

    __slots__ = ("_handle",)

    def __init__(
        self,
        *,
        db: StrPath | None = None,
        ddl: str | None = None,
        tables: StrPath | None = None,
        db_id: str | None = None,
        policy: StrPath | None = None,
        policy_text: str | None = None,
        language: str = "full",
        profile: str = "strict",
    ) -> None:
        """Reads a schema, of a SQLite file (`db`), of DDL (`ddl`) or of one database of a `tables.json`, and a policy."""
        self._open(Sources.of(db, ddl, tables, db_id, policy, policy_text), language, profile)

    @classmethod
    def of(cls, sources: Sources, language: str, profile: str) -> Checker:
        """The judge for what an Engine was made of."""
        made = cls.__new__(cls)
        made._open(sources, language, profile)
        return made

    def _open(self, sources: Sources, language: str, profile: str) -> None:
        chosen = settings(
            language=choice("language", language, _LANGUAGES), profile=choice("profile", profile, _PROFILES)
        )
        slot = ErrorSlot()
        made = lib.checker_new(
            sources.schema_kind,
            sources.schema,
            sources.db_id,
            sources.policy_kind,
            sources.policy,
            ctypes.byref(chosen),
            slot.ref(),
        )
        self._handle = Handle(made, "checker", slot)

    def check(self, sql: str) -> Verdict:
        """Judges a query. Never raises for what the query is, only where there is no memory, or it is no text."""
        text = plain(sql).encode("utf-8", "surrogatepass")
        slot = ErrorSlot()
        judgement = Handle(lib.checker_check(self._handle.address, text, len(text), slot.ref()), "judgement", slot)
        begin, end = ctypes.c_size_t(), ctypes.c_size_t()
        reason = shown(lib.judgement_reason(judgement.address, ctypes.byref(begin), ctypes.byref(end)))
        uses = []
        for index in range(lib.judgement_use_count(judgement.address)):
            use = CUse(struct_size=ctypes.sizeof(CUse))
            if not lib.judgement_use(judgement.address, index, ctypes.byref(use)):
                raise Error(f"the library has no use {index} of those that it counted")
            uses.append(
                ColumnUse(
                    shown(use.table),
                    shown(use.column),
                    _ROLES[use.role],
                    _POLICIES[use.policy],
                    bool(use.permitted),
                    (use.begin, use.end),
                )
            )
        verdict = _VERDICTS[lib.judgement_verdict(judgement.address)]
        return Verdict(verdict, (reason,) if reason else (), (begin.value, end.value), tuple(uses))

    def guard(self, text: str) -> Guarded:
        """Judges what a model wrote; blanks around it do not count. Only of a text that is safe is there a query."""
        text = plain(text)
        sql = text.strip()
        verdict = self.check(sql)
        if not verdict.safe:
            return Guarded(text, verdict, "", None)
        encoded = sql.encode("utf-8")
        slot, said = ErrorSlot(), ErrorSlot()
        run = taken(lib.checker_run_text(self._handle.address, encoded, len(encoded), said.ref(), slot.ref()))
        if run is None:
            problem = dataclasses.replace(verdict, verdict="outside", reasons=(slot.take() or "out of memory",))
            return Guarded(text, problem, "", None)
        return Guarded(text, verdict, said.take(), run.decode("utf-8"))


def check(
    sql: str,
    *,
    db: StrPath | None = None,
    ddl: str | None = None,
    tables: StrPath | None = None,
    db_id: str | None = None,
    policy: StrPath | None = None,
    policy_text: str | None = None,
    language: str = "full",
    profile: str = "strict",
) -> Verdict:
    """Judges one query. Whoever judges many makes a Checker, which reads schema and policy once."""
    return Checker(
        db=db,
        ddl=ddl,
        tables=tables,
        db_id=db_id,
        policy=policy,
        policy_text=policy_text,
        language=language,
        profile=profile,
    ).check(sql)
