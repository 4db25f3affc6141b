"""What commands print: JSON for machines, small tables for people, text files that stream."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
import sys
import warnings
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from weft.errors import InputError


def is_watched() -> bool:
    """Whether somebody looks at standard error, so that progress bars make sense there."""
    return sys.stderr.isatty()


@contextmanager
def status(text: str) -> Iterator[None]:
    """Say on standard error what takes its time, while it does."""
    if not is_watched():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


@contextmanager
def progress_line(logged: bool = False) -> Iterator[Callable[[str], None]]:
    """Yield a function that says on standard error what is going on, in one line that changes.

    Where nobody looks it says nothing, or, `logged`, writes a line each time: what takes hours leaves a trace.
    """
    if not is_watched():
        yield (lambda text: print(text, file=sys.stderr, flush=True)) if logged else (lambda text: None)
        return
    from rich.console import Console

    with Console(stderr=True).status("") as line:
        yield line.update


@contextmanager
def printed_warnings() -> Iterator[None]:
    """Warnings as lines on standard error, each said once, when the block is done."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", UserWarning)
        yield
    for message in dict.fromkeys(str(note.message) for note in notes):
        print(f"weft: {message}", file=sys.stderr)


def print_json(value: Any) -> None:
    """Write one JSON object on standard output.

    Examples
    --------
    >>> print_json({"accuracy": 0.5})
    {"accuracy": 0.5}
    """
    print(json.dumps(value, ensure_ascii=False))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values in two columns; a value that is too long takes several lines."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, value)
    Console(highlight=False).print(table)


def console_and_table(*titles: str, words: Container[str] = ()) -> tuple[Any, Any]:
    """A console, and a table with these columns: names first, then numbers, which are never cut, or `words`."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, title in enumerate(titles):
        if place == 0 or title in words:
            table.add_column(title, overflow="fold")
        else:
            table.add_column(title, justify="right", no_wrap=True)
    return Console(highlight=False), table


def refuse_own_input(target: str | Path, *inputs: str | Path | None) -> None:
    """Refuse to write what the command reads, also under another name; "-" is standard output, or standard input.

    An input may be a pattern or several paths, as `expanded` takes them.
    """
    from weft.sequences.formats.text import expanded

    def found(path: str | Path, stream: int) -> os.stat_result | None:
        try:
            return os.fstat(stream) if str(path) == "-" else Path(path).stat()
        except (OSError, ValueError):
            return None

    written = found(target, 1)
    for given in (path for each in inputs if each for path in (expanded(each) if isinstance(each, str) else [each])):
        read = found(given, 0)
        if written and read and stat.S_ISREG(written.st_mode) and os.path.samestat(written, read):
            raise InputError(
                f"{os.fspath(target)!r} would be overwritten, but it is read as {os.fspath(given)!r}; "
                "nothing was changed: give another path to write to."
            )


def refuse_one_file_for_two(paths: Iterable[Path | None]) -> None:
    """Refuse outputs of which one would take the place of another.

    Examples
    --------
    >>> refuse_one_file_for_two([Path("m.weft"), None, Path("./m.weft")])
    Traceback (most recent call last):
    ...
    weft.errors.InputError: 'm.weft' is to hold two outputs; give each a path of its own.
    """
    seen: set[Path] = set()
    for path in filter(None, paths):
        place = Path(os.path.realpath(path))
        if place in seen and (place.is_file() or not place.exists()):  # a device takes all that comes
            raise InputError(f"{os.fspath(path)!r} is to hold two outputs; give each a path of its own.")
        seen.add(place)


def check_target(path: Path, *inputs: str | Path | None) -> None:
    """Refuse a file that cannot be written or that is one of the inputs, before the work and not after it."""
    from weft.sequences.formats.atomic import resolved

    refuse_own_input(path, *inputs)
    if os.fspath(path) == "-":
        raise InputError("cannot write to '-': what is written is a file, not text; give -o its path.")
    try:
        folder = resolved(path).parent
        if path.is_dir():
            reason = "it is a folder"
        elif not folder.is_dir():
            reason = f"there is no folder {folder}"
        elif not os.access(path if path.exists() else folder, os.W_OK):
            reason = "permission denied"
        else:
            return
    except FileNotFoundError:  # the working folder
        raise
    except (OSError, RuntimeError, ValueError) as error:  # too long a name, a loop of links, a null byte
        reason = getattr(error, "strerror", None) or str(error)
    raise InputError(f"cannot write {os.fspath(path)!r}: {reason}; give -o a path in a folder that you may write to.")


@contextmanager
def line_writer(target: str) -> Iterator[Callable[[Iterable[str]], None]]:
    """Yield a function that writes lines to standard output ("-"), or to a file that appears when all is written.

    Parameters
    ----------
    target : str
        A path, compressed when it ends in ``.gz``, or "-".
    """
    from weft.sequences.formats.atomic import atomic_write

    if target == "-":
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")

        def write(lines: Iterable[str]) -> None:
            sys.stdout.write("".join(f"{line}\n" for line in lines))
            sys.stdout.flush()

        yield write
        return
    with atomic_write(target) as raw, ExitStack() as stack:
        # No time stamp and no name inside, so that equal content gives equal files.
        packed = target.endswith(".gz")
        stream = stack.enter_context(gzip.GzipFile("", "wb", fileobj=raw, mtime=0)) if packed else raw

        def write_bytes(lines: Iterable[str]) -> None:
            stream.write("".join(f"{line}\n" for line in lines).encode())

        yield write_bytes
