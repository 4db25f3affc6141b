"""Derivation graphs: every output space as one topologically sorted hypergraph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.errors import InputError

IntArray = npt.NDArray[np.int64]
SmallIntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class DerivationGraph:
    """Set of derivations, packed as the edges of an acyclic hypergraph.

    An edge derives its head from zero, one or two tails and may carry one *part*, the unit that is scored.
    A derivation of a node is one of its edges together with a derivation of each tail of that edge; the
    derivations of the graph are those of its last node, the root. The score of a derivation is the sum of
    the scores of its parts, where a part that occurs twice counts twice. A node without edges derives
    nothing.

    The constructor wants sorted arrays of exact types; `build` takes edges in any order.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_nodes + 1,)
        The edges of node ``v`` are ``offsets[v]:offsets[v + 1]``.
    tails : ndarray of int32, shape (n_edges, 2)
        Nodes an edge derives its head from, ``-1`` for none; each is smaller than the head.
    parts : ndarray of int32, shape (n_edges,)
        Part an edge carries, ``-1`` for none.
    n_parts : int
        Number of parts, the length of a score vector.

    Examples
    --------
    Two positions, each labelled with part 0 or 1 (first) and 2 or 3 (second):

    >>> graph = DerivationGraph.build(
    ...     heads=[0, 0, 1, 1], tails=[[-1, -1], [-1, -1], [0, -1], [0, -1]], parts=[0, 1, 2, 3],
    ...     n_nodes=2, n_parts=4)
    >>> graph.n_nodes, graph.n_edges
    (2, 4)
    """

    offsets: IntArray
    tails: SmallIntArray
    parts: SmallIntArray
    n_parts: int

    def __post_init__(self) -> None:
        for name, array, dtype, n_dims in (
            ("offsets", self.offsets, np.int64, 1),
            ("tails", self.tails, np.int32, 2),
            ("parts", self.parts, np.int32, 1),
        ):
            # One type per array keeps one compiled version of every pass.
            if array.dtype != dtype or array.ndim != n_dims or not array.flags.c_contiguous:
                raise InputError(
                    f"{name} is {array.ndim}-dimensional {array.dtype}; a graph needs contiguous "
                    f"{n_dims}-dimensional {np.dtype(dtype)}: use DerivationGraph.build"
                )
        n_edges = self.parts.shape[0]
        if self.offsets.shape[0] < 2 or self.tails.shape != (n_edges, 2) or self.offsets[-1] != n_edges:
            raise InputError(
                f"offsets of shape {self.offsets.shape}, tails {self.tails.shape} and parts "
                f"{self.parts.shape} do not fit together: use DerivationGraph.build"
            )
        counts = np.diff(self.offsets)
        if self.offsets[0] != 0 or counts.min() < 0:
            raise InputError(f"offsets do not rise from 0 to the {n_edges} edges: use DerivationGraph.build")
        heads = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        left, right = self.tails.T
        if n_edges and (self.tails.min() < -1 or (left >= heads).any() or (right >= heads).any()):
            raise InputError("a tail is not -1 or a node before its head: use DerivationGraph.build")
        if n_edges and (self.parts.min() < -1 or self.parts.max() >= self.n_parts):
            raise InputError(f"a part is outside -1 to {self.n_parts - 1}: use DerivationGraph.build")

    @property
    def n_nodes(self) -> int:
        """Number of nodes; the last one is the root."""
        return len(self.offsets) - 1

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.parts)

    @classmethod
    def build(
        cls,
        heads: npt.ArrayLike,
        tails: npt.ArrayLike,
        parts: npt.ArrayLike,
        n_nodes: int,
        n_parts: int,
    ) -> DerivationGraph:
        """Check edges given in any order and sort them by head.

        Edges of one head keep their order, which is the order in which ties are broken.

        Parameters
        ----------
        heads : array-like of int, shape (n_edges,)
        tails : array-like of int, shape (n_edges, 2)
            ``-1`` stands for no tail.
        parts : array-like of int, shape (n_edges,)
            ``-1`` stands for no part.
        n_nodes : int
            Number of nodes; node ``n_nodes - 1`` is the root.
        n_parts : int

        Returns
        -------
        DerivationGraph

        Examples
        --------
        >>> DerivationGraph.build([1, 0], [[0, -1], [-1, -1]], [-1, 0], n_nodes=2, n_parts=1).offsets
        array([0, 1, 2])
        """
        heads = _integers("heads", heads)
        tails = _integers("tails", tails)
        parts = _integers("parts", parts)
        n_edges = heads.shape[0]
        if n_edges == 0 and tails.size == 0:
            tails = tails.reshape(0, 2)
        if heads.ndim != 1 or tails.shape != (n_edges, 2) or parts.shape != (n_edges,):
            raise InputError(
                f"heads of shape {heads.shape}, tails {tails.shape} and parts {parts.shape} given; "
                "need (n_edges,), (n_edges, 2) and (n_edges,): give one row per edge"
            )
        if not 1 <= n_nodes <= np.iinfo(np.int32).max:
            raise InputError(f"n_nodes={n_nodes} given; need 1 to 2**31 - 1: a graph needs at least its root")
        if not 0 <= n_parts <= np.iinfo(np.int32).max:
            raise InputError(f"n_parts={n_parts} given; need 0 to 2**31 - 1: give the number of scored parts")
        _check_range("head", heads, 0, n_nodes, "n_nodes")
        _check_range("part", parts, -1, n_parts, "n_parts")
        bad = (tails >= heads[:, None]) | (tails < -1)
        if bad.any():
            edge, side = (int(index) for index in np.argwhere(bad)[0])
            tail, head = int(tails[edge, side]), int(heads[edge])
            raise InputError(
                f"edge {edge} has tail {tail} and head {head}; a tail is -1 or smaller than its head: "
                "number the nodes in topological order (a cycle has no such order)"
            )
        if n_edges and (heads[1:] < heads[:-1]).any():
            order = np.argsort(heads, kind="stable")
            heads, tails, parts = heads[order], tails[order], parts[order]
        offsets = np.zeros(n_nodes + 1, dtype=np.int64)
        np.cumsum(np.bincount(heads, minlength=n_nodes), out=offsets[1:])
        return cls(
            offsets,
            np.ascontiguousarray(tails, dtype=np.int32),
            np.ascontiguousarray(parts, dtype=np.int32),
            int(n_parts),
        )


def _integers(name: str, values: npt.ArrayLike) -> npt.NDArray[np.integer]:
    array = np.asarray(values)
    if array.size == 0:
        return array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name} has type {array.dtype}; need integers: convert before building the graph")
    return array


def _check_range(name: str, values: npt.NDArray[np.integer], low: int, stop: int, bound: str) -> None:
    if values.size and (values.min() < low or values.max() >= stop):
        edge = int(np.argmax((values < low) | (values >= stop)))
        raise InputError(
            f"edge {edge} has {name} {int(values[edge])}; need {low} to {stop - 1}: correct the edge or {bound}"
        )
