"""Pieces of large text files: cut where examples end, so that nobody reads more than one of them at once."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal, NamedTuple, cast

from weft.errors import InputError
from weft.sequences.formats.text import NamedBytes

__all__ = ["PIECE_BYTES", "Cut", "FilePiece", "cut_file", "first_piece"]

PIECE_BYTES = 2**22
"""Bytes of text in a piece: about 300,000 tokens of columns, which take some 200 MB while they are read."""
GZIP_MAGIC = b"\x1f\x8b"

Cut = Literal["blank lines", "lines"]


class FilePiece(NamedTuple):
    """Some examples of a file: those between two places, counted in bytes of text."""

    path: Path
    begin: int
    end: int
    folder: str = ""
    """That the path counts from: workers are started elsewhere."""

    def open(self) -> NamedBytes:
        """The text; gzip is unpacked from its beginning, and what comes before is passed over."""
        with _text(Path(self.folder, self.path)) as file:
            file.seek(self.begin)
            return NamedBytes(file.read(self.end - self.begin), self.name)

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.path}, from byte {self.begin}" if self.begin else str(self.path)


def cut_file(path: Path, cut: Cut, size: int = PIECE_BYTES) -> list[FilePiece]:
    r"""The pieces of a file, each but the last one of at least `size` bytes.

    Parameters
    ----------
    path : Path
        Text, perhaps in gzip.
    cut : {"blank lines", "lines"}
        Where an example may end.
    size : int

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "two.conll")
    >>> _ = path.write_bytes(b"a x\nb y\n\na x\n")
    >>> [(piece.begin, piece.end, piece.open().read()) for piece in cut_file(path, "blank lines", 5)]
    [(0, 9, b'a x\nb y\n\n'), (9, 13, b'a x\n')]
    """
    ends: list[int] = []
    with _text(path) as file:
        while (end := _next_end(file, ends[-1] if ends else 0, cut, size)) is not None:
            ends.append(end)
    if not ends:
        raise InputError(f"{path} is empty; leave it out, or give examples")
    folder = str(Path.cwd())
    return [FilePiece(path, *ends_of, folder) for ends_of in zip([0, *ends[:-1]], ends, strict=True)]


def first_piece(path: Path, cut: Cut, size: int = PIECE_BYTES) -> FilePiece:
    """The first piece of a file, which tells how it is laid out; the others are not looked for."""
    with _text(path) as file:
        return FilePiece(path, 0, _next_end(file, 0, cut, size) or 0, str(Path.cwd()))


def _next_end(file: IO[bytes], begin: int, cut: Cut, size: int) -> int | None:
    """Where the piece ends that begins here; None at the end of the file."""
    # Reading and not seeking, which cannot tell where a file ends; nothing of it is kept.
    place, left = begin, size
    while left > 0:
        found = len(file.read(min(left, 2**20)))
        if not found:
            return place if place > begin else None
        place, left = place + found, left - found
    for number, line in enumerate(file):
        place += len(line)
        # The first line may be the rest of one.
        if cut == "lines" or (number and not line.strip()):
            break
    return place


@contextmanager
def _text(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            raw.seek(0)
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if packed else raw
    except (EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: broken gzip data ({error}); fetch it again") from None
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}; give readable text files") from None
