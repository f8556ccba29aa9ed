"""A suite's questions through any Python function: the program asks, judges, runs and writes the same run file as
`pccsql eval run`; only the answers come from here.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
import threading
from typing import Any, Callable, Iterable, Mapping, Union

from ._checker import Guarded
from ._engine import Engine
from ._library import PACKAGE, Error
from ._sources import StrPath


@dataclasses.dataclass(frozen=True)
class Question:
    """One question of a suite, with what it takes to ask a model, and to mask it."""

    db_id: str
    system: str  #: the prompt's first message
    user: str  #: its second: the schema, the policy, the question
    text: str  #: the question alone
    evidence: str | None  #: a hint, where the suite has one and the run gives it
    max_tokens: int
    policy_text: str  #: the policy it is asked under
    profile: str  #: how the suite counts uses, "strict" or "paper"
    tables: pathlib.Path | None  #: the suite's schemas as a tables.json, which has `db_id`; None where it is on PostgreSQL

    @property
    def messages(self) -> list[dict[str, str]]:
        """As chat templates want them."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]

    def engine(self, tokenizer: Any, **settings: Any) -> Engine:
        """An engine for this question, with the settings of the program's method `pcc`, canonical style for one; who asks many
        about one database keeps it by (`db_id`, `policy_text`). On PostgreSQL there is no mask, and this is an Error."""
        if self.tables is None:
            raise Error("the suite is on PostgreSQL, and the mask writes SQLite's dialect alone: its answers are judged, not masked")
        return Engine(
            tables=self.tables,
            db_id=self.db_id,
            policy_text=self.policy_text,
            tokenizer=tokenizer,
            **{"profile": self.profile, "style": "canonical", **settings},
        )


@dataclasses.dataclass(frozen=True)
class Written:
    """What a model wrote, with what it cost, where that is known."""

    answer: Union[str, Guarded]
    prompt_tokens: int = 0
    generated_tokens: int = 0


Answer = Union[str, Guarded, Written]


def _told(answer: Answer) -> dict[str, Any]:
    """An answer as the program reads it. Of what was judged and is not safe there is no text, only the reason."""
    told: dict[str, Any] = {}
    if isinstance(answer, Written):
        told = {"prompt_tokens": answer.prompt_tokens, "generated_tokens": answer.generated_tokens}
        answer = answer.answer
    if isinstance(answer, str):
        return {**told, "text": answer}
    if not isinstance(answer, Guarded):
        raise Error(f"an answer is a text, what `guard` made of one, or Written, not a `{type(answer).__name__}`")
    return {**told, "text": answer.text.strip()} if answer.safe else {**told, "refused": "; ".join(answer.reasons) or "refused"}


def evaluate(
    suite: StrPath,
    generate: Callable[[Question], Answer],
    *,
    out: StrPath,
    name: str,
    method: str = "direct",
    parallel: int = 1,
    options: Mapping[str, Any] | None = None,
    on_error: str = "raise",
) -> pathlib.Path:
    """Asks `generate` every question of a suite, and writes the run to `out`, which `pccsql eval report` reads.

    `name` is what reports call the model. `method` is "direct" for what a model wrote by itself, "pcc" for what it wrote
    under the mask; then a text that is not safe is withheld. `parallel`: how many threads call `generate` at once. `options`:
    further ones of `pccsql eval run`, as in `{"limit": 50, "no_exec": True}`. An exception of `generate` ends the run, or,
    with `on_error="record"`, is written down as a failure of that question. A run that was stopped goes on where it was.
    """
    if on_error not in ("raise", "record"):
        raise Error(f"`on_error` is `raise` or `record`, not `{on_error}`")
    command = [str(PACKAGE / "program" / "bin" / "pccsql"), "eval", "run", "--suite", os.fspath(suite), "--out", os.fspath(out)]
    command += ["--answers", name, "--method", method, "--parallel", str(parallel)]
    for option, value in (options or {}).items():
        command.append("--" + option.replace("_", "-"))
        if value is not True:
            command.append(str(value))
    with tempfile.TemporaryDirectory() as scratch:
        header = _header(suite)
        tables = None
        if header["databases"] is not None:
            tables = pathlib.Path(scratch, "tables.json")
            tables.write_text(json.dumps(header["databases"]), encoding="utf-8")
        messages = tempfile.TemporaryFile()
        with messages, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages) as program:
            assert program.stdin is not None and program.stdout is not None
            try:
                _answer_all(program.stdout, program.stdin, generate, tables, header["profile"], parallel, on_error == "record")
            except BrokenPipeError:
                pass  # the program has ended, and says why
            finally:
                with contextlib.suppress(OSError):
                    program.stdin.close()
                status = program.wait()
            if status != 0:
                messages.seek(0)
                said = messages.read().decode("utf-8", "replace").strip().splitlines()
                raise Error(f"`pccsql eval run` ended with status {status}: {said[-1] if said else 'it said nothing'}")
    return pathlib.Path(out)


def _header(suite: StrPath) -> dict[str, Any]:
    """A suite's first line, which has its schemas and its profile."""
    try:
        with open(suite, encoding="utf-8") as file:
            first = json.loads(file.readline())
        databases = None if "schemas" in first else first["databases"]  # of PostgreSQL's there is the DDL
        return {"databases": databases, "profile": str(first["profile"])}
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise Error(f"{os.fspath(suite)}: cannot be read as a suite: {problem}") from problem


def _answer_all(
    lines: Iterable[bytes],
    answers: Any,
    generate: Callable[[Question], Answer],
    tables: pathlib.Path | None,
    profile: str,
    parallel: int,
    record: bool,
) -> None:
    """Reads questions until there are none, and writes each answer as soon as it is there. The program sends at most
    `parallel` questions before it waits for an answer to one of them."""
    writing = threading.Lock()
    failures: list[Exception] = []

    def answer(asked: dict[str, Any]) -> None:
        question = Question(
            asked["db_id"], asked["system"], asked["user"], asked["question"], asked["evidence"], asked["max_tokens"],
            asked["policy"], profile, tables,
        )  # fmt: skip
        try:
            told = _told(generate(question))
        except Exception as problem:
            if not record:
                with writing:
                    failures.append(problem)
                    answers.close()  # the program stops when it is told nothing more
                return
            told = {"error": f"{type(problem).__name__}: {problem}"}
        with writing:
            if not failures:
                answers.write(json.dumps({"n": asked["n"], **told}).encode("utf-8") + b"\n")
                answers.flush()

    with concurrent.futures.ThreadPoolExecutor(max(1, parallel)) as pool:
        asked = [pool.submit(answer, json.loads(line)) for line in lines if line.startswith(b'{"n": ')]
    for one in asked:
        one.result()
    if failures:
        raise failures[0]
