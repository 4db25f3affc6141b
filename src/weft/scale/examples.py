"""Training examples in parts, each of which is read when it is needed: files, or partitions of a Dask bag."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from weft.errors import InputError
from weft.scale.pieces import Cut, FilePiece, cut_file

__all__ = ["Examples", "as_examples", "file_paths"]

Reader = Callable[[], tuple[Any, Any]]


@dataclass(frozen=True)
class Examples:
    """Inputs and outputs in parts.

    Attributes
    ----------
    readers : list of callables
        Each gives the inputs and the outputs of a part; whoever needs them calls it, on this machine or another.
    names : list of str
        What messages call the parts.
    sources : list of str
        What tells these examples from others, so that a folder of shards is not taken for that of other data: paths
        with sizes and times of change, a digest of what is in memory, or the name that Dask made of a bag's content.

    Examples
    --------
    >>> from weft.scale import Examples
    >>> parts = Examples.from_lists(["ab", "ba", "a"], ["xy", "yx", "x"], n_parts=2)
    >>> [reader() for reader in parts.readers]
    [(['ab'], ['xy']), (['ba', 'a'], ['yx', 'x'])]
    """

    readers: list[Reader]
    names: list[str]
    sources: list[str]

    @classmethod
    def from_lists(cls, X: Sequence[Any], y: Sequence[Any], n_parts: int) -> Examples:
        """Examples in memory, cut into parts of equal size."""
        if len(X) != len(y):
            raise InputError(f"X has {len(X)} inputs but y has {len(y)} outputs; each input needs its own.")
        if not 1 <= n_parts <= len(X):
            raise InputError(f"n_parts is {n_parts}; 1 to {len(X)}, the number of examples, is needed.")
        cuts = [len(X) * i // n_parts for i in range(n_parts + 1)]
        readers: list[Reader] = [partial(_given, list(X[a:b]), list(y[a:b])) for a, b in pairwise(cuts)]
        return cls(readers, [f"part {i}" for i in range(n_parts)], [_digest((list(X), list(y)))])

    @classmethod
    def from_files(
        cls, files: str | Path | Iterable[str | Path], read: Callable[[Any], tuple[Any, Any]], cut: Cut | None = None
    ) -> Examples:
        """A part for each file, or for each piece of one.

        Parameters
        ----------
        files : path, pattern such as ``"parts/*.conll.gz"``, or list of these
            Files that a pattern finds are sorted by name.
        read : callable
            Gives the inputs and the outputs in a file, whose path it gets. It must be a function that others can
            import, if the parts go to a cluster.
        cut : {"blank lines", "lines"}, optional
            Where an example may end. Large files are cut there into pieces of a few megabytes, and `read` gets the text
            of a piece as an open stream. What follows from all examples of a file must not depend on a piece.
        """
        paths = file_paths([files] if isinstance(files, str | Path) else files)
        status = [path.stat() for path in paths]
        sources = [f"{path} {own.st_size} {own.st_mtime_ns}" for path, own in zip(paths, status, strict=True)]
        if cut is None:
            return cls([partial(read, path.absolute()) for path in paths], [str(path) for path in paths], sources)
        pieces = [piece for path in paths for piece in cut_file(path, cut)]
        return cls([partial(_read_piece, read, piece) for piece in pieces], [piece.name for piece in pieces], sources)

    @classmethod
    def from_bag(cls, bag: Any) -> Examples:
        """A part for each partition of a Dask bag of (input, output)."""
        pieces = bag.to_delayed()
        names = [f"partition {i}" for i in range(len(pieces))]
        return cls([partial(_computed, piece) for piece in pieces], names, [str(bag.name)])

    def read(self) -> tuple[list[Any], list[Any]]:
        """All examples in memory."""
        found = [reader() for reader in self.readers]
        return [x for X, _ in found for x in X], [each for _, y in found for each in y]


def as_examples(X: Any) -> Examples | None:
    """Examples in parts if X is something in parts, else None."""
    if isinstance(X, Examples):
        return X
    if type(X).__module__.startswith("dask.bag"):
        return Examples.from_bag(X)
    return None


def _digest(value: Any) -> str:
    from joblib import hash as digest  # of values, whichever objects hold them; takes a while to import

    return str(digest(value))


def _given(X: Any, y: Any) -> tuple[Any, Any]:
    return X, y


def _computed(piece: Any) -> tuple[list[Any], list[Any]]:
    rows = list(piece.compute(scheduler="synchronous"))
    bad = next((i for i, row in enumerate(rows) if not (isinstance(row, tuple | list) and len(row) == 2)), None)
    if bad is not None:
        raise InputError(f"item {bad} of a partition is {rows[bad]!r:.60}; a bag of (input, output) pairs is needed.")
    return [x for x, _ in rows], [y for _, y in rows]


def _read_piece(read: Callable[[Any], tuple[Any, Any]], piece: FilePiece) -> tuple[Any, Any]:
    return read(piece.open())


def file_paths(given: Iterable[str | Path]) -> list[Path]:
    """The files of paths and patterns; those that a pattern finds are sorted by name."""
    paths: list[Path] = []
    for each in given:
        if Path(each).exists():
            paths.append(Path(each))
            continue
        found = sorted(glob.glob(str(each)))  # noqa: PTH207 - patterns may be absolute
        if not found:
            raise InputError(f"no file is called {each}; give paths, or a pattern that finds some.")
        paths += map(Path, found)
    return paths
