"""What a file is that is no text, by its first bytes."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["MODEL", "START", "binary_kind", "is_model"]

START = 512
"""First bytes that tell."""

MODEL = "a model file (safetensors)"

MAGIC = {
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip file (as are .docx, .xlsx and .npz)",
    b"PK\x05\x06": "an empty zip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"7z\xbc\xaf": "a 7z file",
    b"%PDF-": "a PDF",
    b"{\\rtf": "an RTF document",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"\x93NUMPY": "a NumPy array (.npy)",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"\x89HDF": "an HDF5 file",
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"SQLite format 3": "an SQLite database",
    b"\x7fELF": "a program",
    **{bytes([0x80, protocol]): "a Python pickle" for protocol in range(2, 6)},
}


def binary_kind(start: bytes) -> str | None:
    r"""What a file is whose first bytes these are; None if they say nothing.

    Examples
    --------
    >>> binary_kind(b"%PDF-1.7\n"), binary_kind(b"Rain\tNN\n")
    ('a PDF', None)
    """
    if start[5:8] == b"\0\0\0" and start[8:9] == b"{":  # the length of a header, and its JSON
        return MODEL
    if start[257:262] == b"ustar":
        return "a tar archive"
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as a model file does."""
    with Path(path).open("rb") as file:
        return binary_kind(file.read(START)) == MODEL
