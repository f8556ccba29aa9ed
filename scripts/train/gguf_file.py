"""GGUF files: reading a model's metadata and weights, writing an adapter.

Only what training needs: the metadata as a dict, tensors as they lie in the file with their type, and the few types that
a Q4_K_M model is made of turned into bfloat16 on whatever device the bytes are on.
"""

import mmap
import struct

import numpy as np
import torch

F32, F16, Q8_0, Q4_K, Q6_K, BF16 = 0, 1, 8, 12, 14, 30
BLOCK = {F32: (1, 4), F16: (1, 2), BF16: (1, 2), Q8_0: (32, 34), Q4_K: (256, 144), Q6_K: (256, 210)}
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9


class Gguf:
    """`fields`: the metadata. `tensors`: name -> (type, shape with rows first, bytes)."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 0
        if self._take(4) != b"GGUF":
            raise ValueError(f"{path} is no GGUF file")
        version, tensors, fields = self._unpack("<I"), self._unpack("<Q"), self._unpack("<Q")
        if version not in (2, 3):
            raise ValueError(f"{path} has GGUF version {version}; 2 or 3 was expected")
        self.fields = {}
        for _ in range(fields):
            name = self._string()
            self.fields[name] = self._value(self._unpack("<I"))
        places = []
        for _ in range(tensors):
            name = self._string()
            shape = [self._unpack("<Q") for _ in range(self._unpack("<I"))]
            places.append((name, self._unpack("<I"), shape[::-1], self._unpack("<Q")))
        alignment = self.fields.get("general.alignment", 32)
        begin = (self._at + alignment - 1) // alignment * alignment
        self.tensors = {}
        for name, kind, shape, offset in places:
            if kind not in BLOCK:
                raise ValueError(f"{path}: the tensor {name} is of type {kind}, which is not read here")
            items, size = BLOCK[kind]
            count = int(np.prod(shape)) // items * size
            view = np.frombuffer(self._map, dtype=np.uint8, count=count, offset=begin + offset)
            self.tensors[name] = (kind, shape, view)

    def weight(self, name, device="cpu", dtype=torch.bfloat16):
        kind, shape, view = self.tensors[name]
        return dequantized(torch.from_numpy(view.copy()).to(device), kind).to(dtype).reshape(shape)

    def _take(self, count):
        self._at += count
        return self._map[self._at - count : self._at]

    def _unpack(self, form):
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _string(self):
        return self._take(self._unpack("<Q")).decode("utf-8", "surrogateescape")

    def _value(self, kind):
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._unpack(_SCALARS[kind])
        inner, count = self._unpack("<I"), self._unpack("<Q")
        return [self._value(inner) for _ in range(count)]


def _half(raw):
    return raw.contiguous().view(torch.float16).float()


def dequantized(raw, kind):
    """The numbers that the bytes stand for, as float32, in one row."""
    if kind == F32:
        return raw.view(torch.float32)
    if kind == F16:
        return raw.view(torch.float16).float()
    if kind == BF16:
        return raw.view(torch.bfloat16).float()
    blocks = raw.reshape(-1, BLOCK[kind][1])
    if kind == Q8_0:
        return (_half(blocks[:, :2]) * blocks[:, 2:].contiguous().view(torch.int8).float()).reshape(-1)
    if kind == Q4_K:
        scale, least = _half(blocks[:, 0:2]), _half(blocks[:, 2:4])
        packed = blocks[:, 4:16].int()
        low, high, both = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
        scales = torch.cat([low & 63, (both & 15) | ((low >> 6) << 4)], 1)
        mins = torch.cat([high & 63, (both >> 4) | ((high >> 6) << 4)], 1)
        quants = blocks[:, 16:].reshape(-1, 4, 1, 32)
        values = torch.cat([quants & 15, quants >> 4], 2).reshape(-1, 8, 32).float()
        return (values * (scale * scales).unsqueeze(2) - (least * mins).unsqueeze(2)).reshape(-1)
    if kind == Q6_K:
        low = blocks[:, :128].reshape(-1, 2, 2, 32)
        high = blocks[:, 128:192].reshape(-1, 2, 1, 32)
        nibbles = torch.cat([low & 15, low >> 4], 2)  # of the four runs of 32 in each half
        twos = torch.cat([(high >> shift) & 3 for shift in (0, 2, 4, 6)], 2)
        values = (nibbles | (twos << 4)).float() - 32
        scales = blocks[:, 192:208].contiguous().view(torch.int8).float()
        return (values.reshape(-1, 16, 16) * (scales * _half(blocks[:, 208:210])).unsqueeze(2)).reshape(-1)
    raise ValueError(f"type {kind}")


def _text(string):
    data = string.encode()
    return struct.pack("<Q", len(data)) + data


def _field(name, value):
    if isinstance(value, str):
        return _text(name) + struct.pack("<I", _STRING) + _text(value)
    if isinstance(value, float):
        return _text(name) + struct.pack("<If", 6, value)
    return _text(name) + struct.pack("<II", 4, value)


def write_gguf(path, fields, tensors):
    """`tensors`: name -> numpy array of float16 or float32, rows first. The same input gives the same bytes."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields))
    head += b"".join(_field(name, value) for name, value in fields.items())
    offset = 0
    for name, array in tensors.items():
        shape = array.shape[::-1]
        kind = {np.dtype(np.float16): F16, np.dtype(np.float32): F32}[array.dtype]
        head += _text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        head += struct.pack("<IQ", kind, offset)
        offset += (array.nbytes + 31) // 32 * 32
    with open(path, "wb") as file:
        file.write(head + b"\0" * (-len(head) % 32))
        for array in tensors.values():
            data = np.ascontiguousarray(array).tobytes()
            file.write(data + b"\0" * (-len(data) % 32))
