"""Bitmasks applied to logits with torch: on a GPU by one kernel for the whole batch, written in Triton; where Triton is not
there, and on the CPU, by operations of torch.

The kernel writes minus infinity and reads no logits: its time is that of the words it reads and the logits it writes.
"""

from __future__ import annotations

import functools
from typing import Any, Sequence

import torch

from ._library import Error

_BLOCK = 4096  # logits that one program of the kernel looks after


@functools.cache
def _triton_kernel() -> Any:
    """The kernel, compiled when it is first launched; None where Triton is not there."""
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return None

    def write_minus_infinity(  # type: ignore[no-untyped-def]
        logits, bitmask, indices, width, words, logits_stride, bitmask_stride, HAS_INDICES: tl.constexpr, BLOCK: tl.constexpr
    ):
        row = tl.program_id(0)
        if HAS_INDICES:
            row = tl.load(indices + row)
        row = row.to(tl.int64)
        at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        word = tl.load(bitmask + row * bitmask_stride + at // 32, mask=at // 32 < words, other=0)
        forbidden = ((word >> (at % 32)) & 1) == 0
        tl.store(logits + row * logits_stride + at, -float("inf"), mask=forbidden & (at < width))

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
    return table, masks.to(table.device, non_blocking=True)


def apply_torch(logits: torch.Tensor, bitmask: torch.Tensor, indices: Sequence[int] | torch.Tensor | None = None) -> None:
    """Writes minus infinity over all logits that the bitmask does not allow, those included that it has no bit for."""
    table, masks = _checked(logits, bitmask)
    kernel = _triton_kernel() if table.is_cuda else None
    if kernel is None:
        apply_with_torch(table, masks, indices)
    else:
        apply_with_triton(kernel, table, masks, indices)


def apply_with_torch(
    table: torch.Tensor, masks: torch.Tensor, indices: Sequence[int] | torch.Tensor | None = None
) -> None:
    """The same with operations of torch, for (rows, width) logits and (rows, words) masks on one device."""
    if indices is not None:
        chosen = torch.as_tensor(indices, device=table.device, dtype=torch.int64)
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
    kernel: Any, table: torch.Tensor, masks: torch.Tensor, indices: Sequence[int] | torch.Tensor | None = None
) -> None:
    """The same with the kernel, in one launch."""
    rows = table.shape[0]
    chosen = None
    if indices is not None:
        chosen = torch.as_tensor(indices, device=table.device, dtype=torch.int64)
        rows = chosen.shape[0]
    if rows == 0:
        return
    blocks = (table.shape[1] + _BLOCK - 1) // _BLOCK
    kernel[(rows, blocks)](
        table, masks, masks if chosen is None else chosen, table.shape[1], masks.shape[1], table.stride(0), masks.stride(0),
        HAS_INDICES=chosen is not None, BLOCK=_BLOCK,
    )  # fmt: skip
