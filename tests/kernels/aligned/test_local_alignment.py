"""Tests of `weft.kernels.aligned.local_alignment`."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import EmpiricalKernelMap, InputError, LocalAlignmentKernel, Normalized, SequenceSVC, SubstitutionMatrix
from weft.kernels.positive import check_positive_semidefinite

TEXTS = st.lists(st.text("ACW", max_size=5), min_size=1, max_size=4)
SMALL = SubstitutionMatrix(("A", "C", "W"), [[2.0, -1.0, 0.5], [-1.0, 3.0, -2.0], [0.5, -2.0, 4.0]])
KERNELS = [
    LocalAlignmentKernel(),
    LocalAlignmentKernel("PAM250", -14, -2, 0.1),
    LocalAlignmentKernel(SMALL, -3.0, -0.5, 1.0, n_jobs=1),
    LocalAlignmentKernel(SMALL, 0, 0, 0.5),
]


def by_definition(kernel, x, y):
    """Every local alignment: places of both that stand beside each other, in order, and the gaps between them."""
    matrix = kernel.matrix if isinstance(kernel.matrix, SubstitutionMatrix) else SubstitutionMatrix.load(kernel.matrix)
    total = 1.0
    for n in range(1, min(len(x), len(y)) + 1):
        for left in combinations(range(len(x)), n):
            for right in combinations(range(len(y)), n):
                score = sum(matrix[x[i], y[j]] for i, j in zip(left, right, strict=True))
                for places in (left, right):
                    skipped = np.diff(places) - 1
                    score += sum(kernel.gap_open + (gap - 1) * kernel.gap_extend for gap in skipped if gap)
                total += np.exp(kernel.beta * score)
    return np.log(total) / kernel.beta


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@given(X=TEXTS, Y=TEXTS)
@settings(max_examples=20, deadline=None)
def test_values_are_sums_over_all_local_alignments(kernel, X, Y):
    wanted = [[by_definition(kernel, x, y) for y in Y] for x in X]
    np.testing.assert_allclose(kernel.gram(X, Y), wanted, rtol=2e-5, atol=2e-5)
    np.testing.assert_allclose(kernel.diagonal(X), [by_definition(kernel, x, x) for x in X], rtol=2e-5, atol=2e-5)
    gram = kernel.gram(X)
    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_allclose(gram, kernel.gram(X, X), rtol=2e-5, atol=2e-5)


def test_a_value_worked_out_by_hand():
    # One symbol beside one: 1 + exp(0.5 * 4).
    np.testing.assert_allclose(LocalAlignmentKernel().gram(["A"], ["A"]), [[2 * np.log(1 + np.exp(2.0))]], rtol=1e-6)
    assert LocalAlignmentKernel().gram(["", "A"], [""]).tolist() == [[0.0], [0.0]]


def test_a_large_beta_gives_the_score_of_smith_and_waterman():
    kernel = LocalAlignmentKernel(beta=2.5)
    # HEAGAW-GHE-E against PAWHEAE: AW (4 + 11) beats AW-HEA-E, whose gaps cost more than their matches give.
    np.testing.assert_allclose(kernel.gram(["HEAGAWGHEE"], ["PAWHEAE"]), [[17.0]], atol=0.5)


def sequences(n, seed=0):
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list("ACDEFGHIKLMNPQRSTVWY"), size)) for size in random.integers(0, 60, n)]


def test_long_sequences_do_not_overflow():
    [x] = sequences(1, 3)
    long = ("ACDEFGHIKLMNPQRSTVWY" * 60)[:1100]
    value = LocalAlignmentKernel().gram([long], [long, x])
    best = sum(SubstitutionMatrix.load("BLOSUM62")[a, a] for a in long)
    assert best < value[0, 0] < 1.02 * best
    # Half the scores and twice the beta: the same odds, and twice the logarithm per unit.
    blosum = SubstitutionMatrix.load("BLOSUM62")
    half = SubstitutionMatrix(blosum.alphabet, np.asarray(blosum.values) / 2)
    np.testing.assert_allclose(
        2 * LocalAlignmentKernel(half, -5.5, -0.5, 1.0).gram([long], [long, x]), value, rtol=1e-6
    )


def test_values_depend_on_no_other_sequence_and_on_no_thread():
    X = sequences(80)
    gram = LocalAlignmentKernel(n_jobs=1).gram(X)
    np.testing.assert_array_equal(gram, LocalAlignmentKernel(n_jobs=2).gram(X))
    pairs = LocalAlignmentKernel(n_jobs=1).gram(X, X)
    np.testing.assert_array_equal(pairs, LocalAlignmentKernel(n_jobs=2).gram(X, X))
    for i, j in [(3, 70), (70, 3), (12, 12)]:
        assert LocalAlignmentKernel().gram([X[i]], [X[j]])[0, 0] == pairs[i, j]
    assert LocalAlignmentKernel().gram([list(X[3])], [list(X[70])])[0, 0] == pairs[3, 70]


def test_rows_of_its_matrix_are_features():
    X = sequences(12)
    kernel = EmpiricalKernelMap(Normalized(LocalAlignmentKernel()))
    check_positive_semidefinite(kernel.gram(X))


def test_similar_amino_acids_tell_families():
    # No common pair of letters between training and test: only the likeness of letters is left.
    X, y = ["LVLVLVLV", "LLVVLLVV", "DEDEDEDE", "DDEEDDEE"], ["fat", "fat", "acid", "acid"]
    svc = SequenceSVC(EmpiricalKernelMap(Normalized(LocalAlignmentKernel())), C=1.0, random_state=0).fit(X, y)
    assert svc.predict(["IMIMIMIM", "NQNQNQNQ"]).tolist() == ["fat", "acid"]


def test_what_cannot_be_meant_is_refused():
    automaton = weft.automata.Automaton.from_string("AC")
    for kernel, X, message in [
        (LocalAlignmentKernel(beta=0), ["A"], "beta=0 given; need a number above 0"),
        (LocalAlignmentKernel(beta=True), ["A"], "beta=True"),
        (LocalAlignmentKernel(gap_open=11), ["A"], "gap_open=11 given; need a number of at most 0"),
        (LocalAlignmentKernel(gap_extend=np.nan), ["A"], "gap_extend=nan"),
        (LocalAlignmentKernel("BLOSUM63"), ["A"], "did you mean 'BLOSUM62'"),
        (LocalAlignmentKernel(beta=10.0), ["W"], "take a smaller beta"),
        (LocalAlignmentKernel(SMALL), ["AX"], "the matrix has no 'X'"),
        (LocalAlignmentKernel(), ["acw"], "give proteins in upper case"),
        (LocalAlignmentKernel(), [automaton], "X holds automata"),
    ]:
        with pytest.raises(InputError, match=message):
            kernel.gram(X)
        with pytest.raises(InputError, match=message):
            kernel.diagonal(X)
