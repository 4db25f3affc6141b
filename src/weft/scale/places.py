"""Places for shards of data that a fit makes as it goes: files of a folder, or the workers of a cluster.

Each shard is some named arrays. Two functions that others can import say what becomes of them: ``prepare(common,
arrays)`` gives the arrays to keep, ``bind(common, arrays, cut)`` what answers questions about them, `cut` into runs as
sums over all shards are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from weft.scale.local import LocalKeeper
from weft.scale.shard_files import MappedFile, ShardWriter

__all__ = ["MOST_PARTS", "PARTS_PER_WORKER", "ClusterPlace", "FilePlace", "Place", "neighbours"]

Arrays = dict[str, NDArray[Any]]
Part = tuple[Arrays, Any, int]
"""Arrays of a part, how it is cut, and how many sequences it has."""
Prepare = Callable[[Any, Arrays], Arrays]
Bind = Callable[[Any, Arrays, Any], Any]
Shard = TypeVar("Shard")

MOST_PARTS = 256
"""Parts of data on a cluster: a question is a task for each, and a scheduler takes about a millisecond for one."""
PARTS_PER_WORKER = 4
"""Parts for each worker that is there at first, if data are cut so far: some to give away to those that come later."""


def neighbours(shards: Sequence[Shard], most: int) -> Iterator[Sequence[Shard]]:
    """Neighbouring shards as one, so that there are at most so many parts, however much data there are.

    There are a power of two of them in each group, as below a node of the tree in which sums are added: who adds what
    changes, but not the order.

    Examples
    --------
    >>> list(neighbours("abcde", 3))
    ['ab', 'cd', 'e']
    """
    size = 1
    while len(shards) > size * most:
        size *= 2
    for begin in range(0, len(shards), size):
        yield shards[begin : begin + size]


class Place(Protocol):
    """Where parts are kept."""

    def most_parts(self, n_shards: int) -> int:
        """How many parts so many shards may be."""
        ...

    def keep(self, prepare: Prepare, bind: Bind, common: Any, parts: Iterable[Part]) -> Any:
        """A keeper of these parts (`weft.scale.batch.Keeper`); what is the same for all of them goes along."""
        ...


class FilePlace:
    """Files of a folder, mapped into memory while they are asked.

    Parameters
    ----------
    folder : Path
        It may hold other files. Those of this place are called ``kept-*`` and go with `clear`.
    n_jobs : int or None

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> place = FilePlace(Path(tempfile.mkdtemp()), 1)
    >>> class Batch:
    ...     def __init__(self, common, arrays, cut):
    ...         self.hints, self.values = None, common * arrays["x"]
    ...     def log_partitions(self):
    ...         return self.values
    >>> parts = [({"x": np.arange(2)}, None, 2), ({"x": np.ones(1)}, None, 1)]
    >>> place.keep(lambda common, arrays: arrays, Batch, 10, parts).ask("log_partitions", [], None)
    array([ 0., 10., 10.])
    >>> place.clear()
    """

    def __init__(self, folder: Path, n_jobs: int | None) -> None:
        self._folder, self._n_jobs = folder, n_jobs
        self._numbers = count()
        self.clear()  # of a run that was killed

    def most_parts(self, n_shards: int) -> int:
        """Each shard is a file."""
        return n_shards

    def keep(self, prepare: Prepare, bind: Bind, common: Any, parts: Iterable[Part]) -> LocalKeeper:
        """Write the parts; who opens them when they are asked."""
        writer = ShardWriter(self._folder, f"kept-{next(self._numbers)}")
        shards: list[dict[str, Any]] = []
        cuts, sizes = [], []
        for arrays, cut, size in parts:
            shards.append(writer.append(prepare(common, arrays)))
            cuts.append(cut)
            sizes.append(size)
        files = {name: MappedFile(self._folder / name) for name in sorted({shard["file"] for shard in shards})}

        def opened(part: int) -> Any:
            shard = shards[part]
            return bind(common, files[shard["file"]].arrays(shard["begin"], shard["end"]), cuts[part])

        def let_go(part: int) -> None:
            shard = shards[part]
            files[shard["file"]].let_go(shard["begin"], shard["end"])

        openers = [partial(opened, part) for part in range(len(shards))]
        return LocalKeeper(openers, sizes, {}, self._n_jobs, let_go)

    def clear(self) -> None:
        """Delete the files."""
        for path in self._folder.glob("kept-*"):
            path.unlink()


class ClusterPlace:
    """The workers of a cluster.

    Parameters
    ----------
    client : dask.distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def most_parts(self, n_shards: int) -> int:
        """Some for each worker that is there now."""
        from weft.scale.cluster import n_workers

        return min(MOST_PARTS, PARTS_PER_WORKER * max(n_workers(self._client), 1))

    def keep(self, prepare: Prepare, bind: Bind, common: Any, parts: Iterable[Part]) -> Any:
        """Send the parts to workers."""
        from weft.scale.cluster import ClusterKeeper, submitted, worker_addresses

        there = submitted(self._client, _same, common)  # once to each worker
        futures, sizes, workers, listed = [], [], worker_addresses(self._client), list(parts)
        for number, (arrays, cut, size) in enumerate(listed):
            # Neighbours together, so that sums travel less.
            at = workers[number * len(workers) // len(listed)] if workers else None
            futures.append(submitted(self._client, _bound, prepare, bind, there, arrays, cut, at=at))
            sizes.append(size)
        return ClusterKeeper(self._client, futures, sizes, {})

    def clear(self) -> None:
        """Workers let go what nobody asks for."""


def _bound(prepare: Prepare, bind: Bind, common: Any, arrays: Arrays, cut: Any) -> Any:
    return bind(common, prepare(common, arrays), cut)


def _same(value: Any) -> Any:
    return value
