import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import GappyKernel, InputError, NGramKernel, RationalKernel
from weft.automata import Automaton, Transducer, compose, gappy_transducer, invert, ngram_transducer
from weft.kernels.positive import check_positive_semidefinite

TEXTS = st.lists(st.text("ab", max_size=7), min_size=1, max_size=4)
# Writes a for every symbol, or nothing for b at half the weight: strings of different lengths, with signs.
BLUR = Transducer.from_arcs(
    [(0, ("a", "a"), 0, 1.0), (0, ("b", "a"), 0, -1.0), (0, ("b", None), 0, 0.5)], final={0: 1.0}
)


@given(X=TEXTS, Y=TEXTS)
@settings(max_examples=15)
def test_counters_make_the_kernels_of_grams(X, Y):
    for counter, kernel in [
        (ngram_transducer("ab", 2), NGramKernel(2)),
        (gappy_transducer("ab", 3, 0.5), GappyKernel(3, 0.5)),
    ]:
        for method in ("features", "composition"):
            rational = RationalKernel(counter, method)
            np.testing.assert_allclose(rational.gram(X, Y), kernel.gram(X, Y), atol=1e-12)
            np.testing.assert_allclose(rational.diagonal(X), kernel.diagonal(X), atol=1e-12)


@given(X=TEXTS)
@settings(max_examples=15)
def test_any_transducer_is_positive(X):
    features, composed = RationalKernel(BLUR).gram(X), RationalKernel(BLUR, "composition").gram(X)
    np.testing.assert_allclose(features, composed, atol=1e-9)
    check_positive_semidefinite(features)
    whole = RationalKernel(compose(BLUR, invert(BLUR)), whole=True)
    np.testing.assert_allclose(whole.gram(X), features, atol=1e-9)
    np.testing.assert_allclose(whole.diagonal(X), np.diag(features), atol=1e-9)


def test_map_keeps_its_columns():
    kernel = RationalKernel(BLUR)
    mapped, rows = kernel.feature_map(["ab", "ba", ""])
    assert mapped.names() == ["", "a", "aa"]
    assert rows.toarray().tolist() == [[0, 0.5, -1], [0, 0.5, -1], [1, 0, 0]]
    restored = kernel.restore_feature_map(mapped.to_state())
    assert restored.names() == mapped.names()
    assert restored.transform(["b", "aaa"]).toarray().tolist() == [[0.5, -1, 0], [0, 0, 0]]
    assert mapped.transform_with_norms(["aaa"])[1] == 1
    with pytest.raises(InputError, match="does not know where"):
        mapped.spans("ab")


def test_lattices():
    lattice = Automaton.from_arcs([(0, "a", 1, 0.5), (0, "b", 1, 0.5), (1, "b", 2)], final={2: 1.0})
    kernel = RationalKernel(ngram_transducer("ab", 2))
    np.testing.assert_allclose(kernel.gram([lattice], [Automaton.from_string("ab")]), [[0.5]])


def test_lattices_of_costs_and_with_cycles():
    # a^k b with probability 2^-(k+1): on average half an ab, and half an aa.
    loop = Automaton.from_arcs([(0, "a", 0, np.log(2.0)), (0, "b", 1, 9.0)], final={1: 0.0}, semiring="tropical")
    for method in ("features", "composition"):
        kernel = RationalKernel(ngram_transducer("ab", 2), method)
        np.testing.assert_allclose(kernel.gram([loop]), [[0.5]])
        np.testing.assert_allclose(kernel.diagonal([loop]), [0.5])
    copy = Transducer.from_arcs([(0, (symbol, symbol), 0) for symbol in "ab"], final={0: 1.0})
    with pytest.raises(InputError, match=r"infinitely many strings.*method='composition'"):
        RationalKernel(copy).gram([loop])
    np.testing.assert_allclose(RationalKernel(copy, "composition").gram([loop]), [[1 / 3]])  # sum of 4^-k, k from 1


def test_a_whole_transducer_is_checked():
    swap = Transducer.from_arcs([(0, ("a", "b"), 1, 1.0), (0, ("b", "a"), 1, 1.0)], final={1: 1.0})
    with pytest.raises(InputError, match="eigenvalue of -1"):
        RationalKernel(swap, whole=True).gram(["a", "b"])
    one_way = Transducer.from_arcs([(0, ("a", "b"), 1, 1.0), (0, ("b", "b"), 1, 1.0)], final={1: 1.0})
    with pytest.raises(InputError, match=r"not symmetric: K\[0, 1\] is 1 and K\[1, 0\] is 0"):
        RationalKernel(one_way, whole=True).gram(["a", "b"])


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (RationalKernel(ngram_transducer("a", 1)), "symbol 'b', which the transducer does not read"),
        (RationalKernel(ngram_transducer("ab", 1, semiring="log")), "needs 'real'"),
        (RationalKernel(ngram_transducer("ab", 1), "magic"), "need 'features' or 'composition'"),
        (RationalKernel("T"), "transducer is a str"),
        (RationalKernel(ngram_transducer("ab", 1), max_strings=1), "more than 1 strings"),
    ],
)
def test_errors_say_what_came(kernel, message):
    with pytest.raises(InputError, match=message):
        kernel.gram(["ab"])


def test_a_transducer_that_never_ends_is_refused():
    endless = Transducer.from_arcs([(0, (None, "a"), 0, 0.5), (0, ("a", "a"), 1, 1.0)], final={1: 1.0})
    with pytest.raises(InputError, match="cycle"):
        RationalKernel(endless).gram(["a"])
