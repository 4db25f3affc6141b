"""Lines of text in, lines of text out: the one place where formats open and write files."""

from __future__ import annotations

import glob
import gzip
import io
import os
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

from weft.errors import InputError
from weft.sequences.formats.atomic import atomic_write
from weft.sequences.formats.binary import START, binary_kind

__all__ = [
    "FileParts",
    "NamedBytes",
    "Paths",
    "Source",
    "Target",
    "expanded",
    "first_label_alone",
    "has_header",
    "may_be_header",
    "name_of",
    "read_lines",
    "read_once",
    "refuse_header",
    "write_lines",
]

Source = str | os.PathLike[str] | IO[str] | IO[bytes]
Target = str | os.PathLike[str] | IO[str]

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = "\ufeff"
FASTQ = (
    "this is FASTQ, which only some commands read (--format fastq, or a file named .fastq); convert it to FASTA, for "
    "example with seqtk seq -a"
)
SHORTEST_READ = 4
"""Four tokens of a text may look like a read, but not long ones."""
INPUT_NAMES = frozenset(
    ["text", "sentence", "document", "review", "comment", "message", "sequence", "seq", "row", "input", "source"]
    + ["word", "words", "form", "token", "tokens", "tweet", "utterance", "spelling", "grapheme", "graphemes"]
)
OTHER_NAMES = frozenset(
    ["label", "labels", "class", "category", "target", "output", "tag", "tags", "pos", "ner", "chunk", "structure"]
    + ["phoneme", "phonemes", "pronunciation", "lemma", "name", "id", "sentiment", "rating", "stars", "intent"]
    + ["upos", "xpos", "entity", "entities"]
)
"""Names of columns: a line of nothing else, and some of both, is no example."""
MANY_LABELS = 20
"""Of fewer, one may well come once."""
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def name_of(source: Source | Target) -> str:
    """Return what to call a source or target in messages.

    Examples
    --------
    >>> name_of("-"), name_of("words.tsv"), name_of(io.StringIO())
    ('<stdin/stdout>', 'words.tsv', '<stream>')
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        return "<stdin/stdout>" if name == "-" else name
    return str(getattr(source, "name", "<stream>"))


class NamedBytes(io.BytesIO):
    """All bytes of a file, and what to call it in messages; `line` is the one that was read last."""

    line = 0

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


class CountedStream(io.BufferedReader):
    """A stream; `line` is the one that was read last."""

    line = 0


class FileParts(NamedBytes):
    """Several files as one, read one after the other; messages name the one that is being read."""

    def __init__(self, parts: Sequence[NamedBytes], name: str) -> None:
        super().__init__(b"".join(part.getvalue() for part in parts), name)
        self._whole, self._parts = name, parts

    def each(self) -> Iterator[NamedBytes]:
        """The files, from the beginning of each."""
        for part in self._parts:
            part.seek(0)
            self.name = part.name
            yield part
        self.name = self._whole


class CountedPath(str):
    """A path; `line` is the one that was read last."""

    line = 0


class Paths(str):
    """Several paths, written as one text for messages."""

    paths: tuple[str, ...]

    def __new__(cls, paths: Sequence[str]) -> Paths:
        """Keep the paths beside the text."""
        found = super().__new__(cls, ", ".join(paths))
        found.paths = tuple(paths)
        return found


def expanded(path: str) -> list[str]:
    """Paths that a path stands for: several that were given together, or those that a pattern like ``*.tsv`` matches.

    Examples
    --------
    >>> expanded("words.tsv"), expanded(Paths(["a.tsv", "b.tsv"]))
    (['words.tsv'], ['a.tsv', 'b.tsv'])
    """
    if isinstance(path, Paths):
        return [each for given in path.paths for each in expanded(given)]
    if path == "-" or not glob.has_magic(path) or os.path.lexists(path):
        return [path]
    found = sorted(each for each in glob.glob(path, recursive=True) if Path(each).is_file())  # noqa: PTH207
    if not found:
        raise InputError(f"no file matches {path!r}; give the path of a file, or a pattern that matches one")
    return found


def read_once(path: str) -> NamedBytes:
    """All bytes of a path, of the files that a pattern matches, or of standard input ("-"), to be looked at again.

    Examples
    --------
    >>> read_once("absent.tsv")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: cannot read 'absent.tsv': No such file or directory; give the path of a readable text file
    """
    several = expanded(path)
    if len(several) > 1:
        return FileParts([read_once(each) for each in several], name_of(path))
    path = several[0]
    if path == "-":
        content = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else sys.stdin.read().encode()
        return NamedBytes(content, name_of(path))
    with _open_path(path) as file:
        return NamedBytes(file.read(), name_of(path))


def read_lines(source: Source, *, fastq: bool = False) -> Iterator[tuple[int, str]]:
    r"""Numbered lines of a UTF-8 text, without their line ends.

    Lines end at ``\n`` or ``\r\n``, and a lone ``\r`` is refused; a byte order mark is dropped; gzip is recognised
    by its first two bytes, which no UTF-8 text starts with, so that it works for any file name and for standard input.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream (text or binary)
        Of `FileParts` the lines of each file, with a blank line after each.
    fastq : bool
        Whether FASTQ is wanted; it is refused otherwise, where it would pass for other text.

    Yields
    ------
    (int, str)
        Line number, counted from 1, and the line.

    Examples
    --------
    >>> list(read_lines(io.BytesIO(b"\xef\xbb\xbfone\r\ntwo")))
    [(1, 'one'), (2, 'two')]
    """
    if isinstance(source, FileParts):
        for part in source.each():
            number = 0
            for number, line in read_lines(part, fastq=fastq):
                source.line = number
                yield number, line
            yield number + 1, ""  # parts records of one file from those of the next
        return
    with _open_source(source) as stream:
        if _is_text(stream):
            lines = _iterate_text(cast(TextIO, stream), name_of(source))
        else:
            lines = _iterate_bytes(cast(BinaryIO, stream), name_of(source))
        first: list[str] = []
        counted: Any = source if isinstance(source, NamedBytes | CountedPath | CountedStream) else None
        for number, line in enumerate(lines, start=1):
            if counted is not None:
                counted.line = number
            if number == 1:
                line = line.removeprefix(BYTE_ORDER_MARK)
            if "\r" in line and "\r" in (line := line.replace("\r\n", "\n")):
                raise InputError(
                    f"{name_of(source)}, line {number}: a carriage return inside the line; lines end at \\n or \\r\\n: "
                    "convert the file, for example with tr '\\r' '\\n'"
                )
            line = line.removesuffix("\n")
            if number <= 4 and not fastq:
                first.append(line)
                if _is_fastq(first):
                    raise InputError(f"{name_of(source)}, line 1: {FASTQ}")
            yield number, line


def _is_fastq(lines: list[str]) -> bool:
    """Whether these are a name, a sequence, the name again or none, and as many marks as the sequence has letters."""
    if len(lines) != 4 or not lines[0].startswith("@"):
        return False
    name, sequence, again, quality = lines
    return again in ("+", f"+{name[1:]}") and len(sequence) == len(quality) >= SHORTEST_READ


def has_header(fields: Sequence[str]) -> bool:
    """Whether the fields of a line are names of columns: nothing else, and both of inputs and of answers.

    Examples
    --------
    >>> has_header(["Text", "Label"]), has_header(["text", "spam"])
    (True, False)
    """
    numbered = "0123456789 _" if len(fields) == 4 else ""  # two names and two rows
    names = {field.strip().lower().rstrip(numbered or None) for field in fields}
    return bool(names <= INPUT_NAMES | OTHER_NAMES and names & INPUT_NAMES and names & OTHER_NAMES)


def may_be_header(fields: Sequence[str]) -> bool:
    """Whether the fields of a line may be names of columns, as one of them usually is.

    Examples
    --------
    >>> may_be_header(["word", "ipa"]), may_be_header(["cat", "k æ t"])
    (True, False)
    """
    return any(field.strip().lower() in INPUT_NAMES | OTHER_NAMES for field in fields)


def refuse_header(fields: Sequence[str], where: str) -> None:
    """Refuse the first line of a table if it has names of columns in place of an example.

    Examples
    --------
    >>> refuse_header(["Text", "Label"], "reviews.tsv, line 1")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: reviews.tsv, line 1: 'Text', 'Label' name columns; needed an example: delete the line, ...
    """
    if has_header(fields):
        shown = ", ".join(map(repr, fields))
        raise InputError(
            f"{where}: {shown} name columns; needed an example: delete the line, or move it down if it is one"
        )


def first_label_alone(counts: Counter[str], label: str) -> bool:
    """Whether the first label of a file comes once and each other one more often, as the name of a column would.

    Examples
    --------
    >>> first_label_alone(Counter({"sentiment": 1, "good": 30, "bad": 20}), "sentiment")
    True
    >>> first_label_alone(Counter({"fair": 1, "good": 30, "bad": 1}), "fair")
    False
    """
    others = [count for name, count in counts.items() if name != label]
    return counts[label] == 1 and len(others) > 1 and min(others) > 1 and sum(others) >= MANY_LABELS


@contextmanager
def _open_source(source: Source) -> Iterator[IO[bytes] | IO[str]]:
    """Open a path and close it afterwards; leave a stream of the caller open."""
    if not isinstance(source, str | os.PathLike):
        yield source if _is_text(source) else _gunzip(cast(BinaryIO, source))
    elif source == "-":
        # The bytes below the text layer, so that a C locale cannot smuggle in surrogates.
        yield _gunzip(sys.stdin.buffer) if hasattr(sys.stdin, "buffer") else sys.stdin
    else:
        with _open_path(source) as file:
            yield _gunzip(file)


def _is_text(stream: IO[bytes] | IO[str]) -> bool:
    if not hasattr(stream, "read"):
        raise InputError(f"cannot read from a {type(stream).__name__}; give a path, '-' or an open file")
    return isinstance(stream.read(0), str)


def _open_path(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {name_of(path)!r}: {reason}; give the path of a readable text file") from error


def _gunzip(stream: BinaryIO) -> BinaryIO:
    """Decompress a stream that starts like a gzip file; hand others on as they are."""
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(_Unclosed(stream))
    try:
        start = buffered.peek(len(GZIP_MAGIC))
    except OSError as error:
        raise InputError(f"cannot read {name_of(stream)}: {error.strerror}; give a text file") from error
    if start.startswith(GZIP_MAGIC):
        # The outer buffer makes iteration over lines more than twice as fast.
        return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=buffered, mode="rb")))
    return buffered


class _Unclosed(io.RawIOBase):
    """Read from a stream of the caller, and never close it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Say yes: this is for reading."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill `buffer` with the next bytes."""
        view = memoryview(cast(bytearray, buffer))
        chunk = self._stream.read(len(view))
        view[: len(chunk)] = chunk
        return len(chunk)


def _iterate_text(stream: TextIO, name: str) -> Iterator[str]:
    number = 0
    try:
        for line in stream:
            number += 1
            if "\0" in line:
                raise InputError(f"{name}, line {number}: a null character; this is not text; give a text file")
            yield line
    except UnicodeDecodeError as error:
        # A text layer decodes in blocks, so the line is only known roughly.
        raise InputError(f"{name}, after line {number}: not UTF-8 text; convert it with iconv -t UTF-8") from error


def _iterate_bytes(stream: BinaryIO, name: str) -> Iterator[str]:
    offset = 0
    number = 0
    start = b""
    try:
        start = cast(io.BufferedReader, stream).peek(START)[:START]
        for raw in stream:
            number += 1
            if b"\0" in raw:
                raise _not_text(start, name, number, offset + raw.index(b"\0"), 0)
            yield raw.decode("utf-8")
            offset += len(raw)
    except UnicodeDecodeError as error:
        raise _not_text(start, name, number, offset + error.start, error.object[error.start]) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}, after line {number}: broken gzip data ({error}); fetch it again") from error
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}; give a readable text file") from error


def _not_text(start: bytes, name: str, number: int, position: int, byte: int) -> InputError:
    """Say what a file is that begins like this and has a byte that no text has."""
    where = f"{name}, line {number}, byte {position}"
    if (kind := binary_kind(start)) is not None:
        return InputError(f"{where}: this looks like {kind}, needed UTF-8 text; give the text that it holds")
    if start.startswith(UTF_16_MARKS) or b"\0" * 4 in (start[:8:2], start[1:8:2]):
        encoding = "UTF-16" if start.startswith(UTF_16_MARKS) else "UTF-16LE" if start[0] else "UTF-16BE"
        return InputError(f"{where}: {encoding}, needed UTF-8; convert the file with iconv -f {encoding} -t UTF-8")
    if byte == 0 or any(each < 9 or 13 < each < 27 for each in start):  # controls that no text has
        return InputError(f"{where}: this looks like a binary file, needed UTF-8 text; give a text file")
    return InputError(
        f"{where}: 0x{byte:02x} is not UTF-8; convert the file, for example with iconv -f LATIN1 -t UTF-8"
    )


def write_lines(lines: Iterable[str], target: Target) -> None:
    r"""Write lines as UTF-8; a path is replaced only when all of them are safely on disk.

    Parameters
    ----------
    lines : iterable of str
        Without line ends; one that contains a line break or a null character is refused.
    target : path (compressed when it ends in ``.gz``), "-" for standard output, or an open text stream

    Examples
    --------
    >>> write_lines(["one", "two"], "-")
    one
    two
    """
    name = name_of(target)
    if not isinstance(target, str | os.PathLike):
        _write_text(lines, cast(TextIO, target), name)
    elif target == "-":
        _write_text(lines, sys.stdout, name)
        sys.stdout.flush()
    else:
        path = Path(target)
        with atomic_write(path) as raw, ExitStack() as stack:
            # No time stamp and no name inside, so that equal content gives equal files.
            packed = path.suffix == ".gz"
            stream = stack.enter_context(gzip.GzipFile("", "wb", fileobj=raw, mtime=0)) if packed else raw
            for number, line in _checked(lines, name):
                try:
                    stream.write(line.encode("utf-8"))
                except UnicodeEncodeError as error:
                    raise _not_encodable(line, number, name, error) from error


def _write_text(lines: Iterable[str], stream: TextIO, name: str) -> None:
    for number, line in _checked(lines, name):
        try:
            stream.write(line)
        except UnicodeEncodeError as error:
            raise _not_encodable(line, number, name, error) from error


def _checked(lines: Iterable[str], name: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, start=1):
        if "\n" in line or "\r" in line or "\0" in line:
            raise InputError(
                f"{name}, line {number} to write: {_shorten(line)} contains a line break or a null character; "
                "replace it first"
            )
        if number == 1 and line.startswith(BYTE_ORDER_MARK):
            # Readers drop one byte order mark: give them one to drop.
            line = BYTE_ORDER_MARK + line
        yield number, line + "\n"


def _not_encodable(line: str, number: int, name: str, error: UnicodeEncodeError) -> InputError:
    return InputError(
        f"{name}, line {number} to write: {_shorten(line)} has no {error.encoding} form ({error.reason}); "
        f"replace that character"
    )


def _shorten(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:37] + "...")
