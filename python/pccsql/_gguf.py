"""The vocabulary of a GGUF file: what each token writes, and which tokens end a text.

Only the head of the file is read, no weights. Two kinds of tokenizer are known, byte-level BPE (`gpt2`) and
SentencePiece (`llama`); of any other it is not certain which bytes a token writes, and it is refused. Where llama.cpp takes
a token for the end of a generation by its name, so does this.
"""

from __future__ import annotations

import os
import struct
from typing import BinaryIO, Union

from ._library import Error

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST_ITEMS = 1 << 24
_LONGEST_TEXT = 1 << 24
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6

# Tokens of these names end a generation, or mark the parts of a text that is to be filled in, whatever the file says of them.
_ENDS_BY_NAME = frozenset(
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> <EOT> "
    "_<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> <|END_OF_TURN_TOKEN|>".split()
) | {"< EOT >", "_< EOT >"}
_MARKS_BY_NAME = frozenset(
    "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|> <|prefix|> <|fim_suffix|> <fim-suffix> "
    "<fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|> <|suffix|> <|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> "
    "<MID> ▁<MID> <|code_middle|> <|middle|> <|fim_pad|> <fim-pad> <fim_pad> <PAD> <|fim_repo|> <|repo_name|> <fim-repo> <REPO> "
    "<reponame> <|file_sep|>".split()
)
_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")

Value = Union[int, float, bool, bytes, list["Value"]]


class _Reader:
    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file = file
        self._path = path

    def wrong(self, what: str) -> Error:
        return Error(f"{self._path}: {what}")

    def take(self, size: int) -> bytes:
        got = self._file.read(size)
        if len(got) != size:
            raise self.wrong("the GGUF file is broken off")
        return got

    def number(self, code: str) -> int:
        return int(struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0])

    def text(self) -> bytes:
        size = self.number("Q")
        if size > _LONGEST_TEXT:
            raise self.wrong("the GGUF file is damaged: a text is too long")
        return self.take(size)

    def value(self, kind: int, nested: bool = False) -> Value:
        if kind == _STRING:
            return self.text()
        if kind in _SCALARS:
            code = "<" + _SCALARS[kind]
            read: Value = struct.unpack(code, self.take(struct.calcsize(code)))[0]
            return read
        if kind != _ARRAY or nested:
            raise self.wrong(f"the GGUF file is damaged: a value of kind {kind}")
        inner, count = self.number("I"), self.number("Q")
        if count > _MOST_ITEMS:
            raise self.wrong("the GGUF file is damaged: a list is too long")
        if inner in _SCALARS:
            code = f"<{count}{_SCALARS[inner]}"
            return list(struct.unpack(code, self.take(struct.calcsize(code))))
        return [self.value(inner, nested=True) for _ in range(count)]


def _byte_alphabet() -> dict[str, int]:
    """The letters of byte-level BPE: bytes that print stand for themselves, the others for what follows U+00FF."""
    letters = {}
    beyond = 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or 174 <= byte <= 255:
            letters[chr(byte)] = byte
        else:
            letters[chr(beyond)] = byte
            beyond += 1
    return letters


def _decoded(kind: str, spelling: bytes, role: int, letters: dict[str, int]) -> bytes | None:
    """The bytes that a token writes; None where that is not certain."""
    try:
        text = spelling.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if kind == "gpt2":
        if role == _USER_DEFINED:
            return spelling
        if any(letter not in letters for letter in text):
            return None
        return bytes(letters[letter] for letter in text)
    if role == _BYTE:
        if len(text) != 6 or not text.startswith("<0x") or not text.endswith(">"):
            return None
        try:
            return bytes([int(text[3:5], 16)])
        except ValueError:
            return None
    return text.replace("▁", " ").encode("utf-8")


def read_gguf(path: str | os.PathLike[str]) -> tuple[list[bytes | None], list[int]]:
    """The pieces by id, None for those that are no text; and the ids that end a text."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            fields = _fields(_Reader(file, name))
    except (OSError, struct.error, MemoryError) as problem:
        raise Error(f"{name}: cannot be read: {problem}") from problem
    prefix = "tokenizer.ggml."
    kind, tokens = fields.get(prefix + "model"), fields.get(prefix + "tokens")
    if not isinstance(kind, bytes) or not isinstance(tokens, list) or not tokens:
        raise Error(f"{name}: holds no vocabulary; a GGUF file with a tokenizer was expected")
    model = kind.decode("utf-8", "replace")
    if model not in ("gpt2", "llama"):
        raise Error(f"{name}: a tokenizer of kind `{model}` is not read; `gpt2` and `llama` are")
    roles = fields.get(prefix + "token_type", [_NORMAL] * len(tokens))
    if not isinstance(roles, list) or len(roles) != len(tokens):
        raise Error(f"{name}: the GGUF file is damaged: tokens and their types are not as many")
    ends = {value for key in _END_KEYS if isinstance(value := fields.get(prefix + key), int)}
    letters = _byte_alphabet()
    pieces: list[bytes | None] = []
    for number, (spelling, role) in enumerate(zip(tokens, roles)):
        if not isinstance(spelling, bytes):
            raise Error(f"{name}: the GGUF file is damaged: token {number} is no text")
        text = spelling.decode("utf-8", "replace")
        if text in _ENDS_BY_NAME:
            ends.add(number)
        piece = None
        if role in (_NORMAL, _USER_DEFINED, _BYTE) and text not in _MARKS_BY_NAME:
            piece = _decoded(model, spelling, int(role), letters)
        # Converters fill vocabularies up to the width of the logits with these.
        pieces.append(None if piece in (b"", f"[PAD{number}]".encode()) else piece)
    ends = {number for number in ends if 0 <= number < len(pieces)}
    if not ends:
        raise Error(f"{name}: no token ends a text")
    return pieces, sorted(ends)


def _fields(reader: _Reader) -> dict[str, Value]:
    """The file's metadata, those of the tokenizer alone."""
    if reader.take(4) != b"GGUF":
        raise reader.wrong("is no GGUF file")
    version = reader.number("I")
    if version not in (2, 3):
        raise reader.wrong(f"GGUF version {version} is not read; 2 and 3 are")
    reader.number("Q")  # tensors
    count = reader.number("Q")
    if count > _MOST_ITEMS:
        raise reader.wrong("the GGUF file is damaged: too many fields")
    fields: dict[str, Value] = {}
    for _ in range(count):
        key = reader.text().decode("utf-8", "replace")
        value = reader.value(reader.number("I"))
        if key in fields:
            raise reader.wrong(f"the GGUF file is damaged: `{key}` is there twice")
        if key.startswith("tokenizer."):
            fields[key] = value
    return fields
