"""Passes over a derivation graph, each written once for every semiring."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.array_checks import checked_floats
from weft.core.graph import DerivationGraph
from weft.core.jit import jit
from weft.core.semirings import Dual, FloatArray, ValueArray, part_values, total
from weft.errors import InputError


def graph_values(semiring: Any, graph: DerivationGraph, scores: FloatArray) -> ValueArray:
    """Value of each part, as many as the graph has parts."""
    scores = checked_floats("scores", scores, (graph.n_parts,), "give one score per part")
    if isinstance(semiring, Dual):
        semiring = Dual(checked_floats("projections", semiring.projections, (graph.n_parts,), "give one per part"))
    return part_values(semiring, scores)


def checked_table(semiring: Any, graph: DerivationGraph, table: ValueArray) -> ValueArray:
    """What `inside` returned for the same graph and the same kind of semiring."""
    wanted = np.dtype(np.complex128 if isinstance(semiring, Dual) else np.float64)
    if getattr(table, "shape", None) != (graph.n_nodes,) or table.dtype != wanted or not table.flags.c_contiguous:
        raise InputError(
            f"an inside table of shape {np.shape(table)} given; need {wanted} of shape ({graph.n_nodes},): "
            "give what inside() returned for this graph"
        )
    return table


def inside(semiring: Any, graph: DerivationGraph, scores: FloatArray) -> ValueArray:
    """Value of the set of derivations of every node.

    Parameters
    ----------
    semiring : MaxPlus, Log, Counting, Draw or Dual
    graph : DerivationGraph
    scores : ndarray of float64, shape (n_parts,)
        ``-inf`` forbids a part.

    Returns
    -------
    ndarray of float64 or, for `Dual`, complex128, shape (n_nodes,)
        The last one is the value of all derivations of the graph.

    Examples
    --------
    >>> from weft.core import DerivationGraph, MaxPlus, inside
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> inside(MaxPlus(), graph, np.array([1.0, 2.0]))
    array([2.])
    """
    values = graph_values(semiring, graph, scores)
    table: ValueArray = inside_values(semiring, graph.offsets, graph.tails, graph.parts, values)
    return table


def outside(semiring: Any, graph: DerivationGraph, scores: FloatArray, inside_table: ValueArray) -> ValueArray:
    """Value of the set of contexts of every node: derivations of the root with one occurrence cut out.

    The product of the inside and the outside value of a node is the value of all occurrences of that node in
    derivations of the graph.

    Parameters
    ----------
    semiring : MaxPlus, Log, Counting, Draw or Dual
    graph : DerivationGraph
    scores : ndarray of float64, shape (n_parts,)
    inside_table : ndarray
        What `inside` returned for the same semiring, graph and scores.

    Returns
    -------
    ndarray of shape (n_nodes,)

    Examples
    --------
    >>> from weft.core import DerivationGraph, MaxPlus, inside, outside
    >>> graph = DerivationGraph.build([0, 1], [[-1, -1], [0, -1]], [0, 1], n_nodes=2, n_parts=2)
    >>> scores = np.array([1.0, 2.0])
    >>> outside(MaxPlus(), graph, scores, inside(MaxPlus(), graph, scores))
    array([2., 0.])
    """
    values, inside_table = graph_values(semiring, graph, scores), checked_table(semiring, graph, inside_table)
    use_offsets, uses = _uses(graph.offsets, graph.tails)
    table: ValueArray = _outside(
        semiring, graph.offsets, graph.tails, graph.parts, values, inside_table, use_offsets, uses
    )
    return table


@jit
def largest_degree(offsets: Any) -> Any:
    """Largest number of entries in one range of `offsets`."""
    largest = 0
    for node in range(offsets.shape[0] - 1):
        largest = max(largest, offsets[node + 1] - offsets[node])
    return largest


@jit
def edge_values(buffer: Any, table: Any, tails: Any, parts: Any, values: Any, start: int, count: int) -> None:
    """Write to `buffer` the values of the derivations that begin with each of `count` edges."""
    # Array elements are combined here, in one function per node, and not by a function per edge, whose
    # reference counts would cost ten times the arithmetic.
    for i in range(count):
        edge = start + i
        value = values.dtype.type(0)
        if parts[edge] >= 0:
            value += values[parts[edge]]
        if tails[edge, 0] >= 0:
            value += table[tails[edge, 0]]
        if tails[edge, 1] >= 0:
            value += table[tails[edge, 1]]
        buffer[i] = value


@jit
def inside_values(semiring: Any, offsets: Any, tails: Any, parts: Any, values: Any) -> Any:
    """Value of every node, from those of the parts."""
    n_nodes = offsets.shape[0] - 1
    table = np.empty(n_nodes, dtype=values.dtype)
    buffer = np.empty(largest_degree(offsets), dtype=values.dtype)
    for node in range(n_nodes):
        count = offsets[node + 1] - offsets[node]
        edge_values(buffer, table, tails, parts, values, offsets[node], count)
        table[node] = total(semiring, buffer, count)
    return table


@jit
def _uses(offsets: Any, tails: Any) -> Any:
    """Where every node is a tail, grouped by node: ``2 * edge + side``."""
    n_nodes = offsets.shape[0] - 1
    use_offsets = np.zeros(n_nodes + 1, dtype=np.int64)
    for edge in range(tails.shape[0]):
        for side in range(2):
            if tails[edge, side] >= 0:
                use_offsets[tails[edge, side] + 1] += 1
    for node in range(n_nodes):
        use_offsets[node + 1] += use_offsets[node]
    uses = np.empty(use_offsets[n_nodes], dtype=np.int64)
    free = use_offsets[:-1].copy()
    for edge in range(tails.shape[0]):
        for side in range(2):
            if tails[edge, side] >= 0:
                uses[free[tails[edge, side]]] = 2 * edge + side
                free[tails[edge, side]] += 1
    return use_offsets, uses


@jit
def _outside(
    semiring: Any,
    offsets: Any,
    tails: Any,
    parts: Any,
    values: Any,
    inside_table: Any,
    use_offsets: Any,
    uses: Any,
) -> Any:
    n_nodes = offsets.shape[0] - 1
    heads = np.empty(tails.shape[0], dtype=np.int32)
    for node in range(n_nodes):
        heads[offsets[node] : offsets[node + 1]] = node
    table = np.empty(n_nodes, dtype=values.dtype)
    buffer = np.empty(largest_degree(use_offsets), dtype=values.dtype)
    table[n_nodes - 1] = 0.0
    for node in range(n_nodes - 2, -1, -1):
        start = use_offsets[node]
        count = use_offsets[node + 1] - start
        for i in range(count):
            edge = uses[start + i] // 2
            sibling = tails[edge, 1 - uses[start + i] % 2]
            value = table[heads[edge]]
            if parts[edge] >= 0:
                value += values[parts[edge]]
            if sibling >= 0:
                value += inside_table[sibling]
            buffer[i] = value
        table[node] = total(semiring, buffer, count)
    return table
