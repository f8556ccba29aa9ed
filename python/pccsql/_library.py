"""The C ABI of libpccsql, as ctypes sees it: one declaration for each function that this package calls.

The library lies in the package. Nothing else of the package speaks ctypes, but for the addresses that it passes on.
"""

from __future__ import annotations

import ctypes
import pathlib
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from typing import Any

PACKAGE = pathlib.Path(__file__).resolve().parent


class Error(Exception):
    """What pccsql could not do, in words: what was wrong, where, and what would be right."""


class Settings(ctypes.Structure):
    """`pccsql_settings`; always made by `pccsql_settings_init_sized`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("language", c_int),
        ("profile", c_int),
        ("aliases", c_int),
        ("style", c_int),
        ("algorithm", c_int),
        ("lookahead", c_int),
        ("derived_names", c_int),
        ("refusal", c_int),
        ("token_budget", c_uint32),
        ("memory_bytes", c_size_t),
        ("memory", c_void_p),
    ]


class Piece(ctypes.Structure):
    """`pccsql_piece`."""

    _fields_ = [("bytes", c_char_p), ("size", c_size_t), ("is_text", c_int)]


class Use(ctypes.Structure):
    """`pccsql_use`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("table", c_char_p),
        ("column", c_char_p),
        ("role", c_int),
        ("policy", c_int),
        ("permitted", c_int),
        ("begin", c_size_t),
        ("end", c_size_t),
    ]


_ERROR = POINTER(c_void_p)

# The answer and the arguments of each function. Texts that the caller frees are c_void_p: as c_char_p ctypes would copy
# them and forget the address.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "free": (None, [c_void_p]),
    "vocabulary_read": (c_void_p, [c_char_p, _ERROR]),
    "vocabulary_tokenizer_json": (c_void_p, [c_char_p, c_size_t, POINTER(c_uint32), c_size_t, _ERROR]),
    "vocabulary_builtin": (c_void_p, []),
    "vocabulary_pieces": (c_void_p, [POINTER(Piece), c_size_t, POINTER(c_uint32), c_size_t, _ERROR]),
    "vocabulary_prepare": (None, [c_void_p]),
    "vocabulary_size": (c_size_t, [c_void_p]),
    "vocabulary_bytes": (c_void_p, [c_void_p, c_uint32, POINTER(c_size_t)]),
    "vocabulary_is_end_of_text": (c_int, [c_void_p, c_uint32]),
    "vocabulary_free": (None, [c_void_p]),
    "memory_new": (c_void_p, [c_size_t]),
    "memory_used": (c_size_t, [c_void_p]),
    "memory_free": (None, [c_void_p]),
    "settings_init_sized": (None, [POINTER(Settings), c_size_t]),
    "engine_compile": (
        c_void_p,
        [c_int, c_char_p, c_char_p, c_int, c_char_p, c_void_p, POINTER(Settings), _ERROR],
    ),
    "engine_free": (None, [c_void_p]),
    "matcher_new_with_budget": (c_void_p, [c_void_p, c_uint32]),
    "matcher_fork": (c_void_p, [c_void_p]),
    "matcher_free": (None, [c_void_p]),
    "matcher_fill_next_token_bitmask": (c_int, [c_void_p, c_void_p, c_size_t, _ERROR]),
    "matcher_accept_token": (c_int, [c_void_p, c_uint32]),
    "matcher_accept_text": (c_int, [c_void_p, c_char_p, c_size_t]),
    "matcher_rollback": (c_int, [c_void_p, c_size_t]),
    "matcher_is_terminated": (c_int, [c_void_p]),
    "matcher_refusal": (c_int, [c_void_p]),
    "matcher_refusal_reason": (c_char_p, [c_void_p]),
    "matcher_text": (c_void_p, [c_void_p]),
    "matcher_sql": (c_void_p, [c_void_p]),
    "matcher_find_jump_forward_tokens": (c_size_t, [c_void_p, POINTER(c_uint32), c_size_t]),
    "matcher_find_jump_forward_string": (c_void_p, [c_void_p]),
    "matcher_explain": (c_void_p, [c_void_p]),
    "matcher_uses": (c_void_p, [c_void_p]),
    "batch_filler_new": (c_void_p, [c_size_t]),
    "batch_filler_fill": (c_int, [c_void_p, POINTER(c_void_p), c_size_t, c_void_p, c_size_t, _ERROR]),
    "batch_filler_free": (None, [c_void_p]),
    "checker_new": (c_void_p, [c_int, c_char_p, c_char_p, c_int, c_char_p, POINTER(Settings), _ERROR]),
    "checker_free": (None, [c_void_p]),
    "checker_check": (c_void_p, [c_void_p, c_char_p, c_size_t, _ERROR]),
    "checker_run_text": (c_void_p, [c_void_p, c_char_p, c_size_t, _ERROR, _ERROR]),
    "judgement_verdict": (c_int, [c_void_p]),
    "judgement_reason": (c_char_p, [c_void_p, POINTER(c_size_t), POINTER(c_size_t)]),
    "judgement_use_count": (c_size_t, [c_void_p]),
    "judgement_use": (c_int, [c_void_p, c_size_t, POINTER(Use)]),
    "judgement_free": (None, [c_void_p]),
}


class _Functions:
    """The functions of the library, without their prefix."""

    def __init__(self, path: pathlib.Path) -> None:
        try:
            library = ctypes.CDLL(str(path))
        except OSError as problem:
            raise Error(f"the library `{path.name}` of this package cannot be loaded: {problem}") from problem
        for name, (answer, arguments) in _FUNCTIONS.items():
            function = getattr(library, f"pccsql_{name}")
            function.restype = answer
            function.argtypes = arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"`pccsql_{name}` is not declared in _library.py")


lib = _Functions(PACKAGE / "libpccsql.so")


def taken(address: int | None) -> bytes | None:
    """The text at an address that the library gave away, which is freed."""
    if not address:
        return None
    text = ctypes.string_at(address)
    lib.free(address)
    return text


def shown(text: bytes | None) -> str:
    """A text of the library's for people: what is no UTF-8 is replaced."""
    return (text or b"").decode("utf-8", "replace")


class ErrorSlot:
    """Where a function of the library leaves its message."""

    def __init__(self) -> None:
        """Empty."""
        self._address = c_void_p()

    def ref(self) -> Any:
        """For the argument `error`."""
        return ctypes.byref(self._address)

    def take(self) -> str:
        """The message; the slot is empty again."""
        message = shown(taken(self._address.value))
        self._address = c_void_p()
        return message

    def error(self) -> Error:
        """The message as an exception."""
        return Error(self.take() or "out of memory")


def settings(**given: int) -> Settings:
    """The defaults, but for what is given."""
    made = Settings()
    lib.settings_init_sized(ctypes.byref(made), ctypes.sizeof(made))
    for name, value in given.items():
        setattr(made, name, value)
    return made


class Handle:
    """Something that the library made. It is freed with the last object that uses it."""

    __slots__ = ("_free", "address")

    def __init__(self, address: int | None, kind: str, slot: ErrorSlot | None = None) -> None:
        """`kind` is what the function that frees it begins with; where nothing was made, the Error that the slot has."""
        self._free = getattr(lib, f"{kind}_free")
        self.address = address or 0
        if not address:
            raise slot.error() if slot else Error("out of memory")

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Two of one address would free it twice, and another process has nothing there."""
        raise Error("what the library made cannot be copied, or sent to another process: make it anew")

    def __del__(self) -> None:
        address, self.address = getattr(self, "address", 0), 0
        if address:
            self._free(address)


class Unchanging:
    """What never changes after it was made, and may be shared: it is its own copy."""

    __slots__ = ()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        """To be sent to another process it would have to be made anew there."""
        raise Error(f"a `{type(self).__name__}` cannot be sent to another process: make it anew there")
