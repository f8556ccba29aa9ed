"""What a server that writes SQL for several databases is told, by a file that the environment variable PCCSQL_SERVE names:

    {"databases": {"shop": {"db": "shop.sqlite", "policy": "policy.yaml", "max_tokens": 256}},
     "begin_after": null,
     "others": "refuse"}

A request names one of the databases, never a file. `others` says what becomes of a request that names none: it is refused,
or, with "allow", goes on without a mask. Paths are relative to the file.
"""

from __future__ import annotations

import inspect
import json
import os
import pathlib
import threading
import urllib.request
from typing import Any

from ._engine import Engine
from ._follow import Marker
from ._library import Error
from ._vocabulary import Vocabulary

VARIABLE = "PCCSQL_SERVE"
_PATHS = ("db", "tables", "policy")
_SETTINGS = frozenset(inspect.signature(Engine.__init__).parameters) - {"self", "tokenizer", "end_of_text", "memory"}


class Serving:
    """The databases of one server, each compiled when it is first asked about."""

    def __init__(self, path: str) -> None:
        """Reads the file; what is wrong with it is an Error now, and not at the first request."""
        try:
            told = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise Error(f"{path}: cannot be read: {problem}") from problem
        if not isinstance(told, dict) or not isinstance(told.get("databases"), dict) or not told["databases"]:
            raise Error(f"{path}: an object with `databases` was expected, each with `db` and `policy`")
        if unknown := set(told) - {"databases", "begin_after", "others"}:
            raise Error(f"{path}: `{min(unknown)}` is not known; `databases`, `begin_after` and `others` are")
        if told.get("others", "refuse") not in ("refuse", "allow"):
            raise Error(f"{path}: `others` is `refuse` or `allow`")
        self.path = path
        self.allows_others: bool = told.get("others", "refuse") == "allow"
        self.begin_after: Marker | None = told.get("begin_after")
        self._databases: dict[str, dict[str, Any]] = {}
        folder = pathlib.Path(path).resolve().parent
        for name, settings in told["databases"].items():
            if not isinstance(settings, dict) or (strange := set(settings) - _SETTINGS):
                wrong = min(strange) if isinstance(settings, dict) else "it"
                raise Error(f"{path}: database `{name}`: `{wrong}` is no setting of an engine")
            self._databases[name] = {k: str(folder / v) if k in _PATHS else v for k, v in settings.items()}
        self._engines: dict[str, Engine] = {}
        self._vocabulary: Vocabulary | None = None
        self._lock = threading.Lock()

    @staticmethod
    def from_environment() -> Serving | None:
        """What PCCSQL_SERVE names; None where it is not set."""
        path = os.environ.get(VARIABLE)
        return Serving(path) if path else None

    @property
    def names(self) -> list[str]:
        """The databases that a request can name."""
        return sorted(self._databases)

    def set_tokenizer(self, tokenizer: Any, end_of_text: Any) -> None:
        """The vocabulary of the model that is served."""
        ends = sorted(end_of_text) if end_of_text else None
        with self._lock:
            self._vocabulary = Vocabulary.of(tokenizer, ends)
            self._engines.clear()
        # Beside the model's own loading; requests that come before it has ended are served as well.
        threading.Thread(target=self._vocabulary.prepare, name="pccsql-prepare").start()

    def refusal(self, name: Any) -> str | None:
        """Why a request that names this cannot be served; None: it can."""
        if isinstance(name, str) and name in self._databases:
            return None
        return f"there is no database `{name}`; this server has {', '.join(f'`{known}`' for known in self.names)}"

    def engine(self, name: str) -> Engine:
        """The engine of a database."""
        if (why := self.refusal(name)) is not None:
            raise Error(why)
        with self._lock:
            if name not in self._engines:
                if self._vocabulary is None:
                    raise Error("the model's tokenizer is not known yet")
                self._engines[name] = Engine(tokenizer=self._vocabulary, **self._databases[name])
            return self._engines[name]


def ask_server(url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a server answers to a JSON object, or without one."""
    data = None if body is None else json.dumps(body).encode("utf-8")
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            told = json.load(answer)
    except (OSError, ValueError) as problem:
        raise Error(f"{url}: no answer that can be read: {problem}") from problem
    if not isinstance(told, dict):
        raise Error(f"{url}: an object was expected")
    return told


def never_allowed(engine: Engine) -> int:
    """A token that no SQL begins with: what a host is tested with, made as likely as can be."""
    vocabulary = engine.vocabulary
    for token in range(len(vocabulary) - 1, -1, -1):
        if vocabulary.piece(token) is None and token not in vocabulary.end_of_text:
            return token
    for token in range(len(vocabulary)):
        if vocabulary.piece(token) == b"\\":
            return token
    raise Error("the vocabulary has no token that is never allowed, so that the mask cannot be tested")
