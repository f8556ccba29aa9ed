"""Vocabulary: what each token of a model writes, in bytes, and which tokens end a text."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Iterable, Sequence

from . import _gguf
from ._library import Error, ErrorSlot, Handle, Piece, Unchanging, lib
from ._sources import StrPath


def _ids(end_of_text: Iterable[int]) -> Any:
    numbers = [int(number) for number in end_of_text]
    if any(number < 0 or number >= 1 << 32 for number in numbers):
        raise Error(f"`end_of_text` has an id that no token can have: {numbers}")
    return (ctypes.c_uint32 * len(numbers))(*numbers)


class Vocabulary(Unchanging):
    """What each token id of a model writes. Made once for a model, and shared by any number of engines and threads."""

    __slots__ = ("_handle", "_ends")

    def __init__(self, handle: Handle) -> None:
        """Of the library's own; everybody else calls `of`, `from_json` or `from_pieces`."""
        self._handle = handle
        self._ends: tuple[int, ...] | None = None

    @staticmethod
    def of(tokenizer: Any, end_of_text: Sequence[int] | None = None) -> Vocabulary:
        """The vocabulary of whatever describes it.

        `tokenizer`: a Vocabulary, a tokenizer object of transformers or tokenizers, the path of a GGUF file or of a
        `tokenizer.json` (or of a folder that has one), or "builtin", a small vocabulary that needs no file.
        `end_of_text`: the ids at which the model's host ends a generation; without it the tokenizer's own end token, and
        where that names none, special tokens that have a usual name for it. A GGUF file knows its own.
        """
        if isinstance(tokenizer, Vocabulary):
            if end_of_text is not None and tuple(sorted(set(end_of_text))) != tokenizer.end_of_text:
                raise Error("a Vocabulary knows which tokens end a text; give `end_of_text` where it is made")
            return tokenizer
        if isinstance(tokenizer, (str, os.PathLike)):
            return Vocabulary._of_path(tokenizer, end_of_text)
        # A tokenizer of transformers holds one of tokenizers, which writes itself as a tokenizer.json.
        inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if not callable(getattr(inner, "to_str", None)):
            raise Error(
                f"cannot tell which bytes the tokens of a `{type(tokenizer).__name__}` write: give a fast tokenizer of "
                "transformers, one of tokenizers, or the path of a tokenizer.json or GGUF file"
            )
        ends = list(end_of_text or [])
        own = getattr(tokenizer, "eos_token_id", None)
        if not ends and isinstance(own, int):
            ends = [own]
        return Vocabulary.from_json(inner.to_str(), ends)

    @staticmethod
    def _of_path(path: StrPath, end_of_text: Sequence[int] | None) -> Vocabulary:
        if path == "builtin":
            if end_of_text is not None:
                raise Error("the builtin vocabulary knows which tokens end a text")
            return Vocabulary(Handle(lib.vocabulary_builtin(), "vocabulary"))
        if os.path.isdir(path):
            path = os.path.join(path, "tokenizer.json")
        try:
            with open(path, "rb") as file:
                head = file.read(4)
                if head == b"GGUF":
                    if end_of_text is not None:
                        raise Error(f"{os.fspath(path)}: a GGUF file says itself which tokens end a text")
                    return Vocabulary.from_pieces(*_gguf.read_gguf(path))
                text = head + file.read()
        except OSError as problem:
            raise Error(f"{os.fspath(path)}: cannot be read: {problem.strerror}") from problem
        try:
            return Vocabulary.from_json(text, end_of_text or [])
        except Error as problem:
            raise Error(f"{os.fspath(path)}: {problem}") from None

    @staticmethod
    def from_json(text: str | bytes, end_of_text: Sequence[int] = ()) -> Vocabulary:
        """From the text of a `tokenizer.json`."""
        encoded = text.encode("utf-8") if isinstance(text, str) else text
        ids = _ids(end_of_text)
        slot = ErrorSlot()
        made = lib.vocabulary_tokenizer_json(encoded, len(encoded), ids, len(ids), slot.ref())
        return Vocabulary(Handle(made, "vocabulary", slot))

    @staticmethod
    def from_pieces(pieces: Sequence[bytes | None], end_of_text: Sequence[int]) -> Vocabulary:
        """From the bytes that each token writes, by id; None for ids that are no text: control tokens, gaps, padding."""
        given = (Piece * len(pieces))()
        for number, piece in enumerate(pieces):
            if piece is not None:
                given[number] = Piece(piece, len(piece), 1)
        ids = _ids(end_of_text)
        slot = ErrorSlot()
        made = lib.vocabulary_pieces(given, len(pieces), ids, len(ids), slot.ref())
        return Vocabulary(Handle(made, "vocabulary", slot))

    def prepare(self) -> None:
        """Finds out beforehand what masks have in common whatever the schema, which else is found out as it is met.

        Worth its few tenths of a second where many schemas are met by engines in the style "any", once a process. Any thread
        may do it, beside others that use the vocabulary, and no mask is another for it.
        """
        lib.vocabulary_prepare(self._handle.address)

    def __len__(self) -> int:
        """How many ids there are, gaps included."""
        return int(lib.vocabulary_size(self._handle.address))

    def piece(self, token: int) -> bytes | None:
        """The bytes that the token writes; None for one that writes none, and for one that there is not."""
        if not 0 <= token < 1 << 32:  # C would take it for another one
            return None
        size = ctypes.c_size_t()
        address = lib.vocabulary_bytes(self._handle.address, token, ctypes.byref(size))
        return ctypes.string_at(address, size.value) if address else None

    def text(self, tokens: Iterable[int]) -> bytes:
        """What the tokens write, one after the other; those that write nothing are passed over."""
        return b"".join(self.piece(token) or b"" for token in tokens)

    @property
    def end_of_text(self) -> tuple[int, ...]:
        """The ids that end a text, ascending."""
        if self._ends is None:
            address = self._handle.address
            self._ends = tuple(i for i in range(len(self)) if lib.vocabulary_is_end_of_text(address, i))
        return self._ends

    @property
    def address(self) -> int:
        """The handle of the C ABI; good as long as this object."""
        return self._handle.address
