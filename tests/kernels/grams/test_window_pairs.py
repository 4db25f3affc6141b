"""Tests of `weft.kernels.grams.window_pairs`."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import GappedKMerKernel, InputError, Normalized, SequenceSVC, WindowPairKernel
from weft.kernels.grams.window_pairs import BLOCK, pair_values

PAIRED = dict(zip("ACGTU", "TGCAA", strict=True))


def other_strand(text):
    return "".join(PAIRED.get(letter, letter) for letter in reversed(text))


def windows(kernel, text):
    """Each window of letters of DNA with its weight."""
    n = len(text) - kernel.g + 1
    for i in range(n):
        window = text[i : i + kernel.g].replace("U", "T")
        if not set(window) <= set("ACGT"):
            continue
        if kernel.half_life is None:
            yield window, 1.0
        elif kernel.levels is None:
            yield window, 2.0 ** (-abs((i + kernel.g / 2) - len(text) / 2) / kernel.half_life)
        else:  # as the help of gkmtrain says: M exp(-ln 2 D / H) + 1, without fractions, and at most M
            rounded = math.floor(kernel.levels * math.exp(-math.log(2) * abs(n // 2 - i) / kernel.half_life)) + 1
            yield window, min(kernel.levels, rounded) / kernel.levels


def by_pairs(kernel, x, y):
    """Sum over all pairs of windows, one after the other."""
    values = pair_values(kernel.g, kernel.k, filtered=kernel.filtered)
    if kernel.most_mismatches is not None:
        values = values[: kernel.most_mismatches + 1]
    total = 0.0
    for u, a in windows(kernel, x):
        for v, b in windows(kernel, y):
            for each in (v, other_strand(v)) if kernel.reverse_complement else (v,):
                mismatches = sum(s != t for s, t in zip(u, each, strict=True))
                total += a * b * values[mismatches] if mismatches < len(values) else 0.0
    return total


DNA = st.lists(st.text("ACGTN", max_size=30), min_size=1, max_size=5)


@pytest.mark.parametrize(
    "kernel",
    [
        WindowPairKernel(half_life=7.0),
        WindowPairKernel(5, 3, 1, half_life=4.0, levels=7),
        WindowPairKernel(4, 2, None, filtered=False, half_life=None),
        WindowPairKernel(3, 1, None, reverse_complement=False),
        WindowPairKernel(1, 1, 0, reverse_complement=False, half_life=None, n_jobs=1),
        WindowPairKernel(2, 1, 5, half_life=0.5),
        WindowPairKernel(9, 9, None),
    ],
    ids=str,
)
@given(X=DNA, Y=DNA)
@settings(max_examples=40, deadline=None)
def test_values_are_sums_over_all_pairs_of_windows(kernel, X, Y):
    wanted = [[by_pairs(kernel, x, y) for y in Y] for x in X]
    np.testing.assert_allclose(kernel.gram(X, Y), wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), [by_pairs(kernel, x, x) for x in X], rtol=1e-9, atol=1e-12)
    gram = kernel.gram(X)
    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_array_equal(np.diag(gram), kernel.diagonal(X))
    np.testing.assert_allclose(gram, kernel.gram(X, X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("g", "k"), [(1, 1), (3, 1), (4, 2), (5, 4), (5, 5)])
def test_values_of_pairs_are_sums_over_what_both_count_for(g, k):
    """Each way to look at k places; or each window z, which both count for as an estimate says that is tested there."""
    rows = {
        z: GappedKMerKernel(g, k, filtered=True).gram(["A" * g], [z])[0, 0]
        for z in map("".join, product("AC", repeat=g))
    }
    for m, value in enumerate(pair_values(g, k, filtered=True)):
        assert rows["C" * m + "A" * (g - m)] == pytest.approx(value)
    unseen = [rows["C" * m + "A" * (g - m)] for m in range(len(pair_values(g, k, filtered=True)), g + 1)]
    np.testing.assert_allclose(unseen, 0.0, atol=1e-12)
    plain = GappedKMerKernel(g, k).gram(["A" * g], ["C" * m + "A" * (g - m) for m in range(g + 1)])[0]
    np.testing.assert_array_equal(plain[: g - k + 1], pair_values(g, k, filtered=False))
    assert not plain[g - k + 1 :].any()


def sequences(n, longest=80, seed=0):
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list("ACGT"), size)) for size in random.integers(0, longest, n)]


@pytest.mark.parametrize("options", [{"filtered": True}, {"filtered": False}, {"filtered": True, "half_life": 9.0}])
def test_without_a_cut_it_is_the_kernel_of_the_features(options):
    X = [*sequences(9), "ACGNTTGACTCAGGGATTTACCA", "GGGAUUACCAGAUAC".replace("U", "T")]
    for g, k in ((11, 7), (5, 3)):
        wanted = GappedKMerKernel(g, k, reverse_complement=True, **options)
        own = WindowPairKernel(g, k, None, **{"half_life": None, **options})
        kept = X if options["filtered"] else sequences(9)  # where nothing is left out
        np.testing.assert_allclose(own.gram(kept), wanted.gram(kept), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(own.gram(kept, kept[3:]), wanted.gram(kept, kept[3:]), rtol=1e-9, atol=1e-12)


def test_what_is_cut_off_is_little():
    X = sequences(20)
    whole, cut = (Normalized(WindowPairKernel(most_mismatches=most)).gram(X) for most in (None, 3))
    assert 0 < np.abs(whole - cut).max() < 0.02


@pytest.mark.nojit
def test_a_value_worked_out_by_hand():
    kernel = WindowPairKernel(3, 2, 1, reverse_complement=False, half_life=None, filtered=False)
    # GAT of GATT is GAT, and differs from GCT in one place; ATT differs from either in two or more.
    assert kernel.gram(["GATT"], ["GAT", "GCT", "GA", ""]).tolist() == [[3.0, 1.0, 0.0, 0.0]]
    # The other strand of GAT is ATC, which differs from ATT in one place.
    both = WindowPairKernel(3, 2, 1, half_life=None, filtered=False)
    assert both.gram(["GATT"], ["GAT"]).tolist() == [[4.0]]
    # Three windows: of 50 levels, those beside the middle have floor(50 / 2^(1/2)) + 1 = 36.
    rounded = WindowPairKernel(3, 3, 0, half_life=2.0, levels=50, filtered=False, reverse_complement=False)
    np.testing.assert_allclose(rounded.gram(["ACGTT"], ["ACG", "CGT", "GTT"]), [[36 / 50, 1.0, 36 / 50]])


def test_the_other_strand_is_the_same():
    X = [*sequences(6), "ACGNACTTGATTTACACCAG"]
    others = [other_strand(x) for x in X]
    kernel = WindowPairKernel(7, 5)
    np.testing.assert_allclose(kernel.gram(X, others), kernel.gram(X), rtol=1e-12)
    np.testing.assert_array_equal(kernel.gram([x.replace("T", "U") for x in X]), kernel.gram(X))
    np.testing.assert_array_equal(kernel.gram([list(x) for x in X]), kernel.gram(X))


def test_values_depend_on_no_other_sequence_and_on_no_thread():
    X = [*sequences(120, longest=200), *sequences(1, seed=3, longest=3 * BLOCK), *sequences(9, seed=4)]
    assert len("".join(X)) > 2 * BLOCK
    gram = WindowPairKernel(n_jobs=1).gram(X)
    np.testing.assert_array_equal(gram, WindowPairKernel(n_jobs=2).gram(X))
    pairs = WindowPairKernel(n_jobs=1).gram(X, X)
    np.testing.assert_array_equal(pairs, WindowPairKernel(n_jobs=2).gram(X, X))
    for i, j in [(3, 110), (120, 3), (3, 120), (125, 12)]:
        assert WindowPairKernel().gram([X[i]], [X[j]])[0, 0] == pairs[i, j]
    np.testing.assert_allclose(gram, pairs, rtol=1e-12)


def test_repeats_fill_every_diagonal():
    # All windows are equal, so that every count is small.
    X = ["A" * 500, "T" * 300, "A" * 11]
    kernel = WindowPairKernel(half_life=None, filtered=False)
    np.testing.assert_allclose(kernel.gram(X), math.comb(11, 7) * np.outer([490, 290, 1], [490, 290, 1]))


@pytest.mark.filterwarnings("ignore:.*has no feature that the model knows")
def test_a_classifier_without_features_finds_sites_and_is_the_same_after_saving(tmp_path):
    random = np.random.default_rng(0)
    X, y = ["".join(random.choice(list("ACGT"), size=12)) for _ in range(12)], [0, 1] * 6
    X = [x[:4] + "GATTACA" + x[11:] if label else x for x, label in zip(X, y, strict=True)]
    svc = SequenceSVC(Normalized(WindowPairKernel(5, 4, 1, half_life=8.0)), C=1.0, random_state=0).fit(X, y)
    asked = ["CCTGTAATCC", "ACGTACGTAC", "NNNNNNN", ""]
    assert svc.predict(asked[:2]).tolist() == [1, 0]
    weft.save(svc, tmp_path / "sites.weft")
    np.testing.assert_array_equal(
        weft.load(tmp_path / "sites.weft").decision_function(asked), svc.decision_function(asked)
    )


def test_what_cannot_be_meant_is_refused():
    automaton = weft.automata.Automaton.from_string("ACGT")
    for options, X, message in [
        ({"g": 101}, ["ACGT"], "g=101 given; need at most 100"),
        ({"g": 0}, ["ACGT"], "g=0 given"),
        ({"k": 12}, ["ACGT"], "k=12 is above g=11"),
        ({"most_mismatches": -1}, ["ACGT"], "most_mismatches=-1 given; need an integer of at least 0"),
        ({"most_mismatches": True}, ["ACGT"], "most_mismatches=True"),
        ({"most_mismatches": 1.5}, ["ACGT"], "most_mismatches=1.5"),
        ({"half_life": 0}, ["ACGT"], "half_life=0 given; need a number above 0"),
        ({"half_life": "x"}, ["ACGT"], "half_life='x'"),
        ({"filtered": 1}, ["ACGT"], "filtered=1 given; need True or False"),
        ({"reverse_complement": None}, ["ACGT"], "reverse_complement=None given"),
        ({"levels": 0}, ["ACGT"], "levels=0 given"),
        ({"levels": 50, "half_life": None}, ["ACGT"], "need weights to round: set half_life"),
        ({}, ["acgt"], "need DNA in upper case"),
        ({}, [automaton], "X holds automata"),
        ({"n_jobs": 0}, ["ACGT"], "n_jobs is 0"),
    ]:
        with pytest.raises(InputError, match=message) as found:
            WindowPairKernel(**options).gram(X)
        assert "\n" not in str(found.value)
        if "n_jobs" not in options:
            with pytest.raises(InputError, match=message):
                WindowPairKernel(**options).diagonal(X)


PROTEIN, MASKED, SITE = "MKVLAWTG" * 5, "acgtA" * 5, "GATTACAGATTACA"


@pytest.mark.parametrize("outer", [Normalized, lambda kernel: kernel])
@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (([PROTEIN],), "X has no 11 letters A, C, G or T in a row, but 'M' in X[0]; need DNA in upper case"),
        ((["ACG", MASKED],), "X has no 11 letters A, C, G or T in a row, but 'a' in X[1]; need DNA in upper case"),
        (([list(PROTEIN)],), "but 'M' in X[0]"),
        (([PROTEIN], [PROTEIN]), "but 'M' in X[0]"),
        (([SITE], ["N" * 20, MASKED]), "Y has no 11 letters A, C, G or T in a row, but 'a' in Y[1]"),
        (([MASKED] * 2, [SITE]), "but 'a' in X[0]"),
    ],
)
def test_long_sequences_without_windows_are_refused(outer, sides, message):
    with pytest.raises(InputError) as found:
        outer(WindowPairKernel()).gram(*sides)
    assert message in str(found.value)
    assert "\n" not in str(found.value)


def test_what_no_window_is_in_is_like_nothing():
    """N, short sequences, and single ones among others, also where a matrix is computed by rows."""
    kernel = WindowPairKernel()
    X = [SITE, PROTEIN, MASKED, "N" * 40, "ACGTN" * 8, "acgt", ""]
    gram = kernel.gram(X)
    assert gram[0, 0] > 0
    assert not gram[1:].any()
    for i, x in enumerate(X):
        np.testing.assert_array_equal(kernel.gram([x], X)[0], gram[i])
    for side in (["N" * 40], ["ACGTN" * 8, "NNN"], ["MKA", MASKED[:10]], ["", ""]):
        assert not kernel.gram(side).any()
        assert not kernel.gram(X, side).any()


@pytest.mark.filterwarnings("ignore:C was not chosen")
def test_a_classifier_with_rows_on_demand_learns_from_a_sequence_without_windows():
    X, y = [*sequences(11, seed=5), MASKED], [0, 1] * 6
    X = [x + SITE for x in X[:-1]] + X[-1:]
    fits = [SequenceSVC(Normalized(WindowPairKernel()), C=1.0, cache_size=size).fit(X, y) for size in (200, 1e-4)]
    np.testing.assert_allclose(*(svc.decision_function(X[:-1]) for svc in fits), atol=1e-2)
