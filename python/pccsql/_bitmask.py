"""Bitmasks as inference engines have them: a row of 32-bit words for each sequence, a bit for each token, least significant
bit first, 1 = allowed. They are tensors of torch, arrays of NumPy, or anything else that shares its memory.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Sequence

from ._library import Error


def _loaded(name: str) -> Any:
    """A module that the program has imported, or None. Nothing is imported for it: torch alone takes seconds."""
    return sys.modules.get(name)


def bitmask_words(width: int) -> int:
    """How many words a row has, for logits of this width."""
    return (width + 31) // 32


def get_bitmask_shape(batch_size: int, width: int) -> tuple[int, int]:
    """The shape of a bitmask for `batch_size` rows of logits of this width."""
    return batch_size, bitmask_words(width)


def allocate_token_bitmask(batch_size: int, width: int) -> Any:
    """A bitmask in which everything is allowed: a tensor where the program uses torch, else an array of NumPy where it uses
    that, else a memoryview."""
    shape = get_bitmask_shape(batch_size, width)
    if (torch := _loaded("torch")) is not None:
        return torch.full(shape, -1, dtype=torch.int32)
    if (numpy := _loaded("numpy")) is not None:
        return numpy.full(shape, -1, dtype=numpy.int32)
    return memoryview(bytearray(b"\xff" * (4 * shape[0] * shape[1]))).cast("i", shape)


class Rows:
    """The memory of a bitmask: where its rows lie, and how long they are. Good as long as the bitmask is."""

    __slots__ = ("address", "rows", "words", "_keep")

    address: int
    rows: int
    words: int

    def __init__(self, bitmask: Any) -> None:
        """Of a tensor, an array or other memory of 32-bit words; an Error where it cannot be written in place."""
        self._keep: Any = bitmask
        if hasattr(bitmask, "data_ptr"):
            torch = sys.modules["torch"]
            if bitmask.dtype != torch.int32 or bitmask.device.type != "cpu" or not bitmask.is_contiguous():
                raise Error("a bitmask is a contiguous tensor of torch.int32 in the CPU's memory")
            shape: tuple[int, ...] = tuple(bitmask.shape)
            address = bitmask.data_ptr()
        elif (interface := getattr(bitmask, "__array_interface__", None)) is not None:
            contiguous = interface.get("strides") is None
            if interface["typestr"] not in ("<i4", "<u4") or not contiguous or interface["data"][1]:
                raise Error("a bitmask is a writable, contiguous array of numpy.int32")
            shape, address = interface["shape"], interface["data"][0]
        else:
            try:
                view = memoryview(bitmask)
                if view.itemsize != 4 or view.readonly or not view.c_contiguous:
                    raise Error("a bitmask is writable, contiguous memory of 32-bit words")
                shape = tuple(view.shape or ())
                self._keep = (ctypes.c_char * view.nbytes).from_buffer(view)
                address = ctypes.addressof(self._keep)
            except TypeError as problem:
                raise Error(f"a `{type(bitmask).__name__}` is no bitmask: {problem}") from problem
        if len(shape) not in (1, 2) or shape[-1] == 0:
            raise Error(f"a bitmask has the shape (rows, words), not {shape}")
        self.rows = shape[0] if len(shape) == 2 else 1
        self.words = shape[-1]
        self.address = address

    def row(self, index: int) -> int:
        """The address of a row, which must be there."""
        if not 0 <= index < self.rows:
            raise Error(f"the bitmask has {self.rows} rows, and no row {index}")
        return self.address + 4 * self.words * index


def allowed_tokens(bitmask: Any, row: int = 0) -> list[int]:
    """The ids that a row allows, ascending."""
    rows = Rows(bitmask)
    words = ctypes.string_at(rows.row(row), 4 * rows.words)
    return [8 * at + bit for at, byte in enumerate(words) if byte for bit in range(8) if byte >> bit & 1]


def apply_token_bitmask_inplace(logits: Any, bitmask: Any, indices: Sequence[int] | None = None) -> None:
    """Writes minus infinity over the logits of all tokens that the bitmask does not allow; logits that it has no bit for go
    too.

    `logits` and `bitmask` are both of torch or both of NumPy; of torch they may lie on a GPU, together, where one kernel
    does the whole batch. Row i of the bitmask is for row i of the logits; with `indices` only those rows are written.
    """
    if hasattr(logits, "data_ptr"):
        from .kernels import apply_torch

        apply_torch(logits, bitmask, indices)
        return
    numpy = _loaded("numpy")
    if numpy is None or not isinstance(logits, numpy.ndarray):
        raise Error(f"logits are a tensor of torch or an array of NumPy, not a `{type(logits).__name__}`")
    words = numpy.asarray(bitmask)
    one_row = logits.ndim == 1
    table, masks = numpy.atleast_2d(logits), numpy.atleast_2d(words)
    if table.base is None and table is not logits and not one_row:
        raise Error("logits must be written in place")
    if masks.dtype.itemsize != 4 or masks.shape[0] < table.shape[0]:
        raise Error(f"a bitmask of {masks.shape[0]} rows of {masks.dtype} does not fit {table.shape[0]} rows of logits")
    chosen = range(table.shape[0]) if indices is None else indices
    if any(not 0 <= row < table.shape[0] for row in chosen):
        raise Error(f"there are {table.shape[0]} rows of logits, and `indices` names others: {list(chosen)}")
    for row in chosen:
        bits = numpy.unpackbits(masks[row].astype("<i4").view(numpy.uint8), bitorder="little")
        width = min(table.shape[1], bits.size)
        table[row, :width][bits[:width] == 0] = -numpy.inf
        table[row, width:] = -numpy.inf
