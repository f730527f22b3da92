"""Writes small .npz files without numpy, at known offsets, so that vectors are memory-mapped in place."""

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

_ALIGN = 64
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_MAX_BYTES = (1 << 32) - 1
_VERSION = 20


def write_npz(path: Path, members: Mapping[str, tuple[str, tuple[int, ...], bytes | memoryview]]) -> dict[str, int]:
    """Write uncompressed arrays, each (dtype, shape, bytes); return the offset at which each one's values begin.

    numpy reads the file with `np.load(path, allow_pickle=False)`. ValueError beyond 4 GB, where zip ends.
    """
    offsets: dict[str, int] = {}
    central: list[bytes] = []
    with path.open("wb") as file:
        for name, (dtype, shape, values) in members.items():
            start = file.tell()
            file_name = f"{name}.npy".encode()
            head = _array_head(dtype, shape, start + _LOCAL.size + len(file_name))
            size = len(head) + len(values)
            if start + size > _MAX_BYTES:
                raise ValueError("too many vectors for one .npz file")
            crc = zlib.crc32(values, zlib.crc32(head))
            fields = (_VERSION, 0, 0, 0, 0x21, crc, size, size, len(file_name), 0)
            file.write(_LOCAL.pack(b"PK\x03\x04", *fields) + file_name + head)
            offsets[name] = file.tell()
            file.write(values)
            central.append(_CENTRAL.pack(b"PK\x01\x02", _VERSION, *fields, 0, 0, 0, 0, start) + file_name)
        start = file.tell()
        directory = b"".join(central)
        end = _END.pack(b"PK\x05\x06", 0, 0, len(central), len(central), len(directory), start, 0)
        file.write(directory + end)
    return offsets


def _array_head(dtype: str, shape: tuple[int, ...], at: int) -> bytes:
    """Return the .npy header, padded so that the values after it start at a multiple of 64 in the file."""
    text = repr({"descr": dtype, "fortran_order": False, "shape": shape}).encode("latin1")
    length = len(b"\x93NUMPY\x01\x00") + 2 + len(text) + 1
    text += b" " * (-(at + length) % _ALIGN) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text
