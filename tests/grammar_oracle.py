"""All trees of a sequence."""

import numpy as np

from weft.testing.oracles import enumerate_derivations


def all_trees(grammar, x):
    """Counts of rules of every parse tree, by enumeration on the graph."""
    graph = grammar.compile(grammar.encode(x))
    return np.array(
        [np.bincount(graph.parts[list(edges)], minlength=graph.n_parts) for edges in enumerate_derivations(graph)],
        dtype=float,
    ).reshape(-1, graph.n_parts)
