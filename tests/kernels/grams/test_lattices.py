import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute_force_grams as oracle
from weft import GappedKMerKernel, GappyKernel, InputError, MismatchKernel, NGramKernel, SubsequenceKernel
from weft.automata import (
    Automaton,
    compose,
    gappy_transducer,
    invert,
    ngram_transducer,
    strings_and_weights,
    total_weight,
)

# LK's lattices are confusions of a recogniser: abb 1/2, aab 1/6, bab 1/2.
ARCS = [
    (0, "a", 1, 1 / 2),
    (0, "b", 2, 1 / 2),
    (1, "b", 4, 1.0),
    (1, "a", 4, 1 / 3),
    (2, "a", 4, 1.0),
    (4, "b", 3, 1.0),
]
LATTICE = Automaton.from_arcs(ARCS, final={3: 1.0})

KERNELS = [
    (NGramKernel(2), lambda text: oracle.ngrams(text, 2)),
    (NGramKernel(2, min_n=1), lambda text: oracle.ngrams(text, 2) + oracle.ngrams(text, 1)),
    (GappyKernel(2, 0.5), lambda text: oracle.gappy(text, 2, 0.5)),
    (GappyKernel(3, 0.5, max_gap=1), lambda text: oracle.gappy(text, 3, 0.5, 1)),
    (MismatchKernel(2, 1, "ab"), lambda text: oracle.mismatches(text, 2, 1, "ab")),
    (GappedKMerKernel(3, 2), lambda text: oracle.gapped_kmers(text, 3, 2)),
]
EACH_KERNEL = pytest.mark.parametrize(("kernel", "count"), KERNELS, ids=[str(kernel) for kernel, _ in KERNELS])


@st.composite
def lattices(draw):
    """Acyclic automata over a, b and epsilon with signed weights."""
    n_states = draw(st.integers(2, 5))
    arc = st.tuples(
        st.integers(0, n_states - 2),
        st.sampled_from(["a", "b", None]),
        st.integers(1, n_states - 1),
        st.sampled_from([0.5, 1.0, -1.0, 2.0]),
    ).filter(lambda arc: arc[0] < arc[2])
    arcs = draw(st.lists(arc, min_size=1, max_size=9))
    return Automaton.from_arcs(arcs, final={n_states - 1: 1.0})


def expected(lattice, count):
    return oracle.in_lattice(strings_and_weights(lattice), count)


def test_published_lattice():
    mapped, rows = NGramKernel(2).feature_map([LATTICE])
    assert dict(zip(mapped.names(), rows.toarray()[0], strict=True)) == pytest.approx(
        {"a b": 7 / 6, "b b": 1 / 2, "a a": 1 / 6, "b a": 1 / 2}
    )
    assert NGramKernel(2).gram([LATTICE]) == pytest.approx(17 / 9)
    assert NGramKernel(2).diagonal([LATTICE]) == pytest.approx([17 / 9])


@EACH_KERNEL
@given(X=st.lists(lattices(), min_size=1, max_size=3))
@settings(max_examples=20)
def test_features_are_expected_counts(kernel, count, X):
    wanted = [expected(lattice, count) for lattice in X]
    gram = [[oracle.inner(one, other) for other in wanted] for one in wanted]
    np.testing.assert_allclose(kernel.gram(X), gram, atol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(gram), atol=1e-9)


@given(x=lattices(), y=lattices())
@settings(max_examples=20)
def test_gram_is_the_weight_of_a_composition(x, y):
    for kernel, counter in [
        (NGramKernel(2), ngram_transducer("ab", 2)),
        (GappyKernel(2, 0.5), gappy_transducer("ab", 2, 0.5)),
    ]:
        whole = compose(compose(compose(x, counter), invert(counter)), y)
        assert kernel.gram([x], [y])[0, 0] == pytest.approx(total_weight(whole), abs=1e-9)


def test_a_string_is_a_lattice_of_one_path():
    texts = ["abab", "bba", ""]
    kernel = NGramKernel(2)
    machines = [Automaton.from_string(text) for text in texts]
    np.testing.assert_array_equal(kernel.gram(machines), kernel.gram(texts))
    mapped, rows = kernel.feature_map(machines)
    np.testing.assert_array_equal(mapped.transform(texts).toarray(), rows.toarray())
    on_strings, _ = kernel.feature_map(texts)
    np.testing.assert_array_equal(on_strings.transform(machines).toarray(), rows.toarray())


@EACH_KERNEL
@pytest.mark.parametrize("semiring", ["log", "tropical"])
@given(lattice=lattices(), shift=st.sampled_from([0.0, 900.0]))
@settings(max_examples=15)
def test_costs_count_as_probabilities_of_paths(kernel, count, semiring, lattice, shift):
    likely = replace(lattice, weights=np.abs(lattice.weights))
    strings = strings_and_weights(likely)
    total = sum(strings.values())
    wanted = oracle.in_lattice({string: weight / total for string, weight in strings.items()}, count)
    final = np.where(lattice.final > 0.0, shift, math.inf)
    costs = replace(lattice, weights=-np.log(likely.weights), final=final, semiring=semiring)
    assert kernel.diagonal([costs])[0] == pytest.approx(oracle.inner(wanted, wanted))


def test_a_loop_counts_a_geometric_number_of_grams():
    # a^k with probability (1 - p) p^k: p^2 / (1 - p) times aa on average, and a..a with m between p^(m+2) / (1 - p).
    p, decay = 0.75, 0.5
    loop = Automaton.from_arcs([(0, "a", 0, p)], final={0: 1 - p})
    assert NGramKernel(2).features([loop]).toarray() == pytest.approx(p**2 / (1 - p))
    once = (p**2 + decay * p**3) / (1 - p)
    assert GappyKernel(2, decay, max_gap=1).features([loop]).toarray() == pytest.approx(once)
    always = p**2 / (1 - p) / (1 - decay * p)
    assert GappyKernel(2, decay).features([loop]).toarray() == pytest.approx(always)


@st.composite
def cyclic_lattices(draw):
    """Automata whose absolute weights sum to less than one at every state."""
    n_states = draw(st.integers(1, 4))
    state = st.integers(0, n_states - 1)
    arc = st.tuples(state, st.sampled_from(["a", "b", None]), state, st.sampled_from([0.1, 0.15, -0.1]))
    return Automaton.from_arcs(draw(st.lists(arc, max_size=6)), final={n_states - 1: 1.0})


@given(x=cyclic_lattices(), y=cyclic_lattices())
@settings(max_examples=40)
def test_cycles_are_summed_as_a_composition_sums_them(x, y):
    for kernel, counter in [
        (NGramKernel(2), ngram_transducer("ab", 2)),
        (GappyKernel(3, 0.5), gappy_transducer("ab", 3, 0.5)),
    ]:
        whole = compose(compose(compose(x, counter), invert(counter)), y)
        assert kernel.gram([x], [y])[0, 0] == pytest.approx(total_weight(whole), abs=1e-9)


@pytest.mark.parametrize("max_gap", [0, 2])
def test_cycles_are_the_limit_of_what_they_unroll_to(max_gap):
    arcs = [(0, "a", 1, 0.5), (1, "b", 0, 0.25), (1, None, 1, 0.125), (0, None, 0, 0.125)]
    cyclic = Automaton.from_arcs(arcs, final={0: 0.5, 1: 0.25})
    layers = 60
    unrolled = [(s + 2 * k, label, t + 2 * k + 2, w) for k in range(layers) for s, label, t, w in arcs]
    finals = {state + 2 * k: weight for k in range(layers + 1) for state, weight in ((0, 0.5), (1, 0.25))}
    kernel = GappyKernel(3, 0.5, max_gap=max_gap)
    mapped, rows = kernel.feature_map([cyclic])
    assert rows.nnz == (2 if max_gap == 0 else 8)
    limit = mapped.transform([Automaton.from_arcs(unrolled, final=finals)])
    assert rows.toarray() == pytest.approx(limit.toarray(), rel=1e-9)


def test_lattices_must_add_up():
    cyclic = Automaton.from_arcs([(0, "a", 1), (1, "b", 0)], final={1: 1.0})
    with pytest.raises(InputError, match="no finite sum"):
        NGramKernel(2).features([cyclic])
    with pytest.raises(InputError, match=r"X\[0\] is a Automaton, but X\[1\] is a string"):
        NGramKernel(2).features([LATTICE, "ab"])
    with pytest.raises(InputError, match="use GappyKernel"):
        SubsequenceKernel(2).gram([LATTICE])
