"""One question to each part of some examples: read here, a few at a time, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from weft.core.shards import added, concatenate_over_shards, sum_over_shards
from weft.core.threads import core_share
from weft.errors import InputError
from weft.garbage import no_collection
from weft.scale.examples import Examples

__all__ = ["PartWork"]

Work = Callable[..., Any]
"""Gets the inputs and outputs of a part, the number of its first example, and whatever is the same for all parts."""


class PartWork:
    """Examples in parts, each of which is read anew for a question.

    Parameters
    ----------
    examples : Examples
    client : dask.distributed.Client, optional
        Whose workers read them; without one, this process does.
    n_jobs : int or None
        How many parts this process reads at once.

    Examples
    --------
    >>> parts = PartWork(Examples.from_lists(["a", "bc", "d"], [1, 2, 3], n_parts=2), n_jobs=1)
    >>> parts.each(lambda X, y, first: (X, first))
    [(['a'], 0), (['bc', 'd'], 1)]
    >>> parts.n_examples, parts.total(lambda X, y, first, factor: [factor * sum(y)], 10)
    (3, [60])
    """

    def __init__(self, examples: Examples, client: Any = None, n_jobs: int | None = None) -> None:
        self._examples, self._client, self._n_jobs = examples, client, n_jobs
        self.names = examples.names
        if client is not None:
            from weft.scale.cluster import check_workers

            check_workers(client)
        self._first: list[int] = [0] * len(examples.readers)
        sizes = self.each(_size)
        self._first = [0, *accumulate(sizes[:-1])]
        self.n_examples = sum(sizes)

    def each(self, work: Work, *common: Any) -> list[Any]:
        """What `work` gives for each part."""
        if self._client is not None:
            from weft.scale.cluster import gathered, persistent

            return list(persistent(self._client, lambda: gathered(self._client, self._submitted(work, common))))
        numbers = range(len(self._first))
        return concatenate_over_shards(lambda part: self._asked(part, work, common), numbers, self._n_jobs)

    def total(self, work: Work, *common: Any, add: Callable[[Any, Any], Any] = added) -> Any:
        """What `work` gives for all parts together, added in the order of a binary tree over them."""
        if self._client is None:
            numbers = range(len(self._first))
            return sum_over_shards(lambda part: self._asked(part, work, common), numbers, self._n_jobs, add=add)
        from weft.scale.cluster import gathered, persistent, submitted

        def asked() -> Any:
            nodes = self._submitted(work, common)
            while len(nodes) > 1:
                twos = zip(nodes[::2], nodes[1::2], strict=False)
                pairs = [submitted(self._client, _node, add, *two) for two in twos]
                nodes = pairs + nodes[2 * len(pairs) :]
            return gathered(self._client, nodes)[0]

        return persistent(self._client, asked)

    def _submitted(self, work: Work, common: tuple[Any, ...]) -> list[Any]:
        from weft.scale.cluster import submitted

        there = [submitted(self._client, _same, each) for each in common]  # once to each worker
        named = zip(self._examples.readers, self._examples.names, self._first, strict=True)
        return [submitted(self._client, _on_worker, work, *each, *there) for each in named]

    def _asked(self, part: int, work: Work, common: tuple[Any, ...]) -> Any:
        return _read(work, self._examples.readers[part], self._examples.names[part], self._first[part], *common)


def _size(X: Any, y: Any, first: int) -> int:
    if len(X) != len(y):
        raise InputError(f"X has {len(X)} inputs but y has {len(y)} outputs; each input needs its own.")
    return len(X)


def _read(work: Work, reader: Callable[[], tuple[Any, Any]], name: str, first: int, *common: Any) -> Any:
    with no_collection():
        X, y = reader()
    if not len(X):
        raise InputError(f"{name} has no example; leave it out.")
    try:
        return work(X, y, first, *common)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _on_worker(work: Work, *arguments: Any) -> Any:
    with core_share(1):
        return _read(work, *arguments)


def _node(add: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    import copy

    return add(copy.deepcopy(left), right)  # what came from another worker may be read only


def _same(value: Any) -> Any:
    return value
