"""Pre-images of n-gram counts as Euler paths of a de Bruijn graph (RG 1.4)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from weft.arrays import Integers, Mask
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.preimages.loops.euler import walk

Symbols = tuple[Hashable, ...]
MOST_EDGES = 1 << 30
"""N-grams of all strings together, at the most."""


class DeBruijnGraph:
    """Vertices are (n-1)-grams; each n-gram is an edge from its first n-1 symbols to its last, with a count.

    Strings with these counts of n-grams are the paths that use each edge as often as its count says. Such a path
    exists if and only if all edges are connected and either as many edges enter as leave each vertex, or one more
    leaves the first vertex and one more enters the last. (RG Theorem 5 has the first case only, and does not ask for
    connection.)

    Parameters
    ----------
    counts : mapping from n-grams to integers
        Keys are strings or tuples of symbols, all of one length of at least 2.
    stop : hashable, optional
        Symbol whose edges are examined first: where counts admit no pre-image, the end of a string is then not put off.

    Attributes
    ----------
    vertices : list of tuple
        Sorted.
    sources, targets : ndarray of shape (n_edges,)
        Vertices of each edge; edges are sorted by source, those to `stop` first, then by target.
    counts : ndarray of shape (n_edges,)

    Examples
    --------
    >>> graph = DeBruijnGraph({"ab": 1, "bc": 2, "ca": 1, "cb": 1})
    >>> graph.has_preimage(), graph.preimage("a")
    (True, 'abcbca')
    >>> graph.is_unique("a")
    True
    """

    def __init__(self, counts: Mapping[Any, int], stop: Hashable = None) -> None:
        self._text = all(isinstance(gram, str) for gram in counts)
        grams = {tuple(gram): _whole(gram, count) for gram, count in counts.items()}
        lengths = {len(gram) for gram in grams}
        if len(lengths) != 1 or min(lengths) < 2:
            raise InputError(f"n-grams of lengths {sorted(lengths)} given; need at least one, all of one length >= 2.")
        edges = [gram for gram, count in grams.items() if count > 0]
        vertices = {part for gram in grams for part in (gram[:-1], gram[1:])}
        try:
            self.vertices: list[Symbols] = sorted(vertices)
        except TypeError:
            self.vertices = sorted(vertices, key=repr)
        self._places = {vertex: i for i, vertex in enumerate(self.vertices)}
        edges.sort(key=lambda g: (self._places[g[:-1]], g[-1] != stop or stop is None, self._places[g[1:]]))
        self.sources = np.array([self._places[gram[:-1]] for gram in edges], dtype=np.int64)
        self.targets = np.array([self._places[gram[1:]] for gram in edges], dtype=np.int64)
        check_total(sum(grams.values()))
        self.counts = np.array([grams[gram] for gram in edges], dtype=np.int64)

    @property
    def n_edges(self) -> int:
        """Number of edges, each as often as its count: n-grams of a pre-image."""
        return int(self.counts.sum())

    @property
    def balance(self) -> Integers:
        """Edges that leave each vertex minus those that enter it."""
        n = len(self.vertices)
        leaving = np.bincount(self.sources, weights=self.counts, minlength=n)
        entering = np.bincount(self.targets, weights=self.counts, minlength=n)
        return np.asarray(np.rint(leaving - entering), dtype=np.int64)

    def is_connected(self) -> bool:
        """Whether all edges lie in one component."""
        return _connected(self.sources, self.targets, self.counts > 0, len(self.vertices))

    def has_preimage(self, start: Hashable = None) -> bool:
        """Whether a string has exactly these counts, and begins with `start` if one is given."""
        place = None if start is None else self._vertex(start)
        if self.n_edges == 0 or not self.is_connected():
            return False
        balance = self.balance
        if not balance.any():
            return place is None or bool(self._leaving(place) > 0)
        is_path = int(np.abs(balance).sum()) == 2
        return is_path and (place is None or int(balance[place]) == 1)

    def path(self, start: Hashable = None) -> Integers:
        """Edges of the generalised algorithm (RG 1.4.8): an Euler path where there is one, else several walks.

        Parameters
        ----------
        start : (n-1)-gram, optional
            Where to begin; None is a vertex that more edges leave than enter, else the first that has edges.

        Returns
        -------
        ndarray of shape (n_edges,)
            Each edge as often as its count.
        """
        if start is not None:
            begin = self._vertex(start)
        else:
            balance = self.balance
            begin = int(np.argmax(balance)) if balance.any() else int(self.sources[0]) if len(self.sources) else 0
        offsets = np.searchsorted(self.sources, np.arange(len(self.vertices) + 1))
        left, edges = self.counts.copy(), np.empty(self.n_edges, dtype=np.int64)
        order, pointers = np.arange(len(self.counts)), offsets[:-1].copy()
        n = 0
        for vertex in [begin, *range(len(self.vertices))]:
            if n < len(edges) and left[offsets[vertex] : offsets[vertex + 1]].any():
                n = walk(offsets, order, self.sources, self.targets, left, pointers, vertex, edges, n)
        return edges

    def string(self, path: Sequence[int] | Integers) -> str | list[Any]:
        """First vertex of a path and the last symbol of each of its edges."""
        if len(path) == 0:
            return "" if self._text else []
        symbols = [*self.vertices[self.sources[path[0]]], *(self.vertices[self.targets[edge]][-1] for edge in path)]
        return "".join(map(str, symbols)) if self._text else symbols

    def preimage(self, start: Hashable = None) -> str | list[Any]:
        """One string with these counts; an error if there is none.

        Examples
        --------
        >>> DeBruijnGraph({"aa": 1, "bb": 1}).preimage()
        Traceback (most recent call last):
        ...
        weft.errors.InputError: no string has these counts; their edges are not connected. Use path() ...
        """
        if not self.has_preimage(start):
            reason = "their edges are not connected" if not self.is_connected() else "edges in and out do not agree"
            raise InputError(f"no string has these counts; {reason}. Use path() for a string that is close to them.")
        return self.string(self.path(start))

    def log_n_preimages(self, start: Hashable = None) -> float:
        """Logarithm of the number of strings with these counts, by the BEST theorem.

        Euler circuits are counted by arborescences times ``(degree - 1)!`` for each vertex; copies of an edge can be
        exchanged without changing the string.

        Examples
        --------
        >>> graph = DeBruijnGraph({"ab": 1, "bc": 2, "ca": 1, "cb": 1, "cc": 1})
        >>> round(np.exp(graph.log_n_preimages("a")))
        2
        """
        if not self.has_preimage(start):
            return -np.inf
        n = len(self.vertices)
        graph = scipy.sparse.coo_array((self.counts, (self.sources, self.targets)), shape=(n, n)).toarray()
        balance = self.balance
        if balance.any():
            # An edge from the last to the first vertex makes a circuit of a path.
            graph[int(np.argmin(balance)), int(np.argmax(balance))] += 1
            rotations = 1
        else:
            rotations = self.n_edges if start is None else self._leaving(self._vertex(start))
        degrees = graph.sum(axis=1)
        used = np.flatnonzero(degrees)
        laplacian = (np.diag(degrees) - graph)[np.ix_(used, used)][1:, 1:].astype(np.float64)
        trees = float(np.linalg.slogdet(laplacian)[1]) if len(laplacian) else 0.0
        from scipy.special import gammaln

        exchanges = float(gammaln(self.counts + 1.0).sum())
        return trees + float(gammaln(degrees[used]).sum()) + float(np.log(rotations)) - exchanges

    def is_unique(self, start: Hashable = None) -> bool:
        """Whether exactly one string has these counts."""
        return bool(abs(self.log_n_preimages(start)) < np.log(1.5))

    def preimages(self, start: Hashable = None, limit: int | None = None) -> Iterator[str | list[Any]]:
        """All strings with these counts, in the order of their edges.

        Parameters
        ----------
        start : (n-1)-gram, optional
            None takes every possible one.
        limit : int, optional
            Stop after this many.

        Examples
        --------
        >>> list(DeBruijnGraph({"ab": 1, "bc": 2, "ca": 1, "cb": 1, "cc": 1}).preimages("a"))
        ['abcbcca', 'abccbca']
        """
        remaining = np.inf if limit is None else checked_number("limit", limit)
        if start is not None:
            starts = [self._vertex(start)]
        elif self.balance.any():
            starts = [int(np.argmax(self.balance))]
        else:
            starts = sorted(set(self.sources[self.counts > 0].tolist()))
        for place in starts:
            if not self.has_preimage(self.vertices[place]):
                continue
            for path in self._paths(place):
                if remaining == 0:
                    return
                yield self.string(path)
                remaining -= 1

    def _paths(self, start: int) -> Iterator[list[int]]:
        """Euler paths by search in depth. A step is taken only if all that is left can still be used up after it."""
        offsets = np.searchsorted(self.sources, np.arange(len(self.vertices) + 1)).tolist()
        left, total = self.counts.copy(), self.n_edges
        path: list[int] = []
        untried = [iter(range(offsets[start], offsets[start + 1]))]
        while untried:
            edge = next(untried[-1], None)
            if edge is None:
                untried.pop()
                if path:
                    left[path.pop()] += 1
                continue
            if left[edge] == 0:
                continue
            left[edge] -= 1
            path.append(edge)
            target = int(self.targets[edge])
            if len(path) == total:
                yield list(path)
            elif left[offsets[target] : offsets[target + 1]].any() and _connected(
                self.sources, self.targets, left > 0, len(self.vertices)
            ):
                untried.append(iter(range(offsets[target], offsets[target + 1])))
                continue
            left[path.pop()] += 1

    def _leaving(self, vertex: int) -> int:
        return int(self.counts[self.sources == vertex].sum())

    def _vertex(self, gram: Any) -> int:
        place = self._places.get(tuple(gram))
        if place is None:
            raise InputError(f"start {gram!r} is not a vertex of the graph; give one such as {self.vertices[0]!r}.")
        return place


def check_total(total: float) -> None:
    """Refuse counts whose walks do not fit in memory; their sum might even overflow."""
    if total > MOST_EDGES:
        raise InputError(
            f"the counts sum to {total:.3g}; need at most {MOST_EDGES}: give counts of n-grams in strings."
        )


def _whole(gram: Any, count: Any) -> int:
    if not 0 <= count < np.inf or count != int(count):
        raise InputError(f"n-gram {gram!r} has count {count}; whole numbers >= 0 are needed: use discretize first.")
    return int(count)


def _connected(sources: Integers, targets: Integers, alive: Mask, n_vertices: int) -> bool:
    """Whether the edges alive lie in one component; there may be none."""
    if not alive.any():
        return True
    rows, columns = sources[alive], targets[alive]
    graph = scipy.sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n_vertices, n_vertices))
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(graph, directed=False)
    return bool((labels[rows] == labels[rows[0]]).all())
