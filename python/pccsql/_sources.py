"""Where a schema and a policy are read from, as `Engine`, `Checker` and `check` take it."""

from __future__ import annotations

import dataclasses
import os
from typing import Optional, Union

from ._library import Error

StrPath = Union[str, "os.PathLike[str]"]

_SQLITE_FILE, _DDL_TEXT, _TABLES_JSON = 0, 1, 2
_YAML_FILE, _YAML_TEXT = 0, 1


def _encoded(text: str, what: str) -> bytes:
    try:
        made = text.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise Error(f"{what} is not text that UTF-8 can write: {problem}") from problem
    if b"\0" in made:
        raise Error(f"{what} has a NUL byte")
    return made


@dataclasses.dataclass(frozen=True)
class Sources:
    """One schema and one policy, as the C ABI names them."""

    schema_kind: int
    schema: bytes
    db_id: Optional[bytes]
    policy_kind: int
    policy: bytes

    @staticmethod
    def of(
        db: StrPath | None,
        ddl: str | None,
        tables: StrPath | None,
        db_id: str | None,
        policy: StrPath | None,
        policy_text: str | None,
    ) -> Sources:
        """Exactly one schema and one policy, or an Error that says what is missing."""
        if sum(given is not None for given in (db, ddl, tables)) != 1:
            raise Error("which schema? Give one of `db` (a SQLite file), `ddl` (its text) and `tables` (a tables.json)")
        if (db_id is None) != (tables is None):
            raise Error("`db_id` goes with `tables`, and `tables` with `db_id`")
        if (policy is None) == (policy_text is None):
            raise Error("which policy? Give one of `policy` (a file) and `policy_text`")
        if ddl is not None:
            kind, schema = _DDL_TEXT, _encoded(ddl, "`ddl`")
        elif tables is not None:
            kind, schema = _TABLES_JSON, os.fsencode(tables)
        else:
            assert db is not None
            kind, schema = _SQLITE_FILE, os.fsencode(db)
        if policy_text is not None:
            policy_kind, written = _YAML_TEXT, _encoded(policy_text, "`policy_text`")
        else:
            assert policy is not None
            policy_kind, written = _YAML_FILE, os.fsencode(policy)
        return Sources(kind, schema, None if db_id is None else _encoded(db_id, "`db_id`"), policy_kind, written)
