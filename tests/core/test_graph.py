import numpy as np
import pytest
from hypothesis import given, settings

from weft.core import DerivationGraph
from weft.errors import InputError
from weft.testing.strategies import derivation_graphs

AXIOM = [-1, -1]


@pytest.mark.nojit
def test_build_sorts_edges_by_head_and_keeps_their_order():
    graph = DerivationGraph.build([1, 0, 1, 0], [[0, -1], AXIOM, AXIOM, AXIOM], [3, 2, 1, 0], 2, 4)
    np.testing.assert_array_equal(graph.offsets, [0, 2, 4])
    np.testing.assert_array_equal(graph.parts, [2, 0, 3, 1])
    np.testing.assert_array_equal(graph.tails, [AXIOM, AXIOM, [0, -1], AXIOM])
    assert (graph.n_nodes, graph.n_edges, graph.n_parts) == (2, 4, 4)


def test_a_graph_may_have_no_edges_at_all():
    graph = DerivationGraph.build([], [], [], n_nodes=3, n_parts=0)
    assert (graph.n_nodes, graph.n_edges) == (3, 0)


@given(derivation_graphs())
@settings(max_examples=50)
def test_built_graphs_are_topologically_sorted(graph):
    heads = np.repeat(np.arange(graph.n_nodes), np.diff(graph.offsets))
    assert (graph.tails < heads[:, None]).all()
    assert graph.offsets[-1] == graph.n_edges


@pytest.mark.parametrize(
    ("heads", "tails", "parts", "n_nodes", "n_parts", "message"),
    [
        ([0], [[0, -1]], [0], 1, 1, "edge 0 has tail 0 and head 0.*topological"),
        ([1, 0], [[0, -1], [-1, 1]], [0, 0], 2, 1, "edge 1 has tail 1 and head 0.*cycle"),
        ([0], [[-2, -1]], [0], 1, 1, "tail -2"),
        ([2], [AXIOM], [0], 2, 1, "edge 0 has head 2; need 0 to 1"),
        ([-1], [AXIOM], [0], 2, 1, "head -1"),
        ([0, 0], [AXIOM, AXIOM], [0, 5], 1, 5, "edge 1 has part 5; need -1 to 4"),
        ([0], [AXIOM], [-2], 1, 5, "part -2"),
        ([0], [AXIOM], [0, 1], 1, 2, "one row per edge"),
        ([0], [[-1]], [0], 1, 1, "one row per edge"),
        ([0.5], [AXIOM], [0], 1, 1, "heads has type float64; need integers"),
        ([], [], [], 0, 1, "n_nodes=0"),
        ([], [], [], 1, -1, "n_parts=-1"),
    ],
)
def test_build_names_the_fault(heads, tails, parts, n_nodes, n_parts, message):
    with pytest.raises(InputError, match=message) as caught:
        DerivationGraph.build(heads, tails, parts, n_nodes, n_parts)
    assert "\n" not in str(caught.value)


def test_the_constructor_refuses_arrays_of_another_type_or_shape():
    good = DerivationGraph.build([0], [AXIOM], [0], 1, 1)
    with pytest.raises(InputError, match="tails is 2-dimensional int64"):
        DerivationGraph(good.offsets, good.tails.astype(np.int64), good.parts, 1)
    with pytest.raises(InputError, match="do not fit together"):
        DerivationGraph(good.offsets, good.tails, np.zeros(2, dtype=np.int32), 1)
