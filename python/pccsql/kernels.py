"""Bitmasks applied to logits with torch: on a GPU by one kernel for the whole batch, written in Triton; where Triton is not
there, and on the CPU, by operations of torch.

The kernel goes by groups of eight logits, for which the bitmask has one byte. A group that is forbidden whole, as nearly all are,
is written without being read; one that is allowed whole is left alone; only of those that are neither the logits are read. So
its time is that of the logits it writes, sixteen bytes at once.
"""

from __future__ import annotations

import functools
from typing import Any, Sequence, Union

import torch

from ._library import Error

_BLOCK = 8192  # logits that one program of the kernel looks after
_WARPS = 8

Indices = Union[Sequence[int], torch.Tensor]


@functools.cache
def _triton_kernel() -> Any:
    """The kernel, compiled when it is first launched; None where Triton is not there."""
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return None

    def write_minus_infinity(  # type: ignore[no-untyped-def]
        logits,
        bitmask,
        indices,
        rows,
        width,
        words,
        logits_stride,
        bitmask_stride,
        HAS_INDICES: tl.constexpr,
        BLOCK: tl.constexpr,
    ):
        row = tl.program_id(1).to(tl.int64)
        if HAS_INDICES:
            row = tl.load(indices + row)
        there = (row >= 0) & (row < rows)
        group = tl.program_id(0) * (BLOCK // 8) + tl.arange(0, BLOCK // 8)
        word = tl.load(bitmask + row * bitmask_stride + group // 4, mask=there & (group // 4 < words), other=0)
        byte = (word >> (group % 4 * 8)) & 255
        bit = tl.arange(0, 8)
        at = group[:, None] * 8 + bit[None, :]
        place = logits + row * logits_stride + at
        # Both masks are the same for all of a group where the width is a multiple of eight, so that a group is one access.
        written = (there & (byte != 255))[:, None] & (at < width)
        read = (there & (byte != 0) & (byte != 255))[:, None] & (at < width)
        kept = tl.load(place, mask=read, other=-float("inf"))
        nothing = tl.full([1, 1], -float("inf"), tl.float32).to(kept.dtype)
        tl.store(place, tl.where(((byte[:, None] >> bit[None, :]) & 1) != 0, kept, nothing), mask=written)

    # Triton resolves names in the function's globals.
    globals()["tl"] = tl
    return triton.jit(write_minus_infinity)


def _checked(logits: torch.Tensor, bitmask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if bitmask.dtype != torch.int32:
        raise Error(f"a bitmask is a tensor of torch.int32, not of {bitmask.dtype}")
    if not logits.dtype.is_floating_point:
        raise Error(f"logits are floating-point numbers, not {logits.dtype}")
    table = logits.unsqueeze(0) if logits.ndim == 1 else logits
    masks = bitmask.unsqueeze(0) if bitmask.ndim == 1 else bitmask
    if table.ndim != 2 or masks.ndim != 2 or masks.shape[0] < table.shape[0]:
        raise Error(f"a bitmask of shape {tuple(bitmask.shape)} does not fit logits of shape {tuple(logits.shape)}")
    if table.stride(-1) != 1 or masks.stride(-1) != 1:
        raise Error("the rows of logits and bitmask must be contiguous")
    # From pinned memory a copy goes on after the call, and would bring what a caller fills in for the next step.
    return table, masks.to(table.device, non_blocking=not (table.is_cuda and not masks.is_cuda and masks.is_pinned()))


def _rows(indices: Indices, rows: int, device: torch.device) -> torch.Tensor:
    """The chosen rows, which must be there. Of a tensor on a GPU only the kernel sees it, which leaves out what is not."""
    if not isinstance(indices, torch.Tensor) or not indices.is_cuda:
        chosen = torch.as_tensor(indices, dtype=torch.int64).reshape(-1)
        if chosen.numel() and not (0 <= int(chosen.min()) and int(chosen.max()) < rows):
            raise Error(f"there are {rows} rows of logits, and `indices` names others: {chosen.tolist()}")
        return chosen.to(device, non_blocking=True)
    return indices.to(device, torch.int64).reshape(-1)


def apply_torch(logits: torch.Tensor, bitmask: torch.Tensor, indices: Indices | None = None) -> None:
    """Writes minus infinity over all logits that the bitmask does not allow, those included that it has no bit for."""
    table, masks = _checked(logits, bitmask)
    chosen = None if indices is None else _rows(indices, table.shape[0], table.device)
    kernel = _triton_kernel() if table.is_cuda else None
    if kernel is None:
        apply_with_torch(table, masks, chosen)
    else:
        apply_with_triton(kernel, table, masks, chosen)


def apply_with_torch(table: torch.Tensor, masks: torch.Tensor, chosen: torch.Tensor | None = None) -> None:
    """The same with operations of torch, for (rows, width) logits and (rows, words) masks on one device."""
    if chosen is not None:
        part = table[chosen]
        apply_with_torch(part, masks[chosen])
        table[chosen] = part
        return
    shifts = torch.arange(32, dtype=torch.int32, device=masks.device)
    bits = ((masks[: table.shape[0]].unsqueeze(-1) >> shifts) & 1).flatten(1)
    width = min(table.shape[1], bits.shape[1])
    table[:, :width].masked_fill_(bits[:, :width] == 0, -torch.inf)
    table[:, width:].fill_(-torch.inf)


def apply_with_triton(
    kernel: Any,
    table: torch.Tensor,
    masks: torch.Tensor,
    chosen: torch.Tensor | None = None,
    *,
    block: int = _BLOCK,
    warps: int = _WARPS,
) -> None:
    """The same with the kernel, in one launch. `block` and `warps` are for those who measure it."""
    rows = table.shape[0] if chosen is None else chosen.shape[0]
    if rows == 0:
        return
    kernel[((table.shape[1] + block - 1) // block, rows)](
        table,
        masks,
        masks if chosen is None else chosen,
        table.shape[0],
        table.shape[1],
        masks.shape[1],
        table.stride(0),
        masks.stride(0),
        HAS_INDICES=chosen is not None,
        BLOCK=block,
        num_warps=warps,
    )
